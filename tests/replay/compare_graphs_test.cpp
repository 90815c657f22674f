// Comparing task graphs: which tasks are the same, and what differs between them and their edges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "comparison_rows.h"
#include "deps_text.h"
#include "depscope/recording/recorder.h"
#include "depscope/replay/compare.h"
#include "depscope/replay/deps_json.h"
#include "depscope/runtime/model.h"

namespace depscope::replay {
namespace {

using recording::Recording;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Comparison compare_texts(const std::string& a, const std::string& b, const CompareOptions& options = {}) {
  return compare(read_deps(a).recording, read_deps(b).recording, options);
}

/// A chain of `count` tasks, kernel k of task i as given; every task waits for the one before.
std::string chain(const std::vector<int>& kernels, const std::vector<int>& extents = {}, int first_id = 0) {
  std::vector<std::string> tasks;
  std::vector<std::string> edges;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string id = std::to_string(first_id + static_cast<int>(i));
    tasks.push_back(deps_task(id, kernels[i], {deps_arg(0, "INOUT", "5", i < extents.size() ? extents[i] : 64)}));
    if (i > 0) edges.push_back(deps_hit(std::to_string(first_id + static_cast<int>(i) - 1), id, 0, "5"));
  }
  return deps_file(tasks, {deps_tensor("5", "4096")}, edges);
}

// ---------------------------------------------------------------- alignment

TEST(CompareGraphs, AFileWithItself) {
  const Comparison c = compare_texts(chain({0, 1, 2}), chain({0, 1, 2}));
  EXPECT_EQ(c.total(), 0U);
  EXPECT_EQ(c.alignment.by, AlignedBy::TaskId);
  EXPECT_EQ(c.alignment.matched, 3U);
  EXPECT_EQ(c.a.edges, 2U);
  EXPECT_THAT(c.assumptions, IsEmpty());
}

TEST(CompareGraphs, OtherIdsAreNoDifference) {
  const Comparison c = compare_texts(chain({0, 1, 2}), chain({0, 1, 2}, {}, 40));
  EXPECT_EQ(c.total(), 0U);
  EXPECT_EQ(c.alignment.by, AlignedBy::KernelOrdinal);
  EXPECT_EQ(c.alignment.matched, 3U);
}

TEST(CompareGraphs, OtherKernelNumbersAreARenaming) {
  const Comparison c = compare_texts(chain({0, 1, 0}), chain({7, 9, 7}));
  EXPECT_EQ(c.alignment.by, AlignedBy::TaskId);
  EXPECT_THAT(kinds_of(c), ElementsAre("kernel"));
  ASSERT_THAT(rows_of(c, DifferenceKind::Kernel), SizeIs(2));
  EXPECT_EQ(rows_of(c, DifferenceKind::Kernel)[0]["count"], 2);
  EXPECT_EQ(rows_of(c, DifferenceKind::Kernel)[0]["renamed"], true);
  // Pairs of kernels are counted under one name.
  ASSERT_THAT(c.kernel_pairs, SizeIs(2));
  EXPECT_EQ(c.kernel_pairs[0].a, c.kernel_pairs[0].b);
}

TEST(CompareGraphs, OneTaskThatRunsAnotherKernel) {
  std::vector<int> kernels(20, 0);
  kernels.back() = 1;
  std::vector<int> others = kernels;
  others[3] = 1;
  const Comparison c = compare_texts(chain(kernels), chain(others));
  EXPECT_EQ(c.alignment.by, AlignedBy::TaskId);
  ASSERT_THAT(rows_of(c, DifferenceKind::Kernel), SizeIs(1));
  EXPECT_EQ(rows_of(c, DifferenceKind::Kernel)[0]["first"]["task"], "3");
  EXPECT_EQ(count_of(c, DifferenceKind::TaskCount), 2U);
  EXPECT_EQ(count_of(c, DifferenceKind::Pair), 0U);
}

/// Ids behind an inserted task mean other tasks; what the tasks look like tells which one is new.
TEST(CompareGraphs, ATaskInsertedInTheMiddle) {
  const Comparison c = compare_texts(chain({0, 1, 0, 2, 0}), chain({0, 1, 3, 0, 2, 0}));
  EXPECT_EQ(c.alignment.by, AlignedBy::KernelOrdinal);
  EXPECT_EQ(c.alignment.matched, 5U);
  EXPECT_EQ(c.alignment.only_a, 0U);
  EXPECT_EQ(c.alignment.only_b, 1U);
  ASSERT_THAT(rows_of(c, DifferenceKind::Task), SizeIs(1));
  EXPECT_EQ(rows_of(c, DifferenceKind::Task)[0]["first"]["task"], "2");
  EXPECT_EQ(rows_of(c, DifferenceKind::Task)[0]["only_in"], "b");
  // 1 -> 0 became 1 -> 3 -> 0.
  EXPECT_EQ(count_of(c, DifferenceKind::Pair), 3U);
}

TEST(CompareGraphs, ATaskOfTheSameKernelInsertedInTheMiddle) {
  const Comparison c = compare_texts(chain({0, 0, 0, 0}, {16, 32, 48, 64}), chain({0, 0, 0, 0, 0}, {16, 32, 99, 48, 64}));
  EXPECT_EQ(c.alignment.by, AlignedBy::KernelOrdinal);
  ASSERT_THAT(rows_of(c, DifferenceKind::Task), SizeIs(1));
  EXPECT_EQ(rows_of(c, DifferenceKind::Task)[0]["first"]["task"], "2");
  EXPECT_EQ(count_of(c, DifferenceKind::Argument), 0U);
}

TEST(CompareGraphs, ATaskAddedAtTheEndLeavesIdsAsTheyWere) {
  const Comparison c = compare_texts(chain({0, 1, 2}), chain({0, 1, 2, 2}));
  EXPECT_EQ(c.alignment.by, AlignedBy::TaskId);
  EXPECT_EQ(c.alignment.only_b, 1U);
  EXPECT_THAT(kinds_of(c), ElementsAre("task_count", "task", "edges", "pair"));
}

TEST(CompareGraphs, AnEmptyGraph) {
  const std::string empty = deps_file({}, {}, {});
  EXPECT_EQ(compare_texts(empty, empty).total(), 0U);
  const Comparison c = compare_texts(empty, chain({0}));
  EXPECT_EQ(c.alignment.only_b, 1U);
  EXPECT_THAT(kinds_of(c), ElementsAre("task_count", "task"));
}

/// Without an id in common an allocation is told by who reads it.
TEST(CompareGraphs, AllocationsAreToldByTheirReaders) {
  const auto file = [](const std::string& x, const std::string& y, const std::string& first, const std::string& second) {
    return deps_file({deps_task(first, 0, {deps_arg(0, "INPUT", "1")}), deps_task(second, 1, {deps_arg(0, "INPUT", "2")})},
                     {deps_tensor("1", "64"), deps_tensor("2", "128")},
                     {deps_creator(x, first, 0, "1"), deps_creator(y, second, 0, "2")});
  };
  // In b the two allocations come the other way round.
  const Comparison c = compare_texts(file("0", "1", "2", "3"), file("21", "20", "22", "23"));
  EXPECT_EQ(c.alignment.by, AlignedBy::KernelOrdinal);
  EXPECT_EQ(c.alignment.matched, 4U);
  EXPECT_EQ(c.total(), 0U);
}

// ---------------------------------------------------------------- edges

TEST(CompareGraphs, EdgesOfOneSide) {
  const std::vector<std::string> tasks{deps_task("0", 0), deps_task("1", 1), deps_task("2", 1)};
  const Comparison c = compare_texts(deps_file(tasks, {}, {deps_explicit("0", "1"), deps_explicit("1", "2")}),
                                     deps_file(tasks, {}, {deps_explicit("0", "1"), deps_explicit("0", "2")}));
  EXPECT_THAT(kinds_of(c), ElementsAre("edges", "pair"));
  const auto edges = rows_of(c, DifferenceKind::Edges);
  ASSERT_THAT(edges, SizeIs(1));
  EXPECT_EQ(edges[0]["count"], 2);
  EXPECT_EQ(edges[0]["a"], 2);
  const auto pairs = rows_of(c, DifferenceKind::Pair);
  ASSERT_THAT(pairs, SizeIs(2));
  EXPECT_EQ(pairs[0]["first"]["task"], "0");
  EXPECT_TRUE(pairs[0]["a"].is_null());
  EXPECT_EQ(pairs[0]["b"], (nlohmann::json{"wait", "retain"}));
  EXPECT_EQ(pairs[1]["first"]["task"], "1");
  EXPECT_TRUE(pairs[1]["b"].is_null());
  ASSERT_THAT(c.kernel_pairs, SizeIs(2));
  EXPECT_EQ(c.kernel_pairs[0].a + c.kernel_pairs[1].a, 2U);
}

TEST(CompareGraphs, EqualEdgeSetsAreInformation) {
  const Comparison c = compare_texts(chain({0, 1}), chain({0, 1}));
  EXPECT_EQ(count_of(c, DifferenceKind::Edges), 0U);
  const auto rows = rows_of(c, DifferenceKind::Edges, Severity::Info);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0]["count"], 0);
}

TEST(CompareGraphs, AssumedRetainIsSaid) {
  const std::vector<std::string> tasks{deps_task("0", 0, {deps_arg(0, "INOUT", "5")}),
                                       deps_task("1", 1, {deps_arg(0, "INPUT", "5")})};
  const std::vector<std::string> tensors{deps_tensor("5", "4096")};
  const std::string plain = deps_file(tasks, tensors, {deps_hit("0", "1", 0, "5")});
  const std::string asked = deps_file(tasks, tensors, {deps_explicit("0", "1"), deps_hit("0", "1", 0, "5")});
  const Comparison c = compare_texts(plain, asked);
  EXPECT_THAT(kinds_of(c), ElementsAre("flags", "provenance"));
  const auto flags = rows_of(c, DifferenceKind::Flags)[0];
  EXPECT_EQ(flags["a"], nlohmann::json{"wait"});
  EXPECT_EQ(flags["b"], (nlohmann::json{"wait", "retain"}));
  EXPECT_EQ(flags["assumed_b"], nlohmann::json{"retain"});
  EXPECT_FALSE(flags.contains("assumed_a"));
  ASSERT_THAT(c.assumptions, SizeIs(1));
  EXPECT_EQ(c.assumptions[0].side, 'b');
  EXPECT_EQ(c.assumptions[0].equal, 0U);
  EXPECT_EQ(c.assumptions[0].differs, 1U);

  const Comparison equal = compare_texts(asked, asked);
  EXPECT_EQ(equal.total(), 0U);
  ASSERT_THAT(equal.assumptions, SizeIs(2));
  EXPECT_EQ(equal.assumptions[0].equal, 1U);
  EXPECT_THAT(comparison_text(equal, false), HasSubstr("no difference in what both can tell"));
}

TEST(CompareGraphs, FlagsThatAFileDoesNotSayNeverCountAsEqualInSilence) {
  const std::string now = chain({0, 1, 2});
  std::string old = now;
  for (const std::string flags = "\"flags\":[\"wait\"],"; old.find(flags) != std::string::npos;)
    old.erase(old.find(flags), flags.size());
  const Comparison c = compare_texts(now, old);
  EXPECT_EQ(c.total(), 0U);
  ASSERT_THAT(c.assumptions, SizeIs(1));
  EXPECT_EQ(c.assumptions[0].what, "flags");
  EXPECT_EQ(c.assumptions[0].equal, 2U);
}

TEST(CompareGraphs, VersionOneHasEdgesOnly) {
  const Comparison c = compare_texts(chain({0, 1, 2}), R"({"version":1,"edges":[[0,1],[1,2]]})");
  EXPECT_EQ(c.alignment.by, AlignedBy::TaskId);
  EXPECT_EQ(c.alignment.matched, 3U);
  EXPECT_THAT(kinds_of(c), ElementsAre("flags"));  // wait against an assumed wait+retain
  EXPECT_EQ(rows_of(c, DifferenceKind::Flags)[0]["assumed_b"], (nlohmann::json{"wait", "retain"}));
  std::string gaps;
  for (const Comparison::Gap& gap : c.gaps) gaps += gap.what + " ";
  EXPECT_EQ(gaps, "kernel task block_num early_dispatch argument final_flags provenance ");
  // The side that knows its kernels names those of the other.
  for (const Comparison::KernelPair& pair : c.kernel_pairs) EXPECT_EQ(pair.a, pair.b) << pair.first;
}

// ---------------------------------------------------------------- tasks and arguments

TEST(CompareGraphs, MovedAddressesAreNoDifference) {
  const auto file = [](const std::string& x, const std::string& y) {
    return deps_file({deps_task("0", 0, {deps_arg(0, "INPUT", x), deps_arg(1, "OUTPUT_EXISTING", y)}),
                      deps_task("1", 1, {deps_arg(0, "INPUT", y), deps_arg(1, "INOUT", x)})},
                     {deps_tensor(x, x + "000"), deps_tensor(y, y + "000")}, {deps_hit("0", "1", 0, y)});
  };
  EXPECT_EQ(compare_texts(file("1", "2"), file("8", "7")).total(), 0U);
}

TEST(CompareGraphs, AnotherBufferIsADifferenceUnderEveryRenaming) {
  const auto file = [](const std::string& last) {
    return deps_file({deps_task("0", 0, {deps_arg(0, "INPUT", "1")}), deps_task("1", 0, {deps_arg(0, "INPUT", "2")}),
                      deps_task("2", 0, {deps_arg(0, "INPUT", last)})},
                     {deps_tensor("1", "64"), deps_tensor("2", "128")}, {});
  };
  const Comparison c = compare_texts(file("1"), file("2"));
  ASSERT_THAT(rows_of(c, DifferenceKind::Argument), SizeIs(1));
  const auto row = rows_of(c, DifferenceKind::Argument)[0];
  EXPECT_EQ(row["aspect"], "buffer");
  EXPECT_EQ(row["call"]["task"], "2");
  EXPECT_EQ(row["argument"], 0);
}

TEST(CompareGraphs, ArgumentsOfTasks) {
  const auto file = [](const std::vector<std::string>& args, int blocks, const std::string& scope) {
    return deps_file({deps_task("0", 0, args, scope, blocks), deps_task("1", 0, args, scope, blocks)},
                     {deps_tensor("1", "64"), deps_tensor("2", "128")}, {});
  };
  const std::vector<std::string> base{deps_arg(0, "INPUT", "1"), deps_arg(1, "INOUT", "2")};
  const auto aspects = [&](const std::vector<std::string>& args) {
    const Comparison c = compare_texts(file(base, 1, "auto"), file(args, 1, "auto"));
    std::string out;
    for (const auto& row : rows_of(c, DifferenceKind::Argument)) {
      EXPECT_EQ(row["count"], 2);  // both tasks, in one row
      out += row["aspect"].get<std::string>() + " ";
    }
    for (const auto& row : rows_of(c, DifferenceKind::Direction))
      out += row["a"].get<std::string>() + "|" + row["b"].get<std::string>() + " ";
    return out;
  };
  EXPECT_EQ(aspects(base), "");
  EXPECT_EQ(aspects({deps_arg(0, "INPUT", "1", 32), deps_arg(1, "INOUT", "2")}), "shape ");
  EXPECT_EQ(aspects({deps_arg(0, "INPUT", "1", 64, 8), deps_arg(1, "INOUT", "2")}), "start_offset ");
  EXPECT_EQ(aspects({deps_arg(0, "INPUT", "1"), deps_arg(1, "OUTPUT_EXISTING", "2")}), "inout|output_existing ");
  EXPECT_EQ(aspects({deps_arg(0, "INPUT", "1")}), "count ");

  const Comparison other = compare_texts(file(base, 1, "auto"), file(base, 4, "manual"));
  EXPECT_THAT(kinds_of(other), ElementsAre("scope", "block_num"));
  EXPECT_EQ(rows_of(other, DifferenceKind::Scope)[0]["b"], "MANUAL");
  EXPECT_EQ(rows_of(other, DifferenceKind::BlockNum)[0]["count"], 2);
  EXPECT_EQ(count_of(other, DifferenceKind::BlockNum), 2U);
}

// ---------------------------------------------------------------- options of a comparison

TEST(CompareOptionsTest, KindsCanBeLeftOutAndRowsLimited) {
  CompareOptions options;
  options.ignored[static_cast<std::size_t>(DifferenceKind::Pair)] = true;
  options.ignored[static_cast<std::size_t>(DifferenceKind::Edges)] = true;
  const std::string a = chain({0, 1, 2});
  const std::string b = deps_file({deps_task("0", 0, {deps_arg(0, "INOUT", "5")}), deps_task("1", 1, {deps_arg(0, "INOUT", "5")}),
                                   deps_task("2", 2, {deps_arg(0, "INOUT", "5")})},
                                  {deps_tensor("5", "4096")}, {});
  EXPECT_EQ(compare_texts(a, b, options).total(), 0U);
  options = {};
  options.max_listed = 1;
  const Comparison c = compare_texts(a, b, options);
  EXPECT_EQ(count_of(c, DifferenceKind::Pair), 2U);
  EXPECT_THAT(rows_of(c, DifferenceKind::Pair), SizeIs(1));
  EXPECT_THAT(comparison_text(c, false),
              HasSubstr("Edges without counterpart: 2\n  kernel -1/0/-1 #0 (t0) -> kernel -1/1/-1 #0 (t1): only "
                        "in a (wait, tensormap)\n  … and 1 more\n"));
}

TEST(CompareOptionsTest, ThresholdsOfNumbers) {
  CompareOptions options;
  options.thresholds[static_cast<std::size_t>(DifferenceKind::TaskCount)] = {.least = 50, .percent = true};
  options.ignored[static_cast<std::size_t>(DifferenceKind::Task)] = true;
  const std::string five =
      deps_file({deps_task("0", 0), deps_task("1", 0), deps_task("2", 0), deps_task("3", 0), deps_task("4", 0)}, {}, {});
  const std::string two = deps_file({deps_task("0", 0), deps_task("1", 0)}, {}, {});
  const std::string four = deps_file({deps_task("0", 0), deps_task("1", 0), deps_task("2", 0), deps_task("3", 0)}, {}, {});
  EXPECT_EQ(count_of(compare_texts(five, two, options), DifferenceKind::TaskCount), 2U);
  const Comparison c = compare_texts(five, four, options);
  EXPECT_EQ(c.total(), 0U);
  EXPECT_EQ(c.counts[static_cast<std::size_t>(DifferenceKind::TaskCount)].within_threshold, 2U);
  EXPECT_THAT(comparison_text(c, false), HasSubstr("2 below the threshold"));
}

// ---------------------------------------------------------------- runs of the model

/// Tasks of one ring in a scope; what waits for what, and how, is given.
struct Link {
  std::size_t from, to;
  std::uint8_t flags;
};

Recording run_of(std::size_t tasks, const std::vector<Link>& links, runtime::ModelOptions options = {}) {
  Recording r;
  recording::RuntimeRecorder recorder(r);
  runtime::Model model(options, recorder);
  std::vector<runtime::TaskId> ids;
  for (std::size_t i = 0; i < tasks; ++i) {
    runtime::Submission s;
    s.callee = r.strings.add("k" + std::to_string(i));
    s.kernel_ids = {-1, static_cast<std::int32_t>(i), -1};
    for (const Link& link : links) {
      if (link.to == i) s.deps.push_back({ids[link.from], link.flags, runtime::kUser});
    }
    ids.push_back(model.submit(s).id);
  }
  model.finish();
  return r;
}

TEST(CompareRuns, FinalFlagsNameTheWitness) {
  const std::vector<Link> links{{0, 1, runtime::kWaitRetain}, {1, 2, runtime::kWaitRetain}, {0, 2, runtime::kWaitRetain}};
  runtime::ModelOptions reduced;
  reduced.reduction.kind = runtime::ReductionKind::Exact;
  const Comparison c = compare(run_of(3, links), run_of(3, links, reduced));
  EXPECT_THAT(kinds_of(c), ElementsAre("final_flags"));
  const auto row = rows_of(c, DifferenceKind::FinalFlags)[0];
  EXPECT_EQ(row["a"], (nlohmann::json{"wait", "retain"}));
  EXPECT_EQ(row["b"], nlohmann::json{"retain"});
  EXPECT_EQ(row["via_b"]["callee"], "k1");
  EXPECT_FALSE(row.contains("via_a"));
}

TEST(CompareRuns, CompletionOrderAndLifetimes) {
  const Recording a = run_of(3, {{0, 1, runtime::kWait}, {1, 2, runtime::kWait}});
  const Recording b = run_of(3, {{0, 1, runtime::kWaitRetain}, {0, 2, runtime::kWait}});
  const Comparison c = compare(a, b);
  // k2 no longer waits for k1: they complete at one time, which is no order. k1 keeps the slot of k0.
  EXPECT_EQ(count_of(c, DifferenceKind::CompletionOrder), 0U);
  ASSERT_THAT(rows_of(c, DifferenceKind::Lifetime), SizeIs(1));
  const auto row = rows_of(c, DifferenceKind::Lifetime)[0];
  EXPECT_EQ(row["first"]["callee"], "k0");
  EXPECT_EQ(row["a"], "until it is done itself");
  EXPECT_EQ(row["b"], "until k1 #0 (t1) is done");

  // k2 before k1, and k1 before k2.
  const Comparison turned = compare(run_of(3, {{0, 1, runtime::kWait}}), run_of(3, {{0, 2, runtime::kWait}}));
  ASSERT_THAT(rows_of(turned, DifferenceKind::CompletionOrder), SizeIs(1));
  EXPECT_EQ(rows_of(turned, DifferenceKind::CompletionOrder)[0]["count"], 1);
}

TEST(CompareRuns, MovedTasksAreAsFewAsPossible) {
  // Four tasks one after another in a; in b the first is the last.
  const Recording a = run_of(4, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}});
  Recording b = a;
  std::vector<std::uint32_t> completions;
  for (std::uint32_t e = 0; e < b.events.rows(); ++e) {
    if (static_cast<runtime::EventKind>(b.events.kind[e]) == runtime::EventKind::Complete) completions.push_back(e);
  }
  ASSERT_EQ(completions.size(), 4U);
  const std::uint32_t first = b.events.subject[completions[0]];
  for (std::size_t i = 0; i < 3; ++i) b.events.subject[completions[i]] = b.events.subject[completions[i + 1]];
  b.events.subject[completions[3]] = first;
  const Comparison c = compare(a, b);
  EXPECT_EQ(count_of(c, DifferenceKind::CompletionOrder), 1U);
  EXPECT_EQ(rows_of(c, DifferenceKind::CompletionOrder)[0]["first"]["callee"], "k0");
}

TEST(CompareRuns, Resources) {
  const Comparison c = compare(run_of(3, {}), run_of(2, {}));
  const auto rows = rows_of(c, DifferenceKind::Resources);
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0]["resource"], "tasks");
  EXPECT_EQ(rows[0]["ring"], 0);
  EXPECT_EQ(rows[0]["a"], 3);
  EXPECT_EQ(rows[0]["b"], 2);
}

/// A recording and its own deps.json: nothing differs, and what the file cannot know is named.
TEST(CompareRuns, ARecordingAndItsExport) {
  const Recording a = run_of(4, {{0, 1, runtime::kWaitRetain}, {1, 2, runtime::kWaitRetain}, {0, 3, runtime::kWaitRetain}});
  const Recording b = read_deps(deps_json(a, DepsSchema::Upstream)).recording;
  for (const Comparison& c : {compare(a, b), compare(b, a)}) {
    EXPECT_EQ(c.total(), 0U) << comparison_text(c, true);
    EXPECT_EQ(c.alignment.by, AlignedBy::TaskId);
    ASSERT_THAT(c.assumptions, SizeIs(1));
    EXPECT_EQ(c.assumptions[0].what, "retain");
    const std::string text = comparison_text(c, false);
    EXPECT_THAT(text, HasSubstr("not compared: completion_order, lifetime, resources"));
    EXPECT_THAT(text, HasSubstr("not compared: final_flags"));
    for (const Comparison::KernelPair& pair : c.kernel_pairs) EXPECT_THAT(pair.first, HasSubstr("k"));
  }
}

TEST(CompareOutput, TextFitsIntoAHundredColumns) {
  const Comparison c = compare(run_of(3, {{0, 1, 1}, {1, 2, 1}}), run_of(3, {{0, 1, 3}}));
  const std::string text = comparison_text(c, true);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_LE(end - at, 100U) << text.substr(at, end - at);
    at = end + 1;
  }
  EXPECT_THAT(text, HasSubstr("  k1 -> k2:       1 -> 0\n"));
}

TEST(CompareOutput, JsonHasTheContractsKeys) {
  const Comparison c = compare_texts(chain({0, 0}), deps_file({deps_task("0", 0), deps_task("1", 0)}, {}, {}));
  const auto object = nlohmann::json::parse(comparison_json(c, false));
  EXPECT_EQ(object["schema"], "depscope.diff/1");
  EXPECT_EQ(object["alignment"], (nlohmann::json{{"by", "task_id"}, {"matched", 2}, {"only_a", 0}, {"only_b", 0}}));
  ASSERT_EQ(object["edges_by_kernel_pair"].size(), 1U);
  EXPECT_EQ(object["edges_by_kernel_pair"][0]["a"], 1);
  EXPECT_EQ(object["edges_by_kernel_pair"][0]["b"], 0);
  for (const auto& finding : object["findings"]) {
    EXPECT_EQ(finding["kind"], "difference");
    EXPECT_EQ(finding["severity"], "warning");
    EXPECT_TRUE(finding["summary"].is_string());
    EXPECT_TRUE(finding["what"].is_string());
  }
  EXPECT_EQ(object["totals"]["pair"]["differences"], 1);
  EXPECT_THAT(comparison_text(c, false), HasSubstr("  self-chain of kernel -1/0/-1:       1 -> 0\n"));
}

}  // namespace
}  // namespace depscope::replay
