// Plays the events of a run against a plain state: every old value must be the value the state has, and the run must be legal.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "recorded_run.h"

namespace depscope::runtime {

class EventCheck {
 public:
  explicit EventCheck(const KeepingSink& sink)
      : sink_(sink),
        state_(sink.tasks.size()),
        have_(state_.size()),
        need_(state_.size()),
        claimed_(state_.size()),
        released_(state_.size()),
        scope_released_(state_.size()),
        flags_(sink.edges.size()) {
    for (std::uint32_t e = 0; e < sink.edges.size(); ++e) fanin_[sink.edges[e].consumer].push_back(e);
  }

  /// Applies all events of a full recording; failures name the event.
  void run() {
    std::uint32_t time = 0;
    for (std::size_t i = 0; i < sink_.events.size(); ++i) {
      const Event& e = sink_.events[i];
      EXPECT_GE(e.time, time) << i;
      time = e.time;
      apply(e, i);
      if (::testing::Test::HasFailure()) return;
    }
    for (std::uint32_t t = 0; t < state_.size(); ++t) {
      EXPECT_EQ(state_[t], static_cast<std::int64_t>(TaskState::Consumed)) << "task row " << t;
    }
    for (std::uint32_t r = 0; r < kRingCount; ++r) EXPECT_EQ(watermark_[r], next_[r]) << "ring " << r;
    ASSERT_FALSE(sink_.events.empty());
    EXPECT_EQ(sink_.events.back().kind, EventKind::RunEnd);
  }

 private:
  void change(std::int64_t& value, const Event& e, std::size_t i) {
    EXPECT_EQ(value, e.old_value) << event_kind_name(e.kind) << " is event " << i;
    value = e.new_value;
  }

  void apply(const Event& e, std::size_t i) {
    switch (e.kind) {
      case EventKind::Submit:
        change(next_[e.object], e, i);
        EXPECT_EQ(state_[e.subject], 0);
        state_[e.subject] = static_cast<std::int64_t>(TaskState::Pending);
        break;
      case EventKind::Dispatch:
        EXPECT_EQ(have_[e.subject], need_[e.subject]);
        // I13: every constructed WAIT producer has completed, reduced or not.
        for (const std::uint32_t edge : fanin_[e.subject]) {
          if ((sink_.edges[edge].flags & kWait) != 0) {
            EXPECT_GE(state_[sink_.edges[edge].producer], static_cast<std::int64_t>(TaskState::Completed)) << "event " << i;
          }
        }
        change(state_[e.subject], e, i);
        break;
      case EventKind::Complete: change(state_[e.subject], e, i); break;
      case EventKind::Consume:
        EXPECT_EQ(claimed_[e.subject], released_[e.subject]);
        EXPECT_EQ(scope_released_[e.subject], 1);
        change(state_[e.subject], e, i);
        break;
      case EventKind::Ready: change(state_[e.subject], e, i); break;
      case EventKind::EdgeAdd:
        EXPECT_EQ(sink_.edges[e.subject].consumer, e.object);
        change(flags_[e.subject], e, i);
        break;
      case EventKind::EdgeReduce:
        EXPECT_EQ(sink_.edges[e.subject].via, e.object);
        change(flags_[e.subject], e, i);
        break;
      case EventKind::WaitCount:
        change(have_[e.subject], e, i);
        EXPECT_LE(have_[e.subject], need_[e.subject]);
        break;
      case EventKind::Need: change(need_[e.subject], e, i); break;
      case EventKind::PinClaim: change(claimed_[e.subject], e, i); break;
      case EventKind::PinRelease:
        change(released_[e.subject], e, i);
        EXPECT_LE(released_[e.subject], claimed_[e.subject]);
        break;
      case EventKind::ScopeRelease: change(scope_released_[e.subject], e, i); break;
      case EventKind::Watermark: change(watermark_[e.object], e, i); break;
      case EventKind::HeapAlloc: change(heap_top_[e.object], e, i); break;
      case EventKind::HeapFree: change(heap_tail_[e.object], e, i); break;
      case EventKind::Place:
        EXPECT_EQ(places_.count({e.object, e.extra}), 0U) << "core " << e.object << " is busy, event " << i;
        EXPECT_TRUE(e.extra == 0 || places_.count({e.object, 0}) != 0) << "event " << i;
        places_[{e.object, e.extra}] = e.subject;
        break;
      case EventKind::Observe:
        EXPECT_EQ((places_[{e.object, e.extra}]), e.subject) << "event " << i;
        places_.erase({e.object, e.extra});
        if (e.extra == 0 && places_.count({e.object, 1}) != 0) {
          places_[{e.object, 0}] = places_[{e.object, 1}];
          places_.erase({e.object, 1});
        }
        break;
      case EventKind::TensorMapInsert:
      case EventKind::TensorMapCleanup:
      case EventKind::TensorMapRemove: change(entries_, e, i); break;
      case EventKind::TensorMapHit:
        EXPECT_LT(e.subject, sink_.accesses.size());
        EXPECT_LT(e.object, e.subject);
        break;
      case EventKind::Error: ADD_FAILURE() << "error " << e.new_value; break;
      default: break;
    }
  }

  const KeepingSink& sink_;
  std::vector<std::int64_t> state_, have_, need_, claimed_, released_, scope_released_, flags_;
  std::array<std::int64_t, kRingCount> next_{}, watermark_{}, heap_top_{}, heap_tail_{};
  std::int64_t entries_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> places_;  // (core, place) -> task
  std::map<std::uint32_t, std::vector<std::uint32_t>> fanin_;
};

}  // namespace depscope::runtime
