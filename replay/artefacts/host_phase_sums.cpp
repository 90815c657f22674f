#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "capped_sum.h"
#include "depscope/replay/artefacts/host_phases.h"

namespace depscope::replay {
namespace {

constexpr std::string_view kLastPhase = "arena_h2d";  // of a pass
constexpr std::array<std::string_view, 5> kControlPlane{"host_orch", "graph_upload", "relocate", "sm_h2d", kLastPhase};

void add(std::uint64_t& sum, std::uint64_t value) { sum = capped_sum(sum, value); }

class Sums {
 public:
  std::size_t begin_pass(std::uint64_t of, std::uint64_t inv, std::uint32_t line) {
    HostPass& pass = out_.passes.emplace_back();
    pass.of = of;
    pass.inv = inv;
    pass.line = line;
    pass.warm_up = known_.insert(of).second;
    return out_.passes.size() - 1;
  }

  void phase(std::size_t pass, std::uint32_t id, std::string_view name, std::uint64_t dur) {
    const auto [at, fresh] = rows_.try_emplace(id, out_.phases.size());
    if (fresh) out_.phases.emplace_back().phase = name;
    PhaseSum& sum = out_.phases[at->second];
    ++sum.count;
    add(sum.total_ns, dur);
    sum.longest_ns = std::max(sum.longest_ns, dur);
    HostPass& of = out_.passes[pass];
    if (of.warm_up) add(sum.warm_up_ns, dur);
    if (std::find(kControlPlane.begin(), kControlPlane.end(), name) != kControlPlane.end()) add(of.control_plane_ns, dur);
  }

  HostPhaseSums out_;

 private:
  std::map<std::uint32_t, std::size_t> rows_;  // of phases, by name
  std::set<std::uint64_t> known_;              // processes, threads
};

}  // namespace

HostPhaseSums host_phase_sums(const HostPhases& phases) {
  Sums sums;
  const auto& p = phases.passes;
  const auto& r = phases.records;
  for (std::uint32_t row = 0; row < p.rows(); ++row) {
    const std::size_t pass = sums.begin_pass(p.pid[row], p.inv[row], p.line[row]);
    for (std::uint32_t i = p.first_record[row]; i < p.first_record[row + 1]; ++i)
      sums.phase(pass, r.phase[i], phases.text(r.phase[i]), r.end[i] - std::min(r.start[i], r.end[i]));
  }
  return std::move(sums.out_);
}

HostPhaseSums host_phase_sums(const RunLog& log) {
  Sums sums;
  const auto& b = log.bind_phases;
  std::map<std::uint64_t, std::size_t> open;  // passes, by thread
  for (std::uint32_t row = 0; row < b.rows(); ++row) {
    auto at = open.find(b.host_thread[row]);
    if (at == open.end()) at = open.emplace(b.host_thread[row], sums.begin_pass(b.host_thread[row], 0, b.line[row])).first;
    const std::string_view name = log.text(b.phase[row]);
    sums.phase(at->second, b.phase[row], name, b.dur[row]);
    if (name == kLastPhase) open.erase(at);
  }
  for (const auto& [thread, pass] : open) sums.out_.passes[pass].complete = false;
  return std::move(sums.out_);
}

}  // namespace depscope::replay
