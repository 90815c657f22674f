// The tables of a recording (DESIGN §2): structures of arrays, 32-bit row indices, interned strings.
//
// Every table lists its columns in `columns`; the file writer, the loader, the validator and the CSV export are written
// once over that list. A column that holds a row index of another table says so, so that the loader can check every index.
// Row index 0xffffffff means "none". Adding a column or a table is a compatible change; see docs/recording-format.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "depscope/recording/columns.h"
#include "depscope/recording/decision_tables.h"
#include "depscope/recording/measured_tables.h"

namespace depscope::recording {

struct PassesTable {
  std::vector<std::uint32_t> name;  ///< "frontend" for the input
  std::vector<std::uint32_t> text;  ///< printed program after it
  std::vector<std::uint8_t> changed;
  std::vector<std::uint32_t> required, produced, invalidated;  ///< Property bits
  std::vector<std::uint32_t> message_begin;                    ///< pool run of strings: verifier diagnostics
  std::vector<std::uint32_t> message_begin_count;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(name.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("name", t.name, Target::String);
    f("text", t.text, Target::String);
    f("changed", t.changed, Target::None);
    f("required", t.required, Target::None);
    f("produced", t.produced, Target::None);
    f("invalidated", t.invalidated, Target::None);
    f("message_begin", t.message_begin, Target::Pool);
    f("message_begin_count", t.message_begin_count, Target::None);
  }
};

struct FunctionsTable {
  std::vector<std::uint32_t> name;
  std::vector<std::uint32_t> kind;       ///< string: "Orchestration", …
  std::vector<std::uint8_t> auto_scope;  ///< after the last pass
  std::vector<std::uint8_t> compiler_manual_candidate;
  std::vector<std::uint32_t> line;  ///< of its def in the input, 0 if unknown

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(name.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("name", t.name, Target::String);
    f("kind", t.kind, Target::String);
    f("auto_scope", t.auto_scope, Target::None);
    f("compiler_manual_candidate", t.compiler_manual_candidate, Target::None);
    f("line", t.line, Target::None);
  }
};

/// Call sites of Orchestration functions after the last pass, in program order within each function.
struct CallSitesTable {
  std::vector<std::uint32_t> function;
  std::vector<std::uint32_t> index;  ///< within the function, from 0
  std::vector<std::uint8_t> kind;    ///< 0 call, 1 submit, 2 dummy, 3 alloc
  std::vector<std::uint32_t> callee;
  std::vector<std::uint32_t> line;  ///< in the input, 0 if unknown
  std::vector<std::uint32_t> loop_depth;
  std::vector<std::uint32_t> scope_begin;  ///< pool run of ir_scopes rows, outermost first
  std::vector<std::uint32_t> scope_begin_count;
  std::vector<std::uint32_t> result_begin;  ///< pool run of strings
  std::vector<std::uint32_t> result_begin_count;
  std::vector<std::uint32_t> user_dep_begin;  ///< pool run of strings: user edges
  std::vector<std::uint32_t> user_dep_begin_count;
  /// Pool run of strings; empty for a long list with runs, whose names are those of the site's compiler edges (runs.h).
  std::vector<std::uint32_t> compiler_dep_begin;
  std::vector<std::uint32_t> compiler_dep_begin_count;
  std::vector<std::uint32_t> argument_begin;  ///< first row in arguments
  std::vector<std::uint32_t> argument_count;
  std::vector<std::uint32_t>
      pass_line_begin;  ///< pool run, one entry per passes row: 1-based line in that pass's text, 0 = not there
  std::vector<std::uint32_t> pass_line_begin_count;

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
    f("argument_begin", t.argument_begin, Target::Argument);
    f("argument_count", t.argument_count, Target::None);
    f("pass_line_begin", t.pass_line_begin, Target::Pool);
    f("pass_line_begin_count", t.pass_line_begin_count, Target::None);
  }
};

/// Values of the enum columns are those of pass::ArgDirection, DirectionRule and RewriteReason.
struct ArgumentsTable {
  std::vector<std::uint32_t> call_site;
  std::vector<std::uint32_t> name;             ///< as printed
  std::vector<std::uint8_t> callee_direction;  ///< ir::ParamDirection
  std::vector<std::uint8_t> derived;           ///< after DeriveCallDirections
  std::vector<std::uint8_t> direction;         ///< after the last pass
  std::vector<std::uint8_t> rule;
  std::vector<std::uint8_t> rewrite;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(call_site.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("call_site", t.call_site, Target::CallSite);
    f("name", t.name, Target::String);
    f("callee_direction", t.callee_direction, Target::None);
    f("derived", t.derived, Target::None);
    f("direction", t.direction, Target::None);
    f("rule", t.rule, Target::None);
    f("rewrite", t.rewrite, Target::None);
  }
};

/// Runtime scopes of the IR after the last pass (facts `scopes`).
struct IrScopesTable {
  std::vector<std::uint32_t> function;
  std::vector<std::uint32_t> index;  ///< within the function
  std::vector<std::uint8_t> manual;
  std::vector<std::uint8_t> owner;    ///< 0 user, 1 compiler, 2 materialised
  std::vector<std::uint32_t> parent;  ///< ir_scopes row
  std::vector<std::uint32_t> line;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(function.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("function", t.function, Target::Function);
    f("index", t.index, Target::None);
    f("manual", t.manual, Target::None);
    f("owner", t.owner, Target::None);
    f("parent", t.parent, Target::ScopeRow);
    f("line", t.line, Target::None);
  }
};

struct RegionsTable {
  std::vector<std::uint32_t> function;
  std::vector<std::uint32_t> index;
  std::vector<std::uint8_t> kind;     ///< pass::RegionKind
  std::vector<std::uint8_t> outcome;  ///< pass::RegionOutcome
  std::vector<std::uint32_t> reason;
  std::vector<std::uint32_t> offending_site;  ///< call_sites row
  std::vector<std::uint32_t> offending_arg;   ///< argument position, none = 0xffffffff
  std::vector<std::uint32_t> parent;
  std::vector<std::uint32_t> stripped_edges;
  std::vector<std::uint32_t> line;
  std::vector<std::uint32_t> kept_edges;        ///< compiler edges that stay although it fell back
  std::vector<std::uint32_t> offending_hazard;  ///< hazards row that no edge could cover, none if the storage is not known

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(function.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("function", t.function, Target::Function);
    f("index", t.index, Target::None);
    f("kind", t.kind, Target::None);
    f("outcome", t.outcome, Target::None);
    f("reason", t.reason, Target::String);
    f("offending_site", t.offending_site, Target::CallSite);
    f("offending_arg", t.offending_arg, Target::None);
    f("parent", t.parent, Target::Region);
    f("stripped_edges", t.stripped_edges, Target::None);
    f("line", t.line, Target::None);
    f("kept_edges", t.kept_edges, Target::None);
    f("offending_hazard", t.offending_hazard, Target::Hazard);
  }
};

struct StorageTable {
  std::vector<std::uint32_t> root;       ///< name of the root variable
  std::vector<std::uint8_t> kind;        ///< pass::StorageKind
  std::vector<std::uint32_t> box_begin;  ///< pool run: rank offsets, then rank extents, each as two words (low, high)
  std::vector<std::uint32_t> box_begin_count;
  std::vector<std::uint32_t> step_line;  ///< line of the statement that gave it, 0 for parameters

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(root.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("root", t.root, Target::String);
    f("kind", t.kind, Target::None);
    f("box_begin", t.box_begin, Target::Pool);
    f("box_begin_count", t.box_begin_count, Target::None);
    f("step_line", t.step_line, Target::None);
  }
};

struct HazardsTable {
  std::vector<std::uint32_t> region;
  std::vector<std::uint32_t> prior, current;          ///< call_sites rows
  std::vector<std::uint32_t> prior_arg, current_arg;  ///< argument positions
  std::vector<std::uint8_t> kinds;                    ///< pass::HazardKind bits
  std::vector<std::uint32_t> prior_storage, current_storage;
  std::vector<std::uint8_t> verdict;  ///< pass::HazardVerdict
  std::vector<std::uint32_t> edge;    ///< name of the id variable that stands for the prior, "" if none
  std::vector<std::uint32_t> reason;
  std::vector<std::uint8_t> by_memref;  ///< the roots differ, their memory may be the same
  std::vector<std::uint8_t> synthetic;  ///< the id is none that the program names
  std::vector<std::uint32_t> edge_row;  ///< pass_edges row that covers it, none if nothing does
  /// The row may be the first of several hazards (runs.h): listed_accesses row of the second prior access.
  std::vector<std::uint32_t> more_begin;
  std::vector<std::uint32_t> more_count;  ///< prior accesses after the first, 0 for a single hazard

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(region.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("region", t.region, Target::Region);
    f("prior", t.prior, Target::CallSite);
    f("current", t.current, Target::CallSite);
    f("prior_arg", t.prior_arg, Target::None);
    f("current_arg", t.current_arg, Target::None);
    f("kinds", t.kinds, Target::None);
    f("prior_storage", t.prior_storage, Target::Storage);
    f("current_storage", t.current_storage, Target::Storage);
    f("verdict", t.verdict, Target::None);
    f("edge", t.edge, Target::String);
    f("reason", t.reason, Target::String);
    f("by_memref", t.by_memref, Target::None);
    f("synthetic", t.synthetic, Target::None);
    f("edge_row", t.edge_row, Target::PassEdge);
    f("more_begin", t.more_begin, Target::None);
    f("more_count", t.more_count, Target::None);
  }
};

struct TasksTable {
  std::vector<std::uint64_t> id;   ///< (ring << 32) | local
  std::vector<std::uint8_t> kind;  ///< runtime::TaskKind
  std::vector<std::uint32_t> callee;
  std::vector<std::uint32_t> call_site;
  std::vector<std::uint32_t> scope;  ///< scopes row
  std::vector<std::uint8_t> flags;   ///< bit 0 manual scope, 1 early dispatch, 2 sync start
  std::vector<std::int32_t> kernel_aic, kernel_aiv0, kernel_aiv1;
  std::vector<std::uint32_t> block_num;
  std::vector<std::uint32_t> slot;
  std::vector<std::uint64_t> heap_begin, heap_end;
  std::vector<std::uint32_t> iteration_begin;  ///< pool run: loop counters, outermost first
  std::vector<std::uint32_t> iteration_begin_count;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(id.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("id", t.id, Target::None);
    f("kind", t.kind, Target::None);
    f("callee", t.callee, Target::String);
    f("call_site", t.call_site, Target::CallSite);
    f("scope", t.scope, Target::RuntimeScope);
    f("flags", t.flags, Target::None);
    f("kernel_aic", t.kernel_aic, Target::None);
    f("kernel_aiv0", t.kernel_aiv0, Target::None);
    f("kernel_aiv1", t.kernel_aiv1, Target::None);
    f("block_num", t.block_num, Target::None);
    f("slot", t.slot, Target::None);
    f("heap_begin", t.heap_begin, Target::None);
    f("heap_end", t.heap_end, Target::None);
    f("iteration_begin", t.iteration_begin, Target::Pool);
    f("iteration_begin_count", t.iteration_begin_count, Target::None);
  }
};

/// Tensor arguments of tasks, grouped by task in submission order.
struct AccessesTable {
  std::vector<std::uint32_t> task;
  std::vector<std::uint8_t> arg;
  std::vector<std::uint8_t> kind;             ///< runtime::ArgKind
  std::vector<std::uint32_t> tensor;          ///< tensors row
  std::vector<std::uint64_t> start_offset;    ///< elements
  std::vector<std::uint32_t> geometry_begin;  ///< pool run: rank shape words, then rank strides as two words (low, high)
  std::vector<std::uint32_t> geometry_begin_count;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(task.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("task", t.task, Target::Task);
    f("arg", t.arg, Target::None);
    f("kind", t.kind, Target::None);
    f("tensor", t.tensor, Target::Tensor);
    f("start_offset", t.start_offset, Target::None);
    f("geometry_begin", t.geometry_begin, Target::Pool);
    f("geometry_begin_count", t.geometry_begin_count, Target::None);
  }
};

/// What a task really touches where that is not the whole argument as its kind says: the kernel's declared direction where the
/// passes gave the argument another one, and the loads and stores of the kernel's body with the values of this task. The rows of
/// an access, if it has any, say all of it. Grouped by access.
struct TouchedTable {
  std::vector<std::uint32_t> access;
  std::vector<std::uint8_t> mode;             ///< 1 reads, 2 writes, 3 both
  std::vector<std::uint8_t> source;           ///< 0 as declared, 1 loads of the body, 2 its stores, 3 both
  std::vector<std::uint64_t> start_offset;    ///< elements of the tensor's type, as in accesses
  std::vector<std::uint32_t> geometry_begin;  ///< pool run as in accesses
  std::vector<std::uint32_t> geometry_begin_count;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(access.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("access", t.access, Target::Access);
    f("mode", t.mode, Target::None);
    f("source", t.source, Target::None);
    f("start_offset", t.start_offset, Target::None);
    f("geometry_begin", t.geometry_begin, Target::Pool);
    f("geometry_begin_count", t.geometry_begin_count, Target::None);
  }
};

/// Loops around the call sites, grouped by call site, outermost first: entry k counts what tasks.iteration holds at k.
struct SiteLoopsTable {
  std::vector<std::uint32_t> call_site;
  std::vector<std::uint32_t> loop;     ///< number of the loop; equal numbers are one loop
  std::vector<std::uint8_t> parallel;  ///< the program says that its iterations are independent
  std::vector<std::uint32_t> line;     ///< in the input, 0 if unknown

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(call_site.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("call_site", t.call_site, Target::CallSite);
    f("loop", t.loop, Target::None);
    f("parallel", t.parallel, Target::None);
    f("line", t.line, Target::None);
  }
};

/// One row per (buffer address, version, owner, dtype, manual_dep) in order of first use. Runtime outputs that nobody named have
/// address 0.
struct TensorsTable {
  std::vector<std::uint32_t> name;
  std::vector<std::uint64_t> address;
  std::vector<std::uint64_t> buffer_elements;
  std::vector<std::uint64_t> owner;  ///< task id, all ones = external
  std::vector<std::int32_t> version;
  std::vector<std::uint8_t> dtype;  ///< runtime::ElementType
  std::vector<std::uint8_t> manual_dep;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(name.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("name", t.name, Target::String);
    f("address", t.address, Target::None);
    f("buffer_elements", t.buffer_elements, Target::None);
    f("owner", t.owner, Target::None);
    f("version", t.version, Target::None);
    f("dtype", t.dtype, Target::None);
    f("manual_dep", t.manual_dep, Target::None);
  }
};

/// One row per (producer, consumer), grouped by consumer in submission order.
struct EdgesTable {
  std::vector<std::uint32_t> producer, consumer;  ///< tasks rows
  std::vector<std::uint8_t> flags;                ///< discovered, runtime::DepFlags
  std::vector<std::uint8_t> flags_final;          ///< after reduction
  std::vector<std::uint8_t> provenance;           ///< runtime::Provenance bits
  std::vector<std::uint32_t> via;                 ///< tasks row that made WAIT redundant
  std::vector<std::uint8_t> at_add, at_wiring;    ///< runtime::ProducerStatus

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(producer.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("producer", t.producer, Target::Task);
    f("consumer", t.consumer, Target::Task);
    f("flags", t.flags, Target::None);
    f("flags_final", t.flags_final, Target::None);
    f("provenance", t.provenance, Target::None);
    f("via", t.via, Target::Task);
    f("at_add", t.at_add, Target::None);
    f("at_wiring", t.at_wiring, Target::None);
  }
};

/// Every discovery of every edge, in order.
struct EdgeReasonsTable {
  std::vector<std::uint32_t> edge;
  std::vector<std::uint8_t> source;  ///< one runtime::Provenance bit
  std::vector<std::int8_t> arg;      ///< -1 = explicit
  std::vector<std::uint8_t> flags;
  std::vector<std::uint8_t> overlap;  ///< 0 none, 1 other, 2 covered
  std::vector<std::uint32_t> consumer_access, producer_access;
  std::vector<std::uint8_t> replay_row;  ///< the real replay prints this discovery

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(edge.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("edge", t.edge, Target::Edge);
    f("source", t.source, Target::None);
    f("arg", t.arg, Target::None);
    f("flags", t.flags, Target::None);
    f("overlap", t.overlap, Target::None);
    f("consumer_access", t.consumer_access, Target::Access);
    f("producer_access", t.producer_access, Target::Access);
    f("replay_row", t.replay_row, Target::None);
  }
};

/// Runtime scope instances.
struct ScopesTable {
  std::vector<std::uint8_t> manual;
  std::vector<std::uint8_t> owner;  ///< 0 user, 1 compiler, 2 materialised, 3 implicit root
  std::vector<std::uint32_t> depth, ring;
  std::vector<std::uint32_t> parent;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(manual.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("manual", t.manual, Target::None);
    f("owner", t.owner, Target::None);
    f("depth", t.depth, Target::None);
    f("ring", t.ring, Target::None);
    f("parent", t.parent, Target::RuntimeScope);
  }
};

/// runtime::Event, column-wise; meaning of subject and object by kind (runtime/sink.h).
struct EventsTable {
  std::vector<std::uint8_t> kind;
  std::vector<std::uint8_t> actor;
  std::vector<std::uint16_t> extra;
  std::vector<std::uint32_t> time;
  std::vector<std::uint32_t> subject, object;
  std::vector<std::int64_t> old_value, new_value;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(kind.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("kind", t.kind, Target::None);
    f("actor", t.actor, Target::None);
    f("extra", t.extra, Target::None);
    f("time", t.time, Target::None);
    f("subject", t.subject, Target::Event);  // checked by kind
    f("object", t.object, Target::Event);
    f("old_value", t.old_value, Target::None);
    f("new_value", t.new_value, Target::None);
  }
};

/// Name and value of every option that changes a result, in the order of DESIGN §4.
struct OptionsTable {
  std::vector<std::uint32_t> name, value;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(name.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("name", t.name, Target::String);
    f("value", t.value, Target::String);
  }
};

/// What was found; `fields` is the finding's own JSON object (cases/book contract), as text.
struct FindingsTable {
  std::vector<std::uint32_t> kind;
  std::vector<std::uint8_t> severity;  ///< depscope::Severity
  std::vector<std::uint32_t> summary, fields;
  std::vector<std::uint32_t> line;  ///< in the input, 0 if none

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(kind.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("kind", t.kind, Target::String);
    f("severity", t.severity, Target::None);
    f("summary", t.summary, Target::String);
    f("fields", t.fields, Target::String);
    f("line", t.line, Target::None);
  }
};

/// Interned strings; string 0 is empty. Built in order of first use. A loader may fill `bytes` and `offsets` itself: `add`
/// takes in rows that it has not seen.
class Strings {
 public:
  Strings() { add(""); }

  std::uint32_t add(std::string_view text);
  [[nodiscard]] std::string_view text(std::uint32_t id) const {
    return std::string_view(bytes).substr(offsets[id], offsets[id + 1] - offsets[id]);
  }
  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(offsets.size() - 1); }

  std::string bytes;
  std::vector<std::uint64_t> offsets{0};

 private:
  std::unordered_map<std::size_t, std::vector<std::uint32_t>> index_;  // by hash; only looked up, never walked
  std::uint32_t indexed_ = 0;                                          // rows that are in index_
};

/// A file that an option named, kept so that the run can be repeated from the recording alone.
struct OptionFile {
  std::string option;  ///< "--data", "--timing" or "--schedule"
  std::string name;    ///< without directories
  std::string digest;  ///< as of the input
  std::string text;    ///< empty where the file was too large to be kept

  friend bool operator==(const OptionFile&, const OptionFile&) = default;
};

/// One recording in memory.
struct Recording {
  std::string input_name;                ///< base name of the input
  std::string input_digest;              ///< 64-bit FNV-1a of the input's bytes, hexadecimal
  std::string input_text;                ///< the program or trace as given (first file of a directory)
  std::vector<OptionFile> option_files;  ///< in the order of the options, those of --data as they were given
  std::string program_name;
  std::uint32_t window_misses = 0;  ///< WAIT pairs beyond the bitmap window (--reduce bitmap:N)

  Strings strings;
  std::vector<std::uint32_t> pool;
  PassesTable passes;
  FunctionsTable functions;
  CallSitesTable call_sites;
  ArgumentsTable arguments;
  IrScopesTable ir_scopes;
  RegionsTable regions;
  StorageTable storage;
  HazardsTable hazards;
  ParametersTable parameters;
  WrapperCallsTable wrapper_calls;
  WrapperArgumentsTable wrapper_arguments;
  PassAccessesTable pass_accesses;
  ListedAccessesTable listed_accesses;
  PassEdgesTable pass_edges;
  RewritesUndoneTable rewrites_undone;
  LineageTable lineage;
  FencesTable fences;
  ScopeDecisionsTable scope_decisions;
  CarriesTable carries;
  TasksTable tasks;
  AccessesTable accesses;
  TouchedTable touched;
  SiteLoopsTable site_loops;
  TensorsTable tensors;
  EdgesTable edges;
  EdgeReasonsTable edge_reasons;
  ScopesTable scopes;
  EventsTable events;
  MeasuredDispatchesTable measured_dispatches;
  MeasuredPhasesTable measured_phases;
  ScopeSamplesTable scope_samples;
  RunNotesTable run_notes;
  OptionsTable options;
  FindingsTable findings;

  [[nodiscard]] std::string_view text(std::uint32_t string_id) const { return strings.text(string_id); }

  /// Calls f(name, table) for every table with columns, in file order.
  template <class Self, class F>
  static void tables(Self& r, F&& f) {
    f("passes", r.passes);
    f("functions", r.functions);
    f("call_sites", r.call_sites);
    f("arguments", r.arguments);
    f("ir_scopes", r.ir_scopes);
    f("regions", r.regions);
    f("storage", r.storage);
    f("hazards", r.hazards);
    f("parameters", r.parameters);
    f("wrapper_calls", r.wrapper_calls);
    f("wrapper_arguments", r.wrapper_arguments);
    f("pass_accesses", r.pass_accesses);
    f("listed_accesses", r.listed_accesses);
    f("pass_edges", r.pass_edges);
    f("rewrites_undone", r.rewrites_undone);
    f("lineage", r.lineage);
    f("fences", r.fences);
    f("scope_decisions", r.scope_decisions);
    f("carries", r.carries);
    f("tasks", r.tasks);
    f("accesses", r.accesses);
    f("touched", r.touched);
    f("site_loops", r.site_loops);
    f("tensors", r.tensors);
    f("edges", r.edges);
    f("edge_reasons", r.edge_reasons);
    f("scopes", r.scopes);
    f("events", r.events);
    f("measured_dispatches", r.measured_dispatches);
    f("measured_phases", r.measured_phases);
    f("scope_samples", r.scope_samples);
    f("run_notes", r.run_notes);
    f("options", r.options);
    f("findings", r.findings);
  }
};

}  // namespace depscope::recording
