#pragma once

#include <string_view>

namespace depscope::app {

/// What --version prints: the tool, the schemas and the upstream state modelled.
[[nodiscard]] std::string_view version_text();

}  // namespace depscope::app
