// docs/replay.md: every command in it, run on the programs in it, prints what stands there.
#include "document_examples.h"

namespace depscope::app {
namespace {

class ReplayDocument : public DocumentExamples {};

TEST_F(ReplayDocument, EveryCommandPrintsWhatStandsThere) {
  ASSERT_NO_FATAL_FAILURE(read(DEPSCOPE_SAMPLES "/../docs/replay.md"));
  EXPECT_GE(programs_.size(), 1U);
  EXPECT_GE(examples_.size(), 6U);
  check_all();
}

}  // namespace
}  // namespace depscope::app
