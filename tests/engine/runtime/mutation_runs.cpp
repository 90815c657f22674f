#include "mutation_runs.h"

#include <set>

#include "random_program.h"

namespace depscope::runtime {
namespace {

constexpr std::uint64_t kSeeds = 40;

void play_one(Mutation mutation, const RandomProgram& program, Platform platform, const ScheduleOptions& schedule,
              Convictions& out) {
  ModelOptions options = random_options(program, platform);
  options.mutation = mutation;
  options.schedule = schedule;
  FindingSink sink;
  Model model(options, sink);
  play(model, program, options.clusters);
  std::set<int> fired;
  for (const RunFinding& f : sink.findings) {
    if (f.kind == RunFindingKind::Invariant) fired.insert(f.code);
  }
  if (sink.wrong_registrations != 0) fired.insert(25);
  for (const int number : fired) ++out.runs.at(static_cast<std::size_t>(number));
  out.starved += model.error_code() == 100 ? 1U : 0U;
}

}  // namespace

Convictions convict(Mutation mutation) {
  Convictions out;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const bool wide = seed % 10 == 0;
    const RandomProgram program{.seed = seed,
                                .submits = wide ? 130U : 40U,
                                .most_in_scope = wide ? 100U : 2 + static_cast<std::uint32_t>(seed % 2),
                                .wide = wide};
    RandomProgram by_hand = program;
    by_hand.by_hand = true;
    for (const Platform platform : {Platform::A2A3, Platform::A5}) {
      play_one(mutation, program, platform, {}, out);
      play_one(mutation, by_hand, platform, {.kind = ScheduleKind::Manual, .choices = {}}, out);
      for (const Granularity granularity : {Granularity::Coarse, Granularity::Fine}) {
        play_one(mutation, program, platform,
                 {.kind = ScheduleKind::Random, .granularity = granularity, .seed = seed, .choices = {}}, out);
      }
    }
  }
  return out;
}

}  // namespace depscope::runtime
