// `depscope export`: formats, what it refuses, and that nothing half-written stays behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "command_outcome.h"
#include "depscope/replay/csv_export.h"
#include "depscope/replay/deps_json.h"
#include "depscope/replay/file.h"
#include "depscope/replay/html_page.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kProgram = std::string(DEPSCOPE_SAMPLES) + "/08_fused_mlp_war.py";
const std::string kTrace = std::string(DEPSCOPE_SAMPLES) + "/traces/diamond.trace.json";

class ExportCommands : public TemporaryFolder {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string bytes(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }
  [[nodiscard]] Outcome save(const std::string& input, const std::string& format, const std::string& name) const {
    return run({"export", input.c_str(), "--format", format.c_str(), "-o", path(name).c_str()});
  }
};

TEST_F(ExportCommands, AProgramAndItsRecordingGiveTheSamePage) {
  ASSERT_EQ(run({"run", kProgram.c_str(), "-o", path("a.depscope").c_str()}).status, kDone);
  const Outcome o = save(kProgram, "html", "program.html");
  EXPECT_EQ(o.status, kDone);  // whatever was found
  EXPECT_EQ(o.out + o.err, "");
  ASSERT_EQ(save(path("a.depscope"), "html", "recording.html").status, kDone);
  EXPECT_EQ(bytes("program.html"), bytes("recording.html"));
  EXPECT_THAT(bytes("program.html"), AllOf(StartsWith("<!DOCTYPE html>\n"), HasSubstr("missing_order"), HasSubstr("</html>\n")));
  std::string page;
  replay::write_html_page(replay::load(path("a.depscope")), {}, [&](std::string_view piece) { page += piece; });
  EXPECT_EQ(bytes("program.html"), page);
}

TEST_F(ExportCommands, OptionsOfTheRunCount) {
  ASSERT_EQ(run({"export", kProgram.c_str(), "--format", "html", "-o", path("a.html").c_str(), "--reduce", "none"}).status,
            kDone);
  EXPECT_THAT(bytes("a.html"), HasSubstr("<code>reduce</code> none"));
}

TEST_F(ExportCommands, ATaskGraphReadsBack) {
  ASSERT_EQ(save(kTrace, "deps-json", "deps.json").status, kDone);
  const json graph = json::parse(bytes("deps.json"));
  EXPECT_EQ(graph.size(), 3U);  // upstream's keys only
  EXPECT_EQ(graph["tasks"].size(), 3U);
  EXPECT_EQ(graph["edges"].size(), 3U);
  EXPECT_TRUE(graph.contains("tensors"));
  // What it says is an input again, and comes out the same.
  ASSERT_EQ(save(path("deps.json"), "deps-json", "again.json").status, kDone);
  EXPECT_EQ(bytes("deps.json"), bytes("again.json"));
  ASSERT_EQ(run({"run", kTrace.c_str(), "-o", path("a.depscope").c_str()}).status, kDone);
  EXPECT_EQ(bytes("deps.json"), replay::deps_json(replay::load(path("a.depscope")), replay::DepsSchema::Upstream));
}

TEST_F(ExportCommands, TablesAsAnArchiveOrOneByOne) {
  ASSERT_EQ(save(kTrace, "csv", "tables.zip").status, kDone);
  EXPECT_THAT(bytes("tables.zip"), StartsWith("PK"));
  EXPECT_THAT(bytes("tables.zip"), AllOf(HasSubstr("tasks.csv"), HasSubstr("events.csv")));
  ASSERT_EQ(run({"export", kTrace.c_str(), "--format", "csv", "--table", "edges", "-o", path("edges.csv").c_str()}).status,
            kDone);
  EXPECT_EQ(bytes("edges.csv"),
            "producer,consumer,flags,flags_final,provenance,via,at_add,at_wiring\n"
            "0,1,wait|retain,wait|retain,creator,,live,live\n"
            "0,2,wait|retain,wait|retain,creator,,live,live\n"
            "1,2,wait|retain,wait|retain,creator,,live,live\n");
}

TEST_F(ExportCommands, ADeviceIsWrittenDirectly) {
  const Outcome o = run({"export", kTrace.c_str(), "--format", "csv", "--table", "options", "-o", "/dev/null"});
  EXPECT_EQ(o.status, kDone);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(ExportCommands, UsageErrors) {
  EXPECT_EQ(run({"export"}).status, kBadInput);
  EXPECT_THAT(run({"export", kTrace.c_str(), "-o", path("x").c_str()}).err, HasSubstr("--format"));
  EXPECT_THAT(run({"export", kTrace.c_str(), "--format", "html"}).err, HasSubstr("--output"));
  const Outcome format = save(kTrace, "pdf", "x");
  EXPECT_EQ(format.status, kBadInput);
  EXPECT_EQ(format.err, "depscope: error: --format pdf: no such format (formats: html, deps-json, perfetto, dot, csv)\n");
  const Outcome table = run({"export", kTrace.c_str(), "--format", "csv", "--table", "edge", "-o", path("x").c_str()});
  EXPECT_EQ(table.status, kBadInput);
  EXPECT_THAT(table.err,
              AllOf(StartsWith("depscope: error: --table edge: no such table (tables: passes, "), HasSubstr(", edges, ")));
  const Outcome of_html = run({"export", kTrace.c_str(), "--format", "html", "--table", "edges", "-o", path("x").c_str()});
  EXPECT_EQ(of_html.status, kBadInput);
  EXPECT_THAT(of_html.err, HasSubstr("--table belongs to --format csv, not to html"));
  EXPECT_THAT(run({"export", kProgram.c_str(), "--format", "html", "-o", path("x").c_str(), "--print-ir"}).err,
              HasSubstr("--print-ir belongs to 'run'"));
  EXPECT_EQ(files(), 0U);
}

TEST_F(ExportCommands, BadInputLeavesNothingBehind) {
  const std::string broken = write("broken.py", "import pypto.language as pl\n\n@pl.program\nclass A(\n");
  std::ofstream(path("old.html")) << "old";
  const Outcome text = save(broken, "html", "old.html");
  EXPECT_EQ(text.status, kBadInput);
  EXPECT_THAT(text.err, HasSubstr("broken.py:4:8:"));
  EXPECT_EQ(bytes("old.html"), "old");
  EXPECT_THAT(save(path("none.py"), "csv", "x.zip").err, HasSubstr("none.py: cannot open"));
  const Outcome folder = run({"export", kTrace.c_str(), "--format", "html", "-o", path("no/such/x.html").c_str()});
  EXPECT_EQ(folder.status, kBadInput);
  EXPECT_THAT(folder.err, HasSubstr("x.html"));
  EXPECT_EQ(files(), 2U);
}

TEST_F(ExportCommands, TheInputIsNotOverwritten) {
  ASSERT_EQ(run({"run", kTrace.c_str(), "-o", path("a.depscope").c_str()}).status, kDone);
  const std::string before = bytes("a.depscope");
  const Outcome o = save(path("a.depscope"), "csv", "a.depscope");
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err, HasSubstr("a.depscope: would overwrite the input"));
  EXPECT_EQ(bytes("a.depscope"), before);
}

TEST_F(ExportCommands, HelpNamesItsOptions) {
  const Outcome o = run({"export", "--help"});
  EXPECT_EQ(o.status, kDone);
  EXPECT_THAT(o.out,
              AllOf(HasSubstr("Usage: depscope export"), HasSubstr("--format"), HasSubstr("--table"), HasSubstr("--output")));
}

}  // namespace
}  // namespace depscope::app
