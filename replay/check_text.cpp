// A check for people.
#include <fmt/format.h>

#include <string>

#include "depscope/replay/check.h"
#include "explain_words.h"

namespace depscope::replay {
namespace {

constexpr std::size_t kPairsNamed = 8;  // of a group, beside the first
constexpr std::size_t kLabelWidth = 8;

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

class CheckText {
 public:
  CheckText(std::string_view input, const TextOutput& output) : input_(input), output_(output) {}

  void take(const CheckFinding& finding) {
    if (finding.group != recording::kNoRow && finding.group == group_ && finding.kind == kind_) {
      ++more_;
      if (more_ <= kPairsNamed) pairs_ += fmt::format("{}{}", pairs_.empty() ? "" : ", ", finding.pair);
      return;
    }
    end_group();
    group_ = finding.group;
    kind_ = finding.kind;
    size_ = finding.group_size;
    head(finding);
    for (const auto& [label, text] : finding.details) detail(label, text);
    flush();
  }

  void end(const CheckCounts& c) {
    end_group();
    const std::uint64_t alarms = c.errors + c.warnings;
    std::string text = alarms == 0 ? std::string("clean") : counted(c.errors, "error", "errors");
    if (alarms != 0) text += fmt::format(", {}", counted(c.warnings, "warning", "warnings"));
    if (c.missing_order != 0) text += fmt::format(", {} without order", counted(c.missing_order, "pair", "pairs"));
    if (c.false_order != 0) text += fmt::format(", {} without a reason", counted(c.false_order, "edge", "edges"));
    if (c.lifetime != 0) text += fmt::format(", {} not kept alive", counted(c.lifetime, "buffer", "buffers"));
    if (c.cut) text += " (limits were reached: there may be more)";
    lines_.line(0, text);
    lines_.line(0, fmt::format("{}, {}; {} on {} looked up", counted(c.tasks, "task", "tasks"), counted(c.edges, "edge", "edges"),
                               counted(c.judged, "pair", "pairs"), counted(c.buffers, "shared buffer", "shared buffers")));
    if (c.unplaced != 0) {
      lines_.line(0, fmt::format("{} of unknown place or size: nothing is said about them",
                                 counted(c.unplaced, "argument", "arguments")));
    }
    if (c.skipped != 0) {
      lines_.line(0, fmt::format("{} with too many different views: not looked at", counted(c.skipped, "buffer", "buffers")));
    }
    flush();
  }

 private:
  void head(const CheckFinding& finding) {
    std::string text(input_);
    if (finding.line != 0) text += fmt::format(":{}", finding.line);
    if (!text.empty()) text += ": ";
    std::string kind(finding.kind);
    if (finding.group != recording::kNoRow) {
      for (char& c : kind) c = c == '_' ? ' ' : c;
    }
    text += fmt::format("{}: {}: {}", to_string(finding.severity), kind, finding.summary);
    if (finding.group_size > 1)
      text += fmt::format(", and so for {}", counted(finding.group_size - 1, "more pair", "more pairs"));
    lines_.line(0, text, 4);
  }

  void detail(std::string_view label, std::string_view text) {
    lines_.line(4, fmt::format("{:<{}}{}", label, kLabelWidth, text), kLabelWidth);
  }

  void end_group() {
    if (!pairs_.empty()) {
      const std::uint64_t named = std::min<std::uint64_t>(more_, kPairsNamed) + 1;
      if (size_ > named) pairs_ += fmt::format(", and {} more", size_ - named);
      detail("more", pairs_);
      flush();
    }
    pairs_.clear();
    more_ = 0;
    group_ = recording::kNoRow;
  }

  void flush() {
    output_(lines_.take());
    lines_ = TextLines();
  }

  std::string_view input_;
  const TextOutput& output_;
  TextLines lines_;
  std::uint32_t group_ = recording::kNoRow;
  std::string_view kind_;
  std::uint64_t size_ = 0;
  std::size_t more_ = 0;
  std::string pairs_;
};

}  // namespace

void write_check_text(const Check& check, const CheckOptions& options, std::string_view input, const TextOutput& output) {
  CheckText text(input, output);
  check.each(options, [&](const CheckFinding& finding) { text.take(finding); });
  text.end(check.counts());
}

}  // namespace depscope::replay
