#include "depscope/replay/artefacts/pmu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "task_id_text.h"

namespace depscope::replay {
namespace {

constexpr std::int64_t kMaxUInt32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMaxCores = 65'536;
constexpr std::int64_t kMaxThreads = 256;

constexpr std::array<std::string_view, 7> kFixed{"thread_id", "core_id",          "task_id",   "func_id",
                                                 "core_type", "pmu_total_cycles", "event_type"};
enum Fixed : std::size_t { kThread, kCore, kTask, kFunction, kCoreType, kCycles, kEventType, kCounter, kIgnored };

class Reader {
 public:
  explicit Reader(const SourceFile& source) : source_(source) {}

  Pmu read() {
    if (source_.text().find_first_not_of(" \t\r\n") == std::string_view::npos)
      fail(0, "the file is empty: a header was expected");
    const std::string_view first = line_at(0);
    header(without_return(first));
    rows(first.size() + 1);
    return std::move(out_);
  }

  Pmu read_shard(const std::vector<std::string>& columns) {
    if (columns.empty()) fail(0, "rows without a header: nothing says what their columns are");
    out_.columns = columns;
    plan(0);
    rows(0);
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(std::size_t offset, std::string message) const {
    throw InputError(source_.diagnostic(Severity::Error, static_cast<std::uint32_t>(offset), std::move(message)));
  }

  [[nodiscard]] std::string_view line_at(std::size_t begin) const {
    const std::string_view rest = source_.text().substr(begin);
    return rest.substr(0, rest.find('\n'));
  }
  static std::string_view without_return(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void header(std::string_view line) {
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::string_view name = line.substr(begin, line.find(',', begin) - begin);
      if (out_.columns.size() == kMaxPmuColumns) fail(begin, fmt::format("more than {} columns", kMaxPmuColumns));
      const bool printable = std::all_of(name.begin(), name.end(), [](char c) { return c > 0x20 && c < 0x7f && c != '"'; });
      if (name.empty() || !printable) fail(begin, "the name of a column was expected");
      if (std::find(out_.columns.begin(), out_.columns.end(), name) != out_.columns.end())
        fail(begin, fmt::format("the column {} is there twice", name));
      out_.columns.emplace_back(name);
      begin += name.size() + 1;
    }
    plan(line.size());
  }

  /// What each column is. `end` of the header, for its errors.
  void plan(std::size_t end) {
    bool between = false;
    std::array<bool, kFixed.size()> seen{};
    for (const std::string& name : out_.columns) {
      const auto at = static_cast<std::size_t>(std::find(kFixed.begin(), kFixed.end(), name) - kFixed.begin());
      if (at < kFixed.size()) {
        seen[at] = true;
        plan_.push_back(at);
        between = (between || at == kCycles) && at != kEventType;
      } else {
        plan_.push_back(between ? kCounter : kIgnored);
        (between ? out_.counters : out_.ignored).push_back(name);
      }
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (!seen[i]) fail(end, fmt::format("the header has no column {}", kFixed[i]));
    }
    if (between) fail(end, fmt::format("the column {} must come before {}", kFixed[kCycles], kFixed[kEventType]));
  }

  void rows(std::size_t begin) {
    const std::string_view text = source_.text();
    while (begin < text.size()) {
      const std::string_view line = line_at(begin);
      const bool last = begin + line.size() == text.size();
      if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
        try {
          row(without_return(line), begin);
        } catch (const InputError& e) {
          if (!last) throw;
          out_.cut = e.diagnostics().front();
          out_.cut->byte_offset = text.size();
        }
      }
      begin += line.size() + 1;
    }
  }

  void row(std::string_view line, std::size_t begin) {
    const auto cells = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
    if (cells != plan_.size()) fail(begin, fmt::format("the line has {} cells, and the header {} columns", cells, plan_.size()));
    std::array<std::int64_t, kFixed.size()> fixed{};
    std::uint64_t task = 0, cycles = 0;
    counters_.clear();
    for (std::size_t column = 0; column < plan_.size(); ++column) {
      const std::string_view cell = line.substr(0, line.find(','));
      line.remove_prefix(std::min(cell.size() + 1, line.size()));
      const auto integer = [&](std::int64_t low, std::int64_t high) {
        return number<std::int64_t>(cell, begin, column, low, high);
      };
      switch (const std::size_t what = plan_[column]) {
        case kThread: fixed[what] = integer(-1, kMaxThreads); break;
        case kCore: fixed[what] = integer(0, kMaxCores - 1); break;
        case kFunction: fixed[what] = integer(-1, kMaxUInt32); break;
        case kCoreType:
        case kEventType: fixed[what] = integer(0, kMaxUInt32); break;
        case kCounter: counters_.push_back(static_cast<std::uint32_t>(integer(0, kMaxUInt32))); break;
        case kCycles: cycles = number<std::uint64_t>(cell, begin, column, 0, std::numeric_limits<std::uint64_t>::max()); break;
        case kTask:
          if (!parse_task_id(cell, task)) fail(begin, "a task id was expected: \"0x\" and up to 16 hexadecimal digits");
          break;
        default: break;
      }
      begin += cell.size() + 1;
    }
    out_.thread.push_back(static_cast<std::int32_t>(fixed[kThread]));
    out_.core.push_back(static_cast<std::uint32_t>(fixed[kCore]));
    out_.task.push_back(task);
    out_.function.push_back(static_cast<std::uint32_t>(fixed[kFunction]));
    out_.core_type.push_back(fixed[kCoreType] > 1 ? kOtherCoreType : static_cast<std::uint8_t>(fixed[kCoreType]));
    out_.cycles.push_back(cycles);
    out_.event_type.push_back(static_cast<std::uint32_t>(fixed[kEventType]));
    out_.values.insert(out_.values.end(), counters_.begin(), counters_.end());
  }

  template <class Number>
  Number number(std::string_view cell, std::size_t begin, std::size_t column, Number low, Number high) const {
    Number value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    const bool whole = end == cell.data() + cell.size() && error != std::errc::invalid_argument;
    if (!whole) fail(begin, fmt::format("a whole number was expected for {}", out_.columns[column]));
    if (error != std::errc() || value < low || value > high)
      fail(begin,
           fmt::format("{} for {} is out of range; allowed: {} to {}", cell.substr(0, 40), out_.columns[column], low, high));
    return value;
  }

  const SourceFile& source_;
  Pmu out_;
  std::vector<std::size_t> plan_;        // by column: which one it is
  std::vector<std::uint32_t> counters_;  // of the row
};

}  // namespace

Pmu read_pmu(const SourceFile& source) { return Reader(source).read(); }

Pmu read_pmu_shard(const SourceFile& source, const Pmu& header_of) { return Reader(source).read_shard(header_of.columns); }

}  // namespace depscope::replay
