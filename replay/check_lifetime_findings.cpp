// Findings about memory and about what the reduction did, in words and as JSON.
#include <fmt/format.h>

#include "check_findings.h"
#include "json_text.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;

std::string flags_json(std::uint8_t flags) {
  std::string out;
  for (const std::string_view name : runtime::dep_flag_names(flags)) out += fmt::format("{}\"{}\"", out.empty() ? "" : ",", name);
  return "[" + out + "]";
}

std::string_view option(const recording::Recording& r, std::string_view name) {
  for (std::uint32_t i = 0; i < r.options.rows(); ++i) {
    if (r.text(r.options.name[i]) == name) return r.text(r.options.value[i]);
  }
  return "";
}

}  // namespace

CheckFinding CheckFindings::lifetime(const LifetimeBreach& b) const {
  const std::uint32_t buffer = r_.tensors.name[r_.accesses.tensor[b.access]];
  const std::string owner = a_.names.text(b.owner, buffer);
  const std::string user = a_.names.text(b.user);
  const bool manual = (r_.tasks.flags[b.user] & 1U) != 0;
  const std::string_view what = b.stale ? "handle used after its scope" : "reclaimed before last reader";
  CheckFinding out = pair_finding("lifetime", b.owner, b.user);
  const bool held = b.stale && b.edge != kNoRow && (r_.edges.flags_final[b.edge] & runtime::kRetain) != 0 &&
                    r_.edges.at_add[b.edge] != static_cast<std::uint8_t>(runtime::ProducerStatus::Gone);
  out.severity = b.harmless || held ? Severity::Info : b.reused_by != kNoRow ? Severity::Error : Severity::Warning;
  out.pair = fmt::format("{} -> {}", owner, user);

  std::string why;
  const bool allocation = r_.tasks.kind[b.owner] == static_cast<std::uint8_t>(runtime::TaskKind::Alloc);
  // No id stands for an allocation in a program: it cannot be named.
  std::string fix = allocation ? fmt::format(
                                     "let the first writer create {} (leave its Out argument out) and name its id in the "
                                     "dependencies of {}, or use it in an AUTO scope",
                                     a_.names.buffer(b.access), user)
                               : fmt::format("name {} in the dependencies of {} (WAIT and RETAIN)", owner, user);
  if (b.stale) {
    out.summary = fmt::format("{} uses memory of {} after the scope of {} had ended", user, owner, owner);
    why = b.consumed_at != kNoRow
              ? "its slot and its bytes may belong to another task by then"
              : "it was still there in this run; once it is completed and released, its slot and its bytes may "
                "belong to another task by then";
    fix = fmt::format("create the buffer in the scope of its last user, or submit {} inside the scope of the buffer", user);
  } else {
    out.summary = fmt::format("the memory of {} {} reclaimed while {} still uses it", owner,
                              b.consumed_at != kNoRow ? "was" : "can be", user);
    if (b.lost_at != kNoRow) {
      why = fmt::format("the edge had RETAIN and lost it in payload init (event {})", b.lost_at);
      fix = "keep the flags of an edge with the edge (--edges split)";
    } else if (b.edge != kNoRow) {
      why = fmt::format("the edge {} -> {} does not retain: order is not lifetime", owner, user);
    } else if (manual) {
      why = fmt::format(
          "no RETAIN edge from {} to {}: creator edges are not made in MANUAL scopes, and no task that retains it "
          "waits for {}",
          owner, user, user);
    } else {
      why = fmt::format("no RETAIN edge from {} to {}", owner, user);
    }
  }
  if (b.harmless) {
    out.summary +=
        fmt::format("; harmless in this run, nothing is allocated on ring {} afterwards", runtime::ring_of(r_.tasks.id[b.owner]));
  }
  std::string& f = out.fields;
  f = fmt::format(R"({{"producer":{},"consumer":{},"what":"{}","buffer":{},"why":{},"fixes":[{}])",
                  a_.names.json(b.owner, buffer), a_.names.json(b.user), what, json_string(a_.names.buffer(b.access)),
                  json_string(why), json_string(fix));
  if (b.harmless) f += R"(,"harmless":true)";
  if (b.lost_at != kNoRow) f += fmt::format(R"(,"flags_lost_at":{})", b.lost_at);
  if (b.consumed_at != kNoRow) f += fmt::format(R"(,"consumed_at":{})", b.consumed_at);
  if (b.reused_by != kNoRow) {
    f += fmt::format(R"(,"reused_by":{},"reused_at":{},"first_byte":{},"ring":{})", a_.names.json(b.reused_by), b.reused_at,
                     b.first_byte, runtime::ring_of(r_.tasks.id[b.owner]));
  }
  f += fmt::format(R"(,"where":[{},{}]}})", place_json(b.owner, kNoRow), place_json(b.user, b.access));

  out.details.emplace_back(
      "owner", fmt::format("{}, bytes {} to {} of the heap of ring {}", task_text(b.owner), r_.tasks.heap_begin[b.owner],
                           r_.tasks.heap_end[b.owner], runtime::ring_of(r_.tasks.id[b.owner])));
  out.details.emplace_back("user", fmt::format("{}, {}", task_text(b.user), argument_text(b.access)));
  out.details.emplace_back("why", why);
  if (b.consumed_at != kNoRow) out.details.emplace_back("seen", fmt::format("consumed at event {}", b.consumed_at));
  if (b.reused_by != kNoRow) {
    out.details.emplace_back(
        "reuse", fmt::format("{} got the bytes from {} on at event {}", a_.names.text(b.reused_by), b.first_byte, b.reused_at));
  }
  out.details.emplace_back("change", fix);
  return out;
}

CheckFinding CheckFindings::kept_alive(const KeptAlive& kept) const {
  CheckFinding out = pair_finding("lifetime", kept.owner, kept.consumer);
  out.severity = Severity::Info;
  const std::string consumer = a_.names.text(kept.consumer);
  out.summary = fmt::format("{}: kept alive by RETAIN until {} releases", a_.names.text(kept.owner), consumer);
  out.fields =
      fmt::format(R"({{"producer":{},"consumer":{},"what":{}}})", a_.names.json(kept.owner), a_.names.json(kept.consumer),
                  json_string(fmt::format("kept alive by RETAIN until {} releases", consumer)));
  return out;
}

CheckFinding CheckFindings::reduction(std::uint32_t edge) const {
  const auto& e = r_.edges;
  const std::uint32_t via = e.via[edge];
  CheckFinding out = pair_finding("reduction", e.producer[edge], e.consumer[edge]);
  out.severity = Severity::Info;
  out.summary = fmt::format("{}: WAIT is redundant{}, {} stays", out.pair,
                            via == kNoRow ? std::string() : fmt::format(" through {}", a_.names.text(via)),
                            e.flags_final[edge] == 0 ? "nothing" : "RETAIN");
  out.fields = fmt::format(R"({{"algorithm":{},"pred":{},"succ":{},"wait_cleared":true,"flags_final":{},"via":{}}})",
                           json_string(option(r_, "reduce")), a_.names.json(e.producer[edge]), a_.names.json(e.consumer[edge]),
                           flags_json(e.flags_final[edge]), via == kNoRow ? std::string("null") : a_.names.json(via));
  return out;
}

}  // namespace depscope::replay
