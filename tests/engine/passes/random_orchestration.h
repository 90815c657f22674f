// Random orchestration programs that the compiler would take: typed names, scopes where they may stand, loops of every kind.
#pragma once

#include <string>

namespace depscope::pass::testing {

/// A whole program as user text. Draws from rapidcheck's generators: call it inside a property only. Every variable that is
/// read is defined on every path before, so that no pass has a reason to refuse the program.
[[nodiscard]] std::string random_program();

}  // namespace depscope::pass::testing
