#include "depscope/replay/deps_json.h"

#include <array>
#include <vector>

#include "deps_json_text.h"
#include "depscope/replay/facts_json.h"
#include "depscope/runtime/sink.h"
#include "id_table.h"
#include "json_text.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::ArgKind;
using runtime::TaskKind;

constexpr std::uint8_t kExplicitSources = runtime::kUser | runtime::kCompiler | runtime::kFence | runtime::kExplicit;

class DepsWriter {
 public:
  DepsWriter(const Recording& recording, DepsSchema schema, const TextOutput& output, DepsFaults faults)
      : r_(recording), own_(schema == DepsSchema::Depscope), faults_(faults), text_(output) {
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
    text_.flush();
  }

 private:
  template <class... Pieces>
  void put(const Pieces&... pieces) {
    text_.put(pieces...);
  }
  void text(std::string_view piece) { text_.put(piece); }
  void item(bool& first) { text_.item(first); }
  void names(const std::vector<std::string_view>& list) { text_.names(list); }

  /// Shapes and strides are few and named often: their texts are kept for the latest of each place in a small table.
  struct KeptGeometry {
    std::uint32_t begin = kNoRow, dimensions = 0;
    GeometryText text;
  };

  using KeptGeometries = std::array<KeptGeometry, 256>;  // by where the geometry begins

  static const GeometryText& geometry_text(const Recording& r, std::uint32_t access, KeptGeometries& table) {
    const std::uint32_t begin = r.accesses.geometry_begin[access];
    const std::uint32_t dimensions = r.accesses.geometry_begin_count[access] / 3;
    KeptGeometry& kept = table[(begin ^ (begin >> 8U)) % table.size()];
    if (kept.begin == begin && kept.dimensions == dimensions) return kept.text;
    kept = {begin, dimensions, {}};
    const std::uint32_t* words = r.pool.data() + begin;
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      const std::size_t at = dimensions + std::size_t{2} * i;
      kept.text.add(words[i], words[at] | std::uint64_t{words[at + 1]} << 32U);
    }
    kept.text.end();
    return kept.text;
  }

  /// Stands until the next place out of the same table.
  [[nodiscard]] DepsPlace place(std::uint32_t access, KeptGeometries& table) const {
    const GeometryText& kept = geometry_text(r_, access, table);
    return {kept.shape, kept.strides, r_.accesses.start_offset[access]};
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
      text_.begin_task(r_.tasks.id[t], (r_.tasks.flags[t] & 1U) != 0, (r_.tasks.flags[t] & 2U) != 0,
                       {r_.tasks.kernel_aic[t], r_.tasks.kernel_aiv0[t], r_.tasks.kernel_aiv1[t]}, r_.tasks.block_num[t]);
      for (std::uint32_t a = begin; a < access; ++a) task_argument(a, a == begin);
      text("]}");
    }
  }

  void task_argument(std::uint32_t a, bool first) {
    const ArgKind kind = arg_kind(a);
    const std::string_view type =
        kind == ArgKind::NoDep && !own_ && faults_.no_dep_unknown ? std::string_view("UNKNOWN") : arg_kind_name(kind);
    text_.begin_argument(first, r_.accesses.arg[a], type);
    if (kind != ArgKind::Output) text_.accessed(tensor_ids_[r_.accesses.tensor[a]], dtype(a), place(a, geometries_));
    text("}");
  }

  /// One per (address, version), in order of first use by a recorded task.
  void tensors() {
    bool first = true;
    IdTable seen;  // by id, the first tensors row
    std::vector<bool> met(r_.tensors.rows(), false);
    for (std::uint32_t a = 0; a < r_.accesses.rows(); ++a) {
      if (arg_kind(a) == ArgKind::Output || !has_record(r_.accesses.task[a])) continue;
      const std::uint32_t t = r_.accesses.tensor[a];
      if (met[t]) continue;
      met[t] = true;
      if (seen.find_or_add(tensor_ids_[t], 0, t) != t) continue;
      item(first);
      text_.tensor(tensor_ids_[t], r_.tensors.address[t], r_.tensors.version[t],
                   static_cast<runtime::ElementType>(r_.tensors.dtype[t]), r_.tensors.buffer_elements[t]);
    }
  }

  void edges() {
    bool first = true;
    const bool all_flags = !own_ && !faults_.retain_lost;
    std::vector<std::uint8_t> said(all_flags ? r_.edges.rows() : 0, 0);  // by edge, what its rows so far have said
    for (std::uint32_t i = 0; i < r_.edge_reasons.rows(); ++i) {
      const std::uint32_t edge = r_.edge_reasons.edge[i];
      bool adds = false;
      if (all_flags) {
        adds = (r_.edge_reasons.flags[i] & ~unsigned{said[edge]}) != 0;
        said[edge] |= r_.edge_reasons.flags[i];
      }
      if (r_.edge_reasons.replay_row[i] == 0 && !adds) continue;
      const std::uint32_t read = r_.edge_reasons.consumer_access[i];
      const std::uint32_t write = r_.edge_reasons.producer_access[i];
      DepsEdgeRow row;
      row.pred = r_.tasks.id[r_.edges.producer[edge]];
      row.succ = r_.tasks.id[r_.edges.consumer[edge]];
      row.arg = r_.edge_reasons.arg[i];
      row.source = r_.edge_reasons.source[i];
      row.flags = r_.edge_reasons.flags[i];
      row.overlap = r_.edge_reasons.overlap[i];
      row.reads = read != kNoRow;
      row.writes = write != kNoRow;
      if (row.reads) {
        row.tensor_id = tensor_ids_[r_.accesses.tensor[row.writes ? write : read]];
        row.dtype = dtype(read);
        row.consumer = place(read, geometries_);
      }
      if (row.writes) row.producer = place(write, producer_geometries_);
      item(first);
      text_.edge(row);
    }
  }

  void own_parts() {
    text(",\"pairs\":[");
    pairs();
    text("]");
    if (reduced_by_bitmap()) put(",\"window_misses\":", r_.window_misses);
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
      put("{\"pred\":\"", r_.tasks.id[r_.edges.producer[e]], "\",\"succ\":\"", r_.tasks.id[r_.edges.consumer[e]],
          "\",\"flags\":");
      names(runtime::dep_flag_names(r_.edges.flags[e]));
      text(",\"provenance\":");
      names(runtime::provenance_names(r_.edges.provenance[e]));
      text(",\"flags_final\":");
      names(runtime::dep_flag_names(r_.edges.flags_final[e]));
      if (r_.edges.via[e] == kNoRow) {
        text(",\"via\":null}");
      } else {
        put(",\"via\":\"", r_.tasks.id[r_.edges.via[e]], "\"}");
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
      put("{\"task_id\":\"", r_.tasks.id[t], "\",\"kind\":\"",
          kind == TaskKind::Kernel ? "kernel" : (kind == TaskKind::Alloc ? "alloc" : "dummy"), "\",\"callee\":");
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
      put("\"", r_.tasks.id[r_.edges.producer[r_.edge_reasons.edge[i]]], "\"");
    }
  }

  void scope_modes(std::uint32_t scope) {
    scope_path_.clear();
    // A parent is an earlier row; a file that says otherwise must not make this loop.
    for (std::uint32_t s = scope, below = kNoRow; s < below; below = s, s = r_.scopes.parent[s]) scope_path_.push_back(s);
    for (std::size_t i = scope_path_.size(); i-- > 0;) {
      put(i + 1 == scope_path_.size() ? "" : ",", "\"", r_.scopes.manual[scope_path_[i]] != 0 ? "MANUAL" : "AUTO", "\"");
    }
  }

  void submission_argument(std::uint32_t a, bool first) {
    const std::uint32_t tensor = r_.accesses.tensor[a];
    put(first ? "" : ",", "{\"kind\":\"", arg_kind_name(arg_kind(a)), "\",\"root\":");
    name_or_null(r_.tensors.name[tensor]);
    text_.place("", place(a, geometries_));
    const std::uint64_t owner = r_.tensors.owner[tensor];
    if (owner == runtime::kInvalidTask) {
      text(",\"owner\":null}");
    } else {
      put(",\"owner\":\"", owner, "\"}");
    }
  }

  const Recording& r_;
  bool own_;
  DepsFaults faults_;
  DepsText text_;
  KeptGeometries geometries_, producer_geometries_;
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

void write_deps_json(const Recording& recording, DepsSchema schema, const TextOutput& output, DepsFaults faults) {
  DepsWriter(recording, schema, output, faults).run();
}

std::string deps_json(const Recording& recording, DepsSchema schema) {
  std::string out;
  write_deps_json(recording, schema, [&out](std::string_view piece) { out += piece; });
  return out;
}

}  // namespace depscope::replay
