// Reading a recording file: the container, the manifest, the tables, then everything is validated together.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

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

constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{64} << 20U;
constexpr std::uint64_t kMaxRows = std::numeric_limits<std::uint32_t>::max() - 1;

class Loader {
 public:
  Loader(const std::string& path, const LoadLimits& limits) : path_(path), limits_(limits), zip_(path, limits) {}

  Recording run() {
    read_manifest();
    read_strings();
    read_pool();
    Recording::tables(out_, [&](std::string_view name, auto& table) { read_table(name, table); });
    read_pass_texts();
    read_input();
    validate(out_, path_);
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, FileFault fault = FileFault::Corrupt) const {
    throw FileError(fault, fmt::format("{}: {}", path_, what));
  }

  std::size_t member(std::string_view name) const {
    const std::int64_t found = zip_.find(name);
    if (found < 0) fail(fmt::format("member {} is missing", name));
    return static_cast<std::size_t>(found);
  }

  const json& need(const json& object, const char* key, json::value_t type) const {
    const auto found = object.find(key);
    const bool unsigned_integer = type == json::value_t::number_unsigned;
    if (found == object.end() || (unsigned_integer ? !found->is_number_unsigned() : found->type() != type)) {
      fail(fmt::format("{}: key \"{}\" is missing or of another type", kManifest, key));
    }
    return *found;
  }

  void read_manifest() {
    const std::int64_t at = zip_.find(kManifest);
    if (at < 0) fail("not a recording: the container has no manifest.json", FileFault::Unrecognised);
    const json manifest = json::parse(zip_.text(static_cast<std::size_t>(at), kMaxManifestBytes), nullptr, false);
    if (!manifest.is_object()) fail(fmt::format("{} is not a JSON object", kManifest));
    const auto schema_at = manifest.find("schema");
    const std::string schema = schema_at != manifest.end() && schema_at->is_string() ? schema_at->get<std::string>() : "";
    if (schema.rfind(kSchemaName, 0) != 0) {
      fail(fmt::format("not a recording: its manifest has schema \"{}\"", schema), FileFault::Unrecognised);
    }
    std::uint32_t major = 0;
    const char* begin = schema.data() + kSchemaName.size();
    const char* end = schema.data() + schema.size();
    const auto parsed = std::from_chars(begin, end, major);  // "1" or a later "1.2"
    if (parsed.ec != std::errc{} || (parsed.ptr != end && *parsed.ptr != '.'))
      fail(fmt::format("schema \"{}\" has no version", schema));
    if (major != kSchemaMajor) {
      const auto tool = manifest.find("tool");
      fail(fmt::format("written as {} by {}; this version reads {}{}", schema,
                       tool != manifest.end() && tool->is_string() ? tool->get<std::string>() : "another tool", kSchemaName,
                       kSchemaMajor),
           FileFault::Incompatible);
    }
    out_.program_name = need(manifest, "program", json::value_t::string);
    const json& input = need(manifest, "input", json::value_t::object);
    out_.input_name = need(input, "name", json::value_t::string);
    out_.input_digest = need(input, "digest", json::value_t::string);
    input_bytes_ = need(input, "bytes", json::value_t::number_unsigned);
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

  const std::string& path_;
  const LoadLimits& limits_;
  ZipReader zip_;
  Recording out_;
  std::unordered_map<std::string, std::uint64_t> table_rows_;
  std::vector<std::uint32_t> lengths_;
  std::uint64_t input_bytes_ = 0;
};

}  // namespace

Recording load(const std::string& path, const LoadLimits& limits) {
  try {
    return Loader(path, limits).run();
  } catch (const std::bad_alloc&) {
    throw FileError(FileFault::Unreadable, fmt::format("{}: does not fit into memory", path));
  }
}

bool is_recording_file(const std::string& path) {
  try {
    const ZipReader zip(path, LoadLimits{});
    const std::int64_t at = zip.find(kManifest);
    if (at < 0) return false;
    const json manifest = json::parse(zip.text(static_cast<std::size_t>(at), kMaxManifestBytes), nullptr, false);
    const auto schema = manifest.is_object() ? manifest.find("schema") : manifest.end();
    return manifest.is_object() && schema != manifest.end() && schema->is_string() &&
           schema->get_ref<const std::string&>().rfind(kSchemaName, 0) == 0;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace depscope::replay
