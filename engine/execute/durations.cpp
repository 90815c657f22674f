#include "depscope/execute/durations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "depscope/base/json_keys.h"
#include "depscope/base/json_reader.h"

namespace depscope::execute {

using runtime::kNeverFinishes;
using runtime::TaskId;

namespace {

constexpr std::string_view kSchema = "depscope.timing/1";
constexpr std::uint32_t kLongest = kNeverFinishes - 1;

enum class TimingKind : std::uint8_t { Durations, Swimlane, JoinedSwimlane };

/// By the keys of the document, wherever they stand. Recordings before June 2026 held joined times in microseconds.
TimingKind kind_of(const SourceFile& source) {
  JsonReader reader(source);
  TimingKind kind = TimingKind::Durations;
  std::string_view key;
  reader.begin_object();
  while (reader.next_key(key)) {
    if (key == "aicore_tasks" || key == "chip_swimlane_level") kind = TimingKind::Swimlane;
    if (key == "tasks" && reader.is_array()) kind = TimingKind::JoinedSwimlane;
    reader.skip();
  }
  reader.end();
  return kind;
}

}  // namespace

class TimingReader {
 public:
  explicit TimingReader(const SourceFile& source) : reader_(source) {}

  Durations read() {
    static constexpr std::array<std::string_view, 4> kKeys{"schema", "kernels", "tasks", "default"};
    JsonKeys keys(kKeys);
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      const std::string name(key);
      switch (keys.take(key, reader_)) {
        case 0:
          if (reader_.string() != kSchema) reader_.fail_value(fmt::format("the schema must be \"{}\"", kSchema));
          break;
        case 1: read_kernels(); break;
        case 2: read_tasks(); break;
        case 3: out_.default_ = units(); break;
        default:
          reader_.skip();
          reader_.fail_value(fmt::format("unknown key \"{}\"; allowed: schema, kernels, tasks, default", name));
      }
    }
    reader_.end();
    if (!keys.seen(1) && !keys.seen(2) && !keys.seen(3))
      reader_.fail_value("neither kernel durations (\"kernels\", \"tasks\" or \"default\") nor a swimlane recording");
    return std::move(out_);
  }

 private:
  std::uint32_t units() {
    if (!reader_.is_string()) return static_cast<std::uint32_t>(reader_.integer(1, kLongest));
    if (reader_.string() != "never") reader_.fail_value(fmt::format("a number from 1 to {} or \"never\" was expected", kLongest));
    return kNeverFinishes;
  }

  void read_kernels() {
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      std::string name(key);
      const std::uint32_t duration = units();
      if (!out_.kernels_.emplace(name, duration).second) reader_.fail_value(fmt::format("kernel \"{}\" is given twice", name));
    }
  }

  void read_tasks() {
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      const std::string text(key);
      const std::uint32_t duration = units();
      TaskId id = 0;
      const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), id);
      if (error != std::errc() || stop != text.data() + text.size() || id == runtime::kInvalidTask)
        reader_.fail_value(fmt::format("\"{}\" is no task id: a decimal number was expected as the key", text));
      out_.tasks_.emplace_back(id, duration);
    }
    std::sort(out_.tasks_.begin(), out_.tasks_.end());
    const auto twice = std::adjacent_find(out_.tasks_.begin(), out_.tasks_.end(),
                                          [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice != out_.tasks_.end()) reader_.fail_value(fmt::format("task id {} is given twice", twice->first));
  }

  JsonReader reader_;
  Durations out_;
};

class SwimlaneReader {
 public:
  explicit SwimlaneReader(const SourceFile& source) : reader_(source) {}

  Durations read() {
    static constexpr std::array<std::string_view, 2> kKeys{"metadata", "aicore_tasks"};
    JsonKeys keys(kKeys);
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      switch (keys.take(key, reader_)) {
        case 0: read_metadata(); break;
        case 1:
          reader_.begin_array();
          while (reader_.next_element()) read_row();
          break;
        default: reader_.skip();
      }
    }
    reader_.end();
    keys.require(2, reader_);
    return result();
  }

 private:
  void read_metadata() {
    static constexpr std::array<std::string_view, 1> kKeys{"clock_freq_hz"};
    constexpr std::int64_t kMaxFrequency = 1'000'000'000'000;
    JsonKeys keys(kKeys);
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      if (keys.take(key, reader_) == 0) {
        frequency_ = static_cast<std::uint64_t>(reader_.integer(1, kMaxFrequency));
      } else {
        reader_.skip();
      }
    }
    keys.require(1, reader_);
  }

  // [core, task id, dispatch, start, end, receive to start]; the last since June 2026.
  void read_row() {
    std::array<std::uint64_t, 6> row{};
    std::size_t count = 0;
    reader_.begin_array();
    while (reader_.next_element()) {
      std::uint64_t value = 0;
      if (!reader_.wide_integer(value)) reader_.fail_value("a whole number was expected");
      if (count < row.size()) row[count] = value;
      ++count;
    }
    if (count != 5 && count != 6) reader_.fail_value(fmt::format("{} numbers in a row; 5 or 6 are needed", count));
    const std::uint64_t start = row[3];
    const std::uint64_t end = row[4];
    if (start == 0 || end == 0) return;  // not recorded
    if (end < start) reader_.fail_value(fmt::format("task {} ends at {}, before its start at {}", row[1], end, start));
    rows_.emplace_back(row[1], end - start);
  }

  Durations result() {
    std::sort(rows_.begin(), rows_.end());
    Durations out;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i + 1 < rows_.size() && rows_[i + 1].first == rows_[i].first) continue;  // the longest is the last
      __extension__ using Wide = unsigned __int128;
      const Wide units = (static_cast<Wide>(rows_[i].second) * kSwimlaneUnitsPerSecond + frequency_ / 2) / frequency_;
      if (units > kLongest)
        reader_.fail_value(fmt::format("task {} takes {} cycles; at most {} units of 20 ns are possible", rows_[i].first,
                                       rows_[i].second, kLongest));
      out.tasks_.emplace_back(rows_[i].first, std::max(static_cast<std::uint32_t>(units), 1U));
    }
    return out;
  }

  JsonReader reader_;
  std::uint64_t frequency_ = 1;
  std::vector<std::pair<TaskId, std::uint64_t>> rows_;  // task, cycles
};

Durations Durations::read(const SourceFile& source) {
  switch (kind_of(source)) {
    case TimingKind::Swimlane: return SwimlaneReader(source).read();
    case TimingKind::JoinedSwimlane: {
      Diagnostic d;
      d.file = source.name();
      d.json_path = "tasks";
      d.message = "a swimlane recording in microseconds, as written before June 2026, is not read: one with \"aicore_tasks\" is";
      throw InputError(std::move(d));
    }
    case TimingKind::Durations: break;
  }
  return TimingReader(source).read();
}

std::optional<std::uint32_t> Durations::of_task(TaskId task) const {
  const auto it = std::lower_bound(tasks_.begin(), tasks_.end(), task, [](const auto& t, TaskId id) { return t.first < id; });
  return it == tasks_.end() || it->first != task ? std::nullopt : std::optional(it->second);
}

std::optional<std::uint32_t> Durations::of_kernel(std::string_view name) const {
  const auto it = kernels_.find(name);
  return it == kernels_.end() ? std::nullopt : std::optional(it->second);
}

std::uint32_t Durations::of(TaskId task, std::string_view kernel) const {
  if (const auto known = of_task(task)) return *known;
  return of_kernel(kernel).value_or(default_);
}

std::uint32_t Durations::of(TaskId task, const std::array<std::int32_t, 3>& kernel_ids, std::optional<std::uint32_t> own) const {
  if (const auto known = of_task(task)) return *known;
  std::optional<std::uint32_t> longest;
  if (!kernels_.empty()) {
    for (const std::int32_t id : kernel_ids) {
      const auto known = id < 0 ? std::nullopt : of_kernel(fmt::format("{}", id));
      if (known && (!longest || *known > *longest)) longest = known;
    }
  }
  return longest ? *longest : own.value_or(default_);
}

}  // namespace depscope::execute
