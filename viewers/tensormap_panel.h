// The TensorMap at the cursor, and what a submit looked up in it, found, registered and removed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "depscope/viewers/panel.h"
#include "depscope/viewers/widgets.h"
#include "tensormap_model.h"

namespace depscope::viewers {

class TensorMapPanel final : public View {
 public:
  [[nodiscard]] std::string_view title() const override { return "TensorMap"; }
  [[nodiscard]] Place place() const override { return Place::Main; }
  [[nodiscard]] std::string_view purpose() const override {
    return "Which writes the runtime remembers at the cursor, and what a submit found among them.";
  }
  void add_actions(Context& context) override;
  void opened(Context& context) override;
  [[nodiscard]] std::string copy_text(const Context& context) const override;
  [[nodiscard]] std::string copy_json(const Context& context) const override;
  void save(Settings& settings) const override;
  void restore(const Settings& settings) override;
  void draw(Context& context) override;

 private:
  /// A line of the right half.
  struct Line {
    enum class Kind : std::uint8_t { Argument, Lookup, Heading, Change, Note } kind = Kind::Note;
    std::uint32_t index = 0;  ///< Argument: accesses row; Lookup, Change: of the submit's list
    std::string words;        ///< Heading, Note
  };

  void step_change(Context& context, int direction);
  void update(Context& context);
  [[nodiscard]] SubmitView shown_submit(const Context& context) const;
  void update_there(Context& context);
  void make_lines(const Context& context);
  void draw_bar(Context& context);
  void draw_entries(Context& context);
  void draw_entry(Context& context, const EntryRow& row);
  void draw_there(Context& context, std::uint32_t access);

  // tensormap_submit.cpp
  void draw_submit(Context& context);
  void draw_line(Context& context, const Line& line);
  void draw_lookup(Context& context, std::uint32_t index);
  void draw_change(Context& context, const MapChange& change);

  Buffers buffers_;
  TensorMapModel model_;
  std::vector<EntryRow> entries_;     // at position_
  std::uint32_t total_ = 0;           // entries, also those that are not listed
  std::vector<std::uint32_t> there_;  // accesses rows of the other recording: entries that are not here
  SubmitView submit_;
  std::vector<Line> lines_;
  std::uint32_t position_ = kNoRow;
  std::uint64_t seen_selection_ = 0;
  bool of_selection_ = false;  // the submit of the selected task, not the one at the cursor
  float left_ = 0.44F;
  RowList entry_list_, line_list_;
};

/// "fill t3 #1": an access of a task.
[[nodiscard]] std::string access_name(const Document& document, std::uint32_t access);

}  // namespace depscope::viewers
