// From a wait that never ends to its reason, link by link, and who has references on the task at the watermark.
#include <fmt/format.h>

#include "scenario.h"

namespace depscope::runtime {
namespace {

const char* name_of(WaitLinkKind kind) {
  switch (kind) {
    case WaitLinkKind::TooMuch: return "too much";
    case WaitLinkKind::Head: return "head";
    case WaitLinkKind::Interval: return "interval";
    case WaitLinkKind::AllBack: return "all back";
    case WaitLinkKind::OpenScope: return "open scope";
    case WaitLinkKind::ScopeEnd: return "scope end";
    case WaitLinkKind::Submit: return "submit";
    case WaitLinkKind::Reference: return "reference";
    case WaitLinkKind::WaitsFor: return "waits for";
    case WaitLinkKind::Again: return "again";
    case WaitLinkKind::OnCore: return "on core";
    case WaitLinkKind::NoCore: return "no core";
    case WaitLinkKind::Buffered: return "buffered";
    case WaitLinkKind::NotAdvanced: return "not advanced";
  }
  return "";
}

/// "head 0, open scope 0 in 3, scope end 3".
std::string links(const RunFinding& f) {
  std::string out;
  for (const WaitLink& l : f.links) {
    out += fmt::format("{}{}", out.empty() ? "" : ", ", name_of(l.kind));
    if (l.task != kNoRow) out += fmt::format(" {}", l.task);
    if (l.other != kNoRow && l.kind != WaitLinkKind::OnCore) out += fmt::format(" {}", l.other);
    if (l.scope != kNoRow) out += fmt::format("{} {}", l.task == kNoRow ? "" : " in", l.scope);
    if (l.count != 0) out += fmt::format(" {}", l.count);
  }
  return out;
}

/// "5 being submitted, 2 pending WAIT".
std::string references(const RunFinding& f) {
  std::string out;
  for (const HeadReference& r : f.references) {
    out += fmt::format("{}{} {} {}", out.empty() ? "" : ", ", r.task, task_state_name(r.state), r.flags);
  }
  return out;
}

void expect_chain(const RunFinding& f, WaitProof proof, const std::string& chain) {
  EXPECT_EQ(wait_proof_name(f.proof), wait_proof_name(proof));
  EXPECT_EQ(links(f), chain);
}

DEPSCOPE_SCENARIO(Chain_OpenScopeHoldsTheHead) {
  ModelOptions o = bench.options();
  o.limits[3].task_window = 4;
  Scenario& s = bench.run(o);
  for (int depth = 1; depth <= 3; ++depth) s.begin();
  const std::uint32_t outer = s.sink.scopes.size() - 1;
  s.submit();
  s.submit();
  s.begin();
  s.submit();
  EXPECT_EQ(s.submit(), kNoRow);
  expect_chain(s.finding(RunFindingKind::Deadlock), WaitProof::Circle,
               fmt::format("head 0, open scope 0 in {}, scope end {}", outer, outer));
}

DEPSCOPE_SCENARIO(Chain_ScopeThatIsFull) {
  ModelOptions o = bench.options();
  o.limits[1].task_window = 4;
  Scenario& s = bench.run(o);
  s.submit();
  s.begin();
  for (int i = 0; i < 3; ++i) s.submit();
  EXPECT_EQ(s.submit(), kNoRow);
  expect_chain(s.finding(RunFindingKind::Deadlock), WaitProof::Circle, "open scope 1 in 1, scope end 1");
}

DEPSCOPE_SCENARIO(Chain_LargerThanTheResource) {
  ModelOptions o = bench.options();
  o.limits[0].heap = 1024;
  o.limits[0].dep_pool = 4;
  {
    Scenario& s = bench.run(o);
    s.submit({out(32 * 1024)});
    expect_chain(s.finding(RunFindingKind::Deadlock), WaitProof::TooMuch, "too much");
  }
  Scenario& s = bench.run(o);
  std::vector<ExplicitDep> deps;
  for (std::uint32_t i = 0; i < 5; ++i) {
    s.submit();
    deps.push_back(s.dep(i));
  }
  s.submit({}, deps);
  const RunFinding& f = s.finding(RunFindingKind::Deadlock);
  expect_chain(f, WaitProof::TooMuch, "too much");
  EXPECT_EQ(references(f), "5 pending 3");
}

/// D5: the child's scope has ended, so only its kernel keeps it.
DEPSCOPE_SCENARIO(Chain_KernelWithoutAnEnd) {
  ModelOptions o = bench.options();
  o.limits[3].heap = 4096;
  for (const bool behind : {false, true}) {
    Scenario& s = bench.run(o);
    Submission endless = kernel();
    endless.duration = kNeverFinishes;
    std::vector<ExplicitDep> deps;
    if (behind) deps.push_back(s.dep(s.submit(endless)));
    for (int depth = 1; depth <= 4; ++depth) s.begin();
    Submission child = behind ? kernel() : endless;
    child.args = {out(3072)};
    child.deps = deps;
    s.submit(child);
    s.end();
    s.submit({out(1024)});
    EXPECT_EQ(s.submit({out(1024)}), kNoRow);
    const RunFinding& f = s.finding(RunFindingKind::Deadlock);
    expect_chain(f, WaitProof::OnlySlow, behind ? "head 1, waits for 1 0, on core 0" : "head 0, on core 0");
    EXPECT_TRUE(f.references.empty());
  }
}

/// The head is completed and its scope has ended: a consumer keeps it that waits for a kernel without an end.
DEPSCOPE_SCENARIO(Chain_ConsumerKeepsTheHead) {
  ModelOptions o = bench.options();
  o.limits[1].task_window = 4;
  Scenario& s = bench.run(o);
  Submission endless = kernel();
  endless.duration = kNeverFinishes;
  const std::uint32_t slow = s.submit(endless);
  s.begin();
  const std::uint32_t head = s.submit({out(1024)});
  s.begin();
  const std::uint32_t keeper = s.submit({in(s.output(head))}, {s.dep(slow)});
  s.end();
  s.end();
  for (int i = 0; i < 2; ++i) {
    s.begin();
    EXPECT_NE(s.submit(), kNoRow);
    s.end();
  }
  s.begin();
  EXPECT_EQ(s.submit(), kNoRow);
  const RunFinding& f = s.finding(RunFindingKind::Deadlock);
  expect_chain(f, WaitProof::OnlySlow,
               fmt::format("head {}, reference {} {}, waits for {} {}, on core {}", head, head, keeper, keeper, slow, slow));
  EXPECT_EQ(references(f), fmt::format("{} pending 3", keeper));
}

/// Pools without a structural test of the runtime: the circle is there all the same.
DEPSCOPE_SCENARIO(Chain_CirclesThatTheRuntimeDoesNotTest) {
  ModelOptions o = bench.options();
  o.tensor_map_entries = 4;
  {
    Scenario& s = bench.run(o);
    for (std::uint64_t i = 0; i < 5; ++i) s.submit({inout(external(i))});
    const RunFinding& f = s.finding(RunFindingKind::Deadlock);
    EXPECT_EQ(error_class_name(f.error_class), "backstop");
    expect_chain(f, WaitProof::Circle, "head 0, open scope 0 in 0, scope end 0");
  }
  o = bench.options();
  o.limits[0].dep_pool = 4;
  Scenario& s = bench.run(o);
  std::vector<ExplicitDep> deps;
  for (std::uint32_t i = 0; i < 69; ++i) {
    s.submit();
    deps.push_back(s.dep(i));
  }
  EXPECT_EQ(s.submit({}, deps), kNoRow);
  const RunFinding& f = s.finding(RunFindingKind::Deadlock);
  EXPECT_EQ(resource_name(f.resource), "spill_pool");
  expect_chain(f, WaitProof::Circle, "head 0, open scope 0 in 0, scope end 0");
  EXPECT_EQ(references(f), "69 pending 0");  // claimed, but not flushed
}

/// Its scope has ended and it is completed, but the submit that waits has claimed it.
DEPSCOPE_SCENARIO(Chain_TheSubmitItselfKeepsTheHead) {
  ModelOptions o = bench.options();
  o.limits[1].dep_pool = 4;
  Scenario& s = bench.run(o);
  std::vector<ExplicitDep> deps;
  for (std::uint32_t i = 0; i < 68; ++i) {
    deps.push_back(s.dep(s.submit()));
    s.complete(i);  // so that nobody needs a node for it
  }
  s.begin();
  const std::uint32_t head = s.submit({}, deps);  // has all 4 entries of the spill pool
  EXPECT_EQ(s.ring(1).spilled(), 4);
  s.end();
  s.begin();
  deps.insert(deps.begin(), s.dep(head));
  EXPECT_EQ(s.submit({}, deps), kNoRow);
  const auto submitted = static_cast<std::uint32_t>(s.sink.tasks.size() - 1);
  const RunFinding& f = s.finding(RunFindingKind::Deadlock);
  EXPECT_EQ(resource_name(f.resource), "spill_pool");
  expect_chain(f, WaitProof::Circle, fmt::format("head {}, reference {} {}, submit {}", head, head, submitted, submitted));
  EXPECT_EQ(references(f), fmt::format("{} pending 0", submitted));  // not flushed yet
}

DEPSCOPE_SCENARIO(Chain_HostAccessAndTheEndOfTheRun) {
  {
    Scenario& s = bench.run();
    Submission endless = kernel();
    endless.args = {out(256)};
    endless.duration = kNeverFinishes;
    const std::uint32_t task = s.submit(endless);
    EXPECT_FALSE(s.model.host_access(s.output(task), false));
    expect_chain(s.finding(RunFindingKind::Deadlock), WaitProof::OnlySlow, "on core 0");
  }
  Scenario& s = bench.run();
  Submission endless = kernel();
  endless.duration = kNeverFinishes;
  s.submit(endless);
  s.model.finish();
  expect_chain(s.finding(RunFindingKind::Error), WaitProof::OnlySlow, "on core 0");
}

/// Links in the middle of a long chain are counted, not kept.
DEPSCOPE_SCENARIO(Chain_LongOnesAreCut) {
  Scenario& s = bench.run();
  Submission first = kernel();
  first.duration = kNeverFinishes;
  std::uint32_t last = s.submit(first);
  for (int i = 0; i < 100; ++i) last = s.submit({out(256)}, {s.dep(last)});
  EXPECT_FALSE(s.model.host_access(s.output(last), false));
  const RunFinding& f = s.finding(RunFindingKind::Deadlock);
  EXPECT_EQ(f.links.size(), kMostLinks);
  EXPECT_EQ(f.links_left_out, 101 - kMostLinks);
  EXPECT_EQ(f.links.front().task, last);
  EXPECT_EQ(name_of(f.links.back().kind), std::string("on core"));
  EXPECT_EQ(f.links.back().task, 0U);
}

DEPSCOPE_SCENARIO(Chain_ManyReferencesAreCounted) {
  ModelOptions o = bench.options();
  o.limits[1].task_window = 4;
  Scenario& s = bench.run(o);
  Submission endless = kernel();
  endless.duration = kNeverFinishes;
  const std::uint32_t slow = s.submit(endless);
  s.begin();
  const std::uint32_t head = s.submit({out(1024)});
  s.begin();
  for (std::uint32_t i = 0; i < kMostReferences + 6; ++i) s.submit({in(s.output(head))}, {s.dep(slow)});
  s.end();
  s.end();
  for (int i = 0; i < 3; ++i) {
    s.begin();
    s.submit();
    s.end();
  }
  const RunFinding& f = s.finding(RunFindingKind::Deadlock);
  EXPECT_EQ(f.head, head);
  EXPECT_EQ(f.references.size(), kMostReferences);
  EXPECT_EQ(f.references_left_out, 6U);
}

/// D10 as it is: what the pool lacks belongs to tasks that are gone.
DEPSCOPE_SCENARIO(Chain_NodesOfReclaimedTasks) {
  ModelOptions o = bench.options();
  o.limits[1].task_window = 16;
  o.limits[1].dep_pool = 8;
  o.hazards.set(11, true);
  Scenario& s = bench.run(o);
  for (;;) {
    s.begin();
    const std::uint32_t p = s.submit();
    const std::uint32_t c = s.submit({}, {s.wait_on(p)});
    if (c == kNoRow) break;
    s.end();
    s.retire(p);
    s.retire(c);
  }
  expect_chain(s.finding(RunFindingKind::Deadlock), WaitProof::Circle, "interval 8, head 16, open scope 16 in 9, scope end 9");
}

}  // namespace
}  // namespace depscope::runtime
