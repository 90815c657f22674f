#include "depscope/replay/breakpoint.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "depscope/replay/row_names.h"
#include "watch_fields.h"
#include "words.h"

namespace depscope::replay {
namespace {

struct Operator {
  std::string_view text;
  CompareOp op;
};
constexpr std::array<Operator, 6> kOperators{{{"=", CompareOp::Equal},
                                              {"!=", CompareOp::NotEqual},
                                              {"<", CompareOp::Less},
                                              {"<=", CompareOp::LessOrEqual},
                                              {">", CompareOp::Greater},
                                              {">=", CompareOp::GreaterOrEqual}}};
constexpr std::int64_t kNamedValues = 16;  // names stand for small numbers, or for kNothing

bool holds(const Breakpoint& breakpoint, std::int64_t value) {
  switch (breakpoint.op) {
    case CompareOp::Changes: return true;
    case CompareOp::Equal: return value == breakpoint.value;
    case CompareOp::NotEqual: return value != breakpoint.value;
    case CompareOp::Less: return value < breakpoint.value;
    case CompareOp::LessOrEqual: return value <= breakpoint.value;
    case CompareOp::Greater: return value > breakpoint.value;
    case CompareOp::GreaterOrEqual: return value >= breakpoint.value;
  }
  return false;
}

std::int64_t parse_value(const recording::Recording& r, const Watch& watch, std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  if (watch.kind != WatchKind::Slot && watch.kind != WatchKind::Core) {  // theirs are rows
    for (std::int64_t value = 0; value < kNamedValues; ++value) {
      if (value_text(r, watch, value) == text) return value;
    }
  }
  if (value_text(r, watch, kNothing) == text) return kNothing;
  throw QueryError(fmt::format("'{}' is no value of {}: write a number, or a name as 'depscope replay --watch' prints it", text,
                               to_text(r, watch)));
}

CompareOp opposite_of(CompareOp op) {
  switch (op) {
    case CompareOp::Changes: return CompareOp::Changes;
    case CompareOp::Equal: return CompareOp::NotEqual;
    case CompareOp::NotEqual: return CompareOp::Equal;
    case CompareOp::Less: return CompareOp::GreaterOrEqual;
    case CompareOp::LessOrEqual: return CompareOp::Greater;
    case CompareOp::Greater: return CompareOp::LessOrEqual;
    case CompareOp::GreaterOrEqual: return CompareOp::Less;
  }
  return op;
}

}  // namespace

bool holds(const Cursor& cursor, const Breakpoint& breakpoint) {
  return breakpoint.watch && breakpoint.op != CompareOp::Changes && holds(breakpoint, value(cursor, *breakpoint.watch));
}

Breakpoint opposite(Breakpoint condition) {
  condition.op = opposite_of(condition.op);
  return condition;
}

Breakpoint parse_breakpoint(const Cursor& cursor, std::string_view text) {
  Breakpoint out;
  std::string_view rest = trimmed(text);
  out.text = rest;
  if (rest.empty())
    throw QueryError("a breakpoint is a value to watch, as in tasks:ready >= 4, or what an event has to be, as in kind=complete");
  const std::string_view first = rest.substr(0, rest.find_first_of(" \t"));
  if (first.find('=') != std::string_view::npos) {
    out.query = parse_move(cursor, fmt::format("next {}", rest)).query;
    return out;
  }
  const std::string_view watch = take_word(rest);
  out.watch = parse_watch(cursor, watch);
  if (rest.empty()) return out;
  const std::string_view op = take_word(rest);
  for (const Operator& known : kOperators) {
    if (known.text != op) continue;
    if (rest.empty()) throw QueryError(fmt::format("'{}' lacks the value after '{}'", out.text, op));
    out.op = known.op;
    out.value = parse_value(cursor.recording(), *out.watch, rest);
    return out;
  }
  throw QueryError(fmt::format("'{}' is no comparison: write =, !=, <, <=, > or >= between blanks, as in tasks:ready >= 4", op));
}

BreakpointRun::BreakpointRun(Cursor& cursor, std::vector<Breakpoint> breakpoints, bool forward)
    : cursor_(&cursor), breakpoints_(std::move(breakpoints)), forward_(forward) {
  matchers_.reserve(breakpoints_.size());
  for (const Breakpoint& breakpoint : breakpoints_) {
    if (breakpoint.watch) {
      values_.push_back(value(cursor, *breakpoint.watch));
      kinds_.push_back(kinds_of(*breakpoint.watch, cursor.full()));
    } else {
      matchers_.emplace_back(cursor.recording(), breakpoint.query);
    }
  }
}

std::optional<BreakpointHit> BreakpointRun::advance(std::uint32_t events) {
  for (std::uint32_t i = 0; i < events && !over_; ++i) {
    if (!(forward_ ? cursor_->step() : cursor_->back())) {
      over_ = true;
      break;
    }
    const std::uint32_t event = forward_ ? cursor_->position() - 1 : cursor_->position();
    if (auto found = hit(event)) {
      over_ = true;
      return found;
    }
  }
  return std::nullopt;
}

std::optional<BreakpointHit> BreakpointRun::hit(std::uint32_t event) {
  std::optional<BreakpointHit> first;
  std::size_t watched = 0;
  std::size_t asked = 0;
  const std::uint8_t kind = cursor_->recording().events.kind[event];
  for (std::uint32_t i = 0; i < breakpoints_.size(); ++i) {
    const Breakpoint& breakpoint = breakpoints_[i];
    if (!breakpoint.watch) {
      if (matchers_[asked++](event) && !first) first = BreakpointHit{i, event, std::nullopt};
      continue;
    }
    const bool may_change = kinds_[watched].test(kind);
    std::int64_t& last = values_[watched++];
    if (!may_change) continue;
    const std::int64_t now = value(*cursor_, *breakpoint.watch);
    if (now == last) continue;
    const std::int64_t before = forward_ ? last : now;
    const std::int64_t after = forward_ ? now : last;
    last = now;
    const bool is_hit = breakpoint.op == CompareOp::Changes || (!holds(breakpoint, before) && holds(breakpoint, after));
    if (is_hit && !first) first = BreakpointHit{i, event, Change{event, before, after}};
  }
  return first;
}

}  // namespace depscope::replay
