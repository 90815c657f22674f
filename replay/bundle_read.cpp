#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "container_manifest.h"
#include "depscope/replay/bundle.h"
#include "file_members.h"
#include "json_text.h"
#include "zip_archive.h"

namespace depscope::replay {
namespace {

using nlohmann::json;

class BundleReader {
 public:
  BundleReader(const std::string& path, const LoadLimits& limits)
      : limits_(limits),
        zip_(path, limits),
        file_(zip_, path, kBundleManifest, "bundle", kBundleSchemaName, kBundleSchemaMajor) {}

  Bundle run() {
    refuse_nested_archives();
    const json& root = file_.root();
    Bundle out;
    out.run.directory = file_.need(root, "directory", json::value_t::boolean);
    out.run.input = read_files("input");
    if (!out.run.directory && out.run.input.size() > 1)
      file_.fail(fmt::format("{}: {} input files, but no directory", kBundleManifest, out.run.input.size()));
    out.run.option_files = read_files("option_files");
    for (const json& option : file_.need(root, "options", json::value_t::array))
      out.run.options.push_back(read_option(option, out.run.option_files.size()));
    out.redacted = file_.need(root, "redacted", json::value_t::boolean);
    out.difference = file_.need(root, "difference", json::value_t::string);
    out.error = file_.need(root, "error", json::value_t::string);
    if (file_.need(root, "recording", json::value_t::boolean)) out.recording = member(kBundleRecording);
    if (out.run.input.empty() && out.recording.empty()) file_.fail("the bundle has neither an input nor a recording");
    return out;
  }

 private:
  void refuse_nested_archives() const {
    for (std::size_t i = 0; i < zip_.members().size(); ++i) {
      const std::string& name = zip_.members()[i].name;
      if (name != kBundleRecording && zip_.is_archive(i))
        file_.fail(fmt::format("member {} is an archive itself; of those a bundle holds only {}", name, kBundleRecording));
    }
  }

  std::string member(std::string_view name) const {
    const std::int64_t at = zip_.find(name);
    if (at < 0) file_.fail(fmt::format("member {} is missing", name));
    return zip_.text(static_cast<std::size_t>(at), limits_.max_member_bytes);
  }

  std::vector<BundleFile> read_files(const char* key) {
    std::vector<BundleFile> out;
    std::unordered_set<std::string> names;
    for (const json& entry : file_.need(file_.root(), key, json::value_t::array)) {
      if (!entry.is_object()) file_.fail(fmt::format("{}: an entry of {} is no object", kBundleManifest, key));
      BundleFile file{.name = file_.need(entry, "name", json::value_t::string), .text = {}};
      if (!is_plain_file_name(file.name))
        file_.fail(fmt::format("{}: {} is no name of a file", kBundleManifest, json_string(file.name)));
      const std::string at = file_.need(entry, "member", json::value_t::string);
      // Many files of one member would be more bytes than the container may hold.
      if (!used_.insert(at).second) file_.fail(fmt::format("{}: member {} is named twice", kBundleManifest, at));
      file.text = member(at);
      const std::uint64_t bytes = file_.need(entry, "bytes", json::value_t::number_unsigned);
      if (bytes != file.text.size())
        file_.fail(fmt::format("{} has {} bytes, {} says {}", at, file.text.size(), kBundleManifest, bytes));
      if (!names.insert(file.name).second && std::string_view(key) == "input")
        file_.fail(fmt::format("{}: two files of the input are named {}", kBundleManifest, file.name));
      out.push_back(std::move(file));
    }
    return out;
  }

  BundleOption read_option(const json& entry, std::size_t files) const {
    if (!entry.is_object()) file_.fail(fmt::format("{}: an entry of options is no object", kBundleManifest));
    BundleOption out{.option = file_.need(entry, "option", json::value_t::string),
                     .value = file_.need(entry, "value", json::value_t::string),
                     .file = std::nullopt};
    if (entry.contains("file")) {
      const std::uint64_t file = file_.need(entry, "file", json::value_t::number_unsigned);
      if (file >= files) file_.fail(fmt::format("{}: option {} names file {} of {}", kBundleManifest, out.option, file, files));
      out.file = file;
    }
    return out;
  }

  const LoadLimits& limits_;
  ZipReader zip_;
  ContainerManifest file_;
  std::unordered_set<std::string> used_;  // members
};

}  // namespace

bool is_plain_file_name(std::string_view name) {
  constexpr std::size_t kMaxNameBytes = 255;
  return !name.empty() && name.size() <= kMaxNameBytes && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

Bundle read_bundle(const std::string& path, const LoadLimits& limits) {
  try {
    return BundleReader(path, limits).run();
  } catch (const std::bad_alloc&) {
    throw FileError(FileFault::Unreadable, fmt::format("{}: does not fit into memory", path));
  }
}

recording::Recording load_recording(const std::string& path, const LoadLimits& limits) {
  if (container_kind(path) != ContainerKind::Bundle) return load(path, limits);
  Bundle bundle = read_bundle(path, limits);
  if (bundle.recording.empty()) {
    throw FileError(FileFault::Unrecognised,
                    fmt::format("{}: a bundle without a recording; depscope run makes one from its input", path));
  }
  return load_bytes(std::move(bundle.recording), fmt::format("{}: {}", path, kBundleRecording), limits);
}

}  // namespace depscope::replay
