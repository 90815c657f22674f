#include "depscope/replay/perfetto_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check_names.h"
#include "depscope/replay/measured_run.h"
#include "depscope/runtime/sink.h"
#include "depscope/runtime/submission.h"
#include "json_writer.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::kNotMeasured;
using recording::Recording;
using runtime::EventKind;

enum Process : std::uint32_t { kOrchestrator = 1, kScheduler = 2, kCores = 3, kRings = 4 };
constexpr std::uint32_t kLanes = 64;                     // of one core, where slices overlap
constexpr std::uint32_t kNoCore = 0x7fffffffU / kLanes;  // tasks that run on no core
constexpr double kBeforeEnd = 0.001;                     // microseconds: a flow begins within its slice

struct Slice {
  std::uint32_t task = kNoRow;
  std::uint32_t core = kNoCore;
  std::uint64_t begin = 0, end = 0;  // ticks, or units of the model
  std::uint32_t measured = kNoRow;   // row of measured_dispatches
  std::uint32_t track = 0;
};

class Trace {
 public:
  Trace(const Recording& r, const TextOutput& output)
      : r_(r), out_(output), names_(r, TaskReference::Row), frequency_(clock_frequency(r)) {}

  void write() {
    measured_ = r_.measured_dispatches.rows() != 0;
    if (measured_) {
      measured_slices();
    } else {
      model_slices();
    }
    place();
    out_.begin_object().field("displayTimeUnit", "ns").key("traceEvents").begin_list().break_lines();
    tracks();
    for (const Slice& s : slices_) slice(s);
    if (measured_) {
      phases();
    } else {
      rings();
    }
    running();
    edges();
    out_.end_list().key("otherData").begin_object().field("tool", "depscope").field("input", std::string_view(r_.input_name));
    out_.field("time", measured_ ? "measured" : "one unit of the model is one microsecond").end_object().end_object().finish();
  }

 private:
  [[nodiscard]] double us(std::uint64_t ticks) const {
    return frequency_ == 0 ? static_cast<double>(ticks) : static_cast<double>(ticks) * 1e6 / frequency_;
  }
  static std::string number(double value) { return fmt::format("{:.3f}", value); }

  void measured_slices() {
    const auto& m = r_.measured_dispatches;
    for (std::uint32_t row = 0; row < m.rows(); ++row) {
      if (m.start[row] == kNotMeasured || m.end[row] == kNotMeasured) continue;
      slices_.push_back(
          {m.task[row], std::min(m.core[row], kNoCore - 1), m.start[row], std::max(m.start[row], m.end[row]), row, 0});
    }
  }

  void model_slices() {
    std::vector<std::uint32_t> open(r_.tasks.rows(), kNoRow);  // slice by task
    for (std::uint32_t e = 0; e < r_.events.rows(); ++e) {
      const auto kind = static_cast<EventKind>(r_.events.kind[e]);
      const std::uint32_t task = r_.events.subject[e];
      if (kind == EventKind::Dispatch) {
        open[task] = static_cast<std::uint32_t>(slices_.size());
        slices_.push_back({task, std::min(r_.events.object[e], kNoCore), r_.events.time[e], r_.events.time[e], kNoRow, 0});
      } else if (kind == EventKind::Complete && open[task] != kNoRow) {
        slices_[open[task]].end = r_.events.time[e];
        open[task] = kNoRow;
      }
    }
    // What a stopped run left running.
    for (const std::uint32_t left : open) {
      if (left != kNoRow) slices_[left].end = r_.events.time.back();
    }
  }

  /// A track for each core; a second one where slices of a core overlap.
  void place() {
    std::sort(slices_.begin(), slices_.end(), [](const Slice& a, const Slice& b) {
      return std::pair(a.core, a.begin) != std::pair(b.core, b.begin) ? std::pair(a.core, a.begin) < std::pair(b.core, b.begin)
                                                                      : a.end > b.end;
    });
    std::vector<std::uint64_t> until;
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      Slice& s = slices_[i];
      if (i == 0 || slices_[i - 1].core != s.core) until.clear();
      std::size_t lane = 0;
      while (lane < until.size() && until[lane] > s.begin) ++lane;
      lane = std::min<std::size_t>(lane, kLanes - 1);
      if (lane == until.size()) until.push_back(0);
      until[lane] = s.end;
      s.track = s.core * kLanes + static_cast<std::uint32_t>(lane);
    }
  }

  void begin(std::string_view phase, Process process, std::uint32_t track, double time) {
    out_.begin_object().field("ph", phase).field("pid", std::uint32_t{process}).field("tid", track).key("ts").json(number(time));
  }
  void name(std::string_view what, Process process, std::uint32_t track, std::string_view text) {
    out_.begin_object().field("ph", "M").field("pid", std::uint32_t{process}).field("tid", track).field("name", what);
    out_.key("args").begin_object().field("name", text).end_object().end_object();
  }

  void tracks() {
    name("process_name", kOrchestrator, 0, "Orchestrator");
    if (measured_) name("process_name", kScheduler, 0, "Scheduler threads");
    name("process_name", kCores, 0, "Cores");
    if (!measured_) name("process_name", kRings, 0, "Rings");
    std::uint32_t last = kNoRow;
    std::vector<std::uint32_t> seen;
    for (const Slice& s : slices_) seen.push_back(s.track);
    std::sort(seen.begin(), seen.end());
    for (const std::uint32_t track : seen) {
      if (track == last) continue;
      last = track;
      const std::uint32_t core = track / kLanes;
      const std::string lane = track % kLanes == 0 ? "" : fmt::format(" ({})", track % kLanes + 1);
      name("thread_name", kCores, track, (core == kNoCore ? "no core" : fmt::format("core {}", core)) + lane);
    }
  }

  void slice(const Slice& s) {
    begin("X", kCores, s.track, us(s.begin));
    out_.key("dur").json(number(us(s.end) - us(s.begin)));
    if (s.task == kNoRow) {
      out_.field("name", fmt::format("task {}", r_.measured_dispatches.task_id[s.measured]));
    } else {
      out_.field("name", names_.text(s.task));
    }
    out_.key("args").begin_object();
    if (s.task != kNoRow) out_.field("task", std::to_string(r_.tasks.id[s.task])).field("kernel", names_.kernel(s.task));
    if (s.measured != kNoRow) {
      const auto& m = r_.measured_dispatches;
      const auto time = [&](std::string_view what, std::uint64_t ticks) {
        if (ticks != kNotMeasured) out_.key(what).json(number(us(ticks)));
      };
      time("receive_us", m.receive[s.measured]);
      time("dispatch_us", m.dispatch[s.measured]);
      time("finish_us", m.finish[s.measured]);
    }
    out_.end_object().end_object();
  }

  void phases() {
    const auto& p = r_.measured_phases;
    for (std::uint32_t i = 0; i < p.rows(); ++i) {
      if (p.start[i] == kNotMeasured || p.end[i] == kNotMeasured) continue;
      const bool orchestrator = p.thread[i] == kNoRow;
      begin("X", orchestrator ? kOrchestrator : kScheduler, orchestrator ? 0 : p.thread[i], us(p.start[i]));
      out_.key("dur").json(number(us(std::max(p.start[i], p.end[i])) - us(p.start[i])));
      out_.field("name",
                 orchestrator && p.task[i] != kNoRow ? "submit " + names_.text(p.task[i]) : std::string(r_.text(p.kind[i])));
      out_.key("args")
          .begin_object()
          .field(orchestrator ? "submit_idx" : "tasks_processed", p.count[i])
          .end_object()
          .end_object();
    }
  }

  /// Submits, and what is in use of each ring.
  void rings() {
    struct Span {
      std::int64_t head = 0, tail = 0;
    };
    std::array<Span, runtime::kRingCount> tasks{}, heap{};
    for (std::uint32_t e = 0; e < r_.events.rows(); ++e) {
      const std::uint32_t ring = r_.events.object[e] % runtime::kRingCount;
      const std::uint32_t time = r_.events.time[e];
      const auto set = [&](std::int64_t& end, std::string_view what, const Span& span) {
        end = r_.events.new_value[e];
        begin("C", kRings, 0, us(time));
        out_.field("name", fmt::format("ring {} {}", ring, what));
        out_.key("args").begin_object().field("in use", span.head - span.tail).end_object().end_object();
      };
      switch (static_cast<EventKind>(r_.events.kind[e])) {
        case EventKind::Submit:
          begin("i", kOrchestrator, 0, us(time));
          out_.field("s", "t").field("name", "submit " + names_.text(r_.events.subject[e])).end_object();
          set(tasks[ring].head, "tasks", tasks[ring]);
          break;
        case EventKind::Watermark: set(tasks[ring].tail, "tasks", tasks[ring]); break;
        case EventKind::HeapAlloc: set(heap[ring].head, "heap bytes", heap[ring]); break;
        case EventKind::HeapFree: set(heap[ring].tail, "heap bytes", heap[ring]); break;
        default: break;
      }
    }
  }

  /// How many run at a time, by core type.
  void running() {
    std::vector<std::pair<std::uint64_t, std::pair<std::uint8_t, std::int8_t>>> changes;
    for (const Slice& s : slices_) {
      if (s.core == kNoCore) continue;
      const std::uint8_t type =
          s.measured != kNoRow ? r_.measured_dispatches.core_type[s.measured] : (r_.tasks.kernel_aic[s.task] >= 0 ? 0 : 1);
      changes.push_back({s.begin, {type, 1}});
      changes.push_back({s.end, {type, -1}});
    }
    std::sort(changes.begin(), changes.end());
    std::array<std::int64_t, 2> now{};
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const auto& [time, change] = changes[i];
      now[change.first] += change.second;
      if (i + 1 < changes.size() && changes[i + 1].first == time) continue;
      begin("C", kCores, 0, us(time));
      out_.field("name", "running")
          .key("args")
          .begin_object()
          .field("AIC", now[0])
          .field("AIV", now[1])
          .end_object()
          .end_object();
    }
  }

  void edges() {
    // The slice of a task that begins first, and the one that ends last.
    std::vector<std::uint32_t> first(r_.tasks.rows(), kNoRow), last(r_.tasks.rows(), kNoRow);
    for (std::uint32_t i = 0; i < slices_.size(); ++i) {
      const std::uint32_t task = slices_[i].task;
      if (task == kNoRow) continue;
      if (first[task] == kNoRow || slices_[i].begin < slices_[first[task]].begin) first[task] = i;
      if (last[task] == kNoRow || slices_[i].end > slices_[last[task]].end) last[task] = i;
    }
    for (std::uint32_t e = 0; e < r_.edges.rows(); ++e) {
      const std::uint32_t from = last[r_.edges.producer[e]], to = first[r_.edges.consumer[e]];
      if (from == kNoRow || to == kNoRow) continue;
      const Slice& a = slices_[from];
      const Slice& b = slices_[to];
      if (b.begin < a.end) {
        begin("i", kCores, b.track, us(b.begin));
        out_.field("s", "t").field("cat", "backward").field("name", "backward").key("args").begin_object();
        out_.field("producer", names_.text(r_.edges.producer[e])).field("consumer", names_.text(r_.edges.consumer[e]));
        out_.key("early_us").json(number(us(a.end) - us(b.begin))).end_object().end_object();
        continue;
      }
      flow("s", a.track, std::max(us(a.begin), us(a.end) - kBeforeEnd), e);
      flow("f", b.track, us(b.begin), e);
    }
  }
  void flow(std::string_view phase, std::uint32_t track, double time, std::uint32_t edge) {
    begin(phase, kCores, track, time);
    out_.field("id", edge + std::uint64_t{1})
        .field("bp", "e")
        .field("cat", "dependency")
        .field("name", fmt::format("{}", fmt::join(runtime::dep_flag_names(r_.edges.flags_final[edge]), ", ")))
        .end_object();
  }
  const Recording& r_;
  JsonWriter out_;
  TaskNames names_;
  double frequency_ = 0;  // 0: time of the model
  bool measured_ = false;
  std::vector<Slice> slices_;
};

}  // namespace

void write_perfetto(const Recording& recording, const TextOutput& output) { Trace(recording, output).write(); }

}  // namespace depscope::replay
