// Names of kernels by func id, and what a build says of its program (artefacts.md 9, 11).
#include "depscope/replay/artefacts/kernel_names.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "depscope/replay/artefacts/build_metadata.h"

namespace depscope::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kSamples = DEPSCOPE_TEST_DATA "/artefacts/";

SourceFile sample(const std::string& name) { return SourceFile::read(kSamples + name, kMaxNamesBytes); }

std::vector<std::string> listed(const KernelNames& names) {
  std::vector<std::string> out;
  for (const KernelName& k : names.kernels) out.push_back(fmt::format("{} {} {} {}", k.func_id, k.name, k.core_type, k.source));
  return out;
}

KernelNames config(const std::string& text) { return read_kernel_config(SourceFile("kernel_config.py", text)); }

template <class F>
std::string error_of(F&& read) {
  try {
    read();
  } catch (const InputError& e) {
    return e.diagnostics().front().headline();
  }
  return "none";
}

TEST(NameMap, OfTheToolChainAndFlat) {
  const KernelNames names = read_name_map(sample("l2_levels/level1/name_map.json"));
  EXPECT_EQ(names.level, 2U);
  EXPECT_EQ(names.orchestrator, "demo_graph");
  EXPECT_THAT(listed(names), ElementsAre("0 mm  ", "1 vexp  ", "2 attn_aic  ", "3 attn_aiv  ", "4 vadd  "));
  EXPECT_EQ(names.name_of(3), "attn_aiv");
  EXPECT_EQ(names.name_of(5), "");
  EXPECT_EQ(names.name_of(-1), "");
  const KernelNames flat = read_name_map(sample("legacy/v2_5col/name_map_flat.json"));
  EXPECT_THAT(listed(flat), ElementsAre("0 mm  ", "1 vexp  "));
}

TEST(NameMap, OddEntriesAreCounted) {
  const auto read = [](const std::string& text) { return read_name_map(SourceFile("name_map.json", text)); };
  const KernelNames names =
      read(R"({"callable_id_to_name":{"10":"c","2":"a","02":"b","x":"d","3":null,"-1":"e","99999999999":"f"},"level":3})");
  EXPECT_THAT(listed(names), ElementsAre("2 a  ", "10 c  "));
  EXPECT_EQ(names.twice, 1U) << "02";
  EXPECT_EQ(names.skipped, 4U);
  EXPECT_EQ(names.level, 3U);
  EXPECT_TRUE(read("{}").kernels.empty());
  EXPECT_THAT(error_of([&] { static_cast<void>(read(R"({"callable_id_to_name":[]})")); }), HasSubstr("callable_id_to_name"));
  EXPECT_THAT(error_of([&] { static_cast<void>(read(R"({"0":"mm")")); }), HasSubstr("name_map.json:1:"));
}

TEST(KernelConfig, OfABuild) {
  const KernelNames names = read_kernel_config(sample("l2_full/kernel_config.py"));
  EXPECT_EQ(names.runtime, "tensormap_and_ringbuffer");
  EXPECT_EQ(names.orchestrator, "aicpu_orchestration_entry");
  EXPECT_THAT(listed(names), ElementsAre("0 mm aic kernels/aic/mm.cpp", "1 vexp aiv kernels/aiv/vexp.cpp",
                                         "2 attn_aic aic kernels/aic/attn_aic.cpp", "3 attn_aiv aiv kernels/aiv/attn_aiv.cpp",
                                         "4 vadd aiv kernels/aiv/vadd.cpp"));
}

TEST(KernelConfig, AnyLayout) {
  const KernelNames names = config(R"py(
# {"func_id": 9, "name": "in a comment"}
DOC = """{"func_id": 8, "name": "in a string"}"""
K = [dict(a=1), {'name': 'b\'s', "signature": [_D.IN, _D.OUT], "func_id": 1,
   "extra_include_dirs": ["x", "y"], "core_type": "aiv", "nested": {"a": {"b": [3]}}}, {
   "func_id":
       0, "name": "a"   # {
}, {"func_id": -3, "name": "negative"}, {"name": "no number"}, {"func_id": x12, "name": "not a number"}]
)py");
  EXPECT_THAT(listed(names), ElementsAre("0 a  ", "1 b's aiv "));
  EXPECT_EQ(names.skipped, 3U);
}

TEST(KernelConfig, DamageIsToldWithItsPlace) {
  EXPECT_THAT(error_of([] { config("KERNELS = [\n  {\"func_id\": 0,"); }),
              HasSubstr("kernel_config.py:2:3: '{' is never closed"));
  EXPECT_THAT(error_of([] { config("a = 'b\nc'"); }), HasSubstr("kernel_config.py:1:5: this string does not end"));
  EXPECT_THAT(error_of([] { config("a = {)"); }), HasSubstr("kernel_config.py:1:6: ')' closes nothing"));
  EXPECT_THAT(error_of([] { config(std::string(300, '[')); }), HasSubstr("more than 256 brackets are open"));
  const std::string whole(sample("l2_full/kernel_config.py").text());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string what = error_of([&] { config(whole.substr(0, size)); });
    EXPECT_TRUE(what == "none" || what.find("kernel_config.py:") == 0) << what;
  }
}

TEST(KernelsText, OfATask) {
  const KernelNames names = read_name_map(sample("l2_levels/level1/name_map.json"));
  EXPECT_EQ(kernels_text(names, 0, -1, -1), "mm");
  EXPECT_EQ(kernels_text(names, 2, 3, 3), "attn_aic + attn_aiv");
  EXPECT_EQ(kernels_text(names, 0, 26, -1), "mm + func_26_aa");
  EXPECT_EQ(kernels_text(names, 25, -1, -1), "") << "no kernel of the task has a name";
  EXPECT_EQ(kernels_text(names, 0, 25, 701), "mm + func_25_z + func_701_zz");
  EXPECT_EQ(kernels_text(names, 0, 702, -1), "mm + func_702_aaa");
  EXPECT_EQ(kernels_text(names, -1, -1, -1), "");
}

TEST(BuildMetadata, ParametersPlatformAndDevices) {
  const BuildMetadata one = read_build_metadata(sample("l2_full/compiled_meta.json"));
  EXPECT_EQ(one.platform, "a2a3");
  std::vector<std::string> parameters;
  for (const BuildParameter& p : one.parameters) parameters.push_back(parameter_text(p));
  EXPECT_THAT(parameters, ElementsAre("In w fp32[256]", "Out z fp32[256]", "In scale fp32"));
  EXPECT_EQ(one.return_types, 1U);
  const BuildMetadata two = read_build_metadata(sample("l3_two_ranks/distributed_meta.json"));
  EXPECT_EQ(two.schema, 2U);
  EXPECT_THAT(two.device_ids, ElementsAre(0U, 1U));
  EXPECT_EQ(two.runtime, "tensormap_and_ringbuffer");
  EXPECT_EQ(parameter_text(two.parameters.at(1)), "InOut z fp32[2, 256]");
  const auto read = [](const std::string& text) { return read_build_metadata(SourceFile("compiled_meta.json", text)); };
  EXPECT_EQ(parameter_text(
                read(R"({"schema":1,"params":[{"name":"a","direction":"In","shape":[-1,2],"dtype":"bool"}]})").parameters[0]),
            "In a bool[?, 2]");
  EXPECT_THAT(error_of([&] { static_cast<void>(read("{}")); }), HasSubstr("has no \"schema\""));
  EXPECT_THAT(error_of([&] { static_cast<void>(read(R"({"schema":3})")); }), HasSubstr("schema"));
  EXPECT_THAT(error_of([&] { static_cast<void>(read(R"({"schema":1,"params":[{"direction":"Inn"}]})")); }),
              HasSubstr("params[0].direction"));
}

}  // namespace
}  // namespace depscope::replay
