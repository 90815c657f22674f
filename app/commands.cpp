#include "bundle_command.h"
#include "check_command.h"
#include "command.h"
#include "diff_command.h"
#include "explain_command.h"
#include "export_command.h"
#include "import_command.h"
#include "replay_command.h"
#include "run_command.h"
#include "view_command.h"
#include "watch_command.h"

namespace depscope::app {

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(std::make_unique<RunCommand>());
  commands.push_back(std::make_unique<ViewCommand>());
  commands.push_back(std::make_unique<ExplainCommand>());
  commands.push_back(std::make_unique<ReplayCommand>());
  commands.push_back(std::make_unique<DiffCommand>());
  commands.push_back(std::make_unique<CheckCommand>());
  commands.push_back(std::make_unique<WatchCommand>());
  commands.push_back(std::make_unique<ImportCommand>());
  commands.push_back(std::make_unique<ExportCommand>());
  commands.push_back(std::make_unique<BundleCommand>());
  return commands;
}

}  // namespace depscope::app
