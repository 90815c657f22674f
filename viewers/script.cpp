#include "depscope/viewers/script.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "depscope/base/diagnostics.h"

namespace depscope::viewers {
namespace {

/// One line of a script: a word at a time, or the rest.
class Words {
 public:
  explicit Words(std::string_view line) : line_(line) { skip(); }

  [[nodiscard]] bool done() const { return at_ >= line_.size() || line_[at_] == '#'; }
  [[nodiscard]] std::uint32_t column() const { return static_cast<std::uint32_t>(at_ + 1); }
  [[nodiscard]] bool quoted() const { return at_ < line_.size() && line_[at_] == '"'; }

  std::string_view word() {
    const std::size_t end = std::min(line_.find_first_of(" \t", at_), line_.size());
    const std::string_view result = line_.substr(at_, end - at_);
    at_ = end;
    skip();
    return result;
  }
  std::string_view rest() {
    std::string_view result = line_.substr(std::min(at_, line_.size()));
    at_ = line_.size();
    while (result.ends_with(' ') || result.ends_with('\t')) result.remove_suffix(1);
    return result;
  }
  /// "TEXT" with \" and \\ escapes; nothing if it does not close.
  std::optional<std::string> string() {
    std::string result;
    for (std::size_t i = at_ + 1; i < line_.size(); ++i) {
      if (line_[i] == '\\' && i + 1 < line_.size() && (line_[i + 1] == '"' || line_[i + 1] == '\\')) {
        result += line_[++i];
      } else if (line_[i] == '"') {
        at_ = i + 1;
        skip();
        return result;
      } else {
        result += line_[i];
      }
    }
    return std::nullopt;
  }

 private:
  void skip() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
  }

  std::string_view line_;
  std::size_t at_ = 0;
};

class Parser {
 public:
  Parser(Words& words, ScriptCommand& command) : words_(words), command_(command) {}

  /// What is wrong with the line, empty if nothing.
  std::string parse() {
    const std::string_view verb = words_.word();
    const std::string error = arguments(verb);
    if (error.empty() && !words_.done()) return fmt::format("'{}' takes no more than this", verb);
    return error;
  }

 private:
  using Verb = ScriptVerb;

  std::string arguments(std::string_view verb) {
    if (verb == "key") return key();
    if (verb == "mouse") return set(Verb::Mouse), point(command_.x, command_.y);
    if (verb == "click") {
      if (words_.quoted()) return set(Verb::ClickLabel), text(true);
      return set(Verb::Click), point(command_.x, command_.y);
    }
    if (verb == "hover") return set(Verb::HoverLabel), text(true);
    if (verb == "drag") {
      set(Verb::Drag);
      const std::string error = point(command_.x, command_.y);
      return error.empty() ? point(command_.to_x, command_.to_y) : error;
    }
    if (verb == "wheel") return set(Verb::Wheel), real(command_.y, "a number of notches, positive up");
    if (verb == "type") return set(Verb::Type), free_text("the text to type");
    if (verb == "wait") return set(Verb::Wait), whole(command_.count, kMaxScriptWait, "a number of frames");
    if (verb == "seek") return set(Verb::Seek), whole(command_.count, 0xffffffffU, "an event position");
    if (verb == "screenshot") return set(Verb::Screenshot), free_text("a file name");
    if (verb == "panel") return set(Verb::Panel), free_text("the name of a panel");
    if (verb == "select") return select();
    if (verb == "expect") return set(Verb::Expect), text(false);
    if (verb == "expect-not") return set(Verb::ExpectNot), text(false);
    if (verb == "action") return set(Verb::Action), text(true);
    if (verb == "wait-for") return set(Verb::WaitFor), text(false);
    if (verb == "dump") return set(Verb::Dump), free_text("a file name");
    if (verb == "expect-legible") return set(Verb::ExpectLegible), std::string();
    if (verb == "click-element") return set(Verb::ClickElement), text(true);
    if (verb == "right-click-element") return set(Verb::RightClickElement), text(true);
    if (verb == "double-click-element") return set(Verb::DoubleClickElement), text(true);
    if (verb == "hover-element") return set(Verb::HoverElement), text(true);
    if (verb == "drag-element") {
      set(Verb::DragElement);
      const std::string error = text(true);
      return error.empty() ? point(command_.to_x, command_.to_y) : error;
    }
    if (verb == "expect-element") return set(Verb::ExpectElement), element();
    if (verb == "expect-no-element") return set(Verb::ExpectNoElement), text(true);
    if (verb == "open") return set(Verb::Open), free_text("a path");
    if (verb == "open-b") return set(Verb::OpenB), free_text("a path");
    if (verb == "open-async") return set(Verb::OpenAsync), free_text("a path");
    if (verb == "drop") return set(Verb::Drop), element();
    if (verb == "expect-clipboard") return set(Verb::ExpectClipboard), text(false);
    if (verb == "quit") return set(Verb::Quit), std::string();
    return fmt::format("unknown command '{}'", verb);
  }

  void set(Verb verb) { command_.verb = verb; }

  std::string key() {
    set(Verb::Key);
    const std::string_view name = words_.done() ? std::string_view() : words_.word();
    const auto parsed = key_from_name(name);
    if (!parsed) return fmt::format("'{}' is not a key; write for example F1, ctrl+f, shift+n, alt+left", name);
    command_.key = *parsed;
    return {};
  }

  std::string real(float& value, std::string_view what) {
    const std::string_view word = words_.done() ? std::string_view() : words_.word();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool good = error == std::errc() && end == word.data() + word.size() && value > -1e6F && value < 1e6F;
    return good ? std::string() : fmt::format("expected {}, found '{}'", what, word);
  }
  std::string point(float& x, float& y) {
    const std::string error = real(x, "a number of pixels");
    return error.empty() ? real(y, "a number of pixels") : error;
  }
  std::string whole(std::uint32_t& value, std::uint32_t limit, std::string_view what) {
    const std::string_view word = words_.done() ? std::string_view() : words_.word();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return fmt::format("expected {}, found '{}'", what, word);
    return value <= limit ? std::string() : fmt::format("{} is above the limit of {}", value, limit);
  }
  std::string text(bool label) {
    if (!words_.quoted()) return label ? "expected a label in double quotes" : "expected a text in double quotes";
    auto parsed = words_.string();
    if (!parsed) return "the text in double quotes does not end on this line";
    if (parsed->empty()) return "the text in double quotes is empty";
    command_.text = std::move(*parsed);
    return {};
  }
  std::string element() {
    std::string error = text(true);
    if (!error.empty() || !words_.quoted()) return error;
    std::string name = std::move(command_.text);
    error = text(false);
    command_.second_text = std::exchange(command_.text, std::move(name));
    return error;
  }
  std::string free_text(std::string_view what) {
    if (words_.quoted()) return text(false);
    command_.text = words_.done() ? std::string() : std::string(words_.rest());
    return command_.text.empty() ? fmt::format("expected {}", what) : std::string();
  }
  std::string select() {
    set(Verb::Select);
    const std::string_view name = words_.done() ? std::string_view() : words_.word();
    const auto kind = item_kind_from_name(name);
    if (!kind) return fmt::format("'{}' cannot be selected; write task, edge, scope, call-site, pass, event, …", name);
    command_.item.kind = *kind;
    return whole(command_.item.row, 0xfffffffeU, "a row number");
  }

  Words& words_;
  ScriptCommand& command_;
};

}  // namespace

std::vector<ScriptCommand> parse_script(const std::string& file, std::string_view text) {
  std::vector<ScriptCommand> commands;
  std::vector<Diagnostic> errors;
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    Words words(line);
    if (words.done()) continue;
    ScriptCommand command;
    command.line = number;
    std::string error = Parser(words, command).parse();
    if (error.empty()) {
      commands.push_back(std::move(command));
    } else {
      Diagnostic diagnostic;
      diagnostic.file = file;
      diagnostic.line = number;
      diagnostic.column = 1;
      diagnostic.message = std::move(error);
      diagnostic.source_line = std::string(line);
      errors.push_back(std::move(diagnostic));
    }
  }
  if (!errors.empty()) throw InputError(std::move(errors));
  return commands;
}

}  // namespace depscope::viewers
