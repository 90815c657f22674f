// Limits, schedules, faulty layouts, durations and hazards from the command line to what is recorded and said. Everything runs
// with --check-invariants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "command_outcome.h"
#include "depscope/replay/file.h"
#include "depscope/runtime/sink.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using recording::Recording;
using runtime::EventKind;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;

const std::string kBook = std::string(DEPSCOPE_TEST_DATA) + "/book/";
const std::string kScratch = kBook + "51-scratch-retained-in-auto-clean/input.py";
const std::string kWide = kBook + "63-fan-in-wider-than-dep-pool/input.py";
const std::string kSample = std::string(DEPSCOPE_SAMPLES) + "/02_softmax_tiles.py";

/// Sets a variable of the environment for one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

int errors_in(const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find(": error: "); at != std::string::npos; at = text.find(": error: ", at + 1)) ++count;
  return count;
}

struct Finding {
  std::string summary;
  json fields;
};

std::vector<Finding> found(const Recording& r, std::string_view kind) {
  std::vector<Finding> out;
  for (std::uint32_t i = 0; i < r.findings.rows(); ++i) {
    if (r.text(r.findings.kind[i]) != kind) continue;
    out.push_back({std::string(r.text(r.findings.summary[i])), json::parse(r.text(r.findings.fields[i]))});
  }
  return out;
}

std::string option_of(const Recording& r, std::string_view name) {
  for (std::uint32_t i = 0; i < r.options.rows(); ++i) {
    if (r.text(r.options.name[i]) == name) return std::string(r.text(r.options.value[i]));
  }
  return "not recorded";
}

using EventRow = std::tuple<int, int, int, std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t, std::int64_t>;
std::vector<EventRow> events(const Recording& r) {
  std::vector<EventRow> out;
  const auto& e = r.events;
  for (std::uint32_t i = 0; i < e.rows(); ++i)
    out.emplace_back(e.kind[i], e.actor[i], e.extra[i], e.time[i], e.subject[i], e.object[i], e.old_value[i], e.new_value[i]);
  return out;
}

std::vector<std::uint32_t> completion_order(const Recording& r) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < r.events.rows(); ++i) {
    if (static_cast<EventKind>(r.events.kind[i]) == EventKind::Complete) out.push_back(r.events.subject[i]);
  }
  return out;
}

/// Tasks of one AIV kernel each, on FLOAT32 and INT8 views of one buffer.
json trace(const std::vector<json>& args) {
  json tasks = json::array();
  for (std::size_t i = 0; i < args.size(); ++i) {
    tasks.push_back({{"task_id", std::to_string(i)},
                     {"scope", "auto"},
                     {"kernel_ids", {-1, static_cast<int>(i), -1}},
                     {"block_num", 1},
                     {"explicit_deps", json::array()},
                     {"args", {args[i]}}});
  }
  return {{"tasks", tasks}};
}
json argument(const char* type, const char* dtype, int address, int elements, int offset, int count) {
  return {{"type", type},
          {"addr", std::to_string(address)},
          {"version", 0},
          {"dtype", dtype},
          {"buffer_numel", std::to_string(elements)},
          {"shape", {count}},
          {"start_offset", std::to_string(offset)},
          {"strides", {1}},
          {"owner_task_id", nullptr},
          {"manual_dep", false}};
}

class RuntimeLimits : public TemporaryFolder {
 protected:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  Outcome command(const char* name, const std::string& input, const std::vector<std::string>& options) const {
    std::vector<const char*> arguments{name, input.c_str(), "--check-invariants"};
    for (const std::string& o : options) arguments.push_back(o.c_str());
    return run(arguments);
  }
  /// What `run` records; no invariant may be violated.
  Recording record(const std::string& input, std::vector<std::string> options = {},
                   const std::string& name = "x.depscope") const {
    options.insert(options.end(), {"-o", file(name)});
    const Outcome o = command("run", input, options);
    EXPECT_EQ(o.status, kDone) << o.err;
    Recording r = replay::load(file(name));
    EXPECT_THAT(found(r, "invariant"), IsEmpty());
    return r;
  }
  json checked(const std::string& input, std::vector<std::string> options, int status) const {
    options.emplace_back("--json");
    const Outcome o = command("check", input, options);
    EXPECT_EQ(o.status, status) << o.err;
    return json::parse(o.out);
  }
  std::string bytes(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

// ---------------------------------------------------------------- limits

TEST_F(RuntimeLimits, OneValueIsForAllRings) {
  const Recording r = record(kScratch, {"--ring-task-window", "64", "--ring-heap", "8192", "--ring-dep-pool", "32"});
  EXPECT_EQ(option_of(r, "ring-task-window"), "64,64,64,64");
  EXPECT_EQ(option_of(r, "ring-heap"), "8192,8192,8192,8192");
  EXPECT_EQ(option_of(r, "ring-dep-pool"), "32,32,32,32");
}

TEST_F(RuntimeLimits, FourValuesAreByRing) {
  const Recording small = record(kWide, {"--ring-dep-pool", "64,4,64,64"});
  EXPECT_EQ(option_of(small, "ring-dep-pool"), "64,4,64,64");
  const std::vector<Finding> deadlock = found(small, "deadlock");
  ASSERT_THAT(deadlock, SizeIs(1));
  EXPECT_EQ(deadlock[0].fields["ring"], 1);
  EXPECT_EQ(deadlock[0].fields["capacity"], 4);
  EXPECT_THAT(found(record(kWide, {"--ring-dep-pool", "4,64,4,4"}), "deadlock"), IsEmpty());
}

TEST_F(RuntimeLimits, WrongValuesAreOneErrorEach) {
  for (const char* value : {"3", "5", "4,4", "4,4,4,4,4", "x", "4,,4,4", "-4", "4294967296"}) {
    const Outcome o = command("run", kScratch, {"--ring-task-window", value});
    EXPECT_EQ(o.status, kBadInput) << value;
    EXPECT_THAT(o.err, HasSubstr("--ring-task-window")) << value;
    EXPECT_EQ(errors_in(o.err), 1) << o.err;
    EXPECT_EQ(o.out, "");
  }
}

TEST_F(RuntimeLimits, TheEnvironmentLimitsWhatIsNotGiven) {
  const Variable heap("PTO2_RING_HEAP", "8192");
  const Variable pool("PTO2_RING_DEP_POOL", "64,4,64,64");
  const Recording r = record(kWide);
  EXPECT_EQ(option_of(r, "ring-heap"), "8192,8192,8192,8192");
  EXPECT_EQ(option_of(r, "ring-task-window"), "16384,16384,16384,16384");
  EXPECT_THAT(found(r, "deadlock"), SizeIs(1));

  // By ring: an entry of the run, then the environment, then the default; 0 is not set.
  const Recording both = record(kWide, {"--ring-dep-pool", "0,32,0,16", "--ring-heap", "0"});
  EXPECT_EQ(option_of(both, "ring-dep-pool"), "64,32,64,16");
  EXPECT_EQ(option_of(both, "ring-heap"), "8192,8192,8192,8192");
  EXPECT_THAT(found(both, "deadlock"), IsEmpty());
}

TEST_F(RuntimeLimits, AWrongVariableIsIgnoredAsAWhole) {
  const Variable pool("PTO2_RING_DEP_POOL", "64,4,64,x");
  const Recording r = record(kWide);
  EXPECT_EQ(option_of(r, "ring-dep-pool"), "16384,16384,16384,16384");
  const std::vector<Finding> warning = found(r, "configuration");
  ASSERT_THAT(warning, SizeIs(1));
  EXPECT_THAT(warning[0].summary, HasSubstr("PTO2_RING_DEP_POOL=\"64,4,64,x\" is ignored"));
}

// ---------------------------------------------------------------- schedules

TEST_F(RuntimeLimits, ASeedIsOneRun) {
  record(kSample, {"--schedule", "random", "--seed", "7"}, "a.depscope");
  record(kSample, {"--schedule", "random", "--seed", "7"}, "b.depscope");
  const Recording other = record(kSample, {"--schedule", "random", "--seed", "8"}, "c.depscope");
  EXPECT_EQ(bytes("a.depscope"), bytes("b.depscope"));
  EXPECT_NE(events(replay::load(file("a.depscope"))), events(other));
}

TEST_F(RuntimeLimits, SavedChoicesGiveTheRunAgain) {
  for (const char* granularity : {"coarse", "fine"}) {
    const std::vector<std::string> steps{"--granularity", granularity};
    std::vector<std::string> random{"--schedule", "random", "--seed", "3", "--save-schedule", file("choices.txt")};
    random.insert(random.end(), steps.begin(), steps.end());
    const Recording first = record(kSample, random);
    std::vector<std::string> list{"--schedule", "list:" + file("choices.txt"), "--save-schedule", file("again.txt")};
    list.insert(list.end(), steps.begin(), steps.end());
    const Recording second = record(kSample, list);
    EXPECT_EQ(events(first), events(second)) << granularity;
    EXPECT_THAT(events(first), Not(IsEmpty()));
    EXPECT_EQ(bytes("choices.txt"), bytes("again.txt"));
    EXPECT_EQ(option_of(second, "granularity"), granularity);
  }
}

TEST_F(RuntimeLimits, FineStepsAreOtherChoices) {
  const Recording coarse = record(kSample, {"--schedule", "random", "--save-schedule", file("coarse.txt")});
  const Recording fine = record(kSample, {"--schedule", "random", "--granularity", "fine", "--save-schedule", file("fine.txt")});
  EXPECT_LT(bytes("coarse.txt").size(), bytes("fine.txt").size());
  EXPECT_NE(events(coarse), events(fine));
  EXPECT_EQ(completion_order(coarse).size(), completion_order(fine).size());
  EXPECT_EQ(command("run", kSample, {"--granularity", "medium"}).status, kBadInput);
}

TEST_F(RuntimeLimits, AChoiceThatIsTooLargeIsOneErrorWithItsPlace) {
  const std::string choices = write("choices.txt", "# two good ones\n0 0\n  99 0\n");
  const std::string input =
      write("t.trace.json", trace({argument("INOUT", "FLOAT32", 4096, 64, 0, 64), argument("INOUT", "FLOAT32", 8192, 64, 0, 64),
                                   argument("INOUT", "FLOAT32", 12288, 64, 0, 64)})
                                .dump());
  for (const std::string& program : {input, kSample}) {
    const Outcome o = command("run", program, {"--schedule", "list:" + choices, "-o", file("none.depscope")});
    EXPECT_EQ(o.status, kBadInput) << program;
    EXPECT_THAT(o.err,
                AllOf(HasSubstr(choices + ":3:3: choice 3 of the schedule is 99, but only "), HasSubstr("can happen there")));
    EXPECT_EQ(errors_in(o.err), 1) << o.err;
    EXPECT_FALSE(std::filesystem::exists(file("none.depscope")));
  }
}

// ---------------------------------------------------------------- flags that get lost

TEST_F(RuntimeLimits, MaskBugLosesFlags) {
  const Recording r = record(kScratch);
  EXPECT_THAT(found(r, "flags_lost"), IsEmpty());

  std::vector<const char*> arguments{"run", kScratch.c_str(), "--edges", "maskbug", "-o"};
  const std::string path = file("bug.depscope");
  arguments.push_back(path.c_str());
  const Outcome o = run(arguments);
  ASSERT_EQ(o.status, kDone) << o.err;
  const Recording bug = replay::load(path);
  const std::vector<Finding> lost = found(bug, "flags_lost");
  ASSERT_THAT(lost, Not(IsEmpty()));
  const std::uint32_t event = lost[0].fields["event"];
  EXPECT_THAT(o.out, AllOf(HasSubstr("flags_lost"), HasSubstr("(event " + std::to_string(event) + ")")));
  ASSERT_LT(event, bug.events.rows());
  EXPECT_EQ(static_cast<EventKind>(bug.events.kind[event]), EventKind::EdgeLost);
  EXPECT_THAT(found(bug, "memory_reused"), IsEmpty());

  const Outcome checked = run({"check", path.c_str(), "--json"});
  EXPECT_EQ(checked.status, kFindings);
  int lifetimes = 0;
  const json object = json::parse(checked.out);
  for (const json& f : object["findings"]) {
    if (f["kind"] != "lifetime") continue;
    ++lifetimes;
    EXPECT_EQ(f["what"], "reclaimed before last reader");
    const std::uint32_t at = f["flags_lost_at"];
    EXPECT_EQ(static_cast<EventKind>(bug.events.kind[at]), EventKind::EdgeLost);
  }
  EXPECT_GT(lifetimes, 0);
}

TEST_F(RuntimeLimits, MaskBugInASmallHeapReusesBytes) {
  const std::string path = file("bug.depscope");
  ASSERT_EQ(run({"run", kScratch.c_str(), "--edges", "maskbug", "--ring-heap", "4096", "-o", path.c_str()}).status, kDone);
  const Recording bug = replay::load(path);
  const std::vector<Finding> reused = found(bug, "memory_reused");
  ASSERT_THAT(reused, Not(IsEmpty()));
  EXPECT_EQ(reused[0].fields["first_byte"], 0);
  EXPECT_EQ(reused[0].fields["producer"]["alloc"], "tmp");
  EXPECT_EQ(reused[0].fields["by"]["occurrence"], 1);
  EXPECT_THAT(reused[0].summary, HasSubstr("from byte 0 of ring"));
  const Outcome checked = run({"check", path.c_str(), "--json"});
  EXPECT_EQ(checked.status, kFindings);
  int errors = 0;
  const json object = json::parse(checked.out);
  for (const json& f : object["findings"]) {
    if (f["kind"] != "lifetime" || f["severity"] != "error") continue;
    ++errors;
    EXPECT_EQ(f["first_byte"], 0);
    EXPECT_EQ(static_cast<EventKind>(bug.events.kind[f["reused_at"].get<std::uint32_t>()]), EventKind::Submit);
  }
  EXPECT_GT(errors, 0);
  // The layout that keeps the flags with the edges waits for the memory instead.
  EXPECT_THAT(found(record(kScratch, {"--ring-heap", "4096"}), "memory_reused"), IsEmpty());
}

TEST_F(RuntimeLimits, TheInvariantsSeeTheFaultyLayout) {
  const Outcome o = command("run", kScratch, {"--edges", "maskbug", "-o", file("bug.depscope")});
  ASSERT_EQ(o.status, kDone) << o.err;
  std::vector<int> numbers;
  for (const Finding& f : found(replay::load(file("bug.depscope")), "invariant")) numbers.push_back(f.fields["number"]);
  EXPECT_THAT(numbers, ::testing::Contains(10));
}

// ---------------------------------------------------------------- durations and hazards

TEST_F(RuntimeLimits, TimingsChangeOrderAndTime) {
  const std::string input =
      write("t.trace.json",
            trace({argument("INOUT", "FLOAT32", 4096, 64, 0, 64), argument("INOUT", "FLOAT32", 8192, 64, 0, 64)}).dump());
  const std::string timing = write("timing.json", R"({"schema": "depscope.timing/1", "kernels": {"0": 50, "1": 3}})");
  const Recording plain = record(input);
  const Recording timed = record(input, {"--timing", timing});
  EXPECT_THAT(completion_order(plain), ::testing::ElementsAre(0, 1));
  EXPECT_THAT(completion_order(timed), ::testing::ElementsAre(1, 0));
  EXPECT_LT(plain.events.time.back(), timed.events.time.back());
  EXPECT_GE(timed.events.time.back(), 50U);
  EXPECT_THAT(option_of(timed, "timing"), MatchesRegex("timing.json [0-9a-f]{16}"));
}

TEST_F(RuntimeLimits, TheElementTypeAliasIsAHazard) {
  // Bytes 32 to 47 of the buffer, behind its 16 elements if those are counted instead (runtime.md 12.13, W6).
  const std::string input = write(
      "t.trace.json", trace({argument("INOUT", "FLOAT32", 4096, 16, 0, 16), argument("INPUT", "INT8", 4096, 64, 32, 16)}).dump());
  EXPECT_EQ(record(input).edges.rows(), 1U);
  EXPECT_EQ(record(input, {"--hazards", "fixed"}).edges.rows(), 1U);
  EXPECT_EQ(record(input, {"--hazards", "faithful"}).edges.rows(), 0U);
  EXPECT_EQ(record(input, {"--hazards", "fixed,H3=faithful"}).edges.rows(), 0U);
  EXPECT_EQ(record(input, {"--hazards", "faithful,H3=fixed"}).edges.rows(), 1U);
  EXPECT_EQ(checked(input, {"--hazards", "fixed"}, kDone)["findings"].size(), 0U);
  const json missed = checked(input, {"--hazards", "faithful"}, kFindings)["findings"];
  ASSERT_EQ(missed.size(), 1U);
  EXPECT_EQ(missed[0]["hazard"], "RAW");
}

TEST_F(RuntimeLimits, BothPlatformsAndGranularitiesComeThrough) {
  for (const char* platform : {"a2a3", "a5"}) {
    for (const char* granularity : {"coarse", "fine"}) {
      for (const char* schedule : {"canonical", "random"}) {
        const Recording r = record(kSample, {"--platform", platform, "--granularity", granularity, "--schedule", schedule});
        EXPECT_THAT(found(r, "deadlock"), IsEmpty());
        EXPECT_EQ(option_of(r, "check-invariants"), "on");
      }
    }
  }
}

}  // namespace
}  // namespace depscope::app
