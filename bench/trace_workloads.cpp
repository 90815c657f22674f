#include "trace_workloads.h"

#include <array>
#include <vector>

namespace depscope::bench {
namespace {

using namespace runtime;

constexpr std::uint64_t kExternal = 0x10000000;
constexpr std::uint64_t kMade = 0x100000000;  // addresses of task outputs

/// Rows [first, first + rows) of a row-major matrix.
TensorDescriptor rows_of(std::uint64_t address, std::uint32_t height, std::uint32_t width, std::uint32_t first,
                         std::uint32_t rows, TaskId owner) {
  TensorDescriptor t;
  t.address = address;
  t.buffer_elements = std::uint64_t{height} * width;
  t.start_offset = std::uint64_t{first} * width;
  t.owner = owner;
  t.rank = 2;
  t.shape = {rows, width};
  t.strides = {width, 1};
  return t;
}

TensorDescriptor slice_of(std::uint64_t address, std::uint64_t buffer, std::uint64_t first, std::uint32_t count, TaskId owner) {
  TensorDescriptor t;
  t.address = address;
  t.buffer_elements = buffer;
  t.start_offset = first;
  t.owner = owner;
  t.rank = 1;
  t.shape = {count};
  t.strides = {1};
  return t;
}

Argument output() { return {.kind = ArgKind::Output, .tensor = {}, .name = 0}; }

Argument argument(ArgKind kind, const TensorDescriptor& tensor) { return {.kind = kind, .tensor = tensor, .name = 0}; }

void reset(Submission& s, TaskId id) {
  s.kind = TaskKind::Kernel;
  s.kernel_ids = {-1, 0, -1};
  s.block_num = 1;
  s.forced_id = id;
  s.deps.clear();
  s.args.clear();
}

/// One group of the mixed workload.
class MixedGroup {
 public:
  MixedGroup(std::uint64_t group, std::uint32_t ring, std::uint64_t first_local)
      : group_(group), ring_(ring), local_(first_local) {}

  void fill(Submission& s, std::uint32_t position) {
    const TaskId id = make_task_id(ring_, static_cast<std::uint32_t>(local_ + position));
    reset(s, id);
    if (position != 0 && position % 16 == 0) s.deps.push_back({.task = id - 1});
    if (position == 0) {
      s.kind = TaskKind::Alloc;
      s.kernel_ids = {-1, -1, -1};
      s.args.push_back(output());
      accumulator_owner_ = id;
    } else if (position <= 16) {
      for (std::uint64_t i = 0; i < 2; ++i) {
        s.args.push_back(
            argument(ArgKind::Input, slice_of(kExternal + 4096 * ((position * 2 + i) % 64), 64, 0, 64, kInvalidTask)));
      }
      make(s, id);
    } else if (position <= 48) {
      const std::uint32_t inputs = 2 + position % 2;
      for (std::uint32_t i = 0; i < inputs; ++i) read(s, position * 7 + i * 5);
      make(s, id);
    } else if (position <= 56) {
      s.args.push_back(argument(ArgKind::InOut, rows_of(accumulator(), 512, 128, 64 * (position - 49), 64, accumulator_owner_)));
      read(s, position);
    } else if (position <= 62) {
      s.args.push_back(argument(ArgKind::Input, rows_of(accumulator(), 512, 128, 80 * (position - 57), 96, accumulator_owner_)));
    } else {
      s.args.push_back(argument(ArgKind::InOut, rows_of(accumulator(), 512, 128, 0, 512, accumulator_owner_)));
      s.block_num = 8;
    }
  }

 private:
  [[nodiscard]] std::uint64_t accumulator() const { return kMade + group_ * 0x100000; }
  void make(Submission& s, TaskId id) {
    s.args.push_back(output());
    made_[made_count_++ % made_.size()] = id;
  }
  void read(Submission& s, std::uint32_t which) {
    const TaskId owner = made_[which % made_.size()];
    s.args.push_back(argument(ArgKind::Input, slice_of(accumulator() + 0x80000 + 1024 * local_of(owner), 256, 0, 64, owner)));
  }

  std::uint64_t group_;
  std::uint32_t ring_;
  std::uint64_t local_;
  TaskId accumulator_owner_ = kInvalidTask;
  std::array<TaskId, 16> made_{};
  std::uint64_t made_count_ = 0;
};

}  // namespace

void mixed_workload(std::uint64_t tasks, const SubmissionSink& submit) {
  Submission s;
  std::array<std::uint64_t, kRingCount> next{};
  for (std::uint64_t group = 0, done = 0; done < tasks; ++group) {
    const std::uint32_t ring = group % 3 < 2 ? 1 : (group / 3 % 2 == 0 ? 0 : 2);
    MixedGroup shape(group, ring, next[ring]);
    next[ring] += 64;
    for (std::uint32_t i = 0; i < 64 && done < tasks; ++i, ++done) {
      shape.fill(s, i);
      submit(s);
    }
  }
}

void chain_workload(std::uint64_t tasks, const SubmissionSink& submit) {
  Submission s;
  for (std::uint64_t i = 0; i < tasks; ++i) {
    reset(s, i);
    s.args.push_back(argument(ArgKind::InOut, slice_of(kExternal, 4096, 0, 4096, kInvalidTask)));
    submit(s);
  }
}

void fanin_workload(std::uint64_t tasks, const SubmissionSink& submit) {
  Submission s;
  for (std::uint64_t i = 0; i < tasks; ++i) {
    reset(s, i);
    if (i % 32 == 31) {
      for (std::uint64_t source = i - 31; source < i; ++source) {
        s.args.push_back(argument(ArgKind::Input, slice_of(kMade + 1024 * source, 256, 0, 64, source)));
      }
    } else {
      s.args.push_back(output());
    }
    submit(s);
  }
}

void slices_workload(std::uint64_t tasks, const SubmissionSink& submit) {
  Submission s;
  for (std::uint64_t i = 0; i < tasks; ++i) {
    reset(s, i);
    s.args.push_back(argument(ArgKind::OutputExisting, slice_of(kExternal, 16 * tasks, 16 * i, 16, kInvalidTask)));
    if (i >= 16) s.args.push_back(argument(ArgKind::Input, slice_of(kExternal, 16 * tasks, 16 * (i - 16), 16, kInvalidTask)));
    submit(s);
  }
}

}  // namespace depscope::bench
