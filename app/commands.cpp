#include "command.h"
#include "run_command.h"

namespace depscope::app {

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(std::make_unique<RunCommand>());
  return commands;
}

}  // namespace depscope::app
