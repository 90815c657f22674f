// Recordings of random programs under random schedules: valid, kept by the file, the same whichever way a position is reached.
#include <gtest/gtest.h>
// after gtest: adds its support for it
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "depscope/recording/recorder.h"
#include "depscope/replay/cursor.h"
#include "depscope/replay/file.h"
#include "depscope/replay/run_findings.h"
#include "random_program.h"
#include "synthetic_recording.h"
#include "temporary_directory.h"
#include "validate.h"

namespace depscope::replay {
namespace {

using recording::Recording;

struct Choice {
  runtime::RandomProgram program;
  runtime::ModelOptions options;
};

Choice random_choice() {
  Choice c;
  c.program.seed = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  c.program.wide = *rc::gen::inRange(0, 12) == 0;
  c.program.submits = c.program.wide ? 130 : *rc::gen::inRange<std::uint32_t>(1, 60);
  c.program.most_in_scope = c.program.wide ? 100 : *rc::gen::element<std::uint32_t>(2, 3, 6);
  c.program.by_hand = *rc::gen::inRange(0, 4) == 0;
  c.options = runtime::random_options(c.program, *rc::gen::element(runtime::Platform::A2A3, runtime::Platform::A5));
  c.options.check_invariants = false;
  c.options.schedule.kind = c.program.by_hand
                                ? runtime::ScheduleKind::Manual
                                : *rc::gen::element(runtime::ScheduleKind::Canonical, runtime::ScheduleKind::Random);
  c.options.schedule.granularity = *rc::gen::element(runtime::Granularity::Coarse, runtime::Granularity::Fine);
  c.options.schedule.seed = *rc::gen::arbitrary<std::uint64_t>();
  if (*rc::gen::inRange(0, 3) == 0) c.options.hazards = runtime::HazardSwitches::all_faithful();
  if (*rc::gen::inRange(0, 4) == 0) {
    c.options.edges = runtime::EdgeRepresentation::MaskBug;
    c.options.mask_layout = *rc::gen::element(runtime::MaskLayout::InitZeroes, runtime::MaskLayout::WrittenAfterInit,
                                              runtime::MaskLayout::NeverCleared);
    c.options.reduction.kind = runtime::ReductionKind::None;
  }
  return c;
}

Recording recorded(const Choice& c) {
  Recording r;
  recording::RuntimeRecorder recorder(r);
  {
    runtime::Model model(c.options, recorder);
    runtime::play(model, c.program, c.options.clusters);
  }
  add_run_findings(r, recorder.found());
  return r;
}

RC_GTEST_PROP(ModelWalk, EveryWayToAPositionGivesTheSameState, ()) {
  const Recording r = recorded(random_choice());
  const auto interval = *rc::gen::inRange<std::uint32_t>(1, 64);
  Cursor forward(r, interval);
  std::vector<std::uint64_t> digests{forward.state().digest()};
  while (forward.step()) digests.push_back(forward.state().digest());
  RC_ASSERT(digests.size() == r.events.rows() + std::size_t{1});

  Cursor seeking(r, interval);
  const auto check = [&](std::uint32_t position) {
    seeking.seek(position);
    RC_ASSERT(seeking.position() == position);
    RC_ASSERT(seeking.state().digest() == digests[position]);
  };
  for (std::uint32_t p = 0; p <= r.events.rows(); p += interval) check(p);
  for (int i = 0; i < 20; ++i) check(*rc::gen::inRange<std::uint32_t>(0, r.events.rows() + 1));

  while (forward.back()) RC_ASSERT(forward.state().digest() == digests[forward.position()]);
  RC_ASSERT(forward.position() == 0U);
  RC_ASSERT(forward.state().digest() == digests[0]);
  RC_TAG(r.findings.rows() == 0 ? "no findings" : "findings");
}

RC_GTEST_PROP(ModelWalk, ValidAndKeptByTheFile, ()) {
  const Recording r = recorded(random_choice());
  validate(r, "model");
  TemporaryDirectory directory;
  save(r, directory.file("a.depscope"));
  RC_ASSERT(same_recording(r, load(directory.file("a.depscope"))));
}

/// The options and the choices are the run: nothing else has a part in it.
RC_GTEST_PROP(ModelWalk, TheSameChoicesGiveTheSameRun, ()) {
  Choice c = random_choice();
  Recording first;
  std::vector<std::uint32_t> choices;
  {
    recording::RuntimeRecorder recorder(first);
    runtime::Model model(c.options, recorder);
    runtime::play(model, c.program, c.options.clusters);
    choices = model.choices();
    add_run_findings(first, recorder.found());
  }
  RC_ASSERT(same_recording(first, recorded(c)));
  if (c.options.schedule.kind != runtime::ScheduleKind::Random) return;
  c.options.schedule.kind = runtime::ScheduleKind::List;
  c.options.schedule.choices = choices;
  RC_ASSERT(same_recording(first, recorded(c)));
  RC_TAG(choices.empty() ? "nothing to choose" : "choices");
}

}  // namespace
}  // namespace depscope::replay
