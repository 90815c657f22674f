#include "depscope/replay/artefacts/swimlane.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "../salvage.h"
#include "depscope/base/json_reader.h"

namespace depscope::replay {
namespace {

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxUInt32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMaxCores = 65'536;
constexpr std::int64_t kMaxThreads = 256;
constexpr std::int64_t kNanosecond = 1'000'000'000;
constexpr std::int64_t kMaxFrequency = 1'000'000'000'000;

/// Current and historic ones (artefacts.md 4.3).
constexpr std::array<std::string_view, 18> kKnownKinds{
    "complete",        "async_poll",    "dispatch", "release",       "dummy",         "early_dispatch",
    "drain",           "graph_prepare", "resolve",  "drain_prepare", "drain_publish", "dummy_task",
    "predicated_skip", "scan",          "poll",     "idle",          "fanout",        "prestage"};

class Reader {
 public:
  explicit Reader(const SourceFile& source) : source_(source), reader_(source) {}

  Swimlane read(bool salvage) {
    out_.cut = read_or_cut(source_, salvage, [this] { document(); });
    settle();
    return std::move(out_);
  }

 private:
  void document() {
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      if (key == "chip_swimlane_level" || key == "l2_swimlane_level" || key == "l2_perf_level") {
        level_ = reader_.integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
        has_level_ = true;
      } else if (key == "version") {
        version_ = reader_.integer(0, kMaxInt32);
      } else if (key == "metadata") {
        metadata();
      } else if (key == "core_to_thread") {
        core_to_thread();
      } else if (key == "tasks") {
        raw_ = false;
        reader_.begin_array();
        while (reader_.next_element()) joined_row();
      } else if (key == "aicore_tasks") {
        raw_ = has_rows_ = true;
        reader_.begin_array();
        while (reader_.next_element()) aicore_row();
      } else if (key == "aicpu_tasks") {
        reader_.begin_array();
        while (reader_.next_element()) aicpu_row();
      } else if (key == "aicpu_scheduler_phases") {
        scheduler();
      } else if (key == "aicpu_orchestrator_phases") {
        orchestrator(false);
      } else if (key == "host_orchestrator_phases") {
        orchestrator(true);
      } else if (key == "host_device_uploads") {
        reader_.begin_array();
        while (reader_.next_element()) upload();
      } else {
        reader_.skip();
      }
    }
    reader_.end();
    if (raw_ && out_.clock_freq_hz == 0)
      reader_.fail_value("metadata.clock_freq_hz is missing: nothing says how long a cycle is");
    if (raw_ && !has_rows_) reader_.fail_value("neither \"aicore_tasks\" nor \"tasks\": this is no timing of a run");
    if (device_orchestrator_ && out_.host_orchestrator)
      reader_.fail_value("orchestrator phases of the device and of the host in one file: it is not known whose clock holds");
  }

  std::uint64_t wide(std::string_view what) {
    std::uint64_t value = 0;
    if (!reader_.wide_integer(value)) reader_.fail_value(fmt::format("{} was expected", what));
    return value;
  }
  std::uint32_t core() { return static_cast<std::uint32_t>(reader_.integer(0, kMaxCores - 1)); }
  std::uint32_t small() { return static_cast<std::uint32_t>(reader_.integer(0, kMaxUInt32)); }
  std::uint32_t number32() {
    std::uint64_t value = 0;
    return reader_.wide_integer(value) ? static_cast<std::uint32_t>(value) : 0;
  }

  void metadata() {
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      if (key == "clock_freq_hz") {
        out_.clock_freq_hz = static_cast<std::uint64_t>(reader_.integer(0, kMaxFrequency));
      } else if (key == "core_types") {
        reader_.begin_array();
        while (reader_.next_element()) out_.core_types.push_back(reader_.string() == "aic" ? 0 : 1);
      } else if (key == "core_to_thread") {
        core_to_thread();
      } else if (key == "orchestrator_source") {
        out_.host_orchestrator = out_.host_orchestrator || reader_.string() == "host";
      } else if (key == "host_capture" && reader_.is_object()) {
        capture();
      } else if (key == "clock_anchors") {
        out_.clock_anchors = read_clock_anchors(reader_);
      } else if (key == "host_orchestration_origin_ns") {
        optional_number(out_.host_origin_ns);
      } else if (key == "host_timestamp_quantization_ns") {
        optional_number(out_.host_quantization_ns);
      } else {
        reader_.skip();
      }
    }
  }
  void optional_number(std::uint64_t& value) {
    if (!reader_.wide_integer(value)) value = 0;
  }

  void capture() {
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      if (key == "status" && reader_.is_string()) {
        out_.capture_status = reader_.string();
      } else if (key == "dropped_records") {
        out_.capture_dropped = wide("a number of records");
      } else if (key == "expected_records") {
        optional_number(out_.capture_expected);
      } else if (key == "recorded_records") {
        optional_number(out_.capture_recorded);
      } else {
        reader_.skip();
      }
    }
  }

  void core_to_thread() {
    out_.core_to_thread.clear();
    reader_.begin_array();
    while (reader_.next_element()) out_.core_to_thread.push_back(static_cast<std::int32_t>(reader_.integer(-1, kMaxThreads)));
  }

  /// A row of numbers that begins with a core; returns how many there are.
  template <std::size_t kMost>
  std::size_t row(std::array<std::uint64_t, kMost>& cells, std::size_t least, std::string_view what) {
    std::size_t count = 0;
    reader_.begin_array();
    while (reader_.next_element()) {
      if (count == kMost) reader_.fail_value(std::string(what));
      cells[count++] = wide("a number");
    }
    if (count < least) reader_.fail_value(std::string(what));
    if (cells[0] >= static_cast<std::uint64_t>(kMaxCores))
      reader_.fail_value(fmt::format("core {} is out of range; allowed: 0 to {}", cells[0], kMaxCores - 1));
    return count;
  }

  /// [core_id, task, reg_task_id, start, end, receive_to_start]; the last one since June 22 only.
  void aicore_row() {
    std::array<std::uint64_t, 6> cells{};
    if (row(cells, 5, "a row of aicore_tasks has 5 or 6 numbers") == 5) five_columns_ = true;
    out_.aicore.core.push_back(static_cast<std::uint32_t>(cells[0]));
    out_.aicore.task.push_back(cells[1]);
    out_.aicore.token.push_back(static_cast<std::uint32_t>(cells[2]));
    out_.aicore.start.push_back(cells[3]);
    out_.aicore.end.push_back(cells[4]);
    out_.aicore.receive.push_back(cells[3] - std::min(cells[3], cells[5]));
  }

  /// [core_id, reg_task_id, dispatch, finish]
  void aicpu_row() {
    std::array<std::uint64_t, 4> cells{};
    row(cells, 4, "a row of aicpu_tasks has 4 numbers");
    out_.aicpu.core.push_back(static_cast<std::uint32_t>(cells[0]));
    out_.aicpu.token.push_back(static_cast<std::uint32_t>(cells[1]));
    out_.aicpu.dispatch.push_back(cells[2]);
    out_.aicpu.finish.push_back(cells[3]);
  }

  void joined_row() {
    std::uint64_t task = kNoTaskId;
    std::uint32_t on = 0;
    std::uint8_t type = 1;
    std::array<std::uint64_t, 4> times{};
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      if (key == "task_id") {
        task = wide("a task id");
      } else if (key == "core_id") {
        on = core();
      } else if (key == "core_type") {
        type = reader_.string() == "aic" ? 0 : 1;
      } else if (key == "start_time_us") {
        times[0] = nanoseconds();
      } else if (key == "end_time_us") {
        times[1] = nanoseconds();
      } else if (key == "dispatch_time_us") {
        times[2] = nanoseconds();
      } else if (key == "finish_time_us") {
        times[3] = nanoseconds();
      } else {
        fanout_ = fanout_ || key == "fanout";
        reader_.skip();
      }
    }
    if (task == kNoTaskId) reader_.fail_value("the task_id is missing");
    if (out_.core_types.size() <= on) out_.core_types.resize(on + std::size_t{1}, 1);
    out_.core_types[on] = type;
    const auto token = out_.aicore.rows();
    out_.aicore.core.push_back(on);
    out_.aicore.task.push_back(task);
    out_.aicore.token.push_back(token);
    out_.aicore.start.push_back(times[0]);
    out_.aicore.end.push_back(times[1]);
    out_.aicore.receive.push_back(times[0]);
    out_.aicpu.core.push_back(on);
    out_.aicpu.token.push_back(token);
    out_.aicpu.dispatch.push_back(times[2]);
    out_.aicpu.finish.push_back(times[3]);
  }
  std::uint64_t nanoseconds() { return static_cast<std::uint64_t>(std::max<std::int64_t>(reader_.thousandths(), 0)); }

  void scheduler() {
    std::uint32_t thread = 0;
    reader_.begin_array();
    while (reader_.next_element()) {
      if (thread == kMaxThreads) reader_.fail_value(fmt::format("more than {} scheduler threads", kMaxThreads));
      reader_.begin_array();
      while (reader_.next_element()) scheduler_phase(thread);
      ++thread;
    }
  }

  void scheduler_phase(std::uint32_t thread) {
    auto& s = out_.scheduler;
    std::uint32_t kind = kNoKind, loop_iter = 0, processed = 0, hit = 0, miss = 0;
    std::uint64_t start = 0, end = 0, task = kNoTaskId;
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      if (key == "kind" || key == "phase") {
        kind = kind_of(reader_.string());
      } else if (key == "start_cycles") {
        start = wide("a time");
      } else if (key == "end_cycles") {
        end = wide("a time");
      } else if (key == "start_time_us") {
        start = nanoseconds();
      } else if (key == "end_time_us") {
        end = nanoseconds();
      } else if (key == "loop_iter") {
        loop_iter = small();
      } else if (key == "tasks_processed") {
        processed = number32();
      } else if (key == "pop_hit") {
        hit = number32();
      } else if (key == "pop_miss") {
        miss = number32();
      } else if (key == "task_id") {
        task = wide("a task id");
      } else {
        reader_.skip();
      }
    }
    if (kind == kNoKind) kind = kind_of("unknown");
    if (std::find(kKnownKinds.begin(), kKnownKinds.end(), out_.kind_names[kind]) == kKnownKinds.end()) ++out_.unknown_kinds;
    s.thread.push_back(thread);
    s.kind.push_back(kind);
    s.start.push_back(start);
    s.end.push_back(end);
    s.loop_iter.push_back(loop_iter);
    s.tasks_processed.push_back(processed);
    s.pop_hit.push_back(hit);
    s.pop_miss.push_back(miss);
    s.task.push_back(task);
  }

  /// A handful of names.
  std::uint32_t kind_of(std::string_view name) {
    const auto found = std::find(out_.kind_names.begin(), out_.kind_names.end(), name);
    if (found != out_.kind_names.end()) return static_cast<std::uint32_t>(found - out_.kind_names.begin());
    if (out_.kind_names.size() == kMaxKinds) reader_.fail_value(fmt::format("more than {} kinds of phases", kMaxKinds));
    out_.kind_names.emplace_back(name);
    return static_cast<std::uint32_t>(out_.kind_names.size() - 1);
  }

  void orchestrator(bool host) {
    auto& o = out_.orchestrator;
    reader_.begin_array();
    while (reader_.next_element()) {
      reader_.begin_array();
      while (reader_.next_element()) {
        (host ? out_.host_orchestrator : device_orchestrator_) = true;
        std::uint32_t index = 0;
        std::uint64_t task = kNoTaskId, start = 0, end = 0;
        std::string_view key;
        reader_.begin_object();
        while (reader_.next_key(key)) {
          if (key == "submit_idx") {
            index = number32();
          } else if (key == "task_id") {
            task = wide("a task id");
          } else if (key == (host ? "start_host_ns" : "start_cycles")) {
            start = wide("a time");
          } else if (key == (host ? "end_host_ns" : "end_cycles")) {
            end = wide("a time");
          } else if (key == "start_time_us") {
            start = nanoseconds();
          } else if (key == "end_time_us") {
            end = nanoseconds();
          } else {
            reader_.skip();
          }
        }
        o.submit_idx.push_back(index);
        o.task.push_back(task);
        o.start.push_back(start);
        o.end.push_back(end);
      }
    }
  }

  void upload() {
    std::string phase;
    std::uint64_t start = 0, end = 0, bytes = 0;
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      if (key == "phase") {
        phase = reader_.string();
      } else if (key == "start_host_ns") {
        start = wide("a time");
      } else if (key == "end_host_ns") {
        end = wide("a time");
      } else if (key == "detail") {
        bytes = wide("a number of bytes");
      } else {
        reader_.skip();
      }
    }
    out_.uploads.phase.push_back(std::move(phase));
    out_.uploads.start.push_back(start);
    out_.uploads.end.push_back(end);
    out_.uploads.bytes.push_back(bytes);
  }

  /// What the whole file says.
  void settle() {
    if (!raw_) {
      out_.shape = fanout_ ? SwimlaneShape::JoinedFanout : SwimlaneShape::Joined;
      out_.clock_freq_hz = kNanosecond;
      if (!has_level_ && version_ >= 1) {
        level_ = version_;
        has_level_ = true;
      }
    } else {
      out_.shape = five_columns_ ? SwimlaneShape::FiveColumns : SwimlaneShape::Current;
    }
    out_.level_derived = !has_level_ || level_ < 1 || level_ > 4;
    if (!out_.level_derived) {
      out_.level = static_cast<std::uint32_t>(level_);
    } else if (out_.orchestrator.rows() != 0) {
      out_.level = 4;
    } else if (out_.scheduler.rows() != 0) {
      out_.level = 3;
    } else {
      const bool timed = std::any_of(out_.aicpu.finish.begin(), out_.aicpu.finish.end(), [](std::uint64_t t) { return t != 0; });
      out_.level = timed ? 2 : 1;
    }
    if (!raw_ && out_.level == 1) out_.aicpu = {};  // zeros
  }

  static constexpr std::size_t kMaxKinds = 256;
  static constexpr std::uint32_t kNoKind = ~std::uint32_t{0};

  const SourceFile& source_;
  JsonReader reader_;
  Swimlane out_;
  std::int64_t level_ = 0, version_ = 0;
  bool has_level_ = false, raw_ = true, has_rows_ = false, five_columns_ = false, fanout_ = false, device_orchestrator_ = false;
};

}  // namespace

const char* swimlane_shape_name(SwimlaneShape shape) {
  constexpr std::array<const char*, 5> kNames{"joined, with fanout", "joined", "raw, 5 columns", "raw, 6 columns",
                                              "merged trace"};
  return kNames[static_cast<std::size_t>(shape)];
}

Swimlane read_swimlane(const SourceFile& source, const SwimlaneReadOptions& options) {
  return Reader(source).read(options.salvage);
}

}  // namespace depscope::replay
