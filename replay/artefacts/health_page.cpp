#include "health_page.h"

#include <algorithm>
#include <filesystem>

#include "../json_text.h"
#include "depscope/recording/findings.h"

namespace depscope::replay {
namespace {

std::string place_fields(const Diagnostic& d, const std::string& path) {
  std::string out = fmt::format(R"({{"file":{})", json_string(path));
  if (d.line != 0) out += fmt::format(R"(,"line":{},"column":{})", d.line, d.column);
  if (d.byte_offset) out += fmt::format(R"(,"byte_offset":{})", *d.byte_offset);
  if (!d.json_path.empty()) out += fmt::format(R"(,"json_path":{})", json_string(d.json_path));
  return out + "}";
}

}  // namespace

FileHealth& health_of(ImportedRun& run, ArtefactKind kind) {
  auto& files = run.health.files;
  return *std::find_if(files.begin(), files.end(), [&](const FileHealth& f) { return f.kind == kind; });
}

FileHealth& HealthPage::begin(ArtefactKind kind, const std::string& path) {
  FileHealth& health = run_.health.files.emplace_back();
  health.kind = kind;
  // The directory that was given is named, too.
  const std::filesystem::path relative = std::filesystem::path(path).lexically_relative(root_);
  const std::filesystem::path root = std::filesystem::path(root_).filename();
  health.path = (relative == "." ? root : root / relative).lexically_normal().string();
  return health;
}

void HealthPage::failed(FileHealth& health, const Diagnostic& why) {
  if (!first_error_) first_error_ = why;
  health.state = FileState::Unreadable;
  health.notes.push_back(why.message);
  tell(fmt::format("{} cannot be read: {}", health.path, why.message), place_fields(why, health.path));
}

void HealthPage::cut(FileHealth& health, const Diagnostic& place, bool already_told) {
  health.state = FileState::Cut;
  health.notes.push_back(fmt::format("ends early, at byte {}: what it has up to there was read", place.byte_offset.value_or(0)));
  if (!already_told)
    tell(fmt::format("{} ends early: what it has up to there was read", health.path), place_fields(place, health.path));
}

void HealthPage::tell(const std::string& summary, std::string fields) { pending_.push_back({summary, std::move(fields)}); }

void HealthPage::write_findings() {
  for (const Pending& p : pending_)
    recording::add_finding(run_.recording, "input_error", Severity::Warning, p.summary, p.fields, 0);
  pending_.clear();
}

}  // namespace depscope::replay
