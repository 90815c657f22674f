// Draws the canvas of the graph for one frame.
#pragma once

#include <vector>

#include "graph_panel.h"

namespace depscope::viewers {

/// Where a text may stand: what is drawn takes its place, in steps of a few pixels.
class LabelRoom {
 public:
  LabelRoom(ImVec2 origin, ImVec2 size);
  void take(ImVec2 min, ImVec2 max);
  [[nodiscard]] bool is_free(ImVec2 min, ImVec2 max) const;

 private:
  static constexpr float kStep = 6.0F;
  template <class F>
  bool each(ImVec2 min, ImVec2 max, F&& f) const;

  ImVec2 origin_;
  int columns_, rows_;
  std::vector<bool> taken_;
};

/// Distance of a point from a line's curve, in world units; `most` or more if it is not nearer than that.
[[nodiscard]] float distance_to_line(const GraphEdge& line, bool top_to_bottom, float x, float y, float most);

class GraphPanel::Pen {
 public:
  Pen(const GraphPanel& panel, Context& context, Canvas& canvas);
  void draw();

 private:
  struct Box {
    ImVec2 min, max;
  };
  struct Curve {
    ImVec2 a, control_a, control_b, b;
  };
  /// How an edge is drawn at the moment.
  struct Style {
    bool wait = false, retain = false, gone = false, faint = false;
  };

  [[nodiscard]] Box box_at(float x, float y, float width, float height) const;
  template <class T>
  [[nodiscard]] Box box_of(const T& thing) const {
    return box_at(thing.x, thing.y, thing.width, thing.height);
  }
  [[nodiscard]] Curve curve_of(const GraphEdge& line) const;
  [[nodiscard]] Style style_of(const GraphEdge& line) const;
  void draw_frames();
  void draw_titles();
  void choose_lines();
  void draw_halos();
  void draw_lines();
  void draw_line(const GraphEdge& line, const Curve& curve);
  void draw_simple(const GraphEdge& line, const Curve& curve);
  void note_line(std::uint32_t index, const Curve& curve);
  void draw_plates();
  void draw_nodes();
  void draw_node(std::uint32_t index);
  void draw_words(std::uint32_t index, const Box& box);
  void draw_group_states(std::uint32_t index, const Box& box);
  void arrow(const Curve& curve, ImU32 colour);
  [[nodiscard]] ImU32 line_colour(const GraphEdge& line) const;
  [[nodiscard]] Curve moved(const Curve& curve, float by) const;

  const GraphPanel& panel_;
  const GraphModel& model_;
  Context& context_;
  Canvas& canvas_;
  LabelRoom room_;
  float zoom_;                        // pixels per unit
  float px_;                          // pixels of a screen with 96 dots per inch
  float dash_ = 1;                    // longer where many lines are drawn
  bool simple_ = false;               // too small, or too many: straight lines without styles
  std::vector<std::uint32_t> lines_;  // that can be seen
};

}  // namespace depscope::viewers
