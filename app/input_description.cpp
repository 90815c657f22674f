#include "input_description.h"

#include <fmt/format.h>

#include <filesystem>

namespace depscope::app {

std::string digest_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("{:016x}", hash);
}

void describe_input(const SourceFile& source, recording::Recording& recording) {
  recording.input_name = std::filesystem::path(source.name()).filename().string();
  recording.input_digest = digest_of(source.text());
  if (source.text().size() <= kKeptInputBytes) recording.input_text = std::string(source.text());
}

}  // namespace depscope::app
