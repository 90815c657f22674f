// Rows of phase fences, of what became of runtime scopes, and of carried values.
#include <unordered_map>

#include "pass_recorder_state.h"

namespace depscope::recording {

/// The ir_scopes row of scope `index` of a function as it was in snapshot `at`. Scopes are followed by their order: where
/// a later pass has more or fewer of them, the way is lost.
std::uint32_t PassRecorder::State::scope_row(std::uint32_t at, std::uint32_t function, std::uint32_t index) const {
  const std::uint32_t last = function_row(at, function);
  if (last == kNoRow || first_scope_row[last] == kNoRow) return kNoRow;
  const std::size_t scopes = snapshots[at].functions[function].scopes.size();
  // Functions may come and go between passes; the name stays.
  const NameId name = snapshots[at].functions[function].name;
  for (std::size_t k = at + std::size_t{1}; k < snapshots.size(); ++k) {
    for (const FunctionSites& later : snapshots[k].functions) {
      if (later.name == name && later.scopes.size() != scopes) return kNoRow;
    }
  }
  return first_scope_row[last] + index;
}

void PassRecorder::State::write_fences_scopes_and_carries() {
  for (const Recorded<pass::FenceRecord>& fence : fences) {
    const std::uint32_t function = function_row(fence.snapshot, fence.record.function);
    if (function == kNoRow) continue;
    auto& t = r.fences;
    t.function.push_back(function);
    t.line.push_back(line(fence.snapshot, fence.record.loop));
    t.array.push_back(name_string(fence.record.array));
    t.producers.push_back(fence.record.producers);
    t.consumers.push_back(fence.record.consumers);
    t.saving.push_back(fence.record.saving);
    t.accepted.push_back(fence.record.accepted ? 1 : 0);
    t.reason.push_back(r.strings.add(fence.record.reason));
  }
  // A scope of the pass's output stands in the snapshot after it. Copies may share their nodes: they are used in order.
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>
      places;  // (function, statement): indices of scopes; looked up only
  std::unordered_map<std::uint64_t, std::uint32_t> used;
  std::uint32_t placed = kNoRow;
  std::vector<std::uint32_t> way;  // by function of the snapshot after the pass: ir_scopes row of its scope 0, none if lost
  for (const Recorded<pass::ScopeRecord>& scope : scopes) {
    const std::uint32_t function = function_row(scope.snapshot, scope.record.function);
    if (function == kNoRow) continue;
    const std::uint32_t after = scope.snapshot + 1;
    const auto key = [](std::uint32_t f, ir::StmtId statement) { return (std::uint64_t{f} << 32U) | statement.value; };
    if (placed != after) {
      placed = after;
      places.clear();
      used.clear();
      way.clear();
      const std::vector<FunctionSites>& functions = snapshots[after].functions;
      for (std::uint32_t f = 0; f < functions.size(); ++f) {
        for (std::uint32_t s = 0; s < functions[f].scopes.size(); ++s)
          places[key(f, functions[f].scopes[s].statement)].push_back(s);
        way.push_back(functions[f].scopes.empty() ? kNoRow : scope_row(after, f, 0));
      }
    }
    std::uint32_t row = kNoRow;
    // The pass keeps the list of functions as it is.
    const auto found = scope.record.scope.valid() ? places.find(key(scope.record.function, scope.record.scope)) : places.end();
    if (found != places.end()) {
      const std::uint32_t k = used[found->first]++;
      if (k < found->second.size() && way[scope.record.function] != kNoRow) row = way[scope.record.function] + found->second[k];
    }
    auto& t = r.scope_decisions;
    std::uint32_t at = line(scope.snapshot, scope.record.around);
    if (at == 0 && row != kNoRow) at = r.ir_scopes.line[row];
    if (at == 0) at = r.functions.line[function];
    t.function.push_back(function);
    t.scope.push_back(row);
    t.line.push_back(at);
    t.manual.push_back(scope.record.manual ? 1 : 0);
    t.change.push_back(static_cast<std::uint8_t>(scope.record.change));
    t.decision.push_back(r.strings.add(scope.record.decision));
  }
  for (const Recorded<pass::CarryRecord>& carry : carries) {
    const std::uint32_t function = function_row(carry.snapshot, carry.record.function);
    if (function == kNoRow) continue;
    auto& t = r.carries;
    t.function.push_back(function);
    t.line.push_back(line(carry.snapshot, carry.record.loop));
    t.index.push_back(carry.record.index);
    t.name.push_back(name_string(carry.record.iter_arg));
    t.rebind.push_back(carry.record.rebind ? 1 : 0);
    t.array_size.push_back(carry.record.array_size);
  }
}

}  // namespace depscope::recording
