// The member "sizing" of depscope.findings/1.
#include <fmt/format.h>

#include <string>

#include "depscope/replay/sizing_report.h"
#include "json_text.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;

std::string ring_text(std::uint32_t ring) { return ring == kAllRings ? "null" : std::to_string(ring); }
std::string capacity_text(std::uint64_t capacity) { return capacity == 0 ? "null" : std::to_string(capacity); }

std::string moment_fields(const SizingMoment& at) {
  std::string out =
      at.event == kNoRow ? R"("event":null,"time":null)" : fmt::format(R"("event":{},"time":{})", at.event, at.time);
  return out + fmt::format(R"(,"task":{},"scope":{})", at.task_json.empty() ? "null" : at.task_json,
                           at.scope_json.empty() ? "null" : at.scope_json);
}

std::string use_text(const std::optional<SizedUse>& use, const SizingRow& row, bool headroom) {
  if (!use) return "null";
  std::string out = fmt::format(R"({{"in_use":{})", use->most);
  if (headroom && row.capacity != 0) {
    const std::uint64_t permille = headroom_permille(use->most, row.capacity);
    out += fmt::format(R"(,"headroom_percent":{}.{})", permille / 10, permille % 10);
  }
  if (row.resource == SizedResource::Heap) out += fmt::format(R"(,"wasted":{})", use->wasted);
  if (row.resource == SizedResource::DepPool || row.resource == SizedResource::SpillPool)
    out += fmt::format(R"(,"held":{})", use->most_held);
  return out + "," + moment_fields(use->at) + "}";
}

std::string stop_text(const RunStop& stop) {
  if (!stop.stopped) return "null";
  std::string out = fmt::format(R"({{"error_code":{},"class":"{}","event":{})", stop.code,
                                runtime::error_class_name(stop.error_class), stop.event);
  if (stop.by_resource)
    out += fmt::format(R"(,"resource":"{}","ring":{})", sized_resource_name(stop.resource), ring_text(stop.ring));
  return out + "}";
}

std::string run_text(const RunUse& run) {
  return fmt::format(R"({{"events":"{}","stop":{}}})", !run.run ? "none" : (run.full ? "full" : "summary"), stop_text(run.stop));
}

std::string cap_text(const SizingCap& cap) {
  std::string out =
      fmt::format(R"({{"resource":"{}","ring":{},"capacity":{},"needed":{},{},"outcome":"{}","waits":{},"waited":{})",
                  sized_resource_name(cap.resource), ring_text(cap.ring), capacity_text(cap.capacity),
                  cap.needed == 0 ? "null" : std::to_string(cap.needed), moment_fields(cap.at), cap_outcome_name(cap.outcome),
                  cap.waits, cap.waited);
  if (cap.outcome == CapOutcome::Stops)
    out += fmt::format(R"(,"error_code":{},"class":"{}")", cap.code, runtime::error_class_name(cap.error_class));
  return out + "}";
}

template <class Items, class F>
std::string list_text(const Items& items, F&& text) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() == 1 ? "" : ",") + text(item);
  return out + "]";
}

}  // namespace

std::string sizing_json(const SizingReport& report) {
  std::string out = fmt::format(R"({{"as_set":{})", run_text(report.set));
  if (report.no_unlimited.empty()) {
    out += fmt::format(R"(,"unlimited":{})", run_text(report.unlimited));
  } else {
    out += fmt::format(R"(,"unlimited":null,"no_unlimited":{})", json_string(report.no_unlimited));
  }
  out += R"(,"peaks":)" + list_text(report.rows, [](const SizingRow& row) {
           return fmt::format(
               R"({{"resource":"{}","ring":{},"unit":"{}","capacity":{},"waits":{},"waited":{},"as_set":{},"unlimited":{}}})",
               sized_resource_name(row.resource), ring_text(row.ring), sized_resource_unit(row.resource),
               capacity_text(row.capacity), row.waits, row.waited, use_text(row.set, row, true),
               use_text(row.unlimited, row, false));
         });
  out += R"(,"caps":)" + (report.no_unlimited.empty() ? list_text(report.caps, cap_text) : std::string("null"));
  out += fmt::format(R"(,"smallest":{{"runs":{})", report.runs);
  if (!report.no_smallest.empty()) out += fmt::format(R"(,"reason":{})", json_string(report.no_smallest));
  out += R"(,"settings":)" + list_text(report.smallest, [](const SmallestLimit& limit) {
           const SizedResource resource = limit.resource == runtime::RingResource::TaskWindow ? SizedResource::TaskWindow
                                          : limit.resource == runtime::RingResource::Heap     ? SizedResource::Heap
                                                                                              : SizedResource::DepPool;
           return fmt::format(R"({{"resource":"{}","ring":{},"option":"{}","as_set":{},"value":{},"one_less":{}}})",
                              sized_resource_name(resource), limit.ring, runtime::ring_option_name(limit.resource), limit.set,
                              limit.value, limit.one_less == 0 ? "null" : std::to_string(limit.one_less));
         });
  return out + "}}";
}

}  // namespace depscope::replay
