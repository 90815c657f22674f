// A model with a sink that keeps every row, for tests.
#pragma once

#include <memory>
#include <vector>

#include "depscope/runtime/model.h"

namespace depscope::runtime {

class KeepingSink final : public RuntimeSink {
 public:
  void task(const TaskRow& row, const std::vector<std::uint32_t>&) override { tasks.push_back(row); }
  void access(const AccessRow& row) override { accesses.push_back(row); }
  void edge(const EdgeRow& row) override { edges.push_back(row); }
  void edge_reason(const EdgeReasonRow& row) override { reasons.push_back(row); }
  void scope(const ScopeRow& row) override { scopes.push_back(row); }
  void event(const Event& row) override { events.push_back(row); }

  std::vector<TaskRow> tasks;
  std::vector<AccessRow> accesses;
  std::vector<EdgeRow> edges;
  std::vector<EdgeReasonRow> reasons;
  std::vector<ScopeRow> scopes;
  std::vector<Event> events;
};

struct RecordedRun {
  explicit RecordedRun(const ModelOptions& options = {})
      : owned_sink(std::make_unique<KeepingSink>()),
        owned_model(std::make_unique<Model>(options, *owned_sink)),
        sink(*owned_sink),
        model(*owned_model) {}

  std::unique_ptr<KeepingSink> owned_sink;
  std::unique_ptr<Model> owned_model;
  KeepingSink& sink;
  Model& model;
};

/// A task of one AIV kernel.
inline Submission kernel() {
  Submission s;
  s.kernel_ids = {-1, 0, -1};
  return s;
}

inline TensorDescriptor vector_of(std::uint64_t address, std::uint32_t count, TaskId owner = kInvalidTask,
                                  std::uint64_t begin = 0) {
  TensorDescriptor t;
  t.address = address;
  t.buffer_elements = 4096;
  t.start_offset = begin;
  t.owner = owner;
  t.rank = 1;
  t.shape = {count};
  t.strides = {1};
  return t;
}

inline Argument arg(ArgKind kind, const TensorDescriptor& tensor) { return {.kind = kind, .tensor = tensor, .name = 0}; }

/// A buffer of `count` FLOAT32 elements that the task creates.
inline Argument output(std::uint32_t count) {
  TensorDescriptor t;
  t.rank = 1;
  t.shape = {count};
  return {.kind = ArgKind::Output, .tensor = t, .name = 0};
}

inline Submission with(std::vector<Argument> args, std::vector<ExplicitDep> deps = {}) {
  Submission s = kernel();
  s.args = std::move(args);
  s.deps = std::move(deps);
  return s;
}

}  // namespace depscope::runtime
