// The options that change a result (DESIGN §4), the same for every command that runs an input.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/execute/durations.h"
#include "depscope/execute/program_runner.h"
#include "depscope/recording/tables.h"
#include "depscope/runtime/options.h"
#include "depscope/runtime/ring_limits.h"

namespace depscope::app {

enum class Profile : std::uint8_t { Seed, Upstream2026_08 };
enum class EventChoice : std::uint8_t { Auto, Full, Summary };

/// Above this many tasks `--events auto` records a summary.
inline constexpr std::uint64_t kFullEventsUpTo = 100000;

/// As given on the command line. `parse` turns the texts into values.
struct OptionTexts {
  std::string program, dump_passes, profile, platform, edges, reduce, events;  ///< empty: not given
  std::string hazards, schedule, granularity, ring_task_window, ring_heap, ring_dep_pool, timing, save_schedule;
  std::optional<std::string> entry, stop_after;  ///< an empty name is none that exists
  std::optional<std::string> passes;             ///< a comma separated list; none = the default pipeline
  std::vector<std::string> args, data;
  std::optional<std::uint64_t> seed, max_tasks, scope_list;
  std::string analyze_auto_scopes;  ///< "" = not given, else "true" or "false"
  bool print_ir = false, print_plan = false, check_invariants = false;
};

/// Checked values. The defaults of profile, reduce and hazards depend on the input, so that these stay empty until it is known.
struct RunOptions {
  std::string program;  ///< empty = first of the file
  std::string entry;    ///< its only or first Orchestration function, unless given
  bool entry_given = false;
  std::optional<std::vector<std::string>> passes;  ///< none = default pipeline; an empty list runs none
  std::string stop_after;                          ///< none, unless given
  bool stop_after_given = false;
  bool print_ir = false;
  bool print_plan = false;
  std::string dump_passes;
  bool analyze_auto_scopes = false;
  bool analyze_auto_scopes_given = false;  ///< otherwise a dump directory tells
  std::optional<Profile> profile;
  runtime::Platform platform = runtime::Platform::A2A3;
  runtime::EdgeRepresentation edges = runtime::EdgeRepresentation::Split;
  std::optional<runtime::ReductionOptions> reduction;
  EventChoice events = EventChoice::Auto;
  std::optional<runtime::HazardSwitches> hazards;
  runtime::ScheduleOptions schedule;
  std::shared_ptr<const SourceFile> schedule_source;                    ///< of --schedule list:FILE, null without it
  std::string save_schedule;                                            ///< FILE, empty if the choices are not asked for
  std::array<runtime::PerRing, runtime::kRingResources> ring_limits{};  ///< as given, 0 = not; their ranges are checked later
  std::shared_ptr<const execute::Durations> durations;                  ///< of --timing, null if not given
  std::shared_ptr<const SourceFile> timing_source;                      ///< of --timing, null without it
  std::uint64_t scope_list = 0;                                         ///< entries, 0 = not given
  bool check_invariants = false;
  bool lift_limits = false;           ///< nothing runs full, whatever else says; set by sizing and what-if alone
  runtime::ScopeMoves scope_moves{};  ///< set by what-if alone
  bool environment = true;            ///< whether variables of the environment give limits of the rings
  bool progress = false;              ///< say on standard error how far it is; set by `run` alone
  OptionTexts given;                  ///< what this was parsed from
  /// Of the options that say how a run goes and mean nothing for a recorded one: those given, with dashes.
  std::vector<std::string> given_for_run;
  std::uint64_t max_tasks = execute::RunLimits{}.max_tasks;  ///< of a program; at least 1
  std::vector<std::pair<std::string, std::string>> args;     ///< NAME, VALUE of --arg
  std::vector<std::pair<std::string, std::string>> data;     ///< NAME, [..] or FILE.json of --data
};

/// Adds the options to a command; `texts` must live as long as the parser.
void add_run_options(CLI::App& app, OptionTexts& texts);

/// Throws UsageError naming the option, the value and what is allowed, InputError for files that options name.
[[nodiscard]] RunOptions parse(const OptionTexts& texts);

/// "bitmap:64", "none", "exact", "one-hop"; UsageError otherwise. `option` is named in the message.
[[nodiscard]] runtime::ReductionOptions parse_reduction(const std::string& option, const std::string& text);
[[nodiscard]] std::string reduction_text(const runtime::ReductionOptions& reduction);

/// "fixed" or "faithful", then ",H3=faithful" for those that are otherwise; UsageError.
[[nodiscard]] runtime::HazardSwitches parse_hazards(const std::string& text);
[[nodiscard]] std::string hazards_text(runtime::HazardSwitches hazards);

/// Writes every option with its effective value, in the order of DESIGN §4, names without dashes, and keeps the files that
/// options name. What a file option records is "NAME DIGEST", without directories.
void record_options(const RunOptions& options, const runtime::ModelOptions& model, Profile profile,
                    recording::Recording& recording);

}  // namespace depscope::app
