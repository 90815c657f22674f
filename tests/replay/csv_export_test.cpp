// CSV read back with Python's own reader says what the tables say.
#include "depscope/replay/csv_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "depscope/runtime/sink.h"
#include "depscope/runtime/submission.h"
#include "script_output.h"
#include "synthetic_recording.h"
#include "temporary_directory.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string csv_of(const Recording& r, std::string_view table) {
  std::string out;
  EXPECT_TRUE(write_csv(r, table, [&out](std::string_view piece) { out += piece; }));
  return out;
}

/// A text of ASCII characters as Python prints it.
std::string python_line(std::string_view text) { return "'" + std::string(text) + "'\n"; }

class CsvArchive : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_python()) GTEST_SKIP() << "python3 is not installed";
    r_ = synthetic_recording({.tasks = 300});
  }
  /// What the script says of the archive; `columns`: tables and columns in turn.
  std::string read(const std::string& columns) {
    const std::string path = directory_.file("tables.zip");
    save_csv_archive(r_, path);
    return script_output("read_csv.py", path + columns);
  }
  /// Adds a column to those that are read, with the cells that it should have.
  template <class Column, class Cell>
  void expect(const std::string& table, const std::string& column, const Column& values, Cell&& cell) {
    columns_ += " " + table + " " + column;
    expected_ += "# " + table + " " + column + "\n" + cells(values, cell);
  }
  template <class Column, class Cell>
  static std::string cells(const Column& column, Cell&& cell) {
    std::string out;
    for (const auto value : column) out += python_line(cell(value));
    return out;
  }

  TemporaryDirectory directory_;
  Recording r_;
  std::string columns_, expected_;
};

TEST_F(CsvArchive, HoldsEveryTableWithItsRowsAndColumns) {
  std::ostringstream expected;
  Recording::tables(r_, [&](std::string_view name, const auto& table) {
    std::size_t columns = 0;
    std::decay_t<decltype(table)>::columns(table, [&](std::string_view column, const auto&, recording::Target) {
      columns += column.ends_with("_begin_count") ? 0U : 1U;  // part of the cell of its run
    });
    expected << name << " " << table.rows() << " " << columns << "\n";
  });
  EXPECT_EQ(read(""), expected.str());
}

TEST_F(CsvArchive, ColumnsReadBack) {
  ASSERT_GT(r_.tasks.rows(), 0U);
  ASSERT_GT(r_.edges.rows(), 0U);
  const auto number = [](auto value) { return std::to_string(value); };
  const auto index = [](auto value) { return value == kNoRow ? std::string() : std::to_string(value); };
  const auto text = [this](auto value) { return std::string(r_.text(value)); };
  expect("tasks", "id", r_.tasks.id, number);
  expect("tasks", "callee", r_.tasks.callee, text);
  expect("tasks", "kernel_aic", r_.tasks.kernel_aic, number);
  expect("edges", "producer", r_.edges.producer, index);
  expect("edges", "via", r_.edges.via, index);
  expect("events", "new_value", r_.events.new_value, number);
  expect("events", "object", r_.events.object, index);
  expect("events", "kind", r_.events.kind,
         [](auto kind) { return std::string(runtime::event_kind_name(static_cast<runtime::EventKind>(kind))); });
  expect("edges", "flags", r_.edges.flags, [](auto flags) {
    return std::string(flags == 0 ? "none" : flags == 1 ? "wait" : flags == 2 ? "retain" : "wait|retain");
  });
  expect("tensors", "owner", r_.tensors.owner,
         [](auto owner) { return owner == runtime::kInvalidTask ? std::string() : std::to_string(owner); });
  EXPECT_EQ(read(columns_), expected_);
}

TEST_F(CsvArchive, EqualRecordingsGiveEqualBytes) {
  const std::string a = directory_.file("a.zip");
  const std::string b = directory_.file("b.zip");
  save_csv_archive(r_, a);
  save_csv_archive(synthetic_recording({.tasks = 300}), b);
  EXPECT_EQ(read_bytes(a), read_bytes(b));
}

TEST_F(CsvArchive, TextsOfEverySortReadBack) {
  const std::vector<std::string> texts{"plain", "a,b", "say \"x\"", "two\nlines", "=1+1", "+1",
                                       "-1",    "@f",  "'quoted",   "a\rb",       "",     "-"};
  r_.findings = {};
  for (const std::string& text : texts) {
    r_.findings.kind.push_back(r_.strings.add(text));
    r_.findings.severity.push_back(1);
    r_.findings.summary.push_back(0);
    r_.findings.fields.push_back(0);
    r_.findings.line.push_back(0);
  }
  expected_ =
      "# findings kind\n'plain'\n'a,b'\n'say \"x\"'\n'two\\nlines'\n'=1+1'\n'+1'\n'-1'\n'@f'\n\"'quoted\"\n'a\\rb'\n''\n'-'\n";
  columns_ = " findings kind";
  expect("findings", "severity", r_.findings.severity, [](auto) { return std::string("warning"); });
  EXPECT_EQ(read(columns_), expected_);
}

TEST(Csv, TextsThatLookLikeFormulasAreGuarded) {
  Recording r;
  for (const char* text : {"=cmd()", "-1", "'x", "=a,b", "x=1"}) {
    r.options.name.push_back(r.strings.add(text));
    r.options.value.push_back(0);
  }
  EXPECT_EQ(csv_of(r, "options"), "name,value\n'=cmd(),\n'-1,\n''x,\n\"'=a,b\",\nx=1,\n");
}

TEST(Csv, EnumerationsRunsAndMissingRows) {
  Recording r;
  r.tasks.id = {1, (std::uint64_t{2} << 32U) | 5};
  r.tasks.kind = {1, 0};
  r.tasks.callee = {0, r.strings.add("fill")};
  r.tasks.call_site = {kNoRow, 0};
  r.tasks.scope = {0, 0};
  r.tasks.flags = {0, 5};
  r.tasks.kernel_aic = {-1, 3};
  r.tasks.kernel_aiv0 = r.tasks.kernel_aiv1 = {-1, -1};
  r.tasks.block_num = {1, 8};
  r.tasks.slot = {0, 5};
  r.tasks.heap_begin = {0, 1024};
  r.tasks.heap_end = {1024, 2048};
  r.pool = {7, 0, 9, 64, 16, 16, 0, 1, 1};
  r.tasks.iteration_begin = {0, 0};
  r.tasks.iteration_begin_count = {0, 3};
  EXPECT_EQ(
      csv_of(r, "tasks"),
      "id,kind,callee,call_site,scope,flags,kernel_aic,kernel_aiv0,kernel_aiv1,block_num,slot,heap_begin,heap_end,iteration\n"
      "1,alloc,,,0,,-1,-1,-1,1,0,0,1024,\n"
      "8589934597,kernel,fill,0,0,manual_scope|sync_start,3,-1,-1,8,5,1024,2048,7 0 9\n");

  r.accesses.task = {0};
  r.accesses.arg = {2};
  r.accesses.kind = {3};
  r.accesses.tensor = {0};
  r.accesses.start_offset = {5};
  r.accesses.geometry_begin = {3};
  r.accesses.geometry_begin_count = {6};
  // Shape 64 x 16, strides 16 and 2^32 + 1.
  EXPECT_EQ(csv_of(r, "accesses"), "task,arg,kind,tensor,start_offset,geometry\n0,2,OUTPUT_EXISTING,0,5,64 16 16 4294967297\n");

  r.edges.producer = {0};
  r.edges.consumer = {1};
  r.edges.flags = {3};
  r.edges.flags_final = {2};
  r.edges.provenance = {runtime::kUser | runtime::kCompiler};
  r.edges.via = {kNoRow};
  r.edges.at_add = {1};
  r.edges.at_wiring = {2};
  EXPECT_EQ(csv_of(r, "edges"),
            "producer,consumer,flags,flags_final,provenance,via,at_add,at_wiring\n0,1,wait|retain,retain,user+compiler,,"
            "completed,gone\n");
}

TEST(Csv, NegativeNumbersAreNumbers) {
  Recording r;
  r.fences.function = {0};
  r.fences.line = {12};
  r.fences.array = {r.strings.add("tids")};
  r.fences.producers = {2};
  r.fences.consumers = {1};
  r.fences.saving = {-1};
  r.fences.accepted = {0};
  r.fences.reason = {r.strings.add("no_saving")};
  EXPECT_EQ(csv_of(r, "fences"),
            "function,line,array,producers,consumers,saving,accepted,reason\n0,12,tids,2,1,-1,0,no_saving\n");
}

TEST(Csv, UnknownTablesAreRefused) {
  const Recording r;
  EXPECT_FALSE(write_csv(r, "events2", [](std::string_view) { ADD_FAILURE(); }));
  EXPECT_THAT(csv_tables(), ::testing::IsSupersetOf({"tasks", "edges", "events", "findings"}));
  EXPECT_THAT(csv_of(r, "scopes"), StartsWith("manual,owner,depth,ring,parent\n"));
}

}  // namespace
}  // namespace depscope::replay
