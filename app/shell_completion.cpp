#include "shell_completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace depscope::app {
namespace {

std::vector<std::string> names_of(const OptionWords& option) {
  std::vector<std::string> out{option.name};
  out.insert(out.end(), option.others.begin(), option.others.end());
  return out;
}

std::string command_names(const std::vector<CommandWords>& commands) {
  std::vector<std::string> names;
  for (const CommandWords& c : commands) {
    if (!c.name.empty()) names.push_back(c.name);
  }
  return fmt::format("{} help completion man", fmt::join(names, " "));
}

std::string bash(const std::vector<CommandWords>& commands) {
  std::string options, values;
  for (const CommandWords& c : commands) {
    std::vector<std::string> all;
    for (const OptionWords& o : c.options) {
      if (o.positional) continue;
      const std::vector<std::string> names = names_of(o);
      all.insert(all.end(), names.begin(), names.end());
      if (o.value.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : names) patterns.push_back(fmt::format("'{} {}'", c.name, name));
      const std::string words = o.choices.empty() ? "" : fmt::format("words='{}' ", fmt::join(o.choices, " "));
      values += fmt::format("    {}) {}files={} ;;\n", fmt::join(patterns, "|"), words, o.file ? 1 : 0);
    }
    options += fmt::format("    '{}') options='{}' ;;\n", c.name, fmt::join(all, " "));
  }
  return fmt::format(R"bash(# Completion of depscope for bash: written by `depscope completion bash`.
_depscope() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command= options= words= files= i
  # Readline may part --option=value at the sign.
  if [[ $previous == = ]]; then previous=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  if [[ $current == = ]]; then current=; fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${{COMP_WORDS[i]}} != -* ]]; then command=${{COMP_WORDS[i]}}; break; fi
  done
  COMPREPLY=()
  if [[ -z $command && $current != -* ]]; then
    COMPREPLY=($(compgen -W '{0}' -- "$current"))
    return
  fi
  case $command in
    help) COMPREPLY=($(compgen -W '{0}' -- "$current")); return ;;
    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$current")); return ;;
    man) return ;;
  esac
  case "$command $previous" in
{1}  esac
  if [[ -n $files ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    if [[ $files == 1 ]]; then compopt -o filenames 2>/dev/null; mapfile -t -O ${{#COMPREPLY[@]}} COMPREPLY < <(compgen -f -- "$current"); fi
    return
  fi
  case $command in
{2}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -F _depscope depscope
)bash",
                     command_names(commands), values, options);
}

/// Within single quotes, in brackets of _arguments.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string zsh_action(const OptionWords& o) {
  if (!o.choices.empty() && !o.file) return fmt::format("({})", fmt::join(o.choices, " "));
  return o.file ? "_files" : " ";
}

std::string zsh(const std::vector<CommandWords>& commands) {
  std::string described, cases;
  for (const CommandWords& c : commands) {
    if (c.name.empty()) continue;
    described += fmt::format("    '{}:{}'\n", c.name, zsh_text(c.help));
    cases += fmt::format("    {})\n      _arguments \\\n", c.name);
    for (const OptionWords& o : c.options) {
      if (o.positional) continue;
      for (const std::string& name : names_of(o)) {
        const bool long_name = name.starts_with("--");
        const std::string value = o.value.empty() ? "" : fmt::format(":{}:{}", zsh_text(o.value), zsh_action(o));
        cases += fmt::format("        '*{}{}[{}]{}' \\\n", name, o.value.empty() ? "" : (long_name ? "=" : "+"), zsh_text(o.help),
                             value);
      }
    }
    cases += "        '*:file:_files' ;;\n";
  }
  return fmt::format(R"zsh(#compdef depscope
# Completion of depscope for zsh: written by `depscope completion zsh`.
_depscope() {{
  local -a commands
  commands=(
{}    'help:Print the options of a command'
    'completion:Print a script that completes commands in a shell'
    'man:Print the manual page'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}    completion) _values shell bash zsh fish ;;
    help) _describe command commands ;;
  esac
}}
if [ "$funcstack[1]" = _depscope ]; then _depscope "$@"; else compdef _depscope depscope; fi
)zsh",
                     described, cases);
}

std::string fish_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish(const std::vector<CommandWords>& commands) {
  std::string out =
      "# Completion of depscope for fish: written by `depscope completion fish`.\n"
      "complete -c depscope -n __fish_use_subcommand -f -a help -d 'Print the options of a command'\n"
      "complete -c depscope -n __fish_use_subcommand -f -a completion -d 'Print a script that completes commands in a shell'\n"
      "complete -c depscope -n __fish_use_subcommand -f -a man -d 'Print the manual page'\n"
      "complete -c depscope -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n";
  for (const CommandWords& c : commands) {
    if (!c.name.empty())
      out += fmt::format("complete -c depscope -n __fish_use_subcommand -f -a {} -d {}\n", c.name, fish_text(c.help));
    const std::string where = c.name.empty() ? "__fish_use_subcommand" : fmt::format("'__fish_seen_subcommand_from {}'", c.name);
    for (const OptionWords& o : c.options) {
      if (o.positional) continue;
      out += fmt::format("complete -c depscope -n {}", where);
      for (const std::string& name : names_of(o))
        out += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
      if (!o.value.empty()) out += o.file ? " -r" : " -x";
      if (!o.choices.empty()) out += fmt::format(" -a {}", fish_text(fmt::format("{}", fmt::join(o.choices, " "))));
      out += fmt::format(" -d {}\n", fish_text(o.help));
    }
  }
  return out;
}

}  // namespace

std::string completion_script(Shell shell, const std::vector<CommandWords>& commands) {
  switch (shell) {
    case Shell::Bash: return bash(commands);
    case Shell::Zsh: return zsh(commands);
    case Shell::Fish: return fish(commands);
  }
  return {};
}

}  // namespace depscope::app
