#include "depscope/viewers/directions_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "depscope/ir/text.h"
#include "depscope/replay/decision_words.h"
#include "depscope/viewers/decision_words.h"
#include "folded_case.h"

namespace depscope::viewers {
namespace {

using recording::Recording;

bool is_direction(std::string_view name) {
  for (std::uint8_t d = 1; d < kArgDirections; ++d) {
    if (direction_name(d) == name) return true;
  }
  return false;
}

template <class Table>
void fill(DirectionRow& out, const Recording& r, const Table& table, std::uint32_t row) {
  out.row = row;
  out.name = ir::source_name(r.text(table.name[row]));
  out.callee_direction = table.callee_direction[row];
  out.derived = table.derived[row];
  out.direction = table.direction[row];
  out.rule = table.rule[row];
  out.rewrite = table.rewrite[row];
}

}  // namespace

std::uint32_t direction_count(const Recording& r) { return r.arguments.rows() + r.wrapper_arguments.rows(); }

DirectionRow direction_row(const Recording& r, std::uint32_t index) {
  DirectionRow out;
  if (index < r.arguments.rows()) {
    fill(out, r, r.arguments, index);
    const std::uint32_t site = r.arguments.call_site[index];
    out.site = site;
    out.function = r.call_sites.function[site];
    out.call = r.call_sites.index[site];
    out.position = index - r.call_sites.argument_begin[site];
    out.line = r.call_sites.line[site];
    out.callee = r.text(r.call_sites.callee[site]);
    return out;
  }
  const std::uint32_t row = index - r.arguments.rows();
  fill(out, r, r.wrapper_arguments, row);
  out.wrapper = true;
  const auto& calls = r.wrapper_arguments.call;
  const std::uint32_t call = calls[row];
  std::uint32_t first = row;  // arguments of a call stand together
  while (first > 0 && calls[first - 1] == call) --first;
  out.function = r.wrapper_calls.function[call];
  out.call = r.wrapper_calls.index[call];
  out.position = row - first;
  out.line = r.wrapper_calls.line[call];
  out.callee = r.text(r.wrapper_calls.callee[call]);
  return out;
}

std::string rewrite_text(const DirectionRow& row) {
  const DecisionWords words = rewrite_reason_words(row.rewrite);
  if (row.rewritten()) return fmt::format("rewritten: {}", replay::rewrite_words(static_cast<pass::RewriteReason>(row.rewrite)));
  if (row.derived == static_cast<std::uint8_t>(pass::ArgDirection::Scalar)) return "stays: no tensor";
  const std::string_view plain =
      row.rewrite < kRewriteReasons ? replay::rewrite_words(static_cast<pass::RewriteReason>(row.rewrite)) : std::string_view();
  return fmt::format("stays: {}", plain.empty() ? words.sentence : plain);
}

std::string direction_text(const DirectionRow& row) {
  return fmt::format("{}: {}, {} by {}, {}: {}", row.name, callee_direction_name(row.callee_direction),
                     direction_name(row.derived), direction_rule_words(row.rule).name, direction_name(row.direction),
                     rewrite_text(row));
}

bool DirectionFilter::matches(const Recording& r, const DirectionRow& row) const {
  if (rewritten && !row.rewritten()) return false;
  if (reason && row.rewrite != static_cast<std::uint8_t>(*reason)) return false;
  if (!direction.empty() && direction != direction_name(row.derived) && direction != direction_name(row.direction)) return false;
  if (words.empty()) return true;
  const std::string_view function =
      row.function < r.functions.rows() ? r.text(r.functions.name[row.function]) : std::string_view();
  const std::string text = lower(fmt::format("{} call {} {} {} {}{}", function, row.call, row.callee, direction_text(row),
                                             rewrite_reason_words(row.rewrite).name, row.wrapper ? " wrapper" : ""));
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

ParsedDirectionFilter parse_direction_filter(std::string_view text) {
  ParsedDirectionFilter out;
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const std::string word = lower(text.substr(0, text.find(' ')));
    text.remove_prefix(word.size());
    if (word == "rewritten" || word == "changed") {
      out.filter.rewritten = true;
    } else if (word.starts_with("reason:")) {
      const std::string name = word.substr(7);
      out.filter.reason = rewrite_reason_from_name(name);
      if (!out.filter.reason) out.error = fmt::format("no reason is called '{}'", name);
    } else if (word.starts_with("direction:")) {
      const std::string name = word.substr(10);
      if (is_direction(name)) {
        out.filter.direction = name;
      } else {
        out.error = fmt::format("no direction is called '{}'", name);
      }
    } else {
      out.filter.words.push_back(word);
    }
  }
  return out;
}

void FilteredDirections::restart(const Recording* recording, DirectionFilter filter) {
  recording_ = recording;
  filter_ = std::move(filter);
  rows_.clear();
  next_ = 0;
  total_ = recording == nullptr ? 0 : direction_count(*recording);
}

bool FilteredDirections::advance(std::uint32_t rows) {
  if (complete()) return true;
  const std::uint32_t end = next_ + std::min(rows, total_ - next_);
  for (; next_ < end; ++next_) {
    if (filter_.matches(*recording_, direction_row(*recording_, next_))) rows_.push_back(next_);
  }
  return complete();
}

std::uint32_t FilteredDirections::place_of(std::uint32_t index) const {
  if (filter_.all()) return std::min(index, total_);
  return static_cast<std::uint32_t>(std::lower_bound(rows_.begin(), rows_.end(), index) - rows_.begin());
}

}  // namespace depscope::viewers
