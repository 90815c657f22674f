#include "user_coverage.h"

#include <algorithm>
#include <utility>

namespace depscope::pass {

using ir::VarId;

void UserCoverage::set_site(const std::vector<VarId>& edges) {
  ++site_;
  windowed_ = false;
  partial_fill_ = false;
  complete_arrays_.clear();
  whole_slot_arrays_.clear();
  partial_slot_arrays_.clear();
  std::vector<std::pair<VarId, std::int64_t>> slots;
  for (const VarId edge : edges) {
    if (const ArraySlot* slot = lineage_.slot(edge)) {
      slots.emplace_back(slot->array, slot->slot);
      continue;
    }
    if (ir::is_task_id(store_, store_.var(edge).type)) add(edge);
    if (const std::vector<VarId>* ids = lineage_.ids(edge)) {
      add_all(*ids);
    } else if (const VarId id = lineage_.canonical(edge); id.valid()) {
      add(id);
    } else if (const ArrayContents* contents = lineage_.contents(edge)) {
      add_all(contents->expanded);
      partial_fill_ = partial_fill_ || contents->partial_fill;
      if (contents->complete) complete_arrays_.push_back(edge);
    }
  }
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  for (std::size_t begin = 0; begin < slots.size();) {
    std::size_t end = begin;
    while (end < slots.size() && slots[end].first == slots[begin].first) ++end;
    const VarId array = slots[begin].first;
    if (const ArrayContents* contents = lineage_.contents(array)) {
      const auto in_range = [&](const auto& s) { return s.second >= 0 && s.second < contents->extent; };
      const auto read = std::count_if(slots.begin() + static_cast<std::ptrdiff_t>(begin),
                                      slots.begin() + static_cast<std::ptrdiff_t>(end), in_range);
      if (contents->extent > 0 && read == contents->extent) {
        add_all(contents->expanded);
        partial_fill_ = partial_fill_ || contents->partial_fill;
        whole_slot_arrays_.push_back(array);
      } else {
        partial_slot_arrays_.push_back(array);
      }
    }
    begin = end;
  }
}

bool UserCoverage::expands_to(const std::vector<VarId>& arrays, VarId id) const {
  return std::any_of(arrays.begin(), arrays.end(), [&](VarId array) {
    const ArrayContents* contents = lineage_.contents(array);
    return contents != nullptr && std::binary_search(contents->expanded.begin(), contents->expanded.end(), id);
  });
}

Coverage UserCoverage::of(VarId id, bool in_loop) const {
  Coverage coverage;
  if (in_loop && id.valid()) {
    if (expands_to(whole_slot_arrays_, id)) coverage.detail = "whole_slots";
    if (coverage.detail.empty() && expands_to(complete_arrays_, id)) coverage.detail = "whole_array";
    coverage.whole = !coverage.detail.empty();
  }
  if (coverage.whole) {
    coverage.covered = true;
  } else if (id.valid() && names(id) && !(in_loop && expands_to(partial_slot_arrays_, id))) {
    coverage.covered = true;
    coverage.detail = "direct";
  } else if (in_loop && windowed_ && allow_windowed_) {
    coverage.covered = true;
    coverage.windowed = true;
    coverage.detail = "windowed";
  }
  return coverage;
}

}  // namespace depscope::pass
