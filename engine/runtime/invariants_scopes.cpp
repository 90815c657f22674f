// Invariants of scopes (I4, I21, I22).
#include <fmt/format.h>

#include <algorithm>

#include "invariants.h"

namespace depscope::runtime {

void InvariantWatch::scope_event(EventKind kind, std::uint32_t subject) {
  if (ending_ != kNothingEnds && (s_.ending_from == kNothingEnds || kind == EventKind::ScopeEnd)) {
    if (next_release_ != scope_list_.size()) {
      report(21, scope_list_[next_release_],
             fmt::format("a scope has ended without the reference of task row {}", scope_list_[next_release_]));
    }
    scope_list_.resize(std::min(ending_, scope_list_.size()));
    ending_ = kNothingEnds;
  }
  switch (kind) {
    case EventKind::ScopeBegin:
      if (!s_.scopes.empty()) {
        const ScopeState& scope = s_.scopes.back();
        scopes_.push_back({.row = subject,
                           .manual = scope.manual,
                           .depth = static_cast<std::uint32_t>(scopes_.size()),
                           .start = scope_list_.size()});
      }
      check_scopes(false);
      break;
    case EventKind::ScopeEnd:
      if (scopes_.empty() || scopes_.back().row != subject) {
        report(21, kNoRow, fmt::format("scope {} ends but is not the innermost one", subject));
        break;
      }
      ending_ = next_release_ = scopes_.back().start;
      scopes_.pop_back();
      check_scopes(false);
      break;
    case EventKind::Submit: scope_list_.push_back(subject); break;
    case EventKind::ScopeRelease:
      if (ending_ == kNothingEnds || next_release_ >= scope_list_.size() || scope_list_[next_release_] != subject) {
        report(4, subject, fmt::format("the scope reference of task row {} is given back, but its scope is not ending", subject));
      } else {
        ++next_release_;
      }
      if (seen_[subject].scope_released) {
        report(4, subject, fmt::format("the scope reference of task row {} is given back twice", subject));
      }
      seen_[subject].scope_released = true;
      break;
    default: break;
  }
  if (s_.scope_tasks.size() != scope_list_.size()) check_scopes(true);
}

void InvariantWatch::check_scopes(bool with_list) {
  if (with_list && !std::equal(s_.scope_tasks.begin(), s_.scope_tasks.end(), scope_list_.begin(), scope_list_.end())) {
    const auto [a, b] = std::mismatch(s_.scope_tasks.begin(), s_.scope_tasks.end(), scope_list_.begin(), scope_list_.end());
    report(21, b == scope_list_.end() ? kNoRow : *b,
           fmt::format("the scope list holds {} tasks where {} are owned by open scopes; they differ from position {} on",
                       s_.scope_tasks.size(), scope_list_.size(), a - s_.scope_tasks.begin()));
  }
  bool same = s_.scopes.size() == scopes_.size();
  std::uint32_t manual = kNotManual;
  for (std::size_t i = 0; i < s_.scopes.size() && same; ++i) {
    const ScopeState& scope = s_.scopes[i];
    same = scope.row == scopes_[i].row && scope.first_task == scopes_[i].start && scope.depth == scopes_[i].depth &&
           scope.ring == std::min(scopes_[i].depth, kRingCount - 1);
    if (scopes_[i].manual && manual == kNotManual) manual = scopes_[i].depth;
  }
  if (!same) {
    report(21, kNoRow,
           fmt::format("{} scopes are open, but {} were begun and not ended, or they begin elsewhere in the list",
                       s_.scopes.size(), scopes_.size()));
  }
  if (s_.manual_depth != manual) {
    report(22, kNoRow,
           fmt::format("the manual depth is {}, but the outermost open MANUAL scope is {}",
                       s_.manual_depth == kNotManual ? "none" : std::to_string(s_.manual_depth),
                       manual == kNotManual ? "none" : "at depth " + std::to_string(manual)));
  }
}

}  // namespace depscope::runtime
