#include "depscope/replay/csv_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "csv_values.h"
#include "zip_archive.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using recording::Target;

constexpr std::size_t kFlushAt = std::size_t{1} << 16U;
constexpr std::string_view kBegin = "_begin";
constexpr std::string_view kBeginCount = "_begin_count";

/// Appends a text as a cell.
void append_text(std::string& out, std::string_view text) {
  // Spreadsheets take what begins so for a formula; an apostrophe of the text's own gets another, so that one can be taken away.
  const bool guarded =
      !text.empty() && (std::strchr("=+-@'", text.front()) != nullptr || static_cast<unsigned char>(text.front()) < 0x20);
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    if (guarded) out += '\'';
    out += text;
    return;
  }
  out += '"';
  if (guarded) out += '\'';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

/// Header and rows of one table as pieces of text.
class CsvTable {
 public:
  template <class Table>
  CsvTable(const Recording& r, std::string_view name, const Table& table) : r_(r), rows_(table.rows()) {
    const std::vector<std::uint32_t>* begin = nullptr;
    std::string_view begin_name;
    Table::columns(table, [&](std::string_view column, const auto& values, Target target) {
      if (target == Target::Pool) {  // its length comes next
        if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::vector<std::uint32_t>>) begin = &values;
        begin_name = column;
      } else if (begin != nullptr && column.ends_with(kBeginCount)) {
        if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::vector<std::uint32_t>>)
          add_run(name, begin_name, *begin, values);
        begin = nullptr;
      } else {
        add(name, column, values, target);
      }
    });
    header_ += '\n';
  }

  /// Appends the next piece, about kFlushAt bytes; false at the end.
  bool next(std::string& out) {
    if (!header_written_) {
      header_written_ = true;
      out += header_;
    } else if (row_ == rows_) {
      return false;
    }
    while (row_ < rows_ && out.size() < kFlushAt) {
      for (std::size_t c = 0; c < cells_.size(); ++c) {
        if (c != 0) out += ',';
        cells_[c](out, row_);
      }
      out += '\n';
      ++row_;
    }
    return true;
  }
  void rewind() {
    row_ = 0;
    header_written_ = false;
  }

 private:
  void heading(std::string_view column) {
    if (!header_.empty()) header_ += ',';
    header_ += column;
  }

  template <class T>
  void add(std::string_view table, std::string_view column, const std::vector<T>& values, Target target) {
    heading(column);
    if (target == Target::String) {
      cells_.push_back([this, &values](std::string& out, std::uint32_t row) {
        append_text(out, r_.text(static_cast<std::uint32_t>(values[row])));
      });
    } else if (const ValueName name = value_name(table, column); name != nullptr) {
      cells_.push_back(
          [&values, name](std::string& out, std::uint32_t row) { name(out, static_cast<std::make_unsigned_t<T>>(values[row])); });
    } else {
      // Of an event, subject and object may be any number; "none" is none all the same.
      const bool index = target != Target::None;
      const bool may_be_none = column == "offending_arg" || column == "owner";
      cells_.push_back([&values, index, may_be_none, column](std::string& out, std::uint32_t row) {
        const T value = values[row];
        if (index && static_cast<std::make_unsigned_t<T>>(value) == kNoRow) return;
        if (may_be_none && stands_for_none(column, static_cast<std::make_unsigned_t<T>>(value))) return;
        const fmt::format_int digits(value);
        out.append(digits.data(), digits.size());
      });
    }
  }

  void add_run(std::string_view table, std::string_view column, const std::vector<std::uint32_t>& begin,
               const std::vector<std::uint32_t>& count) {
    heading(column.substr(0, column.size() - kBegin.size()));
    const PoolRun kind = pool_run(table, column);
    cells_.emplace_back([this, &begin, &count, kind](std::string& out, std::uint32_t row) {
      run_.clear();
      append_pool_run(run_, r_, kind, std::span(r_.pool).subspan(count[row] == 0 ? 0 : begin[row], count[row]));
      if (kind == PoolRun::Strings || kind == PoolRun::Messages) {
        append_text(out, run_);
      } else {
        out += run_;
      }
    });
  }

  const Recording& r_;
  std::uint32_t rows_;
  std::uint32_t row_ = 0;
  bool header_written_ = false;
  std::string header_;
  std::vector<std::function<void(std::string&, std::uint32_t)>> cells_;
  std::string run_;
};

/// The same as the bytes of a member, which must be counted before they are written.
class CsvSource final : public ByteSource {
 public:
  explicit CsvSource(std::unique_ptr<CsvTable> table) : table_(std::move(table)) {
    for (table_->rewind(); table_->next(piece_); piece_.clear()) size_ += piece_.size();
    table_->rewind();
  }

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  void rewind() override {
    table_->rewind();
    piece_.clear();
    at_ = 0;
  }
  std::size_t read(char* out, std::size_t count) override {
    std::size_t done = 0;
    while (done < count) {
      if (at_ == piece_.size()) {
        piece_.clear();
        at_ = 0;
        if (!table_->next(piece_)) break;
      }
      const std::size_t n = std::min(count - done, piece_.size() - at_);
      std::memcpy(out + done, piece_.data() + at_, n);
      at_ += n;
      done += n;
    }
    return done;
  }

 private:
  std::unique_ptr<CsvTable> table_;
  std::uint64_t size_ = 0;
  std::string piece_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::string_view> csv_tables() {
  std::vector<std::string_view> names;
  const Recording empty;
  Recording::tables(empty, [&](std::string_view name, const auto&) { names.push_back(name); });
  return names;
}

bool write_csv(const Recording& recording, std::string_view table, const TextOutput& output) {
  bool found = false;
  Recording::tables(recording, [&](std::string_view name, const auto& columns) {
    if (name != table) return;
    found = true;
    CsvTable csv(recording, name, columns);
    for (std::string piece; csv.next(piece); piece.clear()) output(piece);
  });
  return found;
}

void save_csv_archive(const Recording& recording, const std::string& path) {
  ZipWriter archive;
  Recording::tables(recording, [&](std::string_view name, const auto& columns) {
    archive.add(fmt::format("{}.csv", name), std::make_unique<CsvSource>(std::make_unique<CsvTable>(recording, name, columns)));
  });
  archive.write(path);
}

}  // namespace depscope::replay
