#include "command.h"

int main(int argc, char** argv) { return depscope::app::run_command_line(argc, argv, depscope::app::all_commands()); }
