// What a real run left behind: its health page and quantities, and the times of a task.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "answer_view.h"
#include "depscope/replay/measured_run.h"
#include "depscope/viewers/widgets.h"
#include "inspector_panel.h"

namespace depscope::viewers {
namespace {

constexpr std::uint32_t kMostRows = 8;  // dispatches of one task that are listed

}  // namespace

void InspectorPanel::draw_run_notes(Context& context) {
  const auto& r = context.document->recording();
  if (r.run_notes.rows() == 0) return;
  ImGui::Spacing();
  ImGui::BeginChild("run-notes");
  std::string all;
  for (std::uint32_t i = 0; i < r.run_notes.rows();) {
    const std::uint32_t title = r.run_notes.section[i];
    const bool open = section(context, fmt::format("Real run: {}###run-{}", r.text(title), r.text(title)).c_str());
    for (; i < r.run_notes.rows() && r.run_notes.section[i] == title; ++i) {
      if (open) wrapped_text(std::string(r.text(r.run_notes.text[i])), colour::text());
      if (context.elements.recording()) all += fmt::format("{}\n", r.text(r.run_notes.text[i]));
    }
  }
  if (context.elements.recording()) {
    const ImVec2 at = ImGui::GetWindowPos();
    const ImVec2 size = ImGui::GetWindowSize();
    context.elements.add("inspector/real run", at, {at.x + size.x, at.y + size.y}, all);
  }
  ImGui::EndChild();
}

void InspectorPanel::draw_measured(Context& context, std::uint32_t task) {
  const auto& r = context.document->recording();
  const auto& m = r.measured_dispatches;
  if (m.rows() == 0) return;
  const double us = replay::microseconds_per_tick(r);
  const auto time = [&](std::uint64_t ticks) {
    return ticks == recording::kNotMeasured ? std::string("?") : fmt::format("{:.2f}", static_cast<double>(ticks) * us);
  };
  if (measured_of_ != task) {
    measured_of_ = task;
    measured_.clear();
    for (std::uint32_t row = 0; row < m.rows(); ++row) {
      if (m.task[row] == task) measured_.push_back(row);
    }
  }
  field(context, "measured");
  if (measured_.empty()) {
    text("no dispatch was recorded", colour::dim());
    return;
  }
  std::string words;
  for (std::size_t i = 0; i < measured_.size() && i < kMostRows; ++i) {
    const std::uint32_t row = measured_[i];
    words += fmt::format("{}core {} ({}): {} to {} us, dispatched {}, end noticed {}", i == 0 ? "" : "\n", m.core[row],
                         m.core_type[row] == 0 ? "AIC" : "AIV", time(m.start[row]), time(m.end[row]), time(m.dispatch[row]),
                         time(m.finish[row]));
  }
  if (measured_.size() > kMostRows) words += fmt::format("\nand {} more dispatches", measured_.size() - kMostRows);
  wrapped_text(words, colour::text());
  if (context.elements.recording()) context.elements.add_item("inspector/measured", words);
}

}  // namespace depscope::viewers
