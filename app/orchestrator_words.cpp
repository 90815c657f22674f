#include "orchestrator_words.h"

#include "depscope/replay/row_names.h"
#include "depscope/replay/wait_questions.h"
#include "state_json.h"
#include "state_words.h"

namespace depscope::app {
namespace {

using recording::kNoRow;

std::string_view resource_words(runtime::Resource resource) {
  switch (resource) {
    case runtime::Resource::TaskWindow: return "a slot of the task window";
    case runtime::Resource::Heap: return "bytes of the heap";
    case runtime::Resource::DepPool: return "nodes of the dep pool";
    case runtime::Resource::SpillPool: return "entries of the spill pool";
    case runtime::Resource::TensorMapPool: return "entries of the TensorMap";
    case runtime::Resource::HostAccess: return "tasks before it reads or writes a tensor";
    case runtime::Resource::Scope: return "room for the tasks of a scope";
  }
  return "something";
}

}  // namespace

void answer_orchestrator(const DebuggerSession& s, Reply& reply) {
  if (const auto wait = replay::orchestrator_wait(s.cursor)) {
    nlohmann::ordered_json& json = reply.json["orchestrator"];
    json = {{"waits_for", runtime::resource_name(wait->resource)},
            {"since", wait->event},
            {"in_use", wait->used},
            {"asked_for", wait->wanted}};
    if (wait->ring != kNoRow) json["ring"] = wait->ring;
    if (wait->task != kNoRow) json["submits"] = task_json(s.r, wait->task);
    std::string text = fmt::format("the orchestrator waits for {}", resource_words(wait->resource));
    if (wait->ring != kNoRow) text += fmt::format(" on ring {}", wait->ring);
    text += fmt::format(": {} in use, {} asked for", wait->used, wait->wanted);
    if (wait->head != kNoRow) {
      json["oldest"] = task_state_json(s.cursor, wait->head);
      text +=
          fmt::format("; the oldest task there is {}, {}", replay::task_text(s.r, wait->head), state_text(s.cursor, wait->head));
    }
    reply.line("{}", text);
    return;
  }
  const std::uint32_t error = replay::error_before(s.cursor);
  if (error == kNoRow) return;
  reply.json["orchestrator"] = {{"error", replay::describe_event(s.r, error)}, {"event", error}};
  reply.line("the orchestrator has ended with an error: {}{}", replay::describe_event(s.r, error), at_event(error));
}

}  // namespace depscope::app
