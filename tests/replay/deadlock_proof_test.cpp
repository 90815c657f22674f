// What a stopped run's finding says of its proof, in JSON and for people.
#include "deadlock_proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "depscope/replay/check.h"
#include "depscope/replay/run_findings.h"
#include "model_run.h"

namespace depscope::replay {
namespace {

using nlohmann::json;
using recording::Recording;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Answer {
  json fields;
  std::string text;
};

/// The last finding of the run, and the whole check as text.
Answer answer(ModelRun& run) {
  Recording r = run.done();
  add_run_findings(r, run.recorder.found());
  Answer out;
  if (r.findings.rows() == 0) return out;
  out.fields = json::parse(r.text(r.findings.fields[r.findings.rows() - 1]));
  const Check check(r);
  write_check_text(check, {}, "", [&](std::string_view piece) { out.text += piece; });
  return out;
}

std::vector<std::string> texts(const json& list) {
  std::vector<std::string> out;
  for (const json& one : list) out.push_back(one["text"]);
  return out;
}

/// The event that a link or a reference names.
runtime::EventKind kind_of(const Recording& r, const json& said) {
  return static_cast<runtime::EventKind>(r.events.kind[said["event"].get<std::size_t>()]);
}

TEST(DeadlockProof, ACircleThroughAnOpenScope) {
  runtime::ModelOptions o;
  o.limits[3].task_window = 4;
  ModelRun run(o);
  for (int depth = 0; depth < 3; ++depth) run.begin();
  run.task({});
  run.task({});
  run.begin();
  run.task({});
  run.task({});
  const Answer a = answer(run);
  const json& proof = a.fields["proof"];
  EXPECT_EQ(proof["verdict"], "circle");
  EXPECT_EQ(proof["certain"], true);
  EXPECT_FALSE(proof.contains("premise"));
  EXPECT_THAT(texts(proof["links"]),
              ElementsAre("what was asked for waits for 1 slot of the task window of ring 3: 3 of 4 in use",
                          "slots come back in the order of submission, and task 12884901888 is the next of ring 3",
                          "task 12884901888 stays until its scope ends, and scope 3 (AUTO, depth 3) is open",
                          "scope 3 (AUTO, depth 3) ends only after what was asked for is submitted: a circle"));
  EXPECT_EQ(kind_of(run.r, proof["links"][1]), runtime::EventKind::Submit);
  EXPECT_EQ(kind_of(run.r, proof["links"][2]), runtime::EventKind::ScopeBegin);
  EXPECT_THAT(texts(a.fields["references"]), ElementsAre("scope 3 (AUTO, depth 3), until it ends"));
  EXPECT_THAT(a.text, HasSubstr("proof   certain: what it waits for waits for it, in every schedule\n            1. what"));
  EXPECT_THAT(a.text, HasSubstr("held by scope 3 (AUTO, depth 3), until it ends (event "));
}

TEST(DeadlockProof, ReferencesSayWhereTheyComeFrom) {
  runtime::ModelOptions o;
  o.limits[1].task_window = 8;
  ModelRun run(o);
  run.begin();
  const auto head = run.allocate(1024);
  runtime::TensorDescriptor there = creates(256).tensor;
  there.address = 4096;
  there.buffer_elements = 64;
  run.task({reads(head.output), both(there)}, {head.wait()});
  run.task({reads(head.output)});
  for (int i = 0; i < 8; ++i) run.task({});
  const Answer a = answer(run);
  EXPECT_EQ(a.fields["resource"], "scope");
  ASSERT_EQ(a.fields["references"].size(), 3U) << a.fields.dump(1);
  EXPECT_EQ(a.fields["references"][0]["kind"], "scope");
  const std::string first = a.fields["references"][1]["text"];
  EXPECT_THAT(first, HasSubstr("WAIT|RETAIN, until its release: "));
  EXPECT_THAT(first, HasSubstr(", which it owns (creator)"));
  EXPECT_THAT(first, HasSubstr("named as a dependency ("));
  EXPECT_THAT(a.fields["references"][2]["text"].get<std::string>(), Not(HasSubstr("named as a dependency")));
}

TEST(DeadlockProof, MoreThanThereIsIsCertainWhateverTheClass) {
  runtime::ModelOptions o;
  o.limits[0].heap = 1024;
  ModelRun run(o);
  run.task({creates(4096)});
  const Answer a = answer(run);
  EXPECT_EQ(a.fields["class"], "backstop");
  EXPECT_EQ(a.fields["proof"]["verdict"], "too_much");
  EXPECT_THAT(texts(a.fields["proof"]["links"]),
              ElementsAre(HasSubstr("waits for 4096 bytes of the heap of ring 0: 0 of 1024 in use"),
                          "there are 1024 in all: no task that ends gives more"));
  EXPECT_THAT(a.fields["proof"]["premise"].get<std::string>(), HasSubstr("gives up when nothing came back for 500 ms"));
  EXPECT_FALSE(a.fields.contains("references"));
}

TEST(DeadlockProof, OnlySlowNamesTheKernelAndThePremise) {
  runtime::ModelOptions o;
  o.limits[3].heap = 4096;
  ModelRun run(o);
  for (int depth = 0; depth < 4; ++depth) run.begin();
  run.task({creates(3072)}, {}, runtime::kNeverFinishes);
  run.end();
  run.task({creates(1024)});
  run.task({creates(1024)});
  const Answer a = answer(run);
  const json& proof = a.fields["proof"];
  EXPECT_EQ(proof["verdict"], "only_slow");
  EXPECT_EQ(proof["certain"], false);
  EXPECT_EQ(proof["premise"],
            "a proof needs a task at the watermark that belongs to an open scope, and there is none: a kernel has no end in this "
            "run; if it ended, the submit could go on");
  EXPECT_THAT(texts(proof["links"]).back(), HasSubstr("is on core 24, and its kernel has no end in this run"));
  EXPECT_EQ(kind_of(run.r, proof["links"].back()), runtime::EventKind::Dispatch);
  EXPECT_THAT(a.text, HasSubstr("proof   not certain: a kernel that ends would end the wait"));
  EXPECT_THAT(a.text, HasSubstr("    but     a proof needs"));
}

TEST(DeadlockProof, ARunThatTimesOutHasOneToo) {
  ModelRun run;
  run.task({}, {run.task({}, {}, runtime::kNeverFinishes).all()});
  const Answer a = answer(run);
  EXPECT_EQ(a.fields["error_code"], 100);
  EXPECT_EQ(a.fields["proof"]["verdict"], "only_slow");
  EXPECT_THAT(a.text, HasSubstr("1. task 0 is on core 24"));
}

}  // namespace
}  // namespace depscope::replay
