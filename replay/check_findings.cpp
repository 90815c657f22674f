#include "check_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "check_geometry.h"
#include "depscope/ir/text.h"
#include "json_text.h"

namespace depscope::replay {

using recording::kNoRow;

namespace {

constexpr std::uint32_t kOldFaninLimit = 16;  // producers that the first runtimes kept of a task
constexpr std::size_t kPartsNamed = 4;        // of one argument

std::string names_json(const std::vector<std::string_view>& names) {
  std::string out;
  for (const std::string_view name : names) out += fmt::format("{}\"{}\"", out.empty() ? "" : ",", name);
  return "[" + out + "]";
}

std::string strings_json(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += fmt::format("{}{}", out.empty() ? "" : ",", json_string(text));
  return "[" + out + "]";
}

std::string joined(const std::vector<std::string_view>& names, std::string_view between) {
  return fmt::format("{}", fmt::join(names, between));
}

std::vector<std::string_view> hazard_names(std::uint8_t bits) {
  std::vector<std::string_view> out;
  if ((bits & kHazardRaw) != 0) out.emplace_back("RAW");
  if ((bits & kHazardWar) != 0) out.emplace_back("WAR");
  if ((bits & kHazardWaw) != 0) out.emplace_back("WAW");
  return out;
}

std::string_view does(std::uint8_t mode) {
  return mode == (kTouchReads | kTouchWrites) ? "reads and writes" : mode == kTouchWrites ? "writes" : "reads";
}

std::string_view false_code(FalseReason reason) {
  switch (reason) {
    case FalseReason::NarrowBody: return "declared_wider_than_touched";
    case FalseReason::Conservative: return "conservative_overlap";
    case FalseReason::Siblings: return "parallel_iterations";
    case FalseReason::Compiler: return "compiler_edge_without_conflict";
    case FalseReason::Creator: return "other_bytes_than_created";
  }
  return "";
}

}  // namespace

// ---------------------------------------------------------------- ends of a pair

/// each(start_offset, geometry_begin, geometry_begin_count, mode) for every part of an argument that its task touches.
template <class Each>
void CheckFindings::each_part(std::uint32_t access, Each&& each) const {
  for (const Touch& touch : a_.touches.of_task(r_.accesses.task[access])) {
    if (touch.access != access) continue;
    if (touch.row != kNoRow) {
      const auto& t = r_.touched;
      each(t.start_offset[touch.row], t.geometry_begin[touch.row], t.geometry_begin_count[touch.row], touch.mode);
    } else {
      each(r_.accesses.start_offset[access], r_.accesses.geometry_begin[access], r_.accesses.geometry_begin_count[access],
           touch.mode);
    }
  }
}

std::string CheckFindings::parts_json(std::uint32_t access) const {
  std::vector<std::string> parts;
  each_part(access, [&](std::uint64_t start, std::uint32_t begin, std::uint32_t count, std::uint8_t) {
    parts.push_back(box_json(r_, start, begin, count));
  });
  if (parts.empty()) return "null";
  return parts.size() == 1 ? parts[0] : fmt::format(R"({{"boxes":[{}]}})", fmt::join(parts, ","));
}

std::string CheckFindings::parts_text(std::uint32_t access) const {
  std::string out;
  std::size_t count = 0;
  std::uint8_t modes = 0;
  each_part(access, [&](std::uint64_t start, std::uint32_t begin, std::uint32_t words, std::uint8_t mode) {
    modes |= mode;
    if (words == 0 || count++ >= kPartsNamed) return;
    out += fmt::format("{}{}", out.empty() ? "" : " and ", box_text(r_, start, begin, words));
  });
  if (count > kPartsNamed) out += fmt::format(" and {} more parts", count - kPartsNamed);
  return fmt::format("{} {}{}", does(modes), a_.names.buffer(access), out);
}

std::string CheckFindings::declared_json(std::uint32_t access) const {
  return box_json(r_, r_.accesses.start_offset[access], r_.accesses.geometry_begin[access],
                  r_.accesses.geometry_begin_count[access]);
}

std::string CheckFindings::place_json(std::uint32_t task, std::uint32_t access) const {
  std::string out = fmt::format(R"({{"task":"{}")", r_.tasks.id[task]);
  if (!r_.input_name.empty()) out += fmt::format(R"(,"file":{})", json_string(r_.input_name));
  if (a_.names.line(task) != 0) out += fmt::format(R"(,"line":{})", a_.names.line(task));
  if (access != kNoRow) {
    out += fmt::format(R"(,"argument":{})", r_.accesses.arg[access]);
    if (const std::string name = reasons_.argument(access); !name.empty()) out += fmt::format(R"(,"name":{})", json_string(name));
    if (const std::string name = reasons_.parameter(access); !name.empty())
      out += fmt::format(R"(,"parameter":{})", json_string(name));
  }
  return out + "}";
}

std::string CheckFindings::task_text(std::uint32_t task) const {
  const std::string name = a_.names.text(task);
  const std::string id = a_.names.reference(task);
  const std::uint32_t line = a_.names.line(task);
  std::string place = name == id ? std::string() : id;
  if (line != 0) place += fmt::format("{}line {}", place.empty() ? "" : ", ", line);
  return place.empty() ? name : fmt::format("{} ({})", name, place);
}

std::string CheckFindings::argument_text(std::uint32_t access) const {
  const std::string name = reasons_.argument(access);
  if (name.empty()) return fmt::format("argument {}", r_.accesses.arg[access]);
  const std::string parameter = reasons_.parameter(access);
  if (parameter.empty() || parameter == name) return fmt::format("argument '{}'", name);
  return fmt::format("argument '{}' for parameter '{}'", name, parameter);
}

std::string CheckFindings::end_text(std::uint32_t task, std::uint32_t access) const {
  if (access == kNoRow) return task_text(task);
  std::string out = fmt::format("{} {}, {}", task_text(task), parts_text(access), argument_text(access));
  const auto touches = a_.touches.of_task(task);
  const bool narrowed = std::any_of(touches.begin(), touches.end(), [&](const Touch& t) {
    return t.access == access && t.row != kNoRow && r_.touched.source[t.row] != 0;
  });
  if (narrowed) {
    out += fmt::format(", declared as {}", box_text(r_, r_.accesses.start_offset[access], r_.accesses.geometry_begin[access],
                                                    r_.accesses.geometry_begin_count[access]));
  }
  return out;
}

CheckFinding CheckFindings::pair_finding(std::string_view kind, std::uint32_t first, std::uint32_t second) const {
  CheckFinding out;
  out.kind = kind;
  out.severity = Severity::Warning;
  out.first = first;
  out.second = second;
  out.line = a_.names.line(second);
  out.pair = fmt::format("{} -> {}", a_.names.text(first), a_.names.text(second));
  return out;
}

// ---------------------------------------------------------------- recorded findings, provenance

namespace {

/// What raising limits does for a run that one of them has stopped: "--ring-heap 0,0,8192,0 comes through, …".
std::string smallest_text(const nlohmann::json& smallest) {
  std::vector<std::string> less;
  for (const auto& setting : smallest["settings"]) {
    less.push_back(fmt::format("{} {} on ring {}", setting["one_less"].get<std::uint64_t>(),
                               setting["resource"] == "task_window" ? "slots"
                               : setting["resource"] == "heap"      ? "bytes"
                                                                    : "nodes",
                               setting["ring"].get<std::uint32_t>()));
  }
  const std::string options = fmt::format("{}", fmt::join(smallest["options"].get<std::vector<std::string>>(), " "));
  const auto runs = smallest["runs"].get<std::uint32_t>();
  if (!smallest["through"].get<bool>()) {
    return smallest.value("gave_up", false)
               ? fmt::format("none was found in {} runs, which is the most that are tried", runs)
               : fmt::format("none: with larger limits something else stops it ({} runs tried)", runs);
  }
  return fmt::format("{} lets it through, {} does not ({} runs tried)", options, fmt::join(less, " or "), runs);
}

/// Its text, with the event behind it.
std::string numbered_event(const nlohmann::json& said) {
  std::string text = said["text"].get<std::string>();
  if (said.contains("event")) text += fmt::format(" (event {})", said["event"].get<std::uint64_t>());
  return text;
}

/// "proof", then every link under its number.
void add_proof(const nlohmann::json& proof, std::vector<std::pair<std::string, std::string>>& details) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kVerdicts{
      {{"circle", "certain: what it waits for waits for it, in every schedule"},
       {"too_much", "certain: more is asked for than there is"},
       {"only_slow", "not certain: a kernel that ends would end the wait"},
       {"unproven", "not certain: no circle was found"}}};
  for (const auto& [name, text] : kVerdicts) {
    if (proof["verdict"] == name) details.emplace_back("proof", text);
  }
  std::size_t number = 0;
  for (const auto& link : proof["links"]) details.emplace_back("", fmt::format("{}. {}", ++number, numbered_event(link)));
  if (proof.contains("premise")) details.emplace_back("but", proof["premise"].get<std::string>());
}

}  // namespace

CheckFinding CheckFindings::recorded(std::uint32_t row) const {
  CheckFinding out;
  out.kind = r_.text(r_.findings.kind[row]);
  out.severity = a_.severities[row];
  out.summary = r_.text(r_.findings.summary[row]);
  out.fields = r_.text(r_.findings.fields[row]);
  out.line = r_.findings.line[row];
  if (out.kind != "deadlock" && out.kind != "runtime_error") return out;
  const auto fields = nlohmann::json::parse(out.fields, nullptr, /*allow_exceptions=*/false);
  if (fields.contains("head") && fields["head"].contains("task")) {
    out.details.emplace_back(
        "head", fmt::format("task {}: {}, {} of {} references released, scope {}", fields["head"]["task"].get<std::string>(),
                            fields.value("head_state", ""), fields.value("head_references_released", 0),
                            fields.value("head_references", 0), fields.value("head_scope_released", false) ? "ended" : "open"));
  }
  if (fields.contains("proof")) add_proof(fields["proof"], out.details);
  for (const auto& reference : fields.value("references", nlohmann::json::array()))
    out.details.emplace_back("held by", numbered_event(reference));
  for (const auto& fix : fields.value("fixes", nlohmann::json::array()))
    out.details.emplace_back("change", fix.get<std::string>());
  if (fields.contains("smallest")) out.details.emplace_back("setting", smallest_text(fields["smallest"]));
  return out;
}

CheckFinding CheckFindings::provenance(std::uint32_t edge, std::uint32_t reason) const {
  constexpr std::array<std::string_view, 3> kKinds{"kernel", "alloc", "dummy"};
  const auto& e = r_.edges;
  const std::uint32_t first = e.producer[edge];
  const std::uint32_t second = e.consumer[edge];
  std::uint32_t buffer = 0;  // that the consumer uses of an allocation
  for (; reason < r_.edge_reasons.rows() && r_.edge_reasons.edge[reason] == edge && buffer == 0; ++reason) {
    const std::uint32_t access = r_.edge_reasons.consumer_access[reason];
    if (r_.edge_reasons.source[reason] == runtime::kCreator && access != kNoRow)
      buffer = r_.tensors.name[r_.accesses.tensor[access]];
  }
  const auto sources = runtime::provenance_names(e.provenance[edge]);
  const auto flags = runtime::dep_flag_names(e.flags[edge]);
  const auto final = runtime::dep_flag_names(e.flags_final[edge]);
  CheckFinding out = pair_finding("provenance", first, second);
  out.severity = Severity::Info;
  out.pair = fmt::format("{} -> {}", a_.names.text(first, buffer), a_.names.text(second));
  out.summary = fmt::format("{}: {} ({})", out.pair, joined(sources, ", "), joined(flags, "|"));
  if (e.flags[edge] != e.flags_final[edge])
    out.summary += fmt::format(", after reduction {}", final.empty() ? "nothing" : joined(final, "|"));
  out.fields =
      fmt::format(R"({{"first":{},"second":{},"sources":{},"flags":{},"flags_final":{},"first_kind":"{}","second_kind":"{}"}})",
                  a_.names.json(first, buffer), a_.names.json(second), names_json(sources), names_json(flags), names_json(final),
                  kKinds[r_.tasks.kind[first]], kKinds[r_.tasks.kind[second]]);
  return out;
}

// ---------------------------------------------------------------- missing order

/// What may go wrong, by the first of the hazards.
std::string CheckFindings::missing_words(const UnorderedPair& pair, const std::string& buffer) const {
  const std::string first = a_.names.text(pair.first);
  const std::string second = a_.names.text(pair.second);
  const std::string hazards = joined(hazard_names(pair.hazards), ", ");
  if ((pair.hazards & kHazardRaw) != 0)
    return fmt::format("{} may read {} before {} has written it ({})", second, buffer, first, hazards);
  if ((pair.hazards & kHazardWar) != 0)
    return fmt::format("{} may overwrite {} while {} still reads it ({})", second, buffer, first, hazards);
  return fmt::format("{} and {} may write {} in either order ({})", first, second, buffer, hazards);
}

/// Producers that a task waits for.
std::uint32_t CheckFindings::fanin(std::uint32_t task) const {
  const auto& consumers = r_.edges.consumer;
  const auto [begin, end] = std::equal_range(consumers.begin(), consumers.end(), task);
  std::uint32_t out = 0;
  for (auto at = begin; at != end; ++at) {
    if ((r_.edges.flags[static_cast<std::size_t>(at - consumers.begin())] & runtime::kWait) != 0) ++out;
  }
  return out;
}

CheckFinding CheckFindings::missing(std::uint32_t index, std::uint32_t group) const {
  const UnorderedPair& pair = a_.missing.pairs[index];
  const std::uint32_t first = a_.touches.all()[a_.missing_touches[index].first].access;
  const std::uint32_t second = a_.touches.all()[a_.missing_touches[index].second].access;
  const bool reduced = index >= a_.first_reduced;
  const OrderReason reason = reasons_.of(pair, first, second, reduced);
  const std::string buffer = a_.names.buffer(second);
  const std::vector<std::string_view> hazards = hazard_names(pair.hazards);
  CheckFinding out = pair_finding("missing_order", pair.first, pair.second);
  out.group = group;
  out.group_size = a_.missing_groups[group].size();
  out.summary = missing_words(pair, buffer);

  std::string& f = out.fields;
  f = fmt::format(R"({{"first":{},"second":{},"hazard":{},"buffer":{})", a_.names.json(pair.first), a_.names.json(pair.second),
                  hazards.size() == 1 ? fmt::format("\"{}\"", hazards[0]) : names_json(hazards), json_string(buffer));
  const std::uint32_t tensor = r_.accesses.tensor[second];
  const std::uint64_t from = pair.address - std::min(pair.address, r_.tensors.address[tensor]);
  if (pair.bytes != 0) {
    f += fmt::format(R"(,"shared_bytes":{},"first_shared_byte":{})", pair.bytes, from);
    const std::uint32_t element = element_size(static_cast<runtime::ElementType>(r_.tensors.dtype[tensor]));
    if (element != 0 && pair.bytes % element == 0) f += fmt::format(R"(,"overlap_elements":{})", pair.bytes / element);
  }
  f += fmt::format(R"(,"touched_first":{},"touched_second":{})", parts_json(first), parts_json(second));
  f += fmt::format(R"(,"graph":"{}","why":"{}","reason":{},"fixes":{})", reduced ? "reduced" : "constructed", reason.code,
                   json_string(reason.sentence), strings_json(reason.fixes));
  if (reason.loop != kNoRow) f += R"(,"claim":"pl.parallel")";
  const std::uint32_t recorded = fanin(pair.second);
  const std::uint32_t lacking = a_.lacking.at(pair.second);
  f += fmt::format(R"(,"expected_fanin":{},"recorded_fanin":{},"pairs":{},"where":[{},{}]}})", recorded + lacking, recorded,
                   out.group_size, place_json(pair.first, first), place_json(pair.second, second));

  out.details.emplace_back("first", end_text(pair.first, first));
  out.details.emplace_back("second", end_text(pair.second, second));
  if (pair.bytes != 0) {
    out.details.emplace_back("shared",
                             fmt::format("{} byte{} of {}, from byte {}", pair.bytes, pair.bytes == 1 ? "" : "s", buffer, from));
  }
  out.details.emplace_back("why", reason.sentence);
  if (recorded == kOldFaninLimit && reason.code == "not_recorded") {
    out.details.emplace_back("note", fmt::format("{} has {} recorded producers, {} are expected; the first runtimes kept {} and "
                                                 "dropped the rest",
                                                 a_.names.text(pair.second), recorded, recorded + lacking, kOldFaninLimit));
  }
  for (const std::string& fix : reason.fixes) out.details.emplace_back("change", fix);
  return out;
}

// ---------------------------------------------------------------- false order

void CheckFindings::explain_false(const FalseEdge& found, const std::string& buffer, std::string& why,
                                  std::vector<std::string>& fixes) const {
  switch (found.reason) {
    case FalseReason::NarrowBody:
      why = fmt::format("both pass {} as declared, the kernels load and store separate parts of it", buffer);
      fixes.push_back(fmt::format("pass a slice of {} that is no wider than what the kernel touches", buffer));
      break;
    case FalseReason::Conservative:
      why = found.first_access == kNoRow || found.second_access == kNoRow
                ? "the runtime's comparison is conservative"
                : conservative_words(r_, found.first_access, found.second_access);
      fixes.emplace_back(
          "give both views one rank, one element type and row-major strides: then the runtime compares box by box");
      break;
    case FalseReason::Siblings:
      why =
          "the pl.parallel loop says that its iterations are independent, and these share no byte, but deps= makes one wait for "
          "the other";
      fixes.emplace_back("read the ids from an array that the loop does not store into, for example that of the phase before");
      break;
    case FalseReason::Compiler:
      why = "the analysis could not tell these places apart; in this run they are separate";
      fixes.emplace_back("make offsets and shapes of the slices constant where they can be");
      break;
    case FalseReason::Creator:
      why = fmt::format(
          "{} uses other bytes of the buffer than its creator writes: the buffer has to stay alive, but nothing has "
          "to be waited for",
          a_.names.text(r_.edges.consumer[found.edge]));
      break;
  }
}

/// The ids that a task waits for, as its call names them.
std::string CheckFindings::deps_json(std::uint32_t task) const {
  const std::uint32_t site = r_.tasks.call_site[task];
  if (site == kNoRow) return "";
  std::vector<std::string> deps;
  for (std::uint32_t k = 0; k < r_.call_sites.user_dep_begin_count[site]; ++k)
    deps.emplace_back(ir::source_name(r_.text(r_.pool[r_.call_sites.user_dep_begin[site] + k])));
  std::string out = fmt::format(R"(,"deps":{})", strings_json(deps));
  if (deps.size() == 1) out += fmt::format(R"(,"via_array":{})", json_string(deps[0]));
  return out;
}

CheckFinding CheckFindings::false_order(std::uint32_t index, std::uint32_t group) const {
  const FalseEdge& found = a_.falses[index];
  const auto& e = r_.edges;
  const std::uint32_t first = e.producer[found.edge];
  const std::uint32_t second = e.consumer[found.edge];
  const bool known = found.second_access != kNoRow;
  const bool waits = a_.waits(found.edge);
  const std::string buffer = known ? a_.names.buffer(found.second_access) : std::string();
  const auto sources = runtime::provenance_names(e.provenance[found.edge]);
  CheckFinding out = pair_finding("false_order", first, second);
  out.severity = waits ? Severity::Warning : Severity::Info;
  out.group = group;
  out.group_size = group == kNoRow ? 1 : a_.false_groups[group].size();
  out.summary =
      fmt::format("{} waits for {}, but they share no byte that one of them writes", a_.names.text(second), a_.names.text(first));
  if (!waits) out.summary += "; other edges order them, too";
  std::string why;
  std::vector<std::string> fixes;
  explain_false(found, buffer, why, fixes);

  std::string& f = out.fields;
  f = fmt::format(R"({{"first":{},"second":{},"buffer":{},"sources":{},"source":"{}","flags_final":{},"shared_bytes":0)",
                  a_.names.json(first), a_.names.json(second), known ? json_string(buffer) : "null", names_json(sources),
                  joined(sources, "+"), names_json(runtime::dep_flag_names(e.flags_final[found.edge])));
  f += fmt::format(R"(,"why":{},"code":"{}")", json_string(why), false_code(found.reason));
  if (known) f += fmt::format(R"(,"declared":{})", declared_json(found.second_access));
  if (found.first_access != kNoRow) {
    f += fmt::format(R"(,"declared_first":{},"touched_first":{})", declared_json(found.first_access),
                     parts_json(found.first_access));
  }
  if (known) f += fmt::format(R"(,"touched_second":{})", parts_json(found.second_access));
  if (found.reason == FalseReason::Siblings) f += deps_json(second);
  f += fmt::format(R"(,"fixes":{},"pairs":{},"where":[{},{}]}})", strings_json(fixes), out.group_size,
                   place_json(first, found.first_access), place_json(second, found.second_access));

  out.details.emplace_back("first", end_text(first, found.first_access));
  out.details.emplace_back("second", end_text(second, found.second_access));
  out.details.emplace_back("edge", fmt::format("{} ({})", joined(sources, ", "),
                                               waits ? "waits" : "does not wait any more, the reduction found it redundant"));
  out.details.emplace_back("why", why);
  for (const std::string& fix : fixes) out.details.emplace_back("change", fix);
  return out;
}

}  // namespace depscope::replay
