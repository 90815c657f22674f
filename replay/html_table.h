// Tables, tags and lines that say what is left out. Private.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "html_writer.h"

namespace depscope::replay {

struct HtmlColumn {
  std::string_view title;
  bool number = false;
};

/// A table in a box of its own, which scrolls where the page is too narrow. Rows end when the next begins.
class HtmlTable {
 public:
  /// `filter`: the script may put a field above it that filters its rows.
  HtmlTable(HtmlWriter& out, std::string_view id, std::string_view caption, std::initializer_list<HtmlColumn> columns,
            bool filter = false);
  HtmlTable(const HtmlTable&) = delete;
  HtmlTable& operator=(const HtmlTable&) = delete;

  HtmlTable& row(std::string_view id = {});
  HtmlTable& cell(std::string_view text);
  template <std::integral T>
  HtmlTable& number(T value) {
    open(" class=\"n\"");
    out_.number(value).raw("</td>");
    return *this;
  }
  /// A cell with markup: what is written between the two calls.
  HtmlTable& open(std::string_view attributes = {});
  HtmlTable& close();
  void end();

 private:
  HtmlWriter& out_;
  bool in_row_ = false;
};

/// "1 edge", "2 edges"; "1 unchanged".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

/// A line below a list that shows `shown` of `total`; nothing if that is all. `which` says which ones, `command` prints the rest.
void left_out(HtmlWriter& out, std::uint64_t shown, std::uint64_t total, std::string_view what, std::string_view which,
              std::string_view command);

/// Wherever something has nothing to show: one line that says why.
void empty_state(HtmlWriter& out, std::string_view why);

/// Flags of an edge as tags, "none" for none; what `before` had and `flags` has not is struck out.
void flag_tags(HtmlWriter& out, std::uint8_t flags, std::uint8_t before = 0);
/// One tag for every source of an edge.
void provenance_tags(HtmlWriter& out, std::uint8_t bits);

}  // namespace depscope::replay
