#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <unordered_map>

#include "zip_archive.h"

namespace depscope::replay {
namespace {

// Deflate cannot shrink data by more than this factor, so a larger claim is a lie; it bounds memory by the file's own size.
constexpr std::uint64_t kMaxDeflateRatio = 1040;
constexpr std::uint64_t kRatioSlack = 4096;

bool safe_name(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\\') != std::string_view::npos ||
      name.find(':') != std::string_view::npos || name.find('\0') != std::string_view::npos) {
    return false;
  }
  while (!name.empty()) {
    const std::size_t slash = name.find('/');
    if (name.substr(0, slash) == "..") return false;
    name.remove_prefix(slash == std::string_view::npos ? name.size() : slash + 1);
  }
  return true;
}

constexpr std::array<char, 4> kMagic{'P', 'K', 3, 4};

bool begins_like_zip(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, kMagic.size()> magic{};
  in.read(magic.data(), magic.size());
  return in && magic == kMagic;
}

}  // namespace

struct ZipReader::Impl {
  std::string path;
  std::string bytes;  // of an archive in memory, which it must outlive
  zip_t* archive = nullptr;
  std::vector<Member> members;
  std::unordered_map<std::string_view, std::size_t> by_name;

  ~Impl() { zip_discard(archive); }

  [[noreturn]] void fail(const std::string& what) const {
    throw FileError(FileFault::Corrupt, fmt::format("{}: {}", path, what));
  }

  void open_file() {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
      throw FileError(FileFault::Unreadable, fmt::format("{}: is a directory", path));
    }
    int code = 0;
    archive = zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code);
    if (archive != nullptr) return;
    const int system = errno;
    if (code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ) {
      throw FileError(FileFault::Unreadable, fmt::format("{}: cannot read: {}", path, std::generic_category().message(system)));
    }
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    not_opened(begins_like_zip(path), error);
  }

  void open_bytes() {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
    if (source != nullptr) archive = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
    if (archive != nullptr) return;
    zip_source_free(source);
    not_opened(bytes.starts_with(std::string_view(kMagic.data(), kMagic.size())), error);
  }

  [[noreturn]] void not_opened(bool like_zip, zip_error_t& error) const {
    if (!like_zip)
      throw FileError(FileFault::Unrecognised, fmt::format("{}: not a recording or a bundle (no ZIP container)", path));
    if (zip_error_code_zip(&error) == ZIP_ER_EXISTS) fail("two members have the same name");
    fail(fmt::format("truncated or damaged ZIP container: {}", zip_error_strerror(&error)));
  }

  void read_directory(const LoadLimits& limits) {
    const zip_int64_t count = zip_get_num_entries(archive, 0);
    if (count > limits.max_members) fail(fmt::format("{} members, the limit max_members is {}", count, limits.max_members));
    std::uint64_t total = 0;
    members.reserve(static_cast<std::size_t>(std::max<zip_int64_t>(count, 0)));
    for (zip_int64_t i = 0; i < count; ++i) {
      members.push_back(read_entry(static_cast<zip_uint64_t>(i), limits));
      total += members.back().bytes;
      if (total > limits.max_total_bytes) {
        fail(fmt::format("the members declare more than {} bytes, the limit max_total_bytes", limits.max_total_bytes));
      }
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (!by_name.emplace(members[i].name, i).second) fail(fmt::format("two members are named {}", members[i].name));
    }
  }

  [[nodiscard]] Member read_entry(zip_uint64_t index, const LoadLimits& limits) const {
    zip_stat_t stat;
    if (zip_stat_index(archive, index, 0, &stat) != 0) fail(zip_strerror(archive));
    constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((stat.valid & kNeeded) != kNeeded) fail(fmt::format("member {} of the container has no size", index));
    std::string name = stat.name;
    if (!safe_name(name)) fail(fmt::format("member name \"{}\" is absolute or leads outside", name));
    if (stat.encryption_method != ZIP_EM_NONE) fail(fmt::format("{} is encrypted", name));
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
      fail(fmt::format("{} uses compression method {}; only store and deflate are read", name, stat.comp_method));
    }
    if (stat.size > limits.max_member_bytes) {
      fail(fmt::format("{} declares {} bytes, the limit max_member_bytes is {}", name, stat.size, limits.max_member_bytes));
    }
    if (stat.size / kMaxDeflateRatio > stat.comp_size + kRatioSlack) {
      fail(fmt::format("{} declares {} bytes but is stored in {}", name, stat.size, stat.comp_size));
    }
    return {std::move(name), stat.size};
  }
};

ZipReader::ZipReader(const std::string& path, const LoadLimits& limits) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->open_file();
  impl_->read_directory(limits);
}

ZipReader::ZipReader(std::string bytes, const std::string& name, const LoadLimits& limits) : impl_(std::make_unique<Impl>()) {
  impl_->path = name;
  impl_->bytes = std::move(bytes);
  impl_->open_bytes();
  impl_->read_directory(limits);
}

ZipReader::~ZipReader() = default;

const std::vector<ZipReader::Member>& ZipReader::members() const { return impl_->members; }

std::int64_t ZipReader::find(std::string_view name) const {
  const auto found = impl_->by_name.find(name);
  return found == impl_->by_name.end() ? -1 : static_cast<std::int64_t>(found->second);
}

std::string ZipReader::text(std::size_t member, std::uint64_t max_bytes) const {
  Stream stream(*this, member);
  if (stream.remaining() > max_bytes) stream.fail(fmt::format("{} bytes, the limit here is {}", stream.remaining(), max_bytes));
  std::string out(stream.remaining(), '\0');
  stream.read(out.data(), out.size());
  stream.finish();
  return out;
}

bool ZipReader::is_archive(std::size_t member) const {
  Stream stream(*this, member);
  std::array<char, kMagic.size()> magic{};
  if (stream.remaining() < magic.size()) return false;
  stream.read(magic.data(), magic.size());
  return magic == kMagic;
}

ZipReader::Stream::Stream(const ZipReader& reader, std::size_t member)
    : reader_(reader), member_(member), remaining_(reader.impl_->members[member].bytes) {
  handle_ = zip_fopen_index(reader.impl_->archive, member, 0);
  if (handle_ == nullptr) fail(zip_strerror(reader.impl_->archive));
}

ZipReader::Stream::~Stream() {
  if (handle_ != nullptr) zip_fclose(static_cast<zip_file_t*>(handle_));
}

void ZipReader::Stream::read(void* out, std::uint64_t count) {
  if (count > remaining_) fail(fmt::format("ends {} bytes too early", count - remaining_));
  auto* file = static_cast<zip_file_t*>(handle_);
  auto* at = static_cast<char*>(out);
  while (count > 0) {
    const zip_int64_t n = zip_fread(file, at, count);
    if (n < 0) fail(zip_file_strerror(file));
    if (n == 0) fail("ends before its declared size");
    at += n;
    count -= static_cast<std::uint64_t>(n);
    remaining_ -= static_cast<std::uint64_t>(n);
  }
}

void ZipReader::Stream::skip(std::uint64_t count) {
  std::array<char, 4096> scratch{};
  while (count > 0) {
    const std::uint64_t n = std::min<std::uint64_t>(count, scratch.size());
    read(scratch.data(), n);
    count -= n;
  }
}

void ZipReader::Stream::finish() {
  if (remaining_ != 0) fail(fmt::format("has {} bytes that nothing describes", remaining_));
  auto* file = static_cast<zip_file_t*>(handle_);
  char extra = 0;
  const zip_int64_t n = zip_fread(file, &extra, 1);  // libzip checks the CRC when it meets the end
  if (n < 0) fail(zip_file_strerror(file));
  if (n > 0) fail("is longer than its declared size");
}

void ZipReader::Stream::fail(const std::string& what) const {
  throw FileError(FileFault::Corrupt,
                  fmt::format("{}: member {}: {}", reader_.impl_->path, reader_.impl_->members[member_].name, what));
}

}  // namespace depscope::replay
