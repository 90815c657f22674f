#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "depscope/replay/output_file.h"
#include "zip_archive.h"

namespace depscope::replay {
namespace {

constexpr zip_uint16_t kDosDate = (0U << 9U) | (1U << 5U) | 1U;  // 1980-01-01, the first day that the format knows
constexpr zip_uint32_t kRegularFile = 0100644U << 16U;
// Most columns are zero bytes after their transform: a fast level loses little there. Text is small.
constexpr std::uint64_t kLargeMember = std::uint64_t{4} << 20U;
constexpr zip_uint32_t kLevel = 6;
constexpr zip_uint32_t kLevelLarge = 1;

/// A text of its own or one that somebody else keeps.
class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string text) : own_(std::move(text)), text_(own_) {}
  explicit TextSource(std::string_view text) : text_(text) {}
  [[nodiscard]] std::uint64_t size() const override { return text_.size(); }
  void rewind() override { at_ = 0; }
  std::size_t read(char* out, std::size_t count) override {
    const std::size_t n = std::min(count, text_.size() - at_);
    std::memcpy(out, text_.data() + at_, n);
    at_ += n;
    return n;
  }

 private:
  std::string own_;
  std::string_view text_;
  std::size_t at_ = 0;
};

struct Member {
  std::string name;
  std::unique_ptr<ByteSource> bytes;
  Packing packing;
  std::exception_ptr thrown;  // by `bytes`: an exception cannot pass through libzip
};

// Called by libzip; `user` is a Member that outlives the archive.
zip_int64_t serve(void* user, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto* member = static_cast<Member*>(user);
  ByteSource* bytes = member->bytes.get();
  switch (command) {
    case ZIP_SOURCE_OPEN:
    case ZIP_SOURCE_READ:
      try {
        if (command == ZIP_SOURCE_READ) return static_cast<zip_int64_t>(bytes->read(static_cast<char*>(data), length));
        bytes->rewind();
        return 0;
      } catch (...) {
        member->thrown = std::current_exception();
        return -1;
      }
    case ZIP_SOURCE_CLOSE: return 0;
    case ZIP_SOURCE_STAT: {
      auto* stat = static_cast<zip_stat_t*>(data);
      zip_stat_init(stat);
      stat->size = bytes->size();
      stat->valid = ZIP_STAT_SIZE;
      return sizeof(*stat);
    }
    case ZIP_SOURCE_ERROR: {
      zip_error_t none;
      zip_error_init(&none);
      return zip_error_to_data(&none, data, length);
    }
    case ZIP_SOURCE_FREE: return 0;
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
                                            ZIP_SOURCE_FREE, ZIP_SOURCE_SUPPORTS, -1);
    default: return -1;
  }
}

/// The file that libzip writes an archive into. It never reads it back: it looks whether there is one before (there is not),
/// then writes with steps back to the headers of members whose sizes it did not know.
struct ArchiveFile {
  OutputFile& file;
  std::uint64_t position = 0, end = 0;
  zip_error_t error{};
  std::optional<FileError> thrown;  // an exception cannot pass through libzip

  explicit ArchiveFile(OutputFile& output) : file(output) { zip_error_init(&error); }

  zip_int64_t write(const void* data, zip_uint64_t length) {
    try {
      file.write_at(position, std::string_view(static_cast<const char*>(data), length));
    } catch (const FileError& e) {
      thrown = e;
      zip_error_set(&error, ZIP_ER_WRITE, EIO);
      return -1;
    }
    position += length;
    end = std::max(end, position);
    return static_cast<zip_int64_t>(length);
  }

  zip_int64_t seek(const void* data, zip_uint64_t length) {
    const zip_int64_t to = zip_source_seek_compute_offset(position, end, const_cast<void*>(data), length, &error);
    if (to < 0) return -1;
    position = static_cast<std::uint64_t>(to);
    return 0;
  }
};

// Called by libzip; `user` is an ArchiveFile that outlives the archive.
zip_int64_t receive(void* user, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto* archive = static_cast<ArchiveFile*>(user);
  switch (command) {
    case ZIP_SOURCE_BEGIN_WRITE: archive->position = 0; return 0;
    case ZIP_SOURCE_WRITE: return archive->write(data, length);
    case ZIP_SOURCE_SEEK_WRITE: return archive->seek(data, length);
    case ZIP_SOURCE_TELL_WRITE: return static_cast<zip_int64_t>(archive->position);
    case ZIP_SOURCE_COMMIT_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_FREE: return 0;  // the OutputFile is finished or dropped by its owner
    case ZIP_SOURCE_STAT:            // there is nothing yet
      zip_error_set(&archive->error, ZIP_ER_READ, ENOENT);
      return -1;
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&archive->error, data, length);
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(
          ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK,
          ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_REMOVE, ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_COMMIT_WRITE,
          ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, -1);
    default: zip_error_set(&archive->error, ZIP_ER_OPNOTSUPP, 0); return -1;
  }
}

[[noreturn]] void fail(const std::string& what, const char* reason) {
  throw FileError(FileFault::Unwritable, fmt::format("cannot make the container: {}: {}", what, reason));
}

}  // namespace

struct ZipWriter::Impl {
  std::vector<Member> members;

  /// Adds all members to an archive and closes it, which is when the work is done.
  void fill(zip_t* archive, const std::string& path) {
    try {
      for (Member& member : members) add(archive, member);
    } catch (...) {
      zip_discard(archive);
      throw;
    }
    if (zip_close(archive) != 0) {
      const std::string reason = zip_strerror(archive);
      zip_discard(archive);
      for (Member& member : members) {
        if (member.thrown) std::rethrow_exception(std::exchange(member.thrown, nullptr));
      }
      fail(path, reason.c_str());
    }
  }

  static void add(zip_t* archive, Member& member) {
    zip_source_t* source = zip_source_function(archive, &serve, &member);
    if (source == nullptr) fail(member.name, zip_strerror(archive));
    const zip_int64_t index = zip_file_add(archive, member.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      fail(member.name, zip_strerror(archive));
    }
    const auto at = static_cast<zip_uint64_t>(index);
    const zip_int32_t method = member.packing == Packing::Store ? ZIP_CM_STORE : ZIP_CM_DEFLATE;
    const zip_uint32_t level = member.packing == Packing::Store ? 0 : member.bytes->size() >= kLargeMember ? kLevelLarge : kLevel;
    if (zip_set_file_compression(archive, at, method, level) != 0 || zip_file_set_dostime(archive, at, 0, kDosDate, 0) != 0 ||
        zip_file_set_external_attributes(archive, at, 0, ZIP_OPSYS_UNIX, kRegularFile) != 0) {
      fail(member.name, zip_strerror(archive));
    }
  }

  std::uint64_t write_in_place(OutputFile& file, const std::string& path) {
    ArchiveFile target(file);
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_function_create(&receive, &target, &error);
    if (source == nullptr) fail(path, zip_error_strerror(&error));
    zip_t* archive = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (archive == nullptr) {
      zip_source_free(source);
      fail(path, zip_error_strerror(&error));
    }
    try {
      fill(archive, path);
    } catch (const FileError&) {
      if (target.thrown) throw FileError(*target.thrown);  // it knows the reason
      throw;
    }
    return target.end;
  }

  std::uint64_t write_through_memory(OutputFile& file, const std::string& path, std::uint64_t max_bytes) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* buffer = zip_source_buffer_create(nullptr, 0, 0, &error);
    if (buffer == nullptr) fail(path, zip_error_strerror(&error));
    const auto free_source = [](zip_source_t* source) { zip_source_free(source); };
    const std::unique_ptr<zip_source_t, decltype(free_source)> owner(buffer, free_source);
    zip_t* archive = zip_open_from_source(buffer, ZIP_TRUNCATE, &error);
    if (archive == nullptr) fail(path, zip_error_strerror(&error));
    zip_source_keep(buffer);  // closing gives up the archive's own reference
    fill(archive, path);
    zip_stat_t stat;
    if (zip_source_stat(buffer, &stat) != 0 || zip_source_open(buffer) != 0)
      fail(path, zip_error_strerror(zip_source_error(buffer)));
    std::vector<char> chunk(std::size_t{1} << 20U);
    while (stat.size <= max_bytes) {
      const zip_int64_t n = zip_source_read(buffer, chunk.data(), chunk.size());
      if (n < 0) fail(path, zip_error_strerror(zip_source_error(buffer)));
      if (n == 0) break;
      file.write(std::string_view(chunk.data(), static_cast<std::size_t>(n)));
    }
    zip_source_close(buffer);
    return stat.size;
  }
};

ZipWriter::ZipWriter() : impl_(std::make_unique<Impl>()) {}

ZipWriter::~ZipWriter() = default;

void ZipWriter::add(const std::string& name, std::string text, Packing packing) {
  add(name, std::make_unique<TextSource>(std::move(text)), packing);
}

void ZipWriter::add(const std::string& name, std::unique_ptr<ByteSource> bytes, Packing packing) {
  impl_->members.push_back({name, std::move(bytes), packing, nullptr});
}

void ZipWriter::add_view(const std::string& name, std::string_view text, Packing packing) {
  add(name, std::make_unique<TextSource>(text), packing);
}

std::uint64_t ZipWriter::write(const std::string& path, std::uint64_t max_bytes) {
  OutputFile file(path);  // before the long work, so that a bad path is told at once
  const std::uint64_t size =
      file.has_positions() ? impl_->write_in_place(file, path) : impl_->write_through_memory(file, path, max_bytes);
  if (size <= max_bytes) file.commit();
  return size;
}

}  // namespace depscope::replay
