// The recording side of the sinks: turns what the stages report into table rows.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/pass/decisions.h"
#include "depscope/pass/pass.h"
#include "depscope/recording/tables.h"
#include "depscope/runtime/sink.h"

namespace depscope::recording {

/// Writes pass decisions, pass texts and, at the end, the call sites, scopes and functions of the last program.
/// Decisions name statements of the pass's input program; the recorder follows them to the last program by the position
/// of the task site among the function's task sites (passes neither add nor reorder kernel task sites of the default
/// pipeline's tail; a site that is gone gives row "none"). It must be an observer of the PassManager too: `after_pass` of the
/// input comes before the first decision (InternalError otherwise).
class PassRecorder final : public pass::DecisionSink, public pass::PassObserver {
 public:
  explicit PassRecorder(Recording& recording);
  ~PassRecorder() override;

  void region(const pass::RegionRecord& record) override;
  void argument(const pass::ArgumentRecord& record) override;
  void rewrite(const pass::RewriteRecord& record) override;
  void storage(const pass::StorageRecord& record) override;
  void access(const pass::AccessRecord& record) override;
  void access_listed(std::uint32_t list, std::uint32_t access, ir::VarId id) override;
  void hazard(const pass::HazardRecord& record) override;
  void edge(const pass::EdgeRecord& record) override;
  void fence(const pass::FenceRecord& record) override;
  void scope(const pass::ScopeRecord& record) override;
  void carry(const pass::CarryRecord& record) override;
  void notice(const pass::NoticeRecord& record) override;
  void after_pass(std::uint32_t index, const pass::Pass* pass, const ir::Program& program, bool changed,
                  const std::vector<Diagnostic>& diagnostics) override;

  /// Writes functions, call sites, arguments and IR scopes of the last program. Call once, after the last pass.
  void finish(const ir::Program& last);

  /// The call_sites row of a statement of the last program, kNoRow if it is none. Valid after finish.
  [[nodiscard]] std::uint32_t call_site_of(ir::StmtId site) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes tasks, accesses, tensors, edges, scopes and events. Name ids of the runtime rows are string ids of the recording.
class RuntimeRecorder final : public runtime::RuntimeSink {
 public:
  explicit RuntimeRecorder(Recording& recording);
  ~RuntimeRecorder() override;

  void task(const runtime::TaskRow& row, const std::vector<std::uint32_t>& iteration) override;
  void access(const runtime::AccessRow& row) override;
  void edge(const runtime::EdgeRow& row) override;
  void edge_reason(const runtime::EdgeReasonRow& row) override;
  void scope(const runtime::ScopeRow& row) override;
  void event(const runtime::Event& event) override;
  void finding(const runtime::RunFinding& finding) override;

  /// What the model found so far, in order. They are no rows yet: whoever names tasks writes those.
  [[nodiscard]] const std::vector<runtime::RunFinding>& found() const;

  /// A part of one argument of the task whose rows came last: `mode` and `source` as in the touched table, `view` in the tensor
  /// of that argument. By argument.
  void touched(std::uint32_t argument, std::uint8_t mode, std::uint8_t source, const runtime::TensorDescriptor& view);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace depscope::recording
