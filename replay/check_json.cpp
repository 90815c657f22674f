// depscope.findings/1 of a check.
#include <fmt/format.h>

#include "depscope/replay/check.h"
#include "json_writer.h"

namespace depscope::replay {

void write_check_json(const Check& check, const CheckOptions& options, const TextOutput& output,
                      const std::vector<CheckMember>& members) {
  JsonWriter out(output);
  out.begin_object().field("schema", "depscope.findings/1");
  out.key("findings").begin_list().break_lines();
  check.each(options, [&](const CheckFinding& finding) {
    std::string head;
    const TextOutput to_head = [&](std::string_view piece) { head.append(piece); };
    JsonWriter writer(to_head);
    writer.begin_object().field("kind", finding.kind).field("severity", to_string(finding.severity));
    writer.field("summary", std::string_view(finding.summary)).end_object().finish();
    head.resize(head.size() - 2);  // the bracket and the line end
    // Its own fields do not repeat these three.
    const bool empty = finding.fields.size() <= 2;
    out.json(empty ? head + "}" : head + "," + finding.fields.substr(1));
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
