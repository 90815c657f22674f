// docs/explain.md: every command in it, run on the programs in it, prints what stands there.
#include "document_examples.h"

namespace depscope::app {
namespace {

class ExplainDocument : public DocumentExamples {};

TEST_F(ExplainDocument, EveryCommandPrintsWhatStandsThere) {
  ASSERT_NO_FATAL_FAILURE(read(DEPSCOPE_SAMPLES "/../docs/explain.md"));
  EXPECT_GE(programs_.size(), 6U);
  EXPECT_GE(examples_.size(), 8U);
  check_all();
}

}  // namespace
}  // namespace depscope::app
