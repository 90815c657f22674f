#include "depscope/viewers/file_list.h"
#include "folded_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <tuple>
#include <utility>

namespace depscope::viewers {
namespace {

namespace fs = std::filesystem;

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.size() >= beginning.size() &&
         std::equal(beginning.begin(), beginning.end(), text.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

bool contains(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), [](char a, char b) { return lower(a) == lower(b); }) !=
         text.end();
}

}  // namespace

std::string_view file_kind_name(FileKind kind) {
  constexpr std::array<std::string_view, 7> kNames{"directory", "recording", "bundle", "program", "trace", "task graph", ""};
  return kNames[static_cast<std::size_t>(kind)];
}

FileKind file_kind(std::string_view name) {
  if (name.ends_with(".depscope")) return FileKind::Recording;
  if (name.ends_with(".zip")) return FileKind::Bundle;
  if (name.ends_with(".py")) return FileKind::Program;
  if (name.ends_with("deps.json")) return FileKind::TaskGraph;
  if (name.ends_with(".json")) return FileKind::Trace;
  return FileKind::Other;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits{"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1000.0;
  std::size_t unit = 0;
  for (; value >= 999.95 && unit + 1 < kUnits.size(); ++unit) value /= 1000.0;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

namespace {

/// What is typed or pasted behind a path that stands there already begins anew at "//" and at "/~/".
std::string_view begun_anew(std::string_view typed) {
  const std::size_t root = typed.rfind("//");
  if (root != std::string_view::npos) typed.remove_prefix(root + 1);
  const std::size_t home = typed.rfind("/~/");
  if (home != std::string_view::npos) typed.remove_prefix(home + 1);
  return typed;
}

}  // namespace

TypedPath split_path(std::string_view typed) {
  typed = begun_anew(typed);
  const std::size_t slash = typed.rfind('/');
  if (slash == std::string_view::npos) return {{}, std::string(typed)};
  return {std::string(typed.substr(0, slash + 1)), std::string(typed.substr(slash + 1))};
}

std::string real_path(std::string_view typed) {
  typed = begun_anew(typed);
  const char* home = std::getenv("HOME");
  if (home != nullptr && (typed == "~" || typed.starts_with("~/"))) return home + std::string(typed.substr(1));
  return std::string(typed);
}

std::string parent_directory(std::string_view directory) {
  std::error_code error;
  fs::path path = fs::absolute(directory.empty() ? "." : real_path(directory), error).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // it ended with '/'
  std::string above = path.parent_path().string();
  if (!above.ends_with('/')) above += '/';
  return above;
}

void FileList::read(const std::string& directory) {
  entries_.clear();
  shown_.clear();
  error_.clear();
  std::error_code error;
  fs::directory_iterator it(directory.empty() ? "." : real_path(directory), error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    FileEntry entry{it->path().filename().string(), FileKind::Directory, 0};
    if (!it->is_directory(ignored)) {
      entry.kind = file_kind(entry.name);
      const std::uintmax_t bytes = it->is_regular_file(ignored) ? it->file_size(ignored) : 0;
      entry.bytes = ignored ? 0 : bytes;
    }
    entries_.push_back(std::move(entry));
  }
  if (error) error_ = fmt::format("cannot read {}: {}", directory.empty() ? "." : directory, error.message());
  std::sort(entries_.begin(), entries_.end(), [](const FileEntry& a, const FileEntry& b) {
    const bool a_file = a.kind != FileKind::Directory;
    const bool b_file = b.kind != FileKind::Directory;
    return std::tie(a_file, a.name) < std::tie(b_file, b.name);
  });
}

void FileList::filter(std::string_view text, bool all_files) {
  shown_.clear();
  left_out_ = 0;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    const FileEntry& entry = entries_[i];
    if (entry.name.starts_with('.') && !text.starts_with('.')) continue;
    if (!contains(entry.name, text)) continue;
    if (entry.kind == FileKind::Other && !all_files) {
      ++left_out_;
    } else {
      shown_.push_back(i);
    }
  }
  std::stable_partition(shown_.begin(), shown_.end(), [&](std::uint32_t i) { return begins_with(entries_[i].name, text); });
}

std::string FileList::complete(std::string_view beginning) const {
  const FileEntry* only = nullptr;
  std::string common;
  std::size_t found = 0;
  for (const std::uint32_t i : shown_) {
    const FileEntry& entry = entries_[i];
    if (!begins_with(entry.name, beginning)) continue;
    if (found++ == 0) {
      only = &entry;
      common = entry.name;
      continue;
    }
    std::size_t same = 0;
    while (same < common.size() && same < entry.name.size() && common[same] == entry.name[same]) ++same;
    common.resize(same);
  }
  if (found == 0 || common.size() < beginning.size()) return std::string(beginning);
  return found == 1 && only->kind == FileKind::Directory ? common + '/' : common;
}

void RecentFiles::add(const std::string& path) {
  if (path.empty()) return;
  std::error_code error;
  std::string full = fs::absolute(path, error).lexically_normal().string();
  if (full.size() > 1 && full.ends_with('/')) full.pop_back();
  std::erase(paths_, full);
  paths_.insert(paths_.begin(), std::move(full));
  if (paths_.size() > kMost) paths_.resize(kMost);
}

void RecentFiles::set(const std::vector<std::string>& paths) {
  paths_.clear();
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) add(*path);
}

}  // namespace depscope::viewers
