#include "depscope/viewers/frame_text.h"

#include <algorithm>
#include <cmath>

namespace depscope::viewers {
namespace {

void append_utf8(std::string& text, unsigned int code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0U | (code >> 6U));
    text += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    text += static_cast<char>(0xE0U | (code >> 12U));
    text += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    text += static_cast<char>(0x80U | (code & 0x3FU));
  }
}

}  // namespace

void FrameText::index_glyphs(const ImFontAtlas& atlas) {
  if (atlas_width_ == atlas.TexWidth && atlas_height_ == atlas.TexHeight) return;
  atlas_width_ = atlas.TexWidth;
  atlas_height_ = atlas.TexHeight;
  glyph_at_.assign(static_cast<std::size_t>(atlas_width_) * static_cast<std::size_t>(atlas_height_), 0);
  glyphs_.clear();
  fonts_.clear();
  for (const ImFont* font : atlas.Fonts) {
    for (const ImFontGlyph& glyph : font->Glyphs) {
      if (glyph.Visible == 0) continue;
      glyphs_.push_back(&glyph);
      fonts_.push_back(font);
      const int x0 = static_cast<int>(glyph.U0 * static_cast<float>(atlas_width_));
      const int x1 = static_cast<int>(std::ceil(glyph.U1 * static_cast<float>(atlas_width_)));
      const int y0 = static_cast<int>(glyph.V0 * static_cast<float>(atlas_height_));
      const int y1 = static_cast<int>(std::ceil(glyph.V1 * static_cast<float>(atlas_height_)));
      for (int y = y0; y < y1; ++y) {
        for (int x = x0; x < x1; ++x) {
          glyph_at_[static_cast<std::size_t>(y) * static_cast<std::size_t>(atlas_width_) + static_cast<std::size_t>(x)] =
              static_cast<std::uint32_t>(glyphs_.size());
        }
      }
    }
  }
}

void FrameText::collect(const ImDrawData& data, const ImFontAtlas& atlas) {
  index_glyphs(atlas);
  runs_.clear();
  const ImFont* run_font = nullptr;
  float next_pen = 0.0F;  // where the next glyph of the run would stand
  float baseline = 0.0F;  // top of the run's line
  for (int l = 0; l < data.CmdListsCount; ++l) {
    const ImDrawList& list = *data.CmdLists[l];
    run_font = nullptr;
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback != nullptr) continue;
      for (unsigned int i = 0; i + 6 <= command.ElemCount;) {
        const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset + i;
        // A glyph is two triangles over four vertices in order: a, a+1, a+2, a, a+2, a+3.
        const bool quad = index[1] == index[0] + 1 && index[2] == index[0] + 2 && index[3] == index[0] &&
                          index[4] == index[0] + 2 && index[5] == index[0] + 3;
        if (!quad) {
          i += 3;
          continue;
        }
        i += 6;
        const ImDrawVert& a = list.VtxBuffer[static_cast<int>(command.VtxOffset + index[0])];
        const ImDrawVert& b = list.VtxBuffer[static_cast<int>(command.VtxOffset + index[2])];
        if (b.uv.x <= a.uv.x || b.uv.y <= a.uv.y || b.pos.x <= a.pos.x || (a.col >> IM_COL32_A_SHIFT & 0xFFU) == 0) continue;
        const auto texel_x = static_cast<std::size_t>((a.uv.x + b.uv.x) * 0.5F * static_cast<float>(atlas_width_));
        const auto texel_y = static_cast<std::size_t>((a.uv.y + b.uv.y) * 0.5F * static_cast<float>(atlas_height_));
        const std::size_t texel = texel_y * static_cast<std::size_t>(atlas_width_) + texel_x;
        if (texel >= glyph_at_.size() || glyph_at_[texel] == 0) continue;
        const ImFontGlyph& glyph = *glyphs_[glyph_at_[texel] - 1];
        const ImFont* font = fonts_[glyph_at_[texel] - 1];
        // Visible part.
        const float x0 = std::max({a.pos.x, command.ClipRect.x, 0.0F});
        const float y0 = std::max({a.pos.y, command.ClipRect.y, 0.0F});
        const float x1 = std::min({b.pos.x, command.ClipRect.z, data.DisplaySize.x});
        const float y1 = std::min({b.pos.y, command.ClipRect.w, data.DisplaySize.y});
        const float shown = std::max(0.0F, x1 - x0) * std::max(0.0F, y1 - y0);
        const float whole = (b.pos.x - a.pos.x) * (b.pos.y - a.pos.y) * (glyph.U1 - glyph.U0) / (b.uv.x - a.uv.x) *
                            (glyph.V1 - glyph.V0) / (b.uv.y - a.uv.y);
        if (shown < 0.5F * whole) {  // mostly clipped: not readable
          run_font = nullptr;
          continue;
        }
        const float pen = a.pos.x - (a.uv.x - glyph.U0) / (glyph.U1 - glyph.U0) * (glyph.X1 - glyph.X0) - glyph.X0;
        const float top = a.pos.y - (a.uv.y - glyph.V0) / (glyph.V1 - glyph.V0) * (glyph.Y1 - glyph.Y0) - glyph.Y0;
        const float blank = font->GetCharAdvance(' ');
        const float gap = pen - next_pen;
        const bool same_run = font == run_font && std::abs(top - baseline) < 1.0F && gap > -1.0F && gap < 2.5F * blank;
        if (same_run) {
          const int blanks = static_cast<int>(std::lround(gap / blank));
          runs_.back().text.append(static_cast<std::size_t>(std::max(0, blanks)), ' ');
        } else {
          runs_.push_back({{}, {x0, y0}, {x1, y1}});
        }
        DrawnText& run = runs_.back();
        append_utf8(run.text, glyph.Codepoint);
        run.min = {std::min(run.min.x, x0), std::min(run.min.y, y0)};
        run.max = {std::max(run.max.x, x1), std::max(run.max.y, y1)};
        run_font = font;
        baseline = top;
        next_pen = pen + glyph.AdvanceX;
      }
    }
  }
}

bool FrameText::contains(std::string_view text) const {
  if (std::any_of(runs_.begin(), runs_.end(), [&](const DrawnText& run) { return run.text.find(text) != std::string::npos; })) {
    return true;
  }
  // Texts of several pieces on one line, from left to right.
  std::vector<const DrawnText*> order;
  for (const DrawnText& run : runs_) order.push_back(&run);
  const auto line = [](const DrawnText* run) { return std::lround((run->min.y + run->max.y) * 0.5F / 6.0F); };
  std::stable_sort(order.begin(), order.end(), [&](const DrawnText* a, const DrawnText* b) {
    return line(a) != line(b) ? line(a) < line(b) : a->min.x < b->min.x;
  });
  std::string joined;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0) joined += line(order[i]) == line(order[i - 1]) ? ' ' : '\n';
    joined += order[i]->text;
  }
  return joined.find(text) != std::string::npos;
}

std::optional<std::pair<std::string, std::string>> FrameText::overlap() const {
  constexpr float kTolerance = 1.5F;  // glyphs may reach a little into the line above
  std::vector<const DrawnText*> order;
  for (const DrawnText& run : runs_) order.push_back(&run);
  std::stable_sort(order.begin(), order.end(), [](const DrawnText* a, const DrawnText* b) { return a->min.y < b->min.y; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const DrawnText& a = *order[i];
    for (std::size_t k = i + 1; k < order.size() && order[k]->min.y + kTolerance < a.max.y; ++k) {
      const DrawnText& b = *order[k];
      if (a.min.x + kTolerance < b.max.x && b.min.x + kTolerance < a.max.x) return std::pair(a.text, b.text);
    }
  }
  return std::nullopt;
}

std::optional<ImVec2> FrameText::centre_of(std::string_view label) const {
  const DrawnText* found = nullptr;
  for (const DrawnText& run : runs_) {
    if (run.text == label) found = &run;
  }
  if (found != nullptr) return ImVec2((found->min.x + found->max.x) * 0.5F, (found->min.y + found->max.y) * 0.5F);
  for (const DrawnText& run : runs_) {
    if (run.text.find(label) != std::string::npos) found = &run;
  }
  if (found == nullptr) return std::nullopt;
  // Only the label's part of the run; widths are taken as even, which is near enough to hit it.
  const auto at = static_cast<float>(found->text.find(label));
  const auto size = static_cast<float>(found->text.size());
  const float middle = (at + static_cast<float>(label.size()) * 0.5F) / size;
  return ImVec2(found->min.x + (found->max.x - found->min.x) * middle, (found->min.y + found->max.y) * 0.5F);
}

}  // namespace depscope::viewers
