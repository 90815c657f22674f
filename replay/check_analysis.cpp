#include "check_analysis.h"

#include "check_notices.h"

namespace depscope::replay {

using recording::kNoRow;

CheckAnalysis::CheckAnalysis(const recording::Recording& recording, TaskReference reference)
    : r(recording), touches(recording), loops(recording), names(recording, reference) {
  find_missing();
  falses = find_false_edges(r, touches, loops);
  lifetimes = find_lifetimes(r, touches);
  find_reduced();
  severities = judged_severities(r, missing.pairs);
  group_missing();
  group_falses();
  count();
}

void CheckAnalysis::find_missing() {
  {
    Reach built(r.tasks.rows(), r.edges, [&](std::uint32_t e) { return (r.edges.flags[e] & runtime::kWait) != 0; });
    missing = find_unordered(r, touches, built);
    first_reduced = missing.pairs.size();
    if (reduction_holds(built)) return;
  }
  // Some WAIT went without a replacement: what the reduced graph lacks beyond the constructed one.
  Reach reduced(r.tasks.rows(), r.edges, [&](std::uint32_t e) { return waits(e); });
  const OrderResult after = find_unordered(r, touches, reduced);
  const auto key = [](const UnorderedPair& p) { return std::tuple(p.second, p.first, p.root); };
  std::size_t at = 0;
  for (const UnorderedPair& pair : after.pairs) {
    while (at < first_reduced && key(missing.pairs[at]) < key(pair)) ++at;
    if (at < first_reduced && key(missing.pairs[at]) == key(pair)) continue;
    missing.pairs.push_back(pair);
    ++missing.unordered;
  }
  missing.cut = missing.cut || after.cut;
}

/// Whether every WAIT that the reduction took away has a path instead. It has if a witness between the two stands for it: an edge
/// leads from it to the consumer, and a path from the producer to it. Among the edges that stay, a path to the consumer then
/// follows from witness to witness, each later than the one before.
bool CheckAnalysis::reduction_holds(Reach& built) const {
  const auto& e = r.edges;
  for (std::uint32_t edge = 0; edge < e.rows(); ++edge) {
    if ((e.flags[edge] & runtime::kWait) == 0 || waits(edge)) continue;
    const std::uint32_t via = e.via[edge];
    if (via == kNoRow || via <= e.producer[edge] || via >= e.consumer[edge]) return false;
    if (!built.direct(via, e.consumer[edge]) || !built.reaches(e.producer[edge], via)) return false;
  }
  return true;
}

void CheckAnalysis::add(GroupNumbers& numbers, const GroupKey& key, std::vector<PairGroup>& groups, std::uint32_t member) {
  const auto [at, fresh] = numbers.try_emplace(key, static_cast<std::uint32_t>(groups.size()));
  if (fresh) groups.emplace_back();
  groups[at->second].push_back(member);
}

void CheckAnalysis::group_missing() {
  GroupNumbers numbers;
  missing_touches.reserve(missing.pairs.size());
  for (std::uint32_t i = 0; i < missing.pairs.size(); ++i) {
    const UnorderedPair& pair = missing.pairs[i];
    missing_touches.push_back(meeting(pair));
    const std::uint64_t buffer = names.buffer_key(touches.all()[missing_touches[i].second].access);
    add(numbers, {names.kernel_key(pair.first), names.kernel_key(pair.second), buffer}, missing_groups, i);
    ++lacking[pair.second];
  }
}

void CheckAnalysis::group_falses() {
  GroupNumbers numbers;
  for (std::uint32_t i = 0; i < falses.size(); ++i) {
    const std::uint32_t edge = falses[i].edge;
    if (!waits(edge)) {
      idle_falses.push_back(i);
      continue;
    }
    const std::uint64_t buffer = falses[i].second_access == kNoRow ? 0 : names.buffer_key(falses[i].second_access);
    add(numbers, {names.kernel_key(r.edges.producer[edge]), names.kernel_key(r.edges.consumer[edge]), buffer}, false_groups, i);
  }
}

void CheckAnalysis::find_reduced() {
  for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
    if ((r.edges.flags[e] & runtime::kWait) != 0 && !waits(e)) reduced.push_back(e);
  }
}

void CheckAnalysis::count() {
  for (const Severity severity : severities)
    ++(severity == Severity::Error ? counts.errors : severity == Severity::Warning ? counts.warnings : counts.infos);
  counts.missing_order = missing.unordered;
  counts.false_order = falses.size() - idle_falses.size();
  counts.warnings += counts.missing_order + counts.false_order;
  for (const LifetimeBreach& b : lifetimes.breaches) {
    if (!b.harmless) ++counts.lifetime;
    ++(b.harmless ? counts.infos : b.reused_by != kNoRow ? counts.errors : counts.warnings);
  }
  counts.provenance = r.edges.rows();
  counts.infos += lifetimes.held.size() + lifetimes.kept.size() + reduced.size();
  counts.infos += counts.provenance + idle_falses.size();
  counts.tasks = r.tasks.rows();
  counts.edges = r.edges.rows();
  counts.judged = missing.judged;
  counts.buffers = missing.buffers;
  counts.unplaced = touches.unplaced();
  counts.skipped = missing.skipped;
  counts.cut = missing.cut;
}

/// The two touches that hold the first byte of a pair, else any two that may meet.
std::pair<std::uint32_t, std::uint32_t> CheckAnalysis::meeting(const UnorderedPair& pair) const {
  std::pair<std::uint32_t, std::uint32_t> best{kNoRow, kNoRow};
  ByteShape byte;
  byte.run = byte.extent = 1;
  const Touch* all = touches.all().data();
  const auto holds = [&](const Touch& t) {
    return meet(touches.begin(t.region), touches.shape(t.region), pair.address, byte) == Meeting::Yes;
  };
  for (const Touch& a : touches.of_task(pair.first)) {
    if (a.root != pair.root) continue;
    for (const Touch& b : touches.of_task(pair.second)) {
      if (b.root != pair.root || ((a.mode | b.mode) & kTouchWrites) == 0) continue;
      if (touches.meet(a.region, b.region) == Meeting::No) continue;
      const std::pair found(static_cast<std::uint32_t>(&a - all), static_cast<std::uint32_t>(&b - all));
      if (pair.address != 0 && holds(a) && holds(b)) return found;
      if (best.first == kNoRow) best = found;
    }
  }
  if (best.first == kNoRow) throw InternalError("a pair without order that does not meet");
  return best;
}

}  // namespace depscope::replay
