// The yield that ends a body: the last statement, looking through runtime scopes (passes.md, section 2).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "depscope/ir/program.h"

namespace depscope::pass {

/// The yield statement that ends the body, or none.
[[nodiscard]] ir::StmtId trailing_yield(const ir::NodeStore& store, Range body);
/// Adds values to the yield that ends the body (behind the present ones, or before them with `front`); makes one if there is
/// none, inside the runtime scope that ends the body if there is one.
void extend_yield(ir::NodeStore& store, std::vector<ir::StmtId>& body, std::span<const ir::ExprId> values, bool front);
/// Takes the yield off the end of the body and returns its values; nullopt if there is none.
std::optional<std::vector<ir::ExprId>> take_yield(ir::NodeStore& store, std::vector<ir::StmtId>& body);
/// Replaces the values of the yield that ends the body; without values the statement goes.
[[nodiscard]] Range with_yield_values(ir::NodeStore& store, Range body, std::span<const ir::ExprId> values);

}  // namespace depscope::pass
