// The casebook: what `check` must and must not say about small inputs made after bug reports (casebook, README).
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "command_outcome.h"

namespace depscope::app {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// The fields of a kind that are compared.
const std::map<std::string, std::vector<std::string>> kCompared = {
    {"missing_order", {"first", "second", "hazard", "buffer"}},
    {"false_order", {"first", "second", "buffer"}},
    {"fallback", {"function", "region_kind", "outcome", "reason", "call", "argument"}},
    {"rewrite", {"function", "call", "argument", "from", "to", "what", "array", "accepted", "rule", "first_pass"}},
    {"provenance", {"first", "second", "sources", "flags"}},
    {"user_edge_lost", {"consumer", "dep", "pass"}},
    {"lifetime", {"producer", "consumer", "what"}},
    {"deadlock",
     {"resource", "ring", "error_code", "at", "class", "head", "needed", "capacity", "scope_mode", "tasks_in_scope", "limit"}},
    {"reduction", {"algorithm", "pred", "succ", "wait_cleared", "flags_final", "via"}},
    {"input_error", {"severity", "file", "line", "column", "byte_offset", "json_path"}},
};

constexpr const char* kKept = "kept alive by RETAIN";

/// Whether what the pattern describes must be loud: memory that is kept alive is information.
bool is_alarm(const json& pattern) {
  static const std::set<std::string> alarms = {"missing_order", "false_order", "user_edge_lost", "deadlock", "lifetime"};
  return alarms.contains(pattern["kind"]) && !pattern.value("what", "").starts_with(kKept);
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string first_three_words(const std::string& text) {
  std::size_t end = 0;
  for (int words = 0; words < 3 && end != std::string::npos; ++words) end = text.find(' ', end == 0 ? 0 : end + 1);
  return text.substr(0, end);
}

std::string without_suffix(const std::string& name) { return name.substr(0, name.find("__")); }

bool same_field(const json& want, const json& got, const std::string& name) {
  static const std::set<std::string> any_of = {"reason", "ring", "error_code", "line", "column"};
  static const std::set<std::string> variables = {"argument", "buffer", "dep", "array"};
  if (any_of.contains(name) && want.is_array() && !got.is_array())
    return std::any_of(want.begin(), want.end(), [&](const json& w) { return same_field(w, got, name); });
  if (name == "hazard" && got.is_array()) return std::find(got.begin(), got.end(), want) != got.end();
  if (want.is_object() && got.is_object()) {
    // What is expected must be known; more may be.
    return std::all_of(want.items().begin(), want.items().end(), [&](const auto& item) {
      return got.contains(item.key()) && same_field(item.value(), got[item.key()], item.key());
    });
  }
  if (want.is_array() && got.is_array())
    return std::multiset<json>(want.begin(), want.end()) == std::multiset<json>(got.begin(), got.end());
  if (!want.is_string() || !got.is_string()) return want == got;
  const std::string a = want, b = got;
  if (variables.contains(name)) return without_suffix(a) == without_suffix(b);
  if (name == "what") return first_three_words(a) == first_three_words(b);
  if (name == "file") return b.ends_with(fs::path(a).filename().string());
  return lower(a) == lower(b);
}

std::vector<std::string> compared(const json& pattern) {
  std::vector<std::string> out;
  const auto known = kCompared.find(pattern["kind"].get<std::string>());
  if (known == kCompared.end()) return out;
  for (const std::string& name : known->second) {
    if (pattern.contains(name) && !pattern[name].is_null()) out.push_back(name);
  }
  return out;
}

bool agrees(const json& pattern, const json& finding) {
  if (pattern["kind"] != finding["kind"]) return false;
  for (const std::string& name : compared(pattern)) {
    if (!finding.contains(name) || !same_field(pattern[name], finding[name], name)) return false;
  }
  return true;
}

bool is_loud(const json& finding) { return finding["severity"] != "info"; }

struct Case {
  json expect;
  int status = 0;
  json findings;
  std::set<std::size_t> used;  // findings that a `must` named
  std::set<std::size_t> may;
};

void expect_said(Case& c, const json& must) {
  const std::string kind = must["kind"];
  if (kind == "clean") {
    if (!must.contains("about")) {
      EXPECT_EQ(c.status, kDone);
    }
    for (const json& f : c.findings) {
      if (!must.contains("about") || must["about"] == f["kind"]) {
        EXPECT_FALSE(is_loud(f)) << "should be clean: " << f["summary"];
      }
    }
    return;
  }
  EXPECT_FALSE(compared(must).empty()) << "compares nothing: " << must;
  bool found = false;
  for (std::size_t i = 0; i < c.findings.size(); ++i) {
    if (!agrees(must, c.findings[i]) || (is_alarm(must) && !is_loud(c.findings[i]))) continue;
    found = true;
    c.used.insert(i);
  }
  EXPECT_TRUE(found) << "missing: " << must;
  if (is_alarm(must)) {
    EXPECT_EQ(c.status, kFindings);
  }
  if (must.contains("exit_status")) {
    EXPECT_EQ(c.status, must["exit_status"]);
  }
}

void expect_not_said(const Case& c, const json& pattern) {
  const std::string kind = pattern["kind"];
  if (kind == "clean") {
    EXPECT_NE(c.status, kDone);
    return;
  }
  if (kind == "input_error" && pattern.value("exit_status", 0) == kInternalFault) {
    EXPECT_NE(c.status, kInternalFault);
    return;
  }
  const bool others = pattern.value("other_than_must", false);
  // Information is a false alarm only where the pattern says what must not be claimed.
  static const char* const kClaims[] = {"outcome", "to", "from", "first", "pred", "what", "call", "accepted"};
  const bool claims = std::any_of(std::begin(kClaims), std::end(kClaims), [&](const char* key) { return pattern.contains(key); });
  for (std::size_t i = 0; i < c.findings.size(); ++i) {
    const json& f = c.findings[i];
    if (c.used.contains(i) || c.may.contains(i)) continue;
    const bool hit = others ? f["kind"] == kind && is_loud(f) : agrees(pattern, f) && (is_loud(f) || claims);
    EXPECT_FALSE(hit) << "false alarm: " << f["summary"] << " by " << pattern;
  }
}

std::vector<std::string> arguments_of(const json& options) {
  std::vector<std::string> out;
  for (const auto& [key, value] : options.items()) {
    std::string name = "--" + key;
    std::replace(name.begin(), name.end(), '_', '-');
    if (value.is_boolean()) {
      if (value.get<bool>()) out.push_back(name);
    } else if (value.is_object()) {
      for (const auto& [of, given] : value.items()) {
        out.push_back(name);
        out.push_back(of + "=" + (given.is_string() ? given.get<std::string>() : given.dump()));
      }
    } else {
      out.push_back(name);
      out.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return out;
}

class CheckBook : public ::testing::TestWithParam<std::string> {};

TEST_P(CheckBook, SaysWhatItMustAndNothingElse) {
  const fs::path folder = fs::path(DEPSCOPE_TEST_DATA) / "book" / GetParam();
  Case c;
  c.expect = json::parse(std::ifstream(folder / "expect.json"));
  const std::string input = (folder / c.expect["input"].get<std::string>()).string();
  const std::vector<std::string> options = arguments_of(c.expect.value("options", json::object()));
  std::vector<const char*> arguments{"check", input.c_str(), "--json", "--facts"};
  for (const std::string& option : options) arguments.push_back(option.c_str());
  if (input.ends_with(".py") || input.ends_with(".trace.json")) arguments.push_back("--check-invariants");
  const Outcome o = run(arguments);
  c.status = o.status;
  c.findings = json::parse(o.out)["findings"];
  const json musts = c.expect.value("must", json::array());
  const bool reclaimed =
      std::any_of(musts.begin(), musts.end(), [](const json& m) { return m["kind"] == "lifetime" && is_alarm(m); });
  for (const json& f : c.findings) {
    // Memory that is used again too early is what some cases are about (I14).
    EXPECT_TRUE(f["kind"] != "invariant" || (reclaimed && f["number"] == 14)) << f["summary"];
  }
  for (const json& must : musts) expect_said(c, must);
  for (const json& may : c.expect.value("may", json::array())) {
    for (std::size_t i = 0; i < c.findings.size(); ++i) {
      if (agrees(may, c.findings[i])) c.may.insert(i);
    }
  }
  for (const json& pattern : c.expect.value("must_not", json::array())) expect_not_said(c, pattern);
}

std::vector<std::string> check_cases() {
  std::vector<std::string> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(DEPSCOPE_TEST_DATA) / "book")) {
    const json expect = json::parse(std::ifstream(entry.path() / "expect.json"), nullptr, false);
    if (expect.is_object() && expect["command_kind"] == "check") out.push_back(entry.path().filename());
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(CheckBookCases, AreThere) { EXPECT_GE(check_cases().size(), 39U); }

INSTANTIATE_TEST_SUITE_P(Cases, CheckBook, ::testing::ValuesIn(check_cases()), [](const auto& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace depscope::app
