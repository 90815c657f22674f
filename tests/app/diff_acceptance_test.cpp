// The counts of `depscope diff` beside counts made from the two task graphs by themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "command_outcome.h"
#include "sample_files.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

using nlohmann::json;
using Pair = std::pair<std::string, std::string>;

json graph(const std::string& input, const std::vector<std::string>& options) {
  std::vector<std::string> words{"run", input, "--json"};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome o = run_words(words);
  EXPECT_EQ(o.status, kDone) << o.err;
  return json::parse(o.out);
}

/// What the command says of two sides; its exit status must fit.
json difference(const std::string& a, const std::string& b, std::vector<std::string> options) {
  options.insert(options.begin(), {"diff", a, b, "--json"});
  const Outcome o = run_words(options);
  json out = json::parse(o.out);
  bool any = false;
  for (const auto& [kind, total] : out["totals"].items()) any = any || total["differences"] > 0;
  EXPECT_EQ(o.status, any ? kFindings : kDone) << o.err;
  return out;
}

std::uint64_t total(const json& diff, const char* kind) {
  const auto found = diff["totals"].find(kind);
  return found == diff["totals"].end() ? 0 : (*found)["differences"].get<std::uint64_t>();
}

/// One value by (producer, consumer).
using ByPair = std::map<Pair, json>;
ByPair by_pair(const json& graph, const char* key) {
  ByPair out;
  for (const json& pair : graph["pairs"]) out[{pair["pred"].dump(), pair["succ"].dump()}] = pair.value(key, json());
  return out;
}

/// Pairs whose flags after reduction differ, but for those that were found with other flags and not reduced on either side.
std::uint64_t final_flags(const json& a, const json& b) {
  const ByPair found_a = by_pair(a, "flags"), found_b = by_pair(b, "flags");
  const ByPair final_b = by_pair(b, "flags_final");
  std::uint64_t out = 0;
  for (const auto& [pair, value] : by_pair(a, "flags_final")) {
    const auto other = final_b.find(pair);
    if (other == final_b.end() || other->second == value) continue;
    const bool reduced = value != found_a.at(pair) || other->second != found_b.at(pair);
    out += reduced || found_a.at(pair) == found_b.at(pair);
  }
  return out;
}

struct Counts {
  std::uint64_t only_one = 0, differs = 0;
};
Counts count(const ByPair& a, const ByPair& b) {
  Counts out;
  for (const auto& [pair, value] : a) {
    const auto found = b.find(pair);
    found == b.end() ? ++out.only_one : out.differs += found->second != value;
  }
  for (const auto& [pair, value] : b) out.only_one += a.find(pair) == a.end();
  return out;
}

struct Sides {
  const char* name;
  std::vector<std::string> a, b;
  std::vector<const char*> expected;  ///< kinds that must differ somewhere in the samples

  friend void PrintTo(const Sides& sides, std::ostream* out) { *out << sides.name; }
};

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

class DiffCounts : public ::testing::TestWithParam<Sides> {};

TEST_P(DiffCounts, OfAllSamples) {
  std::map<std::string, std::uint64_t> seen;
  for (const fs::path& sample : samples()) {
    SCOPED_TRACE(sample.string());
    const fs::path data = fs::path(DEPSCOPE_SAMPLES) / "data" / sample.filename().replace_extension(".json");
    std::vector<std::string> both;
    if (fs::exists(data)) both = {"--data", data.string()};
    std::vector<std::string> a = both, b = both;
    a.insert(a.end(), GetParam().a.begin(), GetParam().a.end());
    b.insert(b.end(), GetParam().b.begin(), GetParam().b.end());
    const json graph_a = graph(sample.string(), a);
    const json graph_b = graph(sample.string(), b);
    std::vector<std::string> options = both;
    options.insert(options.end(), {"--a=" + joined(GetParam().a), "--b=" + joined(GetParam().b)});
    const json diff = difference(sample.string(), sample.string(), options);
    if (diff["alignment"]["by"] != "task_id") continue;  // then pairs cannot be compared by their ids
    const Counts flags = count(by_pair(graph_a, "flags"), by_pair(graph_b, "flags"));
    EXPECT_EQ(total(diff, "pair"), flags.only_one);
    EXPECT_EQ(total(diff, "flags"), flags.differs);
    EXPECT_EQ(total(diff, "final_flags"), final_flags(graph_a, graph_b));
    EXPECT_EQ(total(diff, "provenance"), count(by_pair(graph_a, "provenance"), by_pair(graph_b, "provenance")).differs);
    for (const auto& [kind, number] : diff["totals"].items()) seen[kind] += number["differences"].get<std::uint64_t>();
    ++seen["samples"];
  }
  EXPECT_GE(seen["samples"], 8U);
  for (const char* kind : GetParam().expected) EXPECT_GT(seen[kind], 0U) << kind;
}

INSTANTIATE_TEST_SUITE_P(
    Sides, DiffCounts,
    ::testing::Values(Sides{"analysis", {}, {"--analyze-auto-scopes"}, {"provenance", "fallback", "direction"}},
                      Sides{"edges", {"--edges=split"}, {"--edges=coupled"}, {"flags", "lifetime"}},
                      Sides{"reduce", {"--reduce=none"}, {"--reduce=bitmap:64"}, {"final_flags"}},
                      Sides{"platform", {"--platform=a2a3"}, {"--platform=a5"}, {}}),
    [](const auto& info) { return std::string(info.param.name); });

// ---------------------------------------------------------------- task graphs of real runs

json file_json(const fs::path& path) {
  std::ifstream in(path);
  return json::parse(in);
}

/// (producer, consumer) pairs of a deps.json, as its edges name them.
std::set<Pair> pairs_of(const json& deps) {
  std::set<Pair> out;
  for (const json& edge : deps["edges"]) {
    if (edge.is_array()) {
      out.insert({edge[0].dump(), edge[1].dump()});
    } else {
      out.insert({edge["pred"].dump(), edge["succ"].dump()});
    }
  }
  return out;
}

TEST(DiffOfRealRuns, TwoTaskGraphs) {
  const fs::path artefacts = fs::path(DEPSCOPE_SHARED) / "artefacts";
  if (!fs::is_directory(artefacts)) GTEST_SKIP() << "no artefacts here";
  const auto deps = [&](const char* run) { return (artefacts / run / "deps.json").string(); };

  // The same program on two platforms.
  const std::string a2a3 = deps("vector_example__vectorexample_default");
  const std::string a5 = deps("a5_vector_example__vectorexample_default");
  json diff = difference(a2a3, a5, {});
  EXPECT_EQ(diff["alignment"]["by"], "task_id");
  std::set<Pair> one = pairs_of(file_json(a2a3));
  std::set<Pair> two = pairs_of(file_json(a5));
  std::vector<Pair> apart;
  std::set_symmetric_difference(one.begin(), one.end(), two.begin(), two.end(), std::back_inserter(apart));
  EXPECT_EQ(total(diff, "pair"), apart.size());

  // A file with itself.
  for (const auto& entry : fs::directory_iterator(artefacts)) {
    const fs::path file = entry.path() / "deps.json";
    if (!fs::exists(file)) continue;
    diff = difference(file.string(), file.string(), {});
    for (const auto& [kind, number] : diff["totals"].items()) EXPECT_EQ(number["differences"], 0) << file << " " << kind;
  }

  // Two sizes of one workload: the smaller is a beginning of the larger.
  diff = difference(deps("dep_gen_chain__depgenchain_n_200_single_overflow"),
                    deps("dep_gen_chain__depgenchain_n_391_two_overflow"), {});
  one = pairs_of(file_json(deps("dep_gen_chain__depgenchain_n_200_single_overflow")));
  two = pairs_of(file_json(deps("dep_gen_chain__depgenchain_n_391_two_overflow")));
  EXPECT_EQ(diff["a"]["tasks"], 202);
  EXPECT_EQ(diff["b"]["tasks"], 393);
  EXPECT_EQ(diff["a"]["edges"], one.size());
  EXPECT_EQ(diff["b"]["edges"], two.size());
  EXPECT_EQ(total(diff, "task"), 191U);
}

}  // namespace
}  // namespace depscope::app
