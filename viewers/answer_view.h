// Draws answers: sentences that wrap, with links in them, and lines of the input with marks.
#pragma once

#include <span>
#include <string_view>

#include "depscope/viewers/answers.h"
#include "depscope/viewers/panel.h"

namespace depscope::viewers {

void draw_answer_line(Context& context, const AnswerLine& line);
/// `element` is noted with the rectangle and the words of all lines, unless it is empty.
void draw_answer_lines(Context& context, std::span<const AnswerLine> lines, std::string_view element = {});
/// The words of lines, for elements.
[[nodiscard]] std::string answer_words(std::span<const AnswerLine> lines);
/// A line of text that wraps at the right edge.
void wrapped_text(std::string_view words, ImU32 colour);

}  // namespace depscope::viewers
