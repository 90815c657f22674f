#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "depscope/viewers/widgets.h"
#include "graph_pen.h"

namespace depscope::viewers {
namespace {

/// The point of a cubic curve at `t`, 0 to 1.
ImVec2 point_at(ImVec2 a, ImVec2 b, ImVec2 c, ImVec2 d, float t) {
  const float u = 1.0F - t;
  const float wa = u * u * u;
  const float wb = 3.0F * u * u * t;
  const float wc = 3.0F * u * t * t;
  const float wd = t * t * t;
  return {wa * a.x + wb * b.x + wc * c.x + wd * d.x, wa * a.y + wb * b.y + wc * c.y + wd * d.y};
}

float distance_to_piece(ImVec2 a, ImVec2 b, float x, float y) {
  const float dx = b.x - a.x;
  const float dy = b.y - a.y;
  const float length = dx * dx + dy * dy;
  const float t = length <= 0.0F ? 0.0F : std::clamp(((x - a.x) * dx + (y - a.y) * dy) / length, 0.0F, 1.0F);
  return std::hypot(a.x + dx * t - x, a.y + dy * t - y);
}

/// How far the controls of a curve are from its ends.
float bend(float from, float to) { return std::max(24.0F, std::abs(to - from) * 0.45F); }

/// A cubic curve whose controls are aside by `x` is itself aside by 3/4 of it in the middle.
float control_aside(const GraphEdge& line) { return line.bow * 4.0F / 3.0F; }

/// The strongest bit, in the order of runtime::Provenance.
std::uint8_t strongest(std::uint8_t bits) {
  for (std::uint8_t bit = 1; bit != 0; bit = static_cast<std::uint8_t>(bit << 1U)) {
    if ((bits & bit) != 0) return bit;
  }
  return 0;
}

}  // namespace

float distance_to_line(const GraphEdge& line, bool top_to_bottom, float x, float y, float most) {
  const float by = top_to_bottom ? bend(line.from_y, line.to_y) : bend(line.from_x, line.to_x);
  const ImVec2 a(line.from_x, line.from_y);
  const ImVec2 b(line.to_x, line.to_y);
  const float aside = control_aside(line);
  const ImVec2 control_a = top_to_bottom ? ImVec2(a.x + aside, a.y + by) : ImVec2(a.x + by, a.y + aside);
  const ImVec2 control_b = top_to_bottom ? ImVec2(b.x + aside, b.y - by) : ImVec2(b.x - by, b.y + aside);
  const auto [left, right] = std::minmax({a.x, b.x, control_a.x, control_b.x});
  const auto [top, bottom] = std::minmax({a.y, b.y, control_a.y, control_b.y});
  if (x < left - most || x > right + most || y < top - most || y > bottom + most) return most;
  constexpr int kPieces = 24;
  float nearest = most;
  ImVec2 before = a;
  for (int i = 1; i <= kPieces; ++i) {
    const ImVec2 next = point_at(a, control_a, control_b, b, static_cast<float>(i) / kPieces);
    nearest = std::min(nearest, distance_to_piece(before, next, x, y));
    before = next;
  }
  return nearest;
}

LabelRoom::LabelRoom(ImVec2 origin, ImVec2 size)
    : origin_(origin),
      columns_(static_cast<int>(size.x / kStep) + 1),
      rows_(static_cast<int>(size.y / kStep) + 1),
      taken_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), false) {}

template <class F>
bool LabelRoom::each(ImVec2 min, ImVec2 max, F&& f) const {
  const int left = std::max(0, static_cast<int>(std::floor((min.x - origin_.x) / kStep)));
  const int right = std::min(columns_ - 1, static_cast<int>(std::floor((max.x - origin_.x) / kStep)));
  const int top = std::max(0, static_cast<int>(std::floor((min.y - origin_.y) / kStep)));
  const int bottom = std::min(rows_ - 1, static_cast<int>(std::floor((max.y - origin_.y) / kStep)));
  for (int y = top; y <= bottom; ++y) {
    for (int x = left; x <= right; ++x) {
      const auto cell = static_cast<std::size_t>(y) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(x);
      if (!f(cell)) return false;
    }
  }
  return true;
}

void LabelRoom::take(ImVec2 min, ImVec2 max) {
  each(min, max, [this](std::size_t cell) { return taken_[cell] = true; });
}

bool LabelRoom::is_free(ImVec2 min, ImVec2 max) const {
  return each(min, max, [this](std::size_t cell) { return !taken_[cell]; });
}

GraphPanel::Pen::Pen(const GraphPanel& panel, Context& context, Canvas& canvas)
    : panel_(panel),
      model_(panel.model_),
      context_(context),
      canvas_(canvas),
      room_(canvas.origin(), canvas.size()),
      zoom_(static_cast<float>(1.0 / panel.scale_)),
      px_(context.theme.scale) {}

GraphPanel::Pen::Box GraphPanel::Pen::box_at(float x, float y, float width, float height) const {
  const ImVec2 origin = canvas_.origin();
  const ImVec2 min(origin.x + panel_.x_.to_pixel(static_cast<double>(x)), origin.y + panel_.y_.to_pixel(static_cast<double>(y)));
  return {min, {min.x + width * zoom_, min.y + height * zoom_}};
}

GraphPanel::Pen::Curve GraphPanel::Pen::curve_of(const GraphEdge& line) const {
  const ImVec2 origin = canvas_.origin();
  const auto at = [&](float x, float y) {
    return ImVec2(origin.x + panel_.x_.to_pixel(static_cast<double>(x)), origin.y + panel_.y_.to_pixel(static_cast<double>(y)));
  };
  const bool down = model_.top_to_bottom();
  const float by = (down ? bend(line.from_y, line.to_y) : bend(line.from_x, line.to_x)) * zoom_;
  const ImVec2 a = at(line.from_x, line.from_y);
  const ImVec2 b = at(line.to_x, line.to_y);
  const float aside = control_aside(line) * zoom_;
  return down ? Curve{a, {a.x + aside, a.y + by}, {b.x + aside, b.y - by}, b}
              : Curve{a, {a.x + by, a.y + aside}, {b.x - by, b.y + aside}, b};
}

/// The same curve beside itself, `by` pixels across.
GraphPanel::Pen::Curve GraphPanel::Pen::moved(const Curve& curve, float by) const {
  const ImVec2 shift = model_.top_to_bottom() ? ImVec2(by, 0) : ImVec2(0, by);
  const auto add = [&](ImVec2 at) { return ImVec2(at.x + shift.x, at.y + shift.y); };
  return {add(curve.a), add(curve.control_a), add(curve.control_b), add(curve.b)};
}

void GraphPanel::Pen::draw() {
  for (const GraphNode& node : model_.nodes()) {
    const Box box = box_of(node);
    if (canvas_.visible(box.min, box.max)) room_.take(box.min, box.max);
  }
  draw_frames();
  choose_lines();
  draw_halos();
  draw_lines();
  draw_titles();
  draw_nodes();
  draw_plates();
}

void GraphPanel::Pen::draw_frames() {
  for (const GraphFrame& frame : model_.frames()) {
    const Box box = box_of(frame);
    if (!canvas_.visible(box.min, box.max) || box.max.x - box.min.x < 3.0F || box.max.y - box.min.y < 3.0F) continue;
    const bool selected = frame.group == panel_.selected_group_;
    canvas_.box(box.min, box.max, colour::with_alpha(colour::node(), 70), 4.0F * px_);
    canvas_.frame(box.min, box.max, selected ? colour::link() : colour::grid(), 4.0F * px_, selected ? 2.0F * px_ : 1.0F);
    if (!context_.elements.recording()) continue;
    const ImVec2 title_max(box.max.x, box.min.y + std::max(GraphModel::kTitleHeight * zoom_, 3.0F));
    context_.elements.add(fmt::format("graph/group {}", frame.group), box.min, title_max,
                          model_.tree().label(context_.document->recording(), frame.group) + ", open");
  }
}

/// Above the lines, so that they can be read; a title stays in view while its frame does.
void GraphPanel::Pen::draw_titles() {
  const float title = GraphModel::kTitleHeight * zoom_;
  const float line = ImGui::GetTextLineHeight();
  if (title < line) return;
  for (const GraphFrame& frame : model_.frames()) {
    const Box box = box_of(frame);
    if (!canvas_.visible(box.min, box.max)) continue;
    const float left = std::clamp(canvas_.origin().x, box.min.x, std::max(box.min.x, box.max.x - 120.0F * px_)) + 7.0F * px_;
    const float room = box.max.x - left - 4.0F * px_;
    const TaskGroup& group = model_.tree().group(frame.group);
    const std::string label = fmt::format("{}, {}", model_.tree().label(context_.document->recording(), frame.group),
                                          count_of(group.end - group.begin, "task"));
    const ImVec2 at(left, box.min.y + (title - line) * 0.5F + 1.0F);
    const ImVec2 end(left + std::min(ImGui::CalcTextSize(label.c_str()).x, room), at.y + line);
    canvas_.box({at.x - 2.0F * px_, at.y}, {end.x + 2.0F * px_, end.y}, colour::with_alpha(colour::canvas(), 190));
    canvas_.label(at, room, colour::dim(), label);
    room_.take(at, end);
  }
}

/// Lines that can be seen; whether there is room for their styles.
void GraphPanel::Pen::choose_lines() {
  lines_.clear();
  for (std::uint32_t i = 0; i < model_.edges().size(); ++i) {
    const GraphEdge& line = model_.edges()[i];
    const Curve curve = curve_of(line);
    const auto [left, right] = std::minmax({curve.a.x, curve.b.x, curve.control_a.x, curve.control_b.x});
    const auto [top, bottom] = std::minmax({curve.a.y, curve.b.y, curve.control_a.y, curve.control_b.y});
    const ImVec2 min(left, top);
    const ImVec2 max(right, bottom);
    const bool folded = std::hypot(curve.b.x - curve.a.x, curve.b.y - curve.a.y) < 3.0F;
    if (!folded && canvas_.visible(min, max)) lines_.push_back(i);
  }
  constexpr std::size_t kStyled = 1'200;
  simple_ = zoom_ < 0.2F * px_ || lines_.size() > kStyled;
  dash_ = px_ * std::clamp(static_cast<float>(lines_.size()) / 150.0F, 1.0F, 8.0F);
}

ImU32 GraphPanel::Pen::line_colour(const GraphEdge& line) const {
  if (line.there) return context_.comparison->there_colour();
  return colour::provenance(strongest(line.provenance));
}

GraphPanel::Pen::Style GraphPanel::Pen::style_of(const GraphEdge& line) const {
  Style style{line.wait > 0, line.retain > 0, line.gone > 0 && line.wait == 0, false};
  if (line.there || !panel_.at_cursor_) return style;
  const auto& r = context_.document->recording();
  const std::uint8_t now = context_.document->cursor().state().edge_flags[line.row];
  if (now == 0) {
    style.faint = true;
    return style;
  }
  if (line.count > 1) return style;  // as at the end
  style.wait = (now & runtime::kWait) != 0;
  style.retain = (now & runtime::kRetain) != 0;
  style.gone = !style.wait && (r.edges.flags[line.row] & runtime::kWait) != 0;
  return style;
}

/// Broad bands behind lines: selected, under the pointer, critical path, ways around a removed WAIT, only on this side.
void GraphPanel::Pen::draw_halos() {
  const std::uint32_t selected =
      context_.selection.current().kind == ItemKind::Edge ? model_.line_of_edge(context_.selection.current().row) : kNoRow;
  for (const std::uint32_t index : lines_) {
    const GraphEdge& line = model_.edges()[index];
    const bool explains = std::binary_search(panel_.explained_lines_.begin(), panel_.explained_lines_.end(), index);
    const Curve curve = curve_of(line);
    const auto halo = [&](ImU32 colour, std::uint32_t alpha, float width) {
      canvas_.curve(curve.a, curve.control_a, curve.control_b, curve.b, colour::with_alpha(colour, alpha), width * px_);
    };
    if (context_.comparison != nullptr && !line.there) {
      const Mark mark = context_.comparison->mark(ItemKind::Edge, line.row);
      if (mark != Mark::Same) halo(context_.comparison->colour(mark), 110, 6.0F);
    }
    if (panel_.critical_lines_[index]) halo(colour::critical(), 150, 7.0F);
    if (explains) halo(colour::text(), 80, 9.0F);
    if (index == selected || index == panel_.under_.line) halo(colour::link(), index == selected ? 170 : 110, 7.0F);
  }
}

void GraphPanel::Pen::draw_lines() {
  for (const std::uint32_t index : lines_) {
    const GraphEdge& line = model_.edges()[index];
    const Curve curve = curve_of(line);
    if (simple_) {
      draw_simple(line, curve);
    } else {
      draw_line(line, curve);
    }
    note_line(index, curve);
  }
}

void GraphPanel::Pen::draw_simple(const GraphEdge& line, const Curve& curve) {
  const Style style = style_of(line);
  const std::uint32_t alpha = style.faint ? 40 : style.wait || style.retain ? 150 : 70;
  canvas_.line(curve.a, curve.b, colour::with_alpha(line_colour(line), alpha), 1.0F);
}

void GraphPanel::Pen::draw_line(const GraphEdge& line, const Curve& curve) {
  const Style style = style_of(line);
  const ImU32 colour = line_colour(line);
  const std::uint32_t alpha = style.faint ? 60 : 255;
  const float thickness =
      px_ * (line.count == 1 ? 1.6F : std::min(5.0F, 1.6F + 0.6F * std::log2(static_cast<float>(line.count))));
  const auto stroke = [&](float by, ImU32 c, float width, float dash) {
    const Curve at = moved(curve, by);
    canvas_.curve(at.a, at.control_a, at.control_b, at.b, c, width, dash);
  };
  const bool two = (style.wait || style.gone) && style.retain;
  const float apart = two ? (1.2F * px_ + thickness) * 0.5F + 0.6F * px_ : 0.0F;
  const ImU32 full = colour::with_alpha(colour, alpha);
  if (style.wait) stroke(-apart, full, thickness, 0.0F);
  if (style.gone) stroke(-apart, colour::with_alpha(colour, std::min(alpha, 150U)), 1.1F * px_, 2.0F * dash_);
  if (style.retain) stroke(apart, full, thickness, 5.0F * dash_);
  if (!style.wait && !style.retain && !style.gone) stroke(0, colour::with_alpha(colour, 90), px_, 2.0F * dash_);
  // Who else asked for it: thin strands beside it.
  if (!line.there && zoom_ >= 0.4F * px_) {
    float by = apart + thickness * 0.5F + 1.6F * px_;
    const std::uint8_t first = strongest(line.provenance);
    for (std::uint8_t bit = 1; bit != 0; bit = static_cast<std::uint8_t>(bit << 1U)) {
      if (bit == first || (line.provenance & bit) == 0) continue;
      stroke(by, colour::with_alpha(colour::provenance(bit), alpha), px_, 0.0F);
      by += 2.4F * px_;
    }
  }
  arrow(curve, style.wait || style.retain ? full : colour::with_alpha(colour, std::min(alpha, 150U)));
}

void GraphPanel::Pen::arrow(const Curve& curve, ImU32 colour) {
  const float size = std::clamp(7.0F * zoom_, 3.0F * px_, 9.0F * px_);
  const ImVec2 b = curve.b;
  if (model_.top_to_bottom()) {
    canvas_.triangle(b, {b.x - size * 0.5F, b.y - size}, {b.x + size * 0.5F, b.y - size}, colour);
  } else {
    canvas_.triangle(b, {b.x - size, b.y - size * 0.5F}, {b.x - size, b.y + size * 0.5F}, colour);
  }
}

void GraphPanel::Pen::note_line(std::uint32_t index, const Curve& curve) {
  if (!context_.elements.recording()) return;
  const GraphEdge& line = model_.edges()[index];
  const ImVec2 middle = point_at(curve.a, curve.control_a, curve.control_b, curve.b, 0.5F);
  const ImVec2 min(middle.x - 3.0F * px_, middle.y - 3.0F * px_);
  const ImVec2 max(middle.x + 3.0F * px_, middle.y + 3.0F * px_);
  const char* name = line.there ? "graph/edge there {}" : "graph/edge {}";
  context_.elements.add(fmt::format(fmt::runtime(name), line.row), min, max, panel_.line_words(context_, line));
}

/// Numbers of lines that stand for many edges and letters of the side, where there is room for them.
void GraphPanel::Pen::draw_plates() {
  if (simple_ || zoom_ < 0.35F * px_) return;
  for (const std::uint32_t index : lines_) {
    const GraphEdge& line = model_.edges()[index];
    std::string words;
    ImU32 colour = line_colour(line);
    if (line.count > 1) words = fmt::format("×{}", line.count);
    if (line.there) {
      words += fmt::format("{}{}", words.empty() ? "" : " ", context_.comparison->there_name());
    } else if (context_.comparison != nullptr) {
      const Mark mark = context_.comparison->mark(ItemKind::Edge, line.row);
      if (mark != Mark::Same) {
        words +=
            fmt::format("{}{}", words.empty() ? "" : " ", mark == Mark::Differs ? "differs" : context_.comparison->here_name());
        colour = context_.comparison->colour(mark);
      }
    }
    if (words.empty()) continue;
    const Curve curve = curve_of(line);
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    for (const float t : {0.5F, 0.35F, 0.65F, 0.2F, 0.8F}) {
      const ImVec2 middle = point_at(curve.a, curve.control_a, curve.control_b, curve.b, t);
      const ImVec2 min(middle.x - size.x * 0.5F - 3.0F * px_, middle.y - size.y * 0.5F);
      const ImVec2 max(min.x + size.x + 6.0F * px_, min.y + size.y);
      if (!canvas_.visible(min, max) || !room_.is_free(min, max)) continue;
      canvas_.box(min, max, colour::canvas(), 3.0F * px_);
      canvas_.frame(min, max, colour::with_alpha(colour, 120), 3.0F * px_);
      canvas_.label({min.x + 3.0F * px_, min.y}, size.x + 2.0F, colour, words);
      room_.take(min, max);
      break;
    }
  }
}

}  // namespace depscope::viewers
