// Tables of what the passes looked at and decided, beside the program itself (passes.md 10). Values of enum columns are those
// of pass/decisions.h; lines count from 1 in the input, 0 = not known.
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/recording/columns.h"

namespace depscope::recording {

/// Parameters of every function after the last pass, by function.
struct ParametersTable {
  std::vector<std::uint32_t> function;
  std::vector<std::uint32_t> index;  ///< within the function
  std::vector<std::uint32_t> name;
  std::vector<std::uint8_t> declared;   ///< ir::ParamDirection in the input
  std::vector<std::uint8_t> direction;  ///< ir::ParamDirection after the last pass: wrappers have their effective one

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(function.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("function", t.function, Target::Function);
    f("index", t.index, Target::None);
    f("name", t.name, Target::String);
    f("declared", t.declared, Target::None);
    f("direction", t.direction, Target::None);
  }
};

/// Calls in the bodies of Group and Spmd functions after the last pass, in program order. They are no call_sites: nothing of
/// an orchestration launches them one by one.
struct WrapperCallsTable {
  std::vector<std::uint32_t> function;
  std::vector<std::uint32_t> index;  ///< within the function, from 0
  std::vector<std::uint8_t> kind;    ///< as call_sites.kind
  std::vector<std::uint32_t> callee;
  std::vector<std::uint32_t> line;
  std::vector<std::uint32_t> loop_depth;
  std::vector<std::uint32_t> scope_begin;  ///< pool run: indices of the function's runtime scopes in pre-order, outermost first
  std::vector<std::uint32_t> scope_begin_count;
  std::vector<std::uint32_t> result_begin;  ///< pool run of strings
  std::vector<std::uint32_t> result_begin_count;
  std::vector<std::uint32_t> user_dep_begin;  ///< pool run of strings
  std::vector<std::uint32_t> user_dep_begin_count;
  std::vector<std::uint32_t> compiler_dep_begin;  ///< pool run of strings
  std::vector<std::uint32_t> compiler_dep_begin_count;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(function.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("function", t.function, Target::Function);
    f("index", t.index, Target::None);
    f("kind", t.kind, Target::None);
    f("callee", t.callee, Target::String);
    f("line", t.line, Target::None);
    f("loop_depth", t.loop_depth, Target::None);
    f("scope_begin", t.scope_begin, Target::Pool);
    f("scope_begin_count", t.scope_begin_count, Target::None);
    f("result_begin", t.result_begin, Target::Pool);
    f("result_begin_count", t.result_begin_count, Target::None);
    f("user_dep_begin", t.user_dep_begin, Target::Pool);
    f("user_dep_begin_count", t.user_dep_begin_count, Target::None);
    f("compiler_dep_begin", t.compiler_dep_begin, Target::Pool);
    f("compiler_dep_begin_count", t.compiler_dep_begin_count, Target::None);
  }
};

/// Arguments of wrapper_calls, grouped by call, in argument order. Columns as in `arguments`.
struct WrapperArgumentsTable {
  std::vector<std::uint32_t> call;
  std::vector<std::uint32_t> name;
  std::vector<std::uint8_t> callee_direction;
  std::vector<std::uint8_t> derived;
  std::vector<std::uint8_t> direction;
  std::vector<std::uint8_t> rule;
  std::vector<std::uint8_t> rewrite;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(call.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("call", t.call, Target::WrapperCall);
    f("name", t.name, Target::String);
    f("callee_direction", t.callee_direction, Target::None);
    f("derived", t.derived, Target::None);
    f("direction", t.direction, Target::None);
    f("rule", t.rule, Target::None);
    f("rewrite", t.rewrite, Target::None);
  }
};

/// One access that AutoDerive put on record or tried to, grouped by call site (passes.md 5.6).
struct PassAccessesTable {
  std::vector<std::uint32_t> call_site;
  std::vector<std::uint32_t> arg;       ///< argument position
  std::vector<std::uint8_t> direction;  ///< pass::ArgDirection
  std::vector<std::uint8_t> kind;       ///< 1 reads, 2 writes, 3 both
  std::vector<std::uint32_t> storage;   ///< none if not known
  std::vector<std::uint32_t> id;        ///< name of the variable that stands for the producer, "" if none
  std::vector<std::uint8_t> in_loop;
  std::vector<std::uint32_t> dynamic_serial;  ///< innermost loop of unknown length around it, counted from 1 by function; 0 none
  std::vector<std::uint32_t> region;
  std::vector<std::uint8_t> outcome;  ///< pass::AccessOutcome

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(call_site.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("call_site", t.call_site, Target::CallSite);
    f("arg", t.arg, Target::None);
    f("direction", t.direction, Target::None);
    f("kind", t.kind, Target::None);
    f("storage", t.storage, Target::Storage);
    f("id", t.id, Target::String);
    f("in_loop", t.in_loop, Target::None);
    f("dynamic_serial", t.dynamic_serial, Target::None);
    f("region", t.region, Target::Region);
    f("outcome", t.outcome, Target::None);
  }
};

/// Accesses as the analysis met them, list after list, each list the accesses of one buffer in their order. Where accesses meet
/// by the hundred, one row of hazards or pass_edges stands for many, which are a stretch of one list: see runs.h.
struct ListedAccessesTable {
  std::vector<std::uint32_t> access;  ///< none if its call site is gone
  std::vector<std::uint32_t> id;      ///< name of the variable that stands for the task, "" if none

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(access.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("access", t.access, Target::PassAccess);
    f("id", t.id, Target::String);
  }
};

/// One user or compiler edge of a call site, grouped by consumer, also those that did not stay; or the first of several compiler
/// edges (runs.h). The hazards that an edge covers name its row in hazards.edge_row.
struct PassEdgesTable {
  std::vector<std::uint32_t> consumer;
  std::vector<std::uint32_t> id;             ///< name of the id variable
  std::vector<std::uint8_t> origin;          ///< pass::EdgeOrigin
  std::vector<std::uint8_t> synthetic;       ///< the id is none that the program names
  std::vector<std::uint32_t> producer;       ///< call_sites row, none if not known (a user's array, a carried id)
  std::vector<std::uint8_t> status;          ///< pass::EdgeStatus
  std::vector<std::uint32_t> stripped_by;    ///< regions row, for status Stripped
  std::vector<std::uint32_t> imported_from;  ///< regions row next to the consumer's own that the producer's access came from
  std::vector<std::uint32_t> more_begin;     ///< listed_accesses row of the second producer that the row stands for
  std::vector<std::uint32_t> more_count;     ///< producers after the first, 0 for a single edge

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(consumer.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("consumer", t.consumer, Target::CallSite);
    f("id", t.id, Target::String);
    f("origin", t.origin, Target::None);
    f("synthetic", t.synthetic, Target::None);
    f("producer", t.producer, Target::CallSite);
    f("status", t.status, Target::None);
    f("stripped_by", t.stripped_by, Target::Region);
    f("imported_from", t.imported_from, Target::Region);
    f("more_begin", t.more_begin, Target::None);
    f("more_count", t.more_count, Target::None);
  }
};

/// A direction that a region would have given had it not fallen back.
struct RewritesUndoneTable {
  std::vector<std::uint32_t> region;
  std::vector<std::uint32_t> argument;  ///< arguments row
  std::vector<std::uint8_t> from, to;   ///< pass::ArgDirection

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(region.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("region", t.region, Target::Region);
    f("argument", t.argument, Target::Argument);
    f("from", t.from, Target::None);
    f("to", t.to, Target::None);
  }
};

/// Why a region fell back: steps from the offending argument to the statement that defines it, grouped by region.
struct LineageTable {
  std::vector<std::uint32_t> region;
  std::vector<std::uint32_t> line;
  std::vector<std::uint32_t> what;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(region.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("region", t.region, Target::Region);
    f("line", t.line, Target::None);
    f("what", t.what, Target::String);
  }
};

/// One array before one loop that ExpandManualPhaseFence judged (passes.md 6).
struct FencesTable {
  std::vector<std::uint32_t> function;
  std::vector<std::uint32_t> line;      ///< of the loop
  std::vector<std::uint32_t> array;     ///< name
  std::vector<std::int64_t> producers;  ///< N
  std::vector<std::int64_t> consumers;  ///< M
  std::vector<std::int64_t> saving;     ///< N * M - (N + M)
  std::vector<std::uint8_t> accepted;
  std::vector<std::uint32_t> reason;  ///< passes.md 6.4, "" if accepted

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(function.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("function", t.function, Target::Function);
    f("line", t.line, Target::None);
    f("array", t.array, Target::String);
    f("producers", t.producers, Target::None);
    f("consumers", t.consumers, Target::None);
    f("saving", t.saving, Target::None);
    f("accepted", t.accepted, Target::None);
    f("reason", t.reason, Target::String);
  }
};

/// What MaterializeRuntimeScopes did with one body or one scope, and why (passes.md 8).
struct ScopeDecisionsTable {
  std::vector<std::uint32_t> function;
  std::vector<std::uint32_t> scope;  ///< ir_scopes row; none if nothing was inserted, or if the scope is gone
  std::vector<std::uint32_t> line;   ///< of the loop, branch, kept scope or function that it is about
  std::vector<std::uint8_t> manual;  ///< mode of the scope, or of the one around a body that gets none
  std::vector<std::uint8_t> change;  ///< pass::ScopeChange
  std::vector<std::uint32_t> decision;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(function.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("function", t.function, Target::Function);
    f("scope", t.scope, Target::ScopeRow);
    f("line", t.line, Target::None);
    f("manual", t.manual, Target::None);
    f("change", t.change, Target::None);
    f("decision", t.decision, Target::String);
  }
};

/// One carried value of a loop as ClassifyIterArgCarry sees it (passes.md 9.6).
struct CarriesTable {
  std::vector<std::uint32_t> function;
  std::vector<std::uint32_t> line;   ///< of the loop
  std::vector<std::uint32_t> index;  ///< position among the loop's carried values
  std::vector<std::uint32_t> name;
  std::vector<std::uint8_t> rebind;      ///< 0: one buffer throughout
  std::vector<std::int64_t> array_size;  ///< ids kept side by side, 0 if none

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(function.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("function", t.function, Target::Function);
    f("line", t.line, Target::None);
    f("index", t.index, Target::None);
    f("name", t.name, Target::String);
    f("rebind", t.rebind, Target::None);
    f("array_size", t.array_size, Target::None);
  }
};

}  // namespace depscope::recording
