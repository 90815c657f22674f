#include "depscope/viewers/colours.h"

#include <array>

#include "depscope/base/diagnostics.h"

namespace depscope::viewers::colour {
namespace {

using runtime::EventKind;
using runtime::TaskState;

/// After Okabe and Ito's palette: lightened for the dark ground, darkened for the light one, so that each can be read as text.
struct Hues {
  ImU32 blue, orange, green, yellow, violet, red, teal, grey, pink, lime;
};

struct Palette {
  Hues hues;
  ImU32 text, dim, faint, link, warning, error, good;
  ImU32 plain_code, keyword, number, string;
  ImU32 selected_row, cursor_row;
  ImU32 added_line, removed_line, changed_line, added_mark, removed_mark, absent_line, name_mark;
  ImU32 unborn, canvas, grid, node, cursor_line, handle;
  std::array<LegendEntry, 6> provenance, directions, states;
  std::array<LegendEntry, 2> flags;
  std::array<LegendEntry, 3> sides;
  std::array<LegendEntry, 5> lifetimes;
};

constexpr Palette with_legends(Palette p) {
  const Hues& h = p.hues;
  p.provenance = {{
      {h.blue, "user", "written in the program: manual_dep_edges, deps="},
      {h.orange, "compiler", "added by AutoDeriveTaskDependencies: compiler_manual_dep_edges"},
      {h.violet, "fence", "through a phase fence barrier"},
      {h.green, "creator", "the task that allocated the buffer"},
      {h.teal, "tensormap", "found by the TensorMap: an overlapping earlier write"},
      {h.grey, "explicit", "given in the trace; its origin is not known"},
  }};
  p.directions = {{
      {h.blue, "input", "reads"},
      {h.green, "output", "writes a buffer that the runtime allocates"},
      {h.teal, "output_existing", "writes memory that exists"},
      {h.orange, "inout", "reads and writes"},
      {h.grey, "no_dep", "takes no part in dependencies"},
      {h.yellow, "scalar", "a value"},
  }};
  p.states = {{
      {p.unborn, "unborn", "not submitted yet"},
      {h.yellow, "pending", "waits for producers"},
      {h.blue, "ready", "waits for a core"},
      {h.orange, "running", "on a core"},
      {h.green, "completed", "done; its slot and buffer are still held"},
      {h.violet, "consumed", "slot and buffer can be reused"},
  }};
  p.flags = {{
      {h.yellow, "WAIT", "the consumer starts only after the producer has completed"},
      {h.violet, "RETAIN", "the producer's slot and buffer stay until the consumer has completed"},
  }};
  p.sides = {{
      {h.pink, "only in a", "the first recording has it, the second has not"},
      {h.lime, "only in b", "the second recording has it, the first has not"},
      {h.yellow, "differs", "both have it, and it is not the same"},
  }};
  p.lifetimes = {{
      {h.blue, "allocated", "submitted: slot and buffers are taken, the task has not completed"},
      {h.green, "completed", "the task is done; readers with RETAIN still need its buffers"},
      {h.yellow, "last reader", "no reader needs its buffers any more; its scope or its own release still holds them"},
      {h.violet, "consumed", "nothing holds it; older tasks of the ring still do, and slots go back in order"},
      {h.grey, "reused", "slot and bytes are given back"},
  }};
  return p;
}

constexpr Palette kDark = with_legends({
    {IM_COL32(86, 170, 255, 255), IM_COL32(240, 160, 60, 255), IM_COL32(70, 190, 130, 255), IM_COL32(240, 225, 100, 255),
     IM_COL32(205, 140, 220, 255), IM_COL32(235, 105, 80, 255), IM_COL32(95, 205, 210, 255), IM_COL32(150, 155, 165, 255),
     IM_COL32(255, 130, 185, 255), IM_COL32(165, 225, 80, 255)},
    IM_COL32(226, 229, 235, 255),
    IM_COL32(150, 157, 170, 255),
    IM_COL32(122, 129, 143, 255),
    IM_COL32(120, 180, 255, 255),
    IM_COL32(245, 190, 80, 255),
    IM_COL32(255, 120, 110, 255),
    IM_COL32(110, 205, 140, 255),
    IM_COL32(178, 184, 196, 255),
    IM_COL32(200, 150, 225, 255),
    IM_COL32(210, 180, 130, 255),
    IM_COL32(160, 200, 130, 255),
    IM_COL32(70, 120, 200, 90),
    IM_COL32(235, 190, 70, 70),
    IM_COL32(60, 150, 90, 55),
    IM_COL32(190, 70, 70, 55),
    IM_COL32(120, 120, 160, 36),
    IM_COL32(70, 190, 110, 105),
    IM_COL32(225, 85, 85, 105),
    IM_COL32(255, 255, 255, 9),
    IM_COL32(255, 215, 90, 85),
    IM_COL32(95, 100, 112, 255),
    IM_COL32(22, 24, 29, 255),
    IM_COL32(62, 66, 76, 255),
    IM_COL32(44, 48, 57, 255),
    IM_COL32(255, 215, 90, 255),
    IM_COL32(90, 120, 170, 160),
    {},
    {},
    {},
    {},
    {},
    {},
});

constexpr Palette kLight = with_legends({
    {IM_COL32(0, 96, 178, 255), IM_COL32(176, 92, 0, 255), IM_COL32(0, 122, 78, 255), IM_COL32(128, 108, 0, 255),
     IM_COL32(140, 66, 160, 255), IM_COL32(196, 56, 30, 255), IM_COL32(0, 120, 130, 255), IM_COL32(98, 104, 116, 255),
     IM_COL32(190, 30, 110, 255), IM_COL32(72, 118, 0, 255)},
    IM_COL32(28, 31, 38, 255),
    IM_COL32(84, 91, 105, 255),
    IM_COL32(104, 111, 125, 255),
    IM_COL32(0, 88, 190, 255),
    IM_COL32(150, 92, 0, 255),
    IM_COL32(190, 30, 24, 255),
    IM_COL32(0, 118, 60, 255),
    IM_COL32(62, 68, 80, 255),
    IM_COL32(124, 52, 150, 255),
    IM_COL32(134, 88, 10, 255),
    IM_COL32(40, 110, 30, 255),
    IM_COL32(70, 130, 220, 70),
    IM_COL32(240, 190, 40, 90),
    IM_COL32(40, 160, 80, 45),
    IM_COL32(210, 60, 60, 40),
    IM_COL32(110, 110, 160, 34),
    IM_COL32(40, 170, 90, 100),
    IM_COL32(230, 80, 80, 95),
    IM_COL32(0, 0, 0, 12),
    IM_COL32(240, 190, 30, 110),
    IM_COL32(140, 146, 158, 255),
    IM_COL32(252, 252, 253, 255),
    IM_COL32(206, 211, 220, 255),
    IM_COL32(236, 239, 244, 255),
    IM_COL32(190, 120, 0, 255),
    IM_COL32(90, 130, 200, 150),
    {},
    {},
    {},
    {},
    {},
    {},
});

Ground current = Ground::Dark;
const Palette& now() { return current == Ground::Dark ? kDark : kLight; }

}  // namespace

void use(Ground ground) { current = ground; }
Ground ground() { return current; }

ImU32 provenance(std::uint8_t bit) {
  const auto& entries = now().provenance;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if ((1U << i) == bit) return entries[i].colour;
  }
  return now().hues.grey;
}

ImU32 direction(std::string_view name) {
  for (const LegendEntry& entry : now().directions) {
    if (entry.name == name) return entry.colour;
  }
  return now().hues.grey;
}

ImU32 state(TaskState state) {
  const auto index = static_cast<std::size_t>(state);
  return index < now().states.size() ? now().states[index].colour : now().hues.grey;
}

ImU32 flag(std::uint8_t dep_flag) { return now().flags[dep_flag == runtime::kRetain ? 1 : 0].colour; }

ImU32 severity(std::uint8_t severity) {
  switch (static_cast<Severity>(severity)) {
    case Severity::Error: return now().error;
    case Severity::Warning: return now().warning;
    case Severity::Info: return now().dim;
  }
  return now().dim;
}

ImU32 outcome(std::uint8_t outcome) {
  switch (static_cast<pass::RegionOutcome>(outcome)) {
    case pass::RegionOutcome::Analysed: return now().good;
    case pass::RegionOutcome::FellBack: return now().error;
    case pass::RegionOutcome::NotModelled: return now().warning;
    case pass::RegionOutcome::SkippedManual:
    case pass::RegionOutcome::SwitchedOff: return now().dim;
  }
  return now().dim;
}

ImU32 event(EventKind kind) {
  switch (kind) {
    case EventKind::Submit: return state(TaskState::Pending);
    case EventKind::Ready: return state(TaskState::Ready);
    case EventKind::Dispatch: return state(TaskState::Running);
    case EventKind::Complete: return state(TaskState::Completed);
    case EventKind::Consume:
    case EventKind::Release:
    case EventKind::ReleaseBegin:
    case EventKind::Defer:
    case EventKind::ScopeRelease:
    case EventKind::PinClaim:
    case EventKind::PinRelease:
    case EventKind::SlotReclaim: return now().hues.violet;
    case EventKind::EdgeAdd:
    case EventKind::EdgeReduce:
    case EventKind::DepSkip:
    case EventKind::TensorMapInsert:
    case EventKind::TensorMapRemove:
    case EventKind::TensorMapCleanup:
    case EventKind::TensorMapHit: return now().hues.teal;
    case EventKind::Block:
    case EventKind::Error:
    case EventKind::EdgeLost:
    case EventKind::AbortSubmit:
    case EventKind::SubmitIgnored: return now().hues.red;
    case EventKind::Config:
    case EventKind::ScopeBegin:
    case EventKind::ScopeEnd:
    case EventKind::WaitCount:
    case EventKind::Watermark:
    case EventKind::HeapAlloc:
    case EventKind::HeapFree:
    case EventKind::Need:
    case EventKind::Unblock:
    case EventKind::SubmitBegin:
    case EventKind::SlotReset:
    case EventKind::SeqAssign:
    case EventKind::Bind:
    case EventKind::Record:
    case EventKind::TensorMapSync:
    case EventKind::SpillTake:
    case EventKind::DescriptorWrite:
    case EventKind::ReachPublish:
    case EventKind::PayloadFlush:
    case EventKind::PayloadInit:
    case EventKind::NodeTake:
    case EventKind::QueuePush:
    case EventKind::QueuePop:
    case EventKind::BlockClaim:
    case EventKind::Place:
    case EventKind::CoreAck:
    case EventKind::Finish:
    case EventKind::Observe:
    case EventKind::SubtaskCount:
    case EventKind::WalkNode:
    case EventKind::AdvanceLock:
    case EventKind::AdvanceFail:
    case EventKind::AdvanceRetry:
    case EventKind::Publish:
    case EventKind::Request:
    case EventKind::Acknowledge:
    case EventKind::DepReclaim:
    case EventKind::SpillReclaim:
    case EventKind::HeapGuard:
    case EventKind::Layout:
    case EventKind::Predicate:
    case EventKind::RunEnd: return now().hues.grey;
  }
  return now().hues.grey;
}

std::span<const LegendEntry> provenance_legend() { return now().provenance; }
std::span<const LegendEntry> direction_legend() { return now().directions; }
std::span<const LegendEntry> state_legend() { return now().states; }
std::span<const LegendEntry> flag_legend() { return now().flags; }
std::span<const LegendEntry> side_legend() { return now().sides; }
std::span<const LegendEntry> lifetime_legend() { return now().lifetimes; }

ImU32 text() { return now().text; }
ImU32 dim() { return now().dim; }
ImU32 faint() { return now().faint; }
ImU32 link() { return now().link; }
ImU32 warning() { return now().warning; }
ImU32 error() { return now().error; }
ImU32 good() { return now().good; }
ImU32 plain_code() { return now().plain_code; }
ImU32 keyword() { return now().keyword; }
ImU32 number() { return now().number; }
ImU32 string() { return now().string; }
ImU32 selected_row() { return now().selected_row; }
ImU32 cursor_row() { return now().cursor_row; }
ImU32 added_line() { return now().added_line; }
ImU32 removed_line() { return now().removed_line; }
ImU32 changed_line() { return now().changed_line; }
ImU32 added_mark() { return now().added_mark; }
ImU32 removed_mark() { return now().removed_mark; }
ImU32 absent_line() { return now().absent_line; }
ImU32 name_mark() { return now().name_mark; }
ImU32 canvas() { return now().canvas; }
ImU32 grid() { return now().grid; }
ImU32 node() { return now().node; }
ImU32 cursor_line() { return now().cursor_line; }
ImU32 critical() { return now().hues.red; }
ImU32 handle() { return now().handle; }

}  // namespace depscope::viewers::colour
