// Options of a run as one line of text, as they are typed and remembered.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace depscope::viewers {

/// Words between white space; '…' and "…" keep white space together, a backslash takes the next character as it is outside of
/// '…'. A quotation that does not end goes to the end of the text.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text);
/// The text that gives these words again.
[[nodiscard]] std::string join_words(const std::vector<std::string>& words);

}  // namespace depscope::viewers
