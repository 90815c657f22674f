#include "command_words.h"

#include <algorithm>
#include <string_view>

namespace depscope::app {
namespace {

/// "auto|full|summary": the words; "bitmap:N|none": those that are whole as they stand.
std::vector<std::string> choices_of(std::string_view value) {
  std::vector<std::string> out;
  if (value.find('|') == std::string_view::npos) return out;
  while (!value.empty()) {
    const std::size_t bar = value.find('|');
    std::string_view word = value.substr(0, bar);
    value = bar == std::string_view::npos ? std::string_view() : value.substr(bar + 1);
    word = word.substr(0, word.find('['));
    const bool whole = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == ':';
    });
    if (whole) out.emplace_back(word);
  }
  return out;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords out;
  out.help = option.get_description();
  if (option.get_items_expected_max() != 0) out.value = option.get_option_text();
  for (const std::string& name : option.get_lnames()) out.others.push_back("--" + name);
  for (const std::string& name : option.get_snames()) out.others.push_back("-" + name);
  out.positional = out.others.empty();
  if (out.positional) {
    out.name = option.get_name(true);
    if (out.value.empty()) out.value = out.name;
    out.file = true;
    return out;
  }
  out.name = out.others.front();
  out.others.erase(out.others.begin());
  if (out.value.empty() && option.get_items_expected_max() != 0) out.value = "VALUE";
  out.choices = choices_of(out.value);
  out.file = out.value.find("FILE") != std::string::npos || out.value.find("DIR") != std::string::npos ||
             out.value.find("INPUT") != std::string::npos;
  return out;
}

CommandWords words_of(const CLI::App& app, std::string name) {
  CommandWords out{std::move(name), app.get_description(), {}};
  for (const CLI::Option* option : app.get_options()) out.options.push_back(words_of(*option));
  return out;
}

}  // namespace

std::vector<CommandWords> command_words(const CLI::App& app) {
  std::vector<CommandWords> out{words_of(app, "")};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    out.push_back(words_of(*command, command->get_name()));
  return out;
}

}  // namespace depscope::app
