// Programs that still hold device regions: said with the line and what to open instead, by `run` and by `explain`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_outcome.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kHead = R"(import pypto.language as pl


@pl.program
class Regions:
    @pl.function(type=pl.FunctionType.AIV)
    def mod(self, a: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return a

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64], pl.FP32], b: pl.Tensor[[64], pl.FP32]):
        x = self.mod(a)
)";

class DeviceRegions : public TemporaryFolder {
 protected:
  /// Findings of one kind that a command prints for a program with this region behind its first launch.
  std::vector<json> findings(const char* command, const std::string& region, const std::string& kind) const {
    const std::string path = write("regions.py", kHead + region);
    const Outcome o = run({command, path.c_str(), "--json"});
    EXPECT_EQ(o.status, kDone) << o.err;
    std::vector<json> out;
    const json object = json::parse(o.out);
    for (const json& f : object["findings"]) {
      if (f["kind"] == kind) out.push_back(f);
    }
    return out;
  }
};

struct Region {
  const char* construct;
  const char* text;
};

constexpr Region kRegions[] = {
    {"pl.at", "        with pl.at(level=pl.Level.CORE_GROUP):\n            y = pl.add(a, b)\n"},
    {"pl.at", "        with pl.at(level=pl.Level.CORE_GROUP) as t:\n            y = pl.add(a, b)\n"},
    {"pl.spmd", "        with pl.spmd(4):\n            y = self.mod(a)\n"},
    {"pl.spmd", "        for i in pl.spmd(4):\n            y = pl.add(a, b)\n"},
    {"pl.cluster", "        with pl.cluster(name_hint=\"c\"):\n            y = self.mod(a)\n"},
};

TEST_F(DeviceRegions, AreNotModelledWithLineAndAdvice) {
  for (const Region& region : kRegions) {
    for (const char* command : {"run", "explain"}) {
      const std::vector<json> found = findings(command, region.text, "not_modelled");
      ASSERT_EQ(found.size(), 1U) << region.construct << " " << command;
      EXPECT_EQ(found[0]["line"], 13) << region.construct << " " << command;
      EXPECT_THAT(found[0]["summary"].get<std::string>(), AllOf(HasSubstr(region.construct), HasSubstr("passes_dump")));
    }
  }
}

TEST_F(DeviceRegions, ARunKeepsWhatStandsInFrontOfThem) {
  for (const Region& region : kRegions) {
    const std::string path = write("regions.py", std::string(kHead) + region.text);
    const json object = json::parse(run({"run", path.c_str(), "--json"}).out);
    ASSERT_EQ(object["submissions"].size(), 1U) << region.construct;
    EXPECT_EQ(object["submissions"][0]["callee"], "mod");
    EXPECT_THAT(run({"run", path.c_str()}).out, HasSubstr(region.construct));
  }
}

TEST_F(DeviceRegions, JitFunctionsAreNotModelledEither) {
  const std::string path = write("jit.py",
                                 "import pypto.language as pl\n\n\n@pl.jit\ndef main(a: pl.Tensor, b: pl.Tensor):\n"
                                 "    a = b\n");
  for (const char* command : {"run", "explain", "check"}) {
    const Outcome o = run({command, path.c_str(), "--json"});
    EXPECT_EQ(o.status, kBadInput) << command;
    EXPECT_THAT(o.err, AllOf(HasSubstr("jit.py:5:1: not_modelled: @pl.jit"), HasSubstr("passes_dump")));
    EXPECT_EQ(json::parse(o.out)["findings"][0]["line"], 5);
  }
}

}  // namespace
}  // namespace depscope::app
