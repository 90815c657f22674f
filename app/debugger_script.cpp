#include "debugger_script.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>

#include "errors.h"

namespace depscope::app {
namespace {

void print(std::FILE* file, const std::string& text) { std::fwrite(text.data(), 1, text.size(), file); }

}  // namespace

bool run_script(Debugger& debugger, std::istream& lines, const ScriptSettings& settings) {
  bool good = true;
  std::uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const DebuggerAnswer answer = debugger.execute(line);
    if (answer.text.empty() && answer.error.empty() && !answer.quit) continue;
    if (!settings.json) print(stdout, fmt::format("(depscope) {}\n", line));
    print(stdout, answer.text);
    std::fflush(stdout);  // what was asked stands above what went wrong, and who writes the commands sees each answer
    if (!answer.error.empty()) {
      good = false;
      Diagnostic error;
      error.message = fmt::format("{}:{}: {}", settings.name, number, answer.error);
      print(stderr, error_text({error}));
      if (settings.stop_on_error) break;
    }
    if (answer.quit) break;
  }
  return good;
}

}  // namespace depscope::app
