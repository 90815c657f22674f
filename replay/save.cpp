// Writing a recording file.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/deps_json.h"
#include "depscope/replay/facts_json.h"
#include "depscope/replay/file.h"
#include "depscope/replay/summary_text.h"
#include "file_members.h"
#include "spooled_text.h"
#include "table_codec.h"
#include "validate.h"
#include "zip_archive.h"

namespace depscope::replay {
namespace {

using nlohmann::ordered_json;
using recording::Recording;
using recording::Target;

// Above these a deps.json would be larger than all tables together and is left to `depscope export`.
constexpr std::uint32_t kMaxDepsJsonTasks = 100'000;
constexpr std::uint32_t kMaxDepsJsonEdges = 1'000'000;

// The facts have a line for each of these: above, they would be hundreds of megabytes and are left to `depscope explain --json`.
constexpr std::uint64_t kMaxFactsJsonRows = 500'000;

bool holds_facts_json(const Recording& recording) {
  std::uint64_t rows = std::uint64_t{recording.hazards.rows()} + recording.pass_edges.rows() + recording.pass_accesses.rows();
  for (const std::uint32_t more : recording.hazards.more_count) rows += more;
  for (const std::uint32_t more : recording.pass_edges.more_count) rows += more;
  return rows <= kMaxFactsJsonRows;
}

bool holds_deps_json(const Recording& recording) {
  return recording.tasks.rows() <= kMaxDepsJsonTasks && recording.edge_reasons.rows() <= kMaxDepsJsonEdges;
}

/// The strings without the pass texts, which are members of their own (their rows stay, with length 0). Refers to the recording.
struct StoredStrings {
  std::vector<std::uint32_t> lengths;
  std::vector<std::string_view> bytes;  // stretches between pass texts
};

StoredStrings stored_strings(const Recording& recording) {
  const std::unordered_set<std::uint32_t> texts(recording.passes.text.begin(), recording.passes.text.end());
  StoredStrings out;
  out.lengths.reserve(recording.strings.rows());
  const auto& offsets = recording.strings.offsets;
  const std::string_view all(recording.strings.bytes);
  std::uint64_t begin = 0;
  const auto stretch_until = [&](std::uint64_t end) {
    if (end > begin) out.bytes.push_back(all.substr(begin, end - begin));
  };
  for (std::uint32_t i = 0; i < recording.strings.rows(); ++i) {
    const std::uint64_t length = offsets[i + 1] - offsets[i];
    if (length > std::numeric_limits<std::uint32_t>::max()) {
      throw FileError(FileFault::Unwritable, fmt::format("string {} has {} bytes, the limit is 4 GiB", i, length));
    }
    if (texts.contains(i)) {
      stretch_until(offsets[i]);
      begin = offsets[i + 1];
      out.lengths.push_back(0);
    } else {
      out.lengths.push_back(static_cast<std::uint32_t>(length));
    }
  }
  stretch_until(all.size());
  return out;
}

ordered_json manifest(const Recording& recording) {
  ordered_json options = ordered_json::object();
  for (std::uint32_t i = 0; i < recording.options.rows(); ++i) {
    options[std::string(recording.text(recording.options.name[i]))] = std::string(recording.text(recording.options.value[i]));
  }
  ordered_json passes = ordered_json::array();
  for (std::uint32_t i = 0; i < recording.passes.rows(); ++i) {
    const std::string name(recording.text(recording.passes.name[i]));
    passes.push_back({{"name", name}, {"member", pass_member(i, name)}, {"changed", recording.passes.changed[i] != 0}});
  }
  ordered_json tables = ordered_json::array();
  tables.push_back({{"name", "strings"}, {"rows", recording.strings.rows()}});
  tables.push_back({{"name", "pool"}, {"rows", recording.pool.size()}});
  Recording::tables(recording, [&](std::string_view name, const auto& table) {
    tables.push_back({{"name", std::string(name)}, {"rows", table.rows()}});
  });
  ordered_json option_files = ordered_json::array();
  for (std::size_t i = 0; i < recording.option_files.size(); ++i) {
    const recording::OptionFile& f = recording.option_files[i];
    option_files.push_back({{"option", f.option},
                            {"name", f.name},
                            {"digest", f.digest},
                            {"bytes", f.text.size()},
                            {"member", option_file_member(i, f.name)}});
  }
  ordered_json omitted = ordered_json::array();
  if (!holds_facts_json(recording)) omitted.push_back("facts.json");
  if (!holds_deps_json(recording)) omitted.push_back("deps.json");
  return {{"schema", fmt::format("{}{}", kSchemaName, kSchemaMajor)},
          {"tool", "depscope " DEPSCOPE_VERSION},
          {"program", recording.program_name},
          {"input",
           {{"name", recording.input_name},
            {"digest", recording.input_digest},
            {"bytes", recording.input_text.size()},
            {"member", input_member(recording.input_name)}}},
          {"option_files", std::move(option_files)},
          {"omitted", std::move(omitted)},
          {"options", std::move(options)},
          {"window_misses", recording.window_misses},
          {"passes", std::move(passes)},
          {"tables", std::move(tables)}};
}

template <class Table>
std::unique_ptr<TableSource> table_source(const Table& table) {
  std::uint32_t columns = 0;
  Table::columns(table, [&](std::string_view, const auto&, Target) { ++columns; });
  auto source = std::make_unique<TableSource>(columns);
  Table::columns(table,
                 [&](std::string_view name, const auto& values, Target) { source->column(name, values.data(), values.size()); });
  return source;
}

}  // namespace

void save(const Recording& recording, const std::string& path) {
  try {
    validate(recording, path);  // a file that could not be loaded again is never written
  } catch (const FileError& error) {
    throw InternalError(fmt::format("the recording breaks its own rules: {}", error.what()));
  }
  const StoredStrings strings = stored_strings(recording);  // outlives the writer, which refers to it
  ZipWriter zip;
  zip.add(std::string(kManifest), manifest(recording).dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n");
  zip.add("report.md", summary_text(recording, {.markdown = true}));
  if (holds_facts_json(recording)) {
    zip.add("facts.json",
            std::make_unique<SpooledText>([&](const TextOutput& output) { write_facts_json(recording, {}, output); }));
  }
  if (holds_deps_json(recording)) {
    zip.add("deps.json", std::make_unique<SpooledText>(
                             [&](const TextOutput& output) { write_deps_json(recording, DepsSchema::Upstream, output); }));
  }
  zip.add_view(input_member(recording.input_name), recording.input_text);
  for (std::size_t i = 0; i < recording.option_files.size(); ++i) {
    zip.add_view(option_file_member(i, recording.option_files[i].name), recording.option_files[i].text);
  }
  for (std::uint32_t i = 0; i < recording.passes.rows(); ++i) {
    zip.add_view(pass_member(i, recording.text(recording.passes.name[i])), recording.text(recording.passes.text[i]));
  }
  auto string_table = std::make_unique<TableSource>(2U);
  string_table->column("length", strings.lengths.data(), strings.lengths.size());
  string_table->byte_column("bytes", strings.bytes);
  zip.add(table_member("strings"), std::move(string_table));
  auto pool_table = std::make_unique<TableSource>(1U);
  pool_table->column("word", recording.pool.data(), recording.pool.size());
  zip.add(table_member("pool"), std::move(pool_table));
  Recording::tables(recording,
                    [&](std::string_view name, const auto& table) { zip.add(table_member(name), table_source(table)); });
  zip.write(path);
}

}  // namespace depscope::replay
