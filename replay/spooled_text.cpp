#include "spooled_text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace depscope::replay {
namespace {

[[noreturn]] void fail(const char* what) {
  throw FileError(FileFault::Unwritable, fmt::format("a temporary file {}: {}", what, std::strerror(errno)));
}

}  // namespace

SpooledText::SpooledText(const std::function<void(const TextOutput&)>& make) : file_(std::tmpfile()) {
  if (file_ == nullptr) fail("cannot be made");
  make([this](std::string_view piece) {
    if (std::fwrite(piece.data(), 1, piece.size(), file_.get()) != piece.size()) fail("cannot be written");
    size_ += piece.size();
  });
  if (std::fflush(file_.get()) != 0) fail("cannot be written");
}

}  // namespace depscope::replay
