// The inspector's page of an edge: who asked for it, with what flags, and what became of them.
#include <fmt/format.h>
#include <imgui.h>

#include "depscope/pass/decisions.h"
#include "depscope/recording/runs.h"
#include "depscope/viewers/widgets.h"
#include "inspector_panel.h"

namespace depscope::viewers {
namespace {

std::string_view overlap_name(std::uint8_t overlap) {
  switch (overlap) {
    case 1: return "the regions overlap";
    case 2: return "the write is covered by the consumer's region";
    default: return {};
  }
}

void wrapped(std::string_view words, ImU32 colour = colour::kText) {
  ImGui::PushTextWrapPos(0.0F);
  text(words, colour);
  ImGui::PopTextWrapPos();
}

void draw_reasons(Context& context, std::uint32_t edge) {
  const Document& document = *context.document;
  const auto& r = document.recording();
  const auto reasons = document.reasons_of_edge().of(edge);
  if (reasons.empty()) text("No discovery of this edge is recorded.", colour::kDim);
  constexpr std::size_t kMaxReasons = 200;
  std::size_t shown = 0;
  for (const std::uint32_t reason : reasons) {
    if (++shown > kMaxReasons) {
      text(fmt::format("… and {} more discoveries", reasons.size() - kMaxReasons), colour::kDim);
      break;
    }
    ImGui::Bullet();
    provenance_badges(r.edge_reasons.source[reason], false);
    flag_badges(r.edge_reasons.flags[reason], 0, true);
    ImGui::Indent();
    if (r.edge_reasons.arg[reason] >= 0) {
      text(fmt::format("through argument {}", r.edge_reasons.arg[reason]));
    } else if ((r.edge_reasons.source[reason] & (runtime::kCreator | runtime::kTensorMap)) == 0) {
      text("an explicit dependency of the submit");
    }
    if (const std::uint32_t access = r.edge_reasons.consumer_access[reason]; access != kNoRow) {
      text("consumer:", colour::kDim);
      ImGui::SameLine();
      text(runtime::arg_kind_name(static_cast<runtime::ArgKind>(r.accesses.kind[access])));
      ImGui::SameLine();
      link(context, {ItemKind::Tensor, r.accesses.tensor[access]}, access_label(document, access));
    }
    if (const std::uint32_t access = r.edge_reasons.producer_access[reason]; access != kNoRow) {
      text("write:", colour::kDim);
      ImGui::SameLine();
      text(runtime::arg_kind_name(static_cast<runtime::ArgKind>(r.accesses.kind[access])));
      ImGui::SameLine();
      text(access_label(document, access));
    }
    if (const std::string_view overlap = overlap_name(r.edge_reasons.overlap[reason]); !overlap.empty())
      text(overlap, colour::kDim);
    if (r.edge_reasons.replay_row[reason] == 0) wrapped("the runtime's own deps.json does not list this discovery", colour::kDim);
    ImGui::Unindent();
  }
}

/// What the passes had to say about the two call sites: explains user and compiler edges.
void draw_hazards(Context& context, std::uint32_t producer_site, std::uint32_t consumer_site) {
  const auto& r = context.document->recording();
  bool any = false;
  for (const std::uint32_t hazard : context.document->hazards_of_current().of(consumer_site)) {
    if (!recording::hazard_has_prior(r, hazard, producer_site)) continue;
    if (!any) text("Hazards that the passes judged between the two call sites:", colour::kDim);
    any = true;
    std::string kinds;
    for (const std::string_view kind : pass::hazard_kind_names(r.hazards.kinds[hazard]))
      kinds += (kinds.empty() ? "" : "+") + std::string(kind);
    ImGui::Bullet();
    const std::uint32_t storage = r.hazards.current_storage[hazard];
    const std::string_view root = storage < r.storage.rows() ? r.text(r.storage.root[storage]) : std::string_view("?");
    link(context, {ItemKind::Hazard, hazard},
         fmt::format("{} on {}: {}", kinds, root,
                     pass::hazard_verdict_name(static_cast<pass::HazardVerdict>(r.hazards.verdict[hazard]))));
  }
}

}  // namespace

void inspect_edge(Context& context, std::uint32_t edge) {
  const Document& document = *context.document;
  const auto& r = document.recording();
  const std::uint32_t producer = r.edges.producer[edge];
  const std::uint32_t consumer = r.edges.consumer[edge];
  field(context, "producer");
  link(context, {ItemKind::Task, producer}, document.task_label(producer));
  field(context, "consumer");
  link(context, {ItemKind::Task, consumer}, document.task_label(consumer));
  field(context, "asked for by");
  provenance_badges(r.edges.provenance[edge], false);
  field(context, "flags found");
  flag_badges(r.edges.flags[edge], 0, false);
  field(context, "flags final");
  flag_badges(r.edges.flags_final[edge], r.edges.flags[edge], false);
  field(context, "at the cursor");
  const std::uint8_t now = document.cursor().state().edge_flags[edge];
  if (now == 0) {
    text("not discovered yet", colour::kDim);
  } else {
    flag_badges(now, 0, false);
  }
  if (const std::uint32_t via = r.edges.via[edge]; via != kNoRow) {
    ImGui::Spacing();
    wrapped("WAIT was taken away by the reduction, because the consumer also waits for");
    link(context, {ItemKind::Task, via}, document.task_label(via));
    wrapped("which completes only after the producer has.");
  } else if (r.edges.flags[edge] != r.edges.flags_final[edge]) {
    wrapped("Flags were taken away by the reduction; no witness is recorded.");
  }
  ImGui::Spacing();
  if (section(context, "Who asked for this edge?")) {
    draw_reasons(context, edge);
    const std::uint32_t producer_site = r.tasks.call_site[producer];
    const std::uint32_t consumer_site = r.tasks.call_site[consumer];
    if (consumer_site != kNoRow) {
      text("consumer's call site:", colour::kDim);
      ImGui::SameLine();
      link(context, {ItemKind::CallSite, consumer_site}, document.call_site_label(consumer_site));
      draw_hazards(context, producer_site, consumer_site);
    }
  }
  if (context.show_legends) {
    ImGui::Spacing();
    legend(context, "asked for by", colour::provenance_legend());
    legend(context, "flags", colour::flag_legend());
  }
}

}  // namespace depscope::viewers
