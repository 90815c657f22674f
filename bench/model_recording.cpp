#include "model_recording.h"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "depscope/recording/recorder.h"
#include "depscope/runtime/model.h"

namespace depscope::bench {
namespace {

using namespace runtime;

constexpr std::uint32_t kTasksPerScope = 64;
constexpr std::uint32_t kSide = 64;

/// One of the rows of a shared matrix.
TensorDescriptor shared(std::uint32_t buffer, std::uint32_t row, std::uint32_t rows) {
  TensorDescriptor t;
  t.address = 0x10000 * (1 + std::uint64_t{buffer});
  t.buffer_elements = std::uint64_t{kSide} * kSide;
  t.start_offset = std::uint64_t{row} * kSide;
  t.rank = 2;
  t.shape = {rows, kSide};
  t.strides = {kSide, 1};
  return t;
}

}  // namespace

recording::Recording model_recording(std::uint32_t tasks, EventLevel level) {
  recording::Recording r;
  recording::RuntimeRecorder recorder(r);
  ModelOptions options;
  options.events = level;
  options.reduction = {.kind = ReductionKind::Bitmap, .window = 64};
  Model model(options, recorder);
  std::mt19937 random(1);
  const auto below = [&random](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  const std::uint32_t names[] = {r.strings.add("fill"), r.strings.add("copy"), r.strings.add("sum")};
  std::vector<TaskId> ids;
  std::vector<TensorDescriptor> outputs;
  Submission s;
  model.begin_scope(false);
  for (std::uint32_t i = 0; i < tasks; ++i) {
    if (i % kTasksPerScope == 0) model.begin_scope(false);
    s = Submission{};
    s.callee = names[i % 3];
    s.kernel_ids = {i % 3 == 0 ? 1 : -1, i % 3 == 0 ? -1 : 2, -1};
    s.block_num = i % 16 == 0 ? 4 : 1;
    s.duration = 1 + below(8);
    if (i % 32 == 31) {
      s.kind = TaskKind::Dummy;
      s.kernel_ids = {-1, -1, -1};
      for (std::uint32_t k = 1; k <= 4 && k <= ids.size(); ++k)
        s.deps.push_back({.task = ids[ids.size() - k], .provenance = kUser});
    } else {
      s.args.push_back({ArgKind::Input, shared(below(64), below(kSide), 1), 0});
      if (!outputs.empty()) s.args.push_back({ArgKind::Input, outputs[below(static_cast<std::uint32_t>(outputs.size()))], 0});
      if (i % 2 == 0) s.args.push_back({ArgKind::InOut, shared(below(64), below(kSide), 1), 0});
      s.args.push_back({ArgKind::Output, shared(0, 0, 16), 0});
    }
    const SubmitResult result = model.submit(s);
    ids.push_back(result.id);
    if (!result.outputs.empty()) outputs.push_back(result.outputs[0]);
    if (i % kTasksPerScope == kTasksPerScope - 1) {
      model.end_scope();
      ids.clear();
      outputs.clear();
    }
  }
  model.finish();
  if (model.error_code() != 0)
    throw std::logic_error("the run of the benchmark fails: error " + std::to_string(model.error_code()));
  return r;
}

}  // namespace depscope::bench
