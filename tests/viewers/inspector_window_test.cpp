// The Inspector's answers, on recordings of the samples.
#include <fmt/format.h>

#include <algorithm>

#include "depscope/replay/cursor.h"
#include "depscope/runtime/sink.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

constexpr const char* kFallbackOptions = "--analyze-auto-scopes --data '" DEPSCOPE_SAMPLES "/data/10_fallbacks.json'";

using recording::kNoRow;
using runtime::TaskState;

class InspectorWindowTest : public WindowTest {};

TEST_F(InspectorWindowTest, AWaitingTaskNamesItsProducersWithLinks) {
  record("05_decoder_layer", "d.depscope", "--analyze-auto-scopes");
  const recording::Recording r = load("d.depscope");
  replay::Cursor cursor(r);
  std::uint32_t task = kNoRow;
  std::vector<std::uint32_t> waiting;
  while (task == kNoRow && cursor.step()) {
    for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
      if (cursor.state().task_state[t] != static_cast<std::uint8_t>(TaskState::Pending) || cursor.state().need[t] == 0) continue;
      waiting = cursor.waiting_for(t);
      if (!waiting.empty()) task = t;
    }
  }
  ASSERT_NE(task, kNoRow);
  ASSERT_FALSE(waiting.empty());
  const std::uint32_t edge = waiting.front();
  const Result result = script(
      fmt::format(
          "seek {}\nselect task {}\nwait 1\nexpect-element \"inspector/answer 0\" \"{} of {} readiness units\"\n"
          "expect-element \"inspector/answer 0\" \"via edge {}\"\nexpect-legible\n"
          "click-element \"link/edge {}\"\nwait 1\nexpect \"Who asked for this edge?\"\nexpect \"Where did its WAIT go?\"\n",
          cursor.position(), task, cursor.state().have[task], cursor.state().need[task], edge, edge),
      "", "d.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(InspectorWindowTest, EdgesSayWhoAskedAndWhatBecameOfWait) {
  record("10_fallbacks", "f.depscope", kFallbackOptions);
  const recording::Recording r = load("f.depscope");
  std::string script_text;
  for (std::uint32_t edge = 0; edge < r.edges.rows(); ++edge) {
    script_text += fmt::format("select edge {}\nwait 1\n", edge);
    const std::uint8_t by = r.edges.provenance[edge];
    if ((by & runtime::kUser) != 0) script_text += "expect-element \"inspector/answer 0\" \"The user named it\"\n";
    if ((by & runtime::kCompiler) != 0) script_text += "expect-element \"inspector/answer 0\" \"The compiler added it\"\n";
    if ((by & runtime::kTensorMap) != 0) script_text += "expect-element \"inspector/answer 0\" \"The TensorMap: argument\"\n";
    const bool lost = (r.edges.flags[edge] & runtime::kWait) != 0 && (r.edges.flags_final[edge] & runtime::kWait) == 0;
    script_text += fmt::format("expect-element \"inspector/answer 1\" \"{}\"\n", lost ? "The reduction took it away"
                                                                                 : (r.edges.flags[edge] & runtime::kWait) != 0
                                                                                     ? "Nowhere"
                                                                                     : "It never had one");
  }
  script_text += "expect-legible\n";
  const Result result = script(script_text, "--size 1280x1200", "f.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(InspectorWindowTest, PagesOfArgumentsAccessesAndTensors) {
  record("10_fallbacks", "f.depscope", kFallbackOptions);
  const recording::Recording r = load("f.depscope");
  const auto& kinds = r.accesses.kind;
  const auto input = std::find(kinds.begin(), kinds.end(), static_cast<std::uint8_t>(runtime::ArgKind::Input)) - kinds.begin();
  const auto external =
      std::find(r.tensors.owner.begin(), r.tensors.owner.end(), runtime::kInvalidTask) - r.tensors.owner.begin();
  const Result result = script(
      fmt::format(
          "select argument 2\nwait 1\nexpect \"argument a0 of main call 1 get\"\nexpect \"by callee_in\"\n"
          "expect-element \"inspector/answer 1\" \"input became no_dep\"\nexpect-legible\n"
          "select access {}\nwait 1\nexpect-element \"inspector/answer 0\" \"as argument {}, INPUT\"\n"
          "expect \"Who writes it?\"\nexpect \"Who reads it?\"\nexpect \"how long is it alive?\"\nexpect-legible\n"
          "select tensor {}\nwait 1\nexpect-element \"inspector/answer 2\" \"external memory\"\nexpect-legible\n"
          "select region 7\nwait 1\nexpect-element \"inspector/answer 0\" \"unresolved_storage.mixed_merge\"\nexpect-legible\n"
          "select finding 0\nwait 1\nexpect \"Where is it?\"\nexpect-legible\n",
          input, r.accesses.arg[static_cast<std::size_t>(input)], external),
      "--size 1280x1400", "f.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(InspectorWindowTest, TwoCallSitesSayWhatIsBetweenThem) {
  record("10_fallbacks", "f.depscope", kFallbackOptions);
  const Result result = script(
      "select call-site 0\nwait 1\nexpect-no-element \"inspector/pair\"\nselect call-site 1\nwait 1\n"
      "expect-element \"inspector/pair\" \"Between call 0 put and call 1 get?\"\n"
      "click-element \"inspector/pair\"\nwait 3\nexpect-element \"inspector/pair answer\" \"An edge: \"\nexpect-legible\n",
      "--size 1280x1400", "f.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

}  // namespace
}  // namespace depscope::viewers
