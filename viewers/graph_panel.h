// The task graph: boxes and edges of what is open, with filter, search, focus and critical path.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/viewers/graph_model.h"
#include "depscope/viewers/graph_paths.h"
#include "depscope/viewers/panel.h"

namespace depscope::viewers {

class GraphPanel final : public View {
 public:
  [[nodiscard]] std::string_view title() const override { return "Graph"; }
  [[nodiscard]] Place place() const override { return Place::Main; }
  [[nodiscard]] std::string_view purpose() const override {
    return "Tasks and the edges between them: who asked for each edge, and what it waits for and keeps alive.";
  }
  void add_actions(Context& context) override;
  void opened(Context& context) override;
  [[nodiscard]] std::string copy_text(const Context& context) const override;
  [[nodiscard]] std::string copy_json(const Context& context) const override;
  void save(Settings& settings) const override;
  void restore(const Settings& settings) override;
  void draw(Context& context) override;

 private:
  /// What is written on a box, made when the graph changes.
  struct Face {
    std::string title, detail;
  };
  /// A removed WAIT that is explained at the moment.
  struct Explained {
    std::uint32_t edge = kNoRow;
    std::vector<std::uint32_t> way;  ///< edges rows that make it redundant
    std::string words;               ///< "WAIT removed: already ordered through t7"
  };
  /// What is under the pointer: one of these, or nothing.
  struct Under {
    std::uint32_t node = kNoRow, line = kNoRow, frame = kNoRow;

    bool operator==(const Under&) const = default;
  };
  class Pen;  // draws one frame of the canvas; graph_draw.cpp

  // graph_panel.cpp
  void changed(Context& context);
  void toggle(Context& context, std::uint32_t group);
  void toggle_selected(Context& context);
  void open_around_selection(Context& context);
  void apply_filter(Context& context);
  void focus(Context& context);
  void apply_focus(Context& context);
  void change_hops(Context& context, int up, int down);
  void show_everything(Context& context);
  void show_critical_path(Context& context);
  void search(Context& context, int step);
  void follow_selection(Context& context);
  [[nodiscard]] std::uint32_t selected_task(const Context& context) const;

  // graph_toolbar.cpp
  void draw_toolbar(Context& context);
  void draw_search(Context& context);
  void draw_filter(Context& context);
  void draw_filter_menu(Context& context);
  void draw_focus(Context& context);
  void draw_legend(const Context& context) const;
  void draw_information(Context& context);
  [[nodiscard]] std::string information(const Context& context) const;

  // graph_view.cpp
  void draw_canvas(Context& context);
  void fit(ImVec2 size, bool whole);
  void keep_scale(ImVec2 size);
  void show_at(double x, double y, double scale, ImVec2 size);
  void take_mouse(Context& context, Canvas& canvas);
  void click(Context& context);
  [[nodiscard]] Under find_under(const Canvas& canvas) const;
  void reveal_node(std::uint32_t node);
  void explain(const Context& context);
  void count_states(const Context& context);

  // graph_text.cpp
  [[nodiscard]] Face face_of(const Context& context, const GraphNode& node) const;
  [[nodiscard]] std::string line_words(const Context& context, const GraphEdge& line) const;
  [[nodiscard]] std::string line_title(const Context& context, const GraphEdge& line) const;
  [[nodiscard]] std::string node_tooltip(const Context& context, std::uint32_t node) const;
  [[nodiscard]] std::string line_tooltip(const Context& context, const GraphEdge& line) const;
  [[nodiscard]] std::string mark_words(const Context& context, ItemKind kind, std::uint32_t row) const;
  [[nodiscard]] Explained explain_edge(const Document& document, std::uint32_t edge) const;

  GraphModel model_;
  std::vector<Face> faces_;  // per node
  std::string filter_text_, filter_error_;
  bool focus_filter_ = false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> menu_kernels_;  // of all tasks; made when the menu is opened first
  std::string search_text_, searched_;
  std::vector<std::uint32_t> hits_;
  std::size_t hit_ = 0;
  bool focus_search_ = false;
  std::vector<std::uint32_t> focus_from_;  // tasks that the focus is about, empty: everything is shown
  std::uint32_t up_ = 2, down_ = 2;
  bool focus_cut_ = false;
  bool at_cursor_ = false;  // flags as at the cursor; else as at the end of the recording
  std::optional<CriticalPath> critical_;
  bool show_critical_ = false;
  std::vector<bool> critical_nodes_, critical_lines_;  // per node and line shown
  std::string notice_;                                 // why not all is shown, empty if it is
  std::uint32_t selected_group_ = kNoRow;
  std::uint64_t seen_selection_ = 0;
  bool reveal_selection_ = false;

  Axis x_, y_;
  float canvas_width_ = 0, canvas_height_ = 0;
  double scale_ = 1.0;        // world units per pixel
  double pixel_scale_ = 1.0;  // pixels of one pixel at 96 dots per inch
  enum class Fit : std::uint8_t { No, First, Whole };
  Fit fit_ = Fit::First;
  std::uint32_t held_group_ = kNoRow;  // stays where it is on the screen when the graph changes
  double held_x_ = 0, held_y_ = 0;     // its corner in pixels
  bool ignore_click_ = false;          // the release that belongs to a double click
  Under under_, under_before_;
  std::vector<Explained> explained_;
  std::vector<std::uint32_t> explained_lines_;
  std::uint64_t explained_for_ = 0;  // selection revision

  std::vector<std::array<std::uint32_t, 6>> states_;  // per node: tasks in each state, of closed groups
  std::uint32_t states_position_ = kNoRow;
  bool states_known_ = false;
};

}  // namespace depscope::viewers
