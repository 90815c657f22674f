#include "depscope/replay/artefacts/span_rounds.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace depscope::replay {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kHost = 0, kDevice = 1, kEffective = 2, kOrch = 3, kSched = 4;
/// By RoundTime; Effective is computed.
constexpr std::array<std::string_view, kRoundTimes> kSpanNames{"chip.run", "chip.run.runner_run.device_wall", "",
                                                               "chip.run.runner_run.device_wall.orch",
                                                               "chip.run.runner_run.device_wall.sched"};

std::uint64_t end_of(std::uint64_t ts, std::uint64_t dur) {
  return ts + std::min(dur, std::numeric_limits<std::uint64_t>::max() - ts);
}

double mean(std::vector<std::uint64_t>::const_iterator begin, std::vector<std::uint64_t>::const_iterator end) {
  Wide sum = 0;
  for (auto i = begin; i != end; ++i) sum += *i;
  return static_cast<double>(sum) / static_cast<double>(end - begin);
}

class Rounds {
 public:
  Rounds(const RunLog& log, const SpanTrees& trees) : log_(log), trees_(trees) {}

  SpanRounds compute() {
    for (std::size_t i = 0; i < kRoundTimes; ++i) names_[i] = log_.names.find(kSpanNames[i]).value;
    std::map<std::uint32_t, Program> programs;
    for (const Invocation& of : trees_.invocations) {
      const SpanRound one = round(of);
      if (std::all_of(one.time.begin(), one.time.end(), [](std::uint64_t time) { return time == 0; })) continue;
      Program& program = programs[of.hid];
      program.rounds.push_back(one);
      program.spans += of.end - of.begin;
    }
    if (programs.empty()) return std::move(out_);
    // Of equal ones the first in the log: names have ids in that order.
    const auto busiest = std::max_element(programs.begin(), programs.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second.rounds.size(), a.second.spans) < std::pair(b.second.rounds.size(), b.second.spans);
    });
    out_.hid = busiest->first;
    out_.rounds = std::move(busiest->second.rounds);
    out_.other_invocations = trees_.invocations.size() - out_.rounds.size();
    std::stable_sort(out_.rounds.begin(), out_.rounds.end(),
                     [](const SpanRound& a, const SpanRound& b) { return std::pair(a.inv, a.pid) < std::pair(b.inv, b.pid); });
    for (std::size_t i = 0; i < kRoundTimes; ++i) out_.averages[i] = average(i);
    return std::move(out_);
  }

 private:
  struct Program {
    std::vector<SpanRound> rounds;
    std::uint64_t spans = 0;
  };

  [[nodiscard]] SpanRound round(const Invocation& of) const {
    const auto& s = log_.spans;
    std::array<std::uint32_t, kRoundTimes> found{};
    found.fill(kNoSpan);
    for (std::uint32_t i = of.begin; i < of.end; ++i) {
      const std::uint32_t row = trees_.span[i];
      for (std::size_t time = 0; time < kRoundTimes; ++time) {
        if (s.name[row] != names_[time] || time == kEffective) continue;
        const std::uint32_t best = found[time];
        if (best == kNoSpan || s.ts[row] < s.ts[best] || (s.ts[row] == s.ts[best] && row < best)) found[time] = row;
      }
    }
    SpanRound out;
    out.pid = of.pid;
    out.inv = of.inv;
    for (const std::size_t time : {kHost, kDevice, kOrch, kSched}) {
      if (found[time] != kNoSpan) out.time[time] = s.dur[found[time]];
    }
    // Times on two axes cannot be compared.
    const bool both = found[kOrch] != kNoSpan && found[kSched] != kNoSpan;
    if (both && s.device[found[kOrch]] != s.device[found[kSched]]) return out;
    std::uint64_t start = std::numeric_limits<std::uint64_t>::max(), end = 0;
    for (const std::size_t time : {kOrch, kSched}) {
      if (found[time] == kNoSpan) continue;
      start = std::min(start, s.ts[found[time]]);
      end = std::max(end, end_of(s.ts[found[time]], s.dur[found[time]]));
    }
    out.time[kEffective] = end < start ? 0 : end - start;
    return out;
  }

  [[nodiscard]] RoundAverage average(std::size_t time) const {
    std::vector<std::uint64_t> values;
    for (const SpanRound& round : out_.rounds) {
      if (round.time[time] != 0) values.push_back(round.time[time]);
    }
    RoundAverage out;
    out.rounds = values.size();
    if (values.empty()) return out;
    out.mean = mean(values.begin(), values.end());
    if (values.size() < kLeastTrimmed) return out;
    std::sort(values.begin(), values.end());
    constexpr auto kTrimmed = static_cast<std::ptrdiff_t>(kTrimmedRounds);
    out.trimmed = mean(values.begin() + kTrimmed, values.end() - kTrimmed);
    return out;
  }

  const RunLog& log_;
  const SpanTrees& trees_;
  SpanRounds out_;
  std::array<std::uint32_t, kRoundTimes> names_{};
};

}  // namespace

std::string_view round_time_name(RoundTime time) {
  constexpr std::array<std::string_view, kRoundTimes> kNames{"Host", "Device", "Effective", "Orch", "Sched"};
  return kNames[static_cast<std::size_t>(time)];
}

SpanRounds span_rounds(const RunLog& log, const SpanTrees& trees) { return Rounds(log, trees).compute(); }

}  // namespace depscope::replay
