// The set of buffers that were written before the current point (passes.md 4.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "var_table.h"

namespace depscope::pass {

/// Grows in program order. A branch is undone before the next one, and what it wrote is added again after the whole construct,
/// so no set is ever copied.
class WrittenRoots {
 public:
  using Mark = std::size_t;

  [[nodiscard]] bool contains(ir::VarId root) const {
    const std::uint8_t* written = written_.find(root);
    return written != nullptr && *written != 0;
  }
  void add(ir::VarId root) {
    if (!root.valid() || contains(root)) return;
    written_[root] = 1;
    log_.push_back(root);
  }
  [[nodiscard]] Mark mark() const { return log_.size(); }
  /// Takes out and returns what was added since `mark`.
  [[nodiscard]] std::vector<ir::VarId> undo(Mark mark) {
    std::vector<ir::VarId> added(log_.begin() + static_cast<std::ptrdiff_t>(mark), log_.end());
    for (const ir::VarId root : added) written_[root] = 0;
    log_.resize(mark);
    return added;
  }
  void clear() {
    written_.clear();
    log_.clear();
  }

 private:
  VarTable<std::uint8_t> written_;
  std::vector<ir::VarId> log_;
};

}  // namespace depscope::pass
