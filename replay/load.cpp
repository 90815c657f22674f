// Reading a recording file: the container, the manifest, the tables, then everything is validated together.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "container_manifest.h"
#include "depscope/replay/file.h"
#include "file_members.h"
#include "table_codec.h"
#include "validate.h"
#include "zip_archive.h"

namespace depscope::replay {
namespace {

using nlohmann::json;
using recording::kNoRow;
using recording::Recording;
using recording::Target;

constexpr std::uint64_t kMaxRows = std::numeric_limits<std::uint32_t>::max() - 1;

class Loader {
 public:
  Loader(const std::string& path, const LoadLimits& limits) : path_(path), limits_(limits), zip_(path, limits) {}
  Loader(std::string bytes, const std::string& name, const LoadLimits& limits)
      : path_(name), limits_(limits), zip_(std::move(bytes), name, limits) {}

  Recording run() {
    refuse_nested_archives();
    read_manifest();
    read_strings();
    read_pool();
    Recording::tables(out_, [&](std::string_view name, auto& table) { read_table(name, table); });
    read_pass_texts();
    read_input();
    read_option_files();
    validate(out_, path_);
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FileError(FileFault::Corrupt, fmt::format("{}: {}", path_, what));
  }

  void refuse_nested_archives() const {
    for (std::size_t i = 0; i < zip_.members().size(); ++i) {
      if (zip_.is_archive(i))
        fail(fmt::format("member {} is an archive itself, which no recording holds", zip_.members()[i].name));
    }
  }

  std::size_t member(std::string_view name) const {
    const std::int64_t found = zip_.find(name);
    if (found < 0) fail(fmt::format("member {} is missing", name));
    return static_cast<std::size_t>(found);
  }

  void read_manifest() {
    const ContainerManifest file(zip_, path_, kManifest, "recording", kSchemaName, kSchemaMajor);
    const json& manifest = file.root();
    const auto need = [&](const json& object, const char* key, json::value_t type) -> const json& {
      return file.need(object, key, type);
    };
    out_.program_name = need(manifest, "program", json::value_t::string);
    const json& input = need(manifest, "input", json::value_t::object);
    out_.input_name = need(input, "name", json::value_t::string);
    out_.input_digest = need(input, "digest", json::value_t::string);
    input_bytes_ = need(input, "bytes", json::value_t::number_unsigned);
    if (const auto files = manifest.find("option_files"); files != manifest.end()) read_option_file_list(file, *files);
    const std::uint64_t misses = need(manifest, "window_misses", json::value_t::number_unsigned);
    if (misses > std::numeric_limits<std::uint32_t>::max()) fail(fmt::format("{}: window_misses is {}", kManifest, misses));
    out_.window_misses = static_cast<std::uint32_t>(misses);
    for (const json& table : need(manifest, "tables", json::value_t::array)) {
      if (!table.is_object()) fail(fmt::format("{}: a table entry is no object", kManifest));
      const std::uint64_t rows = need(table, "rows", json::value_t::number_unsigned);
      const std::string name = need(table, "name", json::value_t::string);
      if (rows > kMaxRows) fail(fmt::format("table {} has {} rows, the limit is {}", name, rows, kMaxRows));
      if (!table_rows_.emplace(name, rows).second) fail(fmt::format("{}: table {} is listed twice", kManifest, name));
    }
  }

  void read_option_file_list(const ContainerManifest& manifest, const json& files) {
    if (!files.is_array()) fail(fmt::format("{}: option_files is no array", kManifest));
    for (const json& file : files) {
      if (!file.is_object()) fail(fmt::format("{}: an entry of option_files is no object", kManifest));
      out_.option_files.push_back({.option = manifest.need(file, "option", json::value_t::string),
                                   .name = manifest.need(file, "name", json::value_t::string),
                                   .digest = manifest.need(file, "digest", json::value_t::string),
                                   .text = {}});
      option_file_bytes_.push_back(manifest.need(file, "bytes", json::value_t::number_unsigned));
    }
  }

  void read_strings() {
    TableReader reader(zip_, member(table_member("strings")));
    std::vector<std::uint32_t> lengths;
    std::vector<std::uint8_t> bytes;
    ColumnHeader header;
    while (reader.next(header)) {
      if (header.name == "length") {
        if (header.rows != rows_of("strings"))
          reader.fail(fmt::format("{} lengths, the manifest says {}", header.rows, rows_of("strings")));
        reader.values(header, lengths);
      } else if (header.name == "bytes") {
        reader.values(header, bytes);
      } else {
        reader.skip(header);
      }
    }
    if (lengths.empty() || lengths[0] != 0) reader.fail("string 0 is not the empty string");
    lengths_ = std::move(lengths);
    std::uint64_t total = 0;
    for (const std::uint32_t length : lengths_) total += length;
    if (total != bytes.size()) reader.fail(fmt::format("the lengths add up to {}, there are {} bytes", total, bytes.size()));
    out_.strings.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    set_offsets();
  }

  void set_offsets() {
    std::vector<std::uint64_t>& offsets = out_.strings.offsets;
    offsets.assign(1, 0);
    offsets.reserve(lengths_.size() + 1);
    for (const std::uint32_t length : lengths_) offsets.push_back(offsets.back() + length);
  }

  void read_pool() {
    TableReader reader(zip_, member(table_member("pool")));
    ColumnHeader header;
    while (reader.next(header)) {
      if (header.name == "word") {
        if (header.rows != rows_of("pool"))
          reader.fail(fmt::format("{} words, the manifest says {}", header.rows, rows_of("pool")));
        reader.values(header, out_.pool);
      } else {
        reader.skip(header);
      }
    }
    if (out_.pool.size() != rows_of("pool")) reader.fail("column word is missing");
  }

  std::uint64_t rows_of(const std::string& table) const {
    const auto found = table_rows_.find(table);
    return found == table_rows_.end() ? 0 : found->second;
  }

  template <class Table>
  void read_table(std::string_view name, Table& table) {
    const auto listed = table_rows_.find(std::string(name));
    if (listed == table_rows_.end()) return;  // written before this table existed
    const std::uint64_t rows = listed->second;
    TableReader reader(zip_, member(table_member(name)));
    std::unordered_set<std::string> read;
    ColumnHeader header;
    while (reader.next(header)) {
      if (header.rows != rows)
        reader.fail(fmt::format("column {} has {} rows, the manifest says {}", header.name, header.rows, rows));
      bool known = false;
      Table::columns(table, [&](std::string_view column, auto& values, Target) {
        if (column != header.name) return;
        reader.values(header, values);
        known = true;
      });
      if (known) {
        read.insert(header.name);
      } else {
        reader.skip(header);
      }
    }
    if (read.empty() && rows > 0) reader.fail("none of its columns is known");
    Table::columns(table, [&](std::string_view column, auto& values, Target target) {
      if (read.contains(std::string(column))) return;  // others were added after the file was written: "none" or zero
      using T = typename std::decay_t<decltype(values)>::value_type;
      const bool zero = target == Target::None || target == Target::String || target == Target::Pool;
      values.assign(rows, zero ? T{0} : static_cast<T>(kNoRow));
    });
  }

  void read_pass_texts() {
    const auto& passes = out_.passes;
    std::unordered_map<std::uint32_t, std::string> texts;  // looked up only
    for (std::uint32_t i = 0; i < passes.rows(); ++i) {
      const std::uint32_t name = passes.name[i];
      const std::uint32_t id = passes.text[i];
      if (name >= lengths_.size() || id >= lengths_.size())
        fail(fmt::format("table passes, row {}: a string index is out of range", i));
      if (lengths_[id] != 0) fail(fmt::format("table passes, row {}: text {} is stored twice", i, id));
      std::string text = zip_.text(member(pass_member(i, out_.text(name))), limits_.max_member_bytes);
      const auto [at, fresh] = texts.try_emplace(id, std::move(text));
      if (!fresh && at->second != text) fail(fmt::format("the text of pass {} differs from that of an equal pass", i));
    }
    if (texts.empty()) return;
    // The stored strings have gaps where pass texts stood: close them.
    std::string bytes;
    std::uint64_t at = 0;
    for (std::uint32_t id = 0; id < lengths_.size(); ++id) {
      const auto found = texts.find(id);
      if (found == texts.end()) {
        bytes.append(out_.strings.bytes, at, lengths_[id]);
        at += lengths_[id];
        continue;
      }
      if (id == 0 && !found->second.empty()) fail("a pass text refers to string 0, which is empty");
      if (found->second.size() > std::numeric_limits<std::uint32_t>::max()) fail("a pass text is longer than 4 GiB");
      lengths_[id] = static_cast<std::uint32_t>(found->second.size());
      bytes.append(found->second);
    }
    out_.strings.bytes = std::move(bytes);
    set_offsets();
  }

  void read_input() {
    out_.input_text = zip_.text(member(input_member(out_.input_name)), limits_.max_member_bytes);
    if (out_.input_text.size() != input_bytes_) {
      fail(fmt::format("the input has {} bytes, the manifest says {}", out_.input_text.size(), input_bytes_));
    }
  }

  void read_option_files() {
    for (std::size_t i = 0; i < out_.option_files.size(); ++i) {
      recording::OptionFile& file = out_.option_files[i];
      const std::string name = option_file_member(i, file.name);
      file.text = zip_.text(member(name), limits_.max_member_bytes);
      if (file.text.size() != option_file_bytes_[i])
        fail(fmt::format("{} has {} bytes, the manifest says {}", name, file.text.size(), option_file_bytes_[i]));
    }
  }

  const std::string& path_;
  const LoadLimits& limits_;
  ZipReader zip_;
  Recording out_;
  std::unordered_map<std::string, std::uint64_t> table_rows_;
  std::vector<std::uint32_t> lengths_;
  std::uint64_t input_bytes_ = 0;
  std::vector<std::uint64_t> option_file_bytes_;
};

}  // namespace

Recording load(const std::string& path, const LoadLimits& limits) {
  try {
    return Loader(path, limits).run();
  } catch (const std::bad_alloc&) {
    throw FileError(FileFault::Unreadable, fmt::format("{}: does not fit into memory", path));
  }
}

Recording load_bytes(std::string bytes, const std::string& name, const LoadLimits& limits) {
  try {
    return Loader(std::move(bytes), name, limits).run();
  } catch (const std::bad_alloc&) {
    throw FileError(FileFault::Unreadable, fmt::format("{}: does not fit into memory", name));
  }
}

}  // namespace depscope::replay
