#include "depscope/replay/artefacts/build_metadata.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "depscope/base/json_reader.h"

namespace depscope::replay {
namespace {

constexpr std::int64_t kMaxDimension = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();

BuildParameter parameter(JsonReader& reader) {
  BuildParameter out;
  std::string_view key;
  reader.begin_object();
  while (reader.next_key(key)) {
    if (key == "name") {
      out.name = reader.string();
    } else if (key == "direction") {
      out.direction = reader.string();
      if (out.direction != "In" && out.direction != "Out" && out.direction != "InOut")
        reader.fail_value("\"In\", \"Out\" or \"InOut\" was expected");
    } else if (key == "dtype") {
      out.dtype = reader.string();
    } else if (key == "shape") {
      out.scalar = reader.null();
      if (out.scalar) continue;
      reader.begin_array();
      while (reader.next_element()) out.shape.push_back(reader.integer(-1, kMaxDimension));
    } else {
      reader.skip();
    }
  }
  return out;
}

void distributed(JsonReader& reader, BuildMetadata& out) {
  std::string_view key;
  reader.begin_object();
  while (reader.next_key(key)) {
    if (key == "device_ids") {
      reader.begin_array();
      while (reader.next_element()) out.device_ids.push_back(static_cast<std::uint32_t>(reader.integer(0, kMaxCount)));
    } else if (key == "runtime" && reader.is_string()) {
      out.runtime = reader.string();
    } else {
      reader.skip();
    }
  }
}

}  // namespace

BuildMetadata read_build_metadata(const SourceFile& source) {
  BuildMetadata out;
  JsonReader reader(source);
  std::string_view key;
  reader.begin_object();
  while (reader.next_key(key)) {
    if (key == "schema") {
      out.schema = static_cast<std::uint32_t>(reader.integer(1, 2));
    } else if (key == "params") {
      reader.begin_array();
      while (reader.next_element()) out.parameters.push_back(parameter(reader));
    } else if (key == "num_return_types") {
      out.return_types = static_cast<std::uint32_t>(reader.integer(0, kMaxCount));
    } else if (key == "platform" && reader.is_string()) {
      out.platform = reader.string();
    } else if (key == "backend_type" && reader.is_string()) {
      out.backend = reader.string();
    } else if (key == "distributed_config" && reader.is_object()) {
      distributed(reader, out);
    } else {
      reader.skip();
    }
  }
  reader.end();
  if (out.schema == 0) reader.fail_value("has no \"schema\"");
  return out;
}

std::string parameter_text(const BuildParameter& p) {
  std::string out = fmt::format("{} {} {}", p.direction, p.name, p.dtype);
  if (p.scalar) return out;
  for (std::size_t i = 0; i < p.shape.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "[" : ", ", p.shape[i] < 0 ? "?" : std::to_string(p.shape[i]));
  return out + (p.shape.empty() ? "[]" : "]");
}

}  // namespace depscope::replay
