#include "depscope/replay/facts_json.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/nodes.h"
#include "depscope/pass/decisions.h"
#include "depscope/recording/runs.h"
#include "finding_json.h"
#include "json_writer.h"
#include "row_groups.h"
#include "storage_box.h"

namespace depscope::replay {
namespace {

using nlohmann::ordered_json;
using recording::kNoRow;
using recording::Recording;

constexpr std::string_view kOrchestration = "Orchestration";
constexpr std::array<std::string_view, 3> kOwners = {"user", "compiler", "materialised"};
constexpr std::array<std::string_view, 4> kCallKinds = {"call", "submit", "dummy", "alloc"};
constexpr std::array<std::string_view, 3> kParamDirections = {"in", "out", "inout"};
constexpr std::uint8_t kAllocation = 3;  // call_sites.kind
constexpr std::uint8_t kBarrier = 2;
constexpr std::uint64_t kMaxFactsLines = 50'000'000;  // hazards and edges, some 15 GB

/// Rows that belong to each function.
struct FunctionRows {
  explicit FunctionRows(const Recording& r) {
    const std::uint32_t n = r.functions.rows();
    const auto through_site = [&](const std::vector<std::uint32_t>& column) {
      return RowGroups(n, static_cast<std::uint32_t>(column.size()),
                       [&](std::uint32_t row) { return column[row] == kNoRow ? kNoRow : r.call_sites.function[column[row]]; });
    };
    sites = groups_of(r.call_sites.function, n);
    scopes = groups_of(r.ir_scopes.function, n);
    regions = groups_of(r.regions.function, n);
    hazards = through_site(r.hazards.current);
    edges = through_site(r.pass_edges.consumer);
    accesses = through_site(r.pass_accesses.call_site);
    fences = groups_of(r.fences.function, n);
    carries = groups_of(r.carries.function, n);
    decisions = groups_of(r.scope_decisions.function, n);
    parameters = groups_of(r.parameters.function, n);
    wrapper_calls = groups_of(r.wrapper_calls.function, n);
  }

  RowGroups sites, scopes, regions, hazards, edges, accesses, fences, carries, decisions, parameters, wrapper_calls;
};

class Facts {
 public:
  Facts(const Recording& recording, const FactsSelection& selection, const TextOutput& output)
      : r_(recording), selection_(selection), out_(output), rows_(recording) {
    wrapper_arguments_ = groups_of(r_.wrapper_arguments.call, r_.wrapper_calls.rows());
    lineage_ = groups_of(r_.lineage.region, r_.regions.rows());
    undone_ = groups_of(r_.rewrites_undone.region, r_.regions.rows());
    undone_to_.assign(r_.arguments.rows(), 0);
    for (std::uint32_t i = 0; i < r_.rewrites_undone.rows(); ++i)
      undone_to_[r_.rewrites_undone.argument[i]] = r_.rewrites_undone.to[i];
    decision_of_scope_.assign(r_.ir_scopes.rows(), kNoRow);
    for (std::uint32_t i = 0; i < r_.scope_decisions.rows(); ++i) {
      if (r_.scope_decisions.scope[i] != kNoRow) decision_of_scope_[r_.scope_decisions.scope[i]] = i;
    }
    refuse_too_many();
    // Position of each row's first edge in the list of its function: a consumer's function has its edges in one run.
    edge_index_.assign(r_.pass_edges.rows(), 0);
    first_count_.assign(r_.pass_edges.rows(), 0);
    std::uint32_t counts = 0;
    for (std::uint32_t f = 0; f < r_.functions.rows(); ++f) {
      std::uint32_t index = 0;
      for (const std::uint32_t edge : rows_.edges.of(f)) {
        if (!selected(r_.pass_edges.consumer[edge])) continue;
        edge_index_[edge] = index;
        first_count_[edge] = counts;
        index += static_cast<std::uint32_t>(recording::edge_count(r_, edge));
        counts += static_cast<std::uint32_t>(recording::edge_count(r_, edge));
      }
    }
    hazards_of_edge_.assign(counts, 0);
    for (std::uint32_t row = 0; row < r_.hazards.rows(); ++row) {
      const std::uint32_t edge = r_.hazards.edge_row[row];
      if (edge == kNoRow || !selected(r_.pass_edges.consumer[edge])) continue;
      for (std::uint32_t k = 0; k < recording::hazard_count(r_, row); ++k)
        ++hazards_of_edge_[first_count_[edge] + part_of_edge(row, k)];
    }
    storage_.resize(r_.storage.rows());
  }

  void run() {
    out_.begin_object().break_lines();
    out_.field("schema", "depscope.facts/1");
    out_.key("findings").begin_list().break_lines();
    for (std::uint32_t i = 0; i < r_.findings.rows(); ++i) out_.json(finding_json(r_, i));
    out_.end_list();
    out_.key("functions").begin_object().break_lines();
    for (std::uint32_t f = 0; f < r_.functions.rows(); ++f) {
      if (r_.text(r_.functions.kind[f]) != kOrchestration) continue;
      if (selection_.function == kNoRow || selection_.function == f) function(f);
    }
    out_.end_object();
    out_.key("wrappers").begin_object().break_lines();
    for (std::uint32_t f = 0; f < r_.functions.rows(); ++f) {
      const std::string_view kind = r_.text(r_.functions.kind[f]);
      if (kind == "Group" || kind == "Spmd") wrapper(f, kind);
    }
    out_.end_object();
    out_.end_object().finish();
  }

 private:
  /// Runs are written out: a small recording may hold more hazards than any reader takes.
  void refuse_too_many() const {
    std::uint64_t lines = 0;
    const auto counts = [&](std::uint32_t site) {
      return site != kNoRow && selected(site) &&
             (selection_.function == kNoRow || selection_.function == r_.call_sites.function[site]);
    };
    for (std::uint32_t i = 0; i < r_.hazards.rows(); ++i)
      lines += counts(r_.hazards.current[i]) ? recording::hazard_count(r_, i) : 0;
    for (std::uint32_t i = 0; i < r_.pass_edges.rows(); ++i)
      lines += counts(r_.pass_edges.consumer[i]) ? recording::edge_count(r_, i) : 0;
    if (lines <= kMaxFactsLines) return;
    Diagnostic d;
    d.severity = Severity::Error;
    d.message = fmt::format("the facts would have {} hazards and edges, the limit is {}; --function and --call narrow them",
                            lines, kMaxFactsLines);
    throw InputError(std::move(d));
  }

  [[nodiscard]] std::string_view text(std::uint32_t string) const { return r_.text(string); }
  [[nodiscard]] bool selected(std::uint32_t site) const { return selection_.call_site == kNoRow || selection_.call_site == site; }

  /// A key that may be any text.
  void name(std::string_view text) {
    std::string quoted = ordered_json(std::string(text)).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    out_.key(std::string_view(quoted).substr(1, quoted.size() - 2));
  }

  void strings(std::string_view key, std::uint32_t begin, std::uint32_t count) {
    out_.key(key).begin_list();
    for (std::uint32_t k = 0; k < count; ++k) out_.value(text(r_.pool[begin + k]));
    out_.end_list();
  }

  /// The position within its function, null for "none".
  void position(std::string_view key, const std::vector<std::uint32_t>& index, std::uint32_t row) {
    if (row == kNoRow) {
      out_.null_field(key);
    } else {
      out_.field(key, index[row]);
    }
  }

  void text_or_null(std::string_view key, std::string_view value) {
    if (value.empty()) {
      out_.null_field(key);
    } else {
      out_.field(key, value);
    }
  }

  void function(std::uint32_t f) {
    name(text(r_.functions.name[f]));
    out_.begin_object().break_lines();
    out_.field("kind", text(r_.functions.kind[f]));
    out_.field("auto_scope", r_.functions.auto_scope[f] != 0);
    out_.field("compiler_manual_candidate", r_.functions.compiler_manual_candidate[f] != 0);
    out_.key("calls").begin_list().break_lines();
    for (const std::uint32_t site : rows_.sites.of(f)) {
      if (r_.call_sites.kind[site] != kAllocation && selected(site)) call_site(site);  // allocations are builtin ops, left out
    }
    out_.end_list();
    list("scopes", rows_.scopes.of(f), [this](std::uint32_t row) { scope(row); });
    list("regions", rows_.regions.of(f), [this](std::uint32_t row) { region(row); });
    list("hazards", rows_.hazards.of(f), [this](std::uint32_t row) {
      if (!selected(r_.hazards.current[row])) return;
      for (std::uint32_t k = 0; k < recording::hazard_count(r_, row); ++k) hazard(row, k);
    });
    list("edges", rows_.edges.of(f), [this](std::uint32_t row) {
      if (!selected(r_.pass_edges.consumer[row])) return;
      for (std::uint32_t k = 0; k < recording::edge_count(r_, row); ++k) edge(row, k);
    });
    list("accesses", rows_.accesses.of(f), [this](std::uint32_t row) {
      if (selected(r_.pass_accesses.call_site[row])) access(row);
    });
    list("fences", rows_.fences.of(f), [this](std::uint32_t row) { fence(row); });
    list("carries", rows_.carries.of(f), [this](std::uint32_t row) { carry(row); });
    list("scope_decisions", rows_.decisions.of(f), [this](std::uint32_t row) { scope_decision(row); });
    out_.end_object();
  }

  template <class Row>
  void list(std::string_view key, std::span<const std::uint32_t> rows, Row&& write) {
    out_.key(key).begin_list().break_lines();
    for (const std::uint32_t row : rows) write(row);
    out_.end_list();
  }

  void wrapper(std::uint32_t f, std::string_view kind) {
    name(text(r_.functions.name[f]));
    out_.begin_object().break_lines();
    out_.field("kind", kind);
    out_.key("param_directions").begin_list();
    for (const std::uint32_t parameter : rows_.parameters.of(f)) out_.value(kParamDirections[r_.parameters.direction[parameter]]);
    out_.end_list();
    out_.key("calls").begin_list().break_lines();
    for (const std::uint32_t row : rows_.wrapper_calls.of(f)) {
      const std::span<const std::uint32_t> arguments = wrapper_arguments_.of(row);
      call_begin(r_.wrapper_calls, row, r_.wrapper_arguments, arguments.empty() ? 0 : arguments.front(),
                 static_cast<std::uint32_t>(arguments.size()));
      for (std::uint32_t k = 0; k < r_.wrapper_calls.scope_begin_count[row]; ++k)
        out_.value(r_.pool[r_.wrapper_calls.scope_begin[row] + k]);
      out_.end_list();
      argument_records(r_.wrapper_arguments, arguments.empty() ? 0 : arguments.front(),
                       static_cast<std::uint32_t>(arguments.size()), nullptr);
      out_.end_object();
    }
    out_.end_list();
    out_.end_object();
  }

  void call_site(std::uint32_t site) {
    const auto& s = r_.call_sites;
    call_begin(s, site, r_.arguments, s.argument_begin[site], s.argument_count[site]);
    for (std::uint32_t k = 0; k < s.scope_begin_count[site]; ++k)
      out_.value(r_.ir_scopes.index[r_.pool[s.scope_begin[site] + k]]);
    out_.end_list();
    argument_records(r_.arguments, s.argument_begin[site], s.argument_count[site], &undone_to_);
    out_.end_object();
  }

  /// Everything up to the open list of scope_path.
  template <class Calls, class Arguments>
  void call_begin(const Calls& calls, std::uint32_t row, const Arguments& arguments, std::uint32_t first, std::uint32_t count) {
    out_.begin_object();
    out_.field("index", calls.index[row]);
    out_.field("kind", kCallKinds[calls.kind[row]]);
    out_.field("callee", text(calls.callee[row]));
    strings("results", calls.result_begin[row], calls.result_begin_count[row]);
    out_.field("line", calls.line[row]);
    out_.key("args").begin_list();
    for (std::uint32_t k = 0; k < count; ++k) out_.value(text(arguments.name[first + k]));
    out_.end_list();
    for (const auto& [key, column] :
         {std::pair{"directions_derived", &arguments.derived}, {"directions", &arguments.direction}}) {
      out_.key(key).begin_list();
      for (std::uint32_t k = 0; k < count; ++k) {
        // Directions are all there or not at all: before DeriveCallDirections the list is empty.
        const auto direction = static_cast<pass::ArgDirection>((*column)[first + k]);
        if (direction != pass::ArgDirection::None) out_.value(pass::arg_direction_name(direction));
      }
      out_.end_list();
    }
    strings("user_deps", calls.user_dep_begin[row], calls.user_dep_begin_count[row]);
    out_.key("compiler_deps").begin_list();
    if constexpr (std::is_same_v<Calls, recording::CallSitesTable>) {
      recording::for_first_compiler_deps(r_, row, recording::kNoRow, [&](std::uint32_t id) { out_.value(text(id)); });
    } else {
      for (std::uint32_t k = 0; k < calls.compiler_dep_begin_count[row]; ++k)
        out_.value(text(r_.pool[calls.compiler_dep_begin[row] + k]));
    }
    out_.end_list();
    out_.field("dummy", calls.kind[row] == kBarrier);
    out_.field("loop_depth", calls.loop_depth[row]);
    out_.key("scope_path").begin_list();
  }

  template <class Arguments>
  void argument_records(const Arguments& arguments, std::uint32_t first, std::uint32_t count,
                        const std::vector<std::uint8_t>* undone) {
    out_.key("argument_records").begin_list();
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::uint32_t a = first + k;
      const auto derived = static_cast<pass::ArgDirection>(arguments.derived[a]);
      const auto direction = static_cast<pass::ArgDirection>(arguments.direction[a]);
      out_.begin_object().field("index", k).field("name", text(arguments.name[a]));
      out_.field("callee_direction", kParamDirections[arguments.callee_direction[a]]);
      text_or_null("rule", derived == pass::ArgDirection::None
                               ? std::string_view()
                               : pass::direction_rule_name(static_cast<pass::DirectionRule>(arguments.rule[a])));
      text_or_null("derived", pass::arg_direction_name(derived));
      text_or_null("final", pass::arg_direction_name(direction));
      out_.field("rewrite", pass::rewrite_reason_name(static_cast<pass::RewriteReason>(arguments.rewrite[a])));
      if (undone != nullptr && (*undone)[a] != 0)
        out_.field("undone", pass::arg_direction_name(static_cast<pass::ArgDirection>((*undone)[a])));
      out_.end_object();
    }
    out_.end_list();
  }

  void scope(std::uint32_t s) {
    out_.begin_object().field("index", r_.ir_scopes.index[s]).field("mode", r_.ir_scopes.manual[s] != 0 ? "MANUAL" : "AUTO");
    out_.field("owner", kOwners[r_.ir_scopes.owner[s]]);
    position("parent", r_.ir_scopes.index, r_.ir_scopes.parent[s]);
    out_.field("line", r_.ir_scopes.line[s]);
    const std::uint32_t decision = decision_of_scope_[s];
    if (decision == kNoRow) {
      out_.null_field("change").null_field("decision");
    } else {
      out_.field("change", change(decision)).field("decision", text(r_.scope_decisions.decision[decision]));
    }
    out_.end_object();
  }

  [[nodiscard]] std::string_view change(std::uint32_t decision) const {
    return pass::scope_change_name(static_cast<pass::ScopeChange>(r_.scope_decisions.change[decision]));
  }

  void scope_decision(std::uint32_t row) {
    const auto& d = r_.scope_decisions;
    out_.begin_object();
    position("scope", r_.ir_scopes.index, d.scope[row]);
    out_.field("line", d.line[row]).field("mode", d.manual[row] != 0 ? "MANUAL" : "AUTO").field("change", change(row));
    out_.field("decision", text(d.decision[row])).end_object();
  }

  void region(std::uint32_t region) {
    const auto& g = r_.regions;
    out_.begin_object().field("index", g.index[region]);
    out_.field("kind", pass::region_kind_name(static_cast<pass::RegionKind>(g.kind[region])));
    out_.field("outcome", pass::region_outcome_name(static_cast<pass::RegionOutcome>(g.outcome[region])));
    text_or_null("reason", text(g.reason[region]));
    position("offending_call", r_.call_sites.index, g.offending_site[region]);
    if (g.offending_arg[region] == kNoRow) {
      out_.null_field("offending_arg");
    } else {
      out_.field("offending_arg", g.offending_arg[region]);
    }
    position("parent", g.index, g.parent[region]);
    out_.field("line", g.line[region]).field("stripped_edges", g.stripped_edges[region]);
    out_.field("kept_edges", g.kept_edges[region]);
    const std::uint32_t hazard = g.offending_hazard[region];
    position("prior_call", r_.call_sites.index, hazard == kNoRow ? kNoRow : r_.hazards.prior[hazard]);
    out_.key("lineage").begin_list();
    for (const std::uint32_t step : lineage_.of(region))
      out_.begin_object().field("line", r_.lineage.line[step]).field("what", text(r_.lineage.what[step])).end_object();
    out_.end_list();
    out_.key("rewrites_undone").begin_list();
    for (const std::uint32_t undone : undone_.of(region)) {
      const auto& u = r_.rewrites_undone;
      const std::uint32_t site = r_.arguments.call_site[u.argument[undone]];
      out_.begin_object().field("call", r_.call_sites.index[site]);
      out_.field("arg", u.argument[undone] - r_.call_sites.argument_begin[site]);
      out_.field("from", pass::arg_direction_name(static_cast<pass::ArgDirection>(u.from[undone])));
      out_.field("to", pass::arg_direction_name(static_cast<pass::ArgDirection>(u.to[undone]))).end_object();
    }
    out_.end_list().end_object();
  }

  /// An argument position and its name, null where the call site is gone.
  void argument(std::string_view key, std::string_view name_key, std::uint32_t site, std::uint32_t arg) {
    out_.field(key, arg);
    if (site == kNoRow || arg >= r_.call_sites.argument_count[site]) {
      out_.null_field(name_key);
    } else {
      out_.field(name_key, text(r_.arguments.name[r_.call_sites.argument_begin[site] + arg]));
    }
  }

  static std::uint64_t key(std::uint32_t id, std::uint32_t producer) { return (std::uint64_t{id} << 32U) | producer; }
  /// Which of the edges of its row orders the `k`th hazard of a row.
  [[nodiscard]] std::uint32_t part_of_edge(std::uint32_t row, std::uint32_t k) {
    const auto& h = r_.hazards;
    const auto& e = r_.pass_edges;
    const std::uint32_t edge = h.edge_row[row];
    if (e.more_count[edge] == 0) return 0;
    // The edge on the same id: several producers may share one.
    if (edge != parts_of_) {
      parts_of_ = edge;
      parts_.clear();
      for (std::uint32_t i = 0; i <= e.more_count[edge]; ++i) {
        const recording::EdgePart part = recording::edge_part(r_, edge, i);
        parts_.try_emplace(key(part.id, part.producer), i);
        parts_.try_emplace(key(part.id, kNoRow), i);
      }
    }
    // Unnamed results of different calls may have one name.
    const recording::HazardPart part = recording::hazard_part(r_, row, k);
    auto found = parts_.find(key(part.edge, part.prior));
    if (found == parts_.end()) found = parts_.find(key(part.edge, kNoRow));
    return found == parts_.end() ? 0 : found->second;
  }

  /// The `k`th of the hazards of a row.
  void hazard(std::uint32_t row, std::uint32_t k) {
    const auto& h = r_.hazards;
    const recording::HazardPart part = recording::hazard_part(r_, row, k);
    out_.begin_object();
    position("prior", r_.call_sites.index, part.prior);
    position("current", r_.call_sites.index, h.current[row]);
    out_.key("kind").begin_list();
    for (const std::string_view kind : pass::hazard_kind_names(h.kinds[row])) out_.value(kind);
    out_.end_list();
    const std::uint32_t storage = h.current_storage[row];
    text_or_null("root", storage == kNoRow ? std::string_view() : text(r_.storage.root[storage]));
    out_.field("verdict", pass::hazard_verdict_name(static_cast<pass::HazardVerdict>(h.verdict[row])));
    argument("prior_arg", "prior_arg_name", part.prior, part.prior_arg);
    argument("current_arg", "current_arg_name", h.current[row], h.current_arg[row]);
    position("region", r_.regions.index, h.region[row]);
    storage_field("prior_storage", part.prior_storage);
    storage_field("current_storage", h.current_storage[row]);
    out_.field("by_memref", h.by_memref[row] != 0);
    text_or_null("edge", text(part.edge));
    out_.field("synthetic", h.synthetic[row] != 0);
    if (h.edge_row[row] == kNoRow) {
      out_.null_field("edge_index");
    } else {
      out_.field("edge_index", edge_index_[h.edge_row[row]] + part_of_edge(row, k));
    }
    text_or_null("reason", text(h.reason[row]));
    out_.end_object();
  }

  /// Storage rows recur in many hazards: the text of each is made once.
  void storage_field(std::string_view key, std::uint32_t row) {
    if (row == kNoRow) {
      out_.null_field(key);
      return;
    }
    std::string& known = storage_[row];
    if (known.empty()) {
      const auto& s = r_.storage;
      ordered_json box;
      if (s.kind[row] == static_cast<std::uint8_t>(pass::StorageKind::Box)) {
        box = {{"offset", ordered_json::array()}, {"shape", ordered_json::array()}};
        const std::vector<std::int64_t> numbers = box_numbers(r_, row);
        for (std::size_t k = 0; k < numbers.size(); ++k) box[k < numbers.size() / 2 ? "offset" : "shape"].push_back(numbers[k]);
      }
      const ordered_json object = {{"root", std::string(text(s.root[row]))},
                                   {"kind", std::string(pass::storage_kind_name(static_cast<pass::StorageKind>(s.kind[row])))},
                                   {"box", std::move(box)},
                                   {"line", s.step_line[row]}};
      known = object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    }
    out_.key(key).json(known);
  }

  /// The `k`th of the edges of a row.
  void edge(std::uint32_t row, std::uint32_t k) {
    const auto& e = r_.pass_edges;
    const recording::EdgePart part = recording::edge_part(r_, row, k);
    out_.begin_object();
    position("consumer", r_.call_sites.index, e.consumer[row]);
    out_.field("id", text(part.id)).field("origin", pass::edge_origin_name(static_cast<pass::EdgeOrigin>(e.origin[row])));
    out_.field("synthetic", e.synthetic[row] != 0);
    position("producer", r_.call_sites.index, part.producer);
    out_.field("status", pass::edge_status_name(static_cast<pass::EdgeStatus>(e.status[row])));
    position("stripped_by", r_.regions.index, e.stripped_by[row]);
    position("imported_from_region", r_.regions.index, e.imported_from[row]);
    out_.field("hazards", hazards_of_edge_[first_count_[row] + k]).end_object();
  }

  void access(std::uint32_t row) {
    const auto& a = r_.pass_accesses;
    out_.begin_object();
    position("call", r_.call_sites.index, a.call_site[row]);
    argument("arg", "arg_name", a.call_site[row], a.arg[row]);
    text_or_null("direction", pass::arg_direction_name(static_cast<pass::ArgDirection>(a.direction[row])));
    out_.field("kind", pass::access_kind_name(a.kind[row]));
    storage_field("storage", a.storage[row]);
    text_or_null("id", text(a.id[row]));
    out_.field("in_loop", a.in_loop[row] != 0).field("dynamic_serial", a.dynamic_serial[row]);
    position("region", r_.regions.index, a.region[row]);
    out_.field("outcome", pass::access_outcome_name(static_cast<pass::AccessOutcome>(a.outcome[row]))).end_object();
  }

  void fence(std::uint32_t row) {
    const auto& f = r_.fences;
    out_.begin_object().field("line", f.line[row]).field("array", text(f.array[row])).field("N", f.producers[row]);
    out_.field("M", f.consumers[row]).field("saving", f.saving[row]).field("accepted", f.accepted[row] != 0);
    text_or_null("reason", text(f.reason[row]));
    out_.end_object();
  }

  void carry(std::uint32_t row) {
    const auto& c = r_.carries;
    out_.begin_object().field("line", c.line[row]).field("index", c.index[row]).field("name", text(c.name[row]));
    out_.field("class", c.rebind[row] != 0 ? "rebind" : "trivial").field("array_size", c.array_size[row]).end_object();
  }

  const Recording& r_;
  FactsSelection selection_;
  JsonWriter out_;
  FunctionRows rows_;
  RowGroups wrapper_arguments_, lineage_, undone_;
  std::vector<std::uint8_t> undone_to_;                     // by argument: pass::ArgDirection, 0 if nothing was undone
  std::vector<std::uint32_t> decision_of_scope_;            // by ir_scopes row
  std::uint32_t parts_of_ = kNoRow;                         // edge row that `parts_` speaks of
  std::unordered_map<std::uint64_t, std::uint32_t> parts_;  // by id and producer: which of its edges
  std::vector<std::uint32_t> hazards_of_edge_;              // by edge, those of selected rows in the order of the rows
  std::vector<std::uint32_t> edge_index_, first_count_;     // by row: index and count of its first edge
  std::vector<std::string> storage_;                        // JSON by storage row, once needed
};

}  // namespace

void write_facts_json(const Recording& recording, const FactsSelection& selection, const TextOutput& output) {
  Facts(recording, selection, output).run();
}

std::string facts_json(const Recording& recording) {
  std::string out;
  write_facts_json(recording, {}, [&](std::string_view piece) { out.append(piece); });
  return out;
}

std::string finding_json(const Recording& recording, std::uint32_t finding) {
  const auto with = [&](std::string_view fields) {
    return finding_json(recording.text(recording.findings.kind[finding]),
                        static_cast<Severity>(recording.findings.severity[finding]),
                        recording.text(recording.findings.summary[finding]), fields);
  };
  const std::string_view fields = recording.text(recording.findings.fields[finding]);
  const auto names = [&](std::string_view key) { return fields.find(key) != std::string_view::npos; };
  if (names("\"kind\"") || names("\"severity\"") || names("\"summary\"")) {
    // Its own fields may not say these again.
    ordered_json own = ordered_json::parse(fields, nullptr, /*allow_exceptions=*/false);
    if (!own.is_object()) return with("{}");
    for (const char* key : {"kind", "severity", "summary"}) own.erase(key);
    return with(own.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  }
  const bool object = fields.size() > 2 && fields.front() == '{' && fields.back() == '}';
  return with(object ? fields : "{}");
}

}  // namespace depscope::replay
