#include "depscope/viewers/event_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "depscope/replay/cursor.h"
#include "depscope/runtime/sink.h"
#include "folded_case.h"

namespace depscope::viewers {
namespace {

using runtime::EventKind;

constexpr std::array kRunKinds{EventKind::Config,   EventKind::RunEnd,      EventKind::ScopeBegin,
                               EventKind::ScopeEnd, EventKind::Block,       EventKind::Unblock,
                               EventKind::Error,    EventKind::AbortSubmit, EventKind::SubmitIgnored};
constexpr std::array kSubmitKinds{EventKind::SubmitBegin,  EventKind::Layout,          EventKind::Submit,
                                  EventKind::SlotReset,    EventKind::SeqAssign,       EventKind::Bind,
                                  EventKind::Record,       EventKind::DescriptorWrite, EventKind::ReachPublish,
                                  EventKind::PayloadFlush, EventKind::PayloadInit,     EventKind::Predicate};
constexpr std::array kDependencyKinds{EventKind::EdgeAdd,         EventKind::EdgeReduce,       EventKind::EdgeLost,
                                      EventKind::DepSkip,         EventKind::TensorMapHit,     EventKind::TensorMapInsert,
                                      EventKind::TensorMapRemove, EventKind::TensorMapCleanup, EventKind::TensorMapSync};
constexpr std::array kReadinessKinds{EventKind::Need, EventKind::NodeTake, EventKind::WaitCount, EventKind::WalkNode,
                                     EventKind::Ready};
constexpr std::array kExecutionKinds{EventKind::QueuePush,    EventKind::QueuePop, EventKind::Dispatch, EventKind::BlockClaim,
                                     EventKind::Place,        EventKind::CoreAck,  EventKind::Finish,   EventKind::Observe,
                                     EventKind::SubtaskCount, EventKind::Complete};
constexpr std::array kLifetimeKinds{EventKind::PinClaim, EventKind::PinRelease,   EventKind::ScopeRelease,
                                    EventKind::Defer,    EventKind::ReleaseBegin, EventKind::Release,
                                    EventKind::Consume,  EventKind::SlotReclaim};
constexpr std::array kRingKinds{EventKind::Watermark,    EventKind::Publish,   EventKind::AdvanceLock, EventKind::AdvanceFail,
                                EventKind::AdvanceRetry, EventKind::Request,   EventKind::Acknowledge, EventKind::HeapAlloc,
                                EventKind::HeapFree,     EventKind::HeapGuard, EventKind::DepReclaim,  EventKind::SpillTake,
                                EventKind::SpillReclaim};
constexpr std::array kGroups{EventGroup{"run", kRunKinds},
                             EventGroup{"submit", kSubmitKinds},
                             EventGroup{"dependencies", kDependencyKinds},
                             EventGroup{"readiness", kReadinessKinds},
                             EventGroup{"execution", kExecutionKinds},
                             EventGroup{"lifetime", kLifetimeKinds},
                             EventGroup{"rings and pools", kRingKinds}};

template <class Number>
bool number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Bits of a comma-separated list of kind names; none and an error if one is unknown.
EventKinds kind_bits(std::string_view list, std::string& error) {
  EventKinds bits;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view name = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    std::uint32_t kind = 0;
    while (kind < runtime::kEventKindCount && runtime::event_kind_name(static_cast<EventKind>(kind)) != name) ++kind;
    if (kind < runtime::kEventKindCount) {
      bits.set(kind);
    } else {
      error = fmt::format("unknown event kind '{}'", name);
    }
  }
  return bits;
}

}  // namespace

std::span<const EventGroup> event_groups() { return kGroups; }

bool EventFilter::matches(const recording::Recording& recording, std::uint32_t event) const {
  if (!kinds.test(recording.events.kind[event])) return false;
  if (actor >= 0 && recording.events.actor[event] != actor) return false;
  if (task != recording::kNoRow && replay::task_of_event(recording, event) != task) return false;
  if (words.empty()) return true;
  const std::string text =
      lower(fmt::format("{} {}", runtime::event_kind_name(static_cast<EventKind>(recording.events.kind[event])),
                        replay::describe_event(recording, event)));
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

ParsedFilter parse_event_filter(std::string_view text) {
  ParsedFilter parsed;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t", at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end;
    if (word.starts_with("task:")) {
      if (!number(word.substr(5), parsed.filter.task)) parsed.error = "task: takes a row number, as in task:12";
    } else if (word.starts_with("actor:")) {
      if (!number(word.substr(6), parsed.filter.actor) || parsed.filter.actor < 0 || parsed.filter.actor > 255) {
        parsed.filter.actor = -1;
        parsed.error = "actor: takes a number from 0 to 255 (0 is the orchestrator)";
      }
    } else if (word.starts_with("kind:")) {
      const EventKinds bits = kind_bits(lower(word.substr(5)), parsed.error);
      if (bits.any()) parsed.filter.kinds = bits;
      if (bits.none() && parsed.error.empty()) parsed.error = "kind: takes names of event kinds, as in kind:submit,complete";
    } else {
      parsed.filter.words.push_back(lower(word));
    }
  }
  return parsed;
}

void FilteredEvents::restart(const recording::Recording* recording, EventFilter filter) {
  recording_ = recording;
  filter_ = std::move(filter);
  rows_.clear();
  next_ = 0;
}

bool FilteredEvents::advance(std::uint32_t work) {
  if (complete()) return true;
  const std::uint32_t end = total();
  std::uint64_t done = 0;
  EventFilter quick = filter_;  // everything but the text, which is dear
  quick.words.clear();
  for (; next_ < end && done < work; ++next_) {
    ++done;
    if (!quick.matches(*recording_, next_)) continue;
    if (!filter_.words.empty()) {
      done += kTextCost;
      if (!filter_.matches(*recording_, next_)) continue;
    }
    rows_.push_back(next_);
  }
  return next_ == end;
}

std::uint32_t FilteredEvents::index_of(std::uint32_t event) const {
  if (filter_.all()) return std::min(event, total());
  return static_cast<std::uint32_t>(std::lower_bound(rows_.begin(), rows_.end(), event) - rows_.begin());
}

}  // namespace depscope::viewers
