// Who asked for an edge, and what became of its flags.
#include <fmt/format.h>

#include <algorithm>

#include "depscope/recording/runs.h"
#include "depscope/replay/decision_words.h"
#include "depscope/viewers/answers.h"
#include "depscope/viewers/decision_words.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

void site_link(AnswerText& out, const Document& document, std::uint32_t site) {
  if (site == kNoRow) {
    out.say("a call that is not known");
  } else {
    out.link({ItemKind::CallSite, site}, document.call_site_label(site));
    out.say(replay::at_line(document.recording().call_sites.line[site]));
  }
}

/// What a consumer's access is called: "argument 2, INPUT of a FLOAT32 [64]".
void access_link(AnswerText& out, const Document& document, std::uint32_t access) {
  const auto& a = document.recording().accesses;
  out.link({ItemKind::Access, access},
           fmt::format("argument {}, {} of {}", a.arg[access],
                       runtime::arg_kind_name(static_cast<runtime::ArgKind>(a.kind[access])), access_label(document, access)));
}

std::string flags_text(std::uint8_t flags) {
  std::string text = (flags & runtime::kWait) != 0 ? "WAIT" : "";
  if ((flags & runtime::kRetain) != 0) text += text.empty() ? "RETAIN" : " and RETAIN";
  return text.empty() ? "no flag" : text;
}

std::string_view overlap_words(std::uint8_t overlap) {
  switch (overlap) {
    case 1: return ": the two overlap.";
    case 2: return ": the consumer's region covers the whole write.";
    default: return ".";
  }
}

void named_by_user(AnswerText& out, const Document& document, std::uint32_t site) {
  out.say("The user named it: ");
  site_link(out, document, site);
  out.say(" has it in deps= (or manual_dep_edges).");
  if (site != kNoRow) out.code(document, document.recording().call_sites.line[site], "deps");
}

/// Hazards of the passes between two call sites that a compiler edge covers.
void named_by_compiler(AnswerText& out, const Document& document, std::uint32_t producer_site, std::uint32_t consumer_site) {
  const auto& r = document.recording();
  out.say("The compiler added it (passes.md 5.6)");
  std::size_t found = 0;
  if (consumer_site != kNoRow) {
    for (const std::uint32_t hazard : document.hazards_of_current().of(consumer_site)) {
      if (r.hazards.verdict[hazard] == static_cast<std::uint8_t>(pass::HazardVerdict::Disjoint)) continue;
      if (!recording::hazard_has_prior(r, hazard, producer_site)) continue;
      if (++found > kMaxAnswerItems) continue;
      const std::uint32_t storage = r.hazards.current_storage[hazard];
      const std::string_view root = storage == kNoRow ? std::string_view("?") : r.text(r.storage.root[storage]);
      out.say(found == 1 ? " for " : ", and for ");
      out.link({ItemKind::Hazard, hazard}, fmt::format("{} on root {}", replay::kinds_text(r.hazards.kinds[hazard]), root));
    }
  }
  out.say(found == 0 ? "; no conflict of the two calls is on record: it stands for an id that was carried on." : " between ");
  if (found == 0) return;
  site_link(out, document, producer_site);
  out.say(" and ");
  site_link(out, document, consumer_site);
  out.say(".");
}

void reason_line(AnswerText& out, const Document& document, std::uint32_t reason) {
  const auto& r = document.recording();
  const auto& reasons = r.edge_reasons;
  const std::uint32_t edge = reasons.edge[reason];
  const std::uint32_t producer = r.edges.producer[edge];
  const std::uint32_t consumer = r.edges.consumer[edge];
  const std::uint32_t own = reasons.consumer_access[reason];
  const std::uint32_t write = reasons.producer_access[reason];
  out.bullet("");
  switch (reasons.source[reason]) {
    case runtime::kUser: named_by_user(out, document, r.tasks.call_site[consumer]); break;
    case runtime::kCompiler: named_by_compiler(out, document, r.tasks.call_site[producer], r.tasks.call_site[consumer]); break;
    case runtime::kFence: out.say("A phase fence: the producer is, or stands for, a barrier (passes.md 6)."); break;
    case runtime::kExplicit: out.say("An explicit dependency of the submit; the trace does not say who wrote it."); break;
    case runtime::kCreator:
      out.say("The producer owns the buffer that the consumer uses");
      if (own != kNoRow) {
        out.say(" as ");
        access_link(out, document, own);
      }
      out.say(": it must not be given back before (creator).");
      break;
    case runtime::kTensorMap:
      out.say("The TensorMap: ");
      if (own != kNoRow) {
        access_link(out, document, own);
      } else {
        out.say(fmt::format("argument {}", reasons.arg[reason]));
      }
      out.say(" was looked up and met the write of ");
      out.link({ItemKind::Task, producer}, document.task_label(producer));
      if (write != kNoRow) {
        out.say(" through ");
        access_link(out, document, write);
      }
      out.say(std::string(overlap_words(reasons.overlap[reason])));
      break;
    default: out.say("An origin that is not known."); break;
  }
  out.say(fmt::format(" It gives {}.", flags_text(reasons.flags[reason])));
  if (reasons.replay_row[reason] == 0) out.say(" The runtime's own deps.json does not list this discovery.");
}

}  // namespace

Answer who_asked(const Document& document, std::uint32_t edge) {
  AnswerText out("Who asked for this edge?");
  const auto reasons = document.reasons_of_edge().of(edge);
  if (reasons.empty()) out.line("No discovery of this edge is recorded.", AnswerStyle::Dim);
  for (std::size_t i = 0; i < reasons.size() && i < kMaxAnswerItems; ++i) reason_line(out, document, reasons[i]);
  if (reasons.size() > kMaxAnswerItems)
    out.line(fmt::format("… and {} more discoveries", reasons.size() - kMaxAnswerItems), AnswerStyle::Dim);
  return out.take();
}

Answer where_did_wait_go(const Document& document, std::uint32_t edge) {
  AnswerText out("Where did its WAIT go?");
  const auto& r = document.recording();
  const std::uint8_t found = r.edges.flags[edge];
  const std::uint8_t left = r.edges.flags_final[edge];
  if ((found & runtime::kWait) == 0)
    return out.line("It never had one: it was found with " + flags_text(found) + " only.").take();
  if ((left & runtime::kWait) != 0) return out.line("Nowhere: the consumer waits for this producer itself.").take();
  const std::uint32_t via = r.edges.via[edge];
  if (via == kNoRow) return out.line("The reduction took it away; no witness is recorded.").take();
  out.line("The reduction took it away, because the consumer also waits for ")
      .link({ItemKind::Task, via}, document.task_label(via))
      .say(", which completes only after ")
      .link({ItemKind::Task, r.edges.producer[edge]}, document.task_label(r.edges.producer[edge]))
      .say(" has.");
  out.say(left == runtime::kNone ? " Nothing is left of the edge." : fmt::format(" {} stays.", flags_text(left)));
  return out.take();
}

}  // namespace depscope::viewers
