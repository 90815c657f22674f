// The inspector's page of an edge: its ends and its flags. Who asked for it is answered in answers_edge.cpp.
#include <imgui.h>

#include "depscope/viewers/widgets.h"
#include "inspector_panel.h"

namespace depscope::viewers {
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
    text("not discovered yet", colour::dim());
  } else {
    flag_badges(now, 0, false);
  }
}

}  // namespace depscope::viewers
