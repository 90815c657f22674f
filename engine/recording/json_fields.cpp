#include "json_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace depscope::recording {

std::string json_quoted(std::string_view text) {
  const auto plain = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x80 && c != '"' && c != '\\';
  };
  if (std::all_of(text.begin(), text.end(), plain)) {
    std::string out;
    out.reserve(text.size() + 2);
    out += '"';
    out += text;
    out += '"';
    return out;
  }
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace depscope::recording
