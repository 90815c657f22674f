// Run options as a list that can be kept and given again.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/recording/tables.h"
#include "options.h"

namespace depscope::app {

/// One option with its value. On a command line it is `option=value`, followed by a path if the value names a file.
struct GivenOption {
  std::string option;  ///< with dashes
  std::string value;   ///< what stands before the path, where there is one: "", "list:", "NAME="
  std::string path;    ///< empty: names no file
};

/// Those that were given, without the ones about output (--print-ir, --dump-passes, --save-schedule, …).
[[nodiscard]] std::vector<GivenOption> given_options(const OptionTexts& texts);

/// An option of a recording, and which of its files it names.
struct RecordedOption {
  std::string option, value;
  std::optional<std::size_t> file;  ///< index into Recording::option_files
};
/// The options that give a run its recorded settings; those that are as they are by themselves are left out. `trace`: of a
/// trace, whose limits and reduction are off by themselves.
[[nodiscard]] std::vector<RecordedOption> recorded_options(const recording::Recording& recording, bool trace);

/// The texts of options given as `words` ("--name=value", or name and value apart), on top of `base`: an option that is given in
/// both is as in `words`, of --arg and --data name by name. Throws UsageError; `where` is named in the message.
[[nodiscard]] OptionTexts with_words(const OptionTexts& base, const std::string& where, const std::vector<std::string>& words);

}  // namespace depscope::app
