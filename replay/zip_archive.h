// ZIP containers through libzip, with fixed dates and attributes so that equal members give equal bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/replay/file.h"

namespace depscope::replay {

/// Bytes of one member, produced on demand so that a large table is never held twice.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  virtual void rewind() = 0;
  /// Up to `count` bytes; 0 only at the end.
  virtual std::size_t read(char* out, std::size_t count) = 0;
};

/// How the bytes of a member are kept.
enum class Packing : std::uint8_t {
  Deflate,
  Store,  ///< as they are, for what is compressed already
};

class ZipWriter {
 public:
  ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;
  ~ZipWriter();

  /// Members are written in the order in which they are added.
  void add(const std::string& name, std::string text, Packing packing = Packing::Deflate);
  void add(const std::string& name, std::unique_ptr<ByteSource> bytes, Packing packing = Packing::Deflate);
  /// `text` must outlive the writer.
  void add_view(const std::string& name, std::string_view text, Packing packing = Packing::Deflate);
  /// Writes the archive as OutputFile does, straight into the file; only for a pipe or a device it is made in memory first. If it
  /// has more than `max_bytes`, nothing is left of it. Returns its size in bytes. Call once. Throws FileError (Unwritable).
  std::uint64_t write(const std::string& path, std::uint64_t max_bytes = ~std::uint64_t{0});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class ZipReader {
 public:
  struct Member {
    std::string name;
    std::uint64_t bytes = 0;  ///< uncompressed, as declared; proven by reading to the end
  };

  /// Opens and checks the directory: names, sizes, duplicates, limits. Throws FileError.
  ZipReader(const std::string& path, const LoadLimits& limits);
  /// The same for an archive in memory; `name` stands for the path in messages.
  ZipReader(std::string bytes, const std::string& name, const LoadLimits& limits);
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;
  ~ZipReader();

  [[nodiscard]] const std::vector<Member>& members() const;
  /// Index into members(), -1 if there is none of this name.
  [[nodiscard]] std::int64_t find(std::string_view name) const;
  /// The whole member. Throws FileError (Corrupt) if it is larger than `max_bytes` or damaged.
  [[nodiscard]] std::string text(std::size_t member, std::uint64_t max_bytes) const;
  /// Whether the member is an archive itself, by its first bytes. Throws FileError (Corrupt).
  [[nodiscard]] bool is_archive(std::size_t member) const;

  /// Sequential reading of one member.
  class Stream {
   public:
    Stream(const ZipReader& reader, std::size_t member);
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream();
    /// Exactly `count` bytes, or FileError (Corrupt).
    void read(void* out, std::uint64_t count);
    void skip(std::uint64_t count);
    [[nodiscard]] std::uint64_t remaining() const { return remaining_; }
    /// Reads nothing more but proves that this was the end and that the checksum is right. Throws FileError (Corrupt).
    void finish();
    [[noreturn]] void fail(const std::string& what) const;

   private:
    const ZipReader& reader_;
    std::size_t member_;
    void* handle_ = nullptr;
    std::uint64_t remaining_ = 0;
  };

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace depscope::replay
