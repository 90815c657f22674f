#include "input_description.h"

#include <filesystem>

namespace depscope::app {

void describe_input(const SourceFile& source, recording::Recording& recording) {
  recording.input_name = std::filesystem::path(source.name()).filename().string();
  recording.input_digest = digest_of(source.text());
  if (source.text().size() <= kKeptInputBytes) recording.input_text = std::string(source.text());
}

}  // namespace depscope::app
