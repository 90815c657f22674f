// The example programs E1…E17 of the format's description: P-text comes back as it is, U-text as its frontend dump.
#include <gtest/gtest.h>

#include "ir_text.h"

namespace depscope::ir::testing {
namespace {

class Example : public ::testing::TestWithParam<int> {
 protected:
  static std::string text(int number) {
    return file_text(data_path("ir/e" + std::string(number < 10 ? "0" : "") + std::to_string(number) + ".py"));
  }
};

TEST_P(Example, PrintsAsItIs) {
  const std::string original = text(GetParam());
  const ReadResult result = read(original);
  ASSERT_TRUE(result.ok) << result.diagnostics.at(0).text();
  EXPECT_TRUE(result.diagnostics.empty()) << result.diagnostics.at(0).text();
  ASSERT_EQ(result.programs.size(), 1U);
  const std::string printed = print_program(result.programs[0]);
  if (GetParam() == 15 || GetParam() == 16) {
    EXPECT_EQ(token_difference(original, printed), "");  // in formatted layout
  } else {
    EXPECT_EQ(printed, original);
  }
  EXPECT_EQ(round_trip_fault(result), "");
  EXPECT_TRUE(verify(result.programs[0]).empty());
}

// E5 is U-text.
INSTANTIATE_TEST_SUITE_P(P, Example, ::testing::Values(1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17));

TEST(Examples, SugarOfE5IsE6) {
  const std::string dump = file_text(data_path("ir/e06.py"));
  const Program written = read_one(file_text(data_path("ir/e05.py")));
  EXPECT_EQ(print_program(written), dump);
  EXPECT_EQ(first_difference(written, read_one(dump)), "");
}

// The raw and the formatted layout of one program are the same program.
TEST(Examples, LayoutIsNothing) {
  for (const int number : {4, 7, 8, 10, 11, 13, 14}) {
    const std::string raw = file_text(data_path("ir/e" + std::string(number < 10 ? "0" : "") + std::to_string(number) + ".py"));
    std::string formatted;
    int open = 0;
    for (const char c : raw) {
      if (c == '(' || c == '[' || c == '{') ++open;
      if (c == ')' || c == ']' || c == '}') --open;
      formatted += c;
      if (c == ',' && open > 0) formatted += "  # why\n\n   ";
      if (c == '\n' && open == 0) formatted += "\n";
    }
    const Program a = read_one(raw);
    const Program b = read_one(formatted);
    EXPECT_EQ(first_difference(a, b), "");
    EXPECT_EQ(token_difference(raw, print_program(b)), "");
  }
}

}  // namespace
}  // namespace depscope::ir::testing
