// A picture of how long each task held its slot and buffers, and for whom.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "depscope/runtime/submission.h"
#include "html_retainers.h"
#include "html_sections.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

constexpr double kLabelWidth = 200;
constexpr double kWidth = 1000;
constexpr double kRight = 16;  // room for the mark of an open end
constexpr double kRow = 18;
constexpr double kBar = 12;
constexpr double kAxis = 22;
constexpr std::size_t kLabelBytes = 28;

struct SegmentKind {
  std::string_view classes, title, words;
};
constexpr std::array<SegmentKind, 5> kSegments{{
    {"s-wait", "waiting", "pale: from the submit, which allocates slot and buffers, to the dispatch"},
    {"s-work", "running", "full: to the completion"},
    {"s-read", "read", "stripes: to the release by the last consumer that retains it"},
    {"s-held", "held", "dots: until it is consumed, held by its scope or its own release"},
    {"s-idle", "consumed", "outline: until the watermark passes it and slot and buffers can be used again"},
}};

constexpr std::string_view kPatterns = R"svg(<defs>
<pattern id="p-read" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="6" height="6" class="read-ground"/><rect width="2.5" height="6" class="read-mark"/></pattern>
<pattern id="p-held" width="5" height="5" patternUnits="userSpaceOnUse">
<rect width="5" height="5" class="held-ground"/><circle cx="2.5" cy="2.5" r="1.1" class="held-mark"/></pattern>
</defs>
)svg";

constexpr std::string_view kLegendOfScopes = R"svg(
<li><svg width="28" height="14" aria-hidden="true"><rect class="scope-auto" x="1" y="4" width="26" height="6"/></svg>
<b>AUTO scope</b> filled bar</li>
<li><svg width="28" height="14" aria-hidden="true"><rect class="scope-manual" x="1" y="4" width="26" height="6"/></svg>
<b>MANUAL scope</b> outlined bar</li>
<li><b class="open-end">▸</b> not over at the end of the run</li></ul>
)svg";

constexpr std::array<std::string_view, 4> kOwners{"user", "compiler", "materialised", "implicit"};

class LifetimePicture {
 public:
  LifetimePicture(const HtmlPage& page, std::vector<std::uint32_t> tasks)
      : page_(page), r_(page.r), t_(page.times), tasks_(std::move(tasks)), retainers_(page.r, tasks_, page.o.max_items) {
    begin_ = t_.end;
    for (const std::uint32_t t : tasks_) {
      begin_ = std::min(begin_, t_.submitted[t]);
      end_ = std::max(end_, std::min(t_.reclaimed[t], t_.end));
    }
    for (std::uint32_t s = 0; s < r_.scopes.rows(); ++s) {
      if (t_.scope_begin[s] != kNever && t_.scope_begin[s] <= end_ && t_.scope_end[s] >= begin_) scopes_.push_back(s);
    }
    all_scopes_ = scopes_.size();
    if (all_scopes_ > page_.o.max_scope_rows) {
      const auto open = [this](std::uint32_t s) { return std::min(t_.scope_end[s], t_.end) - t_.scope_begin[s]; };
      std::nth_element(scopes_.begin(), scopes_.begin() + page_.o.max_scope_rows, scopes_.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return open(a) != open(b) ? open(a) > open(b) : a < b; });
      scopes_.resize(page_.o.max_scope_rows);
      std::sort(scopes_.begin(), scopes_.end());
    }
  }

  void write() {
    if (begin_ > 0 || end_ < t_.end) {
      page_.out.raw("<p class=\"more\">Logical time ").number(begin_).raw(" to ").number(end_).raw(" of 0 to ");
      page_.out.number(t_.end).raw(": where these tasks live.</p>\n");
    }
    const double height = kAxis * 2 + kRow * static_cast<double>(scopes_.size() + tasks_.size());
    HtmlWriter& out = page_.out;
    out.raw(R"(<div class="box picture" tabindex="0" role="region" aria-label="Lifetimes">)");
    out.raw(fmt::format(R"(<svg id="lifetime-picture" viewBox="0 0 {} {}" role="img" aria-label="{}">)", kWidth, height,
                        "Lifetimes of slots and buffers over logical time"));
    out.raw(kPatterns);
    axis(height);
    for (std::size_t i = 0; i < scopes_.size(); ++i) scope(scopes_[i], kAxis + kRow * static_cast<double>(i));
    const double below = kAxis + kRow * static_cast<double>(scopes_.size());
    for (std::size_t i = 0; i < tasks_.size(); ++i) task(i, below + kRow * static_cast<double>(i));
    out.raw("</svg></div>\n");
    left_out(out, scopes_.size(), all_scopes_, "scopes of that time", "those that were open longest",
             "depscope export FILE --format csv --table scopes -o OUT");
  }

 private:
  [[nodiscard]] double x(std::uint32_t time) const {
    const double share =
        static_cast<double>(std::clamp(time, begin_, end_) - begin_) / std::max(1.0, static_cast<double>(end_ - begin_));
    return kLabelWidth + (kWidth - kLabelWidth - kRight) * share;
  }

  void axis(double height) {
    HtmlWriter& out = page_.out;
    std::uint64_t step = 1;
    // 1, 2, 5, 10, 20, … so that there are at most ten.
    for (std::uint32_t i = 0; (end_ - begin_) / step > 10; ++i) step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    out.raw("<g class=\"axis\">");
    for (std::uint64_t time = (begin_ + step - 1) / step * step; time <= end_; time += step) {
      const double at = x(static_cast<std::uint32_t>(time));
      out.raw(fmt::format(R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}"/>)", at, kAxis - 5, height - kAxis + 5));
      out.raw(fmt::format(R"(<text x="{0:.1f}" y="{1}">{3}</text><text x="{0:.1f}" y="{2}">{3}</text>)", at, kAxis - 8,
                          height - 6, time));
    }
    out.raw(fmt::format("<text class=\"label\" x=\"4\" y=\"{}\">logical time</text></g>\n", kAxis - 8));
  }

  void label(double y, std::string_view text) {
    const std::string_view shown = cut_text(text, kLabelBytes);
    page_.out.raw(fmt::format(R"(<text class="label" x="4" y="{:.1f}">)", y + kBar));
    page_.out.text(shown).raw(shown.size() < text.size() ? "…</text>" : "</text>");
  }

  void scope(std::uint32_t s, double y) {
    HtmlWriter& out = page_.out;
    const bool manual = r_.scopes.manual[s] != 0;
    const std::uint32_t end = std::min(t_.scope_end[s], t_.end);
    const std::string name = fmt::format("scope {} {} ({})", s, manual ? "MANUAL" : "AUTO", kOwners[r_.scopes.owner[s]]);
    out.raw("<g class=\"scope\"><title>");
    out.text(fmt::format("{}, depth {}, ring {}: from {} {}", name, r_.scopes.depth[s], r_.scopes.ring[s], t_.scope_begin[s],
                         t_.scope_end[s] == kNever ? "and open at the end" : fmt::format("to {}", end)));
    out.raw("</title>");
    label(y, name);
    out.raw(fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"6\" rx=\"2\"/></g>\n",
                        manual ? "scope-manual" : "scope-auto", x(t_.scope_begin[s]), y + 6,
                        std::max(2.0, x(end) - x(t_.scope_begin[s]))));
  }

  void segment(std::string_view classes, std::uint32_t begin, std::uint32_t end, double y) {
    if (begin >= end) return;
    page_.out.raw(fmt::format(R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}"/>)", classes, x(begin), y + 3,
                              std::max(1.0, x(end) - x(begin)), kBar));
  }

  void task(std::size_t i, double y) {
    HtmlWriter& out = page_.out;
    const std::uint32_t t = tasks_[i];
    const std::uint32_t begin = t_.submitted[t];
    const std::uint32_t completed = std::min(t_.completed[t], t_.end);
    const std::uint32_t read = t_.last_reader[t] == kNever ? completed : std::clamp(t_.last_reader[t], completed, t_.end);
    const std::uint32_t consumed = std::max(read, std::min(t_.consumed[t], t_.end));
    const std::uint32_t reclaimed = std::max(consumed, std::min(t_.reclaimed[t], t_.end));
    const bool link = page_.has_task_row(t);
    if (link) out.raw("<a href=\"#task-").number(t).raw("\">");
    out.raw("<g class=\"life\"><title>").text(tooltip(i)).raw("</title>");
    out.raw(fmt::format(R"(<rect class="hit" x="0" y="{:.1f}" width="{}" height="{}"/>)", y, kWidth, kRow));
    label(y, page_.names.text(t));
    if (begin == reclaimed)
      out.raw(fmt::format(R"(<rect class="s-work" x="{:.1f}" y="{:.1f}" width="2" height="{}"/>)", x(begin), y + 3, kBar));
    const std::uint32_t dispatched = t_.dispatched[t] == kNever && t_.completed[t] != kNever
                                         ? begin  // allocations and barriers are not dispatched
                                         : std::clamp(t_.dispatched[t], begin, std::max(begin, completed));
    segment(kSegments[0].classes, begin, dispatched, y);
    segment(kSegments[1].classes, dispatched, completed, y);
    segment(kSegments[2].classes, completed, read, y);
    segment(kSegments[3].classes, read, consumed, y);
    segment(kSegments[4].classes, consumed, reclaimed, y);
    if (t_.reclaimed[t] == kNever)
      out.raw(fmt::format(R"(<text class="open" x="{:.1f}" y="{:.1f}">▸</text>)", x(t_.end) + 2, y + kBar + 1));
    out.raw(link ? "</g></a>\n" : "</g>\n");
  }

  [[nodiscard]] std::string tooltip(std::size_t i) const {
    const std::uint32_t t = tasks_[i];
    const auto at = [](std::uint32_t time) { return time == kNever ? std::string("not in this run") : fmt::format("{}", time); };
    std::string out = fmt::format("{} (task {}), ring {}, slot {}", page_.names.text(t), r_.tasks.id[t],
                                  runtime::ring_of(r_.tasks.id[t]), r_.tasks.slot[t]);
    if (r_.tasks.heap_end[t] > r_.tasks.heap_begin[t])
      out += fmt::format(", heap bytes {} to {}", r_.tasks.heap_begin[t], r_.tasks.heap_end[t]);
    out += fmt::format("\nallocated {}, ", at(t_.submitted[t]));
    if (t_.dispatched[t] != kNever) out += fmt::format("dispatched {}, ", t_.dispatched[t]);
    out += fmt::format("complete {}", at(t_.completed[t]));
    const Retainers::List& list = retainers_.of(i);
    if (list.count != 0) {
      out += fmt::format("\nlast reader released {}", at(t_.last_reader[t]));
    }
    out += fmt::format("\nconsumed {}, slot free {}", at(t_.consumed[t]), at(t_.reclaimed[t]));
    if (t_.reused_by[t] != kNoRow)
      out += fmt::format(", used again by {} at {}", page_.names.text(t_.reused_by[t]), t_.submitted[t_.reused_by[t]]);
    if (list.count == 0) return out + "\nno task retains it";
    out += "\nretained for ";
    for (std::size_t k = 0; k < list.first.size(); ++k) {
      out += fmt::format("{}{} (until {})", k == 0 ? "" : ", ", page_.names.text(list.first[k]), at(t_.released[list.first[k]]));
    }
    if (list.count > list.first.size()) out += fmt::format(" and {} more", list.count - list.first.size());
    return out;
  }

  const HtmlPage& page_;
  const Recording& r_;
  const TaskTimes& t_;
  std::vector<std::uint32_t> tasks_;
  Retainers retainers_;
  std::uint32_t begin_ = 0, end_ = 0;  // the logical times that the picture shows
  std::vector<std::uint32_t> scopes_;
  std::uint64_t all_scopes_ = 0;
};

void legend(HtmlWriter& out) {
  out.raw("<ul class=\"legend\">");
  for (const SegmentKind& kind : kSegments) {
    out.raw(R"(<li><svg width="28" height="14" aria-hidden="true"><rect class=")").raw(kind.classes);
    out.raw(R"(" x="1" y="1" width="26" height="12"/></svg> <b>)").raw(kind.title).raw("</b> ").raw(kind.words).raw("</li>");
  }
  out.raw(kLegendOfScopes);
}

}  // namespace

void html_lifetimes(const HtmlPage& page) {
  const Recording& r = page.r;
  if (r.events.rows() == 0) {
    return empty_state(page.out,
                       "The recording has no events, so that nothing is known of times: the input is the task graph of a run, or "
                       "nothing was run.");
  }
  if (page.measured)
    return empty_state(page.out, "The run was measured: what ends the life of slots and buffers is not recorded.");
  std::vector<std::uint32_t> tasks;
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
    if (page.times.submitted[t] != kNever) tasks.push_back(t);
  }
  if (tasks.empty()) return empty_state(page.out, "No task was submitted.");
  const std::size_t total = tasks.size();
  if (total > page.o.max_lifetime_rows) {
    const auto longer = [&](std::uint32_t a, std::uint32_t b) {
      return page.times.held(a) != page.times.held(b) ? page.times.held(a) > page.times.held(b) : a < b;
    };
    std::nth_element(tasks.begin(), tasks.begin() + page.o.max_lifetime_rows, tasks.end(), longer);
    tasks.resize(page.o.max_lifetime_rows);
    std::sort(tasks.begin(), tasks.end());
  }
  const std::size_t shown = tasks.size();
  page.out.raw(
      "<p>One row a task: its slot, and the buffers that it owns. Point at a row to see the times and who retains it; the "
      "same stands in the table of tasks.</p>\n");
  legend(page.out);
  LifetimePicture(page, std::move(tasks)).write();
  left_out(page.out, shown, total, "tasks", "those that held their slots longest", "depscope replay FILE");
}

}  // namespace depscope::replay
