#include "bundle_redaction.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/redaction.h"

namespace depscope::app {
namespace {

using replay::BundleFile;
using replay::BundleOption;
using replay::BundleRun;
using replay::NameUse;
using replay::Redaction;

class RunRedaction {
 public:
  RunRedaction(const BundleRun& run, InputKind kind) : run_(run), kind_(kind) {}

  BundleRun result() {
    for (const BundleFile& file : run_.input) learn_input(source(file));
    for (const BundleOption& option : run_.options) learn_option(option);
    names_.freeze();
    BundleRun out;
    out.directory = run_.directory;
    for (const BundleFile& file : run_.input) out.input.push_back({input_name(file), input_text(source(file))});
    out.option_files.resize(run_.option_files.size());
    for (const BundleOption& option : run_.options) out.options.push_back(option_text(option, out));
    return out;
  }

 private:
  static SourceFile source(const BundleFile& file) { return {file.name, file.text}; }
  [[nodiscard]] SourceFile source_of(const BundleOption& option) const { return source(run_.option_files[*option.file]); }

  void learn_input(const SourceFile& text) {
    switch (kind_) {
      case InputKind::Trace: names_.learn_trace(text); break;
      case InputKind::DepsJson: names_.learn_deps_json(text); break;
      default: names_.learn_program(text); break;
    }
  }

  [[nodiscard]] std::string input_text(const SourceFile& text) const {
    switch (kind_) {
      case InputKind::Trace: return names_.trace(text);
      case InputKind::DepsJson: return names_.deps_json(text);
      default: return names_.program(text);
    }
  }

  /// The name of the file is the user's, that of a dump the compiler's.
  [[nodiscard]] std::string input_name(const BundleFile& file) const {
    switch (kind_) {
      case InputKind::Trace: return "trace.trace.json";
      case InputKind::DepsJson: return "deps.json";
      default: return run_.directory ? file.name : "program.py";
    }
  }

  /// NAME of "NAME=" before a file.
  static std::string_view name_before(const BundleOption& option) {
    return std::string_view(option.value).substr(0, option.value.find('='));
  }

  void learn_option(const BundleOption& option) {
    const std::string& name = option.option;
    if (name == "--program") names_.learn_name(NameUse::Program, option.value);
    if (name == "--entry") names_.learn_name(NameUse::Function, option.value);
    if (name == "--arg" || (name == "--data" && !option.file)) names_.learn_assignment(option.value);
    if (!option.file) return;
    if (name == "--timing") names_.learn_timing(source_of(option));
    if (name == "--data") {
      names_.learn_data_json(source_of(option));
      if (!option.value.empty()) names_.learn_name(NameUse::Variable, name_before(option));
    }
  }

  BundleOption option_text(const BundleOption& option, BundleRun& out) const {
    BundleOption result = option;
    const std::string& name = option.option;
    if (name == "--program") result.value = names_.name(NameUse::Program, option.value);
    if (name == "--entry") result.value = names_.name(NameUse::Function, option.value);
    if (name == "--arg" || (name == "--data" && !option.file)) result.value = names_.assignment(option.value);
    if (!option.file) return result;
    BundleFile& file = out.option_files[*option.file];
    if (name == "--timing") file = {"timing.json", names_.timing(source_of(option))};
    if (name == "--schedule") file = {"schedule.txt", Redaction::schedule(source_of(option))};
    if (name == "--data") {
      file = {fmt::format("data{}.json", *option.file), names_.data_json(source_of(option))};
      if (!option.value.empty()) result.value = names_.name(NameUse::Variable, name_before(option)) + "=";
    }
    return result;
  }

  const BundleRun& run_;
  InputKind kind_;
  Redaction names_;
};

}  // namespace

BundleRun redacted(const BundleRun& run, InputKind kind) { return RunRedaction(run, kind).result(); }

}  // namespace depscope::app
