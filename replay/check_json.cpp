// depscope.findings/1 of a check.
#include <fmt/format.h>

#include "depscope/replay/check.h"
#include "finding_json.h"
#include "json_writer.h"

namespace depscope::replay {

void write_check_json(const Check& check, const CheckOptions& options, const TextOutput& output,
                      const std::vector<CheckMember>& members) {
  JsonWriter out(output);
  out.begin_object().field("schema", "depscope.findings/1");
  out.key("findings").begin_list().break_lines();
  check.each(options, [&](const CheckFinding& finding) {
    out.json(finding_json(finding.kind, finding.severity, finding.summary, finding.fields));
  });
  out.end_list();
  const CheckCounts& c = check.counts();
  out.key("counts").begin_object();
  out.field("errors", c.errors).field("warnings", c.warnings).field("infos", c.infos);
  out.field("missing_order", c.missing_order)
      .field("false_order", c.false_order)
      .field("lifetime", c.lifetime)
      .field("provenance", c.provenance);
  out.field("tasks", c.tasks).field("edges", c.edges).field("judged_pairs", c.judged).field("buffers", c.buffers);
  out.field("unplaced_arguments", c.unplaced).field("skipped_buffers", c.skipped).field("cut", c.cut);
  out.end_object();
  for (const CheckMember& member : members) out.key(member.name).json(member.json);
  out.end_object().finish();
}

}  // namespace depscope::replay
