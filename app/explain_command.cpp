#include "explain_command.h"

#include <cstdio>

#include "depscope/replay/facts_json.h"
#include "depscope/replay/summary_text.h"
#include "open_input.h"

namespace depscope::app {

void ExplainCommand::add_options(CLI::App& app) {
  app.add_option("FILE", input_, "A recording, a program (*.py), a dump or build directory")->required();
  app.add_flag("--json", json_, "Print depscope.facts/1 instead of text");
  add_run_options(app, texts_);
}

int ExplainCommand::run() {
  const Opened opened = open_input(input_, parse(texts_), Depth::Passes);
  const std::string text = json_ ? replay::facts_json(opened.recording) : replay::summary_text(opened.recording);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kDone;
}

}  // namespace depscope::app
