#include "explain_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "depscope/ir/text.h"
#include "depscope/recording/runs.h"
#include "storage_box.h"

namespace depscope::replay {

using recording::kNoRow;
using recording::Recording;

void TextLines::line(std::size_t indent, std::string_view text, std::size_t hang) {
  for (std::size_t margin = indent;; margin = indent + hang) {
    const std::size_t room = kExplainColumns > margin + 20 ? kExplainColumns - margin : 20;
    text_.append(margin, ' ');
    if (text.size() <= room) {
      text_.append(text);
      text_ += '\n';
      return;
    }
    std::size_t cut = text.rfind(' ', room);
    // A word longer than the line is not broken: it may be a name.
    if (cut == std::string_view::npos || cut == 0) cut = text.find(' ', room);
    if (cut == std::string_view::npos) cut = text.size();
    text_.append(text.substr(0, cut));
    text_ += '\n';
    if (cut == text.size()) return;
    text.remove_prefix(cut + 1);
  }
}

ShownNames::ShownNames(const Recording& r, std::vector<std::uint32_t> names) : r_(r) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const auto source = [&](std::uint32_t name) { return ir::source_name(r_.text(name)); };
  std::stable_sort(names.begin(), names.end(), [&](std::uint32_t a, std::uint32_t b) { return source(a) < source(b); });
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool before = i > 0 && source(names[i - 1]) == source(names[i]);
    const bool after = i + 1 < names.size() && source(names[i + 1]) == source(names[i]);
    if (before || after) alike_.push_back(names[i]);
  }
  std::sort(alike_.begin(), alike_.end());
}

std::string_view ShownNames::text(std::uint32_t name) const {
  const std::string_view whole = r_.text(name);
  return std::binary_search(alike_.begin(), alike_.end(), name) ? whole : ir::source_name(whole);
}

std::string at_line(std::uint32_t line) { return line == 0 ? std::string() : fmt::format(" (line {})", line); }

std::string call_text(const Recording& r, std::uint32_t site) {
  if (site == kNoRow) return "a call that is gone";
  const std::string_view callee = r.text(r.call_sites.callee[site]);
  return fmt::format("call {} {}{}", r.call_sites.index[site], callee == "system.task_dummy" ? "barrier" : callee,
                     at_line(r.call_sites.line[site]));
}

std::string argument_text(const Recording& r, std::uint32_t site, std::uint32_t arg) {
  if (site == kNoRow || arg >= r.call_sites.argument_count[site]) return fmt::format("argument {}", arg);
  return std::string(ir::source_name(r.text(r.arguments.name[r.call_sites.argument_begin[site] + arg])));
}

std::string storage_text(const Recording& r, std::uint32_t storage) {
  if (storage == kNoRow) return "no known place";
  const auto& s = r.storage;
  const std::string_view root = ir::source_name(r.text(s.root[storage]));
  switch (static_cast<pass::StorageKind>(s.kind[storage])) {
    case pass::StorageKind::Full: return std::string(root);
    case pass::StorageKind::Conservative: return fmt::format("part of {}", root);
    case pass::StorageKind::Dynamic: return fmt::format("a window of {} known at run time", root);
    case pass::StorageKind::Unknown: return fmt::format("somewhere in {}", root);
    case pass::StorageKind::Box: break;
  }
  const std::vector<std::int64_t> numbers = box_numbers(r, storage);
  const std::size_t rank = numbers.size() / 2;
  std::string out = fmt::format("{} [", root);
  for (std::size_t d = 0; d < rank; ++d) {
    // The end may not fit: the sum wraps like the analysis's own would.
    const std::int64_t begin = numbers[d];
    const auto end = static_cast<std::int64_t>(static_cast<std::uint64_t>(begin) + static_cast<std::uint64_t>(numbers[rank + d]));
    out += fmt::format("{}{}:{}", d == 0 ? "" : ", ", begin, end);
  }
  return out + "]";
}

std::string kinds_text(std::uint8_t kinds) { return fmt::format("{}", fmt::join(pass::hazard_kind_names(kinds), "+")); }

std::string hazard_text(const Recording& r, std::uint32_t hazard) {
  const auto& h = r.hazards;
  const std::string own = argument_text(r, h.current[hazard], h.current_arg[hazard]);
  const std::string place = storage_text(r, h.current_storage[hazard]);
  const std::string other = storage_text(r, h.prior_storage[hazard]);
  std::string out = fmt::format("{} on {}", kinds_text(h.kinds[hazard]), own);
  if (place != own) out += fmt::format(" = {}", place);
  out += fmt::format(" after {}, argument {}", call_text(r, h.prior[hazard]),
                     argument_text(r, h.prior[hazard], h.prior_arg[hazard]));
  if (other != place) out += fmt::format(" = {}", other);
  if (const std::uint32_t more = h.more_count[hazard]; more != 0) {
    const recording::HazardPart last = recording::hazard_part(r, hazard, more);
    out += fmt::format(" and {} more, the last one {}, argument {}", more, call_text(r, last.prior),
                       argument_text(r, last.prior, last.prior_arg));
  }
  if (h.by_memref[hazard] != 0) out += ", other names of one memory";
  return out;
}

std::string verdict_text(const Recording& r, std::uint32_t hazard, const ShownNames& ids) {
  const auto& h = r.hazards;
  const std::string_view reason = r.text(h.reason[hazard]);
  const std::uint32_t row = h.edge_row[hazard];
  const std::string_view edge = ids.text(row == kNoRow ? h.edge[hazard] : r.pass_edges.id[row]);
  switch (static_cast<pass::HazardVerdict>(h.verdict[hazard])) {
    case pass::HazardVerdict::UserEdge:
      return reason.empty() || reason == "direct" ? fmt::format("user edge {}", edge)
                                                  : fmt::format("user edge {} ({})", edge, reason);
    case pass::HazardVerdict::CompilerEdge:
      return h.more_count[hazard] != 0 ? fmt::format("a compiler edge each, the first one {}", ids.text(h.edge[hazard]))
                                       : fmt::format("compiler edge {}", ids.text(h.edge[hazard]));
    case pass::HazardVerdict::Disjoint: return "disjoint";
    case pass::HazardVerdict::Windowed:
      return fmt::format("windowed: only user edge {}, an id of unknown origin, is taken to cover it", edge);
    case pass::HazardVerdict::FellBack: return fmt::format("no edge possible: {}", reason);
    case pass::HazardVerdict::None: break;
  }
  return "no verdict";
}

std::string edge_text(const Recording& r, std::uint32_t edge, const ShownNames& ids) {
  const auto& e = r.pass_edges;
  std::string out =
      fmt::format("{} edge {}", pass::edge_origin_name(static_cast<pass::EdgeOrigin>(e.origin[edge])), ids.text(e.id[edge]));
  if (e.producer[edge] != kNoRow) out += fmt::format(" from {}", call_text(r, e.producer[edge]));
  if (const std::uint32_t more = e.more_count[edge]; more != 0) {
    const recording::EdgePart last = recording::edge_part(r, edge, more);
    out += fmt::format(" and {} more, the last one {}", more, ids.text(last.id));
    if (last.producer != kNoRow) out += fmt::format(" from {}", call_text(r, last.producer));
  }
  if (e.synthetic[edge] != 0) out += ", id made up for a call without one";
  if (e.imported_from[edge] != kNoRow) out += fmt::format(", through region {}", r.regions.index[e.imported_from[edge]]);
  switch (static_cast<pass::EdgeStatus>(e.status[edge])) {
    case pass::EdgeStatus::Kept: break;
    case pass::EdgeStatus::Stripped:
      out += e.stripped_by[edge] == kNoRow
                 ? ", taken away"
                 : fmt::format(", taken away: region {} fell back", r.regions.index[e.stripped_by[edge]]);
      break;
    case pass::EdgeStatus::GivenUp: out += ", never attached: this call fell back"; break;
    case pass::EdgeStatus::Replaced: out += ", replaced by a phase fence"; break;
  }
  return out;
}

std::string_view rewrite_words(pass::RewriteReason reason) {
  switch (reason) {
    case pass::RewriteReason::Rewritten: return "an edge orders every hazard";
    case pass::RewriteReason::NoHazard: return "no hazard";
    case pass::RewriteReason::NotInputOrInOut: return "only input and inout are rewritten";
    case pass::RewriteReason::UnknownRegion: return "its place in the buffer is not known";
    case pass::RewriteReason::DynamicRegion: return "its window is known at run time only";
    case pass::RewriteReason::LoopProducerIncomplete: return "not every iteration of a producer's loop is waited for";
    case pass::RewriteReason::CrossScope: return "the producer stands in another scope";
    case pass::RewriteReason::RegionFellBack: return "the region fell back";
    case pass::RewriteReason::ManualScope: return "inside a MANUAL scope";
    case pass::RewriteReason::SwitchOff: return "the analysis is switched off";
    case pass::RewriteReason::UserNoDep: return "the user's no_dep";
    case pass::RewriteReason::NotModelled: return "the function is not modelled";
    case pass::RewriteReason::Container: return "outside every scope: not analysed";
    case pass::RewriteReason::PassNotRun: return "";
  }
  return "";
}

std::string_view fallback_words(std::string_view reason) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kWords = {{
      {"unresolved_storage.unknown", "nobody knows where this value lies"},
      {"unresolved_storage.dynamic_access", "which elements are touched shows only at run time"},
      {"unresolved_storage.mixed_merge", "values meet here, and of one nobody knows where it lies"},
      {"unresolved_storage.too_many_roots", "the value may lie in more than 4 buffers"},
      {"producer_without_task_id", "the task to wait for has no id that an edge could name"},
      {"prior_in_closed_dynamic_loop", "the task to wait for ran in a loop of unknown length"},
      {"prior_in_loop_without_summary", "no id stands for all iterations of the loop that holds the task to wait for"},
  }};
  for (const auto& [name, words] : kWords) {
    if (name == reason) return words;
  }
  return "";
}

}  // namespace depscope::replay
