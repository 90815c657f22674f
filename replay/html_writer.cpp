#include "html_writer.h"

#include <algorithm>
#include <cstdint>

namespace depscope::replay {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

unsigned byte(char c) { return static_cast<unsigned char>(c); }

/// Bytes of the sequence that begins the text, 0 if it is none; `code` is its code point.
std::size_t sequence(std::string_view text, std::uint32_t& code) {
  const unsigned lead = byte(text.front());
  const std::size_t size = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (size == 1) {
    code = lead;
    return 1;
  }
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return 0;
  code = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(text[i]) & 0xC0U) != 0x80U) return 0;
    code = code << 6U | (byte(text[i]) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < kLeast[size] || code > 0x10FFFF || surrogate ? 0 : size;
}

/// Characters that no page may hold, or that show other text than is there.
bool is_hidden(std::uint32_t code) {
  if (code < 0x20) return code != '\t' && code != '\n';
  const bool control = code >= 0x7F && code <= 0x9F;
  const bool direction = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  const bool line_end = code == 0x2028 || code == 0x2029;
  const bool none = (code & 0xFFFEU) == 0xFFFEU || (code >= 0xFDD0 && code <= 0xFDEF);
  return control || direction || line_end || none;
}

}  // namespace

void append_html(std::string& out, std::string_view text) {
  while (!text.empty()) {
    std::uint32_t code = 0;
    const std::size_t size = sequence(text, code);
    if (size == 0 || is_hidden(code)) {
      out += kReplacement;
    } else if (code == '&') {
      out += "&amp;";
    } else if (code == '<') {
      out += "&lt;";
    } else if (code == '>') {
      out += "&gt;";
    } else if (code == '"') {
      out += "&quot;";
    } else if (code == '\'') {
      out += "&#39;";
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
}

std::string_view cut_text(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (byte(text[bytes]) & 0xC0U) == 0x80U) --bytes;
  return text.substr(0, bytes);
}

HtmlWriter& HtmlWriter::element(std::string_view name, std::string_view classes, std::string_view content) {
  raw("<").raw(name);
  if (!classes.empty()) raw(" class=\"").raw(classes).raw("\"");
  return raw(">").text(content).raw("</").raw(name).raw(">");
}

void HtmlWriter::finish() {
  if (!buffer_.empty()) output_(buffer_);
  buffer_.clear();
}

}  // namespace depscope::replay
