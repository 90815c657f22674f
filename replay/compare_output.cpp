// A comparison as text and as depscope.diff/1.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "depscope/replay/compare.h"
#include "json_writer.h"

namespace depscope::replay {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kShownPairs = 40;
constexpr std::size_t kLabelWidth = 60;

/// Columns that a text takes: bytes that begin a character.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// Breaks a line at spaces, so that it fits behind what it begins with; what follows is indented.
std::string wrapped(std::string_view text, std::string begin, std::size_t indent) {
  std::string out = std::move(begin);
  std::size_t column = width_of(out);
  bool fresh = true;  // a word that alone is too long stays where it is
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' ', 1), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    if (!fresh && column + width_of(word) > kWidth) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
      while (word.starts_with(' ')) word.remove_prefix(1);
    }
    out += word;
    column += width_of(word);
    fresh = false;
  }
  return out + "\n";
}

/// At most so many columns; what is cut off shows.
std::string clipped(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  std::size_t bytes = 0;
  for (std::size_t columns = 0; columns + 1 < width; ++columns) {
    ++bytes;
    while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) ++bytes;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string_view heading(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::Option: return "Options (a | b)";
    case DifferenceKind::Pass: return "Passes";
    case DifferenceKind::PassText: return "Text of functions";
    case DifferenceKind::LoopKind: return "Loops (a | b)";
    case DifferenceKind::Function: return "Functions";
    case DifferenceKind::CallSite: return "Call sites";
    case DifferenceKind::Direction: return "Directions (a | b)";
    case DifferenceKind::Fallback: return "Regions (a | b)";
    case DifferenceKind::Scope: return "Scopes (a | b)";
    case DifferenceKind::Coverage: return "What covers a hazard (a | b)";
    case DifferenceKind::Kernel: return "Kernels (a | b)";
    case DifferenceKind::TaskCount: return "Number of tasks (a | b)";
    case DifferenceKind::Task: return "Tasks";
    case DifferenceKind::Argument: return "Arguments (a | b)";
    case DifferenceKind::BlockNum: return "Blocks (a | b)";
    case DifferenceKind::EarlyDispatch: return "Early dispatch (a | b)";
    case DifferenceKind::Edges: return "Number of edges (a | b)";
    case DifferenceKind::Pair: return "Edges without counterpart";
    case DifferenceKind::Flags: return "Flags of edges (a | b)";
    case DifferenceKind::Provenance: return "Who asked for edges (a | b)";
    case DifferenceKind::FinalFlags: return "Flags after reduction (a | b)";
    case DifferenceKind::CompletionOrder: return "Order of completion (a | b)";
    case DifferenceKind::Lifetime: return "Lifetimes (a | b)";
    case DifferenceKind::Resources: return "Resources (a | b)";
  }
  return {};
}

class TextWriter {
 public:
  TextWriter(const Comparison& comparison, bool facts) : c_(comparison), facts_(facts) {}

  std::string run() {
    side('a', c_.a);
    side('b', c_.b);
    alignment();
    for (const Comparison::Assumption& a : c_.assumptions) {
      out_ += wrapped(fmt::format("assumed: {} of {}: {} ({} equal with it, {} not)", a.what, a.side, a.why,
                                  plural(a.equal, "edge"), a.differs),
                      "", 2);
    }
    gaps();
    kernel_pairs();
    details();
    verdict();
    return std::move(out_);
  }

 private:
  void side(char letter, const Comparison::Side& s) {
    out_ += wrapped(fmt::format("{}: {} ({}), {}, {}", letter, s.input.empty() ? "?" : s.input, s.detail, plural(s.tasks, "task"),
                                plural(s.edges, "edge")),
                    "", 4);
  }

  void alignment() {
    const auto& a = c_.alignment;
    const std::string_view by = a.by == AlignedBy::TaskId              ? "task id"
                                : a.by == AlignedBy::CallSiteIteration ? "call site and iteration"
                                                                       : "kernel and order";
    out_ += wrapped(
        fmt::format("aligned by {}: {} matched, {} only in a, {} only in b", by, plural(a.matched, "task"), a.only_a, a.only_b),
        "", 4);
  }

  /// Several things may not be compared for one reason.
  void gaps() {
    for (std::size_t i = 0; i < c_.gaps.size();) {
      std::string what = c_.gaps[i].what;
      const std::string& why = c_.gaps[i].why;
      for (++i; i < c_.gaps.size() && c_.gaps[i].why == why; ++i) what += ", " + c_.gaps[i].what;
      out_ += wrapped(fmt::format("not compared: {}: {}", what, why), "", 2);
    }
  }

  void kernel_pairs() {
    if (c_.kernel_pairs.empty()) return;
    std::vector<std::string> labels;
    std::size_t label_width = 0;
    std::size_t differing = 0;
    for (const Comparison::KernelPair& p : c_.kernel_pairs) {
      if (p.only_a + p.only_b == 0) break;  // the most different come first
      ++differing;
    }
    const std::size_t shown = std::min(differing, kShownPairs);
    for (std::size_t i = 0; i < shown; ++i) {
      const Comparison::KernelPair& p = c_.kernel_pairs[i];
      labels.push_back(p.first == p.second ? "self-chain of " + p.first : p.first + " -> " + p.second);
      label_width = std::max(label_width, std::min(width_of(labels.back()), kLabelWidth));
    }
    out_ += "\nEdges by kernel pair\n";
    for (std::size_t i = 0; i < shown; ++i) {
      const Comparison::KernelPair& p = c_.kernel_pairs[i];
      const std::size_t padding = label_width - std::min(label_width, width_of(labels[i]));
      std::string line = fmt::format("  {}:{} {:>7} -> {}", labels[i], std::string(padding, ' '), p.a, p.b);
      if (p.only_a != 0 && p.only_b != 0) line += fmt::format("   ({} only in a, {} only in b)", p.only_a, p.only_b);
      out_ += line + "\n";
    }
    if (shown < differing) out_ += fmt::format("  … and {} more pairs of kernels that differ\n", differing - shown);
    const std::size_t equal = c_.kernel_pairs.size() - differing;
    if (equal != 0) {
      std::uint64_t edges = 0;
      for (std::size_t i = differing; i < c_.kernel_pairs.size(); ++i) edges += c_.kernel_pairs[i].a;
      out_ += fmt::format("  {} of kernels with equal edges ({})\n", plural(equal, "pair"), plural(edges, "edge"));
    }
  }

  void details() {
    for (std::size_t k = 0; k < kDifferenceKinds; ++k) {
      const auto kind = static_cast<DifferenceKind>(k);
      const Comparison::Count& count = c_.counts[k];
      std::vector<const Difference*> rows;
      for (const Difference& d : c_.differences) {
        // Options are few, and whoever compares wants to see that they are not the same.
        if (d.kind == kind && (d.severity != Severity::Info || facts_ || kind == DifferenceKind::Option)) rows.push_back(&d);
      }
      if (rows.empty() && count.within_threshold == 0 && count.total == 0) continue;
      out_ += fmt::format("\n{}{}\n", heading(kind), count.total == 0 ? "" : fmt::format(": {}", count.total));
      for (const Difference* d : rows) {
        out_ += wrapped(d->severity == Severity::Info && kind != DifferenceKind::Option ? "info: " + d->summary : d->summary,
                        "  ", 6);
        if (kind == DifferenceKind::PassText && d->severity != Severity::Info) diff_lines(*d);
      }
      if (unlisted(kind) != 0) out_ += fmt::format("  … and {} more\n", unlisted(kind));
      if (count.within_threshold != 0) out_ += fmt::format("  {} below the threshold\n", count.within_threshold);
    }
  }

  /// Rows that stand for several differences are listed once.
  [[nodiscard]] std::uint64_t unlisted(DifferenceKind kind) const {
    std::uint64_t covered = 0;
    for (const Difference& d : c_.differences) {
      if (d.kind != kind || d.severity == Severity::Info) continue;
      covered += d.covers;
    }
    const std::uint64_t total = c_.counts[static_cast<std::size_t>(kind)].total;
    return total - std::min(total, covered);
  }

  void diff_lines(const Difference& d) {
    for (const std::string& line : d.lines) {
      // What changed is shown whole; of what is around it the beginning is enough.
      if (line.starts_with('+') || line.starts_with('-')) {
        const std::size_t text = std::min(line.find_first_not_of(' ', 1), line.size());
        out_ += wrapped(std::string_view(line).substr(text), "    " + line.substr(0, text), text + 8);
      } else {
        out_ += fmt::format("    {}\n", clipped(line, kWidth - 4));
      }
    }
  }

  void verdict() {
    const std::uint64_t total = c_.total();
    if (total == 0) {
      out_ += c_.assumptions.empty() && c_.gaps.empty() ? "\nno difference\n" : "\nno difference in what both can tell\n";
      return;
    }
    std::size_t kinds = 0;
    for (const Comparison::Count& count : c_.counts) kinds += count.total != 0 ? 1 : 0;
    out_ += fmt::format("\n{} of {}\n", plural(total, "difference"), plural(kinds, "kind"));
  }

  const Comparison& c_;
  bool facts_;
  std::string out_;
};

}  // namespace

std::string comparison_text(const Comparison& comparison, bool facts) { return TextWriter(comparison, facts).run(); }

std::string comparison_json(const Comparison& c, bool facts) {
  std::string out;
  const TextOutput output = [&out](std::string_view piece) { out += piece; };
  JsonWriter w(output);
  w.begin_object().field("schema", "depscope.diff/1");
  w.key("findings").begin_list();
  for (const Difference& d : c.differences) {
    if (d.severity == Severity::Info && !facts) continue;
    const nlohmann::ordered_json head{
        {"kind", "difference"}, {"severity", std::string(to_string(d.severity))}, {"summary", d.summary}};
    std::string finding = head.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    finding.back() = ',';
    w.json(finding + d.fields.substr(1));
  }
  w.end_list();
  for (const auto& [letter, side] : {std::pair{"a", &c.a}, std::pair{"b", &c.b}}) {
    w.key(letter).begin_object();
    w.field("input", side->input)
        .field("detail", side->detail)
        .field("tasks", side->tasks)
        .field("edges", side->edges)
        .end_object();
  }
  w.key("alignment").begin_object().field("by", aligned_by_name(c.alignment.by)).field("matched", c.alignment.matched);
  w.field("only_a", c.alignment.only_a).field("only_b", c.alignment.only_b).end_object();
  w.key("edges_by_kernel_pair").begin_list();
  for (const Comparison::KernelPair& p : c.kernel_pairs) {
    w.begin_object().field("first", p.first).field("second", p.second).field("a", p.a).field("b", p.b);
    w.field("only_a", p.only_a).field("only_b", p.only_b).end_object();
  }
  w.end_list().key("assumed").begin_list();
  for (const Comparison::Assumption& a : c.assumptions) {
    w.begin_object().field("side", std::string_view(&a.side, 1)).field("what", a.what).field("why", a.why);
    w.field("equal", a.equal).field("differs", a.differs).end_object();
  }
  w.end_list().key("not_compared").begin_list();
  for (const Comparison::Gap& gap : c.gaps) w.begin_object().field("what", gap.what).field("why", gap.why).end_object();
  w.end_list().key("totals").begin_object();
  for (std::size_t k = 0; k < kDifferenceKinds; ++k) {
    const Comparison::Count& count = c.counts[k];
    if (count.total == 0 && count.within_threshold == 0) continue;
    w.key(difference_kind_name(static_cast<DifferenceKind>(k))).begin_object();
    w.field("differences", count.total).field("listed", count.listed);
    if (count.within_threshold != 0) w.field("below_threshold", count.within_threshold);
    w.end_object();
  }
  w.end_object().end_object().finish();
  return out;
}

}  // namespace depscope::replay
