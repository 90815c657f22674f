#include "depscope/base/diagnostics.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

namespace depscope {
namespace {

constexpr std::size_t kShown = 160;  // bytes of a source line in a message

Diagnostic file_error(const std::string& path, std::string message) {
  Diagnostic d;
  d.file = path;
  d.message = std::move(message);
  return d;
}

std::string joined(const std::vector<Diagnostic>& all) {
  std::string out;
  for (const Diagnostic& d : all) {
    if (!out.empty()) out += '\n';
    out += d.headline();
  }
  return out;
}

}  // namespace

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::Info: return "info";
    case Severity::Warning: return "warning";
    case Severity::Error: return "error";
  }
  return "error";
}

std::string Diagnostic::headline() const {
  std::string out = file;
  if (line != 0) out += fmt::format(":{}:{}", line, column);
  if (!json_path.empty()) out += fmt::format(": at {}", json_path);
  if (byte_offset) out += fmt::format(": byte offset {}", *byte_offset);
  if (!out.empty()) out += ": ";
  return out + message;
}

std::string Diagnostic::text() const {
  std::string out = headline();
  if (line == 0 || source_line.empty()) return out;
  // A very long line is cut around the caret so that the message stays readable.
  const std::size_t at = column == 0 ? 0 : column - 1;
  const auto inside_character = [&](std::size_t i) {
    return i < source_line.size() && (static_cast<unsigned char>(source_line[i]) & 0xC0U) == 0x80U;
  };
  std::size_t from = 0;
  if (source_line.size() > kShown && at > kShown / 2) from = std::min(at - kShown / 2, source_line.size() - kShown);
  while (from > 0 && inside_character(from)) --from;
  std::size_t end = std::min(from + kShown, source_line.size());
  while (inside_character(end)) ++end;
  std::string shown = source_line.substr(from, end - from);
  std::string caret;
  for (std::size_t i = from; i < at && i < end; ++i) {
    if (!inside_character(i)) caret += source_line[i] == '\t' ? '\t' : ' ';
  }
  return fmt::format("{}\n  {}\n  {}^", out, shown, caret);
}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(joined(diagnostics)), diagnostics_(std::move(diagnostics)) {}

InputError::InputError(Diagnostic diagnostic) : InputError(std::vector<Diagnostic>{std::move(diagnostic)}) {}

SourceFile::SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  const char* begin = text_.data();
  const char* end = begin + text_.size();
  for (const char* p = begin; p != end;) {
    const void* hit = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
    if (hit == nullptr) break;
    p = static_cast<const char*>(hit) + 1;
    line_starts_.push_back(static_cast<std::uint32_t>(p - begin));
  }
}

SourceFile SourceFile::read(const std::string& path, std::uint64_t max_bytes) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw InputError(file_error(path, fmt::format("cannot open: {}", std::strerror(errno))));
  if (S_ISDIR(info.st_mode)) throw InputError(file_error(path, "is a directory, a file was expected"));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw InputError(file_error(path, fmt::format("cannot open: {}", std::strerror(errno))));
  std::string text;
  if (S_ISREG(info.st_mode)) text.reserve(std::min<std::uint64_t>(static_cast<std::uint64_t>(info.st_size), max_bytes));
  std::vector<char> buffer(std::size_t{1} << 16U);
  for (;;) {
    const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file.get());
    if (n == 0) break;
    if (text.size() + n > max_bytes)
      throw InputError(file_error(path, fmt::format("larger than the file-size limit of {} bytes", max_bytes)));
    text.append(buffer.data(), n);
  }
  if (std::ferror(file.get()) != 0) throw InputError(file_error(path, "read error"));
  return {path, std::move(text)};
}

std::string_view SourceFile::text(Span span) const {
  const std::size_t begin = std::min<std::size_t>(span.begin, text_.size());
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, text_.size());
  return std::string_view(text_).substr(begin, end - begin);
}

SourceFile::Position SourceFile::position(std::uint32_t offset) const {
  const auto it = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(it - line_starts_.begin());
  return {line, offset - line_starts_[line - 1] + 1};
}

std::uint32_t SourceFile::line(Span span) const { return span.known() ? position(span.begin).line : 0; }

std::string_view SourceFile::line_text(std::uint32_t line) const {
  if (line == 0 || line > line_starts_.size()) return {};
  const std::size_t begin = line_starts_[line - 1];
  std::size_t end = line < line_starts_.size() ? line_starts_[line] : text_.size();
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return std::string_view(text_).substr(begin, end - begin);
}

Diagnostic SourceFile::diagnostic(Severity severity, std::uint32_t offset, std::string message) const {
  Diagnostic d;
  d.severity = severity;
  d.file = name_;
  const Position at = position(std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(text_.size())));
  d.line = at.line;
  d.column = at.column;
  d.message = std::move(message);
  // Of a very long line no more than can be shown.
  d.source_line = std::string(line_text(at.line).substr(0, std::size_t{at.column} + kShown + 8));
  return d;
}

}  // namespace depscope
