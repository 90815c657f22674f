// What the window remembers between runs: layout, theme, recent files, how panels are looked at. Plain names and values.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace depscope::viewers {

class Settings {
 public:
  void set(std::string_view name, std::string value);
  void set(std::string_view name, double value);
  void set(std::string_view name, bool value);
  void set(std::string_view name, const std::vector<std::string>& values);
  // A missing or unfit value gives `otherwise`; numbers are clamped to [least, most].
  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise = {}) const;
  [[nodiscard]] double number(std::string_view name, double otherwise, double least, double most) const;
  [[nodiscard]] bool truth(std::string_view name, bool otherwise) const;
  [[nodiscard]] std::vector<std::string> list(std::string_view name) const;

  /// Takes over every name that `other` has.
  void put(const Settings& other);

  /// A JSON object, names in alphabetical order, ending in a newline.
  [[nodiscard]] std::string to_json() const;
  /// Throws InputError for what is no such object; names that nobody asks for are kept.
  [[nodiscard]] static Settings from_json(const std::string& file, std::string_view json);

  friend bool operator==(const Settings&, const Settings&) = default;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;  // a list of one is a plain value
};

}  // namespace depscope::viewers
