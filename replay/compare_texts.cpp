// Passes that ran, the text of every function after them, and the kinds of loops in the input.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare_report.h"
#include "compare_sequences.h"
#include "match_tables.h"
#include "program_pieces.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

class TextComparison {
 public:
  TextComparison(const ComparisonInput& in, ComparisonReport& report)
      : in_(in), report_(report), names_a_(pass_names(in.a.r)), names_b_(pass_names(in.b.r)) {}

  void run() {
    const Pairs pairs = passes();
    texts(pairs);
    if (!pairs.empty()) loops(pairs.front());
  }

 private:
  using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  Pairs passes() {
    const MatchedRows& rows = in_.rows.passes;
    const auto only = [&](const std::vector<std::string>& names, const std::vector<std::uint32_t>& counterpart, char side) {
      for (std::uint32_t p = 0; p < names.size(); ++p) {
        if (counterpart[p] != kNoRow || !report_.count(DifferenceKind::Pass)) continue;
        const Fields here(names[p]);
        const Difference::Subject subject{DifferenceSubject::Pass, side == 'a' ? p : kNoRow, side == 'b' ? p : kNoRow};
        report_.add(DifferenceKind::Pass, subject, fmt::format("{}: only in {}", names[p], side),
                    {{"pass", names[p]}, {"a", side == 'a' ? here : Fields()}, {"b", side == 'b' ? here : Fields()}});
      }
    };
    only(names_a_, rows.b_of_a, 'a');
    only(names_b_, rows.a_of_b, 'b');
    Pairs pairs;
    for (std::uint32_t p = 0; p < names_a_.size(); ++p) {
      if (rows.b_of_a[p] != kNoRow) pairs.emplace_back(p, rows.b_of_a[p]);
    }
    return pairs;
  }

  struct FunctionChange {
    std::vector<std::string> passes;       ///< after which the texts differ, in more than names if they do after any
    std::uint32_t pass_a = 0, pass_b = 0;  ///< the first of them
    std::string_view text_a, text_b;       ///< after it
    bool names_only = true;                ///< throughout
  };

  void texts(const Pairs& pairs) {
    const Recording& a = in_.a.r;
    const Recording& b = in_.b.r;
    std::vector<FunctionChange> changes(in_.sites.functions.size());
    RenamedFunctions renamed;
    for (const auto& [fa, fb] : in_.sites.functions) {
      const std::string_view name_a = a.text(a.functions.name[fa]);
      const std::string_view name_b = b.text(b.functions.name[fb]);
      if (name_a != name_b) renamed.emplace(name_a, name_b);
    }
    std::uint32_t last_a = 0;
    std::uint32_t last_b = 0;
    ProgramPieces pieces_a;
    ProgramPieces pieces_b;
    for (const auto& [pa, pb] : pairs) {
      const std::uint32_t text_a = a.passes.text[pa];
      const std::uint32_t text_b = b.passes.text[pb];
      if (a.text(text_a) == b.text(text_b)) continue;
      // A pass without effect leaves its text, and with it the pieces, as they were.
      if (text_a != last_a) pieces_a = ProgramPieces(a.text(text_a));
      if (text_b != last_b) pieces_b = ProgramPieces(b.text(text_b));
      last_a = text_a;
      last_b = text_b;
      if (!same_functions(pieces_a, pieces_b, renamed)) in_.rows.passes.mark(pa, DifferenceKind::Function);
      for (std::size_t f = 0; f < changes.size(); ++f) {
        const std::string_view x = pieces_a.function(a.text(a.functions.name[in_.sites.functions[f].first]));
        const std::string_view y = pieces_b.function(b.text(b.functions.name[in_.sites.functions[f].second]));
        if (x == y) continue;
        FunctionChange& change = changes[f];
        const bool names_only = equal_but_for_names(x, y, renamed);
        if (!names_only) {
          in_.rows.passes.mark(pa, DifferenceKind::PassText);
          in_.rows.functions.mark(in_.sites.functions[f].first, DifferenceKind::PassText);
          in_.rows.texts.push_back({pa, in_.sites.functions[f].first});
        }
        if (names_only && !change.passes.empty() && !change.names_only) continue;
        // Where more than names differs is the place to look at.
        if (!names_only && change.names_only) change.passes.clear();
        if (change.passes.empty()) {
          change.pass_a = pa;
          change.pass_b = pb;
          change.text_a = x;
          change.text_b = y;
        }
        change.passes.push_back(names_a_[pa]);
        change.names_only = names_only;
      }
    }
    for (std::size_t f = 0; f < changes.size(); ++f)
      write(changes[f], std::string(a.text(a.functions.name[in_.sites.functions[f].first])));
  }

  /// Whether both texts have the same functions, whatever is in them.
  static bool same_functions(const ProgramPieces& a, const ProgramPieces& b, const RenamedFunctions& renamed) {
    if (a.names().size() != b.names().size()) return false;
    return std::all_of(a.names().begin(), a.names().end(), [&](std::string_view name) {
      const auto other = renamed.find(name);
      return !b.function(other == renamed.end() ? name : other->second).empty();
    });
  }

  void write(const FunctionChange& change, const std::string& function) {
    if (change.passes.empty()) return;
    if (!change.names_only && !report_.count(DifferenceKind::PassText)) return;
    const LineDifference diff = difference_of_lines(change.text_a, change.text_b);
    Fields passes = Fields::array();
    for (const std::string& pass : change.passes) passes.push_back(pass);
    Fields fields{{"function", function},
                  {"pass", change.passes.front()},
                  {"passes", std::move(passes)},
                  {"a", diff.first_a},
                  {"b", diff.first_b}};
    if (change.names_only) fields["names_only"] = true;
    fields["removed"] = diff.removed;
    fields["added"] = diff.added;
    fields["diff"] = diff.lines;
    const std::string where =
        change.passes.front() == "frontend" ? "the input" : fmt::format("the text after {}", change.passes.front());
    Difference* row = report_.add(
        DifferenceKind::PassText, {DifferenceSubject::Pass, change.pass_a, change.pass_b},
        fmt::format("{}: {} {} ({} {} of a, {} of b)", function, where, change.names_only ? "differs in names only" : "differs",
                    diff.removed, diff.removed == 1 ? "line" : "lines", diff.added),
        std::move(fields), change.names_only ? Severity::Info : Severity::Warning);
    if (row != nullptr) row->lines = diff.lines;
  }

  void loops(const std::pair<std::uint32_t, std::uint32_t>& pass) {
    const Recording& a = in_.a.r;
    const Recording& b = in_.b.r;
    const ProgramPieces pieces_a(a.text(a.passes.text[pass.first]));
    const ProgramPieces pieces_b(b.text(b.passes.text[pass.second]));
    for (const auto& [fa, fb] : in_.sites.functions) {
      const std::vector<LoopLine> loops_a = loops_of(pieces_a.function(a.text(a.functions.name[fa])));
      const std::vector<LoopLine> loops_b = loops_of(pieces_b.function(b.text(b.functions.name[fb])));
      KeyNumbers numbers;
      std::vector<SequenceKeys> keys(2);
      const auto add = [&numbers](const std::vector<LoopLine>& loops, std::vector<std::uint32_t>& whole,
                                  std::vector<std::uint32_t>& depth) {
        for (const LoopLine& loop : loops) {
          whole.push_back(numbers.of(fmt::format("{} {}", loop.depth, loop.variables)));
          depth.push_back(numbers.of(fmt::format("depth {}", loop.depth)));
        }
      };
      add(loops_a, keys[0].a, keys[1].a);
      add(loops_b, keys[0].b, keys[1].b);
      auto pairs = match_sequences(keys, Leftover::Unmatched);
      pairs.emplace_back(loops_a.size(), loops_b.size());
      const std::string function(a.text(a.functions.name[fa]));
      const auto loop = [&](const LoopLine* x, const LoopLine* y) {
        in_.rows.functions.mark(fa, DifferenceKind::LoopKind);
        this->loop(function, x, y);
      };
      std::uint32_t i = 0;
      std::uint32_t j = 0;
      for (const auto& [next_i, next_j] : pairs) {
        for (; i < next_i; ++i) loop(&loops_a[i], nullptr);
        for (; j < next_j; ++j) loop(nullptr, &loops_b[j]);
        if (next_i < loops_a.size() && next_j < loops_b.size() && loops_a[next_i].kind != loops_b[next_j].kind)
          loop(&loops_a[next_i], &loops_b[next_j]);
        i = next_i + 1;
        j = next_j + 1;
      }
    }
  }

  void loop(const std::string& function, const LoopLine* a, const LoopLine* b) {
    if (!report_.count(DifferenceKind::LoopKind)) return;
    const LoopLine& any = a != nullptr ? *a : *b;
    Fields fields{{"function", function},
                  {"a", a != nullptr ? Fields(a->kind) : Fields()},
                  {"b", b != nullptr ? Fields(b->kind) : Fields()}};
    fields["loop"] = any.text;
    fields["depth"] = any.depth;
    report_.add(DifferenceKind::LoopKind, {},
                fmt::format("{}, '{}': {} | {}", function, any.text, a != nullptr ? a->kind : "no loop",
                            b != nullptr ? b->kind : "no loop"),
                std::move(fields));
  }

  const ComparisonInput& in_;
  ComparisonReport& report_;
  std::vector<std::string> names_a_, names_b_;  // of passes
};

}  // namespace

void compare_texts(const ComparisonInput& in, ComparisonReport& report) { TextComparison(in, report).run(); }

}  // namespace depscope::replay
