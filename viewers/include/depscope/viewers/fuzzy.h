// Finding names by a few of their letters.
#pragma once

#include <optional>
#include <string_view>

namespace depscope::viewers {

/// How well the words of a query fit a text, more is better; none if one of them does not. The letters of a word stand in the
/// text in that order, in any case; they count more at the beginning of words and side by side. An empty query fits everything
/// with 0.
[[nodiscard]] std::optional<int> fuzzy_score(std::string_view query, std::string_view text);

}  // namespace depscope::viewers
