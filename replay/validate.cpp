#include "validate.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/nodes.h"
#include "depscope/pass/decisions.h"
#include "depscope/replay/file.h"
#include "depscope/runtime/event_shape.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using recording::Target;
using runtime::EventShape;
using runtime::Operand;

/// Largest value of a column that holds an enumeration or a set of bits.
struct ValueLimit {
  std::string_view table, column;
  std::uint64_t max;
};

constexpr std::array kValueLimits{
    ValueLimit{"passes", "changed", 1},
    ValueLimit{"functions", "auto_scope", 1},
    ValueLimit{"functions", "compiler_manual_candidate", 1},
    ValueLimit{"call_sites", "kind", 3},
    ValueLimit{"arguments", "callee_direction", static_cast<std::uint64_t>(ir::ParamDirection::InOut)},
    ValueLimit{"arguments", "derived", static_cast<std::uint64_t>(pass::ArgDirection::Scalar)},
    ValueLimit{"arguments", "direction", static_cast<std::uint64_t>(pass::ArgDirection::Scalar)},
    ValueLimit{"arguments", "rule", static_cast<std::uint64_t>(pass::DirectionRule::Unresolved)},
    ValueLimit{"arguments", "rewrite", static_cast<std::uint64_t>(pass::RewriteReason::PassNotRun)},
    ValueLimit{"ir_scopes", "manual", 1},
    ValueLimit{"ir_scopes", "owner", 2},
    ValueLimit{"regions", "kind", static_cast<std::uint64_t>(pass::RegionKind::Container)},
    ValueLimit{"regions", "outcome", static_cast<std::uint64_t>(pass::RegionOutcome::NotModelled)},
    ValueLimit{"storage", "kind", static_cast<std::uint64_t>(pass::StorageKind::Unknown)},
    ValueLimit{"hazards", "kinds", pass::kRaw | pass::kWar | pass::kWaw},
    ValueLimit{"hazards", "verdict", static_cast<std::uint64_t>(pass::HazardVerdict::None)},
    ValueLimit{"hazards", "by_memref", 1},
    ValueLimit{"hazards", "synthetic", 1},
    ValueLimit{"parameters", "declared", static_cast<std::uint64_t>(ir::ParamDirection::InOut)},
    ValueLimit{"parameters", "direction", static_cast<std::uint64_t>(ir::ParamDirection::InOut)},
    ValueLimit{"wrapper_calls", "kind", 3},
    ValueLimit{"wrapper_arguments", "callee_direction", static_cast<std::uint64_t>(ir::ParamDirection::InOut)},
    ValueLimit{"wrapper_arguments", "derived", static_cast<std::uint64_t>(pass::ArgDirection::Scalar)},
    ValueLimit{"wrapper_arguments", "direction", static_cast<std::uint64_t>(pass::ArgDirection::Scalar)},
    ValueLimit{"wrapper_arguments", "rule", static_cast<std::uint64_t>(pass::DirectionRule::Unresolved)},
    ValueLimit{"wrapper_arguments", "rewrite", static_cast<std::uint64_t>(pass::RewriteReason::PassNotRun)},
    ValueLimit{"pass_accesses", "direction", static_cast<std::uint64_t>(pass::ArgDirection::Scalar)},
    ValueLimit{"pass_accesses", "kind", pass::kReads | pass::kWrites},
    ValueLimit{"pass_accesses", "in_loop", 1},
    ValueLimit{"pass_accesses", "outcome", static_cast<std::uint64_t>(pass::AccessOutcome::Exempt)},
    ValueLimit{"pass_edges", "origin", static_cast<std::uint64_t>(pass::EdgeOrigin::Fence)},
    ValueLimit{"pass_edges", "synthetic", 1},
    ValueLimit{"pass_edges", "status", static_cast<std::uint64_t>(pass::EdgeStatus::Replaced)},
    ValueLimit{"rewrites_undone", "from", static_cast<std::uint64_t>(pass::ArgDirection::Scalar)},
    ValueLimit{"rewrites_undone", "to", static_cast<std::uint64_t>(pass::ArgDirection::Scalar)},
    ValueLimit{"fences", "accepted", 1},
    ValueLimit{"scope_decisions", "manual", 1},
    ValueLimit{"scope_decisions", "change", static_cast<std::uint64_t>(pass::ScopeChange::NotInserted)},
    ValueLimit{"carries", "rebind", 1},
    ValueLimit{"tasks", "kind", static_cast<std::uint64_t>(runtime::TaskKind::Dummy)},
    ValueLimit{"tasks", "flags", 7},
    ValueLimit{"accesses", "kind", static_cast<std::uint64_t>(runtime::ArgKind::Scalar)},
    ValueLimit{"touched", "mode", 3},
    ValueLimit{"touched", "source", 3},
    ValueLimit{"site_loops", "parallel", 1},
    ValueLimit{"tensors", "dtype", static_cast<std::uint64_t>(runtime::ElementType::Unknown)},
    ValueLimit{"tensors", "manual_dep", 1},
    ValueLimit{"edges", "flags", runtime::kWaitRetain},
    ValueLimit{"edges", "flags_final", runtime::kWaitRetain},
    ValueLimit{"edges", "provenance", 63},
    ValueLimit{"edges", "at_add", static_cast<std::uint64_t>(runtime::ProducerStatus::Gone)},
    ValueLimit{"edges", "at_wiring", static_cast<std::uint64_t>(runtime::ProducerStatus::Gone)},
    ValueLimit{"edge_reasons", "source", runtime::kExplicit},
    ValueLimit{"edge_reasons", "flags", runtime::kWaitRetain},
    ValueLimit{"edge_reasons", "overlap", 2},
    ValueLimit{"edge_reasons", "replay_row", 1},
    ValueLimit{"scopes", "manual", 1},
    ValueLimit{"scopes", "owner", 3},
    ValueLimit{"scopes", "ring", runtime::kRingCount - 1},
    ValueLimit{"events", "kind", runtime::kEventKindCount - 1},
    ValueLimit{"measured_dispatches", "core_type", 1},
    ValueLimit{"scope_samples", "end", 1},
    ValueLimit{"scope_samples", "ring", runtime::kRingCount - 1},
    ValueLimit{"findings", "severity", static_cast<std::uint64_t>(Severity::Error)},
};

/// Index columns that may not be "none".
struct ColumnName {
  std::string_view table, column;
};
constexpr std::array kNeverNone{
    ColumnName{"call_sites", "function"},      ColumnName{"arguments", "call_site"},    ColumnName{"ir_scopes", "function"},
    ColumnName{"regions", "function"},         ColumnName{"accesses", "task"},          ColumnName{"accesses", "tensor"},
    ColumnName{"edges", "producer"},           ColumnName{"edges", "consumer"},         ColumnName{"edge_reasons", "edge"},
    ColumnName{"parameters", "function"},      ColumnName{"wrapper_calls", "function"}, ColumnName{"wrapper_arguments", "call"},
    ColumnName{"pass_accesses", "call_site"},  ColumnName{"pass_edges", "consumer"},    ColumnName{"rewrites_undone", "region"},
    ColumnName{"rewrites_undone", "argument"}, ColumnName{"lineage", "region"},         ColumnName{"fences", "function"},
    ColumnName{"scope_decisions", "function"}, ColumnName{"carries", "function"},       ColumnName{"touched", "access"},
    ColumnName{"site_loops", "call_site"},
};

/// Columns whose index must be smaller than its own row, so that following them ends.
constexpr std::array kParents{ColumnName{"ir_scopes", "parent"}, ColumnName{"regions", "parent"}, ColumnName{"scopes", "parent"}};

/// Columns that never go down: rows are grouped.
constexpr std::array kGrouped{ColumnName{"call_sites", "function"},    ColumnName{"accesses", "task"},
                              ColumnName{"edges", "consumer"},         ColumnName{"events", "time"},
                              ColumnName{"parameters", "function"},    ColumnName{"wrapper_calls", "function"},
                              ColumnName{"wrapper_arguments", "call"}, ColumnName{"pass_edges", "consumer"},
                              ColumnName{"lineage", "region"},         ColumnName{"touched", "access"},
                              ColumnName{"site_loops", "call_site"}};

/// What the entries of a pool run are, and how many come together.
struct PoolRun {
  std::string_view table, column;
  Target entries;
  std::uint32_t multiple;
};
constexpr std::array kPoolRuns{
    PoolRun{"passes", "message_begin", Target::String, 1},
    PoolRun{"call_sites", "scope_begin", Target::ScopeRow, 1},
    PoolRun{"call_sites", "result_begin", Target::String, 1},
    PoolRun{"call_sites", "user_dep_begin", Target::String, 1},
    PoolRun{"call_sites", "compiler_dep_begin", Target::String, 1},
    PoolRun{"call_sites", "pass_line_begin", Target::None, 1},
    PoolRun{"storage", "box_begin", Target::None, 4},
    PoolRun{"wrapper_calls", "scope_begin", Target::None, 1},
    PoolRun{"wrapper_calls", "result_begin", Target::String, 1},
    PoolRun{"wrapper_calls", "user_dep_begin", Target::String, 1},
    PoolRun{"wrapper_calls", "compiler_dep_begin", Target::String, 1},
    PoolRun{"accesses", "geometry_begin", Target::None, 3},
    PoolRun{"touched", "geometry_begin", Target::None, 3},
    PoolRun{"tasks", "iteration_begin", Target::None, 1},
};

template <class List>
bool contains(const List& list, std::string_view table, std::string_view column) {
  for (const auto& entry : list) {
    if (entry.table == table && entry.column == column) return true;
  }
  return false;
}

class Validator {
 public:
  Validator(const Recording& recording, const std::string& file) : r_(recording), file_(file) {}

  void run() {
    Recording::tables(r_, [&](std::string_view name, const auto& table) { table_columns(name, table); });
    runs();
    events();
    findings();
  }

 private:
  [[noreturn]] void fail(std::string_view table, std::string_view column, std::uint64_t row, const std::string& what) const {
    throw FileError(FileFault::Corrupt, fmt::format("{}: table {}, column {}, row {}: {}", file_, table, column, row, what));
  }

  [[nodiscard]] std::uint32_t rows_of(Target target) const {
    switch (target) {
      case Target::String: return r_.strings.rows();
      case Target::Pass: return r_.passes.rows();
      case Target::Function: return r_.functions.rows();
      case Target::CallSite: return r_.call_sites.rows();
      case Target::Argument: return r_.arguments.rows();
      case Target::Region: return r_.regions.rows();
      case Target::Storage: return r_.storage.rows();
      case Target::Hazard: return r_.hazards.rows();
      case Target::PassEdge: return r_.pass_edges.rows();
      case Target::PassAccess: return r_.pass_accesses.rows();
      case Target::WrapperCall: return r_.wrapper_calls.rows();
      case Target::Task: return r_.tasks.rows();
      case Target::Access: return r_.accesses.rows();
      case Target::Edge: return r_.edges.rows();
      case Target::ScopeRow: return r_.ir_scopes.rows();
      case Target::RuntimeScope: return r_.scopes.rows();
      case Target::Tensor: return r_.tensors.rows();
      case Target::Event: return r_.events.rows();
      case Target::None:
      case Target::Pool: break;
    }
    return 0;
  }

  template <class Table>
  void table_columns(std::string_view name, const Table& table) {
    const std::uint32_t rows = table.rows();
    Table::columns(table, [&](std::string_view column, const auto& values, Target target) {
      if (values.size() != rows) fail(name, column, values.size(), fmt::format("has {} rows, the table {}", values.size(), rows));
      using T = typename std::decay_t<decltype(values)>::value_type;
      if constexpr (std::is_same_v<T, std::uint32_t>) {
        index_column(name, column, values, target);
      }
      for (const ValueLimit& limit : kValueLimits) {
        if (limit.table != name || limit.column != column) continue;
        for (std::uint32_t i = 0; i < rows; ++i) {
          if (static_cast<std::uint64_t>(values[i]) > limit.max) {
            fail(name, column, i, fmt::format("value {} is not known here, the last one is {}", values[i], limit.max));
          }
        }
      }
    });
  }

  void index_column(std::string_view name, std::string_view column, const std::vector<std::uint32_t>& values, Target target) {
    if (contains(kGrouped, name, column)) {
      for (std::uint32_t i = 1; i < values.size(); ++i) {
        if (values[i] < values[i - 1])
          fail(name, column, i, fmt::format("value {} comes after {}: rows are not in order", values[i], values[i - 1]));
      }
    }
    // Runs and events are checked by meaning below.
    if (target == Target::None || target == Target::Pool || target == Target::Event || column == "argument_begin") return;
    const std::uint32_t limit = rows_of(target);
    const bool none_allowed = target != Target::String && !contains(kNeverNone, name, column);
    const bool parent = contains(kParents, name, column);
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      if (values[i] == kNoRow && none_allowed) continue;
      if (values[i] >= limit)
        fail(name, column, i, fmt::format("index {} is beyond the {} rows it points into", values[i], limit));
      if (parent && values[i] >= i) fail(name, column, i, fmt::format("parent {} does not come before its child", values[i]));
    }
  }

  template <class Table>
  void pool_runs(std::string_view name, const Table& table) {
    // The column NAME_count follows NAME in the list; collect both, then look at each run.
    const std::vector<std::uint32_t>* begins = nullptr;
    std::string_view begins_name;
    Table::columns(table, [&](std::string_view column, const auto& values, Target target) {
      using T = typename std::decay_t<decltype(values)>::value_type;
      if constexpr (std::is_same_v<T, std::uint32_t>) {
        if (target == Target::Pool) {
          begins = &values;
          begins_name = column;
        } else if (begins != nullptr) {
          for (const PoolRun& run : kPoolRuns) {
            if (run.table == name && run.column == begins_name) pool_run(run, *begins, values);
          }
          begins = nullptr;
        }
      }
    });
  }

  void pool_run(const PoolRun& run, const std::vector<std::uint32_t>& begins, const std::vector<std::uint32_t>& counts) {
    const std::uint32_t limit = rows_of(run.entries);
    for (std::uint32_t i = 0; i < begins.size(); ++i) {
      if (counts[i] == 0) continue;
      if (begins[i] > r_.pool.size() || counts[i] > r_.pool.size() - begins[i]) {
        fail(run.table, run.column, i,
             fmt::format("run [{}, +{}) is beyond the pool of {} words", begins[i], counts[i], r_.pool.size()));
      }
      if (counts[i] % run.multiple != 0) {
        fail(run.table, run.column, i, fmt::format("a run of {} words, not a multiple of {}", counts[i], run.multiple));
      }
      if (run.entries == Target::None) continue;
      for (std::uint32_t k = 0; k < counts[i]; ++k) {
        const std::uint32_t value = r_.pool[begins[i] + k];
        if (value >= limit)
          fail(run.table, run.column, i, fmt::format("entry {} of the run is {}, beyond {} rows", k, value, limit));
      }
    }
  }

  template <class Table>
  void more(std::string_view name, const Table& table) const {
    const std::uint32_t listed = r_.listed_accesses.rows();
    for (std::uint32_t i = 0; i < table.rows(); ++i) {
      if (table.more_count[i] == 0) continue;
      if (table.more_begin[i] > listed || table.more_count[i] > listed - table.more_begin[i]) {
        fail(name, "more_begin", i,
             fmt::format("run [{}, +{}) is beyond {} listed accesses", table.more_begin[i], table.more_count[i], listed));
      }
    }
  }

  void runs() {
    Recording::tables(r_, [&](std::string_view name, const auto& table) { pool_runs(name, table); });
    const auto& sites = r_.call_sites;
    for (std::uint32_t i = 0; i < sites.rows(); ++i) {
      if (sites.argument_count[i] > 0 && (sites.argument_begin[i] > r_.arguments.rows() ||
                                          sites.argument_count[i] > r_.arguments.rows() - sites.argument_begin[i])) {
        fail("call_sites", "argument_begin", i,
             fmt::format("run [{}, +{}) is beyond {} arguments", sites.argument_begin[i], sites.argument_count[i],
                         r_.arguments.rows()));
      }
      if (sites.pass_line_begin_count[i] != 0 && sites.pass_line_begin_count[i] != r_.passes.rows()) {
        fail("call_sites", "pass_line_begin_count", i,
             fmt::format("{} lines for {} passes", sites.pass_line_begin_count[i], r_.passes.rows()));
      }
    }
    more("hazards", r_.hazards);
    more("pass_edges", r_.pass_edges);
    for (std::uint32_t i = 0; i < r_.accesses.rows(); ++i) {
      if (r_.accesses.geometry_begin_count[i] > 3 * runtime::kMaxRank) {
        fail("accesses", "geometry_begin_count", i, fmt::format("rank above the limit of {}", runtime::kMaxRank));
      }
    }
    for (std::uint32_t i = 0; i < r_.touched.rows(); ++i) {
      if (r_.touched.geometry_begin_count[i] > 3 * runtime::kMaxRank) {
        fail("touched", "geometry_begin_count", i, fmt::format("rank above the limit of {}", runtime::kMaxRank));
      }
    }
    for (std::uint32_t i = 0; i < r_.edge_reasons.rows(); ++i) {
      const std::uint8_t source = r_.edge_reasons.source[i];
      if ((source & (source - 1)) != 0) fail("edge_reasons", "source", i, fmt::format("{} is not one provenance bit", source));
    }
  }

  [[nodiscard]] std::uint32_t operand_limit(Operand operand) const {
    switch (operand) {
      case Operand::Task: return r_.tasks.rows();
      case Operand::Edge: return r_.edges.rows();
      case Operand::Access: return r_.accesses.rows();
      case Operand::Scope: return r_.scopes.rows();
      case Operand::Ring: return runtime::kRingCount;
      case Operand::Core: return runtime::kMaxCores;
      case Operand::Slot: return static_cast<std::uint32_t>(runtime::kMaxTaskWindow);
      case Operand::Queue: return runtime::kQueueCount;
      case Operand::Thread: return runtime::kMaxThreads;
      case Operand::ConfigItem: return runtime::kConfigItemCount;
      case Operand::Any: break;
    }
    return kNoRow;
  }

  void operand(std::string_view column, std::uint32_t row, Operand operand, bool none_allowed, std::uint32_t value) const {
    if (operand == Operand::Any || (none_allowed && value == kNoRow)) return;
    const std::uint32_t limit = operand_limit(operand);
    if (value >= limit) {
      fail("events", column, row,
           fmt::format("{} of event \"{}\" is {}, the limit is {}", column, event_name(row), value, limit));
    }
  }

  [[nodiscard]] std::string_view event_name(std::uint32_t row) const {
    return runtime::event_kind_name(static_cast<runtime::EventKind>(r_.events.kind[row]));
  }

  void events() const {
    const auto& events = r_.events;
    for (std::uint32_t i = 0; i < events.rows(); ++i) {
      const auto kind = static_cast<runtime::EventKind>(events.kind[i]);
      const EventShape shape = event_shape(kind);
      operand("subject", i, shape.subject, shape.subject_none, events.subject[i]);
      operand("object", i, shape.object, shape.object_none, events.object[i]);
      if (kind == runtime::EventKind::Config) config(i);
      if (events.extra[i] > extra_limit(shape.extra)) {
        fail("events", "extra", i,
             fmt::format("extra of event \"{}\" is {}, the last one known is {}", event_name(i), events.extra[i],
                         extra_limit(shape.extra)));
      }
      for (const auto& [column, value] :
           {std::pair{"old_value", events.old_value[i]}, std::pair{"new_value", events.new_value[i]}}) {
        if (value < shape.values.min || value > shape.values.max) {
          fail("events", column, i,
               fmt::format("{} of event \"{}\" is not in {}..{}", value, event_name(i), shape.values.min, shape.values.max));
        }
      }
    }
  }

  void config(std::uint32_t row) const {
    const auto item = static_cast<runtime::ConfigItem>(r_.events.subject[row]);
    if ((r_.events.object[row] == kNoRow) == runtime::is_ring_limit(item)) {
      fail(
          "events", "object", row,
          fmt::format("{} {} of a ring", runtime::config_item_name(item), runtime::is_ring_limit(item) ? "has to be" : "is not"));
    }
  }

  void findings() const {
    for (std::uint32_t i = 0; i < r_.findings.rows(); ++i) {
      const std::string_view fields = r_.text(r_.findings.fields[i]);
      if (fields.empty()) continue;
      const auto object = nlohmann::json::parse(fields, nullptr, /*allow_exceptions=*/false);
      if (!object.is_object()) fail("findings", "fields", i, "not a JSON object");
    }
  }

  const Recording& r_;
  const std::string& file_;
};

}  // namespace

void validate(const Recording& recording, const std::string& file) { Validator(recording, file).run(); }

}  // namespace depscope::replay
