#include "options.h"

#include <fmt/format.h>

#include <filesystem>

#include <charconv>
#include <string_view>

#include "command.h"

namespace depscope::app {
namespace {

using runtime::ReductionKind;

[[noreturn]] void bad_value(std::string_view option, std::string_view value, std::string_view allowed) {
  throw UsageError(fmt::format("{}: \"{}\" is not allowed; allowed: {}", option, value, allowed));
}

void not_built(std::string_view option, std::string_view value) {
  throw UsageError(fmt::format("{}: \"{}\" is not built yet", option, value));
}

/// Value for a name; the message lists all names.
template <class T>
T choose(std::string_view option, std::string_view value, const std::vector<std::pair<std::string_view, T>>& choices) {
  std::string allowed;
  for (const auto& [name, choice] : choices) {
    if (name == value) return choice;
    allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  }
  bad_value(option, value, allowed);
}

std::vector<std::string> split_commas(std::string_view text) {
  std::vector<std::string> out;
  if (text.empty()) return out;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = text.find(',', begin);
    out.emplace_back(text.substr(begin, comma - begin));
    if (comma == std::string_view::npos) return out;
    begin = comma + 1;
  }
}

std::vector<std::string> parse_passes(std::string_view text) {
  std::vector<std::string> passes = split_commas(text);
  for (const std::string& pass : passes) {
    if (pass.empty()) throw UsageError("--passes: a name is empty; a comma separated list of pass names was expected");
  }
  return passes;
}

std::vector<std::pair<std::string, std::string>> parse_assignments(std::string_view option,
                                                                   const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) bad_value(option, text, "NAME=VALUE");
    out.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    for (std::size_t i = 0; i + 1 < out.size(); ++i) {
      if (out[i].first == out.back().first) throw UsageError(fmt::format("{}: {} is given twice", option, out.back().first));
    }
  }
  return out;
}

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ",")); }

std::string assignments_text(const std::vector<std::pair<std::string, std::string>>& assignments) {
  std::string out;
  for (const auto& [name, value] : assignments) out += fmt::format("{}{}={}", out.empty() ? "" : "\n", name, value);
  return out;
}

CLI::Validator not_empty() {
  return {[](const std::string& value) { return value.empty() ? std::string("an empty value is not allowed") : std::string(); },
          ""};
}

}  // namespace

void add_run_options(CLI::App& app, OptionTexts& t) {
  const auto text = [&app](const char* name, std::string& target, const char* help, const char* values) {
    app.add_option(name, target, help)->option_text(values)->group("What is run and how")->check(not_empty());
  };
  // A name that is looked up where the names are known: an empty one is not left out, but wrong.
  const auto name_of = [&app](const char* name, std::optional<std::string>& target, const char* help, const char* values) {
    app.add_option_function<std::string>(
           name, [&target](const std::string& value) { target = value; }, help)
        ->option_text(values)
        ->group("What is run and how");
  };
  // Accepted at their defaults only: what they choose is not built yet.
  const auto later = [&app](const char* name, std::string& target, const char* help, const char* values) {
    app.add_option(name, target, help)->option_text(values)->group("Not built yet, refused unless left at the default");
  };
  text("--program", t.program, "Program of the file (default: the first)", "NAME");
  name_of("--entry", t.entry, "Orchestration function (default: the only or first)", "FUNCTION");
  app.add_option_function<std::string>(
         "--passes", [&t](const std::string& value) { t.passes = value; }, "Exactly these passes; an empty list runs none")
      ->option_text("A,B,...")
      ->group("What is run and how");
  name_of("--stop-after", t.stop_after, "Stop after this pass; Simplify#2 is the second Simplify", "PASS");
  app.add_flag("--print-ir", t.print_ir, "Print the program after the last pass")->group("What is run and how");
  app.add_flag("--print-plan", t.print_plan, "Print the submission plan of the entry function; run nothing")
      ->group("What is run and how");
  text("--dump-passes", t.dump_passes, "Write a passes_dump directory", "DIR");
  app.add_flag("--analyze-auto-scopes", t.analyze_auto_scopes,
               "Derive dependencies in AUTO scopes too (=false: not; default: off, dump directories: as they were made)")
      ->group("What is run and how");
  text("--profile", t.profile, "Behaviour of the passes (default: seed; dumps: upstream-2026-08)", "seed|upstream-2026-08");
  text("--platform", t.platform, "Cores of the machine (default: a2a3)", "a2a3|a5");
  text("--edges", t.edges, "Edge representation (default: split)", "split|coupled|maskbug");
  text("--reduce", t.reduce, "Transitive reduction of WAIT (default: bitmap:64; traces: none)", "bitmap:N|none|exact|one-hop");
  later("--hazards", t.hazards, "Upstream behaviours H1 to H11 (default: fixed)", "fixed|faithful[,H3=...]");
  later("--schedule", t.schedule, "Order of what may happen in any order (default: canonical)", "canonical|random|list:FILE");
  app.add_option("--seed", t.seed, "Seed of the random schedule (default: 1)")->option_text("N")->group("What is run and how");
  later("--granularity", t.granularity, "Steps of the schedule (default: coarse)", "coarse|fine");
  later("--ring-task-window", t.ring_task_window, "Slots, one value or four by ring", "N[,N,N,N]");
  later("--ring-heap", t.ring_heap, "Heap bytes, one value or four by ring", "N[,N,N,N]");
  later("--ring-dep-pool", t.ring_dep_pool, "Nodes of the dep pool, one value or four by ring", "N[,N,N,N]");
  later("--timing", t.timing, "Kernel durations or a swimlane recording (default: one unit a task)", "FILE");
  app.add_option("--arg", t.args, "Value of a scalar or a dynamic dimension")
      ->option_text("NAME=VALUE")
      ->group("What is run and how")
      ->allow_extra_args(false);
  app.add_option("--data", t.data, "Contents of a tensor that the orchestration reads")
      ->option_text("NAME=[...]|NAME=FILE.json|FILE.json")
      ->group("What is run and how")
      ->allow_extra_args(false);
  app.add_option("--max-tasks", t.max_tasks, fmt::format("Give up a program that submits more tasks (default: {})", t.max_tasks))
      ->option_text("N")
      ->check([](const std::string& value) {
        // CLI11 would take a negative number for a huge one.
        const bool number = value.find_first_not_of("0123456789") == std::string::npos;
        const bool positive = value.find_first_of("123456789") != std::string::npos;
        return number && positive ? std::string() : fmt::format("\"{}\" is not allowed; allowed: a number from 1", value);
      })
      ->group("What is run and how");
  text("--events", t.events, "How much of the run is recorded (default: auto)", "auto|full|summary");
  app.add_flag("--check-invariants", t.check_invariants, "Check the model's invariants after every event")
      ->group("Not built yet, refused unless left at the default");
}

runtime::ReductionOptions parse_reduction(const std::string& option, const std::string& value) {
  const std::string allowed = fmt::format("bitmap:N with N from 1 to {}, none, exact, one-hop", runtime::kMaxBitmapWindow);
  if (value == "none") return {.kind = ReductionKind::None};
  if (value == "exact") return {.kind = ReductionKind::Exact};
  if (value == "one-hop") return {.kind = ReductionKind::OneHop};
  constexpr std::string_view kBitmap = "bitmap:";
  if (!value.starts_with(kBitmap)) bad_value(option, value, allowed);
  std::uint32_t window = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data() + kBitmap.size(), end, window);
  if (error != std::errc() || stop != end || window == 0 || window > runtime::kMaxBitmapWindow) bad_value(option, value, allowed);
  return {.kind = ReductionKind::Bitmap, .window = window};
}

std::string reduction_text(const runtime::ReductionOptions& reduction) {
  switch (reduction.kind) {
    case ReductionKind::None: return "none";
    case ReductionKind::Exact: return "exact";
    case ReductionKind::OneHop: return "one-hop";
    case ReductionKind::Bitmap: return fmt::format("bitmap:{}", reduction.window);
  }
  return "none";
}

RunOptions parse(const OptionTexts& t) {
  RunOptions o;
  o.program = t.program;
  o.entry = t.entry.value_or("");
  o.entry_given = t.entry.has_value();
  if (t.passes) o.passes = parse_passes(*t.passes);
  o.stop_after = t.stop_after.value_or("");
  o.stop_after_given = t.stop_after.has_value();
  o.print_ir = t.print_ir;
  o.print_plan = t.print_plan;
  o.dump_passes = t.dump_passes;
  if (!t.analyze_auto_scopes.empty() && t.analyze_auto_scopes != "true" && t.analyze_auto_scopes != "false")
    bad_value("--analyze-auto-scopes", t.analyze_auto_scopes, "true or false");
  o.analyze_auto_scopes = t.analyze_auto_scopes == "true";
  o.analyze_auto_scopes_given = !t.analyze_auto_scopes.empty();
  if (!t.profile.empty()) {
    o.profile =
        choose<Profile>("--profile", t.profile, {{"seed", Profile::Seed}, {"upstream-2026-08", Profile::Upstream2026_08}});
  }
  o.platform =
      choose<runtime::Platform>("--platform", t.platform, {{"a2a3", runtime::Platform::A2A3}, {"a5", runtime::Platform::A5}});
  const int edges = choose<int>("--edges", t.edges, {{"split", 0}, {"coupled", 1}, {"maskbug", 2}});
  if (edges == 2) not_built("--edges", t.edges);
  o.edges = edges == 0 ? runtime::EdgeRepresentation::Split : runtime::EdgeRepresentation::Coupled;
  if (!t.reduce.empty()) o.reduction = parse_reduction("--reduce", t.reduce);
  o.events = choose<EventChoice>("--events", t.events,
                                 {{"auto", EventChoice::Auto}, {"full", EventChoice::Full}, {"summary", EventChoice::Summary}});
  o.seed = t.seed;
  o.max_tasks = t.max_tasks;
  o.args = parse_assignments("--arg", t.args);
  // A file of arrays by name stands alone; everything else is NAME=….
  std::vector<std::string> named;
  for (const std::string& text : t.data) {
    if (text.ends_with(".json") && std::filesystem::is_regular_file(text)) {
      o.data.emplace_back("", text);
    } else {
      named.push_back(text);
    }
  }
  for (auto& assignment : parse_assignments("--data", named)) o.data.push_back(std::move(assignment));

  if (!t.hazards.empty() && t.hazards != "fixed") {
    const std::string first = split_commas(t.hazards).front();
    if (first != "fixed" && first != "faithful")
      bad_value("--hazards", t.hazards, "fixed or faithful, then ,Hn=fixed or ,Hn=faithful");
    not_built("--hazards", t.hazards);
  }
  if (t.schedule.starts_with("list:") ||
      choose<int>("--schedule", t.schedule, {{"canonical", 0}, {"random", 1}, {"list:FILE", 2}}) != 0) {
    not_built("--schedule", t.schedule);
  }
  if (choose<int>("--granularity", t.granularity, {{"coarse", 0}, {"fine", 1}}) != 0) not_built("--granularity", t.granularity);
  if (!t.ring_task_window.empty()) not_built("--ring-task-window", t.ring_task_window);
  if (!t.ring_heap.empty()) not_built("--ring-heap", t.ring_heap);
  if (!t.ring_dep_pool.empty()) not_built("--ring-dep-pool", t.ring_dep_pool);
  if (!t.timing.empty()) not_built("--timing", t.timing);
  if (t.check_invariants) throw UsageError("--check-invariants is not built yet");
  return o;
}

void record_options(const RunOptions& o, const runtime::ModelOptions& model, Profile profile, recording::Recording& recording) {
  const auto put = [&recording](std::string_view name, std::string_view value) {
    recording.options.name.push_back(recording.strings.add(name));
    recording.options.value.push_back(recording.strings.add(value));
  };
  put("program", o.program);
  put("entry", o.entry);
  put("passes", o.passes ? joined(*o.passes) : "default");
  put("stop-after", o.stop_after);
  put("analyze-auto-scopes", o.analyze_auto_scopes ? "on" : "off");
  put("profile", profile == Profile::Seed ? "seed" : "upstream-2026-08");
  put("platform", platform_name(model.platform));
  put("edges", model.edges == runtime::EdgeRepresentation::Split ? "split" : "coupled");
  put("reduce", reduction_text(model.reduction));
  put("hazards", "fixed");
  put("schedule", "canonical");
  put("seed", fmt::format("{}", o.seed));
  put("granularity", "coarse");
  put("arg", assignments_text(o.args));
  put("data", assignments_text(o.data));
  put("events", model.events == runtime::EventLevel::Full ? "full" : "summary");
}

}  // namespace depscope::app
