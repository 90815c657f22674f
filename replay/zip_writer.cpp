#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cstring>
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

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] std::uint64_t size() const override { return text_.size(); }
  void rewind() override { at_ = 0; }
  std::size_t read(char* out, std::size_t count) override {
    const std::size_t n = std::min(count, text_.size() - at_);
    std::memcpy(out, text_.data() + at_, n);
    at_ += n;
    return n;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

// Called by libzip; `user` is a ByteSource that outlives the archive.
zip_int64_t serve(void* user, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto* bytes = static_cast<ByteSource*>(user);
  switch (command) {
    case ZIP_SOURCE_OPEN: bytes->rewind(); return 0;
    case ZIP_SOURCE_READ: return static_cast<zip_int64_t>(bytes->read(static_cast<char*>(data), length));
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

}  // namespace

struct ZipWriter::Impl {
  zip_source_t* buffer = nullptr;  // the finished archive, in memory
  zip_t* archive = nullptr;
  std::vector<std::unique_ptr<ByteSource>> members;

  [[noreturn]] static void fail(const std::string& what, const char* reason) {
    throw FileError(FileFault::Unwritable, fmt::format("cannot make the container: {}: {}", what, reason));
  }
};

ZipWriter::ZipWriter() : impl_(std::make_unique<Impl>()) {
  zip_error_t error;
  zip_error_init(&error);
  impl_->buffer = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (impl_->buffer == nullptr) Impl::fail("memory", zip_error_strerror(&error));
  impl_->archive = zip_open_from_source(impl_->buffer, ZIP_TRUNCATE, &error);
  if (impl_->archive == nullptr) Impl::fail("memory", zip_error_strerror(&error));
  zip_source_keep(impl_->buffer);  // zip_close gives up the archive's own reference
}

ZipWriter::~ZipWriter() {
  if (impl_->archive != nullptr) zip_discard(impl_->archive);
  if (impl_->buffer != nullptr) zip_source_free(impl_->buffer);
}

void ZipWriter::add(const std::string& name, std::string text) { add(name, std::make_unique<TextSource>(std::move(text))); }

void ZipWriter::add(const std::string& name, std::unique_ptr<ByteSource> bytes) {
  const zip_uint32_t level = bytes->size() >= kLargeMember ? kLevelLarge : kLevel;
  impl_->members.push_back(std::move(bytes));
  zip_source_t* source = zip_source_function(impl_->archive, &serve, impl_->members.back().get());
  if (source == nullptr) Impl::fail(name, zip_strerror(impl_->archive));
  const zip_int64_t index = zip_file_add(impl_->archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    Impl::fail(name, zip_strerror(impl_->archive));
  }
  const auto at = static_cast<zip_uint64_t>(index);
  if (zip_set_file_compression(impl_->archive, at, ZIP_CM_DEFLATE, level) != 0 ||
      zip_file_set_dostime(impl_->archive, at, 0, kDosDate, 0) != 0 ||
      zip_file_set_external_attributes(impl_->archive, at, 0, ZIP_OPSYS_UNIX, kRegularFile) != 0) {
    Impl::fail(name, zip_strerror(impl_->archive));
  }
}

void ZipWriter::write(const std::string& path) {
  OutputFile file(path);  // before the long work, so that a bad path is told at once
  if (zip_close(impl_->archive) != 0) {
    const std::string reason = zip_strerror(impl_->archive);
    Impl::fail(path, reason.c_str());
  }
  impl_->archive = nullptr;
  if (zip_source_open(impl_->buffer) != 0) Impl::fail(path, zip_error_strerror(zip_source_error(impl_->buffer)));
  std::vector<char> chunk(std::size_t{1} << 20U);
  while (true) {
    const zip_int64_t n = zip_source_read(impl_->buffer, chunk.data(), chunk.size());
    if (n < 0) Impl::fail(path, zip_error_strerror(zip_source_error(impl_->buffer)));
    if (n == 0) break;
    file.write(std::string_view(chunk.data(), static_cast<std::size_t>(n)));
  }
  zip_source_close(impl_->buffer);
  file.commit();
}

}  // namespace depscope::replay
