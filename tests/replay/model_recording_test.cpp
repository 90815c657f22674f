// Recordings of the real runtime model: they are valid, survive the file, and can be walked both ways.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "depscope/recording/recorder.h"
#include "depscope/replay/cursor.h"
#include "depscope/replay/file.h"
#include "depscope/runtime/model.h"
#include "synthetic_recording.h"
#include "temporary_directory.h"
#include "validate.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

runtime::TensorDescriptor external(std::uint64_t address) {
  runtime::TensorDescriptor t;
  t.address = address;
  t.buffer_elements = 256;
  t.rank = 2;
  t.shape = {16, 16};
  t.strides = {16, 1};
  return t;
}

/// Random programs: scopes, allocations, dummies, SPMD blocks, reads and writes of shared buffers, explicit dependencies.
Recording model_recording(std::uint32_t tasks, std::uint32_t seed, runtime::EventLevel level) {
  Recording r;
  {
    recording::RuntimeRecorder recorder(r);
    runtime::ModelOptions options;
    options.events = level;
    options.reduction.kind = runtime::ReductionKind::Bitmap;
    runtime::Model model(options, recorder);
    std::mt19937 random(seed);
    std::vector<runtime::TaskId> ids;
    std::vector<runtime::TensorDescriptor> outputs;
    runtime::Submission s;
    for (std::uint32_t i = 0; i < tasks; ++i) {
      if (i % 10 == 0) model.begin_scope(i % 30 == 20);
      s = runtime::Submission{};
      s.manual_scope = i % 30 >= 20;
      s.callee = r.strings.add(i % 2 == 0 ? "fill" : "copy");
      s.kernel_ids = {i % 3 == 0 ? 1 : -1, i % 3 == 0 ? -1 : 2, -1};
      s.block_num = 1 + random() % 3;
      s.iteration = {i / 10};
      if (i % 7 == 6) s.kernel_ids = {-1, -1, -1}, s.kind = runtime::TaskKind::Dummy;
      for (std::uint32_t k = random() % 3; k > 0 && !ids.empty(); --k) {
        const std::size_t back = std::min<std::size_t>(ids.size(), 12);
        s.deps.push_back({ids[ids.size() - 1 - random() % back], runtime::kWaitRetain, runtime::kUser});
      }
      if (s.kind != runtime::TaskKind::Dummy) {
        s.args.push_back({runtime::ArgKind::Input, external(4096 * (1 + random() % 4)), r.strings.add("x")});
        s.args.push_back({runtime::ArgKind::InOut, external(4096 * (1 + random() % 4)), r.strings.add("y")});
        if (!outputs.empty()) s.args.push_back({runtime::ArgKind::Input, outputs[random() % outputs.size()], r.strings.add("z")});
        runtime::Argument created{runtime::ArgKind::Output, external(0), r.strings.add("z")};
        s.args.push_back(created);
      }
      const runtime::SubmitResult result = model.submit(s);
      ids.push_back(result.id);
      if (!result.outputs.empty() && !s.manual_scope) outputs.assign(result.outputs.begin(), result.outputs.end());
      if (i % 10 == 9) {
        model.end_scope();
        outputs.clear();
        ids.clear();
      }
    }
    model.finish();
    EXPECT_EQ(model.error_code(), 0);
  }
  return r;
}

class ModelRecordingTest : public ::testing::TestWithParam<std::pair<std::uint32_t, runtime::EventLevel>> {};

TEST_P(ModelRecordingTest, IsValidAndCanBeWalkedBothWays) {
  const auto [seed, level] = GetParam();
  const Recording r = model_recording(300, seed, level);
  ASSERT_EQ(r.tasks.rows(), 300U);
  ASSERT_GT(r.edges.rows(), 200U);
  ASSERT_NO_THROW(validate(r, "model"));
  TemporaryDirectory directory;
  save(r, directory.file("a.depscope"));
  EXPECT_TRUE(same_recording(r, load(directory.file("a.depscope"))));

  Cursor cursor(r);
  std::vector<std::uint64_t> digests{cursor.state().digest()};
  std::size_t waits = 0;
  while (cursor.step()) {
    digests.push_back(cursor.state().digest());
    const std::uint32_t task = task_of_event(r, cursor.position() - 1);
    if (task == kNoRow) continue;
    EXPECT_FALSE(describe_event(r, cursor.position() - 1).empty());
    for (const std::uint32_t e : cursor.waiting_for(task)) {
      EXPECT_NE(cursor.state().edge_flags[e] & runtime::kWait, 0);
      ++waits;
    }
  }
  EXPECT_GT(waits, 100U);
  EXPECT_EQ(cursor.state().tasks_in_state[static_cast<std::size_t>(runtime::TaskState::Consumed)], 300U);
  EXPECT_EQ(cursor.state().have, cursor.state().need);
  EXPECT_EQ(cursor.state().claimed, cursor.state().released);
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) EXPECT_TRUE(cursor.kept_alive_by(t).empty());
  while (cursor.back()) ASSERT_EQ(cursor.state().digest(), digests[cursor.position()]);
}

INSTANTIATE_TEST_SUITE_P(Runs, ModelRecordingTest,
                         ::testing::Values(std::pair{1U, runtime::EventLevel::Full}, std::pair{2U, runtime::EventLevel::Full},
                                           std::pair{3U, runtime::EventLevel::Summary}));

}  // namespace
}  // namespace depscope::replay
