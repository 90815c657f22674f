#include "depscope/replay/bundle_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "depscope/replay/check.h"
#include "depscope/replay/row_names.h"
#include "depscope/replay/summary_text.h"
#include "file_members.h"
#include "markdown_text.h"

namespace depscope::replay {
namespace {

using nlohmann::json;
using recording::kNoRow;
using recording::Recording;

constexpr std::size_t kMaxPlaces = 8;
constexpr std::size_t kMaxFindingLines = 120;
constexpr std::uint32_t kMaxCheckedTasks = 200'000;  // above, check takes longer than all the rest

/// The call that submitted the task, as --why names calls; empty if no call of the program did.
std::string call_text(const Recording& r, std::uint32_t task) {
  const std::uint32_t site = r.tasks.call_site[task];
  if (site == kNoRow) return "";
  return shell_word(fmt::format("{}:{}", r.text(r.functions.name[r.call_sites.function[site]]), r.call_sites.index[site]));
}

/// The command that shows what a finding is about, empty if there is none better than check itself.
std::string place_of(const Recording& r, const CheckFinding& finding, const std::string& file) {
  if (finding.first != kNoRow && finding.second != kNoRow) {
    const std::string first = call_text(r, finding.first);
    const std::string second = call_text(r, finding.second);
    if (!first.empty() && !second.empty()) return fmt::format("depscope explain {} --why {} {}", file, first, second);
    if (r.events.rows() == 0) return "";
    const std::string task = task_row_name(r, finding.second);
    return fmt::format("depscope replay {} --move 'next kind=submit task={}' --task {}", file, task, task);
  }
  const json fields = json::parse(finding.fields, nullptr, false);
  if (!fields.is_object()) return "";
  if (const auto event = fields.find("event"); event != fields.end() && event->is_number_unsigned())
    return fmt::format("depscope replay {} --to {}", file, event->get<std::uint64_t>() + 1);
  const auto function = fields.find("function");
  if (function == fields.end() || !function->is_string()) return "";
  std::string out = fmt::format("depscope explain {} --function {}", file, shell_word(function->get<std::string>()));
  const auto call = fields.find("call");
  if (call != fields.end() && call->is_object() && call->contains("index") && (*call)["index"].is_number_unsigned())
    out += fmt::format(" --call {}", (*call)["index"].get<std::uint64_t>());
  return out;
}

/// A block that no line of `text` can end.
std::string fenced(std::string_view text) {
  const std::string fence = markdown_fence(text, 3);
  return fmt::format("{}\n{}{}{}\n", fence, text, text.empty() || text.ends_with('\n') ? "" : "\n", fence);
}

std::string command_line(const Bundle& kept) {
  std::string out = "depscope run";
  if (kept.run.directory) {
    out += " input";
  } else if (!kept.run.input.empty()) {
    out += " " + shell_word(kept.run.input[0].name);
  }
  for (const BundleOption& option : kept.run.options) {
    const std::string file = option.file ? kept.run.option_files[*option.file].name : "";
    const std::string value = option.value + file;
    out += " " + (value.empty() ? option.option + "=" : shell_word(option.option + "=" + value));
  }
  return out;
}

class Lines {
 public:
  void add(std::string_view piece) {
    for (const char c : piece) {
      if (c == '\n') ++lines_;
      if (lines_ < kMaxFindingLines || (c == '\n' && lines_ == kMaxFindingLines)) text_ += c;
    }
  }
  /// `file`: of the command that prints the rest.
  [[nodiscard]] std::string text(const std::string& file) const {
    if (lines_ <= kMaxFindingLines) return text_;
    return text_ + fmt::format("… and {} more lines: depscope check {}\n", lines_ - kMaxFindingLines, file);
  }

 private:
  std::string text_;
  std::size_t lines_ = 0;
};

std::string size_text(std::uint64_t bytes) { return fmt::format("{} bytes", bytes); }

}  // namespace

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

BundleReportWriter::BundleReportWriter(const Recording* recording, BundleReportFacts facts)
    : recording_(recording), facts_(std::move(facts)) {
  if (recording_ == nullptr || recording_->tasks.rows() > kMaxCheckedTasks) return;
  const Check check(*recording_);
  Lines lines;
  write_check_text(check, {}, recording_->input_name, [&](std::string_view piece) { lines.add(piece); });
  const std::string file = shell_word(facts_.file);
  findings_ = lines.text(file);
  check.each({}, [&](const CheckFinding& finding) {
    if (finding.severity == Severity::Info) return;
    if (places_.size() == kMaxPlaces) {
      ++more_places_;
      return;
    }
    const std::string command = place_of(*recording_, finding, file);
    if (command.empty()) return;
    const std::string line = fmt::format("- {}: {}", markdown_code(command), markdown_text(finding.summary));
    if (std::find(places_.begin(), places_.end(), line) == places_.end()) places_.push_back(line);
  });
}

std::string BundleReportWriter::text(const Bundle& kept, const std::vector<BundleDropped>& dropped) const {
  const std::string name = recording_ == nullptr              ? (kept.run.input.empty() ? facts_.file : kept.run.input[0].name)
                           : recording_->program_name.empty() ? recording_->input_name
                                                              : recording_->program_name;
  const std::string file = shell_word(facts_.file);
  const auto command = [](const std::string& words) { return markdown_code("depscope " + words); };
  std::string out = fmt::format("# DepScope report: {}\n\n", markdown_text(name));
  out += "<!-- Say here what you expected and what happened instead. -->\n\n";
  out += fmt::format("- Command: {}\n", markdown_code(command_line(kept)));
  if (!kept.run.input.empty()) {
    out +=
        fmt::format("- Run it again: {}{}\n", command("run " + file),
                    kept.difference.empty() ? "" : fmt::format(" (gives another recording: {})", markdown_text(kept.difference)));
  } else {
    out += fmt::format("- It cannot be run again from this bundle: {}\n",
                       kept.difference.empty() ? "the input was left out" : markdown_text(kept.difference));
  }
  out += fmt::format("- Machine: {}\n", facts_.machine);
  if (kept.redacted)
    out += "- Redacted: names, comments, paths and addresses are not the original ones; shapes, sizes and numbers are\n";
  out += fmt::format("\n{}", fenced(facts_.versions));

  if (!kept.error.empty()) out += "\n## It does not run\n\n" + fenced(kept.error);
  if (recording_ != nullptr) {
    out += "\n## Findings\n\n";
    if (recording_->tasks.rows() > kMaxCheckedTasks) {
      out += fmt::format("Not checked here: {} tasks, the limit is {}. {} does it.\n", recording_->tasks.rows(), kMaxCheckedTasks,
                         command("check " + file));
    } else {
      out += fenced(findings_);
    }
    out += "\n## What to look at\n\n";
    for (const std::string& place : places_) out += place + "\n";
    if (more_places_ > 0) out += fmt::format("- {}: {} more like these\n", command("check " + file), more_places_);
    if (places_.empty()) out += "No warning and no error. These show what was decided and what happened:\n\n";
    out += fmt::format("- {}: what the passes decided, and why\n", command("explain " + file));
    out +=
        fmt::format("- {}: the state after N of {} events\n", command("replay " + file + " --to N"), recording_->events.rows());
    out += fmt::format("- {}: the window\n", command("view " + file));
    // One level down, below this report's own headings.
    std::string summary = summary_text(*recording_, {.markdown = true});
    for (std::size_t at = 0; (at = summary.find("\n#", at)) != std::string::npos; at += 3) summary.insert(at + 1, "#");
    out += "\n#" + summary;
  }

  out += "\n## In this bundle\n\n| member | size | what it is |\n| --- | --- | --- |\n";
  const auto row = [&](std::string_view member, std::uint64_t bytes, std::string_view what) {
    out += fmt::format("| {} | {} | {} |\n", member, size_text(bytes), what);
  };
  for (std::size_t i = 0; i < kept.run.input.size(); ++i)
    row(bundle_input_member(kept.run.input[i].name, i), kept.run.input[i].text.size(), "the input");
  for (std::size_t i = 0; i < kept.run.option_files.size(); ++i)
    row(option_file_member(i, kept.run.option_files[i].name), kept.run.option_files[i].text.size(),
        "a file that an option names");
  if (!kept.recording.empty()) row(kBundleRecording, kept.recording.size(), "everything that was decided and that happened");
  for (const BundleExtra& extra : kept.extras) row(extra.member, extra.bytes.size(), extra.what);
  for (const BundleDropped& d : dropped) row(d.member, d.bytes, "left out: the bundle would have been too large");
  return out;
}

}  // namespace depscope::replay
