#include "depscope/replay/deps_json.h"

#include <fmt/format.h>

#include <iterator>
#include <unordered_set>
#include <vector>

#include "depscope/replay/facts_json.h"
#include "depscope/runtime/sink.h"
#include "json_text.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::ArgKind;
using runtime::TaskKind;

constexpr std::size_t kFlushAt = std::size_t{1} << 16U;
constexpr std::uint8_t kExplicitSources = runtime::kUser | runtime::kCompiler | runtime::kFence | runtime::kExplicit;

class DepsWriter {
 public:
  DepsWriter(const Recording& recording, DepsSchema schema, const TextOutput& output)
      : r_(recording), own_(schema == DepsSchema::Depscope), output_(output) {
    tensor_ids_.reserve(r_.tensors.rows());
    for (std::uint32_t t = 0; t < r_.tensors.rows(); ++t)
      tensor_ids_.push_back(tensor_id(r_.tensors.address[t], r_.tensors.version[t]));
  }

  void run() {
    text(own_ ? "{\"schema\":\"depscope.deps/1\",\"tasks\":[" : "{\"tasks\":[");
    tasks();
    text("],\"tensors\":[");
    tensors();
    text("],\"edges\":[");
    edges();
    text("]");
    if (own_) own_parts();
    text("}\n");
    output_({buffer_.data(), buffer_.size()});
  }

 private:
  void text(std::string_view piece) { buffer_.append(piece.data(), piece.data() + piece.size()); }

  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
  }

  /// Before every array item: the comma, and room in the buffer.
  void item(bool& first) {
    if (!first) buffer_.push_back(',');
    first = false;
    if (buffer_.size() < kFlushAt) return;
    output_({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

  void names(const std::vector<std::string_view>& list) {
    text("[");
    for (std::size_t i = 0; i < list.size(); ++i) print("{}\"{}\"", i == 0 ? "" : ",", list[i]);
    text("]");
  }

  [[nodiscard]] std::uint32_t rank(std::uint32_t access) const { return r_.accesses.geometry_begin_count[access] / 3; }

  void shape(std::uint32_t access) {
    const std::uint32_t* words = r_.pool.data() + r_.accesses.geometry_begin[access];
    text("[");
    for (std::uint32_t i = 0; i < rank(access); ++i) print("{}{}", i == 0 ? "" : ",", words[i]);
    text("]");
  }

  void strides(std::uint32_t access) {
    const std::uint32_t dimensions = rank(access);
    const std::uint32_t* words = r_.pool.data() + r_.accesses.geometry_begin[access] + dimensions;
    text("[");
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      print("{}{}", i == 0 ? "" : ",", words[std::size_t{2} * i] | std::uint64_t{words[std::size_t{2} * i + 1]} << 32U);
    }
    text("]");
  }

  void geometry(std::string_view prefix, std::uint32_t access) {
    print(",\"{}shape\":", prefix);
    shape(access);
    print(",\"{}start_offset\":\"{}\",\"{}strides\":", prefix, r_.accesses.start_offset[access], prefix);
    strides(access);
  }

  [[nodiscard]] std::string_view dtype(std::uint32_t access) const {
    return element_type_name(static_cast<runtime::ElementType>(r_.tensors.dtype[r_.accesses.tensor[access]]));
  }

  [[nodiscard]] ArgKind arg_kind(std::uint32_t access) const { return static_cast<ArgKind>(r_.accesses.kind[access]); }

  [[nodiscard]] bool has_record(std::uint32_t task) const {
    return static_cast<TaskKind>(r_.tasks.kind[task]) != TaskKind::Alloc;
  }

  /// First access behind those of `task`, given its first.
  [[nodiscard]] std::uint32_t accesses_end(std::uint32_t access, std::uint32_t task) const {
    while (access < r_.accesses.rows() && r_.accesses.task[access] == task) ++access;
    return access;
  }

  void tasks() {
    bool first = true;
    std::uint32_t access = 0;
    for (std::uint32_t t = 0; t < r_.tasks.rows(); ++t) {
      const std::uint32_t begin = access;
      access = accesses_end(begin, t);
      if (!has_record(t)) continue;
      item(first);
      print("{{\"task_id\":\"{}\",\"scope\":\"{}\",\"early_dispatch\":{},\"kernel_ids\":[{},{},{}],\"block_num\":{},\"args\":[",
            r_.tasks.id[t], (r_.tasks.flags[t] & 1U) != 0 ? "manual" : "auto", (r_.tasks.flags[t] & 2U) != 0,
            r_.tasks.kernel_aic[t], r_.tasks.kernel_aiv0[t], r_.tasks.kernel_aiv1[t], r_.tasks.block_num[t]);
      for (std::uint32_t a = begin; a < access; ++a) task_argument(a, a == begin);
      text("]}");
    }
  }

  void task_argument(std::uint32_t a, bool first) {
    const ArgKind kind = arg_kind(a);
    const std::string_view type = kind == ArgKind::NoDep && !own_ ? std::string_view("UNKNOWN") : arg_kind_name(kind);
    print("{}{{\"idx\":{},\"type\":\"{}\"", first ? "" : ",", r_.accesses.arg[a], type);
    if (kind != ArgKind::Output) {
      print(",\"tensor_id\":\"{}\",\"dtype\":\"{}\"", tensor_ids_[r_.accesses.tensor[a]], dtype(a));
      geometry("", a);
    }
    text("}");
  }

  /// One per (address, version), in order of first use by a recorded task.
  void tensors() {
    bool first = true;
    std::unordered_set<std::uint64_t> seen;
    for (std::uint32_t a = 0; a < r_.accesses.rows(); ++a) {
      if (arg_kind(a) == ArgKind::Output || !has_record(r_.accesses.task[a])) continue;
      const std::uint32_t t = r_.accesses.tensor[a];
      if (!seen.insert(tensor_ids_[t]).second) continue;
      item(first);
      const auto type = static_cast<runtime::ElementType>(r_.tensors.dtype[t]);
      print("{{\"tensor_id\":\"{}\",\"buffer_addr\":\"{}\",\"version\":{},\"dtype\":\"{}\",\"buffer_numel\":\"{}\"}}",
            tensor_ids_[t], r_.tensors.address[t], r_.tensors.version[t], element_type_name(type),
            element_size(type) == 0 ? 0 : r_.tensors.buffer_elements[t]);
    }
  }

  void edges() {
    bool first = true;
    for (std::uint32_t i = 0; i < r_.edge_reasons.rows(); ++i) {
      if (r_.edge_reasons.replay_row[i] == 0) continue;
      const std::uint32_t edge = r_.edge_reasons.edge[i];
      const std::uint8_t source = r_.edge_reasons.source[i];
      item(first);
      print("{{\"pred\":\"{}\",\"succ\":\"{}\",\"arg\":{},\"source\":\"{}\",\"flags\":", r_.tasks.id[r_.edges.producer[edge]],
            r_.tasks.id[r_.edges.consumer[edge]], r_.edge_reasons.arg[i],
            source == runtime::kTensorMap ? "tensormap" : (source == runtime::kCreator ? "creator" : "explicit"));
      names(runtime::dep_flag_names(r_.edge_reasons.flags[i]));
      const std::uint32_t read = r_.edge_reasons.consumer_access[i];
      const std::uint32_t write = r_.edge_reasons.producer_access[i];
      if (write != kNoRow) print(",\"overlap\":\"{}\"", r_.edge_reasons.overlap[i] == 2 ? "covered" : "other");
      if (read != kNoRow) {
        print(",\"tensor_id\":\"{}\",\"consumer_dtype\":\"{}\"", tensor_ids_[r_.accesses.tensor[write != kNoRow ? write : read]],
              dtype(read));
        geometry("consumer_", read);
      }
      if (write != kNoRow) geometry("producer_", write);
      text("}");
    }
  }

  void own_parts() {
    text(",\"pairs\":[");
    pairs();
    text("]");
    if (reduced_by_bitmap()) print(",\"window_misses\":{}", r_.window_misses);
    if (r_.passes.rows() != 0) {
      text(",\"submissions\":[");
      submissions();
      text("]");
    }
    text(",\"findings\":[");
    bool first = true;
    for (std::uint32_t f = 0; f < r_.findings.rows(); ++f) {
      item(first);
      text(finding_json(r_, f));
    }
    text("]");
  }

  void pairs() {
    bool first = true;
    for (std::uint32_t e = 0; e < r_.edges.rows(); ++e) {
      item(first);
      print("{{\"pred\":\"{}\",\"succ\":\"{}\",\"flags\":", r_.tasks.id[r_.edges.producer[e]], r_.tasks.id[r_.edges.consumer[e]]);
      names(runtime::dep_flag_names(r_.edges.flags[e]));
      text(",\"provenance\":");
      names(runtime::provenance_names(r_.edges.provenance[e]));
      text(",\"flags_final\":");
      names(runtime::dep_flag_names(r_.edges.flags_final[e]));
      if (r_.edges.via[e] == kNoRow) {
        text(",\"via\":null}");
      } else {
        print(",\"via\":\"{}\"}}", r_.tasks.id[r_.edges.via[e]]);
      }
    }
  }

  [[nodiscard]] bool reduced_by_bitmap() const {
    for (std::uint32_t o = 0; o < r_.options.rows(); ++o) {
      if (r_.text(r_.options.name[o]) == "reduce") return r_.text(r_.options.value[o]).starts_with("bitmap");
    }
    return false;
  }

  void submissions() {
    bool first = true;
    std::uint32_t access = 0;
    std::uint32_t reason = 0;
    for (std::uint32_t t = 0; t < r_.tasks.rows(); ++t) {
      const std::uint32_t begin = access;
      access = accesses_end(begin, t);
      const std::uint32_t first_reason = reason;
      while (reason < r_.edge_reasons.rows() && r_.edges.consumer[r_.edge_reasons.edge[reason]] == t) ++reason;
      if (r_.tasks.scope[t] == kNoRow) continue;  // a producer without record
      item(first);
      const auto kind = static_cast<TaskKind>(r_.tasks.kind[t]);
      print("{{\"task_id\":\"{}\",\"kind\":\"{}\",\"callee\":", r_.tasks.id[t],
            kind == TaskKind::Kernel ? "kernel" : (kind == TaskKind::Alloc ? "alloc" : "dummy"));
      name_or_null(kind == TaskKind::Kernel ? r_.tasks.callee[t] : 0);
      text(",\"explicit_deps\":[");
      explicit_deps(first_reason, reason);
      text("],\"scope_modes\":[");
      scope_modes(r_.tasks.scope[t]);
      text("],\"args\":[");
      for (std::uint32_t a = begin; a < access; ++a) submission_argument(a, a == begin);
      text("]}");
    }
  }

  void name_or_null(std::uint32_t string) {
    if (string == 0) {
      text("null");
    } else {
      text(json_string(r_.text(string)));
    }
  }

  void explicit_deps(std::uint32_t begin, std::uint32_t end) {
    bool first = true;
    for (std::uint32_t i = begin; i < end; ++i) {
      if ((r_.edge_reasons.source[i] & kExplicitSources) == 0) continue;
      // Without flags of its own: a further source of the dependency listed just before.
      if (r_.edge_reasons.flags[i] == 0 && r_.edge_reasons.replay_row[i] == 0) continue;
      item(first);
      print("\"{}\"", r_.tasks.id[r_.edges.producer[r_.edge_reasons.edge[i]]]);
    }
  }

  void scope_modes(std::uint32_t scope) {
    scope_path_.clear();
    // A parent is an earlier row; a file that says otherwise must not make this loop.
    for (std::uint32_t s = scope, below = kNoRow; s < below; below = s, s = r_.scopes.parent[s]) scope_path_.push_back(s);
    for (std::size_t i = scope_path_.size(); i-- > 0;) {
      print("{}\"{}\"", i + 1 == scope_path_.size() ? "" : ",", r_.scopes.manual[scope_path_[i]] != 0 ? "MANUAL" : "AUTO");
    }
  }

  void submission_argument(std::uint32_t a, bool first) {
    const std::uint32_t tensor = r_.accesses.tensor[a];
    print("{}{{\"kind\":\"{}\",\"root\":", first ? "" : ",", arg_kind_name(arg_kind(a)));
    name_or_null(r_.tensors.name[tensor]);
    geometry("", a);
    const std::uint64_t owner = r_.tensors.owner[tensor];
    if (owner == runtime::kInvalidTask) {
      text(",\"owner\":null}");
    } else {
      print(",\"owner\":\"{}\"}}", owner);
    }
  }

  const Recording& r_;
  bool own_;
  const TextOutput& output_;
  fmt::memory_buffer buffer_;
  std::vector<std::uint64_t> tensor_ids_;
  std::vector<std::uint32_t> scope_path_;
};

}  // namespace

std::uint64_t tensor_id(std::uint64_t address, std::int32_t version) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const auto take = [&hash](std::uint64_t value, std::uint32_t bytes) {
    for (std::uint32_t i = 0; i < bytes; ++i) hash = (hash ^ (value >> (8 * i) & 0xFFU)) * 0x100000001b3ULL;
  };
  take(address, 8);
  take(static_cast<std::uint32_t>(version), 4);
  return hash;
}

void write_deps_json(const Recording& recording, DepsSchema schema, const TextOutput& output) {
  DepsWriter(recording, schema, output).run();
}

std::string deps_json(const Recording& recording, DepsSchema schema) {
  std::string out;
  write_deps_json(recording, schema, [&out](std::string_view piece) { out += piece; });
  return out;
}

}  // namespace depscope::replay
