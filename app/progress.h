// Lines on standard error that say how far a run is (--progress), for programs that show it: the window does. They depend on the
// input alone, not on how fast the machine is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/pass/pass.h"
#include "depscope/runtime/sink.h"

namespace depscope::app {

/// What every line begins with.
inline constexpr std::string_view kProgressPrefix = "progress: ";
/// Events between two lines.
inline constexpr std::uint64_t kEventsPerProgress = 50'000;

void print_progress(std::string_view text);

/// "progress: pass 3 of 12 Simplify" before each pass.
class PassProgress final : public pass::PassObserver {
 public:
  explicit PassProgress(std::vector<std::string> names) : names_(std::move(names)) {}
  void after_pass(std::uint32_t index, const pass::Pass* pass, const ir::Program& program, bool changed,
                  const std::vector<Diagnostic>& diagnostics) override;

 private:
  std::vector<std::string> names_;
};

/// "progress: 120000 events" while a run is recorded; hands everything on.
class EventProgress final : public runtime::RuntimeSink {
 public:
  explicit EventProgress(runtime::RuntimeSink& target) : target_(target) {}

  void task(const runtime::TaskRow& row, const std::vector<std::uint32_t>& iteration) override { target_.task(row, iteration); }
  void access(const runtime::AccessRow& row) override { target_.access(row); }
  void edge(const runtime::EdgeRow& row) override { target_.edge(row); }
  void edge_reason(const runtime::EdgeReasonRow& row) override { target_.edge_reason(row); }
  void scope(const runtime::ScopeRow& row) override { target_.scope(row); }
  void event(const runtime::Event& event) override;
  void finding(const runtime::RunFinding& finding) override { target_.finding(finding); }

 private:
  runtime::RuntimeSink& target_;
  std::uint64_t events_ = 0;
};

}  // namespace depscope::app
