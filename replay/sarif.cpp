#include "depscope/replay/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

#include "finding_identity.h"
#include "json_writer.h"

namespace depscope::replay {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kSchema = "https://json.schemastore.org/sarif-2.1.0.json";

/// What each kind says, for a list of rules; others are described by their name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 25> kDescriptions{
    {{"missing_order", "Two tasks use the same bytes, one of them writes, and nothing orders them"},
     {"false_order", "A task waits for another one although they share no byte that one of them writes"},
     {"lifetime", "How long memory lives against how long it is used"},
     {"deadlock", "The run stops: what it waits for never comes"},
     {"runtime_error", "The runtime gives up with an error"},
     {"memory_reused", "Bytes are given to another task while they are still used"},
     {"flags_lost", "An edge lost a flag that it was found with"},
     {"wait_only_on_owner", "A task waits for the owner of its memory without keeping that memory alive"},
     {"late_release", "A release works on a slot that belongs to another task by then"},
     {"spill_overrun", "Spilled edges of a live task are given back"},
     {"queue_overflow", "A ready task does not fit into its queue"},
     {"invariant", "A rule that always holds was broken in the run"},
     {"user_edge_lost", "A dependency that the program names has no effect"},
     {"codegen_abort", "The code generator refuses the program"},
     {"not_modelled", "A part of the program that the model does not cover"},
     {"windowed_blanket", "A task id of unknown origin is taken to cover a producer in a loop"},
     {"loop_carried_unchecked", "Nothing orders the iterations of a loop that write the same buffer"},
     {"fallback", "The analysis gave up on a region, or was not asked"},
     {"rewrite", "A pass changed the direction of an argument, or how dependencies are written"},
     {"redundant_edges", "An edge is implied by another one"},
     {"reduction", "An edge does not have to wait, others order the same tasks"},
     {"provenance", "Who asked for an edge"},
     {"input_error", "The input cannot be read, or not all of it"},
     {"difference", "Two accounts of the same run, or of the same program, differ"},
     {"configuration", "Options that do not go together"}}};

/// Fields that name something of the program or of the run, by what they name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kNaming{{{"function", "function"},
                                                                                 {"first", "task"},
                                                                                 {"second", "task"},
                                                                                 {"producer", "task"},
                                                                                 {"consumer", "task"},
                                                                                 {"pred", "task"},
                                                                                 {"succ", "task"},
                                                                                 {"via", "task"},
                                                                                 {"by", "task"},
                                                                                 {"reused_by", "task"},
                                                                                 {"at", "task"},
                                                                                 {"head", "task"},
                                                                                 {"task", "task"},
                                                                                 {"call", "call"},
                                                                                 {"buffer", "variable"},
                                                                                 {"argument", "variable"},
                                                                                 {"array", "variable"},
                                                                                 {"dep", "variable"}}};

std::string_view level_of(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

std::string description_of(std::string_view kind) {
  for (const auto& [known, text] : kDescriptions) {
    if (known == kind) return std::string(text);
  }
  std::string out(kind);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out.empty() ? std::string("finding") : out;  // a rule must say something
}

/// The text of a member, empty if it is none.
std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// "#3" of a member that is a number, empty without it.
std::string number_of(const json& object, const char* key, std::string_view sign) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? fmt::format("{}{}", sign, found->get<std::uint64_t>())
                                                              : std::string();
}

/// As summaries name it: "fill#3", "allocation of tmp#0", "barrier 2", "task 17".
std::string name_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object()) return "";
  if (const std::string callee = text_of(value, "callee"); !callee.empty()) return callee + number_of(value, "occurrence", "#");
  if (const std::string buffer = text_of(value, "alloc"); !buffer.empty())
    return "allocation of " + buffer + number_of(value, "occurrence", "#");
  if (const std::string barrier = number_of(value, "dummy", "barrier "); !barrier.empty()) return barrier;
  const std::string id = text_of(value, "task");
  return id.empty() ? id : "task " + id;
}

/// Each once, in the order of the fields.
std::vector<std::pair<std::string, std::string_view>> logical_names(const ordered_json& fields) {
  std::vector<std::pair<std::string, std::string_view>> out;
  for (const auto& [key, value] : fields.items()) {
    const auto naming = std::find_if(kNaming.begin(), kNaming.end(), [&, &key = key](const auto& n) { return n.first == key; });
    if (naming == kNaming.end()) continue;
    std::pair<std::string, std::string_view> name{name_of(value), naming->second};
    if (!name.first.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(std::move(name));
  }
  return out;
}

class SarifLog {
 public:
  explicit SarifLog(const TextOutput& output) : out_(output) {}

  /// For the list of rules, which stands before the results.
  void note(const CheckFinding& finding) {
    const auto [known, is_new] = rule_of_.try_emplace(std::string(finding.kind), rules_.size());
    if (is_new) rules_.push_back({known->first, finding.severity});
    Rule& rule = rules_[known->second];
    rule.severest = std::max(rule.severest, finding.severity);
  }

  void begin(bool successful) {
    out_.begin_object().break_lines().field("$schema", kSchema).field("version", "2.1.0");
    out_.key("runs").begin_list().break_lines().begin_object().break_lines();
    out_.key("tool").begin_object().key("driver").begin_object();
    out_.field("name", "depscope").field("version", DEPSCOPE_VERSION);
    out_.key("rules").begin_list().break_lines();
    for (const Rule& rule : rules_) {
      out_.begin_object().field("id", rule.kind);
      out_.key("shortDescription").begin_object().field("text", description_of(rule.kind)).end_object();
      out_.key("defaultConfiguration").begin_object().field("level", level_of(rule.severest)).end_object();
      out_.end_object();
    }
    out_.end_list().end_object().end_object();
    out_.key("invocations").begin_list().begin_object().field("executionSuccessful", successful).end_object().end_list();
    out_.key("results").begin_list().break_lines();
  }

  void result(const CheckFinding& finding, std::string_view file) {
    // Those of a damaged recording may be no object.
    ordered_json fields = ordered_json::parse(finding.fields, nullptr, /*allow_exceptions=*/false);
    const bool known = fields.is_object();
    if (!known) fields = ordered_json::object();
    out_.begin_object().field("ruleId", finding.kind).field("ruleIndex", rule_of_.at(std::string(finding.kind)));
    out_.field("level", level_of(finding.severity));
    out_.key("message").begin_object().field("text", finding.summary).end_object();
    out_.key("locations").begin_list();
    location(finding, fields, file);
    out_.end_list();
    out_.key("partialFingerprints").begin_object();
    out_.field("depscope/1", identities_.next(finding.kind, finding.summary, json::parse(known ? finding.fields : "{}")));
    out_.end_object();
    out_.key("properties").json(known ? std::string_view(finding.fields) : "{}");
    out_.end_object();
  }

  void end(const std::vector<CheckMember>& members) {
    out_.end_list();
    if (!members.empty()) {
      out_.key("properties").begin_object();
      for (const CheckMember& member : members) out_.key(member.name).json(member.json);
      out_.end_object();
    }
    out_.end_object().end_list().end_object().finish();
  }

 private:
  struct Rule {
    std::string kind;
    Severity severest;
  };

  void location(const CheckFinding& finding, const ordered_json& fields, std::string_view file) {
    out_.begin_object().key("physicalLocation").begin_object();
    out_.key("artifactLocation").begin_object().field("uri", artifact_uri(file)).end_object();
    const auto number = [&](const char* key) -> std::optional<std::uint64_t> {
      const auto found = fields.find(key);
      if (found == fields.end() || !found->is_number_unsigned()) return std::nullopt;
      return found->get<std::uint64_t>();
    };
    const std::uint64_t line = finding.line != 0 ? finding.line : number("line").value_or(0);
    if (line != 0) {
      out_.key("region").begin_object().field("startLine", line);
      const std::uint64_t column = number("line") == line ? number("column").value_or(0) : 0;
      if (column != 0) out_.field("startColumn", column);
      out_.end_object();
    } else if (const std::optional<std::uint64_t> offset = number("byte_offset")) {
      out_.key("region").begin_object().field("byteOffset", *offset).field("byteLength", 0).end_object();
    }
    out_.end_object();
    if (const auto names = logical_names(fields); !names.empty()) {
      out_.key("logicalLocations").begin_list();
      for (const auto& [name, kind] : names)
        out_.begin_object().field("fullyQualifiedName", name).field("kind", kind).end_object();
      out_.end_list();
    }
    out_.end_object();
  }

  JsonWriter out_;
  std::vector<Rule> rules_;                               // by first use
  std::unordered_map<std::string, std::size_t> rule_of_;  // by kind
  FindingIdentities identities_;
};

/// As a finding; the file is named by the place of the result.
CheckFinding finding_of(const Diagnostic& d) {
  CheckFinding out;
  out.kind = "input_error";
  out.severity = d.severity;
  out.summary = d.message;
  out.line = d.line;
  ordered_json fields = ordered_json::object();
  if (d.line != 0) fields["line"] = d.line;
  if (d.line != 0 && d.column != 0) fields["column"] = d.column;
  if (d.byte_offset) fields["byte_offset"] = *d.byte_offset;
  if (!d.json_path.empty()) fields["json_path"] = d.json_path;
  fields["message"] = d.message;  // nothing else tells two errors of a file apart
  out.fields = fields.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return out;
}

}  // namespace

std::string artifact_uri(std::string_view path) {
  while (path.starts_with("./") && path.size() > 2) path.remove_prefix(2);
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool plain = letter || (c >= '0' && c <= '9') || std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

void write_sarif(const FindingSource& findings, std::string_view input, const TextOutput& output,
                 const std::vector<CheckMember>& members) {
  SarifLog log(output);
  findings([&](const CheckFinding& finding) { log.note(finding); });
  log.begin(true);
  findings([&](const CheckFinding& finding) { log.result(finding, input); });
  log.end(members);
}

void write_sarif_errors(const std::vector<Diagnostic>& diagnostics, std::string_view input, const TextOutput& output) {
  SarifLog log(output);
  for (const Diagnostic& d : diagnostics) log.note(finding_of(d));
  log.begin(false);
  for (const Diagnostic& d : diagnostics) log.result(finding_of(d), d.file.empty() ? input : std::string_view(d.file));
  log.end({});
}

}  // namespace depscope::replay
