#include "errors.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.h"

namespace depscope::app {
namespace {

/// Bytes of a broken input may stand in a message: a zero would end it, an escape sequence would reach the terminal.
std::string visible(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool control = (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
    if (control) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string error_text(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics) out += fmt::format("depscope: {}: {}\n", to_string(d.severity), visible(d.text()));
  return out;
}

std::string error_json(std::string_view schema, const std::vector<Diagnostic>& diagnostics) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const Diagnostic& d : diagnostics) {
    nlohmann::ordered_json finding{{"kind", "input_error"}, {"severity", to_string(d.severity)}, {"summary", d.message}};
    if (!d.file.empty()) finding["file"] = d.file;
    if (d.line != 0) {
      finding["line"] = d.line;
      finding["column"] = d.column;
    }
    if (d.byte_offset) finding["byte_offset"] = *d.byte_offset;
    if (!d.json_path.empty()) finding["json_path"] = d.json_path;
    finding["exit_status"] = kBadInput;
    findings.push_back(std::move(finding));
  }
  const nlohmann::ordered_json object{{"schema", schema}, {"findings", std::move(findings)}};
  // Names and keys of a broken input may hold any bytes.
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace depscope::app
