// SARIF logs: their exact text, names that need care, and what keeps a fingerprint the same (SARIF 2.1.0).
#include "depscope/replay/sarif.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace depscope::replay {
namespace {

using nlohmann::json;

CheckFinding finding(std::string_view kind, Severity severity, std::string summary, std::string fields, std::uint32_t line = 0) {
  CheckFinding out;
  out.kind = kind;
  out.severity = severity;
  out.summary = std::move(summary);
  out.fields = std::move(fields);
  out.line = line;
  return out;
}

std::string log_of(const std::vector<CheckFinding>& findings, std::string_view input = "a.py",
                   const std::vector<CheckMember>& members = {}) {
  std::string out;
  const FindingSource source = [&](const std::function<void(const CheckFinding&)>& tell) {
    for (const CheckFinding& f : findings) tell(f);
  };
  write_sarif(
      source, input, [&out](std::string_view piece) { out.append(piece); }, members);
  return out;
}

json run_of(const std::string& log) { return json::parse(log)["runs"][0]; }

/// The version of the tool stands for itself.
std::string without_version(std::string log) {
  const std::string before = R"("name":"depscope","version":")";
  const std::size_t begin = log.find(before);
  if (begin == std::string::npos) return log;
  const std::size_t end = log.find('"', begin + before.size());
  return log.replace(begin + before.size(), end - begin - before.size(), "V");
}

std::string fingerprint(std::string_view kind, const std::string& fields, std::uint32_t line = 0) {
  return run_of(log_of({finding(kind, Severity::Warning, "s", fields, line)}))["results"][0]["partialFingerprints"]["depscope/1"];
}

/// FNV-1a, where a text ends with a zero.
class Fnv {
 public:
  Fnv& text(std::string_view bytes) {
    for (const char c : std::string(bytes) + '\0') value_ = (value_ ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return *this;
  }
  [[nodiscard]] std::string hexadecimal() const {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (int shift = 60; shift >= 0; shift -= 4) out += kDigits[value_ >> static_cast<unsigned>(shift) & 15U];
    return out;
  }

 private:
  std::uint64_t value_ = 14695981039346656037ULL;
};

TEST(Sarif, ExactTextOfOneFinding) {
  const std::string fields =
      R"({"first":{"task":"1","callee":"probe","occurrence":0,"line":17},"buffer":"acc","column":5,"line":18})";
  const std::string print = Fnv()
                                .text("missing_order")
                                .text("buffer")
                                .text("acc")
                                .text("first")
                                .text("callee")
                                .text("probe")
                                .text("occurrence")
                                .text("0")
                                .hexadecimal();
  EXPECT_EQ(
      without_version(log_of({finding("missing_order", Severity::Warning, "b may overwrite acc", fields, 18)})),
      R"({
 "$schema":"https://json.schemastore.org/sarif-2.1.0.json",
 "version":"2.1.0",
 "runs":[
  {
   "tool":{"driver":{"name":"depscope","version":"V","rules":[
      {"id":"missing_order","shortDescription":{"text":"Two tasks use the same bytes, one of them writes, and nothing orders )"
      R"(them"},"defaultConfiguration":{"level":"warning"}}
     ]}},
   "invocations":[{"executionSuccessful":true}],
   "results":[
    {"ruleId":"missing_order","ruleIndex":0,"level":"warning","message":{"text":"b may overwrite acc"},"locations":[)"
      R"({"physicalLocation":{"artifactLocation":{"uri":"a.py"},"region":{"startLine":18,"startColumn":5}},)"
      R"("logicalLocations":[{"fullyQualifiedName":"probe#0","kind":"task"},{"fullyQualifiedName":"acc","kind":"variable"}]}],)"
      R"("partialFingerprints":{"depscope/1":")" +
          print + R"("},"properties":)" + fields + R"(}
   ]
  }
 ]
}
)");
}

TEST(Sarif, NothingFoundIsAWholeLog) {
  const std::string log = log_of({});
  const json run = run_of(log);
  EXPECT_EQ(run["results"], json::array());
  EXPECT_EQ(run["tool"]["driver"]["rules"], json::array());
  EXPECT_EQ(json::parse(log)["version"], "2.1.0");
}

TEST(Sarif, RulesAreKindsInOrderOfFirstUse) {
  const json run =
      run_of(log_of({finding("lifetime", Severity::Info, "a", "{}"), finding("deadlock", Severity::Error, "b", "{}"),
                     finding("lifetime", Severity::Warning, "c", "{}"), finding("odd_kind", Severity::Info, "d", "{}")}));
  const json& rules = run["tool"]["driver"]["rules"];
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_EQ(rules[0]["id"], "lifetime");
  EXPECT_EQ(rules[0]["defaultConfiguration"]["level"], "warning") << "the severest";
  EXPECT_EQ(rules[1]["id"], "deadlock");
  EXPECT_EQ(rules[1]["defaultConfiguration"]["level"], "error");
  EXPECT_EQ(rules[2]["shortDescription"]["text"], "odd kind");
  std::vector<int> indices;
  std::vector<std::string> levels;
  for (const json& result : run["results"]) {
    indices.push_back(result["ruleIndex"]);
    levels.push_back(result["level"]);
  }
  EXPECT_EQ(indices, (std::vector<int>{0, 1, 0, 2}));
  EXPECT_EQ(levels, (std::vector<std::string>{"note", "error", "warning", "note"}));
}

TEST(Sarif, OddNamesStayWhatTheyAre) {
  const std::string odd = "a \"b\"\\\n\xc3\xbc";
  const json fields{{"function", odd}, {"call", {{"callee", odd}}}, {"at", {{"dummy", 2}}}, {"head", {{"task", "7"}}}};
  const json result = run_of(log_of({finding("deadlock", Severity::Error, odd, fields.dump())}, odd))["results"][0];
  EXPECT_EQ(result["message"]["text"], odd);
  EXPECT_EQ(result["properties"], fields);
  const json& location = result["locations"][0];
  EXPECT_EQ(location["physicalLocation"]["artifactLocation"]["uri"], "a%20%22b%22%5C%0A%C3%BC");
  EXPECT_FALSE(location["physicalLocation"].contains("region"));
  std::vector<std::string> names;
  for (const json& name : location["logicalLocations"]) names.push_back(name["fullyQualifiedName"]);
  EXPECT_EQ(names, (std::vector<std::string>{"barrier 2", odd, odd, "task 7"})) << "at, call, function, head";
}

TEST(Sarif, UrisOfPaths) {
  EXPECT_EQ(artifact_uri("samples/01_vector-add.py"), "samples/01_vector-add.py");
  EXPECT_EQ(artifact_uri("./a~b.py"), "a~b.py");
  EXPECT_EQ(artifact_uri("../x:y%.py"), "../x%3Ay%25.py");
  EXPECT_EQ(artifact_uri("/tmp/a b"), "file:///tmp/a%20b");
}

TEST(Sarif, FingerprintsOutliveLinesEventsAndIds) {
  const std::string before = R"({"first":{"task":"4294967297","callee":"f","occurrence":1,"line":9},"event":17,"reused_at":4,)"
                             R"("reason":"the call in line 9","where":[{"line":9}],"buffer":"x"})";
  const std::string after = R"({"buffer":"x","first":{"task":"8589934593","callee":"f","occurrence":1,"line":12},"event":20,)"
                            R"("reused_at":5,"reason":"the call in line 12","where":[{"line":12}]})";
  EXPECT_EQ(fingerprint("lifetime", before, 9), fingerprint("lifetime", after, 12));
  EXPECT_NE(fingerprint("lifetime", before), fingerprint("deadlock", before));
  EXPECT_NE(fingerprint("lifetime", R"({"buffer":"x"})"), fingerprint("lifetime", R"({"buffer":"y"})"));
  EXPECT_NE(fingerprint("fallback", R"({"reason":"no_storage"})"), fingerprint("fallback", R"({"reason":"too_many"})"));
  EXPECT_NE(fingerprint("lifetime", R"({"first":{"task":"1"}})"), fingerprint("lifetime", R"({"first":{"task":"2"}})"))
      << "nothing but its id names this task";
}

TEST(Sarif, FindingsThatAreAlikeAreNumbered) {
  const CheckFinding one = finding("rewrite", Severity::Info, "a", R"({"buffer":"x","line":1})", 1);
  const CheckFinding other = finding("rewrite", Severity::Info, "a", R"({"buffer":"x","line":2})", 2);
  const json results = run_of(log_of({one, other, other}))["results"];
  std::vector<std::string> prints;
  for (const json& result : results) prints.push_back(result["partialFingerprints"]["depscope/1"]);
  EXPECT_EQ(prints[0], fingerprint("rewrite", one.fields));
  EXPECT_NE(prints[0], prints[1]);
  EXPECT_NE(prints[1], prints[2]);
  EXPECT_NE(prints[0], prints[2]);
}

TEST(Sarif, FieldsOfADamagedRecordingAreLeftOut) {
  for (const std::string fields : {"", "[1]", "{\"a\":", "{\"a\":\"\xff\"}", "7"}) {
    const json result = run_of(log_of({finding("lifetime", Severity::Error, "s", fields)}))["results"][0];
    EXPECT_EQ(result["properties"], json::object()) << fields;
  }
  const std::string deep = R"({"a":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  // As text: copies of such a tree would not come back.
  const std::string log = log_of({finding("lifetime", Severity::Error, "s", deep)});
  EXPECT_NE(log.find(R"("partialFingerprints":{"depscope/1":")"), std::string::npos);
  EXPECT_EQ(log.find(deep), log.find(R"("properties":)") + 13);
}

TEST(Sarif, MembersStandInThePropertiesOfTheRun) {
  EXPECT_EQ(run_of(log_of({}, "a.py", {{"sizing", R"({"rings":4})"}}))["properties"]["sizing"]["rings"], 4);
}

TEST(Sarif, ErrorsOfAnInput) {
  Diagnostic placed;
  placed.file = "b.py";
  placed.line = 4;
  placed.column = 8;
  placed.message = "a name was expected";
  Diagnostic binary;
  binary.message = "cut short";
  binary.byte_offset = 766;
  std::string out;
  write_sarif_errors({placed, binary}, "in.depscope", [&out](std::string_view piece) { out.append(piece); });
  const json run = run_of(out);
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], false);
  ASSERT_EQ(run["results"].size(), 2U);
  const json& first = run["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(first, json::parse(R"({"artifactLocation":{"uri":"b.py"},"region":{"startLine":4,"startColumn":8}})"));
  const json& second = run["results"][1]["locations"][0]["physicalLocation"];
  EXPECT_EQ(second, json::parse(R"({"artifactLocation":{"uri":"in.depscope"},"region":{"byteOffset":766,"byteLength":0}})"));
  EXPECT_EQ(run["results"][1]["ruleId"], "input_error");
  EXPECT_EQ(run["results"][1]["level"], "error");
}

}  // namespace
}  // namespace depscope::replay
