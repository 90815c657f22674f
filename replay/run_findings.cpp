#include "depscope/replay/run_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "check_names.h"
#include "deadlock_proof.h"
#include "depscope/ir/text.h"
#include "depscope/recording/findings.h"
#include "json_text.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::ErrorClass;
using runtime::Resource;
using runtime::RunFinding;
using runtime::RunFindingKind;
using runtime::TaskKind;

constexpr std::size_t kMostCounted = 64;  // tasks of a full scope that are named

std::string_view unit_of(Resource resource, std::uint64_t count) {
  const bool one = count == 1;
  switch (resource) {
    case Resource::TaskWindow: return one ? "slot" : "slots";
    case Resource::Heap: return one ? "byte" : "bytes";
    case Resource::DepPool: return one ? "node" : "nodes";
    case Resource::SpillPool:
    case Resource::TensorMapPool: return one ? "entry" : "entries";
    case Resource::HostAccess:
    case Resource::Scope: return one ? "task" : "tasks";
  }
  return "units";
}

std::string_view name_of(Resource resource) {
  switch (resource) {
    case Resource::TaskWindow: return "task window";
    case Resource::Heap: return "heap";
    case Resource::DepPool: return "dep pool";
    case Resource::SpillPool: return "spill pool";
    case Resource::TensorMapPool: return "TensorMap pool";
    case Resource::HostAccess: return "host access";
    case Resource::Scope: return "scope";
  }
  return "";
}

/// The option that sizes it, if there is one.
std::string_view option_of(Resource resource) {
  switch (resource) {
    case Resource::TaskWindow:
    case Resource::Scope: return "--ring-task-window";
    case Resource::Heap: return "--ring-heap";
    case Resource::DepPool:
    case Resource::SpillPool: return "--ring-dep-pool";
    default: return "";
  }
}

std::string_view error_words(std::int32_t code) {
  switch (code) {
    case 1: return "scope deadlock";
    case 2: return "heap ring deadlock";
    case 3: return "flow-control deadlock";
    case 4: return "dep-pool overflow";
    case 5: return "invalid arguments";
    case 7: return "sync-start invalid";
    case 8: return "tensor wait timeout";
    case 9: return "explicit fatal";
    case 10: return "scope list overflow";
    case 11: return "TensorMap overflow";
    case 100: return "scheduler timeout";
    default: return "error";
  }
}

class RunFindings {
 public:
  explicit RunFindings(Recording& recording) : r_(recording), names_(recording) {}

  void add(const std::vector<RunFinding>& found) {
    std::size_t told = 0;
    std::size_t left = 0;
    for (const RunFinding& f : found) {
      if (f.kind == RunFindingKind::EarlyReclaim || f.kind == RunFindingKind::NoEdgeToOwner ||
          f.kind == RunFindingKind::StaleHandle) {
        continue;  // by check, with their reasons
      }
      // What ended the run is found last, and is never left out.
      const bool ends_run = f.kind == RunFindingKind::Deadlock || f.kind == RunFindingKind::Error;
      if (told >= kMaxRunFindings && !ends_run) {
        ++left;
        continue;
      }
      ++told;
      one(f);
    }
    if (left == 0) return;
    recording::add_finding(r_, "run_findings", Severity::Warning,
                           fmt::format("{} more findings of the run are left out (limit: {})", left, kMaxRunFindings),
                           fmt::format(R"({{"left_out":{},"limit":{}}})", left, kMaxRunFindings), 0);
  }

 private:
  void put(std::string_view kind, Severity severity, const std::string& summary, const std::string& fields, std::uint32_t line) {
    recording::add_finding(r_, kind, severity, summary, fields, line);
  }

  [[nodiscard]] std::uint32_t line(std::uint32_t task) const { return task == kNoRow ? 0 : names_.line(task); }

  void one(const RunFinding& f) {
    switch (f.kind) {
      case RunFindingKind::Deadlock: return deadlock(f);
      case RunFindingKind::Error: return error(f);
      case RunFindingKind::FlagsLost:
        return put("flags_lost", Severity::Error,
                   fmt::format("payload init changed the flags of {} edge{} of {}, first of the one from {} (event {})", f.count,
                               f.count == 1 ? "" : "s", names_.text(f.task), names_.text(f.other), f.event),
                   fmt::format(R"({{"first":{},"second":{},"edges":{},"event":{}}})", names_.json(f.other), names_.json(f.task),
                               f.count, f.event),
                   line(f.task));
      case RunFindingKind::BytesReused:
        return put("memory_reused", Severity::Error,
                   fmt::format("{} gets bytes of {} from byte {} of ring {} on while {} still uses them (event {})",
                               names_.text(f.head), names_.text(f.task), f.offset, f.ring, names_.text(f.other), f.event),
                   fmt::format(R"({{"producer":{},"consumer":{},"by":{},"ring":{},"first_byte":{},"event":{}}})",
                               names_.json(f.task), names_.json(f.other), names_.json(f.head), f.ring, f.offset, f.event),
                   line(f.head));
      case RunFindingKind::WaitOnlyOnOwner:
        return put("wait_only_on_owner", Severity::Warning,
                   fmt::format("the dependency of {} on {} does not retain, though it uses its memory: in a MANUAL scope nothing "
                               "else keeps that alive",
                               names_.text(f.other), names_.text(f.task)),
                   fmt::format(R"({{"producer":{},"consumer":{}}})", names_.json(f.task), names_.json(f.other)), line(f.other));
      case RunFindingKind::OwnSlotAlias:
        return put(
            "lifetime", Severity::Warning,
            fmt::format("{} names task {}, which had its slot before: the handle was used after its scope", names_.text(f.task),
                        f.id),
            fmt::format(R"({{"producer":{},"consumer":{},"what":"handle used after its scope","hazard":"H1"}})",
                        f.other == kNoRow ? fmt::format(R"({{"task":"{}"}})", f.id) : names_.json(f.other), names_.json(f.task)),
            line(f.task));
      case RunFindingKind::LateRelease:
        return put("late_release", Severity::Error,
                   fmt::format("the release of {} ran on the edges of {}, which has its slot (event {})", names_.text(f.task),
                               names_.text(f.other), f.event),
                   fmt::format(R"({{"first":{},"second":{},"event":{},"hazard":"H10"}})", names_.json(f.task),
                               names_.json(f.other), f.event),
                   0);
      case RunFindingKind::SpillOverrun:
        return put("spill_overrun", Severity::Error,
                   fmt::format("the spill tail of ring {} passed edges of {}, which is alive (event {})", f.ring,
                               names_.text(f.task), f.event),
                   fmt::format(R"({{"task":{},"ring":{},"event":{},"hazard":"H2"}})", names_.json(f.task), f.ring, f.event), 0);
      case RunFindingKind::QueueOverflow: {
        const bool lost = f.count != 0;
        return put(
            "queue_overflow", lost ? Severity::Error : Severity::Warning,
            fmt::format(
                "{} is ready when the {} queue holds {} tasks, which is all that the runtime's has room for: {} (event {})",
                names_.text(f.task), f.text, f.capacity, lost ? "it is lost" : "there it would be lost", f.event),
            fmt::format(R"({{"task":{},"queue":"{}","capacity":{},"lost":{},"event":{},"hazard":"H6"}})", names_.json(f.task),
                        f.text, f.capacity, lost, f.event),
            line(f.task));
      }
      case RunFindingKind::Invariant:
        return put("invariant", Severity::Error, f.text,
                   fmt::format(R"({{"number":{},"event":{}{}}})", f.code, f.event,
                               f.task == kNoRow ? std::string() : fmt::format(R"(,"task":{})", names_.json(f.task))),
                   line(f.task));
      case RunFindingKind::EarlyReclaim:
      case RunFindingKind::NoEdgeToOwner:
      case RunFindingKind::StaleHandle: break;
    }
  }

  /// The submit that failed, which may have no row: the next one of its callee.
  void at(const RunFinding& f, std::string& text, std::string& json, std::uint32_t& in_line) const {
    if (f.task != kNoRow) {
      text = names_.text(f.task);
      json = names_.json(f.task);
      in_line = names_.line(f.task);
      return;
    }
    if (f.id == runtime::kInvalidTask && f.callee == 0 && f.submit_kind == TaskKind::Kernel) {  // between submits
      text = "what was asked for";
      json = "null";
      return;
    }
    in_line = f.call_site == kNoRow || f.call_site >= r_.call_sites.rows() ? 0 : r_.call_sites.line[f.call_site];
    if (f.id != runtime::kInvalidTask) {
      text = fmt::format("task {}", f.id);
      json = fmt::format(R"({{"task":"{}")", f.id);
    } else {
      std::uint32_t before = 0;
      for (std::uint32_t t = 0; t < r_.tasks.rows(); ++t) {
        if (r_.tasks.kind[t] == static_cast<std::uint8_t>(f.submit_kind) &&
            (f.submit_kind != TaskKind::Kernel || r_.tasks.callee[t] == f.callee))
          ++before;
      }
      const std::string name(f.callee == 0 ? std::string_view() : ir::source_name(r_.text(f.callee)));
      switch (f.submit_kind) {
        case TaskKind::Kernel:
          text = fmt::format("{}#{}", name, before);
          json = fmt::format(R"({{"callee":{},"occurrence":{})", json_string(name), before);
          break;
        case TaskKind::Alloc: {
          std::uint32_t of_name = 0;
          for (std::uint32_t a = 0; a < r_.accesses.rows(); ++a) {
            const bool alloc = r_.tasks.kind[r_.accesses.task[a]] == static_cast<std::uint8_t>(TaskKind::Alloc);
            if (alloc && r_.tensors.name[r_.accesses.tensor[a]] == f.callee) ++of_name;
          }
          text = fmt::format("allocation of {}#{}", name, of_name);
          json = fmt::format(R"({{"alloc":{},"occurrence":{})", json_string(name), of_name);
          break;
        }
        case TaskKind::Dummy:
          text = fmt::format("barrier {}", before);
          json = fmt::format(R"({{"dummy":{})", before);
          break;
      }
    }
    if (in_line != 0) json += fmt::format(R"(,"line":{})", in_line);
    json += "}";
  }

  void deadlock(const RunFinding& f) {
    std::string place, place_json;
    std::uint32_t in_line = 0;
    if (f.resource == Resource::HostAccess) {
      place = "the orchestrator";
      place_json = "null";
    } else {
      at(f, place, place_json, in_line);
    }
    std::string fields = fmt::format(
        R"({{"resource":"{}","ring":{},"error_code":{},"at":{},"class":"{}","needed":{},"requested":{},"used":{},"capacity":{})",
        runtime::resource_name(f.resource), f.ring, f.code, place_json, runtime::error_class_name(f.error_class), f.requested,
        f.requested, f.used, f.capacity);
    fields += fmt::format(R"(,"next_index":{},"watermark":{},"event":{})", f.next_index, f.watermark, f.event);
    std::string summary;
    std::string wanted;
    if (f.resource == Resource::Scope) {
      fields += fmt::format(R"(,"scope_mode":"{}","tasks_in_scope":{},"limit":{})", f.manual_scope ? "MANUAL" : "AUTO", f.used,
                            f.capacity);
      fields += counted(f);
      const std::string scope = f.id != runtime::kInvalidTask
                                    ? std::string("the scopes of a trace are not known, and counted as one this")
                                    : fmt::format("its {} scope", f.manual_scope ? "MANUAL" : "AUTO");
      wanted = fmt::format("a place in its scope: {} of {} tasks are in it", f.used, f.capacity);
      summary = fmt::format("{} does not fit: {} already has {} tasks, and ring {} has places for {} (error {}, {})", place,
                            scope, f.used, f.ring, f.capacity, f.code, error_words(f.code));
    } else if (f.resource == Resource::HostAccess) {
      fields += fmt::format(R"(,"waits_for":{})", f.other == kNoRow ? std::string("null") : names_.json(f.other));
      wanted = fmt::format("access to a tensor: {} of {} {} are not done", f.used, f.requested, unit_of(f.resource, f.requested));
      summary = fmt::format("{} waits for ever to access a tensor: {} of {} {} are not done{} (error {}, {})", place, f.used,
                            f.requested, unit_of(f.resource, f.requested),
                            f.other == kNoRow ? std::string() : fmt::format(", {} among them", names_.text(f.other)), f.code,
                            error_words(f.code));
    } else {
      // All rings share one TensorMap.
      const std::string ring = f.resource == Resource::TensorMapPool ? std::string() : fmt::format(" of ring {}", f.ring);
      wanted = fmt::format("{} {} of the {}{}: {} of {} in use", f.requested, unit_of(f.resource, f.requested),
                           name_of(f.resource), ring, f.used, f.capacity);
      // A ring that is full cannot be told from one that is empty, and bytes come in one piece.
      if (f.resource == Resource::Heap && f.requested <= f.capacity - std::min(f.capacity, f.used))
        wanted += ", and no piece of the rest is large enough";
      summary = fmt::format("{} waits for ever for {} (error {}, {})", place, wanted, f.code, error_words(f.code));
    }
    if (f.head != kNoRow) {
      fields += fmt::format(
          R"(,"head":{},"head_state":"{}","head_references_released":{},"head_references":{},"head_scope_released":{})",
          names_.json(f.head), runtime::task_state_name(f.head_state), f.head_released, f.head_claimed, f.head_scope_released);
    }
    if (f.resource != Resource::Scope && f.resource != Resource::HostAccess && f.requested > f.capacity) {
      summary += "; it can never hold that many";  // whatever the class: no scope's end would help
    } else if (f.error_class == ErrorClass::Structural && f.resource != Resource::Scope && f.head != kNoRow) {
      summary +=
          fmt::format("; {} is the oldest task of the ring and belongs to a scope that is still open", names_.text(f.head));
    } else if (f.error_class == ErrorClass::Backstop && f.resource != Resource::HostAccess) {
      summary += "; nothing that can still happen frees any";
    }
    if (!option_of(f.resource).empty()) fields += fmt::format(R"(,"option":"{}")", option_of(f.resource));
    fields += fmt::format(R"(,"fixes":[{}])", json_string(fix(f)));
    if (!f.links.empty()) fields += "," + deadlock_proof_fields(r_, names_, f, place, wanted);
    put("deadlock", Severity::Error, summary, fields + "}", in_line);
  }

  /// What to change, in one sentence.
  [[nodiscard]] std::string fix(const RunFinding& f) const {
    const std::string_view option = option_of(f.resource);
    if (f.resource == Resource::HostAccess) return "access the tensor where its producers can complete before";
    if (f.resource == Resource::TensorMapPool) return "end scopes earlier, so that writers retire and their entries are freed";
    if (f.resource == Resource::Scope)
      return fmt::format("give the loop, or parts of it, a scope of its own, or raise {} above {}", option, f.used + 1);
    if (f.requested > f.capacity) return fmt::format("raise {} to at least {}, or ask for less at once", option, f.requested);
    if (f.error_class == ErrorClass::Structural) {
      return fmt::format("end the scope of {} before this submit, or raise {}",
                         f.head == kNoRow ? "the head" : names_.text(f.head), option);
    }
    if (f.head != kNoRow && f.head_state != runtime::TaskState::Consumed) {
      return fmt::format("find out why {} is {} and not reclaimed, or raise {}", names_.text(f.head),
                         runtime::task_state_name(f.head_state), option);
    }
    return fmt::format("raise {}", option);
  }

  [[nodiscard]] std::string counted(const RunFinding& f) const {
    std::string out;
    std::size_t count = 0;
    for (std::uint32_t t = f.first_counted; t < r_.tasks.rows() && count < kMostCounted; ++t) {
      if (r_.tasks.scope[t] != r_.tasks.scope[f.first_counted] || r_.tasks.id[t] >> 32U != f.ring) continue;
      out += fmt::format("{}{}", out.empty() ? "" : ",", json_string(names_.text(t)));
      ++count;
    }
    return fmt::format(R"(,"counted":[{}])", out);
  }

  void error(const RunFinding& f) {
    std::string place, place_json;
    std::uint32_t in_line = 0;
    at(f, place, place_json, in_line);
    const bool timeout = f.code == 100;
    std::string summary;
    if (timeout) {
      summary = f.task == kNoRow ? std::string("the run stops")
                                 : fmt::format("{} never completes: {}", place, runtime::error_class_name(f.error_class));
      summary += fmt::format(" (error 100, {})", error_words(f.code));
    } else {
      summary = fmt::format("the runtime refuses {} (error {}, {})", place, f.code, error_words(f.code));
    }
    std::string fields = fmt::format(R"({{"error_code":{},"at":{},"event":{})", f.code, place_json, f.event);
    if (timeout) {
      fields += fmt::format(R"(,"class":"{}")", runtime::error_class_name(f.error_class));
      if (f.error_class == ErrorClass::S1) fields += fmt::format(R"(,"core":{})", f.count);
      if (!f.links.empty()) fields += "," + deadlock_proof_fields(r_, names_, f, place, {});
    }
    put("runtime_error", Severity::Error, summary, fields + "}", in_line);
  }

  Recording& r_;
  TaskNames names_;
};

}  // namespace

void add_run_findings(Recording& recording, const std::vector<RunFinding>& found) {
  if (!found.empty()) RunFindings(recording).add(found);
}

}  // namespace depscope::replay
