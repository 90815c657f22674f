// Questions and answers of the inspector, what the other recording has, and the copy of it all.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answer_view.h"
#include "depscope/viewers/keys.h"
#include "depscope/viewers/widgets.h"
#include "inspector_panel.h"

namespace depscope::viewers {

void InspectorPanel::update_answers(Context& context) {
  const Document& document = *context.document;
  Item item = context.selection.current();
  // An event's page ends with that of its task.
  if (item.kind == ItemKind::Event) item = {ItemKind::Task, context.selection.row(ItemKind::Task)};
  if (item.row == kNoRow) item = {};
  if (const std::uint32_t site = context.selection.row(ItemKind::CallSite); site != kNoRow && site != site_) {
    earlier_site_ = site_;
    site_ = site;
  }
  const std::uint32_t position = document.cursor().position();
  if (answered_document_ == &document && answered_ == item && answered_position_ == position) return;
  answered_document_ = &document;
  answered_ = item;
  answered_position_ = position;
  answers_ = answers_about(document, item);
}

void InspectorPanel::draw_answers(Context& context) {
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (section(context, answers_[i].question.c_str()))
      draw_answer_lines(context, answers_[i].lines, context.elements.recording() ? fmt::format("inspector/answer {}", i) : "");
    ImGui::PopID();
  }
}

void InspectorPanel::draw_pair(Context& context, std::uint32_t first_site, std::uint32_t second_site) {
  if (first_site == kNoRow || second_site == kNoRow || first_site == second_site) return;
  const auto name = [&](std::uint32_t site) {  // without the function, which both are in
    const std::string label = context.document->call_site_label(site);
    return label.substr(std::min(label.find("call "), label.size()));
  };
  const std::string title = fmt::format("Between {} and {}?###pair", name(first_site), name(second_site));
  const bool shown = section(context, title.c_str(), false);
  if (context.elements.recording()) context.elements.add_item("inspector/pair", title.substr(0, title.find("###")));
  if (!shown) return;
  if (pair_first_ != first_site || pair_second_ != second_site) {
    pair_ = why_pair(*context.document, first_site, second_site);
    pair_first_ = first_site;
    pair_second_ = second_site;
  }
  draw_answer_lines(context, pair_.lines, "inspector/pair answer");
}

void InspectorPanel::draw_differences(Context& context, Item item) {
  if (context.comparison == nullptr) return;
  const Comparison& comparison = *context.comparison;
  const Mark mark = comparison.mark(item.kind, item.row);
  if (mark == Mark::Same) return;
  badge(comparison.words(mark), comparison.colour(mark), false);
  if (context.elements.recording()) context.elements.add_item("inspector/mark", comparison.words(mark));
  if (mark == Mark::Differs) {
    const std::optional<Key> key = key_from_name("Tab");
    for (const Action& action : context.actions.all()) {
      if (!key || !(action.key == *key)) continue;
      ImGui::SameLine();
      action_button(context, fmt::format("show it in {}", comparison.there_name()).c_str(), action.name);
    }
  }
  std::string all;
  for (const std::string& line : comparison.differences(item.kind, item.row)) {
    wrapped_text(line, comparison.colour(Mark::Differs));
    all += line + '\n';
  }
  if (!all.empty() && context.elements.recording()) context.elements.add_item("inspector/differences", all);
  ImGui::Spacing();
}

std::string InspectorPanel::copy_text(const Context& context) const {
  const Item item = context.selection.current();
  if (context.document == nullptr || item.kind == ItemKind::None) return {};
  std::string out = item_label(*context.document, item) + '\n';
  if (answered_document_ == context.document && !answers_.empty()) out += '\n' + answers_text(answers_);
  return out;
}

std::string InspectorPanel::copy_json(const Context& context) const {
  const Item item = context.selection.current();
  if (context.document == nullptr || item.kind == ItemKind::None) return {};
  nlohmann::ordered_json out{{"kind", item_kind_name(item.kind)}, {"row", item.row}};
  out["name"] = item_label(*context.document, item);
  out["answers"] =
      nlohmann::ordered_json::parse(answered_document_ == context.document ? answers_json(answers_) : std::string("[]"));
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace depscope::viewers
