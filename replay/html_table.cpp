#include "html_table.h"

#include <fmt/format.h>

#include <array>

#include "depscope/runtime/submission.h"

namespace depscope::replay {
namespace {

/// A shape beside every colour: neither needs the other.
struct TagShape {
  std::string_view name, shape;
};
constexpr std::array<TagShape, 6> kShapes{{
    {"user", "■"},
    {"compiler", "▲"},
    {"fence", "◆"},
    {"creator", "●"},
    {"tensormap", "▼"},
    {"explicit", "○"},
}};

}  // namespace

HtmlTable::HtmlTable(HtmlWriter& out, std::string_view id, std::string_view caption, std::initializer_list<HtmlColumn> columns,
                     bool filter)
    : out_(out) {
  out_.raw(R"(<div class="box" tabindex="0" role="region" aria-label=")").text(caption).raw("\"><table id=\"").raw(id);
  out_.raw(filter ? "\" data-filter=\"" : "\" aria-label=\"").text(caption).raw("\"><thead><tr>");
  for (const HtmlColumn& column : columns)
    out_.raw(column.number ? R"(<th scope="col" class="n">)" : "<th scope=\"col\">").text(column.title).raw("</th>");
  out_.raw("</tr></thead><tbody>\n");
}

HtmlTable& HtmlTable::row(std::string_view id) {
  if (in_row_) out_.raw("</tr>\n");
  in_row_ = true;
  if (id.empty()) {
    out_.raw("<tr>");
  } else {
    out_.raw("<tr id=\"").raw(id).raw("\">");
  }
  return *this;
}

HtmlTable& HtmlTable::cell(std::string_view text) {
  out_.raw("<td>").text(text).raw("</td>");
  return *this;
}

HtmlTable& HtmlTable::open(std::string_view attributes) {
  out_.raw("<td").raw(attributes).raw(">");
  return *this;
}

HtmlTable& HtmlTable::close() {
  out_.raw("</td>");
  return *this;
}

void HtmlTable::end() { out_.raw(in_row_ ? "</tr>\n</tbody></table></div>\n" : "</tbody></table></div>\n"); }

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void left_out(HtmlWriter& out, std::uint64_t shown, std::uint64_t total, std::string_view what, std::string_view which,
              std::string_view command) {
  if (shown >= total) return;
  out.raw("<p class=\"more\">Shown: ").number(shown).raw(" of ").number(total).raw(" ").text(what);
  if (!which.empty()) out.raw(", ").text(which);
  out.raw(".");
  if (!command.empty()) out.raw(" All of them: <code>").text(command).raw("</code>");
  out.raw("</p>\n");
}

void empty_state(HtmlWriter& out, std::string_view why) { out.raw("<p class=\"empty\">").text(why).raw("</p>\n"); }

void flag_tags(HtmlWriter& out, std::uint8_t flags, std::uint8_t before) {
  const std::uint8_t gone = before & static_cast<std::uint8_t>(~flags);
  if ((flags | gone) == 0) out.raw("<span class=\"flag\">none</span>");
  for (const std::uint8_t flag : {runtime::kWait, runtime::kRetain}) {
    if (((flags | gone) & flag) == 0) continue;
    const std::string_view name = flag == runtime::kWait ? "wait" : "retain";
    out.raw("<span class=\"flag ").raw(name).raw("\">");
    out.raw((gone & flag) != 0 ? "<del>" : "").raw(name).raw((gone & flag) != 0 ? "</del>" : "").raw("</span> ");
  }
}

void provenance_tags(HtmlWriter& out, std::uint8_t bits) {
  for (const std::string_view name : runtime::provenance_names(bits)) {
    std::string_view shape;
    for (const TagShape& s : kShapes) shape = s.name == name ? s.shape : shape;
    out.raw("<span class=\"tag ").raw(name).raw(R"("><i aria-hidden="true">)").raw(shape).raw("</i>").raw(name).raw("</span> ");
  }
}

}  // namespace depscope::replay
