// Everything known about the selected item, at the cursor.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "depscope/viewers/panel.h"

namespace depscope::viewers {

class InspectorPanel final : public View {
 public:
  [[nodiscard]] std::string_view title() const override { return "Inspector"; }
  [[nodiscard]] Place place() const override { return Place::Side; }
  [[nodiscard]] std::string_view purpose() const override { return "Everything known about what is selected, and why it is so."; }
  void opened(Context& context) override;
  void draw(Context& context) override;

 private:
  void draw_heading(Context& context);
  void draw_implied(Context& context);
  void update_task(Context& context, std::uint32_t task);

  // inspector_task.cpp
  void draw_task(Context& context, std::uint32_t task);
  void draw_waiting(Context& context, std::uint32_t task);
  void draw_alive(Context& context, std::uint32_t task);
  void draw_arguments(Context& context, std::uint32_t task);
  void draw_edges(Context& context, const char* id, const std::vector<std::uint32_t>& edges, bool producers);

  // What the cursor answers for the selected task, asked once per position.
  std::uint32_t task_ = kNoRow;
  std::uint32_t position_ = kNoRow;
  std::vector<std::uint32_t> fanin_, fanout_, waiting_, keeping_;
};

/// "task 3 fill", … of any item.
[[nodiscard]] std::string item_label(const Document& document, Item item);

// The other kinds of items keep nothing between frames.
void inspect_edge(Context& context, std::uint32_t edge);       // inspector_edge.cpp
void inspect_call_site(Context& context, std::uint32_t site);  // inspector_program.cpp
void inspect_pass(Context& context, std::uint32_t pass);
void inspect_region(Context& context, std::uint32_t region);
void inspect_hazard(Context& context, std::uint32_t hazard);
void inspect_scope(Context& context, std::uint32_t scope);  // inspector_runtime.cpp
void inspect_tensor(Context& context, std::uint32_t tensor);
void inspect_event(Context& context, std::uint32_t event);
void inspect_finding(Context& context, std::uint32_t finding);

// Shared by the inspector's files.
[[nodiscard]] bool section(const Context& context, const char* title, bool open = true);
/// The flags; those of `found` that are not among them are struck out.
void flag_badges(std::uint8_t flags, std::uint8_t found, bool same_line);
void provenance_badges(std::uint8_t bits, bool same_line);
/// "name FLOAT32 [64, 64] + 128" of an access.
[[nodiscard]] std::string access_label(const Document& document, std::uint32_t access);

}  // namespace depscope::viewers
