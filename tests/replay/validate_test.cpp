#include "validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "depscope/replay/file.h"
#include "depscope/runtime/sink.h"
#include "synthetic_recording.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using ::testing::HasSubstr;

TEST(ValidateTest, ValidRecordingsPass) {
  EXPECT_NO_THROW(validate(Recording{}, "a.depscope"));
  EXPECT_NO_THROW(validate(synthetic_recording({.tasks = 500}), "a.depscope"));
  EXPECT_NO_THROW(validate(synthetic_recording({.tasks = 100, .in_flight = 5, .faults = true}), "a.depscope"));
  EXPECT_NO_THROW(validate(synthetic_recording({.tasks = 100, .in_flight = 5, .pins = false, .faults = true}), "a.depscope"));
}

TEST(ValidateTest, FaultsNameTableColumnAndRow) {
  using runtime::EventKind;
  const auto set_event = [](EventKind kind, auto column, auto value) {
    return [=](Recording& r) {
      for (std::uint32_t i = 0; i < r.events.rows(); ++i) {
        if (r.events.kind[i] == static_cast<std::uint8_t>(kind)) (r.events.*column)[i] = value;
      }
    };
  };
  using Events = recording::EventsTable;
  const std::vector<std::pair<std::function<void(Recording&)>, std::string>> cases{
      {[](Recording& r) { r.edges.via.pop_back(); }, "table edges, column via"},
      {[](Recording& r) { r.edges.producer[1] = 99; }, "table edges, column producer, row 1"},
      {[](Recording& r) { r.edges.consumer.back() = 0; }, "table edges, column consumer"},
      {[](Recording& r) { r.accesses.task[3] = 1; }, "table accesses, column task, row 3"},
      {[](Recording& r) { r.accesses.tensor[3] = kNoRow; }, "table accesses, column tensor, row 3"},
      {[](Recording& r) { r.tasks.callee[2] = kNoRow; }, "table tasks, column callee, row 2"},
      {[](Recording& r) { r.tasks.kind[2] = 3; }, "table tasks, column kind, row 2"},
      {[](Recording& r) { r.tasks.iteration_begin[2] = 0xfffffff0U; }, "table tasks, column iteration_begin, row 2"},
      {[](Recording& r) { r.scopes.parent[1] = 2; }, "table scopes, column parent, row 1"},
      {[](Recording& r) { r.call_sites.argument_count[1] = 2; }, "table call_sites, column argument_begin, row 1"},
      {[](Recording& r) { r.pool[r.call_sites.scope_begin[0]] = 7; }, "table call_sites, column scope_begin, row 0"},
      {[](Recording& r) { r.pool[r.call_sites.result_begin[1]] = 1000000; }, "table call_sites, column result_begin, row 1"},
      {[](Recording& r) { r.call_sites.pass_line_begin_count[0] = 1; }, "column pass_line_begin_count, row 0"},
      {[](Recording& r) { r.storage.box_begin_count[0] = 3; }, "table storage, column box_begin, row 0"},
      {[](Recording& r) { r.accesses.geometry_begin_count[0] = 18; }, "table accesses, column geometry_begin"},
      {[](Recording& r) { r.regions.outcome[0] = 9; }, "table regions, column outcome, row 0"},
      {[](Recording& r) { r.hazards.prior_storage[0] = 1; }, "table hazards, column prior_storage, row 0"},
      {[](Recording& r) { r.hazards.edge_row[0] = 1; }, "table hazards, column edge_row, row 0"},
      {[](Recording& r) { r.hazards.more_count[0] = 1; }, "table hazards, column more_begin, row 0"},
      {[](Recording& r) { r.pass_edges.more_count[0] = 1; }, "table pass_edges, column more_begin, row 0"},
      {[](Recording& r) {
         r.listed_accesses.access.push_back(2);
         r.listed_accesses.id.push_back(0);
       },
       "table listed_accesses, column access, row 0"},
      {[](Recording& r) { r.hazards.by_memref[0] = 2; }, "table hazards, column by_memref, row 0"},
      {[](Recording& r) { r.regions.offending_hazard[0] = 1; }, "table regions, column offending_hazard, row 0"},
      {[](Recording& r) { r.parameters.direction[1] = 3; }, "table parameters, column direction, row 1"},
      {[](Recording& r) { r.parameters.function[0] = kNoRow; }, "table parameters, column function"},
      {[](Recording& r) { r.wrapper_calls.function[0] = 3; }, "table wrapper_calls, column function, row 0"},
      {[](Recording& r) { r.pool[r.wrapper_calls.result_begin[0]] = 1000000; },
       "table wrapper_calls, column result_begin, row 0"},
      {[](Recording& r) { r.wrapper_arguments.call[0] = 1; }, "table wrapper_arguments, column call, row 0"},
      {[](Recording& r) { r.wrapper_arguments.rule[0] = 99; }, "table wrapper_arguments, column rule, row 0"},
      {[](Recording& r) { r.pass_accesses.call_site[1] = kNoRow; }, "table pass_accesses, column call_site, row 1"},
      {[](Recording& r) { r.pass_accesses.kind[1] = 4; }, "table pass_accesses, column kind, row 1"},
      {[](Recording& r) { r.pass_accesses.outcome[1] = 4; }, "table pass_accesses, column outcome, row 1"},
      {[](Recording& r) { r.pass_edges.consumer[0] = 2; }, "table pass_edges, column consumer, row 0"},
      {[](Recording& r) { r.pass_edges.status[0] = 4; }, "table pass_edges, column status, row 0"},
      {[](Recording& r) { r.pass_edges.stripped_by[0] = 1; }, "table pass_edges, column stripped_by, row 0"},
      {[](Recording& r) { r.rewrites_undone.argument[0] = 2; }, "table rewrites_undone, column argument, row 0"},
      {[](Recording& r) { r.rewrites_undone.to[0] = 7; }, "table rewrites_undone, column to, row 0"},
      {[](Recording& r) { r.lineage.region[0] = 1; }, "table lineage, column region, row 0"},
      {[](Recording& r) { r.lineage.what[0] = kNoRow; }, "table lineage, column what, row 0"},
      {[](Recording& r) { r.fences.accepted[0] = 2; }, "table fences, column accepted, row 0"},
      {[](Recording& r) { r.fences.saving.clear(); }, "table fences, column saving"},
      {[](Recording& r) { r.scope_decisions.scope[0] = 1; }, "table scope_decisions, column scope, row 0"},
      {[](Recording& r) { r.scope_decisions.change[0] = 4; }, "table scope_decisions, column change, row 0"},
      {[](Recording& r) { r.carries.function[0] = kNoRow; }, "table carries, column function, row 0"},
      {[](Recording& r) { r.edge_reasons.source[0] = 3; }, "table edge_reasons, column source, row 0"},
      {[](Recording& r) { r.findings.fields[0] = r.strings.add("[1]"); }, "table findings, column fields, row 0"},
      {[](Recording& r) { r.events.time[0] = 1000; }, "table events, column time, row 1"},
      {set_event(EventKind::Submit, &Events::subject, 20U), "event \"submit\""},
      {set_event(EventKind::Submit, &Events::object, 4U), "event \"submit\""},
      {set_event(EventKind::EdgeAdd, &Events::subject, 1000U), "event \"edge-add\""},
      {set_event(EventKind::ScopeBegin, &Events::subject, kNoRow), "event \"scope-begin\""},
      {set_event(EventKind::Ready, &Events::new_value, std::int64_t{6}), "table events, column new_value"},
      {set_event(EventKind::PinClaim, &Events::old_value, std::int64_t{-1}), "table events, column old_value"},
      {set_event(EventKind::Dispatch, &Events::object, 1U << 20U), "event \"dispatch\""},
      {set_event(EventKind::Config, &Events::object, 0U), "table events, column object, row 0: platform is not of a ring"},
      {set_event(EventKind::Config, &Events::object, kNoRow), "task_window has to be of a ring"},
      {[](Recording& r) { r.edges.at_add[1] = 3; }, "table edges, column at_add, row 1"},
      {[](Recording& r) { r.edges.at_wiring[1] = 3; }, "table edges, column at_wiring, row 1"},
  };
  for (const auto& [change, expected] : cases) {
    Recording broken = synthetic_recording();
    change(broken);
    try {
      validate(broken, "a.depscope");
      ADD_FAILURE() << "not seen: " << expected;
    } catch (const FileError& error) {
      EXPECT_EQ(error.fault(), FileFault::Corrupt);
      EXPECT_THAT(error.what(), HasSubstr(expected));
      EXPECT_THAT(error.what(), HasSubstr("a.depscope"));
    }
  }
}

}  // namespace
}  // namespace depscope::replay
