#include "deadlock_proof.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "json_text.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::ErrorClass;
using runtime::EventKind;
using runtime::HeadReference;
using runtime::Resource;
using runtime::RunFinding;
using runtime::WaitLink;
using runtime::WaitLinkKind;
using runtime::WaitProof;

constexpr std::uint64_t kNoEvent = ~std::uint64_t{0};

std::string_view units_of(Resource resource) {
  switch (resource) {
    case Resource::TaskWindow: return "slots";
    case Resource::Heap: return "bytes";
    case Resource::DepPool: return "nodes";
    case Resource::SpillPool:
    case Resource::TensorMapPool: return "entries";
    case Resource::HostAccess:
    case Resource::Scope: break;
  }
  return "places";
}

std::string_view link_name(WaitLinkKind kind) {
  switch (kind) {
    case WaitLinkKind::TooMuch: return "too_much";
    case WaitLinkKind::Head: return "head";
    case WaitLinkKind::Interval: return "interval";
    case WaitLinkKind::AllBack: return "all_back";
    case WaitLinkKind::OpenScope: return "open_scope";
    case WaitLinkKind::ScopeEnd: return "scope_end";
    case WaitLinkKind::Submit: return "submit";
    case WaitLinkKind::Reference: return "reference";
    case WaitLinkKind::WaitsFor: return "waits_for";
    case WaitLinkKind::Again: return "again";
    case WaitLinkKind::OnCore: return "on_core";
    case WaitLinkKind::NoCore: return "no_core";
    case WaitLinkKind::Buffered: return "buffered";
    case WaitLinkKind::NotAdvanced: return "not_advanced";
  }
  return "";
}

std::string_view flags_text(std::uint8_t flags) {
  constexpr std::array<std::string_view, 4> kTexts{"no flag", "WAIT", "RETAIN", "WAIT|RETAIN"};
  return kTexts[flags & runtime::kWaitRetain];
}

/// The event that a text stands for, looked for together with all others.
struct Wanted {
  EventKind kind = EventKind::Submit;
  std::uint32_t subject = kNoRow;
  std::uint64_t event = kNoEvent;
};

/// Fills in the last such event before `before` for each.
void find_events(const Recording& r, std::uint64_t before, const std::vector<Wanted*>& wanted) {
  std::size_t left = wanted.size();
  for (std::uint64_t e = std::min<std::uint64_t>(before, r.events.rows()); e-- > 0 && left != 0;) {
    for (Wanted* w : wanted) {
      if (w->event != kNoEvent || r.events.kind[e] != static_cast<std::uint8_t>(w->kind) || r.events.subject[e] != w->subject)
        continue;
      w->event = e;
      --left;
    }
  }
}

struct Said {
  std::string kind, text;
  std::uint32_t task = kNoRow;
  Wanted event;
  std::uint32_t scope = kNoRow;
};

class Writer {
 public:
  Writer(const Recording& r, const TaskNames& names, const RunFinding& f, const std::string& place, const std::string& wanted)
      : r_(r), names_(names), f_(f), place_(place), wanted_(wanted) {}

  std::string fields() {
    std::vector<Said> links = all_links();
    std::vector<Said> references = all_references();
    std::vector<Wanted*> events;
    for (auto* list : {&links, &references}) {
      for (Said& s : *list) {
        if (s.event.subject != kNoRow) events.push_back(&s.event);
      }
    }
    find_events(r_, f_.event, events);
    const bool certain = f_.proof == WaitProof::Circle || f_.proof == WaitProof::TooMuch;
    std::string out = fmt::format(R"("proof":{{"verdict":"{}","certain":{},"links":[{}])", runtime::wait_proof_name(f_.proof),
                                  certain, json(links));
    if (f_.links_left_out != 0) out += fmt::format(R"(,"links_left_out":{})", f_.links_left_out);
    if (const std::string text = premise(); !text.empty()) out += fmt::format(R"(,"premise":{})", json_string(text));
    out += "}";
    if (f_.kind == runtime::RunFindingKind::Deadlock && f_.head != kNoRow) {
      out += fmt::format(R"(,"references":[{}])", json(references));
      if (f_.references_left_out != 0) out += fmt::format(R"(,"references_left_out":{})", f_.references_left_out);
    }
    return out;
  }

 private:
  [[nodiscard]] std::string json(const std::vector<Said>& all) const {
    std::string out;
    for (const Said& s : all) {
      out += fmt::format(R"({}{{"kind":"{}","text":{})", out.empty() ? "" : ",", s.kind, json_string(s.text));
      if (s.event.event != kNoEvent) out += fmt::format(R"(,"event":{})", s.event.event);
      if (s.task != kNoRow) out += fmt::format(R"(,"task":{})", names_.json(s.task));
      if (s.scope != kNoRow) out += fmt::format(R"(,"scope":{})", s.scope);
      out += "}";
    }
    return out;
  }

  [[nodiscard]] std::vector<Said> all_links() const {
    std::vector<Said> out;
    if (f_.kind == runtime::RunFindingKind::Deadlock)
      out.push_back({"wait", fmt::format("{} waits for {}", place_, wanted_), f_.task, {}});
    if (f_.kind == runtime::RunFindingKind::Deadlock && f_.resource == Resource::Scope)
      out.back().text = fmt::format("{} wants {}", place_, wanted_);
    for (std::size_t i = 0; i < f_.links.size(); ++i) {
      if (f_.links_left_out != 0 && i + 1 == f_.links.size())
        out.push_back(
            {"left_out", fmt::format("{} more that wait for each other in the same way", f_.links_left_out), kNoRow, {}});
      out.push_back(link(f_.links[i]));
    }
    return out;
  }

  [[nodiscard]] Said link(const WaitLink& l) const {
    Said s{std::string(link_name(l.kind)), {}, l.task, {EventKind::Submit, l.task}};
    const std::string task = l.task == kNoRow ? std::string() : names_.text(l.task);
    switch (l.kind) {
      case WaitLinkKind::TooMuch: s.text = fmt::format("there are {} in all: no task that ends gives more", f_.capacity); break;
      case WaitLinkKind::Head:
        s.text = fmt::format("{} come back in the order of submission, and {} is the next of ring {}", units_of(f_.resource),
                             task, l.ring);
        break;
      case WaitLinkKind::Interval:
        s.text = fmt::format("{} of them belong to tasks that are reclaimed, and come back only after 64 more are (hazard H11)",
                             l.count);
        break;
      case WaitLinkKind::AllBack: s.text = fmt::format("all tasks of ring {} are reclaimed", l.ring); break;
      case WaitLinkKind::OpenScope:
        s.event = {EventKind::ScopeBegin, l.scope};
        s.scope = l.scope;
        s.text = f_.resource == Resource::Scope
                     ? fmt::format("{} and what was submitted behind it keep their slots until {} ends", task, scope(l.scope))
                     : fmt::format("{} stays until its scope ends, and {} is open", task, scope(l.scope));
        break;
      case WaitLinkKind::ScopeEnd:
        s.text = fmt::format("{} ends only after {} is submitted: a circle", scope(l.scope), place_);
        break;
      case WaitLinkKind::Submit: s.text = fmt::format("{} is the task that is being submitted: a circle", task); break;
      case WaitLinkKind::Reference:
        s.text = fmt::format("{} has a reference on {}, until its release", names_.text(l.other), task);
        s.event.subject = s.task = l.other;
        break;
      case WaitLinkKind::WaitsFor:
        s.text = l.task == l.other ? fmt::format("{} waits for itself: a circle", task)
                                   : fmt::format("{} waits for {} to complete", task, names_.text(l.other));
        break;
      case WaitLinkKind::Again: s.text = fmt::format("{} again: a circle", task); break;
      case WaitLinkKind::OnCore:
        s.text = fmt::format("{} is on core {}, and its kernel has no end in this run", task, l.other);
        s.event.kind = EventKind::Dispatch;
        break;
      case WaitLinkKind::NoCore:
        s.text = fmt::format("{} is ready, and no core takes it", task);
        s.event.kind = EventKind::Ready;
        break;
      case WaitLinkKind::Buffered:
        s.text = fmt::format("{} is completed, and its release waits in the buffer of a scheduler thread", task);
        s.event.kind = EventKind::Complete;
        break;
      case WaitLinkKind::NotAdvanced:
        s.text = fmt::format("{} is consumed, and the watermark has not passed it", task);
        s.event.kind = EventKind::Consume;
        break;
    }
    return s;
  }

  /// What keeps the links from being a proof, or what the runtime makes of one.
  [[nodiscard]] std::string premise() const {
    const bool deadlock = f_.kind == runtime::RunFindingKind::Deadlock;
    switch (f_.proof) {
      case WaitProof::Circle:
      case WaitProof::TooMuch:
        return deadlock && f_.error_class == ErrorClass::Backstop
                   ? "the runtime makes no test for this, and gives up when nothing came back for 500 ms (backstop)"
                   : "";
      case WaitProof::OnlySlow:
        return fmt::format("{}a kernel has no end in this run; if it ended, {} could go on",
                           deadlock && f_.resource != Resource::HostAccess
                               ? "a proof needs a task at the watermark that belongs to an open scope, and there is none: "
                               : "",
                           deadlock ? "the submit" : "the task");
      case WaitProof::Unproven: break;
    }
    if (deadlock && f_.head == kNoRow) return "a proof needs a task at the watermark, and there is none";
    return "nothing can happen any more in this run, but no circle was found";
  }

  [[nodiscard]] std::vector<Said> all_references() const {
    std::vector<Said> out;
    if (f_.head == kNoRow) return out;
    if (!f_.head_scope_released) {
      const std::uint32_t row = r_.tasks.scope[f_.head];
      out.push_back({"scope", fmt::format("{}, until it ends", scope(row)), kNoRow, {EventKind::ScopeBegin, row}});
    }
    for (const HeadReference& reference : f_.references) out.push_back(consumer(reference));
    return out;
  }

  [[nodiscard]] Said consumer(const HeadReference& reference) const {
    const std::string task = names_.text(reference.task);
    const std::string_view state = runtime::task_state_name(reference.state);
    Said s{"consumer", {}, reference.task, {EventKind::Submit, reference.task}};
    if (reference.edge >= r_.edges.rows()) {
      s.text = fmt::format("{}, which is being submitted", task);
      return s;
    }
    const std::string until = (reference.flags & runtime::kRetain) != 0 ? "until its release" : "until it is wired";
    s.text = fmt::format("{} ({}), {}, {}: {}", task, state, flags_text(reference.flags), until, why(reference.edge));
    return s;
  }

  /// How the edge came about.
  [[nodiscard]] std::string why(std::uint32_t edge) const {
    const auto& reasons = r_.edge_reasons;
    std::vector<std::string> out;
    // Those of one consumer stand together, in the order of discovery.
    const std::uint32_t consumer = r_.edges.consumer[edge];
    const auto first = std::partition_point(reasons.edge.begin(), reasons.edge.end(),
                                            [&](std::uint32_t e) { return r_.edges.consumer[e] < consumer; });
    for (auto i = static_cast<std::uint32_t>(first - reasons.edge.begin());
         i < reasons.rows() && r_.edges.consumer[reasons.edge[i]] == consumer; ++i) {
      if (reasons.edge[i] != edge) continue;
      const std::uint32_t access = reasons.consumer_access[i];
      const std::string buffer = access == kNoRow ? std::string("a buffer") : names_.buffer(access);
      std::string text;
      if (reasons.source[i] == runtime::kCreator) {
        text = fmt::format("uses {}, which it owns (creator)", buffer);
      } else if (reasons.source[i] == runtime::kTensorMap) {
        text = fmt::format("uses {}, which it wrote (tensormap)", buffer);
      } else {
        text = fmt::format("named as a dependency ({})", fmt::join(runtime::provenance_names(r_.edges.provenance[edge]), ", "));
      }
      if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
    }
    return fmt::format("{}", fmt::join(out, "; "));
  }

  [[nodiscard]] std::string scope(std::uint32_t row) const {
    if (row >= r_.scopes.rows()) return "the scope";
    if (r_.scopes.owner[row] == 3) return "the implicit scope of the run";
    return fmt::format("scope {} ({}, depth {})", row, r_.scopes.manual[row] != 0 ? "MANUAL" : "AUTO", r_.scopes.depth[row]);
  }

  const Recording& r_;
  const TaskNames& names_;
  const RunFinding& f_;
  const std::string& place_;
  const std::string& wanted_;
};

}  // namespace

std::string deadlock_proof_fields(const Recording& recording, const TaskNames& names, const RunFinding& f,
                                  const std::string& place, const std::string& wanted) {
  return Writer(recording, names, f, place, wanted).fields();
}

}  // namespace depscope::replay
