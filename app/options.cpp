#include "options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

#include "command.h"
#include "input_description.h"
#include "schedule_file.h"
#include "timing_input.h"

namespace depscope::app {
namespace {

using runtime::ReductionKind;

[[noreturn]] void bad_value(std::string_view option, std::string_view value, std::string_view allowed) {
  throw UsageError(fmt::format("{}: \"{}\" is not allowed; allowed: {}", option, value, allowed));
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

/// CLI11 would take a negative number for a huge one, and one that is too large for the largest.
CLI::Validator number_from(std::uint64_t least) {
  return {[least](const std::string& value) {
            std::uint64_t number = 0;
            const char* end = value.data() + value.size();
            const auto [stop, error] = std::from_chars(value.data(), end, number);
            if (error == std::errc() && stop == end && number >= least) return std::string();
            return fmt::format("\"{}\" is not allowed; allowed: a number from {}", value, least);
          },
          ""};
}

CLI::Validator not_empty() {
  return {[](const std::string& value) { return value.empty() ? std::string("an empty value is not allowed") : std::string(); },
          ""};
}

using runtime::EdgeRepresentation;
const std::vector<std::pair<std::string_view, EdgeRepresentation>> kEdges{
    {"split", EdgeRepresentation::Split}, {"coupled", EdgeRepresentation::Coupled}, {"maskbug", EdgeRepresentation::MaskBug}};

/// Keeps the file and gives what is recorded of it: "NAME DIGEST".
std::string keep_file(std::string_view option, const SourceFile& source, recording::Recording& recording) {
  recording::OptionFile file{.option = std::string(option),
                             .name = std::filesystem::path(source.name()).filename().string(),
                             .digest = digest_of(source.text()),
                             .text = {}};
  if (source.text().size() <= kKeptInputBytes) file.text = std::string(source.text());
  std::string text = fmt::format("{} {}", file.name, file.digest);
  recording.option_files.push_back(std::move(file));
  return text;
}

/// One line for each --data: what was given in place, or the file that was named.
std::string data_text(const std::vector<std::pair<std::string, std::string>>& data, recording::Recording& recording) {
  std::string out;
  for (const auto& [name, value] : data) {
    if (!out.empty()) out += '\n';
    if (!name.empty()) out += name + "=";
    if (execute::is_data_value(name, value)) {
      std::string line = value;
      std::replace(line.begin(), line.end(), '\n', ' ');  // white space means nothing in it
      out += line;
      continue;
    }
    try {
      out += keep_file("--data", SourceFile::read(value, execute::kMaxDataBytes), recording);
    } catch (const InputError&) {  // the run says what is wrong with it, if it needs it
      out += std::filesystem::path(value).filename().string();
    }
  }
  return out;
}

void parse_schedule(const OptionTexts& t, RunOptions& o) {
  constexpr std::string_view kList = "list:";
  const bool list = t.schedule.starts_with(kList) && t.schedule.size() > kList.size();
  if (list) {
    o.schedule_source = std::make_shared<const SourceFile>(SourceFile::read(t.schedule.substr(kList.size()), kMaxScheduleBytes));
    o.schedule.kind = runtime::ScheduleKind::List;
    o.schedule.choices = read_choices(*o.schedule_source);
  } else if (!t.schedule.empty() && t.schedule != "canonical") {
    if (t.schedule != "random") bad_value("--schedule", t.schedule, "canonical, random, list:FILE");
    o.schedule.kind = runtime::ScheduleKind::Random;
  }
  if (t.seed) o.schedule.seed = *t.seed;
  if (!t.granularity.empty()) {
    o.schedule.granularity = choose<runtime::Granularity>(
        "--granularity", t.granularity, {{"coarse", runtime::Granularity::Coarse}, {"fine", runtime::Granularity::Fine}});
  }
  o.save_schedule = t.save_schedule;
}

runtime::PerRing parse_per_ring(std::string_view option, std::string_view text) {
  if (text.empty()) return {};
  const std::string allowed = fmt::format("one number, or {} by ring separated by commas", runtime::kRingCount);
  runtime::PerRing values{};
  const std::vector<std::string> tokens = split_commas(text);
  if (tokens.size() != 1 && tokens.size() != values.size()) bad_value(option, text, allowed);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const char* end = tokens[i].data() + tokens[i].size();
    const auto [stop, error] = std::from_chars(tokens[i].data(), end, values[i]);
    if (error != std::errc() || stop != end) bad_value(option, text, allowed);
  }
  return tokens.size() == 1 ? runtime::all_rings(values[0]) : values;
}

std::vector<std::string> given_for_run(const OptionTexts& t) {
  const std::vector<std::pair<std::string_view, bool>> options{
      {"--analyze-auto-scopes", !t.analyze_auto_scopes.empty()},
      {"--profile", !t.profile.empty()},
      {"--program", !t.program.empty()},
      {"--entry", t.entry.has_value()},
      {"--passes", t.passes.has_value()},
      {"--stop-after", t.stop_after.has_value()},
      {"--dump-passes", !t.dump_passes.empty()},
      {"--arg", !t.args.empty()},
      {"--data", !t.data.empty()},
      {"--max-tasks", t.max_tasks.has_value()},
      {"--platform", !t.platform.empty()},
      {"--edges", !t.edges.empty()},
      {"--reduce", !t.reduce.empty()},
      {"--events", !t.events.empty()},
      {"--hazards", !t.hazards.empty()},
      {"--schedule", !t.schedule.empty()},
      {"--seed", t.seed.has_value()},
      {"--granularity", !t.granularity.empty()},
      {"--save-schedule", !t.save_schedule.empty()},
      {"--ring-task-window", !t.ring_task_window.empty()},
      {"--ring-heap", !t.ring_heap.empty()},
      {"--ring-dep-pool", !t.ring_dep_pool.empty()},
      {"--scope-list", t.scope_list.has_value()},
      {"--timing", !t.timing.empty()},
      {"--check-invariants", t.check_invariants},
  };
  std::vector<std::string> given;
  for (const auto& [name, is_given] : options) {
    if (is_given) given.emplace_back(name);
  }
  return given;
}

std::string schedule_text(const RunOptions& o, recording::Recording& recording) {
  switch (o.schedule.kind) {
    case runtime::ScheduleKind::Random: return "random";
    case runtime::ScheduleKind::List: return "list:" + keep_file("--schedule", *o.schedule_source, recording);
    default: return "canonical";
  }
}

/// The values of the four rings; lifted ones by a word.
std::string per_ring_text(const runtime::ModelOptions& model, std::uint64_t runtime::RingLimits::*member) {
  runtime::ModelOptions lifted;
  lifted.lift_limits();
  std::string out;
  for (std::size_t ring = 0; ring < model.limits.size(); ++ring) {
    const std::uint64_t value = model.limits[ring].*member;
    out += out.empty() ? "" : ",";
    out += value == lifted.limits[ring].*member ? std::string("unlimited") : fmt::format("{}", value);
  }
  return out;
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
  text("--hazards", t.hazards, "Upstream behaviours H1 to H11 (default: fixed; with the profile upstream-2026-08 faithful)",
       "fixed|faithful[,H3=...]");
  text("--schedule", t.schedule, "Order of what may happen in any order (default: canonical)", "canonical|random|list:FILE");
  app.add_option("--seed", t.seed, "Seed of the random schedule (default: 1)")
      ->option_text("N")
      ->check(number_from(0))
      ->group("What is run and how");
  text("--granularity", t.granularity, "Steps of the schedule (default: coarse)", "coarse|fine");
  text("--save-schedule", t.save_schedule, "Write the choices that were made, for --schedule list:FILE", "FILE");
  text("--ring-task-window", t.ring_task_window, "Slots, one value or four by ring (0: not set)", "N[,N,N,N]");
  text("--ring-heap", t.ring_heap, "Heap bytes, one value or four by ring (0: not set)", "N[,N,N,N]");
  text("--ring-dep-pool", t.ring_dep_pool, "Nodes of the dep pool, one value or four by ring (0: not set)", "N[,N,N,N]");
  app.add_option("--scope-list", t.scope_list,
                 "Tasks that the list of all open scopes holds, smaller than it is (default: the sum of the task windows)")
      ->option_text("N")
      ->check(number_from(1))
      ->group("What is run and how");
  text("--timing", t.timing, "Kernel durations, or a real run: its timing, directory or recording (default: one unit a task)",
       "FILE");
  app.add_option("--arg", t.args, "Value of a scalar or a dynamic dimension")
      ->option_text("NAME=VALUE")
      ->group("What is run and how")
      ->allow_extra_args(false);
  app.add_option("--data", t.data, "Contents of a tensor that the orchestration reads")
      ->option_text("NAME=[...]|NAME=FILE.json|FILE.json")
      ->group("What is run and how")
      ->allow_extra_args(false);
  app.add_option("--max-tasks", t.max_tasks,
                 fmt::format("Give up a program that submits more tasks (default: {})", execute::RunLimits{}.max_tasks))
      ->option_text("N")
      ->check(number_from(1))
      ->group("What is run and how");
  text("--events", t.events, "How much of the run is recorded (default: auto)", "auto|full|summary");
  app.add_flag("--check-invariants", t.check_invariants, "Check the model's invariants after every event")
      ->group("What is run and how");
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

runtime::HazardSwitches parse_hazards(const std::string& text) {
  using runtime::HazardSwitches;
  const std::string allowed = fmt::format("fixed or faithful, then ,Hn=fixed or ,Hn=faithful with n from {} to {}",
                                          HazardSwitches::kFirst, HazardSwitches::kLast);
  const auto faithful = [&](std::string_view word) {
    if (word != "fixed" && word != "faithful") bad_value("--hazards", text, allowed);
    return word == "faithful";
  };
  HazardSwitches hazards;
  HazardSwitches given;
  bool first = true;
  for (const std::string& token : split_commas(text)) {
    if (std::exchange(first, false)) {
      if (faithful(token)) hazards = HazardSwitches::all_faithful();
      continue;
    }
    const std::size_t equals = token.find('=');
    int number = 0;
    const char* end = token.data() + std::min(equals, token.size());
    if (!token.starts_with('H') || equals == std::string::npos) bad_value("--hazards", text, allowed);
    const auto [stop, error] = std::from_chars(token.data() + 1, end, number);
    if (error != std::errc() || stop != end || number < HazardSwitches::kFirst || number > HazardSwitches::kLast)
      bad_value("--hazards", text, allowed);
    if (given.faithful(number)) throw UsageError(fmt::format("--hazards: H{} is given twice", number));
    given.set(number, true);
    hazards.set(number, faithful(std::string_view(token).substr(equals + 1)));
  }
  return hazards;
}

std::string hazards_text(runtime::HazardSwitches hazards) {
  using runtime::HazardSwitches;
  constexpr int kCount = HazardSwitches::kLast - HazardSwitches::kFirst + 1;
  int faithful = 0;
  for (int i = HazardSwitches::kFirst; i <= HazardSwitches::kLast; ++i) faithful += hazards.faithful(i) ? 1 : 0;
  // In the shorter of the two ways.
  const bool base = 2 * faithful > kCount;
  std::string out = base ? "faithful" : "fixed";
  for (int i = HazardSwitches::kFirst; i <= HazardSwitches::kLast; ++i) {
    if (hazards.faithful(i) != base) out += fmt::format(",H{}={}", i, base ? "fixed" : "faithful");
  }
  return out;
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
  if (!t.platform.empty()) {
    o.platform =
        choose<runtime::Platform>("--platform", t.platform, {{"a2a3", runtime::Platform::A2A3}, {"a5", runtime::Platform::A5}});
  }
  if (!t.edges.empty()) o.edges = choose<EdgeRepresentation>("--edges", t.edges, kEdges);
  if (!t.reduce.empty()) o.reduction = parse_reduction("--reduce", t.reduce);
  if (o.edges == EdgeRepresentation::MaskBug && o.reduction && o.reduction->kind != ReductionKind::None)
    throw UsageError(
        fmt::format("--reduce {} does not go with --edges maskbug: maskbug knows only WAIT and WAIT|RETAIN", t.reduce));
  if (!t.events.empty()) {
    o.events = choose<EventChoice>("--events", t.events,
                                   {{"auto", EventChoice::Auto}, {"full", EventChoice::Full}, {"summary", EventChoice::Summary}});
  }
  if (t.max_tasks) o.max_tasks = *t.max_tasks;
  o.args = parse_assignments("--arg", t.args);
  // A file of arrays by name stands alone; everything else is NAME=….
  std::vector<std::string> named;
  for (const std::string& text : t.data) {
    std::error_code unreadable;  // a name that is too long, say
    if (text.ends_with(".json") && std::filesystem::is_regular_file(text, unreadable)) {
      o.data.emplace_back("", text);
    } else {
      named.push_back(text);
    }
  }
  for (auto& assignment : parse_assignments("--data", named)) o.data.push_back(std::move(assignment));

  if (!t.hazards.empty()) o.hazards = parse_hazards(t.hazards);
  parse_schedule(t, o);
  o.ring_limits = {parse_per_ring("--ring-task-window", t.ring_task_window), parse_per_ring("--ring-heap", t.ring_heap),
                   parse_per_ring("--ring-dep-pool", t.ring_dep_pool)};
  if (!t.timing.empty()) {
    o.timing_source = std::make_shared<const SourceFile>(read_timing(t.timing));
    o.durations = std::make_shared<const execute::Durations>(execute::Durations::read(*o.timing_source));
  }
  o.scope_list = t.scope_list.value_or(0);
  o.check_invariants = t.check_invariants;
  o.given_for_run = given_for_run(t);
  o.given = t;
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
  put("edges", std::find_if(kEdges.begin(), kEdges.end(), [&](const auto& e) { return e.second == model.edges; })->first);
  put("reduce", reduction_text(model.reduction));
  put("hazards", hazards_text(model.hazards));
  put("schedule", schedule_text(o, recording));
  put("seed", fmt::format("{}", model.schedule.seed));
  put("granularity", model.schedule.granularity == runtime::Granularity::Coarse ? "coarse" : "fine");
  put("ring-task-window", per_ring_text(model, &runtime::RingLimits::task_window));
  put("ring-heap", per_ring_text(model, &runtime::RingLimits::heap));
  put("ring-dep-pool", per_ring_text(model, &runtime::RingLimits::dep_pool));
  if (model.scope_list_entries != 0) put("scope-list", fmt::format("{}", model.scope_list_entries));
  put("timing", o.timing_source == nullptr ? "" : keep_file("--timing", *o.timing_source, recording));
  put("arg", assignments_text(o.args));
  put("data", data_text(o.data, recording));
  put("events", model.events == runtime::EventLevel::Full ? "full" : "summary");
  put("check-invariants", model.check_invariants ? "on" : "off");
}

}  // namespace depscope::app
