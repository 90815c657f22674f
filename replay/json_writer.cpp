#include "json_writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace depscope::replay {

JsonWriter& JsonWriter::value(std::string_view text) {
  const auto plain = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
  };
  if (!std::all_of(text.begin(), text.end(), plain)) {
    return json(nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  separate();
  buffer_.push_back('"');
  buffer_.append(text.data(), text.data() + text.size());
  buffer_.push_back('"');
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.lines && !level.empty) {
    buffer_.push_back('\n');
    for (std::size_t i = 0; i < levels_.size(); ++i) buffer_.push_back(' ');
  }
  buffer_.push_back(bracket);
  return *this;
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) buffer_.push_back(',');
  level.empty = false;
  if (level.lines) {
    buffer_.push_back('\n');
    for (std::size_t i = 0; i < levels_.size(); ++i) buffer_.push_back(' ');
  }
  if (buffer_.size() < kFlushAt) return;
  output_({buffer_.data(), buffer_.size()});
  buffer_.clear();
}

void JsonWriter::finish() {
  buffer_.push_back('\n');
  output_({buffer_.data(), buffer_.size()});
  buffer_.clear();
}

}  // namespace depscope::replay
