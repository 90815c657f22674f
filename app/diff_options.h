// What `depscope diff` takes besides the run options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "depscope/replay/compare.h"
#include "options.h"

namespace depscope::app {

/// Splits as a shell does: words at white space, '…' as it stands, "…" and the rest with backslashes. Throws UsageError for a
/// quote that is not closed; `option` names it.
[[nodiscard]] std::vector<std::string> split_words(const std::string& option, std::string_view text);

/// The run options of one side: those given for both, then `text`, the value of --a or --b. Throws UsageError.
[[nodiscard]] OptionTexts side_options(const OptionTexts& both, const std::string& option, const std::string& text);

/// --ignore, --only and --threshold as given. Throws UsageError naming the kinds that there are.
void choose_kinds(const std::vector<std::string>& ignore, const std::vector<std::string>& only,
                  const std::vector<std::string>& thresholds, replay::CompareOptions& options);

}  // namespace depscope::app
