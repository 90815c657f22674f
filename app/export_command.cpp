#include "export_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "depscope/replay/csv_export.h"
#include "depscope/replay/deps_json.h"
#include "depscope/replay/dot_export.h"
#include "depscope/replay/html_page.h"
#include "depscope/replay/output_file.h"
#include "depscope/replay/perfetto_export.h"
#include "open_input.h"

namespace depscope::app {
namespace {

using recording::Recording;

constexpr std::array<std::string_view, 5> kFormats{"html", "deps-json", "perfetto", "dot", "csv"};

/// Writes a text, whole or not at all.
void write_text(const std::string& path, const std::function<void(const replay::TextOutput&)>& print) {
  replay::OutputFile file(path);
  print([&file](std::string_view piece) { file.write(piece); });
  file.commit();
}

}  // namespace

void ExportCommand::add_options(CLI::App& app) {
  app.add_option("FILE", input_,
                 "A recording, a program (*.py), a dump or build directory, a trace (*.trace.json), a deps.json, a bundle")
      ->required();
  app.add_option(
         "--format", format_,
         "html: one page for a bug report; deps-json: the task graph as the runtime's tools read it; perfetto: a trace for "
         "ui.perfetto.dev; dot: the task graph for Graphviz; csv: a ZIP with every table")
      ->option_text("html|deps-json|perfetto|dot|csv")
      ->required();
  app.add_option("-o,--output", output_, "Write there")->option_text("FILE")->required();
  app.add_option("--table", table_, "csv: only this table, as text")->option_text("NAME");
  add_run_options(app, texts_);
}

int ExportCommand::run() {
  if (std::find(kFormats.begin(), kFormats.end(), format_) == kFormats.end()) {
    throw UsageError(
        fmt::format("--format {}: no such format (formats: {})", format_.empty() ? "''" : format_, fmt::join(kFormats, ", ")));
  }
  if (!table_.empty() && format_ != "csv") throw UsageError(fmt::format("--table belongs to --format csv, not to {}", format_));
  const std::vector<std::string_view> tables = replay::csv_tables();
  if (!table_.empty() && std::find(tables.begin(), tables.end(), table_) == tables.end())
    throw UsageError(fmt::format("--table {}: no such table (tables: {})", table_, fmt::join(tables, ", ")));
  if (texts_.print_ir || texts_.print_plan)
    throw UsageError(std::string(texts_.print_ir ? "--print-ir" : "--print-plan") + " belongs to 'run'");
  if (output_.empty()) throw UsageError("--output: the name is empty");
  const RunOptions options = parse(texts_);
  refuse_overwriting("--output", output_, input_, options);
  // The file is as the runtime writes it, unless the option asks for what was intended.
  replay::DepsFaults faults;
  if (options.hazards) faults = {.retain_lost = options.hazards->faithful(8), .no_dep_unknown = options.hazards->faithful(9)};
  if (format_ == "deps-json" && can_stream(kind_of_input(input_), options)) {
    write_text(output_, [&](const replay::TextOutput& output) { stream_deps_json(input_, options, faults, output); });
    return kDone;
  }
  const Opened opened = open_input(input_, options);
  const Recording& r = opened.recording;
  if (format_ == "html") {
    write_text(output_, [&](const replay::TextOutput& output) { replay::write_html_page(r, {}, output); });
  } else if (format_ == "deps-json") {
    write_text(output_, [&](const replay::TextOutput& output) {
      replay::write_deps_json(r, replay::DepsSchema::Upstream, output, faults);
    });
  } else if (format_ == "perfetto") {
    write_text(output_, [&](const replay::TextOutput& output) { replay::write_perfetto(r, output); });
  } else if (format_ == "dot") {
    write_text(output_, [&](const replay::TextOutput& output) { replay::write_dot(r, output); });
  } else if (table_.empty()) {
    replay::save_csv_archive(r, output_);
  } else {
    write_text(output_, [&](const replay::TextOutput& output) { (void)replay::write_csv(r, table_, output); });
  }
  return kDone;
}

}  // namespace depscope::app
