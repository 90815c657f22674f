#include "table_codec.h"

#include <algorithm>
#include <array>

namespace depscope::replay {
namespace {

/// Bytes that somebody else keeps.
class ViewSegment final : public Segment {
 public:
  explicit ViewSegment(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  void copy(std::uint64_t begin, char* out, std::size_t count) const override { std::memcpy(out, bytes_.data() + begin, count); }

 private:
  std::string_view bytes_;
};

class LiteralSegment final : public Segment {
 public:
  explicit LiteralSegment(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  void copy(std::uint64_t begin, char* out, std::size_t count) const override { std::memcpy(out, bytes_.data() + begin, count); }

 private:
  std::string bytes_;
};

void append_word(std::string& out, std::uint64_t value, std::uint32_t bytes) {
  for (std::uint32_t i = 0; i < bytes; ++i) out.push_back(static_cast<char>(static_cast<std::uint8_t>(value >> (8 * i))));
}

std::uint64_t read_word(ZipReader::Stream& stream, std::uint32_t bytes) {
  std::array<std::uint8_t, 8> raw{};
  stream.read(raw.data(), bytes);
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) value |= static_cast<std::uint64_t>(raw[i]) << (8 * i);
  return value;
}

constexpr std::uint32_t kTypeBytes = 4;  // the type's name, filled up with NUL

}  // namespace

std::uint32_t type_width(std::string_view name) {
  if (name == "u8" || name == "i8") return 1;
  if (name == "u16" || name == "i16") return 2;
  if (name == "u32" || name == "i32") return 4;
  if (name == "u64" || name == "i64") return 8;
  return 0;
}

TableSource::TableSource(std::uint32_t columns) {
  std::string head(kTableMagic);
  append_word(head, columns, 4);
  add(std::make_unique<LiteralSegment>(std::move(head)));
}

void TableSource::add(std::unique_ptr<Segment> segment) {
  size_ += segment->size();
  segments_.push_back(std::move(segment));
}

void TableSource::add_header(std::string_view name, std::string_view type, std::uint8_t transform, std::uint64_t rows,
                             std::uint64_t bytes) {
  std::string head;
  append_word(head, name.size(), 2);
  head.append(name);
  head.append(type).resize(2 + name.size() + kTypeBytes, '\0');
  append_word(head, transform, 1);
  append_word(head, rows, 8);
  append_word(head, bytes, 8);
  add(std::make_unique<LiteralSegment>(std::move(head)));
}

void TableSource::byte_column(std::string_view name, const std::vector<std::string_view>& pieces) {
  std::uint64_t rows = 0;
  for (const std::string_view piece : pieces) rows += piece.size();
  add_header(name, type_name<std::uint8_t>(), 0, rows, rows);
  for (const std::string_view piece : pieces) add(std::make_unique<ViewSegment>(piece));
}

std::size_t TableSource::read(char* out, std::size_t count) {
  std::size_t done = 0;
  while (done < count && segment_ < segments_.size()) {
    const Segment& segment = *segments_[segment_];
    const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(count - done, segment.size() - offset_));
    if (n > 0) segment.copy(offset_, out + done, n);
    done += n;
    offset_ += n;
    if (offset_ == segment.size()) ++segment_, offset_ = 0;
  }
  return done;
}

TableReader::TableReader(const ZipReader& zip, std::size_t member) : stream_(zip, member) {
  std::array<char, kTableMagic.size()> magic{};
  stream_.read(magic.data(), magic.size());
  if (std::string_view(magic.data(), magic.size()) != kTableMagic) fail("does not begin with the table magic");
  columns_ = static_cast<std::uint32_t>(read_word(stream_, 4));
  if (columns_ > kMaxColumns) fail(fmt::format("{} columns, the limit is {}", columns_, kMaxColumns));
}

bool TableReader::next(ColumnHeader& header) {
  if (read_ == columns_) {
    stream_.finish();
    return false;
  }
  ++read_;
  header.name.assign(read_word(stream_, 2), '\0');
  stream_.read(header.name.data(), header.name.size());
  std::array<char, kTypeBytes> type{};
  stream_.read(type.data(), type.size());
  header.type.assign(type.data(), static_cast<std::size_t>(std::find(type.begin(), type.end(), '\0') - type.begin()));
  header.transform = static_cast<std::uint8_t>(read_word(stream_, 1));
  header.rows = read_word(stream_, 8);
  header.bytes = read_word(stream_, 8);
  if (!seen_.insert(header.name).second) fail(fmt::format("two columns are named {}", header.name));
  const std::uint32_t width = type_width(header.type);
  if (width == 0) fail(fmt::format("column {} has the unknown type \"{}\"", header.name, header.type));
  if ((header.transform & ~(kDelta | kPlanes)) != 0)
    fail(fmt::format("column {} has the unknown transform {}", header.name, header.transform));
  if (header.bytes > stream_.remaining() || header.bytes % width != 0 || header.bytes / width != header.rows) {
    fail(fmt::format("column {} declares {} rows in {} bytes, {} bytes are left", header.name, header.rows, header.bytes,
                     stream_.remaining()));
  }
  return true;
}

}  // namespace depscope::replay
