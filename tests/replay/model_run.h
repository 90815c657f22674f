// A run of the runtime model into a recording, with the few kinds of arguments that the tests need.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "depscope/recording/recorder.h"
#include "depscope/runtime/model.h"

namespace depscope::replay {

/// A buffer of the runtime as an argument, after it was created.
inline runtime::Argument reads(const runtime::TensorDescriptor& t) { return {runtime::ArgKind::Input, t, 0}; }
inline runtime::Argument both(const runtime::TensorDescriptor& t) { return {runtime::ArgKind::InOut, t, 0}; }
inline runtime::Argument creates(std::uint32_t bytes) {
  runtime::Argument out;
  out.kind = runtime::ArgKind::Output;
  out.tensor.rank = 1;
  out.tensor.shape = {bytes / 4};
  out.tensor.strides = {1};
  return out;
}

struct ModelRun {
  explicit ModelRun(const runtime::ModelOptions& options = {}) : recorder(r), model(options, recorder) {}

  struct Task {
    runtime::TaskId id = runtime::kInvalidTask;
    std::uint32_t row = recording::kNoRow;
    runtime::TensorDescriptor output;  ///< the first created buffer

    [[nodiscard]] runtime::ExplicitDep flagged(std::uint8_t flags) const { return {.task = id, .flags = flags}; }
    [[nodiscard]] runtime::ExplicitDep all() const { return flagged(runtime::kWaitRetain); }
    [[nodiscard]] runtime::ExplicitDep wait() const { return flagged(runtime::kWait); }
  };

  Task submit(const runtime::Submission& s) {
    const runtime::SubmitResult result = model.submit(s);
    Task out{.id = result.id, .row = result.row, .output = {}};
    if (!result.outputs.empty()) out.output = result.outputs[0];
    return out;
  }
  Task task(std::vector<runtime::Argument> args, std::vector<runtime::ExplicitDep> deps = {}, std::uint32_t duration = 1) {
    runtime::Submission s;
    s.kernel_ids = {-1, 0, -1};
    s.duration = duration;
    s.args = std::move(args);
    s.deps = std::move(deps);
    return submit(s);
  }
  Task allocate(std::uint32_t bytes) {
    runtime::Submission s;
    s.kind = runtime::TaskKind::Alloc;
    s.args = {creates(bytes)};
    return submit(s);
  }
  void begin(bool manual = false) { model.begin_scope(manual); }
  void end() { model.end_scope(); }
  /// Everything that was submitted runs to its end; scopes stay open. For the manual schedule.
  void run_all() {
    for (auto actions = model.enabled(); !actions.empty(); actions = model.enabled()) model.perform(actions.front());
  }
  const recording::Recording& done() {
    model.finish();
    return r;
  }

  recording::Recording r;
  recording::RuntimeRecorder recorder;
  runtime::Model model;
};

}  // namespace depscope::replay
