// The timeline panel without a window: what it copies and keeps, two recordings, and what a frame costs.
#include "timeline_panel.h"

#include <gmock/gmock.h>
#include <imgui.h>

#include <nlohmann/json.hpp>

#include "depscope/replay/cursor.h"
#include "sample_runs.h"
#include "synthetic_recording.h"

namespace depscope::viewers {
namespace {

using ::testing::HasSubstr;

/// Draws the panel into ImGui's lists, which nobody renders.
class TimelinePanelTest : public ::testing::Test {
 protected:
  TimelinePanelTest() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as OpenGL has
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    context_.elements.record(true);
    panel_.add_actions(context_);
  }
  ~TimelinePanelTest() override { ImGui::DestroyContext(); }

  void open(recording::Recording here) {
    here_ = std::make_unique<Document>(std::move(here), "");
    context_.document = here_.get();
    attach();
  }
  void open(recording::Recording here, recording::Recording there) {
    there_ = std::make_unique<Document>(std::move(there), "");
    here_ = std::make_unique<Document>(std::move(here), "");
    comparison_ = std::make_unique<Comparison>(*here_, *there_);
    context_.comparison = comparison_.get();
    context_.document = here_.get();
    attach();
  }
  void attach() {
    context_.selection.attach(&context_.document->recording());
    context_.transport.attach(context_.document, &context_.selection);
    panel_.opened(context_);
  }
  void draw(float width = 900, float height = 520, int frames = 2) {
    for (int i = 0; i < frames; ++i) {
      ImGuiIO& io = ImGui::GetIO();
      io.DisplaySize = {width, height};
      io.DeltaTime = 1.0F / 60.0F;
      ImGui::NewFrame();
      context_.elements.begin_frame();
      context_.cost = {};
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({width, height});
      ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoDecoration);
      panel_.draw(context_);
      ImGui::End();
      ImGui::Render();
    }
  }
  [[nodiscard]] std::string text_of(const std::string& element) const {
    const Element* found = context_.elements.find(element);
    return found == nullptr ? std::string("not drawn") : found->text;
  }

  std::unique_ptr<Document> here_, there_;
  std::unique_ptr<Comparison> comparison_;
  Context context_;
  TimelinePanel panel_;
};

TEST_F(TimelinePanelTest, CopiesTheLifetimesInView) {
  open(sample_run("09_scopes_and_lifetimes"));
  draw(900, 3000);
  const auto& moments = here_->moments();
  const auto& times = here_->recording().events.time;
  const auto all = nlohmann::json::parse(panel_.copy_json(context_));
  EXPECT_EQ(all["left_out"], 0);
  ASSERT_EQ(all["lifetimes"].size(), here_->recording().tasks.rows());
  for (const auto& life : all["lifetimes"]) {
    const std::uint32_t task = life["task"];
    EXPECT_EQ(life["name"], here_->task_label(task));
    EXPECT_EQ(life["slot"], here_->recording().tasks.slot[task]);
    EXPECT_EQ(life["allocated"]["position"], moments.submitted[task] + 1);
    EXPECT_EQ(life["allocated"]["time"], times[moments.submitted[task]]);
    EXPECT_EQ(life["completed"]["time"], times[moments.completed[task]]);
    EXPECT_EQ(life["consumed"]["time"], times[moments.consumed[task]]);
  }
  EXPECT_EQ(panel_.copy_json(context_).find('\n'), std::string::npos);
  EXPECT_THAT(panel_.copy_text(context_), HasSubstr(here_->task_label(0) + ": ring 2 slot 0, time: completed 0..73"));
  // Of a lower window, only what is in it.
  draw(900, 520);
  EXPECT_EQ(panel_.copy_text(context_), "");
}

TEST_F(TimelinePanelTest, KeepsHowItIsLookedAt) {
  open(sample_run("02_softmax_tiles"));
  Settings settings;
  settings.set("timeline.by_event", true);
  settings.set("timeline.folded", std::vector<std::string>{"cores", "ring 2", "no such group"});
  panel_.restore(settings);
  draw(900, 3000);
  EXPECT_EQ(context_.elements.find("timeline/ring 2 slot 0"), nullptr);
  EXPECT_NE(context_.elements.find("timeline/submits"), nullptr);
  Settings kept;
  panel_.save(kept);
  EXPECT_TRUE(kept.truth("timeline.by_event", false));
  EXPECT_EQ(kept.list("timeline.folded"), (std::vector<std::string>{"cores", "ring 2"}));
}

TEST_F(TimelinePanelTest, TwoRecordingsShareTheAxis) {
  open(sample_run("09_scopes_and_lifetimes"), sample_run("02_softmax_tiles"));
  draw(900, 5000);
  EXPECT_THAT(text_of("timeline/curve ready"), HasSubstr("max 16"));
  const TimelineSide there(*there_);
  EXPECT_THAT(text_of("timeline/b curve ready"), HasSubstr("max " + std::to_string(there.curves.ready.most())));
  const Element* here = context_.elements.find("timeline/slot of task 0");
  const Element* other = context_.elements.find("timeline/b slot of task 0");
  ASSERT_NE(here, nullptr);
  ASSERT_NE(other, nullptr);
  EXPECT_GT(other->min.y, here->min.y) << "b stands under a";
  // Both begin at time 0, and end where one axis says.
  EXPECT_NEAR(other->min.x, here->min.x, 1.0F);
  const auto end_of = [](const Document& document) {
    return static_cast<float>(document.recording().events.time[document.moments().reclaimed[0]]);
  };
  EXPECT_NEAR((other->max.x - other->min.x) / (here->max.x - here->min.x), end_of(*there_) / end_of(*here_), 0.02F);
  EXPECT_NE(context_.elements.find("timeline/b cores"), nullptr);

  // Turned, what was there is here.
  comparison_->swap();
  context_.document = &comparison_->here();
  attach();
  draw(900, 5000);
  EXPECT_THAT(text_of("timeline/a curve ready"), HasSubstr("max 16"));
  EXPECT_NE(context_.elements.find("timeline/a slot of task 0"), nullptr);
  const auto lives = nlohmann::json::parse(panel_.copy_json(context_))["lifetimes"];
  EXPECT_EQ(lives[0]["side"], "b");
}

TEST_F(TimelinePanelTest, TheComparisonMayEndWhileItIsShown) {
  open(sample_run("09_scopes_and_lifetimes"), sample_run("02_softmax_tiles"));
  draw();
  context_.comparison = nullptr;
  draw();
  EXPECT_EQ(context_.elements.find("timeline/b curve ready"), nullptr);
  EXPECT_NE(context_.elements.find("timeline/curve ready"), nullptr);
}

TEST_F(TimelinePanelTest, DrawsRecordingsOfAllKinds) {
  for (auto make : {+[] { return recording::Recording(); }, +[] { return sample_run("traces/diamond.trace.json"); },
                    +[] { return sample_run("09_scopes_and_lifetimes", "--events summary --ring-task-window 16"); },
                    +[] { return replay::synthetic_recording({.tasks = 40, .faults = true}); },
                    +[] { return replay::synthetic_recording({.tasks = 40, .pins = false}); }}) {
    open(make());
    for (const char* action : {"Logical time or event positions", "Zoom to the selection", "Fit the timeline"}) {
      draw();
      context_.selection.select({ItemKind::Task, 2});
      context_.transport.last();
      draw(900, 2500);
      ASSERT_TRUE(context_.actions.run(action));
      draw();
      context_.transport.first();
    }
  }
}

TEST_F(TimelinePanelTest, AFrameKeepsItsBudget) {
  open(replay::synthetic_recording({.tasks = 10'000}));
  for (const ImVec2 size : {ImVec2(900, 520), ImVec2(3800, 2100)}) {
    for (int zoom = 0; zoom < 3; ++zoom) {
      draw(size.x, size.y);
      EXPECT_GT(context_.cost.primitives, 200U);
      EXPECT_LT(context_.cost.primitives, kMaxPrimitives) << size.x << " zoom " << zoom;
      EXPECT_LT(context_.cost.labels, kMaxLabels) << size.x << " zoom " << zoom;
      RecordProperty("primitives_" + std::to_string(static_cast<int>(size.x)) + "_" + std::to_string(zoom),
                     static_cast<int>(context_.cost.primitives));
      RecordProperty("labels_" + std::to_string(static_cast<int>(size.x)) + "_" + std::to_string(zoom),
                     static_cast<int>(context_.cost.labels));
      if (zoom == 0) context_.selection.select({ItemKind::Scope, 0});
      if (zoom == 1) context_.selection.select({ItemKind::Task, 5000});
      ASSERT_TRUE(context_.actions.run("Zoom to the selection"));
    }
  }
}

}  // namespace
}  // namespace depscope::viewers
