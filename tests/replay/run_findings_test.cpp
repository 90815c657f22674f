// What the model found, as rows of the findings table: kind, severity, fields of the contract.
#include "depscope/replay/run_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model_run.h"
#include "validate.h"

namespace depscope::replay {
namespace {

using nlohmann::json;
using recording::kNoRow;
using recording::Recording;
using runtime::ErrorClass;
using runtime::Resource;
using runtime::RunFinding;
using runtime::RunFindingKind;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct Row {
  std::string kind;
  Severity severity = Severity::Info;
  std::string summary;
  json fields;
};

/// The rows, after the recording was found valid.
std::vector<Row> rows_of(const Recording& r) {
  EXPECT_NO_THROW(validate(r, "model"));
  std::vector<Row> out;
  for (std::uint32_t i = 0; i < r.findings.rows(); ++i) {
    out.push_back({std::string(r.text(r.findings.kind[i])), static_cast<Severity>(r.findings.severity[i]),
                   std::string(r.text(r.findings.summary[i])), json::parse(r.text(r.findings.fields[i]))});
  }
  return out;
}

/// fill#0, copy#0, fill#1 on ring 0.
Recording three_tasks() {
  ModelRun run;
  for (const char* callee : {"fill", "copy", "fill"}) {
    runtime::Submission s;
    s.kernel_ids = {-1, 0, -1};
    s.callee = run.r.strings.add(callee);
    run.submit(s);
  }
  return run.done();
}

const json kFill0 = {{"task", "0"}, {"callee", "fill"}, {"occurrence", 0}};
const json kCopy0 = {{"task", "1"}, {"callee", "copy"}, {"occurrence", 0}};
const json kFill1 = {{"task", "2"}, {"callee", "fill"}, {"occurrence", 1}};

Row row_of(const RunFinding& f) {
  Recording r = three_tasks();
  add_run_findings(r, {f});
  const std::vector<Row> rows = rows_of(r);
  EXPECT_EQ(rows.size(), 1U);
  return rows.empty() ? Row{} : rows[0];
}

void expect_row(const RunFinding& f, const std::string& kind, Severity severity, const json& fields) {
  const Row row = row_of(f);
  EXPECT_EQ(row.kind, kind);
  EXPECT_EQ(row.severity, severity);
  EXPECT_EQ(row.fields, fields);
  EXPECT_FALSE(row.summary.empty());
}

RunFinding found(RunFindingKind kind, std::uint32_t task, std::uint32_t other) {
  RunFinding f;
  f.kind = kind;
  f.event = 77;
  f.task = task;
  f.other = other;
  return f;
}

// ---------------------------------------------------------------- one row each

TEST(RunFindings, FlagsLost) {
  RunFinding f = found(RunFindingKind::FlagsLost, 1, 0);
  f.count = 3;
  expect_row(f, "flags_lost", Severity::Error, {{"first", kFill0}, {"second", kCopy0}, {"edges", 3}, {"event", 77}});
  EXPECT_THAT(row_of(f).summary, AllOf(HasSubstr("3 edges of copy#0"), HasSubstr("the one from fill#0 (event 77)")));
}

TEST(RunFindings, MemoryReused) {
  RunFinding f = found(RunFindingKind::BytesReused, 0, 1);
  f.head = 2;
  f.ring = 1;
  f.offset = 2048;
  expect_row(f, "memory_reused", Severity::Error,
             {{"producer", kFill0}, {"consumer", kCopy0}, {"by", kFill1}, {"ring", 1}, {"first_byte", 2048}, {"event", 77}});
}

TEST(RunFindings, WaitOnlyOnOwner) {
  expect_row(found(RunFindingKind::WaitOnlyOnOwner, 0, 1), "wait_only_on_owner", Severity::Warning,
             {{"producer", kFill0}, {"consumer", kCopy0}});
}

TEST(RunFindings, OwnSlotAlias) {
  RunFinding f = found(RunFindingKind::OwnSlotAlias, 2, 0);
  f.id = 0;
  const json fields = {{"producer", kFill0}, {"consumer", kFill1}, {"what", "handle used after its scope"}, {"hazard", "H1"}};
  expect_row(f, "lifetime", Severity::Warning, fields);
  f.other = kNoRow;
  f.id = 9;
  json without_row = fields;
  without_row["producer"] = {{"task", "9"}};
  expect_row(f, "lifetime", Severity::Warning, without_row);
}

TEST(RunFindings, HazardsOfPoolsAndReleases) {
  expect_row(found(RunFindingKind::LateRelease, 0, 1), "late_release", Severity::Error,
             {{"first", kFill0}, {"second", kCopy0}, {"event", 77}, {"hazard", "H10"}});
  RunFinding f = found(RunFindingKind::SpillOverrun, 1, kNoRow);
  f.ring = 2;
  expect_row(f, "spill_overrun", Severity::Error, {{"task", kCopy0}, {"ring", 2}, {"event", 77}, {"hazard", "H2"}});
}

TEST(RunFindings, Invariants) {
  RunFinding f = found(RunFindingKind::Invariant, 1, kNoRow);
  f.code = 14;
  f.text = "I14: bytes were handed out";
  expect_row(f, "invariant", Severity::Error, {{"number", 14}, {"event", 77}, {"task", kCopy0}});
  EXPECT_EQ(row_of(f).summary, f.text);
  f.task = kNoRow;
  expect_row(f, "invariant", Severity::Error, {{"number", 14}, {"event", 77}});
}

TEST(RunFindings, WhatTheCheckFindsItselfGetsNoRow) {
  Recording r = three_tasks();
  add_run_findings(r, {found(RunFindingKind::EarlyReclaim, 0, 1), found(RunFindingKind::NoEdgeToOwner, 0, 1),
                       found(RunFindingKind::StaleHandle, 0, 1)});
  EXPECT_TRUE(rows_of(r).empty());
}

TEST(RunFindings, Errors) {
  RunFinding f = found(RunFindingKind::Error, 1, kNoRow);
  f.code = 5;
  expect_row(f, "runtime_error", Severity::Error, {{"error_code", 5}, {"at", kCopy0}, {"event", 77}});
  EXPECT_THAT(row_of(f).summary, HasSubstr("the runtime refuses copy#0 (error 5, invalid arguments)"));
  f.code = 100;
  f.error_class = ErrorClass::S1;
  f.count = 24;
  expect_row(f, "runtime_error", Severity::Error,
             {{"error_code", 100}, {"at", kCopy0}, {"event", 77}, {"class", "running-stalled"}, {"core", 24}});
  f.error_class = ErrorClass::S4;
  expect_row(f, "runtime_error", Severity::Error,
             {{"error_code", 100}, {"at", kCopy0}, {"event", 77}, {"class", "dependency-deadlock"}});
}

TEST(RunFindings, DeadlocksSayWhatIsFull) {
  RunFinding f = found(RunFindingKind::Deadlock, 2, kNoRow);
  f.ring = 3;
  f.code = 3;
  f.error_class = ErrorClass::Structural;
  f.resource = Resource::TaskWindow;
  f.requested = 1;
  f.used = f.capacity = 3;
  f.next_index = 3;
  f.head = 0;
  f.head_state = runtime::TaskState::Completed;
  f.head_claimed = 2;
  f.head_released = 1;
  expect_row(f, "deadlock", Severity::Error,
             {{"resource", "task_window"},
              {"ring", 3},
              {"error_code", 3},
              {"at", kFill1},
              {"class", "structural"},
              {"needed", 1},
              {"requested", 1},
              {"used", 3},
              {"capacity", 3},
              {"next_index", 3},
              {"watermark", 0},
              {"event", 77},
              {"head", kFill0},
              {"head_state", "completed"},
              {"head_references_released", 1},
              {"head_references", 2},
              {"head_scope_released", false},
              {"option", "--ring-task-window"},
              {"fixes", json::array({"end the scope of fill#0 before this submit, or raise --ring-task-window"})}});
  EXPECT_THAT(row_of(f).summary,
              AllOf(HasSubstr("fill#1 waits for ever for 1 slot of the task window of ring 3: 3 of 3 in use"),
                    HasSubstr("fill#0 is the oldest task of the ring and belongs to a scope that is still open")));
}

TEST(RunFindings, EveryResourceHasTheNameOfTheContract) {
  const std::vector<std::pair<Resource, std::pair<std::string, std::string>>> names{
      {Resource::TaskWindow, {"task_window", "--ring-task-window"}},
      {Resource::Heap, {"heap", "--ring-heap"}},
      {Resource::DepPool, {"dep_pool", "--ring-dep-pool"}},
      {Resource::SpillPool, {"spill_pool", "--ring-dep-pool"}},
      {Resource::TensorMapPool, {"tensormap", ""}},
      {Resource::HostAccess, {"host_access", ""}},
      {Resource::Scope, {"scope", "--ring-task-window"}},
  };
  for (const auto& [resource, name] : names) {
    RunFinding f = found(RunFindingKind::Deadlock, 2, kNoRow);
    f.resource = resource;
    f.ring = 0;
    f.first_counted = 0;
    f.error_class = ErrorClass::Backstop;
    const Row row = row_of(f);
    EXPECT_EQ(row.fields["resource"], name.first);
    EXPECT_EQ(row.fields["class"], "backstop");
    EXPECT_EQ(row.fields.value("option", ""), name.second);
    EXPECT_FALSE(row.fields.contains("head"));
  }
}

// ---------------------------------------------------------------- the submit that got no row

RunFinding no_row(runtime::TaskKind kind) {
  RunFinding f = found(RunFindingKind::Error, kNoRow, kNoRow);
  f.code = 5;
  f.submit_kind = kind;
  return f;
}

TEST(RunFindings, ASubmitWithoutARowIsTheNextOfItsKind) {
  Recording r = three_tasks();
  RunFinding f = no_row(runtime::TaskKind::Kernel);
  f.callee = r.strings.add("fill");
  RunFinding alloc = no_row(runtime::TaskKind::Alloc);
  alloc.callee = r.strings.add("tmp__ssa_v0");
  RunFinding of_trace = no_row(runtime::TaskKind::Kernel);
  of_trace.id = 4294967297;
  add_run_findings(r, {f, alloc, no_row(runtime::TaskKind::Dummy), of_trace});
  const std::vector<Row> rows = rows_of(r);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].fields["at"], json({{"callee", "fill"}, {"occurrence", 2}}));
  EXPECT_THAT(rows[0].summary, HasSubstr("fill#2"));
  EXPECT_EQ(rows[1].fields["at"], json({{"alloc", "tmp"}, {"occurrence", 0}}));
  EXPECT_EQ(rows[2].fields["at"], json({{"dummy", 0}}));
  EXPECT_EQ(rows[3].fields["at"], json({{"task", "4294967297"}}));
}

// ---------------------------------------------------------------- limits

TEST(RunFindings, ThereIsAMostAndTheRestIsCounted) {
  Recording r = three_tasks();
  std::vector<RunFinding> all(kMaxRunFindings + 5, found(RunFindingKind::WaitOnlyOnOwner, 0, 1));
  all.insert(all.begin(), 7, found(RunFindingKind::EarlyReclaim, 0, 1));  // no rows, so they do not count
  add_run_findings(r, all);
  const std::vector<Row> rows = rows_of(r);
  ASSERT_EQ(rows.size(), kMaxRunFindings + 1);
  EXPECT_EQ(rows[kMaxRunFindings - 1].kind, "wait_only_on_owner");
  EXPECT_EQ(rows.back().kind, "run_findings");
  EXPECT_EQ(rows.back().severity, Severity::Warning);
  EXPECT_EQ(rows.back().fields, json({{"left_out", 5}, {"limit", kMaxRunFindings}}));

  Recording exact = three_tasks();
  add_run_findings(exact, std::vector<RunFinding>(kMaxRunFindings, found(RunFindingKind::WaitOnlyOnOwner, 0, 1)));
  EXPECT_EQ(exact.findings.rows(), kMaxRunFindings);
}

TEST(RunFindings, AnErrorIsNeverLeftOut) {
  Recording r = three_tasks();
  std::vector<RunFinding> all(kMaxRunFindings + 5, found(RunFindingKind::WaitOnlyOnOwner, 0, 1));
  RunFinding error = found(RunFindingKind::Deadlock, 2, kNoRow);
  error.ring = 0;
  all.push_back(error);  // what ends a run is found last
  add_run_findings(r, all);
  std::size_t deadlocks = 0;
  for (const Row& row : rows_of(r)) deadlocks += row.kind == "deadlock" ? 1 : 0;
  EXPECT_EQ(deadlocks, 1U);
}

// ---------------------------------------------------------------- deadlocks of the model itself

/// The only finding of a run that ends in an error.
json deadlock_of(ModelRun& run) {
  Recording r = run.done();
  add_run_findings(r, run.recorder.found());
  json out;
  for (const Row& row : rows_of(r)) {
    if (row.kind != "deadlock") continue;
    EXPECT_TRUE(out.is_null());
    out = row.fields;
  }
  return out;
}

void expect_deadlock(const json& got, const std::string& resource, int code, const std::string& of_class) {
  ASSERT_FALSE(got.is_null()) << resource;
  EXPECT_EQ(got["resource"], resource);
  EXPECT_EQ(got["error_code"], code);
  EXPECT_EQ(got["class"], of_class);
}

TEST(RunFindingsOfRuns, AScopeThatIsFull) {
  runtime::ModelOptions o;
  o.limits[1].task_window = 4;
  ModelRun run(o);
  run.begin(true);
  for (int i = 0; i < 4; ++i) run.task({});
  const json f = deadlock_of(run);
  expect_deadlock(f, "scope", 1, f.value("class", ""));
  EXPECT_EQ(f["ring"], 1);
  EXPECT_EQ(f["scope_mode"], "MANUAL");
  EXPECT_EQ(f["tasks_in_scope"], 3);
  EXPECT_EQ(f["limit"], 3);
  EXPECT_EQ(f["counted"].size(), 3U);
}

TEST(RunFindingsOfRuns, AWindowThatIsFull) {
  runtime::ModelOptions o;
  o.limits[3].task_window = 4;
  ModelRun run(o);
  for (int depth = 0; depth < 3; ++depth) run.begin();
  const auto head = run.task({});
  run.task({});
  run.begin();
  run.task({});
  run.task({});
  const json f = deadlock_of(run);
  expect_deadlock(f, "task_window", 3, "structural");
  EXPECT_EQ(f["ring"], 3);
  EXPECT_EQ(f["head"]["task"], std::to_string(head.id));
  EXPECT_EQ(f["used"], 3);
  EXPECT_EQ(f["head_scope_released"], false);
}

TEST(RunFindingsOfRuns, AHeapThatIsTooSmall) {
  runtime::ModelOptions o;
  o.limits[0].heap = 1024;
  ModelRun run(o);
  run.task({creates(4096)});
  const json f = deadlock_of(run);
  expect_deadlock(f, "heap", 2, "backstop");
  EXPECT_EQ(f["needed"], 4096);
  EXPECT_EQ(f["capacity"], 1024);
  EXPECT_FALSE(f.contains("head"));
}

TEST(RunFindingsOfRuns, PoolsThatAreTooSmall) {
  for (const int producers : {5, 69}) {
    runtime::ModelOptions o;
    o.limits[0].dep_pool = 4;
    ModelRun run(o);
    std::vector<runtime::ExplicitDep> deps;
    for (int i = 0; i < producers; ++i) deps.push_back(run.task({}).all());
    run.task({}, deps);
    const json f = deadlock_of(run);
    expect_deadlock(f, producers == 5 ? "dep_pool" : "spill_pool", 4, producers == 5 ? "structural" : "backstop");
    EXPECT_EQ(f["needed"], producers == 5 ? 5 : 1);
    EXPECT_EQ(f["capacity"], 4);
  }
  runtime::ModelOptions o;
  o.tensor_map_entries = 4;
  ModelRun run(o);
  for (std::uint64_t i = 0; i < 5; ++i) {
    runtime::TensorDescriptor t = creates(256).tensor;
    t.address = 4096 * (i + 1);
    t.buffer_elements = 64;
    run.task({both(t)});
  }
  const json f = deadlock_of(run);
  expect_deadlock(f, "tensormap", 11, "backstop");
  EXPECT_EQ(f["used"], 4);
  EXPECT_EQ(f["capacity"], 4);
}

TEST(RunFindingsOfRuns, AKernelThatNeverEndsAndAProgramThatGivesUp) {
  ModelRun endless;
  const auto task = endless.task({}, {}, runtime::kNeverFinishes);
  Recording r = endless.done();
  add_run_findings(r, endless.recorder.found());
  std::vector<Row> rows = rows_of(r);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].fields["error_code"], 100);
  EXPECT_EQ(rows[0].fields["class"], "running-stalled");
  EXPECT_EQ(rows[0].fields["at"]["task"], std::to_string(task.id));
  EXPECT_TRUE(rows[0].fields["core"].is_number());

  ModelRun fatal;
  fatal.task({});
  fatal.model.explicit_fatal();
  r = fatal.done();
  add_run_findings(r, fatal.recorder.found());
  rows = rows_of(r);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].kind, "runtime_error");
  EXPECT_EQ(rows[0].fields["error_code"], 9);
}

}  // namespace
}  // namespace depscope::replay
