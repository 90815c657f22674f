// Everything known about the selected item, at the cursor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/viewers/answers.h"
#include "depscope/viewers/panel.h"

namespace depscope::viewers {

class InspectorPanel final : public View {
 public:
  [[nodiscard]] std::string_view title() const override { return "Inspector"; }
  [[nodiscard]] Place place() const override { return Place::Side; }
  [[nodiscard]] std::string_view purpose() const override { return "Everything known about what is selected, and why it is so."; }
  void opened(Context& context) override;
  [[nodiscard]] std::string copy_text(const Context& context) const override;
  [[nodiscard]] std::string copy_json(const Context& context) const override;
  void draw(Context& context) override;

 private:
  void draw_heading(Context& context);
  void draw_implied(Context& context);
  void draw_questions(Context& context);
  void draw_page(Context& context, Item item);
  void update_task(Context& context, std::uint32_t task);

  // inspector_answers.cpp
  void update_answers(Context& context);
  void draw_answers(Context& context);
  void draw_pair(Context& context, std::uint32_t first_site, std::uint32_t second_site);
  void draw_differences(Context& context, Item item);

  // inspector_task.cpp
  void draw_task(Context& context, std::uint32_t task);
  // inspector_run.cpp: of a real run
  void draw_run_notes(Context& context);
  void draw_measured(Context& context, std::uint32_t task);
  void draw_arguments(Context& context, std::uint32_t task);
  void draw_edges(Context& context, const char* id, const std::vector<std::uint32_t>& edges, bool producers);

  // What the cursor answers for the selected task, asked once per position.
  std::uint32_t task_ = kNoRow;
  std::uint32_t measured_of_ = kNoRow;   // tasks row that measured_ is of
  std::vector<std::uint32_t> measured_;  // its measured_dispatches rows
  std::uint32_t position_ = kNoRow;
  std::vector<std::uint32_t> fanin_, fanout_;

  // What is said about the selected item, asked once per selection and position.
  const Document* answered_document_ = nullptr;
  Item answered_;
  std::uint32_t answered_position_ = kNoRow;
  std::vector<Answer> answers_;

  // The last two call sites that were selected; what is between them is asked when its section is open.
  std::uint32_t site_ = kNoRow, earlier_site_ = kNoRow;
  std::uint32_t pair_first_ = kNoRow, pair_second_ = kNoRow;
  Answer pair_;
};

// The other kinds of items keep nothing between frames.
void inspect_edge(Context& context, std::uint32_t edge);          // inspector_edge.cpp
void inspect_argument(Context& context, std::uint32_t argument);  // inspector_argument.cpp
void inspect_call_site(Context& context, std::uint32_t site);     // inspector_program.cpp
void inspect_pass(Context& context, std::uint32_t pass);
void inspect_region(Context& context, std::uint32_t region);
void inspect_hazard(Context& context, std::uint32_t hazard);
void inspect_scope(Context& context, std::uint32_t scope);  // inspector_runtime.cpp
void inspect_event(Context& context, std::uint32_t event);
void inspect_finding(Context& context, std::uint32_t finding);
void inspect_tensor(Context& context, std::uint32_t tensor);  // inspector_tensor.cpp
void inspect_access(Context& context, std::uint32_t access);

// Shared by the inspector's files.
[[nodiscard]] bool section(const Context& context, const char* title, bool open = true);
/// The flags; those of `found` that are not among them are struck out.
void flag_badges(std::uint8_t flags, std::uint8_t found, bool same_line);
void provenance_badges(std::uint8_t bits, bool same_line);
void direction_badge(std::uint8_t direction);  ///< of an ArgDirection

}  // namespace depscope::viewers
