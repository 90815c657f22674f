#include "answer_view.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

float right_edge() { return ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x; }

ImVec2 size_of(std::string_view words) { return ImGui::CalcTextSize(words.data(), words.data() + words.size()); }

/// Lays pieces of one sentence out like words of a paragraph.
class Paragraph {
 public:
  Paragraph(Context& context, ImU32 colour) : context_(context), colour_(colour), left_(ImGui::GetCursorPosX()) {}

  void words(std::string_view piece) {
    while (!piece.empty()) {
      // As many words as fit go in one run.
      const std::size_t fits = longest(piece);
      if (fits == 0) {
        next_line();
        const std::size_t begin = piece.find_first_not_of(' ');
        if (begin == std::string_view::npos) return;
        piece.remove_prefix(begin);
        continue;
      }
      place();
      text(piece.substr(0, fits), colour_);
      end_ = ImGui::GetItemRectMax().x;
      piece.remove_prefix(fits);
      if (!piece.empty()) next_line(), piece.remove_prefix(std::min(piece.find_first_not_of(' '), piece.size()));
    }
  }

  void link_to(Item item, std::string_view label) {
    if (!fresh_ && end_ + size_of(label).x > right_edge()) next_line();
    if (size_of(label).x > right_edge() - ImGui::GetCursorScreenPos().x && label.find(' ') != std::string_view::npos) {
      long_link(item, label);
      return;
    }
    place();
    link(context_, item, label);
    end_ = ImGui::GetItemRectMax().x;
  }

 private:
  /// Number of bytes of `piece` that fit in the rest of the line, cut at a blank; all of a word that fits no line.
  [[nodiscard]] std::size_t longest(std::string_view piece) const {
    const float room = right_edge() - (fresh_ ? ImGui::GetCursorScreenPos().x : end_);
    if (size_of(piece).x <= room) return piece.size();
    std::size_t fits = 0;
    for (std::size_t at = piece.find(' ', 1); at != std::string_view::npos; at = piece.find(' ', at + 1)) {
      if (size_of(piece.substr(0, at)).x > room) break;
      fits = at;
    }
    if (fits != 0 || !fresh_) return fits;
    const std::size_t first = piece.find(' ', 1);
    return first == std::string_view::npos ? piece.size() : first;
  }

  /// A link that is longer than a line: every line of it is one.
  void long_link(Item item, std::string_view label) {
    while (!label.empty()) {
      if (!fresh_) next_line();
      const std::size_t fits = std::max<std::size_t>(1, longest(label));
      link(context_, item, label.substr(0, fits));
      end_ = ImGui::GetItemRectMax().x;
      fresh_ = false;
      label.remove_prefix(fits);
      label.remove_prefix(std::min(label.find_first_not_of(' '), label.size()));
    }
  }

  void place() {
    if (!fresh_) ImGui::SameLine(0, 0);
    fresh_ = false;
  }
  void next_line() {
    if (fresh_) return;
    fresh_ = true;
    ImGui::SetCursorPosX(left_);
  }

  Context& context_;
  ImU32 colour_;
  float left_;
  float end_ = 0;      // of what was drawn last on the line
  bool fresh_ = true;  // nothing on the line yet
};

void draw_code_line(Context& context, const AnswerLine& line) {
  ImGui::PushFont(context.theme.mono);
  const std::string number = fmt::format("{:>4} ", line.source_line);
  text(number, colour::faint());
  ImGui::SameLine(0, 0);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string_view code = line.parts.front().text;
  text(code, colour::plain_code());
  const float bottom = ImGui::GetItemRectMax().y;
  if (line.mark_begin < line.mark_end) {
    const float left = at.x + size_of(code.substr(0, line.mark_begin)).x;
    const float right = at.x + size_of(code.substr(0, line.mark_end)).x;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled({left, at.y}, {right, bottom}, colour::with_alpha(colour::warning(), 50), 2.0F);
    // Like the caret below a line in a message of a compiler.
    list.AddLine({left, bottom}, {right, bottom}, colour::warning(), context.theme.px(2));
  }
  ImGui::PopFont();
  tooltip_for_item(code);
}

}  // namespace

void wrapped_text(std::string_view words, ImU32 ink) {
  ImGui::PushTextWrapPos(0.0F);
  text(words, ink);
  ImGui::PopTextWrapPos();
}

void draw_answer_line(Context& context, const AnswerLine& line) {
  if (line.style == AnswerStyle::Code) {
    draw_code_line(context, line);
    return;
  }
  if (line.style == AnswerStyle::Bullet) {
    ImGui::Bullet();
    ImGui::SameLine(0, ImGui::GetFontSize() * 0.45F);
  }
  Paragraph paragraph(context, line.style == AnswerStyle::Dim ? colour::dim() : colour::text());
  for (const AnswerPart& part : line.parts) {
    if (part.item.kind == ItemKind::None || part.item.row == kNoRow) {
      paragraph.words(part.text);
    } else {
      paragraph.link_to(part.item, part.text);
    }
  }
}

std::string answer_words(std::span<const AnswerLine> lines) {
  std::string words;
  for (const AnswerLine& line : lines) {
    if (!words.empty()) words += ' ';
    for (const AnswerPart& part : line.parts) words += part.text;
  }
  return words;
}

void draw_answer_lines(Context& context, std::span<const AnswerLine> lines, std::string_view element) {
  if (lines.empty()) return;
  ImGui::BeginGroup();
  for (const AnswerLine& line : lines) draw_answer_line(context, line);
  ImGui::EndGroup();
  if (!element.empty() && context.elements.recording()) context.elements.add_item(element, answer_words(lines));
}

}  // namespace depscope::viewers
