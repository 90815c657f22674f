// The samples of samples/hazards, one for each of the hazards H1 to H11: what differs between fixed and faithful, on both
// platforms. docs/hazards.md shows the same step by step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "command_outcome.h"
#include "depscope/replay/deps_json.h"
#include "depscope/runtime/sink.h"
#include "open_input.h"
#include "options.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kFolder = std::string(DEPSCOPE_SAMPLES) + "/hazards/";

class HazardSamples : public ::testing::TestWithParam<runtime::Platform> {
 protected:
  static bool a5() { return GetParam() == runtime::Platform::A5; }
  /// Its schedule beside a sample: cores and threads are those of the platform.
  static std::string schedule(const std::string& sample) {
    return "list:" + kFolder + sample + (a5() ? ".a5.schedule" : ".schedule");
  }

  static OptionTexts texts(const std::string& hazards) {
    OptionTexts t;
    t.platform = platform_name(GetParam());
    t.hazards = hazards;
    t.check_invariants = true;
    return t;
  }

  static Recording run(const std::string& sample, const OptionTexts& t) {
    return open_input(kFolder + sample, parse(t)).recording;
  }

  /// With all hazards fixed no invariant is broken.
  static Recording fixed(const std::string& sample, OptionTexts t) {
    t.hazards = "fixed";
    Recording r = run(sample, t);
    EXPECT_THAT(broken(r), IsEmpty());
    return r;
  }

  static std::vector<json> found(const Recording& r, std::string_view kind) {
    std::vector<json> out;
    for (std::uint32_t i = 0; i < r.findings.rows(); ++i) {
      if (r.text(r.findings.kind[i]) == kind) out.push_back(json::parse(r.text(r.findings.fields[i])));
    }
    return out;
  }
  static std::set<int> broken(const Recording& r) {
    std::set<int> out;
    for (const json& f : found(r, "invariant")) out.insert(f["number"].get<int>());
    return out;
  }
  /// Codes of the errors that ended the run.
  static std::vector<int> errors(const Recording& r) {
    std::vector<int> out;
    for (const char* kind : {"runtime_error", "deadlock"}) {
      for (const json& f : found(r, kind)) out.push_back(f["error_code"].get<int>());
    }
    return out;
  }

  static std::uint32_t task(const Recording& r, std::uint32_t ring, std::uint32_t local) {
    for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
      if (r.tasks.id[t] == runtime::make_task_id(ring, local)) return t;
    }
    ADD_FAILURE() << "no task r" << ring << "t" << local;
    return 0;
  }
  /// Number of the first event of this kind about this task, of all if it is none; kNoRow if there is none.
  static std::uint32_t event(const Recording& r, EventKind kind, std::uint32_t task) {
    for (std::uint32_t e = 0; e < r.events.rows(); ++e) {
      if (static_cast<EventKind>(r.events.kind[e]) == kind && (task == kNoRow || r.events.subject[e] == task)) return e;
    }
    return kNoRow;
  }
  static std::size_t count(const Recording& r, EventKind kind) {
    return static_cast<std::size_t>(std::count(r.events.kind.begin(), r.events.kind.end(), static_cast<std::uint8_t>(kind)));
  }
  static bool has_edge(const Recording& r, std::uint32_t producer, std::uint32_t consumer) {
    for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
      if (r.edges.producer[e] == producer && r.edges.consumer[e] == consumer) return true;
    }
    return false;
  }
};

TEST_P(HazardSamples, H1OwnSlotAlias) {
  OptionTexts t = texts("fixed,H1=faithful");
  t.ring_task_window = "4";
  const Recording intended = fixed("H01_own_slot_alias.py", t);
  const std::uint32_t reader = task(intended, 2, 4);
  EXPECT_FALSE(has_edge(intended, reader, reader));
  ASSERT_EQ(found(intended, "lifetime").size(), 1U);
  EXPECT_EQ(found(intended, "lifetime")[0]["hazard"], "H1");
  EXPECT_THAT(errors(intended), IsEmpty());
  EXPECT_EQ(count(intended, EventKind::Consume), intended.tasks.rows());

  const Recording real = run("H01_own_slot_alias.py", t);
  EXPECT_TRUE(has_edge(real, reader, reader));
  EXPECT_THAT(found(real, "lifetime"), IsEmpty());
  EXPECT_THAT(errors(real), ElementsAre(100));
  EXPECT_EQ(found(real, "runtime_error")[0]["class"], "dependency-deadlock");
  EXPECT_THAT(broken(real), ElementsAre(40));

  // A window that is larger puts the reader into another slot.
  t.ring_task_window = "8";
  EXPECT_THAT(errors(run("H01_own_slot_alias.py", t)), IsEmpty());
}

TEST_P(HazardSamples, H2SpillOverrun) {
  OptionTexts t = texts("fixed,H2=faithful");
  t.ring_task_window = t.ring_dep_pool = "0,4,0,0";
  t.timing = kFolder + "H02_spill_overrun.timing.json";
  const Recording intended = fixed("H02_spill_overrun.py", t);
  EXPECT_THAT(found(intended, "spill_overrun"), IsEmpty());
  EXPECT_EQ(count(intended, EventKind::Consume), intended.tasks.rows());

  const Recording real = run("H02_spill_overrun.py", t);
  EXPECT_THAT(errors(real), IsEmpty());
  ASSERT_EQ(found(real, "spill_overrun").size(), 1U);
  EXPECT_THAT(found(real, "spill_overrun")[0]["task"].dump(), HasSubstr(std::to_string(runtime::make_task_id(1, 5))));
  EXPECT_THAT(broken(real), Contains(19));
  // Two producers are never given back, and two more than once.
  EXPECT_EQ(count(real, EventKind::Consume), real.tasks.rows() - 2);
  EXPECT_THAT(broken(real), Contains(4));
}

TEST_P(HazardSamples, H3ElementUnits) {
  const OptionTexts t = texts("fixed,H3=faithful");
  const Recording intended = fixed("H03_element_units.py", t);
  EXPECT_TRUE(has_edge(intended, 0, 1));
  const Recording real = run("H03_element_units.py", t);
  EXPECT_FALSE(has_edge(real, 0, 1));
  EXPECT_EQ(real.edges.rows(), 0U);
  const std::string sample = kFolder + "H03_element_units.py";
  EXPECT_EQ(run_words({"check", sample, "--platform", t.platform, "--hazards", "fixed"}).status, kDone);
  const Outcome checked = run_words({"check", sample, "--platform", t.platform, "--hazards", t.hazards});
  EXPECT_EQ(checked.status, kFindings);
  EXPECT_THAT(checked.out, HasSubstr("missing order: check#0 may read x before fill#0 has written it"));
}

TEST_P(HazardSamples, H4HostWrite) {
  const OptionTexts t = texts("fixed,H4=faithful");
  for (const bool faithful : {false, true}) {
    const Recording r = faithful ? run("H04_host_write.py", t) : fixed("H04_host_write.py", t);
    const std::uint32_t goes_on = event(r, EventKind::Unblock, kNoRow);
    ASSERT_NE(goes_on, kNoRow);
    EXPECT_LT(event(r, EventKind::Complete, 0), goes_on);
    EXPECT_EQ(event(r, EventKind::Complete, 1) > goes_on, faithful);
    EXPECT_EQ(r.events.new_value[goes_on], faithful ? 1 : 2);  // tasks that were waited for
    EXPECT_THAT(errors(r), IsEmpty());
  }
}

TEST_P(HazardSamples, H5ReusedNode) {
  OptionTexts t = texts("fixed,H5=faithful");
  t.ring_dep_pool = "0,4,0,0";
  t.granularity = "fine";
  t.schedule = schedule("H05_reused_node");
  const Recording intended = fixed("H05_reused_node.py", t);
  EXPECT_THAT(errors(intended), IsEmpty());
  EXPECT_EQ(count(intended, EventKind::Complete), intended.tasks.rows());

  const Recording real = run("H05_reused_node.py", t);
  EXPECT_THAT(errors(real), ElementsAre(100));
  const std::uint32_t slow = task(real, 0, 1);
  const std::uint32_t last = task(real, 0, 2);
  EXPECT_EQ(event(real, EventKind::Ready, last), kNoRow);
  for (const std::uint32_t local : {1U, 2U, 3U}) {
    const std::uint32_t user = task(real, 1, local);
    EXPECT_TRUE(has_edge(real, slow, user));
    EXPECT_LT(event(real, EventKind::Dispatch, user), event(real, EventKind::Complete, slow)) << local;
    EXPECT_GT(event(intended, EventKind::Dispatch, user), event(intended, EventKind::Complete, slow)) << local;
  }
  EXPECT_THAT(broken(real), Contains(11));
  EXPECT_THAT(broken(real), Contains(13));

  // Steps that are not taken apart do not show it.
  t.granularity = "coarse";
  t.schedule = "canonical";
  EXPECT_THAT(errors(run("H05_reused_node.py", t)), IsEmpty());
}

TEST_P(HazardSamples, H6FullQueue) {
  OptionTexts t = texts("fixed,H6=faithful");
  t.ring_task_window = "131072";
  t.events = "summary";
  const Recording intended = fixed("H06_full_queue.py", t);
  ASSERT_EQ(found(intended, "queue_overflow").size(), 1U);
  EXPECT_EQ(found(intended, "queue_overflow")[0]["lost"], false);
  EXPECT_EQ(found(intended, "queue_overflow")[0]["queue"], "AIV");
  EXPECT_THAT(errors(intended), IsEmpty());
  EXPECT_EQ(count(intended, EventKind::Complete), 65600U);

  const Recording real = run("H06_full_queue.py", t);
  ASSERT_EQ(found(real, "queue_overflow").size(), 1U);
  EXPECT_EQ(found(real, "queue_overflow")[0]["lost"], true);
  EXPECT_EQ(found(real, "queue_overflow")[0]["capacity"], 65536);
  EXPECT_THAT(errors(real), ElementsAre(100));
  EXPECT_EQ(found(real, "runtime_error")[0]["class"], "ready-but-idle");
  EXPECT_EQ(count(real, EventKind::Complete), 65536U);
  EXPECT_EQ(count(real, EventKind::Ready), 65600U);

  // With the default windows a queue is never full.
  t.ring_task_window.clear();
  EXPECT_THAT(found(run("H06_full_queue.py", t), "queue_overflow"), IsEmpty());
}

TEST_P(HazardSamples, H7FullScopeList) {
  OptionTexts t = texts("fixed,H7=faithful");
  t.scope_list = 3;
  const Recording intended = fixed("H07_full_scope_list.py", t);
  EXPECT_THAT(errors(intended), ElementsAre(10));
  EXPECT_EQ(intended.tasks.rows(), 3U);

  const Recording real = run("H07_full_scope_list.py", t);
  EXPECT_THAT(errors(real), ElementsAre(10));
  ASSERT_EQ(real.tasks.rows(), 4U);  // and no more
  EXPECT_TRUE(has_edge(real, 0, 3));
  EXPECT_GT(event(real, EventKind::NodeTake, 3), event(real, EventKind::Error, kNoRow));
  EXPECT_EQ(event(real, EventKind::AbortSubmit, kNoRow), kNoRow);
  EXPECT_THAT(broken(real), ElementsAre(21));

  // The list has room for whatever the windows hold.
  t.scope_list.reset();
  t.ring_task_window = "4";
  EXPECT_THAT(errors(run("H07_full_scope_list.py", t)), ElementsAre(1));
}

TEST_P(HazardSamples, H8LostRetain) {
  const Recording r = fixed("H08_lost_retain.trace.json", texts("fixed"));
  ASSERT_EQ(r.edges.rows(), 1U);
  EXPECT_EQ(r.edges.flags[0], runtime::kWaitRetain);
  EXPECT_EQ(r.edges.provenance[0], runtime::kCreator | runtime::kTensorMap);
  const auto rows = [&](replay::DepsFaults faults) {
    std::string text;
    replay::write_deps_json(
        r, replay::DepsSchema::Upstream, [&](std::string_view piece) { text += piece; }, faults);
    return json::parse(text)["edges"];
  };
  const json real = rows({});
  ASSERT_EQ(real.size(), 1U);
  EXPECT_EQ(real[0]["flags"], json({"wait"}));
  const json intended = rows({.retain_lost = false});
  ASSERT_EQ(intended.size(), 2U);
  EXPECT_EQ(intended[0], real[0]);
  EXPECT_EQ(intended[1]["source"], "creator");
  EXPECT_EQ(intended[1]["flags"], json({"wait", "retain"}));
}

TEST_P(HazardSamples, H9UnknownType) {
  const Recording r = fixed("H09_unknown_type.py", texts("fixed"));
  const auto type = [&](replay::DepsFaults faults) {
    std::string text;
    replay::write_deps_json(
        r, replay::DepsSchema::Upstream, [&](std::string_view piece) { text += piece; }, faults);
    return json::parse(text)["tasks"][1]["args"][0]["type"];
  };
  EXPECT_EQ(type({}), "UNKNOWN");
  EXPECT_EQ(type({.no_dep_unknown = false}), "NO_DEP");
}

TEST_P(HazardSamples, H10LateRelease) {
  OptionTexts t = texts("fixed,H10=faithful");
  t.ring_task_window = "0,4,0,0";
  t.schedule = schedule("H10_late_release");
  const Recording intended = fixed("H10_late_release.py", t);
  EXPECT_THAT(found(intended, "late_release"), IsEmpty());
  EXPECT_EQ(count(intended, EventKind::Consume), intended.tasks.rows());

  const Recording real = run("H10_late_release.py", t);
  ASSERT_EQ(found(real, "late_release").size(), 1U);
  EXPECT_EQ(found(real, "late_release")[0]["hazard"], "H10");
  EXPECT_THAT(broken(real), Contains(39));
  EXPECT_EQ(event(real, EventKind::Consume, task(real, 0, 0)), kNoRow);  // what `keep` retained
  // Both runs put the release off until the slot is another's.
  for (const Recording* r : {&intended, &real}) {
    EXPECT_GT(event(*r, EventKind::ReleaseBegin, task(*r, 1, 0)), event(*r, EventKind::Submit, task(*r, 1, 4)));
  }
}

TEST_P(HazardSamples, H11DepPoolInterval) {
  OptionTexts t = texts("fixed,H11=faithful");
  t.ring_task_window = "16";
  t.ring_dep_pool = "8";
  const Recording intended = fixed("H11_dep_pool_interval.py", t);
  EXPECT_THAT(errors(intended), IsEmpty());
  EXPECT_EQ(count(intended, EventKind::Consume), 80U);
  EXPECT_GT(count(intended, EventKind::DepReclaim), 0U);

  const Recording real = run("H11_dep_pool_interval.py", t);
  EXPECT_THAT(errors(real), ElementsAre(4));
  EXPECT_EQ(found(real, "deadlock")[0]["resource"], "dep_pool");
  EXPECT_EQ(found(real, "deadlock")[0]["used"], 8);
  EXPECT_EQ(count(real, EventKind::DepReclaim), 0U);
  EXPECT_THAT(broken(real), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Platforms, HazardSamples, ::testing::Values(runtime::Platform::A2A3, runtime::Platform::A5),
                         [](const auto& info) { return std::string(platform_name(info.param)); });

class HazardExports : public TemporaryFolder {
 protected:
  [[nodiscard]] std::string exported(const std::string& input, const std::vector<std::string>& more) const {
    std::vector<std::string> words{"export", input, "--format", "deps-json", "-o", (folder_ / "deps.json").string()};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome o = run_words(words);
    EXPECT_EQ(o.status, kDone) << o.err;
    std::ifstream file(folder_ / "deps.json");
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

/// As the runtime writes the file, unless the option is given.
TEST_F(HazardExports, AreFaithfulByThemselves) {
  const std::string trace = kFolder + "H08_lost_retain.trace.json";
  const std::string program = kFolder + "H09_unknown_type.py";
  EXPECT_EQ(exported(trace, {}), exported(trace, {"--hazards", "faithful"}));
  EXPECT_EQ(exported(trace, {}), exported(trace, {"--hazards", "fixed,H8=faithful"}));
  EXPECT_NE(exported(trace, {}), exported(trace, {"--hazards", "fixed,H9=faithful"}));
  EXPECT_EQ(exported(program, {}), exported(program, {"--hazards", "fixed,H9=faithful"}));
  EXPECT_NE(exported(program, {}), exported(program, {"--hazards", "fixed"}));
  const std::string recording = (folder_ / "a.depscope").string();
  ASSERT_EQ(run_words({"run", program, "-o", recording}).status, kDone);
  EXPECT_EQ(exported(recording, {}), exported(program, {}));
}

/// Without H8 the file says what the recording says; with it `diff` tells how many edges it knows better, and finds no
/// difference.
TEST_F(HazardExports, AreComparedByWhatTheySay) {
  const std::string trace = kFolder + "H08_lost_retain.trace.json";
  const std::string intended = write("fixed.json", exported(trace, {"--hazards", "fixed"}));
  const std::string real = write("faithful.json", exported(trace, {}));
  const auto compared = [](const std::string& a, const std::string& b) { return run_words({"diff", a, b}); };
  const std::string kLost = "not compared: flags: 1 edge of ";
  for (const auto& [a, b] : {std::pair{trace, real}, std::pair{real, trace}}) {
    const Outcome o = compared(a, b);
    EXPECT_EQ(o.status, kDone);
    EXPECT_THAT(o.out, HasSubstr(kLost + (a == trace ? "a has flags that b" : "b has flags that a")));
  }
  for (const auto& [a, b] : {std::pair{trace, intended}, std::pair{intended, trace}}) {
    const Outcome o = compared(a, b);
    EXPECT_EQ(o.status, kDone);
    EXPECT_THAT(o.out, Not(HasSubstr(kLost)));
  }
  const Outcome files = compared(intended, real);
  EXPECT_EQ(files.status, kFindings);
  EXPECT_THAT(files.out, HasSubstr("wait+retain | wait\n"));
}

}  // namespace
}  // namespace depscope::app
