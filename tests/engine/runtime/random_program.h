// Seeded programs over the public interface of the model: scopes, submits of every form, handles that are legal.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "depscope/runtime/model.h"

namespace depscope::runtime {

/// Keeps findings, and checks that only writes that are to be tracked are registered (runtime.md 13, I25).
class FindingSink final : public RuntimeSink {
 public:
  void task(const TaskRow& row, const std::vector<std::uint32_t>&) override { manual_.push_back(row.manual_scope); }
  void access(const AccessRow& row) override {
    const bool writes = row.kind == ArgKind::InOut || row.kind == ArgKind::OutputExisting;
    registrable_.push_back(writes && !row.tensor.manual_dep && !manual_[row.task]);
  }
  void edge(const EdgeRow&) override {}
  void edge_reason(const EdgeReasonRow&) override {}
  void scope(const ScopeRow&) override {}
  void event(const Event& row) override {
    if (row.kind == EventKind::TensorMapInsert && !registrable_[row.subject]) ++wrong_registrations;
  }
  void finding(const RunFinding& f) override { findings.push_back(f); }

  /// Text of the first violated invariant that is not in `allowed`; empty if there is none.
  [[nodiscard]] std::string violation(const std::vector<int>& allowed = {}) const;
  /// True if the invariant of that number is among the findings.
  [[nodiscard]] bool reports(int number) const;
  [[nodiscard]] std::string all() const;

  std::vector<RunFinding> findings;
  std::uint32_t wrong_registrations = 0;

 private:
  std::vector<bool> manual_, registrable_;
};

struct RandomProgram {
  std::uint64_t seed = 1;
  std::uint32_t submits = 40;
  std::uint32_t most_in_scope = 3;  ///< tasks of one scope: another one begins or it ends before more are submitted
  bool wide = false;                ///< fanins beyond the inline entries; windows of at least 128 are needed
  bool by_hand = false;             ///< performs some of the enabled actions between the calls
};

/// Options of a small machine under pressure; `program.wide` gives windows that are large enough.
[[nodiscard]] ModelOptions random_options(const RandomProgram& program, Platform platform);
/// Submits the program and finishes the run. Errors of the model end it early.
void play(Model& model, const RandomProgram& program, std::uint32_t clusters);

}  // namespace depscope::runtime
