// Sizing for people.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "depscope/replay/sizing_report.h"
#include "explain_words.h"

namespace depscope::replay {
namespace {

using runtime::RingResource;

constexpr std::size_t kHang = 4;

/// "1 slot", "31 slots", "33 KiB".
std::string amount(std::uint64_t count, SizedResource resource) {
  if (resource == SizedResource::Heap) return bytes_text(count);
  const std::string_view unit = sized_resource_unit(resource);
  if (count != 1) return fmt::format("{} {}", count, unit);
  return fmt::format("1 {}", unit == "entries" ? "entry" : unit.substr(0, unit.size() - 1));
}

std::string headroom(std::uint64_t used, std::uint64_t capacity) {
  if (capacity == 0) return "";
  const std::uint64_t permille = headroom_permille(used, capacity);
  return fmt::format("{}.{} %", permille / 10, permille % 10);
}

std::string times(std::uint64_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }
std::string units(std::uint64_t count) { return fmt::format("{} {} of logical time", count, count == 1 ? "unit" : "units"); }

std::string cause(const SizingMoment& at) { return at.scope.empty() ? at.task : fmt::format("{} in {}", at.task, at.scope); }

/// "task window of ring 1", "TensorMap of all rings", "scope on ring 2".
std::string resource_of_ring(SizedResource resource, std::uint32_t ring) {
  if (resource == SizedResource::Scope) return fmt::format("one scope on ring {}", ring);
  if (ring == kAllRings) return fmt::format("the {} of all rings", sized_resource_words(resource));
  return fmt::format("the {} of ring {}", sized_resource_words(resource), ring);
}

class SizingText {
 public:
  SizingText(const SizingReport& report, const TextOutput& output) : r_(report), output_(output) {}

  void write() {
    lines_.blank();
    if (!r_.set.run) {
      lines_.line(0, "sizing: nothing is known about it, since the input tells no events of a run");
      return flush();
    }
    peaks();
    caps();
    smallest();
    flush();
  }

 private:
  void flush() {
    output_(lines_.take());
    lines_ = TextLines();
  }

  void peaks() {
    lines_.line(0, "sizing: the most that is in use at once");
    using Columns = std::array<std::string, 6>;
    std::vector<Columns> table{{"ring", "resource", "as set", "of", "headroom", "without limits"}};
    std::vector<const SizingRow*> shown;
    for (const SizingRow& row : r_.rows) {
      if ((!row.set || row.set->most == 0) && (!row.unlimited || row.unlimited->most == 0)) continue;
      shown.push_back(&row);
      const bool limited = row.resource != SizedResource::TensorMap || row.ring == kAllRings;
      table.push_back({row.ring == kAllRings ? "all" : std::to_string(row.ring), std::string(sized_resource_words(row.resource)),
                       row.set ? amount(row.set->most, row.resource) : "not told",
                       !limited ? "" : (row.capacity == 0 ? "unlimited" : amount(row.capacity, row.resource)),
                       row.set ? headroom(row.set->most, row.capacity) : "",
                       row.unlimited ? amount(row.unlimited->most, row.resource) : (r_.no_unlimited.empty() ? "not told" : "")});
    }
    if (!r_.no_unlimited.empty()) {
      for (Columns& columns : table) columns.back().clear();
    }
    std::array<std::size_t, 6> width{};
    for (const Columns& columns : table) {
      for (std::size_t i = 0; i < columns.size(); ++i) width[i] = std::max(width[i], columns[i].size());
    }
    for (std::size_t row = 0; row < table.size(); ++row) {
      std::string line;
      for (std::size_t i = 0; i < width.size(); ++i) {
        const std::string& cell = table[row][i];
        const std::string fill(width[i] - cell.size(), ' ');
        line += "  " + (i == 1 ? cell + fill : fill + cell);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      lines_.line(2, line.substr(2));
    }
    lines_.blank();
    lines_.line(0, "which submit brings it there");
    for (const SizingRow* row : shown) causes(*row, width[1]);
    if (!r_.set.full || (r_.no_unlimited.empty() && !r_.unlimited.full))
      lines_.line(2, "pools and the TensorMap are not told by a summary of the events: record them with --events full");
    if (!r_.no_unlimited.empty()) lines_.line(2, fmt::format("without limits: not known, since {}", r_.no_unlimited), kHang);
    if (r_.no_unlimited.empty() && r_.unlimited.stop.stopped)
      lines_.line(2,
                  fmt::format("without limits the run ends with error {}, too: what would come after it is not counted",
                              r_.unlimited.stop.code),
                  kHang);
  }

  /// "by fill#30 (line 15) in the MANUAL scope of main (line 12), event 471", behind the name of what it is.
  void causes(const SizingRow& row, std::size_t width) {
    const std::string head = fmt::format("{:>4}  {:<{}}  ", row.ring == kAllRings ? "all" : std::to_string(row.ring),
                                         sized_resource_words(row.resource), width);
    const bool set = row.set && row.set->most != 0;
    if (set) {
      std::string text = fmt::format("{}by {}, event {}", head, cause(row.set->at), row.set->at.event);
      if (row.set->wasted != 0)
        text += fmt::format("; {} are the end of the heap that no buffer fitted into", bytes_text(row.set->wasted));
      held(*row.set, row.resource, text);
      lines_.line(2, text, head.size());
    }
    if (!row.unlimited || row.unlimited->most == 0) return;
    if (set && row.set->at.row == row.unlimited->at.row && row.set->most == row.unlimited->most) return;
    std::string text =
        fmt::format("{}without limits by {}", set ? std::string(head.size(), ' ') : head, cause(row.unlimited->at));
    held(*row.unlimited, row.resource, text);
    lines_.line(2, text, head.size());
  }

  static void held(const SizedUse& use, SizedResource resource, std::string& text) {
    const bool pool = resource == SizedResource::DepPool || resource == SizedResource::SpillPool;
    if (pool && use.most_held < use.most)
      text += fmt::format("; tasks that are not retired hold {} at most", amount(use.most_held, resource));
  }

  void caps() {
    if (!r_.no_unlimited.empty()) return;
    lines_.blank();
    if (r_.caps.empty()) {
      lines_.line(0, "limits that bind: none, each is at least what the run without limits uses");
      return;
    }
    lines_.line(0, "limits that bind, in the order in which they are met");
    std::size_t number = 0;
    for (const SizingCap& cap : r_.caps) {
      std::string text = fmt::format("{}. {}: {} ", ++number, resource_of_ring(cap.resource, cap.ring), cause(cap.at));
      text += cap.needed == 0 ? fmt::format("finds no room in {}", amount(cap.capacity, cap.resource))
                              : fmt::format("makes it {}, {} {} allowed", amount(cap.needed, cap.resource),
                                            amount(cap.capacity, cap.resource), cap.capacity == 1 ? "is" : "are");
      lines_.line(2, text, 3);
      lines_.line(5, fmt::format("as set: {}", outcome(cap)), kHang);
    }
  }

  static std::string outcome(const SizingCap& cap) {
    const std::string waited =
        cap.waits == 0 ? std::string()
                       : fmt::format("the orchestrator waits for it {}, {} in all", times(cap.waits), units(cap.waited));
    switch (cap.outcome) {
      case CapOutcome::Waits: return waited + ", and comes through";
      case CapOutcome::Stops:
        return fmt::format("{}it stops the run (error {}, {})", waited.empty() ? std::string() : waited + "; then ", cap.code,
                           runtime::error_class_name(cap.error_class));
      case CapOutcome::NotReached: return "not reached, since the run stops before";
      case CapOutcome::NoWait: return "never waited for: other limits are met before, or enough comes back in time";
    }
    return "";
  }

  void smallest() {
    if (r_.smallest.empty() && r_.no_smallest.empty()) return;
    lines_.blank();
    if (r_.smallest.empty()) {
      lines_.line(0, fmt::format("smallest limits: not looked for, since {}", r_.no_smallest), kHang);
      return;
    }
    lines_.line(
        0, fmt::format("smallest limits with which the run still comes through, each with the others as set ({} runs)", r_.runs),
        kHang);
    std::size_t name = 0, value = 0;
    for (const SmallestLimit& limit : r_.smallest) {
      name = std::max(name, runtime::ring_option_name(limit.resource).size());
      value = std::max(value, std::to_string(limit.value).size());
    }
    for (const SmallestLimit& limit : r_.smallest) {
      std::string text =
          fmt::format("ring {}  {:<{}}  {:>{}}", limit.ring, runtime::ring_option_name(limit.resource), name, limit.value, value);
      if (limit.resource == RingResource::Heap) text += fmt::format(" ({})", bytes_text(limit.value));
      text +=
          limit.one_less == 0 ? std::string(": the least that may be set") : fmt::format(": with {} it does not", limit.one_less);
      if (limit.set != limit.value) text += fmt::format("; {} as set", setting(limit));
      lines_.line(2, text, kHang);
    }
    if (!r_.no_smallest.empty()) lines_.line(2, fmt::format("the others are not known, since {}", r_.no_smallest), kHang);
  }

  static std::string setting(const SmallestLimit& limit) {
    const bool none = limit.resource == RingResource::TaskWindow ? limit.set >= runtime::kMaxTaskWindow
                      : limit.resource == RingResource::Heap     ? limit.set >= runtime::kMaxHeap
                                                                 : limit.set >= runtime::kMaxDepPool;
    if (none) return "unlimited";
    const bool round = limit.resource == RingResource::Heap && limit.set % 1024 == 0;
    return round ? bytes_text(limit.set) : std::to_string(limit.set);
  }

  const SizingReport& r_;
  const TextOutput& output_;
  TextLines lines_;
};

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >> (10 * (unit + 2)) != 0) ++unit;
  for (;; --unit) {
    const std::uint64_t size = std::uint64_t{1} << (10 * (unit + 1));
    if (bytes % size == 0) return fmt::format("{} {}", bytes / size, kUnits[unit]);
    const std::uint64_t tenths = bytes / size * 10 + bytes % size * 10 / size;
    // "256.0 MiB" would be taken for 256 MiB.
    if (tenths % 10 != 0) return fmt::format("{}.{} {}", tenths / 10, tenths % 10, kUnits[unit]);
    if (unit == 0) return fmt::format("{} bytes", bytes);
  }
}

void write_sizing_text(const SizingReport& report, const TextOutput& output) { SizingText(report, output).write(); }

}  // namespace depscope::replay
