#include "compare_sequences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace depscope::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(MatchSequences, TheFirstKeyFirstThenTheSecondBetween) {
  const SequenceKeys whole{{1, 2, 3, 4}, {1, 9, 8, 4}};
  const SequenceKeys weak{{1, 7, 6, 4}, {1, 6, 5, 4}};
  EXPECT_THAT(match_sequences({whole}, Leftover::Unmatched), ElementsAre(Pair(0, 0), Pair(3, 3)));
  EXPECT_THAT(match_sequences({whole, weak}, Leftover::Unmatched), ElementsAre(Pair(0, 0), Pair(2, 1), Pair(3, 3)));
}

TEST(MatchSequences, WhatIsLeft) {
  const SequenceKeys keys{{1, 2, 3}, {1, 5, 3}};
  EXPECT_THAT(match_sequences({keys}, Leftover::InOrderIfAsMany), ElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 2)));
  const SequenceKeys more{{1, 2, 3}, {1, 5, 6, 3}};
  EXPECT_THAT(match_sequences({more}, Leftover::InOrderIfAsMany), ElementsAre(Pair(0, 0), Pair(2, 3)));
  EXPECT_THAT(match_sequences({more}, Leftover::InOrder), ElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 3)));
}

TEST(MatchSequences, EmptyLists) {
  EXPECT_THAT(match_sequences({}, Leftover::InOrder), IsEmpty());
  EXPECT_THAT(match_sequences({SequenceKeys{{}, {1}}}, Leftover::InOrder), IsEmpty());
}

}  // namespace
}  // namespace depscope::replay
