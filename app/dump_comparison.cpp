#include "dump_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "depscope/ir/text.h"
#include "program_text.h"

namespace depscope::app {
namespace {

constexpr std::uint32_t kNoPass = 0xffffffffU;

/// For every dump behind the start our pass of that name, in order: of two passes with one name the first belongs to the first
/// dump (passes.md 1.1: the Simplify of the tail is the second of the compiler, and the only one of ours).
std::vector<std::uint32_t> match(const DumpDirectory& directory, const std::vector<std::string>& passes) {
  std::vector<std::uint32_t> out(directory.dumps.size(), kNoPass);
  std::uint32_t next = 0;
  for (std::size_t d = directory.start + 1; d < out.size(); ++d) {
    const auto found = std::find(passes.begin() + next, passes.end(), directory.dumps[d].pass);
    if (found == passes.end()) continue;
    out[d] = static_cast<std::uint32_t>(found - passes.begin());
    next = out[d] + 1;
  }
  return out;
}

/// The passes one after another, nullopt if one of them refuses the program.
std::optional<ir::Program> run_passes(ir::Program program, std::span<const std::string> names, const pass::Options& options) {
  pass::CountingSink sink;
  try {
    for (const std::string& name : names) {
      const std::unique_ptr<pass::Pass> pass = pass::make_pass(name);
      if (!pass) return std::nullopt;
      program = pass->run(program, options, sink);
    }
  } catch (const InputError&) {
    return std::nullopt;
  }
  return program;
}

bool is_modelled(std::string_view pass) {
  const std::vector<std::string_view> known = pass::known_passes();
  return std::find(known.begin(), known.end(), pass) != known.end();
}

std::string place(const TextDifference& difference) {
  std::string out = difference.function.empty() ? "the head of the program" : difference.function;
  if (difference.line != 0) out += fmt::format(", line {}", difference.line);
  return out;
}

}  // namespace

AnalysisChoice choose_analysis(const DumpDirectory& directory, const std::vector<std::string>& passes, pass::Options options,
                               const std::string& program) {
  const auto derive = std::find(passes.begin(), passes.end(), "AutoDeriveTaskDependencies");
  if (derive == passes.end()) return {false, false, "the analysis does not run"};
  const std::vector<std::uint32_t> pass_of_dump = match(directory, passes);
  for (std::size_t d = directory.start + 1; d < directory.dumps.size(); ++d) {
    const Dump& dump = directory.dumps[d];
    if (pass_of_dump[d] == kNoPass || pass_of_dump[d] < derive - passes.begin()) continue;
    try {
      const ir::Program theirs = DumpReader(program).read(dump).program;
      const ProgramText text = program_text(theirs);
      const auto agrees = [&](bool on) {
        options.analyze_auto_scopes = on;
        // Each attempt on nodes of its own: what a pass makes must not show in the run that is recorded.
        const ir::Program start = DumpReader(program).read(directory.dumps[directory.start]).program;
        const auto ours = run_passes(start, std::span(passes).first(pass_of_dump[d] + 1), options);
        return ours && same_program(program_text(*ours), text);
      };
      const bool off = agrees(false);
      const bool on = agrees(true);
      if (off) return {false, true, fmt::format("dump {} agrees{}", dump.label(), on ? " either way" : "")};
      if (on) return {true, true, fmt::format("dump {} agrees", dump.label())};
      const bool traces = theirs.source->text().find("compiler_manual_dep_edges") != std::string_view::npos ||
                          theirs.source->text().find("__compiler_auto_manual_") != std::string_view::npos;
      return {traces, true, fmt::format("dump {} has {} of the analysis", dump.label(), traces ? "traces" : "no trace")};
    } catch (const InputError&) {
      continue;  // reported when the dumps are walked; the next one may tell
    }
  }
  return {false, false, "no dump tells"};
}

DumpComparison::DumpComparison(const DumpDirectory& directory, std::vector<std::string> passes, const pass::Options& options,
                               const std::string& program)
    : directory_(directory),
      passes_(std::move(passes)),
      options_(options),
      reader_(program),
      pass_of_dump_(match(directory, passes_)) {}

bool DumpComparison::read(std::size_t dump) {
  const Dump& d = directory_.dumps[dump];
  next_ = dump + 1;
  try {
    const ReadDump read = reader_.read(d);
    history_.add(d, read.program, read.repeated && reader_is_last_);
    reader_is_last_ = true;
    return true;
  } catch (const InputError& e) {
    Diagnostic diagnostic = e.diagnostics().front();
    if (e.diagnostics().size() > 1) diagnostic.message += fmt::format(" (and {} more)", e.diagnostics().size() - 1);
    diagnostic.message = fmt::format("dump {} is left out: {}", d.label(), diagnostic.message);
    diagnostic.severity = Severity::Warning;
    if (diagnostic.file.empty()) diagnostic.file = d.path;
    Finding f = input_error(diagnostic);
    f.line = 0;  // not a line of the input that the run starts from
    unreadable_.push_back(std::move(f));
    return false;
  }
}

void DumpComparison::take_start(const ir::Program& start) {
  history_.add(directory_.dumps[directory_.start], start, false);
  reader_is_last_ = false;
  next_ = directory_.start + 1;
  ours_ = start;
}

const ProgramText& DumpComparison::our_text() {
  if (!our_text_) our_text_ = program_text(ours_);
  return *our_text_;
}

void DumpComparison::after_pass(std::uint32_t index, const pass::Pass*, const ir::Program& program, bool changed,
                                const std::vector<Diagnostic>&) {
  if (index == 0) return;
  const std::uint32_t pass = index - 1;
  const auto dump = std::find(pass_of_dump_.begin(), pass_of_dump_.end(), pass);
  if (dump != pass_of_dump_.end()) read_up_to(static_cast<std::size_t>(dump - pass_of_dump_.begin()));
  run_ = index;
  ours_ = program;
  if (changed) our_text_.reset();
  if (dump != pass_of_dump_.end()) compare(static_cast<std::size_t>(dump - pass_of_dump_.begin()), pass);
}

void DumpComparison::finish() {
  while (next_ < directory_.dumps.size() && pass_of_dump_[next_] == kNoPass) read_unmatched(next_);
  while (next_ < directory_.dumps.size()) read(next_);  // behind --stop-after
}

void DumpComparison::read_up_to(std::size_t dump) {
  while (next_ < dump) read_unmatched(next_);
}

void DumpComparison::read_unmatched(std::size_t dump) {
  if (!read(dump) || !history_.last_changed() || passes_.empty()) return;
  if (same_program(our_text(), history_.text())) {
    in_step_ = true;
    behind_ = run_;
    return;
  }
  if (!is_modelled(history_.last()->pass)) note_not_modelled(*history_.last());
  in_step_ = false;
}

void DumpComparison::compare(std::size_t dump, std::uint32_t pass) {
  const Dump before = *history_.last();
  const ir::Program before_program = history_.program();
  if (!read(dump)) return;
  const Dump& d = directory_.dumps[dump];
  Result result{passes_[pass], d.label(), Outcome::Agrees, ""};
  if (!same_program(our_text(), history_.text())) {
    const auto alone = run_passes(before_program, std::span(passes_).subspan(behind_, pass + 1 - behind_), options_);
    const bool alone_agrees = alone && same_program(program_text(*alone), history_.text());
    if (alone_agrees && !in_step_) {
      result.outcome = Outcome::AgreesAlone;
      result.alone_on = before.label();
    } else {
      result.outcome = Outcome::Differs;
      note_difference(d, pass, before, alone ? &*alone : nullptr, alone_agrees);
    }
  }
  in_step_ = result.outcome == Outcome::Agrees;
  behind_ = pass + 1;
  results_.push_back(std::move(result));
}

void DumpComparison::note_difference(const Dump& dump, std::uint32_t pass, const Dump& before, const ir::Program* alone,
                                     bool alone_agrees) {
  // Where an earlier difference is still there, only the run on their own text shows what this pass adds.
  const ir::Program& ours = !in_step_ && alone != nullptr ? *alone : ours_;
  const ir::Program& theirs = history_.program();
  const TextDifference difference = first_text_difference(ours, theirs).value_or(TextDifference{});
  const std::string structure = ir::first_difference(ours, theirs);
  Finding f{.kind = "difference", .severity = Severity::Warning};
  f.fields["what"] = "pass_text";
  f.fields["pass"] = passes_[pass];
  f.fields["dump"] = dump.label();
  f.fields["function"] = difference.function;
  if (difference.line != 0) f.fields["line"] = difference.line;
  f.fields["a"] = difference.ours;
  f.fields["b"] = difference.theirs;
  f.fields["structure"] = structure.empty() ? "the same but for names and spelling" : structure;
  f.fields["alone_on"] = before.label();
  f.fields["alone"] = alone == nullptr ? "refused" : alone_agrees ? "agrees" : "differs";
  f.summary = fmt::format("{} differs from dump {} in {}: {} (ours | dump); run alone on dump {} it {}", passes_[pass],
                          dump.label(), place(difference), side_by_side(difference), before.label(),
                          alone == nullptr ? "refuses the program"
                          : alone_agrees   ? "agrees: what came before it is to blame"
                                           : "differs too: the pass is to blame, or the dump");
  differences_.push_back(std::move(f));
}

void DumpComparison::note_not_modelled(const Dump& dump) {
  Finding f{.kind = "difference", .severity = Severity::Warning};
  f.fields["what"] = "not_modelled";
  f.fields["pass"] = dump.pass;
  f.fields["dump"] = dump.label();
  f.fields["functions"] = history_.changed();
  f.summary = fmt::format(
      "{} is not modelled, and dump {} shows that it changed {}", dump.pass, dump.label(),
      history_.changed().empty() ? "the head of the program" : fmt::format("{}", fmt::join(history_.changed(), ", ")));
  differences_.push_back(std::move(f));
}

Finding DumpComparison::agreement(const AnalysisChoice& analysis) const {
  Finding f{.kind = "agreement"};
  nlohmann::ordered_json passes = nlohmann::ordered_json::array();
  std::vector<std::string> names;
  for (const Result& r : results_) {
    const char* outcome = r.outcome == Outcome::Agrees        ? "agrees"
                          : r.outcome == Outcome::AgreesAlone ? "agrees alone"
                                                              : "differs";
    passes.push_back({{"pass", r.pass}, {"dump", r.dump}, {"outcome", outcome}});
    if (!r.alone_on.empty()) passes.back()["alone_on"] = r.alone_on;
    if (r.outcome == Outcome::Differs) continue;
    names.push_back(r.alone_on.empty() ? fmt::format("{} {}", r.pass, r.dump)
                                       : fmt::format("{} {} run on dump {}", r.pass, r.dump, r.alone_on));
  }
  f.fields["agree"] = names.size();
  f.fields["compared"] = results_.size();
  f.fields["passes"] = std::move(passes);
  f.fields["analyze_auto_scopes"] = analysis.on ? "on" : "off";
  f.fields["analyze_auto_scopes_reason"] = analysis.reason;
  f.summary = fmt::format("dumps: {} of {} later dumps agree", names.size(), results_.size());
  if (!names.empty()) f.summary += fmt::format(" ({})", fmt::join(names, ", "));
  for (const Finding& difference : differences_) {
    if (difference.fields["what"] != "pass_text") continue;
    f.summary += fmt::format("; first difference: {}, dump {}, {}", difference.fields["pass"].get<std::string>(),
                             difference.fields["dump"].get<std::string>(), difference.fields["function"].get<std::string>());
    if (difference.fields.contains("line")) f.summary += fmt::format(", line {}", difference.fields["line"].get<std::uint32_t>());
    break;
  }
  f.summary += fmt::format("; analyze-auto-scopes {} ({})", analysis.on ? "on" : "off", analysis.reason);
  return f;
}

std::vector<Finding> DumpComparison::findings(const AnalysisChoice& analysis) const {
  std::vector<Finding> out = differences_;
  if (!results_.empty()) out.push_back(agreement(analysis));
  out.insert(out.end(), unreadable_.begin(), unreadable_.end());
  for (const std::vector<Finding>* list : {&history_.directions(), &history_.changes(), &history_.no_changes()})
    out.insert(out.end(), list->begin(), list->end());
  return out;
}

}  // namespace depscope::app
