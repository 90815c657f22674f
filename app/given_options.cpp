#include "given_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "command.h"

namespace depscope::app {
namespace {

constexpr std::string_view kList = "list:";

/// NAME=VALUE of both lists; where both have a name, that of `own`.
std::vector<std::string> merged(const std::vector<std::string>& base, const std::vector<std::string>& own) {
  std::vector<std::string> out;
  for (const std::string& assignment : base) {
    const std::size_t equals = assignment.find('=');
    const bool replaced = equals != std::string::npos && std::any_of(own.begin(), own.end(), [&](const std::string& other) {
                            return other.compare(0, equals + 1, assignment, 0, equals + 1) == 0;
                          });
    if (!replaced) out.push_back(assignment);
  }
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

/// NAME=VALUE, NAME=FILE.json or FILE.json, told apart as `parse` and the run do.
GivenOption data_option(const std::string& text) {
  const std::size_t equals = text.find('=');
  std::error_code unreadable;  // a name that is too long, say; the run says what is wrong with it
  const bool alone = text.ends_with(".json") && std::filesystem::is_regular_file(text, unreadable);
  if (alone || equals == std::string::npos) return {"--data", "", text};
  const std::string name = text.substr(0, equals);
  const std::string value = text.substr(equals + 1);
  if (execute::is_data_value(name, value)) return {"--data", text, ""};
  return {"--data", name + "=", value};
}

/// Values that options have when they are not given.
std::string_view value_by_itself(std::string_view option, bool trace) {
  if (option == "passes") return "default";
  if (option == "analyze-auto-scopes" || option == "check-invariants") return "off";
  if (option == "profile") return "seed";
  if (option == "platform") return "a2a3";
  if (option == "edges") return "split";
  if (option == "reduce") return trace ? "none" : "bitmap:64";
  if (option == "schedule") return "canonical";
  if (option == "seed") return "1";
  if (option == "granularity") return "coarse";
  if (option == "ring-task-window" || option == "ring-dep-pool") return "16384,16384,16384,16384";
  if (option == "ring-heap") return "268435456,268435456,268435456,268435456";
  return "";
}

bool names_file(const recording::Recording& recording, const std::string& text, std::size_t file) {
  if (file >= recording.option_files.size()) return false;
  const recording::OptionFile& f = recording.option_files[file];
  return text == fmt::format("{} {}", f.name, f.digest);
}

}  // namespace

std::vector<GivenOption> given_options(const OptionTexts& t) {
  std::vector<GivenOption> out;
  const auto text = [&](const char* option, const std::string& value) {
    if (!value.empty()) out.push_back({option, value, ""});
  };
  const auto optional = [&](const char* option, const std::optional<std::string>& value) {
    if (value) out.push_back({option, *value, ""});
  };
  text("--program", t.program);
  optional("--entry", t.entry);
  optional("--passes", t.passes);
  optional("--stop-after", t.stop_after);
  text("--analyze-auto-scopes", t.analyze_auto_scopes);
  text("--profile", t.profile);
  text("--platform", t.platform);
  text("--edges", t.edges);
  text("--reduce", t.reduce);
  text("--hazards", t.hazards);
  if (t.schedule.starts_with(kList)) {
    out.push_back({"--schedule", std::string(kList), t.schedule.substr(kList.size())});
  } else {
    text("--schedule", t.schedule);
  }
  if (t.seed) text("--seed", std::to_string(*t.seed));
  text("--granularity", t.granularity);
  text("--ring-task-window", t.ring_task_window);
  text("--ring-heap", t.ring_heap);
  text("--ring-dep-pool", t.ring_dep_pool);
  if (t.scope_list) text("--scope-list", std::to_string(*t.scope_list));
  if (!t.timing.empty()) out.push_back({"--timing", "", t.timing});
  for (const std::string& arg : t.args) text("--arg", arg);
  for (const std::string& data : t.data) out.push_back(data_option(data));
  if (t.max_tasks) text("--max-tasks", std::to_string(*t.max_tasks));
  text("--events", t.events);
  if (t.check_invariants) text("--check-invariants", "true");
  return out;
}

std::vector<RecordedOption> recorded_options(const recording::Recording& recording, bool trace) {
  std::vector<RecordedOption> out;
  std::size_t file = 0;
  bool upstream = false;
  const auto add_file = [&](std::string option, std::string value, const std::string& named) {
    if (names_file(recording, named, file)) {
      out.push_back({std::move(option), std::move(value), file++});
    } else {
      out.push_back({std::move(option), value + named, std::nullopt});
    }
  };
  for (std::uint32_t i = 0; i < recording.options.rows(); ++i) {
    if (recording.text(recording.options.name[i]) == "imported") return {};  // nothing was run, the options say what was read
  }
  for (std::uint32_t i = 0; i < recording.options.rows(); ++i) {
    const std::string name(recording.text(recording.options.name[i]));
    std::string value(recording.text(recording.options.value[i]));
    const std::string option = "--" + name;
    if (name == "hazards" ? value == (upstream ? "faithful" : "fixed") : value == value_by_itself(name, trace)) continue;
    if (name == "profile") upstream = true;  // it stands before the hazards
    if (name == "timing") {
      add_file(option, "", value);
    } else if (name == "schedule" && value.starts_with(kList)) {
      add_file(option, std::string(kList), value.substr(kList.size()));
    } else if (name == "arg" || name == "data") {
      for (std::size_t begin = 0; begin <= value.size();) {
        const std::size_t end = std::min(value.find('\n', begin), value.size());
        const std::string line = value.substr(begin, end - begin);
        begin = end + 1;
        const std::size_t equals = line.find('=');
        const bool given = name == "arg" || (equals != std::string::npos &&
                                             execute::is_data_value(line.substr(0, equals), line.substr(equals + 1)));
        if (given) {
          out.push_back({option, line, std::nullopt});
        } else if (names_file(recording, line, file)) {
          add_file(option, "", line);
        } else {
          const std::size_t value_at = equals == std::string::npos ? 0 : equals + 1;
          add_file(option, line.substr(0, value_at), line.substr(value_at));
        }
      }
    } else if (name.starts_with("ring-")) {
      std::string numbers;
      bool limited = false;
      for (std::size_t begin = 0; begin <= value.size();) {  // a lifted limit is one that is not set
        const std::size_t end = std::min(value.find(',', begin), value.size());
        const std::string number = value.substr(begin, end - begin);
        limited = limited || number != "unlimited";
        numbers += (numbers.empty() ? "" : ",") + (number == "unlimited" ? "0" : number);
        begin = end + 1;
      }
      if (limited) out.push_back({option, numbers, std::nullopt});
    } else if (value == "on" || value == "off") {
      out.push_back({option, value == "on" ? "true" : "false", std::nullopt});
    } else {
      out.push_back({option, std::move(value), std::nullopt});
    }
  }
  return out;
}

OptionTexts with_words(const OptionTexts& base, const std::string& where, const std::vector<std::string>& words) {
  OptionTexts texts = base;
  texts.args.clear();
  texts.data.clear();
  CLI::App parser;
  parser.set_help_flag();
  add_run_options(parser, texts);
  std::vector<std::string> arguments;
  for (const std::string& word : words) {
    // "--name=" is an empty value; the parser would take the next word for it.
    if (word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1) {
      arguments.push_back(word.substr(0, word.size() - 1));
      arguments.emplace_back();
    } else {
      arguments.push_back(word);
    }
  }
  try {
    parser.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& e) {
    throw UsageError(fmt::format("{}: {}", where, e.what()));
  }
  texts.args = merged(base.args, texts.args);
  texts.data = merged(base.data, texts.data);
  return texts;
}

}  // namespace depscope::app
