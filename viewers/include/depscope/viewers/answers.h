// Questions that a person asks of a selected item, answered in sentences with links. What is said here is drawn by the inspector
// and by the panels, and copied to the clipboard; nothing here draws.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "depscope/viewers/document.h"
#include "depscope/viewers/selection.h"

namespace depscope::viewers {

/// A piece of a sentence; with an item it is a link to it.
struct AnswerPart {
  std::string text;
  Item item;
};

enum class AnswerStyle : std::uint8_t {
  Plain,
  Bullet,
  Dim,   ///< beside the point
  Code,  ///< a line of the input
};

struct AnswerLine {
  std::vector<AnswerPart> parts;
  AnswerStyle style = AnswerStyle::Plain;
  std::uint32_t mark_begin = 0, mark_end = 0;  ///< Code: the bytes that it is about, none if they are equal
  std::uint32_t source_line = 0;               ///< Code: 1-based line of the input
};

struct Answer {
  std::string question;
  std::vector<AnswerLine> lines;
};

/// Puts an answer together, sentence by sentence.
class AnswerText {
 public:
  explicit AnswerText(std::string question) { answer_.question = std::move(question); }

  /// Begins a line with a text.
  AnswerText& line(std::string text, AnswerStyle style = AnswerStyle::Plain);
  AnswerText& bullet(std::string text) { return line(std::move(text), AnswerStyle::Bullet); }
  /// Goes on in the line that was begun last.
  AnswerText& say(std::string text);
  AnswerText& link(Item item, std::string label);
  /// A line of the input, with the bytes of `name` marked where it has them; nothing if there is no such line.
  AnswerText& code(const Document& document, std::uint32_t line, std::string_view name = {});
  /// All lines of another answer, without its question.
  AnswerText& append(const Answer& other);
  [[nodiscard]] Answer take() { return std::move(answer_); }

 private:
  Answer answer_;
};

/// Lists in an answer end after this many; the rest is counted.
inline constexpr std::size_t kMaxAnswerItems = 12;

[[nodiscard]] std::string answer_text(const Answer& answer);
/// Lines of all answers, questions as headings.
[[nodiscard]] std::string answers_text(const std::vector<Answer>& answers);
/// [{"question":…,"lines":[…]}, …] on one line.
[[nodiscard]] std::string answers_json(const std::vector<Answer>& answers);

/// Text of a 1-based line of the input, without its newline; empty if there is none.
[[nodiscard]] std::string_view source_line(const Document& document, std::uint32_t line);
/// First place of a name in a line where it stands as a whole word; [0, 0) if it does not.
[[nodiscard]] std::pair<std::uint32_t, std::uint32_t> find_word(std::string_view line, std::string_view name);

// Of tasks, at the cursor.
[[nodiscard]] Answer why_waiting(const Document& document, std::uint32_t task);
[[nodiscard]] Answer why_alive(const Document& document, std::uint32_t task);
// Of edges.
[[nodiscard]] Answer who_asked(const Document& document, std::uint32_t edge);
[[nodiscard]] Answer where_did_wait_go(const Document& document, std::uint32_t edge);
// Of what the passes decided.
[[nodiscard]] Answer why_direction(const Document& document, std::uint32_t argument);
[[nodiscard]] Answer why_rewritten(const Document& document, std::uint32_t argument);
[[nodiscard]] Answer why_region(const Document& document, std::uint32_t region);
/// Whether an edge leads from one call to another, and why; the calls are of one function.
[[nodiscard]] Answer why_pair(const Document& document, std::uint32_t first_site, std::uint32_t second_site);
// Of memory.
[[nodiscard]] Answer who_writes(const Document& document, std::uint32_t tensor);
[[nodiscard]] Answer who_reads(const Document& document, std::uint32_t tensor);
[[nodiscard]] Answer how_long_alive(const Document& document, std::uint32_t tensor);
[[nodiscard]] Answer what_is_touched(const Document& document, std::uint32_t access);

/// Of a finding that the recording holds: tasks, edge, call site, event and line of the input.
[[nodiscard]] Answer where_found(const Document& document, std::uint32_t finding);

/// "name FLOAT32 [64, 64] + 128" of an access.
[[nodiscard]] std::string access_label(const Document& document, std::uint32_t access);
/// What an item is called: "fill t12", "argument x of main call 3 fill", …
[[nodiscard]] std::string item_label(const Document& document, Item item);

/// All questions that are answered about an item, in the order of the inspector. Answers about a state are those at the cursor.
[[nodiscard]] std::vector<Answer> answers_about(const Document& document, Item item);

}  // namespace depscope::viewers
