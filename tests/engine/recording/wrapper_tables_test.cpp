#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "depscope/ir/nodes.h"
#include "recorded_case.h"

namespace depscope::recording::testing {
namespace {

using ::testing::ElementsAre;

std::vector<std::uint8_t> directions_of(const ParametersTable& t, const std::vector<std::uint8_t>& column,
                                        std::uint32_t function) {
  std::vector<std::uint8_t> out;
  for (std::uint32_t i = 0; i < t.rows(); ++i) {
    if (t.function[i] == function) out.push_back(column[i]);
  }
  return out;
}

std::uint32_t function_named(const Recording& r, std::string_view name) {
  for (std::uint32_t f = 0; f < r.functions.rows(); ++f) {
    if (r.text(r.functions.name[f]) == name) return f;
  }
  return kNoRow;
}

/// D16: the wrapper's `o` is declared In; what its body calls writes it.
TEST(WrapperTables, EffectiveSignaturesAndTheCallsInside) {
  const Recording r = record_case("p = self.grp(a, b)\nq = self.grp(p, b)", Frame::Default);
  const std::uint32_t grp = function_named(r, "grp");
  constexpr auto kIn = static_cast<std::uint8_t>(ir::ParamDirection::In);
  constexpr auto kOut = static_cast<std::uint8_t>(ir::ParamDirection::Out);
  EXPECT_THAT(directions_of(r.parameters, r.parameters.declared, grp), ElementsAre(kIn, kIn));
  EXPECT_THAT(directions_of(r.parameters, r.parameters.direction, grp), ElementsAre(kIn, kOut));
  ASSERT_EQ(r.wrapper_calls.rows(), 1U);
  EXPECT_EQ(r.wrapper_calls.function[0], grp);
  EXPECT_EQ(r.text(r.wrapper_calls.callee[0]), "map");
  ASSERT_EQ(r.wrapper_arguments.rows(), 2U);
  EXPECT_EQ(r.wrapper_arguments.direction[0], static_cast<std::uint8_t>(pass::ArgDirection::Input));
  EXPECT_EQ(r.wrapper_arguments.direction[1], static_cast<std::uint8_t>(pass::ArgDirection::OutputExisting));
  EXPECT_EQ(r.wrapper_arguments.rule[1], static_cast<std::uint8_t>(pass::DirectionRule::DefaultOut));
  EXPECT_EQ(r.wrapper_arguments.rewrite[1], static_cast<std::uint8_t>(pass::RewriteReason::PassNotRun));
  // The orchestration has its own two call sites and no others.
  ASSERT_EQ(r.call_sites.rows(), 2U);
  EXPECT_EQ(r.text(r.call_sites.callee[0]), "grp");
  EXPECT_THAT(edges_of(r), ElementsAre("1 compiler p <- 0 kept synthetic"));
}

}  // namespace
}  // namespace depscope::recording::testing
