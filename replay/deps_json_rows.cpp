#include "deps_json_rows.h"

#include <fmt/format.h>

#include <string_view>

#include "depscope/base/json_keys.h"

namespace depscope::replay {
namespace {

using runtime::TaskKind;

constexpr std::int64_t kMaxArgument = std::numeric_limits<std::int8_t>::max();
constexpr std::array<std::string_view, 11> kEdgeKeys{"pred",
                                                     "succ",
                                                     "arg",
                                                     "source",
                                                     "flags",
                                                     "overlap",
                                                     "tensor_id",
                                                     "producer_shape",
                                                     "producer_start_offset",
                                                     "producer_strides",
                                                     "producer_offset"};
constexpr std::array<std::string_view, 6> kPairKeys{"pred", "succ", "flags", "provenance", "flags_final", "via"};
constexpr std::array<std::string_view, 3> kSubmissionKeys{"task_id", "kind", "callee"};

std::uint64_t task_id(JsonReader& reader) {
  const std::uint64_t id = read_deps_id(reader);
  if (id == runtime::kInvalidTask) reader.fail_value(fmt::format("{} is the invalid task id", id));
  return id;
}

/// 0 if it is none that is known.
std::uint8_t source(JsonReader& reader) {
  if (!reader.is_string()) {
    reader.skip();
    return 0;
  }
  const std::string_view name = reader.string();
  if (name == "explicit") return runtime::kExplicit;
  if (name == "creator") return runtime::kCreator;
  return name == "tensormap" ? std::uint8_t{runtime::kTensorMap} : std::uint8_t{0};
}

std::uint8_t overlap(JsonReader& reader) {
  if (reader.is_string()) return reader.string() == "covered" ? 2 : 1;
  reader.skip();
  return 0;
}

std::uint8_t flag_names(JsonReader& reader) {
  unsigned flags = 0;
  reader.begin_array();
  while (reader.next_element()) {
    const std::string_view flag = reader.string();
    if (flag != "wait" && flag != "retain") reader.fail_value(fmt::format("unknown flag \"{}\"; allowed: wait, retain", flag));
    flags |= flag == "wait" ? runtime::kWait : runtime::kRetain;
  }
  return static_cast<std::uint8_t>(flags);
}

std::uint8_t provenance(JsonReader& reader) {
  unsigned bits = 0;
  reader.begin_array();
  while (reader.next_element()) {
    const std::string_view name = reader.string();
    unsigned found = 0;
    for (unsigned bit = 1; bit < 64; bit <<= 1U) {
      if (runtime::provenance_names(static_cast<std::uint8_t>(bit)).front() == name) found = bit;
    }
    if (found == 0) reader.fail_value(fmt::format("unknown provenance \"{}\"", name));
    bits |= found;
  }
  return static_cast<std::uint8_t>(bits);
}

bool is_edge(const DepsEdge& e) { return e.pred != e.succ && e.pred != runtime::kInvalidTask && e.succ != runtime::kInvalidTask; }

/// Version 1: [pred, succ].
bool read_bare_edge(JsonReader& reader, DepsEdge& e) {
  std::size_t count = 0;
  bool good = true;
  reader.begin_array();
  while (reader.next_element()) {
    std::uint64_t ignored = 0;
    good = reader.wide_integer(count == 0 ? e.pred : count == 1 ? e.succ : ignored) && good;
    ++count;
  }
  e.flags = runtime::kWaitRetain;
  return good && count == 2 && is_edge(e);
}

}  // namespace

std::uint64_t read_deps_id(JsonReader& reader) {
  std::uint64_t value = 0;
  if (!reader.wide_integer(value)) reader.fail_value("a whole number of 64 bits was expected, as text or plain");
  return value;
}

bool read_deps_edge(JsonReader& reader, DepsEdge& e) {
  e = {};
  if (reader.is_array()) return read_bare_edge(reader, e);
  if (!reader.is_object()) {
    reader.skip();
    return false;
  }
  JsonKeys keys(kEdgeKeys);
  std::uint64_t number = 0;
  std::int64_t arg = -1;
  bool good = true;
  std::string_view key;
  reader.begin_object();
  while (reader.next_key(key)) {
    switch (keys.take(key, reader)) {
      case 0: good = reader.wide_integer(e.pred) && good; break;
      case 1: good = reader.wide_integer(e.succ) && good; break;
      case 2:
        good = reader.wide_integer(number) && good;
        arg = static_cast<std::int64_t>(number);
        break;
      case 3: e.source = source(reader); break;
      case 4: e.flags = flag_names(reader); break;
      case 5: e.overlap = overlap(reader); break;
      case 6: e.has_tensor = reader.wide_integer(e.tensor_id); break;
      case 7: e.producer.rank = static_cast<std::uint8_t>(read_deps_extents(reader, e.producer.shape, kMaxUInt32)); break;
      case 8: good = reader.wide_integer(e.producer.start_offset) && good; break;
      case 9: read_deps_extents(reader, e.producer.strides, kMaxInt64); break;
      case 10:
        e.producer.offset_rank = static_cast<std::uint8_t>(read_deps_extents(reader, e.producer.offsets, kMaxInt64));
        break;
      default: reader.skip();
    }
  }
  if (!good || !keys.seen(0) || !keys.seen(1) || e.source == 0 || arg < -1 || arg > kMaxArgument || !is_edge(e)) return false;
  e.arg = static_cast<std::int32_t>(arg);
  e.has_flags = keys.seen(4);
  if (!e.has_flags) e.flags = e.source == runtime::kTensorMap ? runtime::kWait : runtime::kWaitRetain;
  if (e.source != runtime::kTensorMap) e.overlap = 0;
  return true;
}

DepsPair read_deps_pair(JsonReader& reader) {
  DepsPair p;
  JsonKeys keys(kPairKeys);
  std::string_view key;
  reader.begin_object();
  while (reader.next_key(key)) {
    switch (keys.take(key, reader)) {
      case 0: p.pred = task_id(reader); break;
      case 1: p.succ = task_id(reader); break;
      case 2: p.flags = flag_names(reader); break;
      case 3: p.provenance = provenance(reader); break;
      case 4: p.flags_final = flag_names(reader); break;
      case 5:
        if (!reader.null()) p.via = task_id(reader);
        break;
      default: reader.skip();
    }
  }
  keys.require(5, reader);
  return p;
}

void read_deps_submission(JsonReader& reader, DepsSubmission& s) {
  s.kind = TaskKind::Kernel;
  s.callee.clear();
  JsonKeys keys(kSubmissionKeys);
  std::string_view key;
  reader.begin_object();
  while (reader.next_key(key)) {
    switch (keys.take(key, reader)) {
      case 0: s.id = task_id(reader); break;
      case 1: {
        const std::string_view name = reader.string();
        s.kind = name == "alloc" ? TaskKind::Alloc : (name == "dummy" ? TaskKind::Dummy : TaskKind::Kernel);
        break;
      }
      case 2:
        if (!reader.null()) s.callee = reader.string();
        break;
      default: reader.skip();
    }
  }
  keys.require(2, reader);
}

}  // namespace depscope::replay
