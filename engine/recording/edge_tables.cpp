// Edges of call sites: those that AutoDerive saw, brought to the last program, and those that stand there beside them.
#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pass_recorder_state.h"

namespace depscope::recording {
namespace {

/// Rows that a call site gets in addition.
struct Extra {
  std::uint32_t consumer = 0;
  std::uint32_t id = 0;
  pass::EdgeOrigin origin = pass::EdgeOrigin::User;
  std::uint32_t producer = kNoRow;
};

std::span<const std::uint32_t> run(const Recording& r, std::uint32_t begin, std::uint32_t count) {
  return {r.pool.data() + begin, count};
}

/// Compares what the passes saw with what the last program says, one call site after another. The rows in `r.pass_edges` are
/// grouped by consumer.
class Comparison {
 public:
  Comparison(Recording& r, const std::vector<std::uint8_t>& derived_functions, const std::vector<std::uint8_t>& derived_sites)
      : r_(r),
        functions_(derived_functions),
        sites_(derived_sites),
        seen_(r.strings.rows(), kNoRow),
        barrier_(r.strings.rows(), kNoRow) {}

  std::vector<Extra> run_all() {
    note_barriers();
    std::uint32_t row = 0;
    for (std::uint32_t site = 0; site < r_.call_sites.rows(); ++site) {
      const std::uint32_t begin = row;
      while (row < r_.pass_edges.rows() && r_.pass_edges.consumer[row] == site) ++row;
      users(site, begin, row);
      compiled(site, begin, row);
    }
    return std::move(extras_);
  }

 private:
  /// Barriers that no earlier pass knew: a phase fence put them there.
  void note_barriers() {
    const auto& s = r_.call_sites;
    for (std::uint32_t site = 0; site < s.rows(); ++site) {
      if (s.kind[site] != 2 || s.result_begin_count[site] == 0 || sites_[site] != 0 || functions_[s.function[site]] == 0)
        continue;
      barrier_[r_.pool[s.result_begin[site]]] = site;
    }
  }

  [[nodiscard]] std::uint32_t barrier_of(std::uint32_t site, std::uint32_t name) const {
    const std::uint32_t barrier = barrier_[name];
    return barrier != kNoRow && r_.call_sites.function[barrier] == r_.call_sites.function[site] ? barrier : kNoRow;
  }

  void users(std::uint32_t site, std::uint32_t begin, std::uint32_t end) {
    const auto& s = r_.call_sites;
    auto& t = r_.pass_edges;
    const auto names = run(r_, s.user_dep_begin[site], s.user_dep_begin_count[site]);
    if (functions_[s.function[site]] == 0) {
      for (const std::uint32_t name : names) extras_.push_back({site, name, pass::EdgeOrigin::User});
      return;
    }
    if (sites_[site] == 0) {  // a barrier that waits for what its consumers waited for
      for (const std::uint32_t name : names) extras_.push_back({site, name, pass::EdgeOrigin::Fence});
      return;
    }
    bool fenced = false;
    for (const std::uint32_t name : names) {
      const std::uint32_t barrier = barrier_of(site, name);
      if (barrier == kNoRow) continue;
      extras_.push_back({site, name, pass::EdgeOrigin::Fence, barrier});
      fenced = true;
    }
    if (!fenced) return;
    for (const std::uint32_t name : names) seen_[name] = site;
    for (std::uint32_t row = begin; row < end; ++row) {
      if (t.origin[row] == static_cast<std::uint8_t>(pass::EdgeOrigin::User) && seen_[t.id[row]] != site)
        t.status[row] = static_cast<std::uint8_t>(pass::EdgeStatus::Replaced);
    }
  }

  /// Compiler edges may stand in the input; AutoDerive leaves those of a site that gets none.
  void compiled(std::uint32_t site, std::uint32_t begin, std::uint32_t end) {
    const auto& t = r_.pass_edges;
    for (std::uint32_t row = begin; row < end; ++row) {
      if (t.origin[row] == static_cast<std::uint8_t>(pass::EdgeOrigin::Compiler) &&
          t.status[row] == static_cast<std::uint8_t>(pass::EdgeStatus::Kept))
        return;
    }
    for (const std::uint32_t name : run(r_, r_.call_sites.compiler_dep_begin[site], r_.call_sites.compiler_dep_begin_count[site]))
      extras_.push_back({site, name, pass::EdgeOrigin::Compiler});
  }

  Recording& r_;
  const std::vector<std::uint8_t>& functions_;  // by function: AutoDerive looked at it
  const std::vector<std::uint8_t>& sites_;      // by call site: it stood in the program that AutoDerive was given
  std::vector<std::uint32_t> seen_;             // by string: the site that last named it
  std::vector<std::uint32_t> barrier_;          // by string: the barrier with this result
  std::vector<Extra> extras_;
};

/// Passes after AutoDerive keep the order of call sites; a pass list of the user's own may not.
void sort_by_consumer(PassEdgesTable& t) {
  std::vector<std::uint32_t> order(t.rows());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return t.consumer[a] < t.consumer[b]; });
  PassEdgesTable::columns(t, [&](std::string_view, auto& values, Target) {
    const auto before = values;
    for (std::size_t i = 0; i < order.size(); ++i) values[i] = before[order[i]];
  });
}

/// The rows, ordered by consumer, and `extras`, ordered too, behind those of the same consumer.
PassEdgesTable merged(const PassEdgesTable& rows, const std::vector<Extra>& extras) {
  PassEdgesTable out;
  PassEdgesTable::columns(out, [&](std::string_view, auto& values, Target) { values.reserve(rows.rows() + extras.size()); });
  std::uint32_t next = 0;
  const auto take_until = [&](std::uint32_t consumer) {
    const std::uint32_t from = next;
    while (next < rows.rows() && rows.consumer[next] <= consumer) ++next;
    PassEdgesTable::columns(out, [&](std::string_view name, auto& to, Target) {
      PassEdgesTable::columns(rows, [&](std::string_view other, const auto& values, Target) {
        if constexpr (std::is_same_v<std::decay_t<decltype(to)>, std::decay_t<decltype(values)>>) {
          if (name == other) to.insert(to.end(), values.begin() + from, values.begin() + next);
        }
      });
    });
  };
  for (const Extra& extra : extras) {
    take_until(extra.consumer);
    out.consumer.push_back(extra.consumer);
    out.id.push_back(extra.id);
    out.origin.push_back(static_cast<std::uint8_t>(extra.origin));
    out.synthetic.push_back(0);
    out.producer.push_back(extra.producer);
    out.status.push_back(static_cast<std::uint8_t>(pass::EdgeStatus::Kept));
    out.stripped_by.push_back(kNoRow);
    out.imported_from.push_back(kNoRow);
    out.more_begin.push_back(0);
    out.more_count.push_back(0);
  }
  take_until(kNoRow);
  return out;
}

}  // namespace

void PassRecorder::State::resolve_edges() {
  auto& t = r.pass_edges;
  std::vector<std::uint8_t> derived_functions(r.functions.rows(), 0);
  std::vector<std::uint8_t> derived_sites(r.call_sites.rows(), 0);
  if (derived_at != kNoRow) {
    for (const std::uint32_t function : r.regions.function) derived_functions[function] = 1;
    for (std::uint32_t s = 0; s < snapshots[derived_at].site_count(); ++s) {
      if (const std::uint32_t at = row(derived_at, s); at != kNoRow) derived_sites[at] = 1;
    }
  }
  // Edges of functions that are no orchestration have no call site: they are left out.
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < t.rows(); ++i) {
    const std::uint32_t site = t.consumer[i];
    const std::uint32_t consumer = row(derived_at, site);
    if (consumer == kNoRow) continue;
    t.consumer[i] = consumer;
    t.producer[i] = row(derived_at, t.producer[i]);
    t.stripped_by[i] = region_row(site, t.stripped_by[i]);
    t.imported_from[i] = region_row(site, t.imported_from[i]);
    if (kept != i) PassEdgesTable::columns(t, [&](std::string_view, auto& values, Target) { values[kept] = values[i]; });
    ++kept;
  }
  PassEdgesTable::columns(t, [&](std::string_view, auto& values, Target) { values.resize(kept); });
  if (!std::is_sorted(t.consumer.begin(), t.consumer.end())) sort_by_consumer(t);
  const std::vector<Extra> extras = Comparison(r, derived_functions, derived_sites).run_all();
  if (!extras.empty()) t = merged(t, extras);
}

}  // namespace depscope::recording
