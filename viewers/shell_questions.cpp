// The questions that the window is there for: each goes to the place that answers it.
#include <fmt/format.h>

#include <algorithm>

#include "command_palette.h"
#include "depscope/pass/decisions.h"
#include "depscope/viewers/shell.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {

void Shell::add_question_actions() {
  auto& actions = context_.actions;
  actions.add("Questions", "Why does one task wait for another?", "Ctrl+Shift+Y", [this] { palette_->ask(Palette::kWhy); });
  actions.add("Questions", "Which edges did the compiler add?", "Ctrl+Shift+E",
              [this] { palette_->ask(Palette::kCompilerEdges); });
  actions.add("Questions", std::string(Palette::kFallback), "Ctrl+Shift+F", [this] { ask_fallback(); });
  actions.add("Questions", "What keeps a buffer alive?", "Ctrl+Shift+A", [this] { ask_alive(); });
  actions.add("Questions", "What is different between two recordings?", "Ctrl+Shift+V", [this] {
    if (comparison_ == nullptr) {
      ask_file(true);
      differences_asked_ = dialog_compares_;
    } else {
      show_panel("Findings");
    }
  });
}

void Shell::ask_fallback() {
  hold_tooltips();
  show_panel("Regions");
  if (context_.document == nullptr) return;
  const auto& regions = context_.document->recording().regions;
  if (regions.rows() == 0) {
    context_.status = "no region was analysed in this recording: it has no passes";
    return;
  }
  context_.actions.run("Next region that fell back");
  if (context_.selection.current().kind != ItemKind::Region) {
    const auto analysed = static_cast<std::uint8_t>(pass::RegionOutcome::Analysed);
    context_.status = std::find(regions.outcome.begin(), regions.outcome.end(), analysed) != regions.outcome.end()
                          ? "no region fell back: all that were looked at were analysed"
                          : "no region fell back: without --analyze-auto-scopes AUTO scopes are not analysed";
  }
}

/// Shows Memory with a task that has a buffer and is alive; at the beginning, where none is, when everything is submitted.
void Shell::ask_alive() {
  hold_tooltips();
  show_panel("Memory");
  if (context_.document == nullptr) return;
  const Document& document = *context_.document;
  const auto& r = document.recording();
  if (r.events.rows() == 0) return;                              // the panel says so
  if (context_.selection.row(ItemKind::Task) != kNoRow) return;  // the inspector answers for what is selected
  const auto& submitted = document.moments().submitted;
  const auto& reclaimed = document.moments().reclaimed;
  std::uint32_t position = context_.transport.position();
  if (position == 0) {
    for (const std::uint32_t event : submitted) {
      if (event != replay::kNever) position = std::max(position, event + 1);
    }
    context_.transport.seek(position);
  }
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
    if (r.tasks.heap_begin[task] == r.tasks.heap_end[task] || submitted[task] >= position || reclaimed[task] < position) continue;
    context_.selection.select({ItemKind::Task, task});
    context_.status = "another buffer: click its block; another moment: drag the slider";
    return;
  }
  context_.status = "no buffer of a heap is alive at this event";
}

}  // namespace depscope::viewers
