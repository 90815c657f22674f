// The passes that ran, and what each of them changed; the program as it was given.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "html_diff.h"
#include "html_sections.h"
#include "program_pieces.h"

namespace depscope::replay {
namespace {

using recording::Recording;

constexpr std::string_view kAllTexts = "depscope run FILE --dump-passes DIR";
constexpr std::size_t kOpenLines = 30;  // a difference of more lines is folded at first
constexpr std::size_t kOpenInAll = 150;

/// What of the page's room for differences is left, in lines.
struct Room {
  std::uint32_t lines = 0;
  std::size_t open = kOpenInAll;
};

struct PieceDiff {
  std::string_view name;  ///< of a function; empty for the whole text
  std::vector<DiffLine> lines;
  std::uint64_t removed = 0, added = 0;
};

PieceDiff piece_diff(std::string_view name, std::string_view before, std::string_view after) {
  PieceDiff out{name, diff_lines(before, after)};
  for (const DiffLine& line : out.lines) {
    out.removed += line.kind == DiffLine::Kind::Removed || line.kind == DiffLine::Kind::Changed ? 1U : 0U;
    out.added += line.kind == DiffLine::Kind::Added || line.kind == DiffLine::Kind::Changed ? 1U : 0U;
  }
  return out;
}

void write_piece(const HtmlPage& page, const PieceDiff& piece, Room& room) {
  HtmlWriter& out = page.out;
  const std::string counts = fmt::format("−{} +{}", piece.removed, piece.added);
  const std::size_t changed = piece.removed + piece.added;
  const bool open = changed <= std::min(kOpenLines, room.open);
  if (open) room.open -= changed;
  out.raw(open ? "<details class=\"piece\" open><summary><code>" : "<details class=\"piece\"><summary><code>");
  page.text(piece.name.empty() ? "the whole program" : piece.name);
  out.raw("</code> <span class=\"dim\">")
      .text(counts)
      .raw(piece.removed + piece.added == 1 ? " line" : " lines")
      .raw("</span></summary>\n");
  const std::uint64_t total = piece.lines.size();
  const std::uint64_t no_room = html_diff(out, piece.lines, room.lines, page.o.max_text);
  left_out(out, total - no_room, total, "lines", "the differences of this page are full", kAllTexts);
  out.raw("</details>\n");
}

void changed_pass(const HtmlPage& page, std::uint32_t pass, Room& room) {
  const Recording& r = page.r;
  const std::string_view before = r.text(r.passes.text[pass - 1]);
  const std::string_view after = r.text(r.passes.text[pass]);
  page.out.raw("<h3 id=\"pass-").number(pass).raw("\">").text(fmt::format("{:02} ", pass)).text(r.text(r.passes.name[pass]));
  page.out.raw("</h3>\n");
  if (before == after) return empty_state(page.out, "The printed text is the same: what changed does not show in it.");
  const ProgramPieces pieces_b(before);
  const ProgramPieces pieces_a(after);
  std::uint64_t left = 0;
  bool any = false;
  const auto piece = [&](std::string_view name, std::string_view b, std::string_view a) {
    any = true;
    if (room.lines == 0) {
      ++left;
      return;
    }
    write_piece(page, piece_diff(name, b, a), room);
  };
  for (const std::string_view name : pieces_b.names()) {
    if (pieces_b.function(name) != pieces_a.function(name)) piece(name, pieces_b.function(name), pieces_a.function(name));
  }
  for (const std::string_view name : pieces_a.names()) {
    if (pieces_b.function(name).empty()) piece(name, {}, pieces_a.function(name));
  }
  if (!any) piece({}, before, after);
  if (left != 0) {
    page.out.raw("<p class=\"more\">").text(counted(left, "further function", "further functions"));
    page.out.raw(" changed: the differences of this page are full. All texts: <code>").text(kAllTexts).raw("</code></p>\n");
  }
}

void pass_table(const HtmlPage& page) {
  const Recording& r = page.r;
  HtmlTable table(page.out, "pass-list", "Passes", {{"", true}, {"Pass"}, {"Result"}});
  for (std::uint32_t p = 0; p < r.passes.rows(); ++p) {
    table.row().number(p).open();
    const bool changed = p != 0 && r.passes.changed[p] != 0;
    if (changed) page.out.raw("<a href=\"#pass-").number(p).raw("\">");
    page.text(r.text(r.passes.name[p]));
    page.out.raw(changed ? "</a>" : "");
    table.close().open();
    page.out.raw(p == 0    ? "<span class=\"dim\">input</span>"
                 : changed ? R"(<b class="changed"><i aria-hidden="true">◆</i> changed</b>)"
                           : R"(<span class="dim"><i aria-hidden="true">○</i> no-op</span>)");
    table.close();
  }
  table.end();
}

/// What the verifiers said of properties that a pass needs or promises.
void messages(const HtmlPage& page) {
  const Recording& r = page.r;
  for (std::uint32_t p = 0; p < r.passes.rows(); ++p) {
    const std::uint32_t count = r.passes.message_begin_count[p];
    if (count == 0) continue;
    page.out.raw("<p>The verifier after <code>");
    page.text(r.text(r.passes.name[p]));
    page.out.raw("</code>:</p><ul>");
    for (std::uint32_t m = 0; m < std::min(count, page.o.max_items); ++m) {
      page.out.raw("<li>");
      page.text(r.text(r.pool[r.passes.message_begin[p] + m]));
      page.out.raw("</li>");
    }
    page.out.raw("</ul>\n");
    left_out(page.out, page.o.max_items, count, "messages", "", "depscope export FILE --format csv --table passes -o OUT");
  }
}

void program(const HtmlPage& page) {
  if (page.input_lines == 0) return;
  HtmlWriter& out = page.out;
  out.raw("<details id=\"program\"><summary>The input, <code>");
  page.text(page.r.input_name);
  out.raw("</code></summary>\n<div class=\"code\" tabindex=\"0\">\n");
  std::string_view rest = page.r.input_text;
  for (std::uint32_t number = 1; number <= page.input_lines; ++number) {
    const std::size_t end = rest.find('\n');
    out.raw(R"(<div class="l" id="line-)").number(number).raw(R"("><span class="no">)").number(number).raw("</span>");
    page.text(rest.substr(0, end));
    out.raw("</div>\n");
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  out.raw("</div>\n");
  const auto more = static_cast<std::uint64_t>(std::count(rest.begin(), rest.end(), '\n'));
  left_out(out, page.input_lines, page.input_lines + more, "lines", "", "");
  out.raw("</details>\n");
}

}  // namespace

void html_passes(const HtmlPage& page) {
  const Recording& r = page.r;
  if (r.passes.rows() == 0) {
    bool imported = false;
    for (std::uint32_t i = 0; i < r.options.rows(); ++i) imported = imported || r.text(r.options.name[i]) == "imported";
    return empty_state(
        page.out,
        imported
            ? "The input is the task graph of a run: no pass ran here, so that there are no regions and directions either."
            : "The input is a list of submits, not a program: no pass ran, so that there are no regions and directions either.");
  }
  pass_table(page);
  messages(page);
  Room room{page.o.max_diff_lines};
  for (std::uint32_t p = 1; p < r.passes.rows(); ++p) {
    if (r.passes.changed[p] != 0) changed_pass(page, p, room);
  }
  program(page);
}

}  // namespace depscope::replay
