#pragma once

#include <functional>
#include <string_view>

namespace depscope::replay {

/// Gets pieces of a text in order.
using TextOutput = std::function<void(std::string_view)>;

}  // namespace depscope::replay
