// Running passes in order, with verification of what they rely on and promise (passes.md 1.2, 1.3).
#include <algorithm>
#include <string>
#include <utility>

#include "depscope/ir/text.h"
#include "depscope/pass/pass.h"
#include "nested_calls.h"
#include "property_verifiers.h"

namespace depscope::pass {
namespace {

Diagnostic plain_error(std::string message) {
  Diagnostic d;
  d.severity = Severity::Error;
  d.message = std::move(message);
  return d;
}

std::string list_of_known() {
  std::string out;
  for (const std::string_view name : known_passes()) {
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out;
}

constexpr std::array kAllProperties = {Property::SSAForm,
                                       Property::NoNestedCalls,
                                       Property::NormalizedStmtStructure,
                                       Property::SplitIncoreOrch,
                                       Property::CallDirectionsResolved,
                                       Property::RuntimeScopesMaterialized,
                                       Property::IterArgCarryClassified,
                                       Property::ReturnParamsExplicit};

bool has(PropertySet set, Property property) { return (set & static_cast<PropertySet>(property)) != 0; }

void keep_errors(std::vector<Diagnostic> found, std::vector<Diagnostic>& errors) {
  for (Diagnostic& d : found) {
    if (d.severity == Severity::Error) errors.push_back(std::move(d));
  }
}

}  // namespace

std::vector<Diagnostic> verify_property(const ir::Program& program, Property property) {
  switch (property) {
    case Property::SSAForm: return ir::verify(program, {.ssa = true});
    case Property::NoNestedCalls: return verify_no_nested_calls(program);
    case Property::CallDirectionsResolved: return verify_call_directions(program);
    case Property::RuntimeScopesMaterialized: return verify_runtime_scopes(program);
    case Property::IterArgCarryClassified: return verify_iter_arg_carry(program);
    case Property::SplitIncoreOrch: return verify_no_regions(program);
    // Statement lists are flat by construction; returned parameters are only a promise of kernels, which no pass here reads.
    case Property::NormalizedStmtStructure:
    case Property::ReturnParamsExplicit: return {};
  }
  return {};
}

PassManager::PassManager(const std::vector<std::string>& pass_names, Options options) : options_(options) {
  for (const std::string& name : pass_names) {
    std::unique_ptr<Pass> pass = make_pass(name);
    if (!pass) throw InputError(plain_error("unknown pass '" + name + "'; known passes: " + list_of_known()));
    passes_.push_back(std::move(pass));
  }
}

void PassManager::stop_after(std::string_view name) {
  const std::size_t hash = name.find('#');
  const std::string_view wanted = name.substr(0, hash);
  std::size_t nth = 1;
  if (hash != std::string_view::npos) {
    const std::string_view digits = name.substr(hash + 1);
    if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != std::string_view::npos) {
      throw InputError(plain_error("'" + std::string(name) + "': a number must follow '#'"));
    }
    nth = std::stoul(std::string(digits));
  }
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    if (passes_[i]->name() == wanted && --nth == 0) {
      stop_at_ = i;
      return;
    }
    if (nth == 0) break;
  }
  std::string known;
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    const std::string_view pass = passes_[i]->name();
    const auto same = std::count_if(passes_.begin(), passes_.begin() + static_cast<std::ptrdiff_t>(i + 1),
                                    [&](const std::unique_ptr<Pass>& other) { return other->name() == pass; });
    known += (i == 0 ? "" : ", ") + std::string(pass) + (same > 1 ? "#" + std::to_string(same) : "");
  }
  throw InputError(plain_error("pass '" + std::string(name) + "' is not in the list of passes to run (" +
                               (known.empty() ? "none" : known) + ")"));
}

ir::Program PassManager::run(const ir::Program& program, DecisionSink& sink) const {
  std::vector<Diagnostic> errors;
  keep_errors(ir::verify(program), errors);
  if (!errors.empty()) throw InputError(std::move(errors));
  for (PassObserver* observer : observers_) observer->after_pass(0, nullptr, program, false, {});

  ir::Program current = program;
  std::string text;  // of `current`; printed only where the question "changed?" needs it
  if (!observers_.empty()) text = ir::print_program(current, ir::kReadableRun);
  PropertySet held = 0;
  for (std::size_t i = 0; i < passes_.size() && (stop_at_ == static_cast<std::size_t>(-1) || i <= stop_at_); ++i) {
    const Pass& pass = *passes_[i];
    std::vector<Diagnostic> diagnostics;
    // A list of passes given by hand may leave out what a pass asks for; the pass copes, but the user should know. What a pass
    // only hands on it need not produce then.
    PropertySet missing = 0;
    for (const Property property : kAllProperties) {
      if (!has(pass.required(), property) || has(held, property)) continue;
      for (Diagnostic& d : verify_property(current, property)) {
        d.severity = Severity::Warning;
        d.message =
            std::string(pass.name()) + " asks for " + property_names(static_cast<PropertySet>(property)) + ": " + d.message;
        diagnostics.push_back(std::move(d));
        missing = missing | property;
        break;
      }
    }

    ir::Program next = pass.run(current, options_, sink);

    held &= ~pass.invalidated();
    for (const Property property : kAllProperties) {
      const bool checked = has(pass.produced(), property) && !has(missing, property) && property != Property::SSAForm;
      if (checked) keep_errors(verify_property(next, property), errors);
    }
    held |= pass.produced() & ~missing;
    keep_errors(ir::verify(next, {.ssa = has(held, Property::SSAForm)}), errors);
    if (!errors.empty()) {
      for (Diagnostic& d : errors) d.message += " (after " + std::string(pass.name()) + ")";
      throw InputError(std::move(errors));
    }

    bool changed = !ir::same_nodes(current, next);
    current = std::move(next);
    if (!observers_.empty() && changed) {
      std::string now = ir::print_program(current, ir::kReadableRun);
      changed = now != text;
      text = std::move(now);
    }
    for (PassObserver* observer : observers_) {
      observer->after_pass(static_cast<std::uint32_t>(i + 1), &pass, current, changed, diagnostics);
    }
  }
  return current;
}

}  // namespace depscope::pass
