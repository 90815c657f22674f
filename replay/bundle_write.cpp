#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "container_manifest.h"
#include "depscope/replay/bundle.h"
#include "file_members.h"
#include "zip_archive.h"

namespace depscope::replay {
namespace {

using nlohmann::ordered_json;

ordered_json files_json(const std::vector<BundleFile>& files, const std::function<std::string(std::size_t)>& member) {
  ordered_json out = ordered_json::array();
  for (std::size_t i = 0; i < files.size(); ++i) {
    out.push_back({{"name", files[i].name}, {"bytes", files[i].text.size()}, {"member", member(i)}});
  }
  return out;
}

std::string manifest(const Bundle& bundle, const std::vector<BundleDropped>& dropped) {
  ordered_json options = ordered_json::array();
  for (const BundleOption& option : bundle.run.options) {
    ordered_json entry{{"option", option.option}, {"value", option.value}};
    if (option.file) entry["file"] = *option.file;
    options.push_back(std::move(entry));
  }
  ordered_json left_out = ordered_json::array();
  for (const BundleDropped& d : dropped) left_out.push_back({{"member", d.member}, {"bytes", d.bytes}});
  const ordered_json out{
      {"schema", fmt::format("{}{}", kBundleSchemaName, kBundleSchemaMajor)},
      {"tool", "depscope " DEPSCOPE_VERSION},
      {"directory", bundle.run.directory},
      {"input", files_json(bundle.run.input, [&](std::size_t i) { return bundle_input_member(bundle.run.input[i].name, i); })},
      {"options", std::move(options)},
      {"option_files", files_json(bundle.run.option_files,
                                  [&](std::size_t i) { return option_file_member(i, bundle.run.option_files[i].name); })},
      {"recording", !bundle.recording.empty()},
      {"redacted", bundle.redacted},
      {"difference", bundle.difference},
      {"error", bundle.error},
      {"dropped", std::move(left_out)}};
  return out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::uint64_t write_once(const Bundle& bundle, const std::vector<BundleDropped>& dropped, const BundleReport& report,
                         const std::string& path, std::uint64_t max_bytes) {
  ZipWriter zip;
  zip.add("report.md", report(bundle, dropped));
  zip.add(std::string(kBundleManifest), manifest(bundle, dropped));
  for (std::size_t i = 0; i < bundle.run.input.size(); ++i)
    zip.add_view(bundle_input_member(bundle.run.input[i].name, i), bundle.run.input[i].text);
  for (std::size_t i = 0; i < bundle.run.option_files.size(); ++i)
    zip.add_view(option_file_member(i, bundle.run.option_files[i].name), bundle.run.option_files[i].text);
  if (!bundle.recording.empty()) zip.add_view(std::string(kBundleRecording), bundle.recording, Packing::Store);
  for (const BundleExtra& extra : bundle.extras) {
    zip.add_view(extra.member, extra.bytes, extra.member.ends_with(".png") ? Packing::Store : Packing::Deflate);
  }
  return zip.write(path, max_bytes);
}

}  // namespace

BundleSize write_bundle(Bundle bundle, const BundleReport& report, const std::string& path, std::uint64_t max_bytes) {
  std::vector<BundleDropped> dropped;
  std::uint64_t size = write_once(bundle, dropped, report, path, max_bytes);
  while (size > max_bytes && !bundle.extras.empty()) {
    dropped.push_back({bundle.extras.back().member, bundle.extras.back().bytes.size()});
    bundle.extras.pop_back();
    size = write_once(bundle, dropped, report, path, max_bytes);
  }
  // Of input and recording one is enough: the input gives the recording again, unless it does not.
  const auto without_recording = [&] {
    std::string recording = std::exchange(bundle.recording, {});
    dropped.push_back({std::string(kBundleRecording), recording.size()});
    size = write_once(bundle, dropped, report, path, max_bytes);
    if (size <= max_bytes) return;
    bundle.recording = std::move(recording);
    dropped.pop_back();
  };
  const auto without_input = [&] {
    std::vector<BundleFile> input = std::exchange(bundle.run.input, {});
    for (std::size_t i = 0; i < input.size(); ++i)
      dropped.push_back({bundle_input_member(input[i].name, i), input[i].text.size()});
    size = write_once(bundle, dropped, report, path, max_bytes);
    if (size <= max_bytes) return;
    dropped.resize(dropped.size() - input.size());
    bundle.run.input = std::move(input);
  };
  if (size > max_bytes && !bundle.recording.empty() && !bundle.run.input.empty()) {
    const bool reproduces = bundle.difference.empty();
    reproduces ? without_recording() : without_input();
    if (size > max_bytes) reproduces ? without_input() : without_recording();
  }
  if (size > max_bytes) {
    throw FileError(
        FileFault::Unwritable,
        fmt::format("{}: {} bytes with nothing but what a report needs, the limit --max-size is {}", path, size, max_bytes));
  }
  return {size, std::move(dropped)};
}

}  // namespace depscope::replay
