// A deps.json straight from the model is the one that its recording gives, byte for byte.
#include "depscope/replay/deps_json_stream.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "model_run.h"

namespace depscope::replay {
namespace {

using runtime::ArgKind;
using runtime::Argument;
using runtime::TensorDescriptor;

/// Hands every row to two sinks.
class Both final : public runtime::RuntimeSink {
 public:
  Both(runtime::RuntimeSink& a, runtime::RuntimeSink& b) : a_(a), b_(b) {}
  void task(const runtime::TaskRow& row, const std::vector<std::uint32_t>& iteration) override {
    a_.task(row, iteration);
    b_.task(row, iteration);
  }
  void access(const runtime::AccessRow& row) override {
    a_.access(row);
    b_.access(row);
  }
  void edge(const runtime::EdgeRow& row) override {
    a_.edge(row);
    b_.edge(row);
  }
  void edge_reason(const runtime::EdgeReasonRow& row) override {
    a_.edge_reason(row);
    b_.edge_reason(row);
  }
  void scope(const runtime::ScopeRow& row) override {
    a_.scope(row);
    b_.scope(row);
  }
  void event(const runtime::Event& event) override {
    a_.event(event);
    b_.event(event);
  }

 private:
  runtime::RuntimeSink& a_;
  runtime::RuntimeSink& b_;
};

TensorDescriptor random_view(std::mt19937& random) {
  TensorDescriptor t;
  t.address = 0x1000 * (1 + random() % 3);
  t.version = static_cast<std::int32_t>(random() % 2);
  t.buffer_elements = 4096;
  t.rank = static_cast<std::uint8_t>(1 + random() % 3);
  t.start_offset = random() % 64;
  std::uint64_t stride = 1;
  for (std::uint32_t i = t.rank; i-- > 0;) {
    t.shape[i] = 1 + random() % 8;
    t.strides[i] = stride;
    stride *= 16;
  }
  t.dtype = random() % 4 == 0 ? runtime::ElementType::Int8 : runtime::ElementType::Float32;
  return t;
}

class DepsJsonStreams : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(DepsJsonStreams, SameBytesAsTheRecording) {
  std::mt19937 random(GetParam());
  const DepsFaults faults{.retain_lost = random() % 2 == 0, .no_dep_unknown = random() % 2 == 0};
  std::string streamed;
  const TextOutput output = [&](std::string_view piece) { streamed += piece; };
  recording::Recording r;
  recording::RuntimeRecorder recorder(r);
  DepsJsonStream stream(output, faults);
  Both both(recorder, stream);
  runtime::ModelOptions options;
  options.limits[0].task_window = 64;
  options.limits[0].dep_pool = 4 + random() % 40;  // some runs stop
  runtime::Model model(options, both);
  std::vector<runtime::SubmitResult> results;
  std::vector<TensorDescriptor> made;
  for (int i = 0; i < 60; ++i) {
    runtime::Submission s;
    s.kernel_ids = {-1, static_cast<std::int32_t>(random() % 3), -1};
    s.block_num = 1 + random() % 3;
    s.early_dispatch = random() % 4 == 0;
    if (random() % 8 == 0) {
      s.kind = runtime::TaskKind::Alloc;
      s.args = {creates(256)};
    } else {
      const std::uint32_t count = random() % 5;
      for (std::uint32_t a = 0; a < count; ++a) {
        constexpr std::array kKinds{ArgKind::Input, ArgKind::InOut, ArgKind::OutputExisting, ArgKind::NoDep};
        if (random() % 5 == 0) {
          s.args.push_back(creates(128));
          continue;
        }
        const bool of_made = !made.empty() && random() % 2 == 0;
        s.args.push_back({kKinds[random() % kKinds.size()], of_made ? made[random() % made.size()] : random_view(random), 0});
      }
      if (i > 0 && random() % 3 == 0) {
        const auto task = static_cast<runtime::TaskId>(random() % static_cast<std::uint32_t>(i));
        s.deps.push_back({.task = task, .flags = static_cast<std::uint8_t>(random() % 4)});
      }
    }
    const runtime::SubmitResult result = model.submit(s);
    for (const TensorDescriptor& t : result.outputs) made.push_back(t);
  }
  stream.finish();  // nothing of what follows belongs to the file
  model.finish();
  std::string recorded;
  write_deps_json(
      r, DepsSchema::Upstream, [&](std::string_view piece) { recorded += piece; }, faults);
  EXPECT_GT(r.edge_reasons.rows(), 0U);
  EXPECT_EQ(streamed, recorded);
}

INSTANTIATE_TEST_SUITE_P(Random, DepsJsonStreams, ::testing::Range(0U, 60U));

TEST(DepsJsonStream, NothingSubmitted) {
  std::string text;
  const TextOutput output = [&](std::string_view piece) { text += piece; };
  DepsJsonStream stream(output);
  stream.finish();
  EXPECT_EQ(text, "{\"tasks\":[],\"tensors\":[],\"edges\":[]}\n");
}

}  // namespace
}  // namespace depscope::replay
