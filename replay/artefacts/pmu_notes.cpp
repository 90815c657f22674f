#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "depscope/replay/artefacts/pmu.h"
#include "note_words.h"

namespace depscope::replay {
namespace {

/// By number; empty: not used.
constexpr std::array<std::string_view, 9> kEventNames{"",   "arithmetic", "pipe", "",        "memory",
                                                      "L0", "conflicts",  "UB",   "L2 cache"};

/// Of several event types, the first ones and how many more.
constexpr std::size_t kMaxShownTypes = 8;

bool is_known(std::uint32_t event_type) { return event_type < kEventNames.size() && !kEventNames[event_type].empty(); }

std::string list(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < std::min(words.size(), kMaxShownTypes); ++i) out += (i == 0 ? "" : ", ") + words[i];
  return words.size() > kMaxShownTypes ? fmt::format("{} and {} more", out, words.size() - kMaxShownTypes) : out;
}

template <class Value>
std::uint64_t equal_to(const std::vector<Value>& column, Value value) {
  return static_cast<std::uint64_t>(std::count(column.begin(), column.end(), value));
}

}  // namespace

std::string pmu_event_name(std::uint32_t event_type) {
  return is_known(event_type) ? std::string(kEventNames[event_type]) : std::to_string(event_type);
}

std::vector<std::string> pmu_notes(const Pmu& pmu) {
  std::vector<std::string> out;
  std::map<std::uint32_t, std::uint64_t> types;
  for (const std::uint32_t type : pmu.event_type) ++types[type];
  if (types.size() > 1) {
    std::vector<std::string> words;
    for (const auto& [type, rows] : types) words.push_back(fmt::format("{}: {}", pmu_event_name(type), counted(rows, "row")));
    out.push_back(fmt::format("rows of {} event types in one file ({}): the names of the counters can be right for one only",
                              types.size(), list(words)));
  }
  std::vector<std::string> unknown;
  for (const auto& [type, rows] : types) {
    if (!is_known(type)) unknown.push_back(std::to_string(type));
  }
  if (!unknown.empty()) out.push_back(fmt::format("event types that are not known: {}", list(unknown)));
  if (!pmu.ignored.empty()) out.push_back(fmt::format("columns that are not known: {}", list(pmu.ignored)));
  if (const auto rows = equal_to(pmu.function, kUnknownFunction); rows != 0)
    out.push_back(have(rows, "row") + " no function that is known");
  if (const auto rows = equal_to(pmu.core_type, kOtherCoreType); rows != 0)
    out.push_back(have(rows, "row") + " a type of core that is not known");
  const auto is_zero = [](auto value) { return value == 0; };
  if (pmu.rows() == 0) {
    out.emplace_back("has no row");
  } else if (std::all_of(pmu.cycles.begin(), pmu.cycles.end(), is_zero) &&
             std::all_of(pmu.values.begin(), pmu.values.end(), is_zero)) {
    out.emplace_back("every counter is 0: a simulator measures none");
  }
  return out;
}

}  // namespace depscope::replay
