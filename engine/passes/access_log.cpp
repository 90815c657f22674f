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
  std::vector<std::uint32_t>& of_kind = (access.kind & kWrites) != 0 ? list.writers : list.readers;
  accesses_.back().of_kind = static_cast<std::uint32_t>(of_kind.size());
  accesses_.back().of_root = static_cast<std::uint32_t>(list.all.size());
  of_kind.push_back(index);
  list.all.push_back(index);
  if (access.id.valid()) by_id_[access.id].push_back(index);
}

void AccessLog::rename(std::uint32_t index, VarId id) {
  Access& access = accesses_[index];
  if (access.id == id) return;
  // What was written down already stays as it was: lists that have this access begin anew.
  RootList& of_root = by_root_[lineage_.alternative(access.alternative).root];
  const auto forget = [&](AccessSource source, std::uint32_t position) {
    SharedList& shared = of_root.shared[static_cast<std::size_t>(source)];
    if (position < shared.written) shared = {};
    AlikeAccesses& alike = of_root.alike[static_cast<std::size_t>(source)];
    if (position < alike.looked_at) alike = {};
  };
  forget((access.kind & kWrites) != 0 ? AccessSource::Writers : AccessSource::Readers, access.of_kind);
  forget(AccessSource::All, access.of_root);
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
    list.all.pop_back();
    for (const AccessSource source : {AccessSource::All, AccessSource::Writers}) {
      Windows& windows = list.windows[source == AccessSource::Writers ? 1 : 0];
      if (windows.filed <= list.at(source).size()) continue;
      windows.index.remove_last(region(size() - 1), lineage_.boxes());
      --windows.filed;
    }
    for (const AccessSource source : {AccessSource::Readers, AccessSource::Writers, AccessSource::All}) {
      SharedList& shared = list.shared[static_cast<std::size_t>(source)];
      if (shared.written > list.at(source).size()) shared = {};
      AlikeAccesses& alike = list.alike[static_cast<std::size_t>(source)];
      if (alike.looked_at > list.at(source).size()) alike = {};
    }
    if (last.id.valid()) by_id_[last.id].pop_back();
    accesses_.pop_back();
  }
}

/// Fewer accesses are looked at one by one.
constexpr std::size_t kMany = 64;

/// Accesses that may meet `place`, if they are much fewer than all.
bool AccessLog::few_may_meet(const StorageAlternative& place, AccessSource source, std::size_t total,
                             std::vector<std::uint32_t>& out) {
  for (const VarId root : lineage_.alias_class(place.root)) {
    const auto it = by_root_.find(root);
    if (it == by_root_.end()) continue;
    const std::vector<std::uint32_t>& list = it->second.at(source);
    Windows& windows = it->second.windows[source == AccessSource::Writers ? 1 : 0];
    for (; windows.filed < list.size(); ++windows.filed) {
      windows.index.add(list[windows.filed], region(list[windows.filed]), lineage_.boxes());
    }
    windows.index.may_meet(place.region, lineage_.boxes(), out);
  }
  if (2 * out.size() + kMany < total) return true;
  out.clear();
  return false;
}

/// The first `wanted` accesses in the order of `conflicting`, or a few more.
void AccessLog::add_first(const StorageAlternative& place, AccessSource source, std::size_t wanted,
                          std::vector<std::uint32_t>& out) const {
  std::uint32_t end = size();
  for (std::size_t f = frames_.size() + 1; f-- > 0 && wanted > 0;) {
    const std::uint32_t begin = f == 0 ? 0 : frames_[f - 1];
    std::vector<std::uint32_t> of_frame;
    for (const VarId root : lineage_.alias_class(place.root)) {
      const auto it = by_root_.find(root);
      if (it == by_root_.end()) continue;
      const std::vector<std::uint32_t>& list = it->second.at(source);
      const auto first = std::lower_bound(list.begin(), list.end(), begin);
      const auto last = std::lower_bound(first, list.end(), end);
      of_frame.insert(of_frame.end(), first, first + std::min<std::ptrdiff_t>(last - first, static_cast<std::ptrdiff_t>(wanted)));
    }
    std::sort(of_frame.begin(), of_frame.end());
    if (of_frame.size() > wanted) of_frame.resize(wanted);
    out.insert(out.end(), of_frame.begin(), of_frame.end());
    wanted -= of_frame.size();
    end = begin;
  }
}

void AccessLog::conflicting(const StorageAlternative& place, std::uint8_t kind, std::uint32_t disjoint,
                            std::vector<std::uint32_t>& out) {
  out.clear();
  const AccessSource source = (kind & kWrites) != 0 ? AccessSource::All : AccessSource::Writers;
  std::size_t total = 0;
  std::uint32_t sources = 0;
  const std::span<const VarId> roots = lineage_.alias_class(place.root);
  for (const VarId root : roots) {
    if (const auto it = by_root_.find(root); it != by_root_.end()) total += it->second.at(source).size();
  }
  if (total > kMany && place.region.kind == StorageKind::Box && few_may_meet(place, source, total, out)) {
    // Of so many at least `disjoint` touch other elements.
    add_first(place, source, out.size() + disjoint, out);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  } else {
    for (const VarId root : roots) {
      const auto it = by_root_.find(root);
      if (it == by_root_.end() || it->second.at(source).empty()) continue;
      out.insert(out.end(), it->second.at(source).begin(), it->second.at(source).end());
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
    const std::vector<std::uint32_t>& list = it->second.all;
    out.insert(out.end(), std::lower_bound(list.begin(), list.end(), frame_start()), list.end());
  }
}

}  // namespace depscope::pass
