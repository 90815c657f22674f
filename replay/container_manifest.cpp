#include "container_manifest.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "depscope/replay/bundle.h"
#include "file_members.h"

namespace depscope::replay {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{8} << 20U;  // as a tree it takes many times that in memory

/// The schema that a manifest names, empty if it names none.
std::string schema_of(const json& manifest) {
  if (!manifest.is_object()) return "";
  const auto found = manifest.find("schema");
  return found != manifest.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

ContainerManifest::ContainerManifest(const ZipReader& zip, std::string path, std::string_view member, std::string_view what,
                                     std::string_view schema_name, std::uint32_t major)
    : path_(std::move(path)), member_(member) {
  const auto refuse = [&](FileFault fault, const std::string& why) { throw FileError(fault, fmt::format("{}: {}", path_, why)); };
  const std::int64_t at = zip.find(member);
  if (at < 0) refuse(FileFault::Unrecognised, fmt::format("not a {}: the container has no {}", what, member));
  root_ = json::parse(zip.text(static_cast<std::size_t>(at), kMaxManifestBytes), nullptr, false);
  if (!root_.is_object()) fail(fmt::format("{} is not a JSON object", member));
  const std::string schema = schema_of(root_);
  if (!schema.starts_with(schema_name))
    refuse(FileFault::Unrecognised, fmt::format("not a {}: its manifest has schema \"{}\"", what, schema));
  std::uint32_t found = 0;
  const char* end = schema.data() + schema.size();
  const auto parsed = std::from_chars(schema.data() + schema_name.size(), end, found);  // "1" or a later "1.2"
  if (parsed.ec != std::errc{} || (parsed.ptr != end && *parsed.ptr != '.'))
    fail(fmt::format("schema \"{}\" has no version", schema));
  if (found == major) return;
  const auto tool = root_.find("tool");
  refuse(FileFault::Incompatible,
         fmt::format("written as {} by {}; this version reads {}{}", schema,
                     tool != root_.end() && tool->is_string() ? tool->get<std::string>() : "another tool", schema_name, major));
}

const json& ContainerManifest::need(const json& object, const char* key, json::value_t type) const {
  const auto found = object.find(key);
  const bool unsigned_integer = type == json::value_t::number_unsigned;
  if (found == object.end() || (unsigned_integer ? !found->is_number_unsigned() : found->type() != type)) {
    fail(fmt::format("{}: key \"{}\" is missing or of another type", member_, key));
  }
  return *found;
}

void ContainerManifest::fail(const std::string& what) const {
  throw FileError(FileFault::Corrupt, fmt::format("{}: {}", path_, what));
}

ContainerKind container_kind(const std::string& path) {
  try {
    const ZipReader zip(path, LoadLimits{});
    const auto has = [&](std::string_view member, std::string_view schema_name) {
      const std::int64_t at = zip.find(member);
      if (at < 0) return false;
      return schema_of(json::parse(zip.text(static_cast<std::size_t>(at), kMaxManifestBytes), nullptr, false))
          .starts_with(schema_name);
    };
    if (has(kManifest, kSchemaName)) return ContainerKind::Recording;
    if (has(kBundleManifest, kBundleSchemaName)) return ContainerKind::Bundle;
  } catch (const std::exception&) {  // the reader that it is given to says what is wrong
  }
  return ContainerKind::None;
}

}  // namespace depscope::replay
