#include "csv_values.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/pass/decisions.h"
#include "depscope/runtime/sink.h"

namespace depscope::replay {
namespace {

using Names = std::vector<std::string_view>;

/// A value behind the last name (a newer file's) keeps its number.
template <std::size_t kCount>
void from_list(std::string& out, std::uint64_t value, const std::array<std::string_view, kCount>& names) {
  if (value < kCount) {
    out += names[value];
  } else {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
}

void joined(std::string& out, const Names& names, char separator) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) out += separator;
    out += names[i];
  }
}

template <class Enum, std::string_view (*kName)(Enum)>
void named(std::string& out, std::uint64_t value) {
  out += kName(static_cast<Enum>(value));
}

void call_kind(std::string& out, std::uint64_t v) { from_list<4>(out, v, {"call", "submit", "dummy", "alloc"}); }
void param_direction(std::string& out, std::uint64_t v) { from_list<3>(out, v, {"in", "out", "inout"}); }
void arg_direction(std::string& out, std::uint64_t v) {
  if (v != 0) out += pass::arg_direction_name(static_cast<pass::ArgDirection>(v));
}
void scope_owner(std::string& out, std::uint64_t v) { from_list<4>(out, v, {"user", "compiler", "materialised", "implicit"}); }
void scope_mode(std::string& out, std::uint64_t v) { from_list<2>(out, v, {"AUTO", "MANUAL"}); }
void task_kind(std::string& out, std::uint64_t v) { from_list<3>(out, v, {"kernel", "alloc", "dummy"}); }
void overlap(std::string& out, std::uint64_t v) { from_list<3>(out, v, {"", "other", "covered"}); }
void producer_status(std::string& out, std::uint64_t v) { from_list<3>(out, v, {"live", "completed", "gone"}); }
void touched_source(std::string& out, std::uint64_t v) { from_list<4>(out, v, {"declared", "loads", "stores", "loads+stores"}); }
void task_flags(std::string& out, std::uint64_t v) {
  Names names;
  if ((v & 1U) != 0) names.push_back("manual_scope");
  if ((v & 2U) != 0) names.push_back("early_dispatch");
  if ((v & 4U) != 0) names.push_back("sync_start");
  joined(out, names, '|');
}
void dep_flags(std::string& out, std::uint64_t v) {
  joined(out, runtime::dep_flag_names(static_cast<std::uint8_t>(v)), '|');
  if (v == 0) out += "none";
}
void provenance(std::string& out, std::uint64_t v) { joined(out, runtime::provenance_names(static_cast<std::uint8_t>(v)), '+'); }
void hazard_kinds(std::string& out, std::uint64_t v) { joined(out, pass::hazard_kind_names(static_cast<std::uint8_t>(v)), '+'); }
void access_kind(std::string& out, std::uint64_t v) { out += pass::access_kind_name(static_cast<std::uint8_t>(v)); }
void core_type(std::string& out, std::uint64_t v) { out += v == 0 ? "AIC" : "AIV"; }
void scope_phase(std::string& out, std::uint64_t v) { out += v == 0 ? "begin" : "end"; }
void severity(std::string& out, std::uint64_t v) { out += to_string(static_cast<Severity>(v)); }

struct NamedColumn {
  std::string_view table, column;
  ValueName name;
};

constexpr std::array kNamed{
    NamedColumn{"call_sites", "kind", call_kind},
    NamedColumn{"wrapper_calls", "kind", call_kind},
    NamedColumn{"arguments", "callee_direction", param_direction},
    NamedColumn{"arguments", "derived", arg_direction},
    NamedColumn{"arguments", "direction", arg_direction},
    NamedColumn{"arguments", "rule", named<pass::DirectionRule, pass::direction_rule_name>},
    NamedColumn{"arguments", "rewrite", named<pass::RewriteReason, pass::rewrite_reason_name>},
    NamedColumn{"wrapper_arguments", "callee_direction", param_direction},
    NamedColumn{"wrapper_arguments", "derived", arg_direction},
    NamedColumn{"wrapper_arguments", "direction", arg_direction},
    NamedColumn{"wrapper_arguments", "rule", named<pass::DirectionRule, pass::direction_rule_name>},
    NamedColumn{"wrapper_arguments", "rewrite", named<pass::RewriteReason, pass::rewrite_reason_name>},
    NamedColumn{"parameters", "declared", param_direction},
    NamedColumn{"parameters", "direction", param_direction},
    NamedColumn{"ir_scopes", "manual", scope_mode},
    NamedColumn{"ir_scopes", "owner", scope_owner},
    NamedColumn{"regions", "kind", named<pass::RegionKind, pass::region_kind_name>},
    NamedColumn{"regions", "outcome", named<pass::RegionOutcome, pass::region_outcome_name>},
    NamedColumn{"storage", "kind", named<pass::StorageKind, pass::storage_kind_name>},
    NamedColumn{"hazards", "kinds", hazard_kinds},
    NamedColumn{"hazards", "verdict", named<pass::HazardVerdict, pass::hazard_verdict_name>},
    NamedColumn{"pass_accesses", "direction", arg_direction},
    NamedColumn{"pass_accesses", "kind", access_kind},
    NamedColumn{"pass_accesses", "outcome", named<pass::AccessOutcome, pass::access_outcome_name>},
    NamedColumn{"pass_edges", "origin", named<pass::EdgeOrigin, pass::edge_origin_name>},
    NamedColumn{"pass_edges", "status", named<pass::EdgeStatus, pass::edge_status_name>},
    NamedColumn{"rewrites_undone", "from", arg_direction},
    NamedColumn{"rewrites_undone", "to", arg_direction},
    NamedColumn{"scope_decisions", "manual", scope_mode},
    NamedColumn{"scope_decisions", "change", named<pass::ScopeChange, pass::scope_change_name>},
    NamedColumn{"tasks", "kind", task_kind},
    NamedColumn{"tasks", "flags", task_flags},
    NamedColumn{"accesses", "kind", named<runtime::ArgKind, runtime::arg_kind_name>},
    NamedColumn{"touched", "mode", access_kind},
    NamedColumn{"touched", "source", touched_source},
    NamedColumn{"tensors", "dtype", named<runtime::ElementType, runtime::element_type_name>},
    NamedColumn{"edges", "flags", dep_flags},
    NamedColumn{"edges", "flags_final", dep_flags},
    NamedColumn{"edges", "provenance", provenance},
    NamedColumn{"edges", "at_add", producer_status},
    NamedColumn{"edges", "at_wiring", producer_status},
    NamedColumn{"edge_reasons", "source", provenance},
    NamedColumn{"edge_reasons", "flags", dep_flags},
    NamedColumn{"edge_reasons", "overlap", overlap},
    NamedColumn{"scopes", "manual", scope_mode},
    NamedColumn{"scopes", "owner", scope_owner},
    NamedColumn{"events", "kind", named<runtime::EventKind, runtime::event_kind_name>},
    NamedColumn{"measured_dispatches", "core_type", core_type},
    NamedColumn{"scope_samples", "end", scope_phase},
    NamedColumn{"findings", "severity", severity},
};

std::uint64_t wide(std::span<const std::uint32_t> words, std::size_t at) {
  return words[at] | std::uint64_t{words[at + 1]} << 32U;
}

}  // namespace

ValueName value_name(std::string_view table, std::string_view column) {
  for (const NamedColumn& named : kNamed) {
    if (named.table == table && named.column == column) return named.name;
  }
  return nullptr;
}

PoolRun pool_run(std::string_view table, std::string_view column) {
  if (column == "message_begin") return PoolRun::Messages;
  if (column == "box_begin") return PoolRun::Box;
  if (column == "geometry_begin") return PoolRun::Geometry;
  if (column == "scope_begin" || column == "pass_line_begin" || table == "tasks") return PoolRun::Words;
  return PoolRun::Strings;
}

void append_pool_run(std::string& out, const recording::Recording& r, PoolRun kind, std::span<const std::uint32_t> words) {
  bool first = true;
  const auto put = [&](auto value) {
    if (!first) out += kind == PoolRun::Messages ? '\n' : ' ';
    first = false;
    fmt::format_to(std::back_inserter(out), "{}", value);
  };
  switch (kind) {
    case PoolRun::Strings:
    case PoolRun::Messages:
      for (const std::uint32_t word : words) put(r.text(word));
      break;
    case PoolRun::Words:
      for (const std::uint32_t word : words) put(word);
      break;
    case PoolRun::Box:
      for (std::size_t i = 0; i + 1 < words.size(); i += 2) put(static_cast<std::int64_t>(wide(words, i)));
      break;
    case PoolRun::Geometry: {
      const std::size_t rank = words.size() / 3;
      for (std::size_t i = 0; i < rank; ++i) put(words[i]);
      for (std::size_t i = 0; i < rank; ++i) put(wide(words, rank + 2 * i));
      break;
    }
  }
}

bool stands_for_none(std::string_view column, std::uint64_t value) {
  if (column == "offending_arg") return value == recording::kNoRow;
  if (column == "owner") return value == runtime::kInvalidTask;
  return false;
}

}  // namespace depscope::replay
