#include "bundle_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "command.h"
#include "dump_directory.h"
#include "given_options.h"
#include "model_options.h"
#include "timing_input.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

using replay::BundleFile;
using replay::BundleOption;
using replay::BundleRun;

constexpr const char* kDumpDirectory = "passes_dump";

BundleFile file_of(const fs::path& path) { return {path.filename().string(), read_file(path)}; }

/// A run that durations were taken from is bundled as these durations.
BundleFile timing_file(const std::string& path) {
  const SourceFile source = read_timing(path);
  return {fs::path(source.name()).filename().string(), std::string(source.text())};
}

/// What a recording keeps of an input that is one file; nothing if it was too large or only the first of a directory.
bool holds_input(const recording::Recording& recording) {
  if (recording.input_name.empty()) return false;
  return recording.input_digest.empty() || !recording.input_text.empty();
}

/// Traces have neither passes nor a program.
bool of_trace(const recording::Recording& recording) { return recording.passes.rows() == 0; }

std::string option_word(const BundleOption& option, const std::string& path) {
  return fmt::format("{}={}{}", option.option, option.value, path);
}

}  // namespace

BundleRun run_of_input(const std::string& path, InputKind kind, const RunOptions& options) {
  BundleRun run;
  if (kind == InputKind::Directory) {
    (void)read_dump_directory(path);  // which says what is wrong with it
    run.directory = true;
    for (const std::string& file : dump_files(path)) run.input.push_back(file_of(file));
  } else {
    std::error_code error;
    const fs::path given(path);
    run.input.push_back(file_of(fs::is_directory(given, error) ? given / kDepsName : given));
  }
  OptionTexts texts = options.given;
  if (kind != InputKind::DepsJson)
    take_limits_of_environment(options, kind == InputKind::Trace ? ModelInput::Trace : ModelInput::Program, texts);
  for (const GivenOption& given : given_options(texts)) {
    BundleOption option{given.option, given.value, std::nullopt};
    if (!given.path.empty()) {
      option.file = run.option_files.size();
      run.option_files.push_back(given.option == "--timing" ? timing_file(given.path) : file_of(given.path));
    }
    run.options.push_back(std::move(option));
  }
  return run;
}

BundleRun run_of_recording(const recording::Recording& recording) {
  BundleRun run;
  if (holds_input(recording)) run.input.push_back({recording.input_name, recording.input_text});
  for (const recording::OptionFile& file : recording.option_files) run.option_files.push_back({file.name, file.text});
  for (const RecordedOption& option : recorded_options(recording, of_trace(recording)))
    run.options.push_back({option.option, option.value, option.file});
  // Names with directories in them are none that a run has recorded: then it is only looked at.
  const auto plain = [](const BundleFile& file) { return replay::is_plain_file_name(file.name); };
  if (!std::all_of(run.input.begin(), run.input.end(), plain) ||
      !std::all_of(run.option_files.begin(), run.option_files.end(), plain))
    return {};
  return run;
}

UnpackedRun::UnpackedRun(const BundleRun& run, const std::string& where) : directory_("the files of the run"), where_(where) {
  for (const std::vector<BundleFile>* files : {&run.input, &run.option_files}) {
    for (const BundleFile& file : *files) {
      if (!replay::is_plain_file_name(file.name))
        throw replay::FileError(replay::FileFault::Corrupt,
                                fmt::format("{}: \"{}\" is no name of a file: it cannot be run again", where, file.name));
    }
  }
  const fs::path root = directory_.path();
  const fs::path input = root / "input" / (run.directory ? kDumpDirectory : "");
  fs::create_directories(input);
  for (const BundleFile& file : run.input) write_file(input / file.name, file.text);
  input_ = (run.directory ? input : input / run.input.at(0).name).string();
  std::vector<std::string> words;
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < run.option_files.size(); ++i) {
    const fs::path place = root / fmt::format("{:02}", i);  // two may have the same name
    fs::create_directories(place);
    paths.push_back((place / run.option_files[i].name).string());
    write_file(paths.back(), run.option_files[i].text);
  }
  for (const BundleOption& option : run.options) words.push_back(option_word(option, option.file ? paths.at(*option.file) : ""));
  texts_ = with_words({}, where, words);
  // An option may name a file only if the run holds it: what lies where it is opened has nothing to do with it, and may be
  // private.
  const fs::path absent = root / "absent";
  words.clear();
  for (const GivenOption& option : given_options(texts_)) {
    const bool held = option.path.empty() || std::find(paths.begin(), paths.end(), option.path) != paths.end();
    words.push_back(option.option + "=" + option.value +
                    (held ? option.path : (absent / fs::path(option.path).filename()).string()));
  }
  texts_ = with_words({}, where, words);
  for (const std::string& path : paths) directories_.push_back(fs::path(path).parent_path().string() + "/");
  directories_.push_back((root / "input").string() + "/");
  directories_.push_back(absent.string() + "/");
  if (run.directory) directories_.insert(directories_.begin(), input.string() + "/");
}

std::string UnpackedRun::short_names(std::string text) const {
  for (const std::string& directory : directories_) {
    for (std::size_t at = 0; (at = text.find(directory, at)) != std::string::npos;) text.erase(at, directory.size());
  }
  return text;
}

InputError UnpackedRun::without_directories(const InputError& error) const {
  std::vector<Diagnostic> diagnostics = error.diagnostics();
  for (Diagnostic& d : diagnostics) {
    d.file = short_names(d.file);
    d.message = short_names(d.message);
  }
  return InputError(std::move(diagnostics));
}

replay::FileError UnpackedRun::without_directories(const replay::FileError& error) const {
  return {error.fault(), short_names(error.what())};
}

Opened UnpackedRun::open(const RunOptions& options, Depth depth) const {
  try {
    return open_input(input_, options, depth);
  } catch (const InputError& error) {
    throw without_directories(error);
  }
}

RunOptions UnpackedRun::options(const OptionTexts& changes) const {
  std::vector<std::string> words;
  for (const GivenOption& option : given_options(changes)) words.push_back(option.option + "=" + option.value + option.path);
  OptionTexts texts = with_words(texts_, where_, words);
  texts.print_ir = changes.print_ir;
  texts.print_plan = changes.print_plan;
  texts.dump_passes = changes.dump_passes;
  texts.save_schedule = changes.save_schedule;
  try {
    RunOptions options = parse(texts);
    options.environment = false;
    return options;
  } catch (const InputError& error) {  // of a file that an option names
    throw without_directories(error);
  } catch (const UsageError& error) {
    throw UsageError(short_names(error.what()));
  }
}

}  // namespace depscope::app
