// The Resource panel in the window, against tables.
#include <fmt/format.h>

#include "depscope/replay/file.h"
#include "depscope/viewers/document.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

using ResourceWindow = WindowTest;

/// Accesses of the tensors rows with this name and address, in order.
std::vector<std::uint32_t> accesses_of(const recording::Recording& r, std::uint32_t tensor) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t access = 0; access < r.accesses.rows(); ++access) {
    const std::uint32_t other = r.accesses.tensor[access];
    if (r.tensors.address[other] == r.tensors.address[tensor] && r.tensors.owner[other] == r.tensors.owner[tensor])
      out.push_back(access);
  }
  return out;
}

std::uint32_t tensor_named(const recording::Recording& r, std::string_view name) {
  for (std::uint32_t tensor = 0; tensor < r.tensors.rows(); ++tensor) {
    if (r.text(r.tensors.name[tensor]) == name) return tensor;
  }
  ADD_FAILURE() << "no tensor " << name;
  return 0;
}

TEST_F(ResourceWindow, RowsAreTheAccessesWithTheirConflicts) {
  record("02_softmax_tiles", "r.depscope");
  const Document document(load("r.depscope"), "r");
  const auto& r = document.recording();
  const auto rows = accesses_of(r, tensor_named(r, "work"));
  ASSERT_GE(rows.size(), 4U);
  const std::uint32_t chosen = rows[1];
  std::string text = fmt::format("panel Resource\nseek 0\nselect access {}\nwait 2\n", chosen);
  for (const std::uint32_t access : rows) {
    std::string direction(runtime::arg_kind_name(static_cast<runtime::ArgKind>(r.accesses.kind[access])));
    for (char& c : direction) c = static_cast<char>(std::tolower(c));
    text += fmt::format("expect-element \"resource/access {}\" \"{}\"\n", access, direction);
    text += fmt::format("expect-element \"resource/access {}\" \"not submitted yet\"\n", access);
    text += fmt::format("expect \"{}\"\n", document.task_label(r.accesses.task[access]));
  }
  text += fmt::format("expect-element \"resource/access {}\" \"this one\"\n", chosen);
  // The alloc before it made the buffer: an edge of the creator. What follows reads what it wrote.
  text += fmt::format("expect-element \"resource/access {}\" \"WAW edge \"\nexpect-element \"resource/access {}\" \"creator\"\n",
                      rows[0], rows[0]);
  text += fmt::format("expect-element \"resource/access {}\" \"RAW\"\n", rows[2]);
  text += "expect-legible\n";
  // The row at the cursor.
  const std::uint32_t submitted = document.moments().submitted[r.accesses.task[rows[1]]] + 1;
  text += fmt::format("seek {}\nwait 2\nexpect-element \"resource/access {}\" \"at the cursor\"\n", submitted, rows[1]);
  text += fmt::format("expect-element \"resource/access {}\" \"not submitted yet\"\nexpect-legible\n", rows[2]);
  const Result result = script(text, "", "r.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(ResourceWindow, KeysWalkTheAccessesAndTheFilterFindsTensors) {
  record("02_softmax_tiles", "r.depscope");
  const recording::Recording r = load("r.depscope");
  const std::uint32_t x = tensor_named(r, "x");
  const auto rows = accesses_of(r, x);
  ASSERT_GE(rows.size(), 3U);
  const Result result = script(
      fmt::format("panel Resource\nselect tensor {}\nwait 1\nexpect-element \"resource/heading\" \"x\"\nkey ctrl+Down\nwait 1\n"
                  "expect-element \"resource/access {}\" \"this one\"\nkey ctrl+Down\nwait 1\nexpect-element \"resource/access "
                  "{}\" \"this one\"\nkey ctrl+Up\nwait 1\nexpect-element \"resource/access {}\" \"this one\"\n"
                  "key ctrl+Up\nexpect \"no access of the tensor before\"\nclick-element \"resource/access {}\"\nwait 1\n"
                  "expect-element \"resource/access {}\" \"this one\"\nexpect-element \"resource/access {}\" \"this one\"\n"
                  "click-element \"resource/filter\"\ntype wor\nwait 2\nexpect-no-element \"resource/tensor {}\"\n"
                  "expect-element \"resource/tensor {}\" \"work\"\ntype zzz\nwait 2\nexpect \"No tensor has this name.\"\n",
                  x, rows[0], rows[1], rows[0], rows[2], rows[2], rows[2], x, tensor_named(r, "work")),
      "", "r.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(ResourceWindow, BarsHaveTheColourOfTheirDirection) {
  record("02_softmax_tiles", "r.depscope");
  const recording::Recording r = load("r.depscope");
  const std::uint32_t x = tensor_named(r, "x");
  const Result result =
      script(fmt::format("panel Resource\nkey L\nselect tensor {}\nkey End\nwait 2\nscreenshot {}\nkey Home\nwait 2\n"
                         "screenshot {}\n",
                         x, path("a.png"), path("b.png")),
             "", "r.depscope");
  ASSERT_EQ(result.status, 0) << result.output;
  const Picture picture(path("a.png"));
  const Picture dim(path("b.png"));
  // The small boxes of 2-D views are drawn in the full colour once their task is submitted.
  EXPECT_GT(picture.count_in(230, 60, 890, 500, 86, 170, 255, 6), 60);
  EXPECT_LT(dim.count_in(230, 60, 890, 500, 86, 170, 255, 6), picture.count_in(230, 60, 890, 500, 86, 170, 255, 6) / 2);
}

TEST_F(ResourceWindow, PointingAtARowJudgesTheOthersAgainstIt) {
  record("08_fused_mlp_war", "r.depscope");
  const recording::Recording r = load("r.depscope");
  // Two accesses of one tensor of different tasks.
  const auto rows = accesses_of(r, r.accesses.tensor[0]);
  ASSERT_GE(rows.size(), 2U);
  const Result result =
      script(fmt::format("panel Resource\nkey End\nselect tensor {}\nwait 1\nexpect \"Select an access or point at one\"\n"
                         "hover-element \"resource/access {}\"\nwait 3\nexpect-element \"resource/access {}\" \"this one\"\n"
                         "hover-element \"resource/access {}\"\nwait 3\nexpect-element \"resource/access {}\" \"this one\"\n",
                         r.accesses.tensor[0], rows[0], rows[0], rows[1], rows[1]),
             "", "r.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(ResourceWindow, SizesSummariesAndEmptyRecordings) {
  record("09_scopes_and_lifetimes", "r.depscope", "--events summary");
  for (const char* size : {"--size 1280x800", "--size 2560x1440 --scale 2"}) {
    const Result result = script(
        "panel Resource\nwait 1\nexpect-legible\nselect access 12\nkey End\nwait 2\nexpect \"RAW\"\nexpect-legible\nkey "
        "ctrl+Down\n"
        "wait 1\nexpect-legible\n",
        size, "r.depscope");
    EXPECT_EQ(result.status, 0) << size << result.output;
  }
  replay::save(recording::Recording(), path("empty.depscope"));
  const Result result = script("panel Resource\nkey ctrl+Down\nkey ctrl+Up\nexpect \"This recording has no tensor arguments\"\n",
                               "", "empty.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

}  // namespace
}  // namespace depscope::viewers
