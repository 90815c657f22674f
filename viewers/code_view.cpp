#include "code_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "depscope/viewers/program_text.h"
#include "depscope/viewers/widgets.h"
#include "foreign_text.h"

namespace depscope::viewers {
namespace {

constexpr float kBadgeGap = 0.25F;  // in font heights, after a badge

bool is_badge(SegmentKind kind) {
  return kind == SegmentKind::Direction || kind == SegmentKind::UserDep || kind == SegmentKind::CompilerDep ||
         kind == SegmentKind::Marker;
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

float advance(const Theme& theme) { return theme.mono->GetCharAdvance('0'); }

float segment_width(const Theme& theme, const Segment& segment) {
  const float text = static_cast<float>(columns_of(segment.shown)) * advance(theme);
  return is_badge(segment.kind) ? text + (0.6F + kBadgeGap) * theme.mono->FontSize : text;
}

ImU32 segment_colour(const Segment& segment) {
  switch (segment.kind) {
    case SegmentKind::Text:
    case SegmentKind::Hidden: return colour::plain_code();
    case SegmentKind::Keyword: return colour::keyword();
    case SegmentKind::Name: return colour::text();
    case SegmentKind::Number: return colour::number();
    case SegmentKind::String: return colour::string();
    case SegmentKind::Comment:
    case SegmentKind::FoldedType: return colour::faint();
    case SegmentKind::Direction: return colour::direction(segment.shown);
    case SegmentKind::UserDep: return colour::provenance(runtime::kUser);
    case SegmentKind::CompilerDep: return colour::provenance(runtime::kCompiler);
    case SegmentKind::Marker: return colour::dim();
  }
  return colour::text();
}

std::string segment_help(const Segment& segment, std::string_view line) {
  switch (segment.kind) {
    case SegmentKind::Direction:
      for (const LegendEntry& entry : colour::direction_legend()) {
        if (entry.name == segment.shown) return fmt::format("arg_directions: {}. The argument {}.", entry.name, entry.meaning);
      }
      return fmt::format("arg_directions: {}", segment.shown);
    case SegmentKind::UserDep: return fmt::format("User edge (manual_dep_edges, deps=): waits for {}", segment.shown);
    case SegmentKind::CompilerDep: return fmt::format("Compiler edge (compiler_manual_dep_edges): waits for {}", segment.shown);
    case SegmentKind::Marker: return "Marked by the compiler: its scope may become a compiler-owned MANUAL scope";
    case SegmentKind::FoldedType: return std::string(line.substr(segment.begin, segment.end - segment.begin));
    case SegmentKind::Text:
    case SegmentKind::Keyword:
    case SegmentKind::Name:
    case SegmentKind::Number:
    case SegmentKind::String:
    case SegmentKind::Comment:
    case SegmentKind::Hidden: return {};
  }
  return {};
}

/// Draws the lines of one side.
class Drawer {
 public:
  Drawer(Context& context, const LineStyle& style, std::string_view followed, const CodeSide& side)
      : context_(context),
        theme_(context.theme),
        style_(style),
        followed_(followed),
        side_(side),
        list_(*ImGui::GetWindowDrawList()),
        height_(code_row_height(theme_)),
        gutter_(advance(theme_) * 6.0F),
        left_(ImGui::GetWindowPos().x),
        right_(left_ + ImGui::GetWindowSize().x),
        hovered_(ImGui::IsWindowHovered()) {}

  void absent(float y) { list_.AddRectFilled({left_, y}, {right_, y + height_}, colour::absent_line()); }

  void fold(float y, std::uint32_t lines) {
    list_.AddRectFilled({left_, y}, {right_, y + height_}, colour::absent_line());
    put({left_ + gutter_, y}, colour::faint(), fmt::format("{} equal lines", lines));
  }

  void line(float y, std::uint32_t number, std::string_view line, LineChange change, std::span<const TextSpan> marks,
            CodeClick& click) {
    const Document& document = side_.document == nullptr ? *context_.document : *side_.document;
    const std::uint32_t own = document.call_site_at(side_.pass, number);
    const Comparison* comparison = context_.comparison;
    const bool there = comparison != nullptr && &document == &comparison->there();
    const std::uint32_t site = there ? comparison->counterpart_there(ItemKind::CallSite, own) : own;
    if (change != LineChange::Same) {
      const ImU32 ground = change == LineChange::Changed ? colour::changed_line()
                           : side_.after                 ? colour::added_line()
                                                         : colour::removed_line();
      list_.AddRectFilled({left_, y}, {right_, y + height_}, ground);
    }
    if (context_.selection.is(ItemKind::CallSite, site)) {
      list_.AddRectFilled({left_, y}, {right_, y + height_}, colour::selected_row());
    }
    draw_gutter(y, number, change);
    if (own != recording::kNoRow) draw_site(y, site, there && site == recording::kNoRow);
    list_.PushClipRect({left_ + gutter_, y}, {right_, y + height_}, true);
    float x = ImGui::GetCursorScreenPos().x + gutter_;
    split_line(line, style_, segments_);
    for (const Segment& segment : segments_) {
      const float width = segment_width(theme_, segment);
      if (x + width > left_ && x < right_) draw_segment({x, y}, width, segment, line, marks, click);
      x += width;
    }
    list_.PopClipRect();
    const bool over = hovered_ && ImGui::GetIO().MousePos.y >= y && ImGui::GetIO().MousePos.y < y + height_;
    if (over && site != recording::kNoRow && ImGui::IsMouseClicked(0)) click.call_site = site;
  }

 private:
  void put(ImVec2 at, ImU32 colour, std::string_view words) {
    words = drawn_part(words);
    list_.AddText(theme_.mono, theme_.mono->FontSize, at, colour, words.data(), words.data() + words.size());
  }

  void draw_gutter(float y, std::uint32_t number, LineChange change) {
    const std::string digits = fmt::format("{:>4}", number);
    put({left_ + advance(theme_) * 0.5F, y}, change == LineChange::Same ? colour::faint() : colour::dim(), digits);
  }

  /// A dot; of two recordings, a diamond for a call that differs and a triangle for one that only one side has.
  void draw_site(float y, std::uint32_t site, bool only_there) {
    const ImVec2 at(left_ + advance(theme_) * 5.2F, y + height_ * 0.5F);
    const Comparison* comparison = context_.comparison;
    const Mark mark = comparison == nullptr || only_there ? Mark::Same : comparison->mark(ItemKind::CallSite, site);
    std::string words;
    if (only_there) {
      list_.AddNgonFilled(at, theme_.px(4.5F), comparison->there_colour(), 3);
      words = fmt::format("only in {}", comparison->there_name());
    } else if (mark == Mark::Same) {
      list_.AddCircleFilled(at, theme_.px(2.5F), colour::link());
    } else {
      list_.AddNgonFilled(at, theme_.px(4.5F), comparison->colour(mark), mark == Mark::Differs ? 4 : 3);
      words = comparison->words(mark);
    }
    if (words.empty()) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (hovered_ && mouse.x < left_ + gutter_ && mouse.y >= y && mouse.y < y + height_) {
      words += only_there ? std::string() : difference_text(context_, ItemKind::CallSite, site);
      ImGui::SetTooltip("%s", words.c_str());
    }
    if (!context_.elements.recording()) return;
    const std::string name = only_there ? fmt::format("{}/call-there", side_.id) : fmt::format("{}/call-site {}", side_.id, site);
    context_.elements.add(name, {left_, y}, {left_ + gutter_, y + height_}, words);
  }

  void draw_segment(ImVec2 at, float width, const Segment& segment, std::string_view line, std::span<const TextSpan> marks,
                    CodeClick& click) {
    if (segment.kind == SegmentKind::Hidden) return;
    const ImU32 mark = side_.after ? colour::added_mark() : colour::removed_mark();
    bool marked = false;
    for (const TextSpan span : marks) {
      const std::uint32_t begin = std::max(span.begin, segment.begin);
      const std::uint32_t end = std::min(span.end, segment.end);
      if (begin >= end) continue;
      marked = true;
      if (is_badge(segment.kind)) continue;
      const bool fold = segment.kind == SegmentKind::FoldedType;
      const float x0 =
          fold ? at.x
               : at.x + static_cast<float>(columns_of(line.substr(segment.begin, begin - segment.begin))) * advance(theme_);
      const float x1 =
          fold ? at.x + width : x0 + static_cast<float>(columns_of(line.substr(begin, end - begin))) * advance(theme_);
      list_.AddRectFilled({x0, at.y}, {x1, at.y + height_}, mark);
    }
    const ImU32 colour = segment_colour(segment);
    if (is_badge(segment.kind)) {
      draw_badge(list_, {at.x, at.y}, height_ - 1, segment.shown, colour, marked);
    } else {
      const bool name = segment.kind == SegmentKind::Name;
      if (name && !followed_.empty() && base_name(segment.shown) == followed_) {
        list_.AddRectFilled(at, {at.x + width, at.y + height_}, colour::name_mark(), 2.0F);
      }
      put(at, colour, segment.shown);
    }
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (!hovered_ || mouse.x < at.x || mouse.x >= at.x + width || mouse.y < at.y || mouse.y >= at.y + height_ ||
        mouse.x < left_ + gutter_) {
      return;
    }
    if (segment.kind == SegmentKind::Name && ImGui::IsMouseClicked(0)) click.name = std::string(segment.shown);
    if (const std::string help = segment_help(segment, line); !help.empty()) ImGui::SetTooltip("%s", help.c_str());
  }

  Context& context_;
  const Theme& theme_;
  const LineStyle& style_;
  std::string_view followed_;
  const CodeSide& side_;
  ImDrawList& list_;
  float height_;
  float gutter_;
  float left_, right_;
  bool hovered_;
  std::vector<Segment> segments_;
};

}  // namespace

float code_row_height(const Theme& theme) { return std::floor(theme.mono->FontSize + theme.px(4)); }

float widest_line(const Theme& theme, const TextDiff& diff, const LineStyle& style) {
  float widest = 0.0F;
  std::vector<Segment> segments;
  for (const auto* lines : {&diff.before, &diff.after}) {
    for (const std::string_view line : *lines) {
      split_line(line, style, segments);
      float width = 0.0F;
      for (const Segment& segment : segments) width += segment_width(theme, segment);
      widest = std::max(widest, width);
    }
  }
  return widest + advance(theme) * 8.0F;
}

float first_mark(const Theme& theme, const TextDiff& diff, const DiffRow& row, bool after, const LineStyle& style) {
  const auto marks = after ? diff.marks_after(row) : diff.marks_before(row);
  if (marks.empty()) return 0.0F;
  std::vector<Segment> segments;
  split_line(after ? diff.after[row.after] : diff.before[row.before], style, segments);
  float x = 0.0F;
  for (const Segment& segment : segments) {
    if (segment.end > marks.front().begin) break;
    x += segment_width(theme, segment);
  }
  return x;
}

CodeClick draw_code(Context& context, const TextDiff& diff, const std::vector<CodeRow>& rows, const CodeSide& side,
                    const LineStyle& style, std::string_view followed, CodeScroll& scroll, float (&own_scroll)[2], ImVec2 size) {
  CodeClick click;
  ImGui::SetNextWindowContentSize({scroll.width, 0.0F});
  ImGui::BeginChild(side.id, size, false, ImGuiWindowFlags_HorizontalScrollbar);
  ImGui::PushFont(context.theme.mono);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  // The side that the user scrolls leads; the other follows it in the next frame.
  if (scroll.moved || (own_scroll[0] == ImGui::GetScrollX() && own_scroll[1] == ImGui::GetScrollY())) {
    if (ImGui::GetScrollX() != scroll.x) ImGui::SetScrollX(scroll.x);
    if (ImGui::GetScrollY() != scroll.y) ImGui::SetScrollY(scroll.y);
  } else {
    scroll.x = ImGui::GetScrollX();
    scroll.y = ImGui::GetScrollY();
  }
  own_scroll[0] = ImGui::GetScrollX();
  own_scroll[1] = ImGui::GetScrollY();

  const float height = code_row_height(context.theme);
  Drawer drawer(context, style, followed, side);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const CodeRow& shown = rows[static_cast<std::size_t>(i)];
      const float y = ImGui::GetCursorScreenPos().y;
      if (shown.row == recording::kNoRow) {
        drawer.fold(y, shown.folded);
      } else {
        const DiffRow& row = diff.rows[shown.row];
        const std::uint32_t index = side.after ? row.after : row.before;
        if (index == recording::kNoRow) {
          drawer.absent(y);
        } else {
          const auto& lines = side.after ? diff.after : diff.before;
          drawer.line(y, side.first_line + index, lines[index], row.change,
                      side.after ? diff.marks_after(row) : diff.marks_before(row), click);
        }
      }
      ImGui::Dummy({1.0F, height});
    }
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::EndChild();
  return click;
}

}  // namespace depscope::viewers
