#include "bundle_command.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "bundle_redaction.h"
#include "bundle_run.h"
#include "depscope/replay/bundle.h"
#include "depscope/replay/bundle_report.h"
#include "depscope/replay/file.h"
#include "depscope/replay/html_page.h"
#include "errors.h"
#include "open_input.h"
#include "screenshots.h"
#include "temporary_directory.h"
#include "version.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

using replay::Bundle;
using replay::BundleRun;

/// What is bundled, before anything is run.
struct Material {
  BundleRun run;
  std::optional<recording::Recording> recording;  ///< that was given; then `bytes` are those of its file
  std::string bytes;
};

InputKind kind_of_run(const BundleRun& run, const std::string& where) { return kind_of_input(UnpackedRun(run, where).input()); }

Material gather(const std::string& path, const RunOptions& options) {
  Material out;
  const InputKind kind = kind_of_input(path);
  if (kind == InputKind::RecordingFile) {
    refuse_run_options(path, options, kind);
    out.recording = replay::load(path);
    out.bytes = read_file(path);
    out.run = run_of_recording(*out.recording);
    return out;
  }
  if (kind == InputKind::Bundle) {
    const Bundle bundle = replay::read_bundle(path);
    if (bundle.run.input.empty()) {
      refuse_run_options(path, options, InputKind::RecordingFile);
      out.bytes = bundle.recording;
      out.recording = replay::load_bytes(bundle.recording, path);
      return out;
    }
    const UnpackedRun unpacked(bundle.run, path);
    try {
      out.run = run_of_input(unpacked.input(), kind_of_input(unpacked.input()), unpacked.options(options.given));
    } catch (const replay::FileError& error) {
      throw unpacked.without_directories(error);
    }
    return out;
  }
  out.run = run_of_input(path, kind, options);
  return out;
}

/// What came of a run.
struct Result {
  std::optional<recording::Recording> recording;
  std::string bytes;  ///< of its file
  std::string error;  ///< what it says if it was refused
};

Result run_again(const BundleRun& run, const std::string& where) {
  const UnpackedRun unpacked(run, where);
  Result out;
  try {
    out.recording = unpacked.open(unpacked.options()).recording;
  } catch (const InputError& e) {
    out.error = error_text(e.diagnostics());
    return out;
  }
  const TemporaryDirectory directory("the recording");
  const fs::path file = directory.path() / "recording.depscope";
  replay::save(*out.recording, file.string());
  out.bytes = read_file(file);
  return out;
}

/// What is known of the run: the recording that was given, else that of running it here.
Bundle assemble(Material material, bool redact, const std::string& where, std::optional<recording::Recording>& recording) {
  Bundle out;
  if (redact) {
    if (material.run.input.empty())
      throw UsageError(
          fmt::format("--redact rewrites the input and runs it again, and {} does not hold it: give the program", where));
    material.run = redacted(material.run, kind_of_run(material.run, where));
    material.recording.reset();
    out.redacted = true;
  }
  if (material.run.input.empty()) {
    out.difference = "the recording does not hold what it was made from";
  } else {
    Result result = run_again(material.run, where);
    if (!material.recording) {
      out.error = std::move(result.error);
      out.recording = std::move(result.bytes);
      recording = std::move(result.recording);
    } else if (!result.error.empty()) {
      out.difference = "its input does not run here: " + result.error.substr(0, result.error.find('\n'));
    } else if (result.bytes != material.bytes) {
      out.difference =
          "another version of the tool wrote this one, or it is of a dump directory, of which a recording keeps one dump only";
    }
  }
  if (material.recording) {
    recording = std::move(material.recording);
    out.recording = std::move(material.bytes);
  }
  out.run = std::move(material.run);
  return out;
}

std::string machine_text() {
  utsname names{};
  const bool known = uname(&names) == 0;
  return fmt::format("{} {}; depscope built with {}", known ? names.sysname : "unknown", known ? names.machine : "",
                     DEPSCOPE_COMPILER);
}

std::string page_of(const recording::Recording& recording) {
  std::string page;
  replay::write_html_page(recording, {}, [&](std::string_view piece) { page += piece; });
  return page;
}

void print_outcome(const std::string& path, const Bundle& bundle, const replay::BundleSize& size) {
  std::printf("bundle: %s, %llu bytes%s\n", path.c_str(), static_cast<unsigned long long>(size.bytes),
              bundle.redacted ? ", redacted" : "");
  for (const replay::BundleDropped& d : size.dropped) {
    std::printf("left out to keep within --max-size: %s, %llu bytes\n", d.member.c_str(),
                static_cast<unsigned long long>(d.bytes));
  }
  if (!bundle.error.empty()) std::printf("the run was refused, which the bundle shows: %s", bundle.error.c_str());
  if (bundle.difference.empty()) {
    std::printf("run it again with: depscope run %s\n", replay::shell_word(path).c_str());
  } else {
    std::printf("running it again does not give this recording: %s\n", bundle.difference.c_str());
  }
}

}  // namespace

std::uint64_t parse_size_limit(const std::string& text) {
  if (text == "none") return replay::kNoSizeLimit;
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const std::string unit(stop, end);
  const std::uint64_t factor = unit.empty() || unit == "B" ? 1
                               : unit == "kB"              ? 1'000
                               : unit == "MB"              ? 1'000'000
                               : unit == "GB"              ? 1'000'000'000
                                                           : 0;
  if (error != std::errc() || factor == 0 || number == 0 || number > replay::kNoSizeLimit / factor)
    throw UsageError(
        fmt::format("--max-size: \"{}\" is not allowed; allowed: a number of bytes, kB, MB or GB, such as 25MB, or none", text));
  return number * factor;
}

void BundleCommand::add_options(CLI::App& app) {
  app.add_option("FILE", input_,
                 "A program (*.py), a dump or build directory, a submission trace, a deps.json, a recording, a bundle")
      ->required();
  app.add_option("-o,--output", output_, "Write the bundle, a ZIP file")->option_text("FILE.zip")->required();
  app.add_flag("--redact", redact_, "Replace names, comments, paths and addresses");
  app.add_option("--max-size", max_size_,
                 "Leave out screenshots, then the page, then the recording, until it fits (default: 25MB)")
      ->option_text("SIZE|none");
  app.add_flag("--no-screenshots", no_screenshots_, "Do not open a window for pictures");
  add_run_options(app, texts_);
}

int BundleCommand::run() {
  const std::uint64_t max_size = parse_size_limit(max_size_);
  for (const auto& [option, given] : {std::pair{"--print-ir", texts_.print_ir},
                                      {"--print-plan", texts_.print_plan},
                                      {"--dump-passes", !texts_.dump_passes.empty()},
                                      {"--save-schedule", !texts_.save_schedule.empty()}}) {
    if (given) throw UsageError(fmt::format("{} belongs to 'run': a bundle has no such output", option));
  }
  if (output_.empty()) throw UsageError("--output: the name is empty");
  const RunOptions options = parse(texts_);
  refuse_overwriting("--output", output_, input_, options);
  std::optional<recording::Recording> recording;
  Bundle bundle = assemble(gather(input_, options), redact_, input_, recording);
  if (recording) {
    bundle.extras.push_back({"page.html", page_of(*recording), "the run as a page for a browser"});
    if (!no_screenshots_) {
      const TemporaryDirectory directory("the recording");
      const fs::path file = directory.path() / "recording.depscope";
      write_file(file, bundle.recording);
      Screenshots shots = take_screenshots(*recording, file);
      for (replay::BundleExtra& picture : shots.pictures) bundle.extras.push_back(std::move(picture));
      if (!shots.missing.empty()) std::fprintf(stderr, "depscope: no screenshots: %s\n", shots.missing.c_str());
    }
  }
  // Who calls the program by its name calls the bundle so, too.
  const std::string name = bundle.redacted ? "bundle.zip" : fs::path(output_).filename().string();
  const replay::BundleReportWriter report(recording ? &*recording : nullptr, {name, std::string(version_text()), machine_text()});
  const Bundle outcome{.run = {},
                       .recording = {},
                       .redacted = bundle.redacted,
                       .difference = bundle.difference,
                       .error = bundle.error,
                       .extras = {}};
  const replay::BundleSize size = replay::write_bundle(
      std::move(bundle), [&](const Bundle& kept, const auto& dropped) { return report.text(kept, dropped); }, output_, max_size);
  print_outcome(output_, outcome, size);
  return kDone;
}

}  // namespace depscope::app
