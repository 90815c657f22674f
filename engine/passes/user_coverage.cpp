#include "user_coverage.h"

#include <algorithm>
#include <tuple>

namespace depscope::pass {

using ir::VarId;

void UserCoverage::set_site(const std::vector<VarId>& edges) {
  ++site_;
  windowed_ = false;
  partial_fill_ = false;
  complete_arrays_.clear();
  whole_slot_arrays_.clear();
  partial_slot_arrays_.clear();
  struct Slot {
    VarId array;
    std::int64_t slot = 0;
    std::uint32_t edge = 0;
  };
  std::vector<Slot> slots;
  for (std::uint32_t position = 0; position < edges.size(); ++position) {
    const VarId edge = edges[position];
    if (const ArraySlot* slot = lineage_.slot(edge)) {
      slots.push_back({slot->array, slot->slot, position});
      continue;
    }
    if (ir::is_task_id(store_, store_.var(edge).type)) add(edge, position);
    if (const std::vector<VarId>* ids = lineage_.ids(edge)) {
      add_all(*ids, position);
    } else if (const VarId id = lineage_.canonical(edge); id.valid()) {
      add(id, position);
    } else if (const ArrayContents* contents = lineage_.contents(edge)) {
      add_all(contents->expanded, position);
      partial_fill_ = partial_fill_ || contents->partial_fill;
      if (contents->complete) complete_arrays_.push_back({edge, position});
    }
  }
  const auto same = [](const Slot& a, const Slot& b) { return a.array == b.array && a.slot == b.slot; };
  std::sort(slots.begin(), slots.end(),
            [](const Slot& a, const Slot& b) { return std::tie(a.array, a.slot, a.edge) < std::tie(b.array, b.slot, b.edge); });
  slots.erase(std::unique(slots.begin(), slots.end(), same), slots.end());
  for (std::size_t begin = 0; begin < slots.size();) {
    std::size_t end = begin;
    while (end < slots.size() && slots[end].array == slots[begin].array) ++end;
    const VarId array = slots[begin].array;
    std::uint32_t edge = slots[begin].edge;
    for (std::size_t k = begin; k < end; ++k) edge = std::min(edge, slots[k].edge);
    if (const ArrayContents* contents = lineage_.contents(array)) {
      const auto in_range = [&](const Slot& s) { return s.slot >= 0 && s.slot < contents->extent; };
      const auto read = std::count_if(slots.begin() + static_cast<std::ptrdiff_t>(begin),
                                      slots.begin() + static_cast<std::ptrdiff_t>(end), in_range);
      if (contents->extent > 0 && read == contents->extent) {
        add_all(contents->expanded, edge);
        partial_fill_ = partial_fill_ || contents->partial_fill;
        whole_slot_arrays_.push_back({array, edge});
      } else {
        partial_slot_arrays_.push_back({array, edge});
      }
    }
    begin = end;
  }
}

const UserCoverage::Array* UserCoverage::holder(const std::vector<Array>& arrays, VarId id) const {
  for (const Array& array : arrays) {
    const ArrayContents* contents = lineage_.contents(array.id);
    if (contents != nullptr && std::binary_search(contents->expanded.begin(), contents->expanded.end(), id)) return &array;
  }
  return nullptr;
}

Coverage UserCoverage::of(VarId id, bool in_loop) const {
  Coverage coverage;
  if (in_loop && id.valid()) {
    if (const Array* slots = holder(whole_slot_arrays_, id)) {
      coverage = {true, false, true, "whole_slots", slots->edge};
    } else if (const Array* array = holder(complete_arrays_, id)) {
      coverage = {true, false, true, "whole_array", array->edge};
    }
  }
  if (coverage.whole) return coverage;
  if (id.valid() && names(id) && !(in_loop && holder(partial_slot_arrays_, id) != nullptr)) {
    coverage = {true, false, false, "direct", named_.find(id)->edge};
  } else if (in_loop && windowed_ && allow_windowed_) {
    coverage = {true, true, false, "windowed", windowed_edge_};
  }
  return coverage;
}

}  // namespace depscope::pass
