// One attachment for a bug report: a ZIP container with what was run, how, and what came of it (docs/bundle.md).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/file.h"

namespace depscope::replay {

/// The name of one file that may be made inside a directory of ours: no path, no NUL, at most 255 bytes. Names in a bundle that
/// was read are; those in a recording need not be.
[[nodiscard]] bool is_plain_file_name(std::string_view name);

/// A file that a run reads.
struct BundleFile {
  std::string name;  ///< as it was called, without directories; it is recorded, so it matters
  std::string text;
};

/// A run option. On a command line it is `option=value`, and behind the value the path of its file if it names one.
struct BundleOption {
  std::string option;  ///< with dashes
  std::string value;
  std::optional<std::size_t> file;  ///< index into BundleRun::option_files
};

/// All that is needed to repeat a run.
struct BundleRun {
  std::vector<BundleFile> input;  ///< one file, or the dumps of a directory in the order of their names
  bool directory = false;         ///< the input is the directory
  std::vector<BundleOption> options;
  std::vector<BundleFile> option_files;
};

/// A member that nothing needs to repeat the run: the page, a screenshot.
struct BundleExtra {
  std::string member;  ///< its name in the container
  std::string bytes;
  std::string what;  ///< for the list of members: "the run as a page for a browser"
};

struct Bundle {
  BundleRun run;          ///< without input if that was not known
  std::string recording;  ///< bytes of a recording file; empty if there is none
  bool redacted = false;
  /// Why `run` does not give exactly `recording`; empty if it does.
  std::string difference;
  std::string error;                ///< what running it says, if it does not run
  std::vector<BundleExtra> extras;  ///< what was left out first goes last
};

/// A member that did not find room.
struct BundleDropped {
  std::string member;
  std::uint64_t bytes = 0;  ///< before compression
};

/// Text of report.md, for the members that there is room for. The function is called once for every attempt.
using BundleReport = std::function<std::string(const Bundle& kept, const std::vector<BundleDropped>& dropped)>;

struct BundleSize {
  std::uint64_t bytes = 0;
  std::vector<BundleDropped> dropped;
};

inline constexpr std::uint64_t kNoSizeLimit = std::numeric_limits<std::uint64_t>::max();

/// Writes the container as `save` does. While it is larger than `max_bytes`, extras are left out from the last on, then the
/// recording (the run gives it again), or, where only that makes it fit, the input. Throws FileError (Unwritable), also if
/// nothing that may be left out makes it fit.
BundleSize write_bundle(Bundle bundle, const BundleReport& report, const std::string& path,
                        std::uint64_t max_bytes = kNoSizeLimit);

/// Reads and checks a bundle; `extras` stay empty. Throws FileError.
[[nodiscard]] Bundle read_bundle(const std::string& path, const LoadLimits& limits = {});

/// The recording in a recording file or in a bundle. Throws FileError as `load` does, also for a bundle that has none.
[[nodiscard]] recording::Recording load_recording(const std::string& path, const LoadLimits& limits = {});

/// What a ZIP container holds, by its manifest. Never throws.
enum class ContainerKind : std::uint8_t { None, Recording, Bundle };
[[nodiscard]] ContainerKind container_kind(const std::string& path);

}  // namespace depscope::replay
