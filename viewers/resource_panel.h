// Every access of one buffer in order of submission: where it lies, what conflicts with the chosen one, what orders the two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "depscope/viewers/panel.h"
#include "depscope/viewers/widgets.h"
#include "resource_model.h"

namespace depscope::viewers {

class ResourcePanel final : public View {
 public:
  [[nodiscard]] std::string_view title() const override { return "Resource"; }
  [[nodiscard]] Place place() const override { return Place::Main; }
  [[nodiscard]] std::string_view purpose() const override {
    return "Every access of one tensor in order, which of them conflict, and what orders them.";
  }
  void add_actions(Context& context) override;
  void opened(Context& context) override;
  [[nodiscard]] std::string copy_text(const Context& context) const override;
  [[nodiscard]] std::string copy_json(const Context& context) const override;
  void save(Settings& settings) const override;
  void restore(const Settings& settings) override;
  void draw(Context& context) override;

 private:
  /// Where the columns of a row begin, pixels from the row's left end.
  struct Columns {
    float argument = 0, direction = 0, state = 0, box = 0, bar = 0, verdict = 0, order = 0;
  };

  void step_access(Context& context, int direction);
  void show_buffer(Context& context, std::uint32_t buffer);
  void follow(Context& context);
  void list_buffers(const Context& context);
  void draw_list(Context& context);
  void draw_list_there(Context& context, std::uint32_t buffer);

  // resource_rows.cpp
  void draw_buffer(Context& context);
  void draw_heading(Context& context);
  [[nodiscard]] Columns columns(const Context& context, float width) const;
  void draw_row(Context& context, std::uint64_t index, const Columns& columns, float width, float height);
  void draw_verdict(Context& context, std::uint32_t access, ImVec2 at, const Columns& columns, float width, std::string& words);
  void draw_bar(Context& context, std::uint32_t access, ImVec2 min, ImVec2 max, bool dim);
  void draw_box(Context& context, std::uint32_t access, ImVec2 min, ImVec2 max, ImU32 hue);
  void draw_there(Context& context, std::uint32_t access, float height);

  Buffers buffers_;
  std::string filter_;
  std::vector<std::uint32_t> listed_;  // buffers that pass the filter
  std::uint32_t buffer_ = kNoRow;
  std::uint64_t bytes_ = 0;  // of the drawing: the buffer, or what its accesses reach
  // Of the other recording: its buffers, those without a counterpart that pass the filter, and the accesses of the shown buffer's
  // counterpart that are only there.
  Buffers there_buffers_;
  std::vector<std::uint32_t> listed_there_, there_;
  Conflicts conflicts_;
  std::uint32_t chosen_ = kNoRow;   // the access that the others are judged against
  std::uint32_t hovered_ = kNoRow;  // of the last frame
  std::uint32_t next_hovered_ = kNoRow;
  std::vector<ByteRun> runs_;
  std::uint64_t seen_selection_ = 0;
  std::uint32_t seen_position_ = kNoRow;
  float left_ = 0.25F;
  RowList buffer_list_, row_list_;
};

}  // namespace depscope::viewers
