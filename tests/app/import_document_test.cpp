// docs/import.md: every command in it prints what stands there.
#include "document_examples.h"

namespace depscope::app {
namespace {

class ImportDocument : public DocumentExamples {};

TEST_F(ImportDocument, EveryCommandPrintsWhatStandsThere) {
  ASSERT_NO_FATAL_FAILURE(read(DEPSCOPE_SAMPLES "/../docs/import.md"));
  EXPECT_EQ(examples_.size(), 2U);
  check_all();
}

}  // namespace
}  // namespace depscope::app
