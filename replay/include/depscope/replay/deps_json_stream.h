// A deps.json straight from a run of the model, without a recording in between.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "depscope/replay/deps_json.h"
#include "depscope/runtime/sink.h"

namespace depscope::replay {

/// Writes the same bytes as write_deps_json (schema Upstream) does of the recording of the run: `tasks` while they are submitted,
/// the rest at the end. Keeps one row per edge, per tensor and per registered write, no events. The output must outlive it.
class DepsJsonStream final : public runtime::RuntimeSink {
 public:
  explicit DepsJsonStream(const TextOutput& output, DepsFaults faults = {});
  ~DepsJsonStream() override;

  void task(const runtime::TaskRow& row, const std::vector<std::uint32_t>& iteration) override;
  void access(const runtime::AccessRow& row) override;
  void edge(const runtime::EdgeRow& row) override;
  void edge_reason(const runtime::EdgeReasonRow& row) override;
  void scope(const runtime::ScopeRow&) override {}
  void event(const runtime::Event&) override {}

  /// Writes tensors and edges; the last call. Edges are known with the submit that has them, so the run need not have come to its
  /// end.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace depscope::replay
