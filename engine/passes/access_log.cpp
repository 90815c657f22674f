#include "access_log.h"

#include <algorithm>

namespace depscope::pass {

using ir::VarId;

void AccessLog::clear() {
  accesses_.clear();
  frames_.clear();
  by_root_.clear();
  by_id_.clear();
}

void AccessLog::add(const Access& access) {
  const std::uint32_t index = size();
  accesses_.push_back(access);
  RootList& list = by_root_[lineage_.alternative(access.alternative).root];
  ((access.kind & kWrites) != 0 ? list.writers : list.readers).push_back(index);
  if (access.id.valid()) by_id_[access.id].push_back(index);
}

void AccessLog::rename(std::uint32_t index, VarId id) {
  Access& access = accesses_[index];
  if (access.id == id) return;
  if (access.id.valid()) std::erase(by_id_[access.id], index);
  access.id = id;
  std::vector<std::uint32_t>& list = by_id_[id];
  list.insert(std::upper_bound(list.begin(), list.end(), index), index);
}

void AccessLog::pop_frame(bool keep) {
  const std::uint32_t start = frames_.back();
  frames_.pop_back();
  if (keep) return;
  while (size() > start) {
    const Access& last = accesses_.back();
    RootList& list = by_root_[lineage_.alternative(last.alternative).root];
    ((last.kind & kWrites) != 0 ? list.writers : list.readers).pop_back();
    if (last.id.valid()) by_id_[last.id].pop_back();
    accesses_.pop_back();
  }
}

void AccessLog::conflicting(VarId root, std::uint8_t kind, std::vector<std::uint32_t>& out) const {
  out.clear();
  const std::span<const VarId> roots = lineage_.alias_class(root);
  std::uint32_t sources = 0;
  for (const VarId other : roots) {
    const auto it = by_root_.find(other);
    if (it == by_root_.end()) continue;
    for (const std::vector<std::uint32_t>* list : {&it->second.writers, &it->second.readers}) {
      if (list->empty() || (list == &it->second.readers && (kind & kWrites) == 0)) continue;
      out.insert(out.end(), list->begin(), list->end());
      ++sources;
    }
  }
  if (sources > 1) std::sort(out.begin(), out.end());
  if (frames_.size() < 2 || out.empty()) return;
  // Outermost to innermost is ascending; frames are wanted the other way round.
  std::vector<std::uint32_t> ordered;
  ordered.reserve(out.size());
  auto end = out.end();
  for (std::size_t f = frames_.size(); f-- > 0;) {
    const auto begin = std::lower_bound(out.begin(), end, frames_[f]);
    ordered.insert(ordered.end(), begin, end);
    end = begin;
  }
  out.swap(ordered);
}

void AccessLog::with_id(VarId id, std::vector<std::uint32_t>& out) const {
  out.clear();
  const auto it = by_id_.find(id);
  if (it == by_id_.end()) return;
  out.assign(std::lower_bound(it->second.begin(), it->second.end(), frame_start()), it->second.end());
}

void AccessLog::with_root(VarId root, std::vector<std::uint32_t>& out) const {
  out.clear();
  for (const VarId other : lineage_.alias_class(root)) {
    const auto it = by_root_.find(other);
    if (it == by_root_.end()) continue;
    for (const std::vector<std::uint32_t>* list : {&it->second.writers, &it->second.readers}) {
      out.insert(out.end(), std::lower_bound(list->begin(), list->end(), frame_start()), list->end());
    }
  }
}

}  // namespace depscope::pass
