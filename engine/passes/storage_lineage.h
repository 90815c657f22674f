// Where every tensor value of a function lies (passes.md 5.2 to 5.4).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "depscope/ir/program.h"
#include "storage_region.h"
#include "task_sites.h"
#include "var_table.h"

namespace depscope::pass {

/// One possible place of a value: a part of a root, and the statement that gave it (none for parameters).
struct StorageAlternative {
  ir::VarId root;
  StorageRegion region;
  ir::StmtId step;
};

enum class LocationState : std::uint8_t {
  Unknown,  ///< never registered
  Known,
  DynamicAccess,  ///< result of a gather- or scatter-like operation
  MixedMerge,     ///< merged from values of which one has no location
  TooManyRoots,   ///< more than kMaxAlternatives roots
};
/// "unresolved_storage.unknown", … (passes.md 5.9).
[[nodiscard]] std::string_view unresolved_reason(LocationState state);

struct Location {
  LocationState state = LocationState::Unknown;
  Range alternatives;  ///< into StorageLineage's list; Known only
};

class StorageLineage {
 public:
  static constexpr std::size_t kMaxAlternatives = 4;

  StorageLineage(const ir::Program& program, const FunctionTable& functions) : program_(program), functions_(functions) {}

  /// Forgets the last function and follows this one.
  void build(const ir::Function& function);

  [[nodiscard]] Location location(ir::VarId var) const {
    const Location* known = locations_.find(var);
    return known == nullptr ? Location{} : *known;
  }
  [[nodiscard]] Location location(ir::ExprId value) const { return location(program_.store->as_var(value)); }
  [[nodiscard]] const StorageAlternative& alternative(std::uint32_t index) const { return alternatives_[index]; }
  [[nodiscard]] const std::vector<StorageAlternative>& alternatives() const { return alternatives_; }
  [[nodiscard]] const BoxPool& boxes() const { return boxes_; }

  /// Roots whose storage may be shared with `root`, itself first.
  [[nodiscard]] std::span<const ir::VarId> alias_class(ir::VarId root) const;
  [[nodiscard]] bool may_alias(ir::VarId a, ir::VarId b) const;
  /// Any alternative of `location` may share elements with `other`.
  [[nodiscard]] bool may_overlap(const Location& location, const StorageAlternative& other) const;

 private:
  struct MemoryReference {
    ir::VarId root;
    std::optional<std::int64_t> offset, size;  // bytes; nullopt if not constant
  };

  void visit(Range body);
  void visit_assign(ir::StmtId stmt);
  void visit_call(ir::StmtId stmt, ir::ExprId value);
  void visit_task(ir::StmtId stmt, const ir::Call& call);
  void visit_if(ir::StmtId stmt);
  void visit_loop(ir::StmtId stmt, Range iter_args, Range inits, Range results, Range body, bool is_for);
  [[nodiscard]] const std::vector<std::int32_t>& returned_parameters(std::uint32_t function);

  /// Gives `var` these places, adapted to `type`.
  void define(ir::VarId var, ir::TypeId type, const Location& location, ir::StmtId step);
  void define_root(ir::VarId var, ir::TypeId type, ir::StmtId step);
  [[nodiscard]] Location merge(const Location& a, const Location& b, ir::StmtId step);
  [[nodiscard]] Location widen(const Location& location, StorageKind kind, ir::StmtId step);
  [[nodiscard]] Location make(const std::vector<StorageAlternative>& list);
  /// The first value of a root whose type names memory says where the root lies.
  void note_memory_reference(ir::VarId root, ir::TypeId type);
  void link_aliases();

  const ir::Program& program_;
  const FunctionTable& functions_;
  VarTable<Location> locations_;
  VarTable<Range> outputs_;  // tuple variable -> entries in output_list_
  std::vector<Location> output_list_;
  std::vector<StorageAlternative> alternatives_;
  BoxPool boxes_;
  std::unordered_map<NameId, std::vector<MemoryReference>> by_base_;
  VarTable<std::uint8_t> referenced_;  // roots with a memory reference
  std::vector<NameId> bases_;          // in order of first use
  VarTable<std::vector<ir::VarId>> aliases_;
  mutable std::vector<ir::VarId> single_;                                  // alias class of a root without memory reference
  std::unordered_map<std::uint32_t, std::vector<std::int32_t>> returned_;  // by function index
};

}  // namespace depscope::pass
