// Why a task waits, and why its slot and buffers are alive, at the cursor.
#include <fmt/format.h>

#include "depscope/replay/state_queries.h"
#include "depscope/viewers/answers.h"
#include "depscope/viewers/colours.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

using runtime::TaskState;

/// "user, compiler": who asked for an edge.
std::string askers(std::uint8_t provenance) {
  std::string names;
  for (std::size_t i = 0; i < colour::provenance_legend().size(); ++i) {
    if ((provenance >> i & 1U) != 0) names += (names.empty() ? "" : ", ") + std::string(colour::provenance_legend()[i].name);
  }
  return names.empty() ? "nobody known" : names;
}

void consumer_holds(AnswerText& out, const Document& document, const replay::Holder& holder) {
  out.bullet("").link({ItemKind::Task, holder.task}, document.task_label(holder.task));
  out.say(" still has a reference to it, via ").link({ItemKind::Edge, holder.edge}, fmt::format("edge {}", holder.edge));
  const std::uint8_t flags = document.cursor().state().edge_flags[holder.edge];
  out.say((flags & runtime::kRetain) != 0 ? ": RETAIN keeps slot and buffer until that task has given it back."
                                          : ": WAIT pins it until that task is wired.");
}

void older_task(AnswerText& out, const Document& document, const replay::Holder& holder) {
  out.bullet("It is consumed, but slots of a ring go back in order: ");
  if (holder.task == kNoRow) {
    out.say("the watermark is on its way to it.");
  } else {
    out.link({ItemKind::Task, holder.task}, document.task_label(holder.task)).say(" is older and not consumed yet.");
  }
}

/// The edges that hold the task back until their producers complete, whatever the cursor says.
void waits_of(AnswerText& out, const Document& document, std::uint32_t task, std::string_view lead) {
  const auto& edges = document.recording().edges;
  const auto [first, last] = document.edges_of_consumer(task);
  std::vector<std::uint32_t> waits;
  for (std::uint32_t edge = first; edge < last; ++edge) {
    if ((edges.flags_final[edge] & runtime::kWait) != 0) waits.push_back(edge);
  }
  if (waits.empty()) {
    out.line(fmt::format("{} nobody.", lead));
    return;
  }
  out.line(fmt::format("{} {}:", lead, count_of(waits.size(), "producer")));
  for (std::size_t i = 0; i < waits.size() && i < kMaxAnswerItems; ++i) {
    const std::uint32_t producer = edges.producer[waits[i]];
    out.bullet("").link({ItemKind::Task, producer}, document.task_label(producer));
    out.say(", via ").link({ItemKind::Edge, waits[i]}, fmt::format("edge {}", waits[i]));
    out.say(fmt::format(", asked for by {}", askers(edges.provenance[waits[i]])));
  }
  if (waits.size() > kMaxAnswerItems) out.line(fmt::format("… and {} more", waits.size() - kMaxAnswerItems));
}

/// "It is submitted by event 29.": where to go to see it alive.
void submitted_by(AnswerText& out, const Document& document, std::uint32_t task) {
  const std::uint32_t event = document.moments().submitted[task];
  if (event == replay::kNever) return;
  out.say(" It is submitted by ").link({ItemKind::Event, event}, fmt::format("event {}", event)).say(".");
}

}  // namespace

Answer why_waiting(const Document& document, std::uint32_t task) {
  AnswerText out("Why is it waiting?");
  const auto& r = document.recording();
  const auto& state = document.cursor().state();
  switch (static_cast<TaskState>(state.task_state[task])) {
    case TaskState::Unborn:
      out.line("It is not submitted yet at this event.");
      submitted_by(out, document, task);
      waits_of(out, document, task, "It will wait for");
      return out.take();
    case TaskState::Ready:
      out.line("It waits for nothing but a free core.");
      waits_of(out, document, task, "It has waited for");
      return out.take();
    case TaskState::Running:
      out.line("It is not: it runs.");
      waits_of(out, document, task, "It has waited for");
      return out.take();
    case TaskState::Completed:
    case TaskState::Consumed:
      out.line("It is not: it has completed.");
      waits_of(out, document, task, "It has waited for");
      return out.take();
    case TaskState::Pending: break;
  }
  if (state.aborted[task] != 0) return out.line("Its submit failed half-way: it never becomes ready.").take();
  const auto waiting = document.cursor().waiting_for(task);
  if (document.cursor().full()) {
    if (state.need[task] == 0) return out.line("Its submit is still going on: its producers are not counted yet.").take();
    out.line(fmt::format("{} of {} readiness units have come in: one for each WAIT edge and one for the submit itself. ",
                         state.have[task], state.need[task]));
    out.say(waiting.empty() ? "No producer is missing: the last unit comes with the wiring."
                            : fmt::format("It waits for {}:", count_of(waiting.size(), "producer")));
  } else {
    out.line(waiting.empty() ? "No producer is missing."
                             : fmt::format("It waits for {} to complete:", count_of(waiting.size(), "producer")));
  }
  for (std::size_t i = 0; i < waiting.size() && i < kMaxAnswerItems; ++i) {
    const std::uint32_t producer = r.edges.producer[waiting[i]];
    out.bullet("").link({ItemKind::Task, producer}, document.task_label(producer));
    out.say(fmt::format(" ({}), via ", runtime::task_state_name(static_cast<TaskState>(state.task_state[producer]))));
    out.link({ItemKind::Edge, waiting[i]}, fmt::format("edge {}", waiting[i]));
    out.say(fmt::format(", asked for by {}", askers(r.edges.provenance[waiting[i]])));
  }
  if (waiting.size() > kMaxAnswerItems) out.line(fmt::format("… and {} more", waiting.size() - kMaxAnswerItems));
  return out.take();
}

Answer why_alive(const Document& document, std::uint32_t task) {
  AnswerText out("Why is it alive?");
  const auto now = static_cast<TaskState>(document.cursor().state().task_state[task]);
  if (now == TaskState::Unborn) {
    out.line("It is not: its slot is not taken yet.");
    submitted_by(out, document, task);
    return out.take();
  }
  const std::vector<replay::Holder> holders = replay::holders_of(document.cursor(), task);
  if (holders.empty() && document.cursor().measured())
    return out.line("It has completed. What keeps its slot and buffer then is not recorded in a real run.").take();
  if (holders.empty()) return out.line("It is not: the watermark has passed it, its slot and buffer can be reused.").take();
  std::size_t consumers = 0;
  for (const replay::Holder& holder : holders) {
    switch (holder.kind) {
      case replay::HolderKind::Unfinished: out.bullet("It has not completed."); break;
      case replay::HolderKind::Scope:
        out.bullet("Its scope has not released it: ")
            .link({ItemKind::Scope, holder.scope}, document.scope_label(holder.scope))
            .say(" is still open.");
        break;
      case replay::HolderKind::Consumer:
        if (++consumers <= kMaxAnswerItems) consumer_holds(out, document, holder);
        break;
      case replay::HolderKind::OlderTask: older_task(out, document, holder); break;
      case replay::HolderKind::HeapTail:
        out.bullet("Its slot is free, but its bytes are not: the tail of the heap moves on when the orchestrator looks next.");
        break;
    }
  }
  if (consumers > kMaxAnswerItems) out.line(fmt::format("… and {} more consumers", consumers - kMaxAnswerItems));
  return out.take();
}

}  // namespace depscope::viewers
