#include "deadlock_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "depscope/runtime/sink.h"
#include "smallest_settings.h"

namespace depscope::app {
namespace {

using nlohmann::ordered_json;
using recording::kNoRow;
using recording::Recording;
using runtime::RingResource;

/// By RingResource.
constexpr std::array kResources{runtime::Resource::TaskWindow, runtime::Resource::Heap, runtime::Resource::DepPool};

std::uint32_t deadlock_of(const Recording& r) {
  for (std::uint32_t row = 0; row < r.findings.rows(); ++row) {
    if (r.text(r.findings.kind[row]) == "deadlock") return row;
  }
  return kNoRow;
}

/// The finding names the option that sizes what ran out, if there is one.
std::optional<RingLimit> limit_of(const Recording& r, std::uint32_t finding) {
  const auto fields = ordered_json::parse(r.text(r.findings.fields[finding]), nullptr, /*allow_exceptions=*/false);
  const std::string option = fields.value("option", "");
  const auto ring = fields.value("ring", runtime::kRingCount);
  for (std::size_t i = 0; i < runtime::kRingResources && ring < runtime::kRingCount; ++i) {
    const auto resource = static_cast<RingResource>(i);
    if (option == runtime::ring_option_name(resource)) return RingLimit{resource, ring};
  }
  return std::nullopt;
}

RunEnd end_of(const Recording& r) {
  if (const std::uint32_t row = deadlock_of(r); row != kNoRow) return {.through = false, .limit = limit_of(r, row)};
  for (std::uint32_t row = 0; row < r.findings.rows(); ++row) {
    if (r.text(r.findings.kind[row]) == "runtime_error") return {};
  }
  return {.through = true, .limit = {}};
}

/// As the run had them.
LimitsOfRings limits_of(const Recording& r) {
  LimitsOfRings out{};
  for (std::uint32_t e = 0; e < r.events.rows(); ++e) {
    if (r.events.kind[e] != static_cast<std::uint8_t>(runtime::EventKind::Config) || r.events.object[e] >= runtime::kRingCount)
      continue;
    const auto value = static_cast<std::uint64_t>(r.events.new_value[e]);
    switch (static_cast<runtime::ConfigItem>(r.events.subject[e])) {
      case runtime::ConfigItem::TaskWindow: out[0][r.events.object[e]] = value; break;
      case runtime::ConfigItem::HeapBytes: out[1][r.events.object[e]] = value; break;
      case runtime::ConfigItem::DepPool: out[2][r.events.object[e]] = value; break;
      default: break;
    }
  }
  return out;
}

/// The limits that differ from `before` in place of those that were given.
LimitsOfRings given_limits(const RunOptions& options, const LimitsOfRings& before, const LimitsOfRings& limits) {
  LimitsOfRings given = options.ring_limits;
  for (std::size_t r = 0; r < given.size(); ++r) {
    for (std::size_t ring = 0; ring < runtime::kRingCount; ++ring) {
      if (limits[r][ring] != before[r][ring]) given[r][ring] = limits[r][ring];
    }
  }
  return given;
}

ordered_json as_json(const SmallestSettings& found, const RunOptions& options, const LimitsOfRings& before) {
  LimitsOfRings limits = before;
  ordered_json settings = ordered_json::array();
  for (const SmallestSettings::Raised& raised : found.raised) {
    const auto r = static_cast<std::size_t>(raised.limit.resource);
    limits[r][raised.limit.ring] = raised.to;
    settings.push_back({{"resource", std::string(runtime::resource_name(kResources[r]))},
                        {"ring", raised.limit.ring},
                        {"from", raised.from},
                        {"value", raised.to},
                        {"one_less", raised.one_less}});
  }
  const LimitsOfRings given = given_limits(options, before, limits);
  ordered_json texts = ordered_json::array();
  for (std::size_t r = 0; r < given.size(); ++r) {
    if (given[r] == options.ring_limits[r]) continue;
    texts.push_back(fmt::format("{} {}", runtime::ring_option_name(static_cast<RingResource>(r)), fmt::join(given[r], ",")));
  }
  if (!found.through) return {{"through", false}, {"runs", found.runs}, {"gave_up", found.runs >= kMaxSizingRuns}};
  return {{"through", true}, {"runs", found.runs}, {"options", texts}, {"settings", settings}};
}

}  // namespace

void add_smallest_settings(const std::string& input, const RunOptions& options, Opened& opened) {
  Recording& r = opened.recording;
  const std::uint32_t deadlock = deadlock_of(r);
  const bool again = is_run(opened.kind) && opened.kind != InputKind::Bundle && options.schedule_source == nullptr &&
                     r.tasks.rows() <= kMaxTasksRunAgain;
  if (deadlock == kNoRow || !again || !limit_of(r, deadlock)) return;
  const LimitsOfRings before = limits_of(r);
  const SmallestSettings found = smallest_settings(before, [&](const LimitsOfRings& limits) {
    RunOptions tried = to_run_again(options);
    tried.ring_limits = given_limits(options, before, limits);
    tried.events = EventChoice::Summary;
    return end_of(open_input(input, tried).recording);
  });
  auto fields = ordered_json::parse(r.text(r.findings.fields[deadlock]));
  fields["smallest"] = as_json(found, options, before);
  r.findings.fields[deadlock] = r.strings.add(fields.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace depscope::app
