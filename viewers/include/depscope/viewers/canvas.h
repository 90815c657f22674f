// A drawing that is panned and zoomed: graph, timeline, memory. Counts what it draws, because a frame has a budget (DESIGN §8):
// at most kMaxPrimitives shapes and kMaxLabels texts.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string_view>

namespace depscope::viewers {

inline constexpr std::uint32_t kMaxPrimitives = 20'000;
inline constexpr std::uint32_t kMaxLabels = 1'000;

/// What the panels of one frame drew.
struct FrameCost {
  std::uint32_t primitives = 0;  ///< lines, boxes, curves
  std::uint32_t labels = 0;      ///< texts in drawings
};

/// One axis: world units to pixels. Positions are doubles, so that the last of twenty million events is as sharp as the first.
class Axis {
 public:
  /// Shows [begin, end) of the world in `pixels` pixels. `least_extent`: how far one can zoom in, in world units.
  void show(double begin, double end);
  void resize(float pixels) { pixels_ = pixels > 1.0F ? pixels : 1.0F; }
  void limit(double begin, double end, double least_extent);

  [[nodiscard]] double begin() const { return begin_; }
  [[nodiscard]] double end() const { return end_; }
  [[nodiscard]] double per_pixel() const { return (end_ - begin_) / static_cast<double>(pixels_); }
  [[nodiscard]] float to_pixel(double world) const {
    return static_cast<float>((world - begin_) / (end_ - begin_) * static_cast<double>(pixels_));
  }
  [[nodiscard]] double to_world(float pixel) const { return begin_ + static_cast<double>(pixel) * per_pixel(); }
  void pan(float pixels);                 ///< positive: what is to the right comes into view
  void zoom(float about, double factor);  ///< factor above 1 zooms in; the world under the pixel `about` stays
  /// Brings `world` into view, with the extent as it is, if it is not well inside.
  void reveal(double world);

 private:
  void clamp();
  double begin_ = 0.0, end_ = 1.0;
  double least_ = 0.0, most_ = 1.0, least_extent_ = 1e-6;
  float pixels_ = 1.0F;
};

/// Draws into a rectangle of the current window and takes its mouse. Wheel zooms about the pointer (Shift+wheel pans sideways),
/// dragging with the left or middle button pans, W and S zoom, A and D pan, while the pointer is over it.
class Canvas {
 public:
  /// `cost` counts on. Fills the rectangle with colour::canvas(). Call end() when everything is drawn.
  Canvas(FrameCost& cost, const char* id, ImVec2 size);
  void end();

  [[nodiscard]] ImVec2 origin() const { return origin_; }  ///< top left corner, pixels of the screen
  [[nodiscard]] ImVec2 size() const { return size_; }
  [[nodiscard]] bool hovered() const { return hovered_; }
  [[nodiscard]] ImVec2 mouse() const;                      ///< pixels from the origin
  [[nodiscard]] bool clicked() const { return clicked_; }  ///< pressed and released without dragging
  [[nodiscard]] bool double_clicked() const { return double_clicked_; }
  /// Applies this frame's mouse and keys; either axis may be null. `zoom_both`: the wheel zooms both.
  void navigate(Axis* x, Axis* y, bool zoom_both);
  /// True if [min, max] (pixels of the screen) can be seen.
  [[nodiscard]] bool visible(ImVec2 min, ImVec2 max) const;

  // Shapes, in pixels of the screen. Colours are ImU32.
  void line(ImVec2 a, ImVec2 b, ImU32 colour, float thickness = 1.0F);
  void box(ImVec2 min, ImVec2 max, ImU32 colour, float rounding = 0.0F);
  void frame(ImVec2 min, ImVec2 max, ImU32 colour, float rounding = 0.0F, float thickness = 1.0F);
  void triangle(ImVec2 a, ImVec2 b, ImVec2 c, ImU32 colour);
  void circle(ImVec2 centre, float radius, ImU32 colour, bool filled);
  /// A cubic curve; `dash` 0 draws it solid, else dashes of that many pixels.
  void curve(ImVec2 a, ImVec2 control_a, ImVec2 control_b, ImVec2 b, ImU32 colour, float thickness, float dash = 0.0F);
  /// Cut with "…" where it is wider than `width` pixels; not drawn if not even three letters fit. False if it was not drawn
  /// whole.
  bool label(ImVec2 at, float width, ImU32 colour, std::string_view text, ImFont* font = nullptr);

 private:
  [[nodiscard]] bool spend(std::uint32_t primitives);  ///< false once the frame's budget is used up

  FrameCost* cost_;
  ImDrawList* list_;
  ImVec2 origin_, size_;
  bool hovered_ = false, active_ = false, clicked_ = false, double_clicked_ = false;
};

}  // namespace depscope::viewers
