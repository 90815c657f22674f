// Members tables/NAME of a recording file (docs/recording-format.md): column after column, each with its own header, in the
// form that deflate likes best (differences, byte planes).
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "zip_archive.h"

namespace depscope::replay {

inline constexpr std::string_view kTableMagic = "DSTABLE1";
inline constexpr std::uint32_t kMaxColumns = 256;

/// How the values of a column are laid out. Bits.
enum Transform : std::uint8_t {
  kDelta = 1,   ///< each value minus the one before it, modulo 2^bits
  kPlanes = 2,  ///< lowest bytes of all rows first, then the next bytes, …
};

template <class T>
[[nodiscard]] constexpr std::string_view type_name() {
  static_assert(std::is_integral_v<T>);
  constexpr bool kSigned = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 1) return kSigned ? "i8" : "u8";
  if constexpr (sizeof(T) == 2) return kSigned ? "i16" : "u16";
  if constexpr (sizeof(T) == 4) return kSigned ? "i32" : "u32";
  if constexpr (sizeof(T) == 8) return kSigned ? "i64" : "u64";
}

/// Bytes of one value of a type named in a column header, 0 for an unknown name.
[[nodiscard]] std::uint32_t type_width(std::string_view name);

/// One piece of a member: literal bytes or one byte plane of a column.
class Segment {
 public:
  Segment() = default;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  virtual ~Segment() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  virtual void copy(std::uint64_t begin, char* out, std::size_t count) const = 0;
};

/// Builds the bytes of one member. Columns are referred to, not copied: they must outlive the source.
class TableSource final : public ByteSource {
 public:
  explicit TableSource(std::uint32_t columns);

  template <class T>
  void column(std::string_view name, const T* values, std::uint64_t rows);
  /// A column of type u8 whose rows are those of all pieces, one after another.
  void byte_column(std::string_view name, const std::vector<std::string_view>& pieces);

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  void rewind() override { segment_ = 0, offset_ = 0; }
  std::size_t read(char* out, std::size_t count) override;

 private:
  void add(std::unique_ptr<Segment> segment);
  void add_header(std::string_view name, std::string_view type, std::uint8_t transform, std::uint64_t rows, std::uint64_t bytes);

  std::vector<std::unique_ptr<Segment>> segments_;
  std::uint64_t size_ = 0;
  std::size_t segment_ = 0;
  std::uint64_t offset_ = 0;
};

/// Header of one column as read from a file.
struct ColumnHeader {
  std::string name;
  std::string type;
  std::uint8_t transform = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};

/// Reads the columns of one member in order: `next`, then exactly one of `values` and `skip`.
class TableReader {
 public:
  TableReader(const ZipReader& zip, std::size_t member);

  /// False after the last column; then the member's end and checksum have been proven.
  bool next(ColumnHeader& header);
  template <class T>
  void values(const ColumnHeader& header, std::vector<T>& out);
  void skip(const ColumnHeader& header) { stream_.skip(header.bytes); }
  [[noreturn]] void fail(const std::string& what) const { stream_.fail(what); }

 private:
  ZipReader::Stream stream_;
  std::uint32_t columns_ = 0;
  std::uint32_t read_ = 0;
  std::unordered_set<std::string> seen_;
};

// ---------------------------------------------------------------- templates

namespace detail {

template <class T>
class PlaneSegment final : public Segment {
 public:
  using Word = std::make_unsigned_t<T>;
  PlaneSegment(const T* values, std::uint64_t rows, bool delta, std::uint32_t plane)
      : values_(values), rows_(rows), delta_(delta), shift_(8 * plane) {}
  [[nodiscard]] std::uint64_t size() const override { return rows_; }
  void copy(std::uint64_t begin, char* out, std::size_t count) const override {
    if (!delta_) {
      for (std::size_t i = 0; i < count; ++i) out[i] = byte(static_cast<Word>(values_[begin + i]));
      return;
    }
    Word before = begin == 0 ? Word{0} : static_cast<Word>(values_[begin - 1]);
    for (std::size_t i = 0; i < count; ++i) {
      const Word now = static_cast<Word>(values_[begin + i]);
      out[i] = byte(static_cast<Word>(now - before));
      before = now;
    }
  }

 private:
  [[nodiscard]] char byte(Word word) const { return static_cast<char>(static_cast<std::uint8_t>(word >> shift_)); }

  const T* values_;
  std::uint64_t rows_;
  bool delta_;
  std::uint32_t shift_;
};

/// True if differences have fewer non-zero bytes than the values, judged by the first rows.
template <class T>
[[nodiscard]] bool delta_is_better(const T* values, std::uint64_t rows) {
  using Word = std::make_unsigned_t<T>;
  constexpr std::uint64_t kSample = 1U << 16U;
  const std::uint64_t n = rows < kSample ? rows : kSample;
  std::uint64_t plain = 0;
  std::uint64_t delta = 0;
  Word before = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const Word now = static_cast<Word>(values[i]);
    const Word step = static_cast<Word>(now - before);
    for (std::uint32_t shift = 0; shift < 8 * sizeof(T); shift += 8) {
      plain += static_cast<std::uint8_t>(now >> shift) != 0;
      delta += static_cast<std::uint8_t>(step >> shift) != 0;
    }
    before = now;
  }
  return delta < plain;
}

}  // namespace detail

template <class T>
void TableSource::column(std::string_view name, const T* values, std::uint64_t rows) {
  const bool wide = sizeof(T) > 1;
  const bool delta = wide && detail::delta_is_better(values, rows);
  const std::uint8_t transform = static_cast<std::uint8_t>((delta ? kDelta : 0) | (wide ? kPlanes : 0));
  add_header(name, type_name<T>(), transform, rows, rows * sizeof(T));
  for (std::uint32_t plane = 0; plane < sizeof(T); ++plane)
    add(std::make_unique<detail::PlaneSegment<T>>(values, rows, delta, plane));
}

template <class T>
void TableReader::values(const ColumnHeader& header, std::vector<T>& out) {
  using Word = std::make_unsigned_t<T>;
  if (header.type != type_name<T>())
    fail(fmt::format("column {} is of type {}, not {}", header.name, header.type, type_name<T>()));
  out.assign(header.rows, T{0});
  if constexpr (sizeof(T) == 1) {
    stream_.read(out.data(), header.rows);
  } else {
    std::vector<std::uint8_t> chunk(std::size_t{1} << 16U);
    const std::uint64_t width = (header.transform & kPlanes) != 0 ? 1 : sizeof(T);  // bytes of one value that lie together
    for (std::uint64_t plane = 0; plane < sizeof(T); plane += width) {
      for (std::uint64_t begin = 0; begin < header.rows;) {
        const std::uint64_t n = std::min<std::uint64_t>(chunk.size() / width, header.rows - begin);
        stream_.read(chunk.data(), n * width);
        for (std::uint64_t i = 0; i < n; ++i) {
          Word word = static_cast<Word>(out[begin + i]);
          for (std::uint64_t k = 0; k < width; ++k) {
            word = static_cast<Word>(word | static_cast<Word>(static_cast<Word>(chunk[i * width + k]) << (8 * (plane + k))));
          }
          out[begin + i] = static_cast<T>(word);
        }
        begin += n;
      }
    }
  }
  if ((header.transform & kDelta) != 0) {
    Word sum = 0;
    for (T& value : out) {
      sum = static_cast<Word>(sum + static_cast<Word>(value));
      value = static_cast<T>(sum);
    }
  }
}

}  // namespace depscope::replay
