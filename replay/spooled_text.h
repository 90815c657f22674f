#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>

#include "depscope/replay/text_output.h"
#include "zip_archive.h"

namespace depscope::replay {

/// A member whose text is made piece by piece and may be larger than memory should hold: it waits in a file without a name.
class SpooledText final : public ByteSource {
 public:
  /// Calls `make` once, with where the text goes. Throws FileError (Unwritable) if it cannot be kept.
  explicit SpooledText(const std::function<void(const TextOutput&)>& make);

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  void rewind() override { std::rewind(file_.get()); }
  std::size_t read(char* out, std::size_t count) override { return std::fread(out, 1, count, file_.get()); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t size_ = 0;
};

}  // namespace depscope::replay
