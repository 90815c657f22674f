#include <gtest/gtest.h>

#include "depscope/recording/recorder.h"
#include "depscope/runtime/model.h"

namespace depscope::recording {
namespace {

runtime::Argument read_of(std::uint64_t address, std::uint32_t name, std::uint64_t stride = 1) {
  runtime::Argument a;
  a.name = name;
  a.tensor.address = address;
  a.tensor.buffer_elements = 64;
  a.tensor.rank = 2;
  a.tensor.shape = {2, 4};
  a.tensor.strides = {std::uint64_t{5} << 32U, stride};
  return a;
}

TEST(RuntimeRecorder, WritesEveryTable) {
  Recording recording;
  RuntimeRecorder recorder(recording);
  runtime::Model model({}, recorder);
  runtime::Submission s;
  s.kernel_ids = {-1, 3, -1};
  s.callee = recording.strings.add("fill");
  const std::uint32_t x = recording.strings.add("x");
  s.iteration = {2, 7};
  s.early_dispatch = true;
  s.args = {read_of(4096, x), read_of(4096, x), read_of(8192, 0), read_of(4096, x, 2)};
  s.args[0].kind = runtime::ArgKind::InOut;
  model.submit(s);
  s.iteration.clear();
  s.deps = {{.task = 0}};
  model.submit(s);
  model.finish();

  ASSERT_EQ(recording.tasks.rows(), 2U);
  EXPECT_EQ(recording.text(recording.tasks.callee[0]), "fill");
  EXPECT_EQ(recording.tasks.flags[0], 2);
  EXPECT_EQ(recording.tasks.kernel_aiv0[0], 3);
  ASSERT_EQ(recording.tasks.iteration_begin_count[0], 2U);
  EXPECT_EQ(recording.pool[recording.tasks.iteration_begin[0] + 1], 7U);
  EXPECT_EQ(recording.tasks.iteration_begin_count[1], 0U);

  ASSERT_EQ(recording.accesses.rows(), 8U);
  EXPECT_EQ(recording.tensors.rows(), 2U);  // by address, version, owner, dtype and manual_dep
  EXPECT_EQ(recording.text(recording.tensors.name[recording.accesses.tensor[5]]), "x");
  EXPECT_EQ(recording.accesses.tensor[6], 1U);
  const auto& a = recording.accesses;
  EXPECT_EQ(a.geometry_begin[0], a.geometry_begin[4]);  // equal geometry is stored once
  EXPECT_NE(a.geometry_begin[0], a.geometry_begin[3]);
  ASSERT_EQ(a.geometry_begin_count[0], 6U);
  const std::uint32_t* words = recording.pool.data() + a.geometry_begin[0];
  EXPECT_EQ(words[1], 4U);
  EXPECT_EQ(words[2], 0U);  // low word of the first stride
  EXPECT_EQ(words[3], 5U);

  ASSERT_EQ(recording.edges.rows(), 1U);
  EXPECT_EQ(recording.edges.provenance[0], runtime::kExplicit | runtime::kTensorMap);
  EXPECT_EQ(recording.edge_reasons.rows(), 4U);  // explicit, and one hit for each argument on 4096
  EXPECT_EQ(recording.scopes.rows(), 1U);
  EXPECT_EQ(recording.scopes.owner[0], 3);
  ASSERT_GT(recording.events.rows(), 20U);
  EXPECT_EQ(recording.events.kind.back(), static_cast<std::uint8_t>(runtime::EventKind::RunEnd));
}

}  // namespace
}  // namespace depscope::recording
