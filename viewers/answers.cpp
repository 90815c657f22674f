#include "depscope/viewers/answers.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "depscope/ir/text.h"

namespace depscope::viewers {
namespace {

bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::string line_text(const AnswerLine& line) {
  std::string text;
  if (line.style == AnswerStyle::Bullet) text = "- ";
  if (line.style == AnswerStyle::Code) text = fmt::format("    {:>4}  ", line.source_line);
  const std::size_t margin = text.size();
  for (const AnswerPart& part : line.parts) text += part.text;
  if (line.mark_begin < line.mark_end) {
    text += '\n';
    text.append(margin + line.mark_begin, ' ');
    text.append(line.mark_end - line.mark_begin, '^');
  }
  return text;
}

}  // namespace

AnswerText& AnswerText::line(std::string text, AnswerStyle style) {
  answer_.lines.push_back({{{std::move(text), {}}}, style, 0, 0, 0});
  return *this;
}

AnswerText& AnswerText::say(std::string text) {
  if (answer_.lines.empty()) return line(std::move(text));
  answer_.lines.back().parts.push_back({std::move(text), {}});
  return *this;
}

AnswerText& AnswerText::link(Item item, std::string label) {
  if (answer_.lines.empty()) line({});
  answer_.lines.back().parts.push_back({std::move(label), item});
  return *this;
}

AnswerText& AnswerText::code(const Document& document, std::uint32_t line, std::string_view name) {
  const std::string_view source = source_line(document, line);
  const std::size_t indent = source.find_first_not_of(" \t");
  if (indent == std::string_view::npos) return *this;
  const std::string_view shown = source.substr(indent);
  AnswerLine code{{{std::string(shown), {}}}, AnswerStyle::Code, 0, 0, line};
  std::tie(code.mark_begin, code.mark_end) = find_word(shown, ir::source_name(name));
  answer_.lines.push_back(std::move(code));
  return *this;
}

AnswerText& AnswerText::append(const Answer& other) {
  answer_.lines.insert(answer_.lines.end(), other.lines.begin(), other.lines.end());
  return *this;
}

std::string answer_text(const Answer& answer) {
  std::string text = answer.question + '\n';
  for (const AnswerLine& line : answer.lines) text += "  " + line_text(line) + '\n';
  return text;
}

std::string answers_text(const std::vector<Answer>& answers) {
  std::string text;
  for (const Answer& answer : answers) text += (text.empty() ? "" : "\n") + answer_text(answer);
  return text;
}

std::string answers_json(const std::vector<Answer>& answers) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Answer& answer : answers) {
    nlohmann::ordered_json lines = nlohmann::ordered_json::array();
    for (const AnswerLine& line : answer.lines) {
      std::string words;
      for (const AnswerPart& part : line.parts) words += part.text;
      lines.push_back(std::move(words));
    }
    all.push_back({{"question", answer.question}, {"lines", std::move(lines)}});
  }
  return all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string_view source_line(const Document& document, std::uint32_t line) {
  std::string_view text = document.recording().input_text;
  if (line == 0) return {};
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

std::pair<std::uint32_t, std::uint32_t> find_word(std::string_view line, std::string_view name) {
  if (name.empty()) return {0, 0};
  // In `x = self.f(x)` the argument is meant, not the result: what stands behind the first bracket counts first.
  const std::size_t bracket = line.find('(');
  for (const std::size_t from : {bracket == std::string_view::npos ? std::size_t{0} : bracket, std::size_t{0}}) {
    for (std::size_t at = line.find(name, from); at != std::string_view::npos; at = line.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      if ((at == 0 || !in_name(line[at - 1])) && (end == line.size() || !in_name(line[end])))
        return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
    }
  }
  return {0, 0};
}

std::string item_label(const Document& document, Item item) {
  const auto& r = document.recording();
  switch (item.kind) {
    case ItemKind::Task: return document.task_label(item.row);
    case ItemKind::Edge: return document.edge_label(item.row);
    case ItemKind::Scope: return document.scope_label(item.row);
    case ItemKind::CallSite: return document.call_site_label(item.row);
    case ItemKind::Pass: return "pass " + document.pass_label(item.row);
    case ItemKind::None: return "nothing";
    case ItemKind::Argument:
      if (item.row >= r.arguments.rows()) return "no argument";
      return fmt::format("argument {} of {}", ir::source_name(r.text(r.arguments.name[item.row])),
                         document.call_site_label(r.arguments.call_site[item.row]));
    case ItemKind::Access:
      if (item.row >= r.accesses.rows()) return "no access";
      return fmt::format("argument {} of {}", r.accesses.arg[item.row], document.task_label(r.accesses.task[item.row]));
    case ItemKind::Tensor:
      if (item.row >= r.tensors.rows() || r.text(r.tensors.name[item.row]).empty()) return fmt::format("tensor {}", item.row);
      return fmt::format("tensor {} {}", item.row, r.text(r.tensors.name[item.row]));
    case ItemKind::Event:
    case ItemKind::Region:
    case ItemKind::Hazard:
    case ItemKind::Finding: return fmt::format("{} {}", item_kind_name(item.kind), item.row);
  }
  return {};
}

std::vector<Answer> answers_about(const Document& document, Item item) {
  switch (item.kind) {
    case ItemKind::Task: return {why_waiting(document, item.row), why_alive(document, item.row)};
    case ItemKind::Edge: return {who_asked(document, item.row), where_did_wait_go(document, item.row)};
    case ItemKind::Region: return {why_region(document, item.row)};
    case ItemKind::Argument: return {why_direction(document, item.row), why_rewritten(document, item.row)};
    case ItemKind::Tensor:
      return {who_writes(document, item.row), who_reads(document, item.row), how_long_alive(document, item.row)};
    case ItemKind::Access: {
      const std::uint32_t tensor = document.recording().accesses.tensor[item.row];
      std::vector<Answer> answers{what_is_touched(document, item.row)};
      if (tensor < document.recording().tensors.rows()) {
        answers.push_back(who_writes(document, tensor));
        answers.push_back(who_reads(document, tensor));
        answers.push_back(how_long_alive(document, tensor));
      }
      return answers;
    }
    case ItemKind::None:
    case ItemKind::Scope:
    case ItemKind::CallSite:
    case ItemKind::Pass:
    case ItemKind::Event:
    case ItemKind::Hazard: break;
    case ItemKind::Finding: return {where_found(document, item.row)};
  }
  return {};
}

}  // namespace depscope::viewers
