#include "dump_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "depscope/ir/text.h"
#include "parameter_reads.h"

namespace depscope::app {
namespace {

std::string_view direction_name(ir::ParamDirection direction) {
  switch (direction) {
    case ir::ParamDirection::In: return "In";
    case ir::ParamDirection::Out: return "Out";
    case ir::ParamDirection::InOut: return "InOut";
  }
  return "In";
}

/// A parameter under the name it had before ConvertToSSA, and which of several of that name it is.
using ParameterKey = std::pair<std::string, std::uint32_t>;

std::vector<ParameterKey> parameter_keys(const ir::NodeStore& store, const ir::Function& function) {
  std::map<std::string, std::uint32_t> seen;
  std::vector<ParameterKey> out;
  for (const ir::Param& p : function.params) {
    std::string name(ir::source_name(store.name(p.var)));
    const std::uint32_t occurrence = seen[name]++;
    out.emplace_back(std::move(name), occurrence);
  }
  return out;
}

constexpr std::size_t kNamedInSummary = 6;

}  // namespace

void DumpHistory::add(const Dump& dump, const ir::Program& program, bool repeated) {
  changed_.clear();
  last_changed_ = false;
  if (last_ && repeated) {
    note_change(dump);
    last_ = dump;
    return;
  }
  ProgramText text = program_text(program);
  if (last_) {
    changed_ = changed_functions(text_, text);
    last_changed_ = !changed_.empty() || text.head != text_.head;
    note_change(dump);
    if (!changed_.empty()) note_directions(dump, program);
  }
  last_ = dump;
  program_ = program;
  text_ = std::move(text);
}

void DumpHistory::note_change(const Dump& dump) {
  Finding f{.kind = "difference"};
  f.fields["what"] = last_changed_ ? "pass_changed" : "pass_noop";
  f.fields["from"] = last_->label();
  f.fields["to"] = dump.label();
  f.fields["pass"] = dump.pass;
  f.summary = fmt::format("dump {} ({}) changed nothing against dump {}", dump.label(), dump.pass, last_->label());
  if (last_changed_) {
    f.fields["functions"] = changed_;
    std::string names;
    for (std::size_t i = 0; i < std::min(changed_.size(), kNamedInSummary); ++i) names += (i == 0 ? "" : ", ") + changed_[i];
    if (changed_.size() > kNamedInSummary) names += fmt::format(" and {} more", changed_.size() - kNamedInSummary);
    if (names.empty()) names = "the dynamic dimensions";
    f.summary = fmt::format("dump {} ({}) changed {} against dump {}", dump.label(), dump.pass, names, last_->label());
  }
  (last_changed_ ? changes_ : no_changes_).push_back(std::move(f));
}

void DumpHistory::note_directions(const Dump& dump, const ir::Program& program) {
  std::map<std::string_view, const ir::Function*> before;
  for (const ir::Function& f : program_.functions) before.emplace(program_.store->text(f.name), &f);
  const ParameterReads reads(program);
  for (const ir::Function& f : program.functions) {
    const std::string name(program.store->text(f.name));
    const auto old = before.find(name);
    if (old == before.end() || !std::binary_search(changed_.begin(), changed_.end(), name)) continue;
    std::map<ParameterKey, ir::ParamDirection> directions;
    const std::vector<ParameterKey> old_keys = parameter_keys(*program_.store, *old->second);
    for (std::size_t i = 0; i < old_keys.size(); ++i) directions.emplace(old_keys[i], old->second->params[i].direction);
    const std::vector<ParameterKey> keys = parameter_keys(*program.store, f);
    for (std::uint32_t i = 0; i < keys.size(); ++i) {
      const auto was = directions.find(keys[i]);
      if (was == directions.end() || was->second == f.params[i].direction) continue;
      const std::string_view from = direction_name(was->second);
      const std::string_view to = direction_name(f.params[i].direction);
      const std::optional<bool> loads = reads.of(f, i);
      Finding finding{.kind = "rewrite"};
      finding.fields["function"] = name;
      finding.fields["parameter"] = keys[i].first;
      finding.fields["from"] = from;
      finding.fields["to"] = to;
      finding.fields["first_pass"] = dump.pass;
      finding.fields["dump"] = dump.label();
      finding.fields["body_loads_parameter"] = loads ? nlohmann::ordered_json(*loads) : nlohmann::ordered_json();
      finding.summary = fmt::format("{} (dump {}) makes parameter {} of {} {} instead of {}; {}", dump.pass, dump.label(),
                                    keys[i].first, name, to, from,
                                    !loads   ? "what its body loads is not known"
                                    : *loads ? "its body loads it"
                                             : "its body has no load of it");
      directions_.push_back(std::move(finding));
    }
  }
}

}  // namespace depscope::app
