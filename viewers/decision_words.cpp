#include "depscope/viewers/decision_words.h"

#include <fmt/format.h>

#include <array>

#include "depscope/replay/decision_words.h"

namespace depscope::viewers {
namespace {

constexpr DecisionWords kUnknown{"?", "a value that this version does not know", ""};

struct Meaning {
  std::string_view sentence, section;
};

/// The words of a value, with the name that facts have for it.
template <class Enum, std::size_t N, class Name>
DecisionWords words(const std::array<Meaning, N>& meanings, std::uint8_t value, Name&& name) {
  if (value >= N) return kUnknown;
  return {name(static_cast<Enum>(value)), meanings[value].sentence, meanings[value].section};
}

constexpr std::array<Meaning, kRegionKinds> kKinds{{
    {"the whole body of an orchestration function, taken as one AUTO scope", "passes.md 5.1"},
    {"an AUTO scope that the user placed by hand", "passes.md 5.1"},
    {"a MANUAL scope: the user names all dependencies in it", "passes.md 5.1"},
    {"the body around the scopes: it only carries accesses from one scope to the next", "passes.md 5.1"},
}};
constexpr std::array<Meaning, kRegionOutcomes> kOutcomes{{
    {"every call in it was judged; the conflicts that were found are covered by edges", "passes.md 5.6"},
    {"a call could not be judged, so nothing of the region is relied on: its calls keep their original directions",
     "passes.md 5.9"},
    {"in a MANUAL scope nothing is analysed: only the user's deps= count", "passes.md 5.1"},
    {"the analysis of AUTO scopes is switched off", "passes.md 5.1"},
    {"the function holds something that the passes do not model", "passes.md 5"},
}};
constexpr std::array<Meaning, kDirectionRules> kRules{{
    {"the direction stood in the input and is kept", "passes.md 4.5"},
    {"the argument is no tensor", "passes.md 4.4, row 1"},
    {"the callee only reads the parameter", "passes.md 4.4, row 2"},
    {"the callee reads and writes the parameter", "passes.md 4.4, row 3"},
    {"the callee writes it, and the call stands in a loop whose iterations follow one another: the next one writes it again",
     "passes.md 4.4, row 4"},
    {"the callee writes it, and the argument may be one of several buffers", "passes.md 4.4, row 5"},
    {"the callee writes it, and a call before this one has written the buffer", "passes.md 4.4, row 6"},
    {"the callee writes it, and it is a parameter that the enclosing function declares InOut", "passes.md 4.4, row 7"},
    {"the callee writes it, and nothing before this call has written the buffer", "passes.md 4.4, row 8"},
    {"the user wrote pl.no_dep for it", "passes.md 4.4"},
    {"the callee is not in the program or the number of arguments is wrong: no direction was derived", "passes.md 4.5"},
}};
constexpr std::array<Meaning, kRewriteReasons> kReasons{{
    {"an edge orders every conflict of this argument, so the runtime need not look it up", "passes.md 5.10"},
    {"no call before it conflicts with this argument, so there is no edge that could stand for the look-up", "passes.md 5.10"},
    {"only input and inout are rewritten; this direction is looked up by nobody before the call", "passes.md 5.10"},
    {"it is not known which part of the buffer the argument is, so an edge cannot stand for all conflicts", "passes.md 5.10"},
    {"its window is known at run time only, so an edge cannot stand for all conflicts", "passes.md 5.10"},
    {"a producer runs in a loop, and the edge does not wait for every iteration of it", "passes.md 5.10"},
    {"the producer stands in another scope, and this profile rewrites within one scope only", "passes.md 5.10"},
    {"the region fell back, so all directions in it are the original ones", "passes.md 5.9"},
    {"directions inside a MANUAL scope are never changed", "passes.md 5.10"},
    {"the analysis of AUTO scopes is switched off, so nothing is rewritten", "passes.md 5.1"},
    {"the user wrote pl.no_dep, which stays", "passes.md 5.10"},
    {"the function holds something that the passes do not model, so it was left alone", "passes.md 5"},
    {"the call stands outside every scope, where nothing is analysed", "passes.md 5.1"},
    {"AutoDeriveTaskDependencies was not run, or does not look at this function", "passes.md 1.1"},
}};
constexpr std::array<Meaning, kHazardVerdicts> kVerdicts{{
    {"an edge that the user named orders the two calls", "passes.md 5.6"},
    {"the analysis found the conflict and added an edge for it", "passes.md 5.6"},
    {"the two calls touch different elements of one buffer: no conflict", "passes.md 5.3"},
    {"an id of unknown origin is taken to cover it", "passes.md 5.6"},
    {"no edge could cover it, so the region fell back", "passes.md 5.9"},
    {"nothing was decided about it", "passes.md 5.6"},
}};

struct Named {
  std::string_view name, sentence;
};
constexpr std::array<Named, 10> kFenceReasons{{
    {"not_manual_scope", "barriers are put into MANUAL scopes only"},
    {"not_orchestration", "barriers are put into orchestration functions only"},
    {"parallel_trip_not_positive_constant", "the loop is parallel, and how often it runs is not a constant above 0"},
    {"zero_trip", "the loop never runs"},
    {"loop_iter_arg", "the array is carried by the loop itself"},
    {"defined_in_body", "the array is assigned inside the loop"},
    {"updated_in_body", "an element of the array is changed inside the loop"},
    {"mixed_or_multiple_deps", "a submit in the loop has more than this array in its deps="},
    {"scalar_dep", "the submits wait for single ids, not for an array"},
    {"no_profit", "producers times consumers is not more than their sum: a barrier would save no edge"},
}};

}  // namespace

std::string DecisionWords::explained() const {
  std::string text(name);
  if (!sentence.empty()) text += fmt::format(": {}", sentence);
  if (!section.empty()) text += fmt::format(" ({})", section);
  return text;
}

DecisionWords region_kind_words(std::uint8_t kind) { return words<pass::RegionKind>(kKinds, kind, pass::region_kind_name); }
DecisionWords region_outcome_words(std::uint8_t outcome) {
  return words<pass::RegionOutcome>(kOutcomes, outcome, pass::region_outcome_name);
}
DecisionWords direction_rule_words(std::uint8_t rule) {
  return words<pass::DirectionRule>(kRules, rule, pass::direction_rule_name);
}
DecisionWords rewrite_reason_words(std::uint8_t reason) {
  return words<pass::RewriteReason>(kReasons, reason, pass::rewrite_reason_name);
}
DecisionWords hazard_verdict_words(std::uint8_t verdict) {
  return words<pass::HazardVerdict>(kVerdicts, verdict, pass::hazard_verdict_name);
}

DecisionWords fallback_reason_words(std::string_view reason) {
  const std::string_view sentence = replay::fallback_words(reason);
  return {reason, sentence, sentence.empty() ? std::string_view() : std::string_view("passes.md 5.9")};
}

DecisionWords fence_reason_words(std::string_view reason) {
  for (const Named& known : kFenceReasons) {
    if (known.name == reason) return {reason, known.sentence, "passes.md 6.4"};
  }
  return {reason, {}, {}};
}

std::string_view callee_direction_name(std::uint8_t direction) {
  constexpr std::array<std::string_view, 3> kNames{"In", "Out", "InOut"};
  return direction < kNames.size() ? kNames[direction] : "?";
}

std::string_view direction_name(std::uint8_t direction) {
  if (direction == 0) return "-";
  return direction < kArgDirections ? pass::arg_direction_name(static_cast<pass::ArgDirection>(direction)) : "?";
}

std::optional<pass::RewriteReason> rewrite_reason_from_name(std::string_view name) {
  for (std::uint8_t i = 0; i < kRewriteReasons; ++i) {
    if (rewrite_reason_words(i).name == name) return static_cast<pass::RewriteReason>(i);
  }
  return std::nullopt;
}

}  // namespace depscope::viewers
