// How the files of a run are read and what is said of them: whatever is wrong with one is told, and the others are read all the
// same.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/base/digest.h"
#include "depscope/replay/artefacts/imported_run.h"
#include "note_words.h"

namespace depscope::replay {

/// The page's entry of a file that was read.
[[nodiscard]] FileHealth& health_of(ImportedRun& run, ArtefactKind kind);

class HealthPage {
 public:
  /// Both outlive it. `root` is what paths are told relative to.
  HealthPage(ImportedRun& run, const std::string& root, bool digests) : run_(run), root_(root), digests_(digests) {}

  /// Reads one file: read(source, health), which may use up the source. False, if it cannot be read, and that is told.
  template <class Read>
  bool file(ArtefactKind kind, const std::string& path, std::uint64_t most, const Read& read) {
    FileHealth& health = begin(kind, path);
    try {
      SourceFile source = SourceFile::read(path, most);
      if (digests_) health.digest = digest_of(source.text());
      health.bytes = source.text().size();
      read(source, health);
      return true;
    } catch (const InputError& e) {
      failed(health, e.diagnostics().front());
      return false;
    }
  }
  /// The file ends early; `already_told` where its reader has made a finding of that.
  void cut(FileHealth& health, const Diagnostic& place, bool already_told = false);
  /// A finding "input_error" about a file.
  void tell(const std::string& summary, std::string fields);
  /// Findings wait until the table of findings will not be replaced any more.
  void write_findings();
  /// Of the first file that could not be read.
  [[nodiscard]] const std::optional<Diagnostic>& first_error() const { return first_error_; }

 private:
  struct Pending {
    std::string summary, fields;
  };

  FileHealth& begin(ArtefactKind kind, const std::string& path);
  void failed(FileHealth& health, const Diagnostic& why);

  ImportedRun& run_;
  const std::string& root_;
  bool digests_;
  std::optional<Diagnostic> first_error_;
  std::vector<Pending> pending_;
};

}  // namespace depscope::replay
