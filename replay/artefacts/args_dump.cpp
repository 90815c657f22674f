#include "depscope/replay/artefacts/args_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "../salvage.h"
#include "depscope/base/json_keys.h"
#include "depscope/base/json_reader.h"
#include "task_id_text.h"

namespace depscope::replay {
namespace {

using runtime::ElementType;

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxUInt32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMaxUInt64 = std::numeric_limits<std::uint64_t>::max();

constexpr std::array<std::string_view, 4> kRoles{"input", "output", "inout", "unknown"};
constexpr std::array<std::string_view, 3> kStages{"before_dispatch", "after_completion", "unknown"};
constexpr std::array<std::string_view, 3> kKinds{"tensor", "scalar", "unknown"};

/// Names of today. The former ones have "tensors" for "args".
constexpr std::array<std::string_view, 14> kHeadKeys{
    "total_args",      "before_dispatch",   "after_completion", "input_args", "output_args", "inout_args",      "truncated_args",
    "dropped_records", "dropped_overwrite", "run_dir",          "bin_format", "bin_file",    "dump_args_level", "args"};
enum HeadKey : std::size_t { kCounterKeys = 9, kRunDir = 9, kBinFormat, kBinFile, kLevel, kArgs };

constexpr std::array<std::string_view, 18> kRowKeys{
    "task_id",    "arg_index",     "func_id",   "role",       "stage",        "kind",  "dtype",
    "value",      "is_contiguous", "shape",     "strides",    "start_offset", "numel", "arg_index_ambiguous",
    "bin_offset", "bin_size",      "truncated", "overwritten"};
enum RowKey : std::size_t {
  kTaskId,
  kArgIndex,
  kFuncId,
  kRole,
  kStage,
  kKind,
  kDtype,
  kValue,
  kIsContiguous,
  kShape,
  kStrides,
  kStartOffset,
  kNumel,
  kAmbiguous,
  kBinOffset,
  kBinSize,
  kTruncated,
  kOverwritten
};
constexpr std::size_t kRequired = 2;

/// One argument before all of it is known.
struct Row {
  std::uint64_t task = 0, start_offset = 0, numel = 0, bin_offset = 0, bin_size = 0;
  std::array<std::int32_t, ArgsDump::kMaxFunctions> functions{-1, -1, -1};
  std::uint32_t arg_index = 0;
  std::string role, stage, kind, dtype, value;
  std::vector<std::uint32_t> shape, strides;
  bool is_contiguous = false, ambiguous = false, truncated = false, overwritten = false;
};

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

void count_unknown(ArgsDump::Unknown& unknown, const std::string& word) {
  ++unknown.rows;
  if (word.empty() || unknown.words.size() == ArgsDump::kMaxUnknownWords) return;
  for (const std::string& known : unknown.words) {
    if (known == word) return;
  }
  unknown.words.push_back(word);
}

/// Position of the word; the last of the names stands for every other word.
template <class Enum, std::size_t N>
Enum word_of(const std::string& word, const std::array<std::string_view, N>& names, ArgsDump::Unknown& unknown) {
  for (std::size_t i = 0; i + 1 < N; ++i) {
    if (names[i] == word) return static_cast<Enum>(i);
  }
  count_unknown(unknown, word);
  return static_cast<Enum>(N - 1);
}

class Reader {
 public:
  explicit Reader(const SourceFile& source) : source_(source), reader_(source) {}

  ArgsDump read(bool salvage) {
    out_.cut = read_or_cut(source_, salvage, [this] { document(); });
    return std::move(out_);
  }

 private:
  void document() {
    JsonKeys keys(kHeadKeys);
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      const std::size_t at = keys.take(name_of_today(key), reader_);
      if (at < kCounterKeys) {
        counter(at) = wide("a number of arguments");
      } else if (at == kRunDir && reader_.is_string()) {
        out_.run_dir = reader_.string();
      } else if (at == kBinFormat && reader_.is_object()) {
        bin_format();
      } else if (at == kBinFile) {
        out_.bin_file_assumed = false;
        if (reader_.null()) {
          out_.bin_file.reset();
        } else {
          out_.bin_file = reader_.string();
        }
      } else if (at == kLevel) {
        out_.level = wide("a level");
      } else if (at == kArgs) {
        reader_.begin_array();
        while (reader_.next_element()) row();
      } else {
        reader_.skip();
      }
    }
    reader_.end();
    if (!keys.seen(kArgs)) reader_.fail_value("neither \"args\" nor \"tensors\": these are no arguments of a run");
  }

  std::string_view name_of_today(std::string_view key) {
    constexpr std::string_view kFormer = "tensors";
    if (!key.ends_with(kFormer)) return key;
    for (const std::string_view name : kHeadKeys) {
      const std::size_t same = key.size() - kFormer.size();
      if (name.size() != same + 4 || !name.ends_with("args") || name.substr(0, same) != key.substr(0, same)) continue;
      out_.historic = true;
      return name;
    }
    return key;
  }

  std::optional<std::uint64_t>& counter(std::size_t key) {
    ArgsCounters& c = out_.counters;
    const std::array<std::optional<std::uint64_t>*, kCounterKeys> places{&c.total,     &c.before_dispatch, &c.after_completion,
                                                                         &c.input,     &c.output,          &c.inout,
                                                                         &c.truncated, &c.dropped_records, &c.dropped_overwrite};
    return *places[key];
  }

  void bin_format() {
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      if (key == "type" && reader_.is_string()) {
        out_.bin_type = reader_.string();
      } else if (key == "byte_order" && reader_.is_string()) {
        out_.byte_order = reader_.string();
      } else {
        reader_.skip();
      }
    }
  }

  std::uint64_t wide(std::string_view what) {
    std::uint64_t value = 0;
    if (!reader_.wide_integer(value)) reader_.fail_value(fmt::format("{} was expected", what));
    return value;
  }

  std::uint64_t task_id() {
    if (!reader_.is_string()) return wide("a task id");
    std::uint64_t id = 0;
    if (!parse_task_id(reader_.string(), id))
      reader_.fail_value("a task id was expected: \"0x\" and up to 16 hexadecimal digits");
    return id;
  }

  /// Until 2026-06-29 one number.
  void functions(std::array<std::int32_t, ArgsDump::kMaxFunctions>& out) {
    if (!reader_.is_array()) {
      out[0] = static_cast<std::int32_t>(reader_.integer(-1, kMaxInt32));
      return;
    }
    std::size_t count = 0;
    reader_.begin_array();
    while (reader_.next_element()) {
      const auto id = static_cast<std::int32_t>(reader_.integer(-1, kMaxInt32));
      if (count == out.size()) reader_.fail_value(fmt::format("more than {} kernels of one task", out.size()));
      out[count++] = id;
    }
  }

  void value(std::string& out) {
    out = reader_.raw();
    if (out.starts_with('{') || out.starts_with('[')) reader_.fail_value("a number, a string or null was expected");
  }

  void sizes(std::vector<std::uint32_t>& out) {
    reader_.begin_array();
    while (reader_.next_element()) {
      const auto size = static_cast<std::uint32_t>(reader_.integer(0, kMaxUInt32));
      if (out.size() == kMaxArgRank) reader_.fail_value(fmt::format("more than {} dimensions", kMaxArgRank));
      out.push_back(size);
    }
  }

  void row() {
    Row r;
    JsonKeys keys(kRowKeys);
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      switch (keys.take(key, reader_)) {
        case kTaskId: r.task = task_id(); break;
        case kArgIndex: r.arg_index = static_cast<std::uint32_t>(reader_.integer(0, kMaxUInt32)); break;
        case kFuncId: functions(r.functions); break;
        case kRole: r.role = reader_.string(); break;
        case kStage: r.stage = reader_.string(); break;
        case kKind: r.kind = reader_.string(); break;
        case kDtype: r.dtype = upper_case(reader_.string()); break;
        case kValue: value(r.value); break;
        case kIsContiguous: r.is_contiguous = reader_.boolean(); break;
        case kShape: sizes(r.shape); break;
        case kStrides: sizes(r.strides); break;
        case kStartOffset: r.start_offset = wide("a number of elements"); break;
        case kNumel: r.numel = wide("a number of elements"); break;
        case kAmbiguous: r.ambiguous = reader_.boolean(); break;
        case kBinOffset: r.bin_offset = wide("a number of bytes"); break;
        case kBinSize: r.bin_size = wide("a number of bytes"); break;
        case kTruncated: r.truncated = reader_.boolean(); break;
        case kOverwritten: r.overwritten = reader_.boolean(); break;
        default: reader_.skip();
      }
    }
    keys.require(kRequired, reader_);
    if (!keys.seen(kNumel)) r.numel = element_count(r.shape);
    add(r);
  }

  void add(const Row& r) {
    out_.task.push_back(r.task);
    out_.functions.push_back(r.functions);
    out_.arg_index.push_back(r.arg_index);
    out_.role.push_back(word_of<ArgRole>(r.role, kRoles, out_.unknown_roles));
    out_.stage.push_back(word_of<ArgStage>(r.stage, kStages, out_.unknown_stages));
    out_.kind.push_back(word_of<ArgForm>(r.kind, kKinds, out_.unknown_kinds));
    out_.dtype.push_back(runtime::element_type_from_name(r.dtype));
    if (out_.dtype.back() == ElementType::Unknown) count_unknown(out_.unknown_dtypes, r.dtype);
    out_.is_contiguous.push_back(r.is_contiguous ? 1 : 0);
    out_.arg_index_ambiguous.push_back(r.ambiguous ? 1 : 0);
    out_.truncated.push_back(r.truncated ? 1 : 0);
    out_.overwritten.push_back(r.overwritten ? 1 : 0);
    out_.start_offset.push_back(r.start_offset);
    out_.numel.push_back(r.numel);
    out_.bin_offset.push_back(r.bin_offset);
    out_.bin_size.push_back(r.bin_size);
    out_.value_text += r.value;
    out_.value_end.push_back(out_.value_text.size());
    out_.dimensions.insert(out_.dimensions.end(), r.shape.begin(), r.shape.end());
    out_.shape_end.push_back(out_.dimensions.size());
    out_.dimensions.insert(out_.dimensions.end(), r.strides.begin(), r.strides.end());
    out_.strides_end.push_back(out_.dimensions.size());
  }

  const SourceFile& source_;
  JsonReader reader_;
  ArgsDump out_;
};

}  // namespace

std::uint64_t element_count(std::span<const std::uint32_t> shape) {
  if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) return 0;
  std::uint64_t out = 1;
  for (const std::uint32_t size : shape) out = out > kMaxUInt64 / size ? kMaxUInt64 : out * size;
  return out;
}

std::string_view arg_role_name(ArgRole role) { return kRoles[static_cast<std::size_t>(role)]; }
std::string_view arg_stage_name(ArgStage stage) { return kStages[static_cast<std::size_t>(stage)]; }
std::string_view arg_form_name(ArgForm kind) { return kKinds[static_cast<std::size_t>(kind)]; }

ArgsDump read_args_dump(const SourceFile& source, const ArgsReadOptions& options) { return Reader(source).read(options.salvage); }

}  // namespace depscope::replay
