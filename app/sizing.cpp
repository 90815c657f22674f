#include "sizing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "bundle_run.h"
#include "deadlock_settings.h"
#include "depscope/base/diagnostics.h"
#include "depscope/replay/bundle.h"
#include "smallest_settings.h"

namespace depscope::app {
namespace {

using recording::Recording;
using replay::RunUse;
using replay::SizedResource;
using replay::SizingReport;
using runtime::RingResource;

/// The same input again, with other options.
class Reruns {
 public:
  Reruns(std::string input, const RunOptions& options, InputKind kind) : input_(std::move(input)), options_(options) {
    if (kind == InputKind::Bundle) {
      const replay::Bundle bundle = replay::read_bundle(input_);
      if (bundle.run.input.empty()) {
        why_not_ = "the bundle holds a recording without its input, which cannot be run again";
        return;
      }
      bundle_.emplace(bundle.run, input_);
      options_ = bundle_->options(options.given);
    } else if (!is_run(kind)) {
      why_not_ = kind == InputKind::DepsJson ? "the task graph of a run cannot be run again" : "a recording cannot be run again";
      return;
    }
    if (options_.schedule_source != nullptr)
      why_not_ = "the schedule is prescribed (--schedule list:), and its choices fit only the run that they were made for";
    options_ = to_run_again(std::move(options_));
  }

  /// Why nothing can be run again, empty if it can.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// Those of the run that was opened, but for what only writes and checks.
  [[nodiscard]] const RunOptions& options() const { return options_; }
  [[nodiscard]] Recording run(const RunOptions& options) const {
    return bundle_ ? bundle_->open(options).recording : open_input(input_, options).recording;
  }

 private:
  std::string input_;
  RunOptions options_;
  std::optional<UnpackedRun> bundle_;
  std::string why_not_;
};

bool came_through(const Recording& r) {
  for (const std::uint32_t kind : r.findings.kind) {
    if (r.text(kind) == "deadlock" || r.text(kind) == "runtime_error") return false;
  }
  return true;
}

/// What add_smallest_settings() found.
bool says_what_helps(const Recording& r) {
  for (std::uint32_t row = 0; row < r.findings.rows(); ++row) {
    if (r.text(r.findings.kind[row]) == "deadlock" &&
        r.text(r.findings.fields[row]).find("\"smallest\":") != std::string_view::npos)
      return true;
  }
  return false;
}

/// What the run used of each, which should be enough of it.
std::vector<LeastValue> limits_in_use(const RunUse& run) {
  std::vector<LeastValue> out;
  for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
    if (run.tasks[ring] == 0) continue;
    const auto most = [&](SizedResource resource) { return at(run.use, resource, ring).most; };
    const auto add = [&](RingResource resource, std::uint64_t enough) {
      const std::uint64_t set = run.settings[static_cast<std::size_t>(resource)][ring];
      LeastValue least;
      least.limit = {.resource = resource, .ring = ring};
      least.enough = std::min(enough, set);
      out.push_back(least);
    };
    // One slot is always free, and a scope is not refused its next task before it asks for it.
    const std::uint64_t slots = std::max(most(SizedResource::TaskWindow), most(SizedResource::Scope)) + 1;
    add(RingResource::TaskWindow, std::bit_ceil(slots));
    if (const std::uint64_t bytes = most(SizedResource::Heap); bytes != 0) add(RingResource::Heap, bytes);
    const std::uint64_t nodes = std::max(most(SizedResource::DepPool), most(SizedResource::SpillPool));
    if (nodes != 0) add(RingResource::DepPool, nodes);
  }
  return out;
}

void add_smallest(const Reruns& reruns, const Recording& recording, SizingReport& report) {
  const replay::RunStop& stop = report.set.stop;
  if (!report.set.run) {
    report.no_smallest = "there is no run";
  } else if (!reruns.why_not().empty()) {
    report.no_smallest = reruns.why_not();
  } else if (stop.stopped && stop.by_resource) {
    report.no_smallest = "the run does not come through with the limits as set";
    if (says_what_helps(recording)) report.no_smallest += ": see the setting that is told with the deadlock";
  } else if (!came_through(recording)) {
    report.no_smallest = "the run does not come through, whatever its limits";
  } else if (recording.tasks.rows() > kMaxTasksRunAgain) {
    report.no_smallest = fmt::format("the run has {} tasks, and more than {} are not run again and again", recording.tasks.rows(),
                                     kMaxTasksRunAgain);
  }
  if (!report.no_smallest.empty()) return;

  std::vector<LeastValue> least = limits_in_use(report.set);
  const std::size_t wanted = least.size();
  const LimitsOfRings& set = report.set.settings;
  const auto run = [&](const LimitsOfRings& limits) -> RunEnd {
    RunOptions tried = reruns.options();
    for (std::size_t resource = 0; resource < limits.size(); ++resource) {
      for (std::size_t ring = 0; ring < runtime::kRingCount; ++ring) {
        if (limits[resource][ring] != set[resource][ring]) tried.ring_limits[resource][ring] = limits[resource][ring];
      }
    }
    tried.events = EventChoice::Summary;
    return {.through = came_through(reruns.run(tried)), .limit = {}};
  };
  report.runs = least_values(set, run, least);
  for (const LeastValue& value : least) {
    report.smallest.push_back({.resource = value.limit.resource,
                               .ring = value.limit.ring,
                               .set = set[static_cast<std::size_t>(value.limit.resource)][value.limit.ring],
                               .value = value.value,
                               .one_less = value.one_less});
  }
  if (least.size() < wanted) report.no_smallest = fmt::format("{} runs were made, and no more are", report.runs);
}

}  // namespace

SizingReport sizing_of(const std::string& input, const RunOptions& options, const Opened& opened) {
  const RunUse use = replay::use_of_run(opened.recording);
  const Reruns reruns(input, options, opened.kind);
  std::string why_not = reruns.why_not();
  std::optional<Recording> unlimited;
  if (why_not.empty()) {
    RunOptions lifted = reruns.options();
    lifted.lift_limits = true;
    try {
      unlimited = reruns.run(lifted);
    } catch (const InputError& error) {
      // Limits may have ended the run before something that is wrong further on.
      why_not = fmt::format("that run fails: {}", error.diagnostics().front().message);
    }
  }
  SizingReport report = replay::sizing_report(opened.recording, use, unlimited ? &*unlimited : nullptr, std::move(why_not));
  unlimited.reset();
  add_smallest(reruns, opened.recording, report);
  return report;
}

}  // namespace depscope::app
