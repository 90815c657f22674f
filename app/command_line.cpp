#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "command.h"
#include "command_words.h"
#include "depscope/replay/file.h"
#include "errors.h"
#include "manual_page.h"
#include "shell_completion.h"
#include "version.h"

namespace depscope::app {
namespace {

constexpr std::string_view kVersion = "depscope " DEPSCOPE_VERSION
                                      "\nschemas: depscope.bundle/1, depscope.deps/1, depscope.diff/1, depscope.facts/1, "
                                      "depscope.findings/1, depscope.recording/1, depscope.replay/1, depscope.summary/1, "
                                      "depscope.watch/1"
                                      "\nmodels: pypto e2d0f78ae and simpler 6ebaf7715 (August 2026)\n";

void print_error(const std::string& text) { std::fputs(text.c_str(), stderr); }

int report(const Command* command, const std::vector<Diagnostic>& diagnostics) {
  print_error(error_text(diagnostics));
  if (command != nullptr && command->json()) std::fputs(error_json(command->schema(), diagnostics).c_str(), stdout);
  return kBadInput;
}

int report(const Command* command, const std::string& message) {
  Diagnostic d;
  d.message = message;
  return report(command, std::vector<Diagnostic>{d});
}

int internal_fault(const std::string& what) {
  print_error(fmt::format("depscope: internal fault: {}\n", what));
  return kInternalFault;
}

/// The arguments in the order CLI11 wants (last first). "--name=" with nothing behind it is an empty value; CLI11 would take
/// the next argument for it.
std::vector<std::string> arguments_of(int argc, const char* const* argv) {
  std::vector<std::string> out;
  for (int i = argc - 1; i > 0; --i) {
    const std::string_view argument = argv[i];
    if (argument.size() > 3 && argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      out.emplace_back();
      out.emplace_back(argument.substr(0, argument.size() - 1));
    } else {
      out.emplace_back(argument);
    }
  }
  return out;
}

/// `depscope help` and `depscope help COMMAND`.
int print_help(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* about = argc == 2 ? &app : nullptr;
  std::string known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (argc == 3 && command->get_name() == argv[2]) about = command;
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  if (about == nullptr) {
    return report(nullptr, fmt::format("help {}: a command was expected (commands: {})", argv[argc - 1], known));
  }
  std::fputs(about->help(about == &app ? "" : app.get_name()).c_str(), stdout);
  return kDone;
}

/// `depscope completion SHELL`: a script for the shell, of the same description as the help.
int print_completion(const CLI::App& app, int argc, const char* const* argv) {
  constexpr std::array<std::pair<std::string_view, Shell>, 3> kShells{
      {{"bash", Shell::Bash}, {"zsh", Shell::Zsh}, {"fish", Shell::Fish}}};
  for (const auto& [name, shell] : kShells) {
    if (argc != 3 || name != argv[2]) continue;
    std::fputs(completion_script(shell, command_words(app)).c_str(), stdout);
    return kDone;
  }
  return report(nullptr, "completion: one shell was expected (bash, zsh, fish)");
}

int run_guarded(Command& command) {
  try {
    return command.run();
  } catch (const InputError& e) {
    return report(&command, e.diagnostics());
  } catch (const UsageError& e) {
    return report(&command, e.what());
  } catch (const replay::FileError& e) {
    return report(&command, e.what());
  } catch (const std::bad_alloc&) {
    return internal_fault("out of memory");
  } catch (const std::exception& e) {
    return internal_fault(e.what());
  }
}

}  // namespace

std::string_view version_text() { return kVersion; }

int run_command_line(int argc, const char* const* argv, std::vector<std::unique_ptr<Command>> commands) {
  CLI::App app(
      "Why does this task wait for that one? Runs programs and traces through the dependency passes and the runtime "
      "model, and records every decision.",
      "depscope");
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(38);
  bool version = false;
  app.add_flag("--version", version, "Print the version, the schemas and the upstream state modelled");
  std::vector<CLI::App*> subcommands;
  for (const std::unique_ptr<Command>& command : commands) {
    CLI::App* sub = app.add_subcommand(std::string(command->name()), std::string(command->summary()));
    command->add_options(*sub);
    subcommands.push_back(sub);
  }

  if (argc > 1 && std::string_view(argv[1]) == "help") return print_help(app, argc, argv);
  if (argc > 1 && std::string_view(argv[1]) == "completion") return print_completion(app, argc, argv);
  if (argc == 2 && std::string_view(argv[1]) == "man") {
    std::fputs(manual_page(command_words(app)).c_str(), stdout);
    return kDone;
  }
  // The first word that is no option is a command; CLI11 would list all words behind an unknown one, last first.
  if (argc > 1 && argv[1][0] != '-' && argv[1][0] != '\0') {
    std::string known;
    bool found = false;
    for (const std::unique_ptr<Command>& command : commands) {
      found = found || command->name() == argv[1];
      known += (known.empty() ? "" : ", ") + std::string(command->name());
    }
    if (!found) return report(nullptr, fmt::format("unknown command '{}' (commands: {})", argv[1], known));
  }
  Command* chosen = nullptr;
  int status = kDone;
  try {
    app.parse(arguments_of(argc, argv));
    for (std::size_t i = 0; i < subcommands.size(); ++i) {
      if (subcommands[i]->parsed()) chosen = commands[i].get();
    }
    if (version) {
      std::fwrite(kVersion.data(), 1, kVersion.size(), stdout);
    } else if (chosen == nullptr) {
      // `depscope` alone is `depscope view`; without a display it says how to go on.
      const auto view =
          std::find_if(commands.begin(), commands.end(), [](const auto& command) { return command->name() == "view"; });
      if (view == commands.end()) {
        print_error(app.help());
        return kBadInput;
      }
      status = run_guarded(**view);
      if (status != kDone) print_error("depscope: see depscope --help for the commands that need no window\n");
    } else {
      status = run_guarded(*chosen);
    }
  } catch (const CLI::Success& e) {  // --help
    status = app.exit(e) == 0 ? kDone : kInternalFault;
  } catch (const CLI::ParseError& e) {
    for (std::size_t i = 0; i < subcommands.size(); ++i) {
      if (subcommands[i]->parsed()) chosen = commands[i].get();
    }
    status = report(chosen, fmt::format("{} (see depscope --help)", e.what()));
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    print_error("depscope: error: cannot write to standard output\n");
    if (status == kDone) status = kBadInput;
  }
  return status;
}

}  // namespace depscope::app
