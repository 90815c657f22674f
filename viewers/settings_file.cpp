#include "depscope/viewers/settings_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <utility>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/file.h"
#include "depscope/replay/output_file.h"

namespace depscope::viewers {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxSettingsBytes = 1U << 20U;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string default_settings_path() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  const fs::path home = variable("HOME");
  fs::path directory = variable("XDG_CONFIG_HOME");
  if (!directory.is_absolute()) directory = home.empty() ? fs::path() : home / ".config";
  return directory.empty() ? std::string() : (directory / "depscope" / "view.json").string();
}

SettingsFile::SettingsFile(std::string path) : path_(std::move(path)) {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (path_.empty() || !fs::exists(status)) return;
  if (!fs::is_regular_file(status)) {  // a pipe would be waited for; save() leaves it alone, too
    problem_ = fmt::format("settings not used: {} is no file", path_);
    return;
  }
  try {
    const SourceFile source = SourceFile::read(path_, kMaxSettingsBytes);
    settings_ = Settings::from_json(path_, source.text());
  } catch (const InputError& bad) {
    broken_ = true;
    problem_ = first_line(fmt::format("settings not used: {}", bad.diagnostics().front().headline()));
  }
}

bool SettingsFile::save(const Settings& now) {
  if (path_.empty() || now == last_) return true;
  Settings all = settings_;
  all.put(now);
  try {
    const fs::path path(path_);
    std::error_code error;
    if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
    if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
      problem_ = fmt::format("settings not kept: {} is no file", path_);
      last_ = now;
      return false;
    }
    if (broken_) fs::rename(path, path_ + ".broken");
    replay::OutputFile file(path_);
    file.write(all.to_json());
    file.commit();
  } catch (const std::exception& bad) {
    problem_ = first_line(fmt::format("settings not kept: {}", bad.what()));
    last_ = now;  // say it once, not at every change
    return false;
  }
  broken_ = false;
  problem_.clear();
  settings_ = std::move(all);
  last_ = now;
  return true;
}

}  // namespace depscope::viewers
