#include "manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "version.h"

namespace depscope::app {
namespace {

/// A text that is nothing but text.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (out.empty() && (c == '.' || c == '\'')) {
      out += "\\&";
      out += c;
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  return out;
}

std::string option_entry(const OptionWords& o) {
  std::string names = fmt::format("\\fB{}\\fR", roff(o.name));
  for (const std::string& other : o.others) names += fmt::format(", \\fB{}\\fR", roff(other));
  if (o.positional) {
    names = fmt::format("\\fI{}\\fR", roff(o.name));
  } else if (!o.value.empty()) {
    names += fmt::format(" \\fI{}\\fR", roff(o.value));
  }
  return fmt::format(".TP\n{}\n{}\n", names, roff(o.help));
}

/// The same in all commands that run something; told once.
bool is_shared(const OptionWords& option, const std::vector<CommandWords>& commands) {
  const auto count = std::count_if(commands.begin(), commands.end(), [&](const CommandWords& c) {
    return std::any_of(c.options.begin(), c.options.end(), [&](const OptionWords& o) {
      return !o.positional && o.name == option.name && o.help == option.help && o.value == option.value;
    });
  });
  return !option.positional && count > 2;
}

}  // namespace

std::string manual_page(const std::vector<CommandWords>& commands) {
  std::string out = fmt::format(
      ".TH DEPSCOPE 1 \"\" \"depscope {0}\" \"User Commands\"\n"
      ".SH NAME\ndepscope \\- why does this task wait for that one?\n"
      ".SH SYNOPSIS\n.B depscope\n.I COMMAND\n.RI [ OPTIONS ]\n.br\n.B depscope help\n.RI [ COMMAND ]\n.br\n"
      ".B depscope completion\n.BR bash | zsh | fish\n.br\n.B depscope man\n"
      ".SH DESCRIPTION\n"
      "Runs programs and traces of task runtimes through the dependency passes and a model of the runtime, reads the files of "
      "real runs, and "
      "records every decision: which edge was asked for by whom, why a region fell back, what a task waits for, and what keeps "
      "a buffer alive. Every recording can be stepped through, compared, checked, exported and bundled into a report.\n",
      DEPSCOPE_VERSION);
  std::vector<OptionWords> shared;
  std::string sections;
  for (const CommandWords& c : commands) {
    if (c.name.empty()) continue;
    sections += fmt::format(".SS \"{}\"\n{}.\n", roff(c.name), roff(c.help));
    bool common = false;
    for (const OptionWords& o : c.options) {
      if (!is_shared(o, commands)) {
        sections += option_entry(o);
        continue;
      }
      common = true;
      if (std::none_of(shared.begin(), shared.end(), [&](const OptionWords& s) { return s.name == o.name && s.help == o.help; }))
        shared.push_back(o);
    }
    if (common)
      sections += ".PP\nAlso options of those under COMMON OPTIONS; \\fBdepscope help " + roff(c.name) + "\\fR lists which.\n";
  }
  out += ".SH COMMANDS\n" + sections + ".SH COMMON OPTIONS\n";
  for (const OptionWords& o : shared) out += option_entry(o);
  for (const CommandWords& c : commands) {
    if (!c.name.empty()) continue;
    for (const OptionWords& o : c.options) {
      if (!is_shared(o, commands)) out += option_entry(o);
    }
  }
  out +=
      ".SH EXIT STATUS\n"
      ".TP\n0\nThe work is done; with check, diff and import: nothing was found.\n"
      ".TP\n1\ncheck, diff, import: a finding is a warning or an error, or something differs.\n"
      ".TP\n2\nBad usage or bad input.\n"
      ".TP\n3\nAn internal fault.\n"
      ".SH FILES\n"
      ".TP\n.I /usr/share/depscope/samples\nPrograms to begin with.\n"
      ".TP\n.I /usr/share/doc/depscope\nThe documents.\n"
      ".SH EXAMPLES\n"
      ".nf\n"
      "depscope run /usr/share/depscope/samples/02_softmax_tiles.py \\-o softmax.depscope\n"
      "depscope replay softmax.depscope\n"
      "depscope check softmax.depscope\n"
      "depscope import build_output/run/dfx_outputs\n"
      ".fi\n"
      ".SH SEE ALSO\n.BR depscope\\-view (1)\n";
  return out;
}

}  // namespace depscope::app
