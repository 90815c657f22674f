#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "depscope/replay/artefacts/args_dump.h"
#include "note_words.h"

namespace depscope::replay {
namespace {

using runtime::ElementType;

constexpr std::uint64_t kHybridLevel = 3;

class Notes {
 public:
  Notes(const ArgsDump& dump, std::optional<std::uint64_t> binary_size) : dump_(dump), binary_size_(binary_size) {}

  std::vector<std::string> tell() {
    head();
    lost();
    counters();
    unknown("role", dump_.unknown_roles);
    unknown("stage", dump_.unknown_stages);
    unknown("kind", dump_.unknown_kinds);
    unknown("dtype", dump_.unknown_dtypes);
    shapes();
    payloads();
    binary();
    return std::move(out_);
  }

 private:
  template <class... Values>
  void note(fmt::format_string<Values...> format, Values&&... values) {
    out_.push_back(fmt::format(format, std::forward<Values>(values)...));
  }

  void head() {
    if (dump_.level && (*dump_.level == 0 || *dump_.level > kHybridLevel))
      note("level {} is not known: 1 to {} are", *dump_.level, kHybridLevel);
    if (!dump_.bin_type.empty() && dump_.bin_type != "logical_contiguous")
      note("payloads are \"{}\": they are read as row-major and without gaps all the same", shown(dump_.bin_type));
    if (!dump_.byte_order.empty() && dump_.byte_order != "little_endian")
      note("the byte order is \"{}\": payloads are read as little_endian all the same", shown(dump_.byte_order));
  }

  void lost() {
    const ArgsCounters& c = dump_.counters;
    if (c.dropped_records.value_or(0) != 0) note("{} dropped: such arguments are missing", were(*c.dropped_records, "record"));
    if (c.dropped_overwrite.value_or(0) != 0)
      note("{} dropped because the arena was written over", were(*c.dropped_overwrite, "payload"));
    if (const std::uint64_t rows = marked(dump_.overwritten); rows != 0)
      note("{} overwritten before being saved: the bytes say nothing", were(rows, "payload"));
    if (const std::uint64_t rows = marked(dump_.truncated); rows != 0)
      note("{} truncated: the tensor is larger than the arena", were(rows, "payload"));
    if (const std::uint64_t rows = marked(dump_.arg_index_ambiguous); rows != 0)
      note("{} an index that is ambiguous", have(rows, "argument"));
  }

  /// Of a file that ends early, only how much is missing.
  void counters() {
    const ArgsCounters& c = dump_.counters;
    if (dump_.cut) {
      if (c.total && *c.total > dump_.rows()) note("{} of {} were read", dump_.rows(), counted(*c.total, "argument"));
      return;
    }
    compare("total_args", c.total, dump_.rows());
    compare("before_dispatch", c.before_dispatch, of(dump_.stage, ArgStage::BeforeDispatch));
    compare("after_completion", c.after_completion, of(dump_.stage, ArgStage::AfterCompletion));
    compare("input_args", c.input, of(dump_.role, ArgRole::Input));
    compare("output_args", c.output, of(dump_.role, ArgRole::Output));
    compare("inout_args", c.inout, of(dump_.role, ArgRole::Inout));
    compare("truncated_args", c.truncated, marked(dump_.truncated));
  }

  void compare(std::string_view name, std::optional<std::uint64_t> said, std::uint64_t rows) {
    if (said && *said != rows) note("{} says {}, and the file has {}", name, *said, rows);
  }

  void unknown(std::string_view what, const ArgsDump::Unknown& unknown) {
    if (unknown.rows == 0) return;
    std::string words;
    for (const std::string& word : unknown.words) words += fmt::format("{}\"{}\"", words.empty() ? ": " : ", ", shown(word));
    note("{} a {} that is not known{}", have(unknown.rows, "argument"), what, words);
  }

  void shapes() {
    std::uint64_t ranks = 0, counts = 0;
    for (std::uint32_t row = 0; row < dump_.rows(); ++row) {
      if (dump_.shape(row).size() != dump_.strides(row).size()) ++ranks;
      if (element_count(dump_.shape(row)) != dump_.numel[row]) ++counts;
    }
    if (ranks != 0) note("{} a shape and strides of different length", have(ranks, "argument"));
    if (counts != 0) note("{} a number of elements that is not that of the shape", have(counts, "argument"));
  }

  void payloads() {
    std::uint64_t sizes = 0;
    for (std::uint32_t row = 0; row < dump_.rows(); ++row) {
      const std::uint64_t size = runtime::element_size(dump_.dtype[row]);
      // Two elements of 4 bits may share a byte.
      const bool told = size != 0 && dump_.dtype[row] != ElementType::Fp4E2M1;
      if (!told || dump_.bin_size[row] == 0 || dump_.truncated[row] != 0) continue;
      if (dump_.bin_size[row] % size != 0 || dump_.bin_size[row] / size != dump_.numel[row]) ++sizes;
    }
    if (sizes != 0) note("{} a size that is not that of the elements", have(sizes, "payload"));
  }

  void binary() {
    std::uint64_t with = 0, beyond = 0;
    for (std::uint32_t row = 0; row < dump_.rows(); ++row) {
      if (dump_.bin_size[row] == 0) continue;
      ++with;
      if (!binary_size_) continue;
      if (dump_.bin_offset[row] > *binary_size_ || dump_.bin_size[row] > *binary_size_ - dump_.bin_offset[row]) ++beyond;
    }
    if (!dump_.bin_file) {
      if (with != 0) {
        note("no binary was written, but {} listed", with == 1 ? "1 payload is" : fmt::format("{} payloads are", with));
      } else if (dump_.level == kHybridLevel) {
        note("level {} and no binary: of no argument was the value marked, or none was saved", kHybridLevel);
      }
      return;
    }
    const std::string name = shown(*dump_.bin_file);
    if (!args_binary_path(dump_, "")) {
      note("the binary is \"{}\", which leads out of the directory: it is not read", name);
    } else if (!binary_size_ && with != 0) {
      note("{} is not there: {} cannot be shown", name, counted(with, "payload"));
    } else if (!binary_size_ && !dump_.bin_file_assumed) {
      note("{} is not there", name);
    } else if (beyond != 0) {
      note("{} beyond the end of {}, which has {}", beyond == 1 ? "1 payload goes" : fmt::format("{} payloads go", beyond), name,
           counted(*binary_size_, "byte"));
    }
  }

  static std::uint64_t marked(const std::vector<std::uint8_t>& column) {
    return static_cast<std::uint64_t>(std::count(column.begin(), column.end(), 1));
  }
  template <class Word>
  static std::uint64_t of(const std::vector<Word>& column, Word word) {
    return static_cast<std::uint64_t>(std::count(column.begin(), column.end(), word));
  }

  const ArgsDump& dump_;
  std::optional<std::uint64_t> binary_size_;
  std::vector<std::string> out_;
};

}  // namespace

std::optional<std::string> args_binary_path(const ArgsDump& dump, std::string_view path) {
  if (!dump.bin_file) return std::nullopt;
  const std::string& name = *dump.bin_file;
  const bool leads_out =
      name.empty() || name == "." || name == ".." || name.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos;
  if (leads_out) return std::nullopt;
  return (std::filesystem::path(path).parent_path() / name).string();
}

std::vector<std::string> args_notes(const ArgsDump& dump, std::optional<std::uint64_t> binary_size) {
  return Notes(dump, binary_size).tell();
}

}  // namespace depscope::replay
