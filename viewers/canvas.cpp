#include "depscope/viewers/canvas.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "depscope/viewers/colours.h"
#include "foreign_text.h"

namespace depscope::viewers {
namespace {

constexpr double kWheelStep = 1.2;  // factor of one notch
constexpr double kKeyZoom = 3.0;    // factor of one second of W
constexpr float kKeyPan = 900.0F;   // pixels of one second of A or D
constexpr float kPanNotch = 60.0F;  // pixels of one notch with Shift
constexpr std::string_view kCut = "…";

const char* begin_of(std::string_view text) { return text.data(); }
const char* end_of(std::string_view text) { return text.data() + text.size(); }

ImVec2 cubic(ImVec2 a, ImVec2 b, ImVec2 c, ImVec2 d, float t) {
  const float u = 1.0F - t;
  const float wa = u * u * u;
  const float wb = 3.0F * u * u * t;
  const float wc = 3.0F * u * t * t;
  const float wd = t * t * t;
  return {wa * a.x + wb * b.x + wc * c.x + wd * d.x, wa * a.y + wb * b.y + wc * c.y + wd * d.y};
}

}  // namespace

void Axis::show(double begin, double end) {
  begin_ = begin;
  end_ = std::max(end, begin + least_extent_);
  clamp();
}

void Axis::limit(double begin, double end, double least_extent) {
  least_ = begin;
  most_ = std::max(end, begin + least_extent);
  least_extent_ = least_extent;
}

void Axis::clamp() {
  const double room = most_ - least_;
  const double extent = std::clamp(end_ - begin_, least_extent_, std::max(least_extent_, room * 1.1));
  // A tenth beyond either end may be seen, so that what lies at the edge can be worked with.
  const double margin = extent * 0.1;
  begin_ = std::clamp(begin_, least_ - margin, std::max(least_ - margin, most_ + margin - extent));
  end_ = begin_ + extent;
}

void Axis::pan(float pixels) {
  const double by = static_cast<double>(pixels) * per_pixel();
  begin_ += by;
  end_ += by;
  clamp();
}

void Axis::zoom(float about, double factor) {
  const double world = to_world(about);
  const double extent = std::max((end_ - begin_) / factor, least_extent_);
  const double share = static_cast<double>(about) / static_cast<double>(pixels_);
  begin_ = world - share * extent;
  end_ = begin_ + extent;
  clamp();
}

void Axis::reveal(double world) {
  const double extent = end_ - begin_;
  if (world >= begin_ + extent * 0.05 && world <= end_ - extent * 0.05) return;
  begin_ = world - extent * 0.5;
  end_ = begin_ + extent;
  clamp();
}

Canvas::Canvas(FrameCost& cost, const char* id, ImVec2 size) : cost_(&cost), list_(ImGui::GetWindowDrawList()) {
  origin_ = ImGui::GetCursorScreenPos();
  size_ = {std::max(size.x, 1.0F), std::max(size.y, 1.0F)};
  ImGui::InvisibleButton(
      id, size_, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle | ImGuiButtonFlags_MouseButtonRight);
  hovered_ = ImGui::IsItemHovered();
  active_ = ImGui::IsItemActive();
  const auto still = [](ImGuiMouseButton button) {
    const ImVec2 moved = ImGui::GetMouseDragDelta(button, 0.0F);
    return std::abs(moved.x) + std::abs(moved.y) < ImGui::GetIO().MouseDragThreshold;
  };
  const bool released = ImGui::IsItemDeactivated() && hovered_;
  clicked_ = released && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && still(ImGuiMouseButton_Left);
  double_clicked_ = hovered_ && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  const ImVec2 far_corner(origin_.x + size_.x, origin_.y + size_.y);
  list_->PushClipRect(origin_, far_corner, true);
  list_->AddRectFilled(origin_, far_corner, colour::canvas());
}

void Canvas::end() { list_->PopClipRect(); }

ImVec2 Canvas::mouse() const {
  const ImVec2 at = ImGui::GetIO().MousePos;
  return {at.x - origin_.x, at.y - origin_.y};
}

void Canvas::navigate(Axis* x, Axis* y, bool zoom_both) {
  const ImGuiIO& io = ImGui::GetIO();
  if (x != nullptr) x->resize(size_.x);
  if (y != nullptr) y->resize(size_.y);
  const ImVec2 at = mouse();
  if (active_ && (ImGui::IsMouseDragging(ImGuiMouseButton_Left) || ImGui::IsMouseDragging(ImGuiMouseButton_Middle))) {
    if (x != nullptr) x->pan(-io.MouseDelta.x);
    if (y != nullptr) y->pan(-io.MouseDelta.y);
  }
  if (!hovered_) return;
  if (io.MouseWheel != 0.0F) {
    if (io.KeyShift) {
      if (x != nullptr) x->pan(-io.MouseWheel * kPanNotch);
    } else {
      const double factor = std::pow(kWheelStep, static_cast<double>(io.MouseWheel));
      if (x != nullptr) x->zoom(at.x, factor);
      if (y != nullptr && (zoom_both || x == nullptr)) y->zoom(at.y, factor);
    }
  }
  if (io.MouseWheelH != 0.0F && x != nullptr) x->pan(-io.MouseWheelH * kPanNotch);
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt) return;
  const auto held = [](int key) { return ImGui::IsKeyDown(key); };
  const float seconds = io.DeltaTime;
  const int zoom = (held(GLFW_KEY_W) ? 1 : 0) - (held(GLFW_KEY_S) ? 1 : 0);
  const int pan = (held(GLFW_KEY_D) ? 1 : 0) - (held(GLFW_KEY_A) ? 1 : 0);
  if (zoom != 0) {
    const double factor = std::pow(kKeyZoom, static_cast<double>(static_cast<float>(zoom) * seconds));
    if (x != nullptr) x->zoom(at.x, factor);
    if (y != nullptr && (zoom_both || x == nullptr)) y->zoom(at.y, factor);
  }
  if (pan != 0 && x != nullptr) x->pan(static_cast<float>(pan) * kKeyPan * seconds);
}

bool Canvas::visible(ImVec2 min, ImVec2 max) const {
  return max.x >= origin_.x && max.y >= origin_.y && min.x <= origin_.x + size_.x && min.y <= origin_.y + size_.y;
}

bool Canvas::spend(std::uint32_t primitives) {
  if (cost_->primitives + primitives > kMaxPrimitives) return false;
  cost_->primitives += primitives;
  return true;
}

void Canvas::line(ImVec2 a, ImVec2 b, ImU32 colour, float thickness) {
  if (spend(1)) list_->AddLine(a, b, colour, thickness);
}

void Canvas::box(ImVec2 min, ImVec2 max, ImU32 colour, float rounding) {
  if (spend(1)) list_->AddRectFilled(min, max, colour, rounding);
}

void Canvas::frame(ImVec2 min, ImVec2 max, ImU32 colour, float rounding, float thickness) {
  if (spend(1)) list_->AddRect(min, max, colour, rounding, 0, thickness);
}

void Canvas::triangle(ImVec2 a, ImVec2 b, ImVec2 c, ImU32 colour) {
  if (spend(1)) list_->AddTriangleFilled(a, b, c, colour);
}

void Canvas::circle(ImVec2 centre, float radius, ImU32 colour, bool filled) {
  if (!spend(1)) return;
  if (filled) {
    list_->AddCircleFilled(centre, radius, colour);
  } else {
    list_->AddCircle(centre, radius, colour);
  }
}

void Canvas::curve(ImVec2 a, ImVec2 control_a, ImVec2 control_b, ImVec2 b, ImU32 colour, float thickness, float dash) {
  if (dash <= 0.0F) {
    if (spend(1)) list_->AddBezierCubic(a, control_a, control_b, b, colour, thickness);
    return;
  }
  const float length = std::hypot(b.x - a.x, b.y - a.y);
  const auto dashes = static_cast<std::uint32_t>(std::clamp(length / (2.0F * dash), 1.0F, 200.0F));
  if (!spend(dashes)) return;
  for (std::uint32_t i = 0; i < dashes; ++i) {
    const float from = static_cast<float>(i) / static_cast<float>(dashes);
    const float to = from + 0.5F / static_cast<float>(dashes);
    list_->AddLine(cubic(a, control_a, control_b, b, from), cubic(a, control_a, control_b, b, to), colour, thickness);
  }
}

bool Canvas::label(ImVec2 at, float width, ImU32 colour, std::string_view text, ImFont* font) {
  if (text.empty()) return true;
  text = drawn_part(text);
  if (font == nullptr) font = ImGui::GetFont();
  const float size = font->FontSize;
  if (cost_->labels >= kMaxLabels || !visible(at, {at.x + width, at.y + size})) return false;
  const auto width_of = [&](std::string_view part) {
    return font->CalcTextSizeA(size, 1e9F, 0.0F, begin_of(part), end_of(part)).x;
  };
  if (width_of(text) <= width) {
    ++cost_->labels;
    list_->AddText(font, size, at, colour, begin_of(text), end_of(text));
    return true;
  }
  const char* stop = nullptr;
  const float room = width - width_of(kCut);
  font->CalcTextSizeA(size, std::max(room, 1.0F), 0.0F, begin_of(text), end_of(text), &stop);
  const auto kept = static_cast<std::size_t>(stop - begin_of(text));
  if (room <= 0.0F || kept < 3) return false;
  ++cost_->labels;
  list_->AddText(font, size, at, colour, begin_of(text), stop);
  list_->AddText(font, size, {at.x + width_of(text.substr(0, kept)), at.y}, colour, begin_of(kCut), end_of(kCut));
  return false;
}

}  // namespace depscope::viewers
