// A recorder that leaves out the events.
#pragma once

#include <vector>

#include "depscope/recording/recorder.h"
#include "depscope/runtime/sink.h"

namespace depscope::bench {

class WithoutEvents final : public runtime::RuntimeSink {
 public:
  explicit WithoutEvents(recording::Recording& recording) : recorder_(recording) {}
  void task(const runtime::TaskRow& row, const std::vector<std::uint32_t>& iteration) override { recorder_.task(row, iteration); }
  void access(const runtime::AccessRow& row) override { recorder_.access(row); }
  void edge(const runtime::EdgeRow& row) override { recorder_.edge(row); }
  void edge_reason(const runtime::EdgeReasonRow& row) override { recorder_.edge_reason(row); }
  void scope(const runtime::ScopeRow& row) override { recorder_.scope(row); }
  void event(const runtime::Event&) override {}

 private:
  recording::RuntimeRecorder recorder_;
};

}  // namespace depscope::bench
