#include "depscope/viewers/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "depscope/base/diagnostics.h"

namespace depscope::viewers {

void Settings::set(std::string_view name, std::string value) { values_[std::string(name)] = {std::move(value)}; }
void Settings::set(std::string_view name, double value) { set(name, fmt::format("{}", value)); }
void Settings::set(std::string_view name, bool value) { set(name, std::string(value ? "true" : "false")); }
void Settings::set(std::string_view name, const std::vector<std::string>& values) { values_[std::string(name)] = values; }

void Settings::put(const Settings& other) {
  for (const auto& [name, values] : other.values_) values_[name] = values;
}

std::string Settings::text(std::string_view name, std::string_view otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.size() != 1 ? std::string(otherwise) : found->second.front();
}

double Settings::number(std::string_view name, double otherwise, double least, double most) const {
  const std::string written = text(name);
  double value = 0.0;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (error != std::errc() || end != written.data() + written.size() || !std::isfinite(value)) return otherwise;
  return std::clamp(value, least, most);
}

bool Settings::truth(std::string_view name, bool otherwise) const {
  const std::string written = text(name);
  return written == "true" ? true : written == "false" ? false : otherwise;
}

std::vector<std::string> Settings::list(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

std::string Settings::to_json() const {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [name, values] : values_) {
    if (values.size() == 1) {
      object[name] = values.front();
    } else {
      object[name] = values;
    }
  }
  return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Settings Settings::from_json(const std::string& file, std::string_view json) {
  const auto fail = [&](std::string message) {
    Diagnostic diagnostic;
    diagnostic.file = file;
    diagnostic.message = std::move(message);
    throw InputError(std::move(diagnostic));
  };
  const nlohmann::json object = nlohmann::json::parse(json, nullptr, false);
  if (!object.is_object()) fail("the settings are not a JSON object; delete the file to start again");
  Settings settings;
  for (const auto& [name, value] : object.items()) {
    if (value.is_string()) {
      settings.set(name, value.get<std::string>());
    } else if (value.is_array() && std::all_of(value.begin(), value.end(), [](const auto& v) { return v.is_string(); })) {
      settings.set(name, value.get<std::vector<std::string>>());
    } else {
      fail(fmt::format("$.{}: a setting is a string or a list of strings", name));
    }
  }
  return settings;
}

}  // namespace depscope::viewers
