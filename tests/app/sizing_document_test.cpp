// docs/sizing.md: every command in it, run on the program in it, prints what stands there.
#include "document_examples.h"

namespace depscope::app {
namespace {

class SizingDocument : public DocumentExamples {};

TEST_F(SizingDocument, EveryCommandPrintsWhatStandsThere) {
  ASSERT_NO_FATAL_FAILURE(read(DEPSCOPE_SAMPLES "/../docs/sizing.md"));
  EXPECT_EQ(programs_.size(), 1U);
  EXPECT_EQ(examples_.size(), 2U);
  check_all();
}

}  // namespace
}  // namespace depscope::app
