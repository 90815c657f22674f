// The attribute dep_flags: one word for each entry of deps=, through reading and printing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "depscope/ir/dep_flags.h"
#include "ir_text.h"

namespace depscope::ir::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kTwo = "y, t = pl.submit(self.fill, x, y)\ny, u = pl.submit(self.fill, x, y)\n";
const std::string kArray = "tids = pl.array.create(4, pl.TASK_ID)\n";

/// What stands behind the arguments of the last launch of the printed body.
std::string printed_deps(const std::string& body) {
  const std::string printed = printed_body(body);
  const std::size_t at = printed.rfind("deps=");
  return at == std::string::npos ? "" : printed.substr(at, printed.find('\n', at) - at);
}

TEST(DependencyFlags, WordsAndBits) {
  for (std::uint8_t flags = 0; flags < 4; ++flags) EXPECT_EQ(dep_flags_from_word(dep_flags_word(flags)), flags);
  EXPECT_EQ(dep_flags_word(kDepWait), "wait");
  EXPECT_EQ(dep_flags_word(0), "none");
  for (const char* wrong : {"", "Wait", "retain|wait", "wait|", "hold"}) EXPECT_FALSE(dep_flags_from_word(wrong)) << wrong;
}

TEST(DependencyFlags, PrintBackWhereTheyStood) {
  EXPECT_EQ(
      printed_deps(kTwo + "r = pl.submit(self.fill, x, y, deps=[t, u], attrs={\"a\": 1, \"dep_flags\": [\"wait\", \"none\"], "
                          "\"b\": 2})"),
      "deps=[t, u], attrs={\"a\": 1, \"dep_flags\": [\"wait\", \"none\"], \"b\": 2})");
  EXPECT_EQ(printed_deps(kTwo + "r = pl.submit(self.fill, x, y, attrs={'dep_flags': ['wait|retain', 'retain']}, deps=[t, u])"),
            "deps=[t, u], attrs={\"dep_flags\": [\"wait|retain\", \"retain\"]})");
  EXPECT_EQ(printed_deps(kTwo + "v = pl.system.task_dummy(deps=[t], attrs={\"dep_flags\": [\"wait\"]})"),
            "deps=[t], attrs={\"dep_flags\": [\"wait\"]})");
  const ReadResult result = read(orchestration(
      kArray + kTwo +
      "r = pl.submit(self.fill, x, y, deps=[t, tids[n], u], attrs={\"dep_flags\": [\"wait\", \"retain\", \"wait\"]})"));
  EXPECT_EQ(round_trip_fault(result), "");
}

TEST(DependencyFlags, EntriesThatAreNoTaskTakeTheirFlagsWithThem) {
  EXPECT_EQ(
      printed_deps(kTwo + "r = pl.submit(self.fill, x, y, deps=[None, t, None, u], attrs={\"dep_flags\": [\"none\", \"wait\", "
                          "\"none\", \"retain\"]})"),
      "deps=[t, u], attrs={\"dep_flags\": [\"wait\", \"retain\"]})");
  EXPECT_EQ(printed_body("r = pl.submit(self.fill, x, y, deps=[None], attrs={\"dep_flags\": [\"wait\"]})").find("\"wait\""),
            std::string::npos);
}

TEST(DependencyFlags, ElementsShareAnArrayForEachOfTheFlags) {
  EXPECT_EQ(printed_deps(kArray + "r = pl.submit(self.fill, x, y, deps=[tids[0], tids[1]], attrs={\"dep_flags\": [\"wait\", "
                                  "\"wait\"]})"),
            "deps=[_submit_deps_buf_2], attrs={\"dep_flags\": [\"wait\"]})");
  const std::string mixed = kArray +
                            "r = pl.submit(self.fill, x, y, deps=[tids[0], tids[1], tids[2]], attrs={\"dep_flags\": "
                            "[\"wait\", \"retain\", \"wait\"]})";
  EXPECT_EQ(printed_deps(mixed), "deps=[_submit_deps_buf_2, _submit_deps_buf_4], attrs={\"dep_flags\": [\"wait\", \"retain\"]})");
  EXPECT_THAT(printed_body(mixed), HasSubstr("update_element(_submit_deps_buf_1, 1, pl.array.get_element(tids, 2))"));
  EXPECT_EQ(
      printed_deps(kArray + "r = pl.submit(self.fill, x, y, deps=[tids[i] for i in range(3) if i != 1], attrs={\"dep_flags\": "
                            "[\"wait\", \"none\"]})"),
      "deps=[_submit_deps_buf_1, _submit_deps_buf_3], attrs={\"dep_flags\": [\"wait\", \"none\"]})");
}

TEST(DependencyFlags, WrongListsAreErrorsWithTheirPlace) {
  const auto error = [](const std::string& launch) { return errors(orchestration(kTwo + launch)); };
  EXPECT_THAT(error("r = pl.submit(self.fill, x, y, deps=[t, u], attrs={\"dep_flags\": [\"wait\"]})"),
              ElementsAre("15:73: dep_flags has 1 entry for 2 of deps=: it must be as long"));
  EXPECT_THAT(error("r = pl.submit(self.fill, x, y, deps=[t], attrs={\"dep_flags\": [\"wait\", \"wait\"]})"),
              ElementsAre("15:70: dep_flags has 2 entries for 1 of deps=: it must be as long"));
  EXPECT_THAT(error("r = pl.submit(self.fill, x, y, attrs={\"dep_flags\": [\"wait\"]})"),
              ElementsAre("15:60: dep_flags has 1 entry for 0 of deps=: it must be as long"));
  EXPECT_THAT(error("y = self.fill(x, y, attrs={\"dep_flags\": [\"wait\"]})"),
              ElementsAre("15:49: dep_flags has 1 entry for 0 of deps=: it must be as long"));
  EXPECT_THAT(
      error("r = pl.submit(self.fill, x, y, deps=[t, u], attrs={\"dep_flags\": [\"wait\", \"hold\"]})"),
      ElementsAre("15:82: unknown entry \"hold\" of dep_flags; allowed: \"wait\", \"wait|retain\", \"retain\", \"none\""));
  EXPECT_THAT(error("r = pl.submit(self.fill, x, y, deps=[t, u], attrs={\"dep_flags\": [\"wait\", 3]})"),
              ElementsAre(HasSubstr("an entry of dep_flags must be a string")));
  EXPECT_THAT(error("r = pl.submit(self.fill, x, y, deps=[t], attrs={\"dep_flags\": \"wait\"})"),
              ElementsAre(HasSubstr("dep_flags must be a list")));
  EXPECT_THAT(error("r = pl.submit(self.fill, x, y, attrs={\"dep_flags\": []})"), IsEmpty());
}

}  // namespace
}  // namespace depscope::ir::testing
