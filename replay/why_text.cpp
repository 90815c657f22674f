// An answer as text and as JSON.
#include <fmt/format.h>

#include "depscope/pass/decisions.h"
#include "depscope/replay/why.h"
#include "explain_words.h"
#include "json_writer.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

constexpr std::size_t kLabel = 10;  // columns before the text of a line

std::string kind_text(const WhyMeeting& m) {
  return m.kinds == 0 ? fmt::format("none on {}: both only read", m.root) : fmt::format("{} on {}", kinds_text(m.kinds), m.root);
}

}  // namespace

std::string why_text(const WhyAnswer& a) {
  TextLines out;
  const auto line = [&](std::string_view label, std::string_view text, std::size_t indent = 0) {
    if (!text.empty()) out.line(indent, fmt::format("{:<{}}{}", label, kLabel - indent, text), kLabel - indent);
  };
  if (a.second == kNoRow) {
    line("answer", fmt::format("no task: {}", a.code));
  } else {
    line("question", fmt::format("{} -> {}", a.first_text, a.second_text));
    if (a.swapped) line("", "asked the other way round: edges lead from earlier calls to later ones");
    line("answer", fmt::format("{}: {}{}", a.edge ? "an edge" : "no edge", a.code,
                               a.runtime ? " (the passes give none, the runtime finds one)" : ""));
  }
  line("", a.sentence);
  for (const std::string& edge : a.edges) line("edge", edge);
  if (a.meetings.empty()) {
    line("kind", "none");
    line("bytes", a.shared);
  }
  for (const WhyMeeting& m : a.meetings) {
    line("kind", m.verdict.empty() ? kind_text(m) : fmt::format("{}: {}", kind_text(m), m.verdict));
    line("first", m.first, 2);
    line("second", m.second, 2);
    line("bytes", m.shared, 2);
  }
  line("region", a.region);
  for (std::size_t i = 0; i < a.path.size(); ++i) line(i == 0 ? "through" : "", a.path[i]);
  line("run", a.run);
  line("rule", a.rule);
  line("where", a.where);
  line("change", a.change);
  return out.take();
}

std::string why_json(const Recording& r, const WhyAnswer& a) {
  std::string text;
  const TextOutput output = [&](std::string_view piece) { text.append(piece); };
  JsonWriter out(output);
  const auto site = [&](std::string_view key, std::uint32_t row) {
    if (row == kNoRow) {
      out.null_field(key);
      return;
    }
    const auto& s = r.call_sites;
    out.key(key).begin_object().field("function", r.text(r.functions.name[s.function[row]])).field("call", s.index[row]);
    out.field("callee", r.text(s.callee[row])).field("line", s.line[row]).end_object();
  };
  const auto number = [&](std::string_view key, const std::optional<std::uint64_t>& value) {
    if (value) {
      out.field(key, *value);
    } else {
      out.null_field(key);
    }
  };
  const auto list = [&](std::string_view key, const std::vector<std::string>& values) {
    out.key(key).begin_list();
    for (const std::string& value : values) out.value(std::string_view(value));
    out.end_list();
  };
  const auto maybe = [&](std::string_view key, std::string_view value) {
    if (value.empty()) {
      out.null_field(key);
    } else {
      out.field(key, value);
    }
  };
  out.begin_object().break_lines().field("schema", "depscope.facts/1");
  out.key("findings").begin_list().end_list();
  out.key("why").begin_object().break_lines();
  site("first", a.first);
  site("second", a.second);
  out.field("swapped", a.swapped).field("edge", a.edge).field("runtime", a.runtime).field("code", std::string_view(a.code));
  out.field("sentence", std::string_view(a.sentence));
  list("edges", a.edges);
  out.key("meetings").begin_list().break_lines();
  for (const WhyMeeting& m : a.meetings) {
    out.begin_object().key("kind").begin_list();
    for (const std::string_view kind : pass::hazard_kind_names(m.kinds)) out.value(kind);
    out.end_list();
    out.field("root", std::string_view(m.root)).field("first", std::string_view(m.first));
    out.field("second", std::string_view(m.second));
    number("elements", m.elements);
    number("bytes", m.bytes);
    out.field("shared", std::string_view(m.shared));
    maybe("verdict", m.verdict);
    out.end_object();
  }
  out.end_list();
  maybe("shared", a.shared);
  maybe("region", a.region);
  list("path", a.path);
  maybe("run", a.run);
  out.field("rule", std::string_view(a.rule)).field("where", std::string_view(a.where));
  out.field("change", std::string_view(a.change));
  out.end_object().end_object().finish();
  return text;
}

}  // namespace depscope::replay
