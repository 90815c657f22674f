#include "view_options.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "depscope/base/diagnostics.h"

namespace depscope::app {
namespace {

constexpr int kMaxFrames = 1000000;

[[noreturn]] void fail(std::string message) {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  throw InputError(std::move(diagnostic));
}

template <class Number>
bool number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

void parse_size(std::string_view text, ViewOptions& options) {
  const std::size_t by = text.find('x');
  const bool good =
      by != std::string_view::npos && number(text.substr(0, by), options.width) && number(text.substr(by + 1), options.height);
  if (!good) fail(fmt::format("--size takes WIDTHxHEIGHT in pixels, as in 1280x800; found '{}'", text));
  for (const int side : {options.width, options.height}) {
    if (side < kMinWindowSize || side > kMaxWindowSize)
      fail(fmt::format("--size {}: each side must be from {} to {} pixels", text, kMinWindowSize, kMaxWindowSize));
  }
  options.size_given = true;
}

}  // namespace

ViewOptions parse_view_options(const std::vector<std::string>& arguments) {
  ViewOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    if (!argument.starts_with('-') || argument == "-") {
      if (options.files.size() == 2) fail(fmt::format("two files at most: '{}' after '{}'", argument, options.files.back()));
      options.files.emplace_back(argument);
      continue;
    }
    if (argument == "--") {
      options.run_options.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      break;
    }
    if (argument == "--help" || argument == "-h") {
      options.help = true;
      continue;
    }
    if (argument == "--version") {
      options.version = true;
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    std::string value;
    if (equals != std::string_view::npos) {
      value = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      value = arguments[i + 1];
    }
    const auto take = [&] {
      if (equals == std::string_view::npos) ++i;
      if (value.empty()) fail(fmt::format("{} needs a value", name));
      return value;
    };
    if (name == "--screenshot") {
      options.screenshot = take();
    } else if (name == "--script") {
      options.script = take();
    } else if (name == "--bench") {
      options.bench = take();
    } else if (name == "--panel") {
      options.panel = take();
    } else if (name == "--fonts") {
      options.fonts = take();
    } else if (name == "--ground") {
      options.ground = take();
      if (options.ground != "dark" && options.ground != "light")
        fail(fmt::format("--ground takes dark or light; found '{}'", options.ground));
    } else if (name == "--settings") {
      options.settings = take();
    } else if (name == "--screenshots") {
      options.screenshots = take();
    } else if (name == "--size") {
      parse_size(take(), options);
    } else if (name == "--frames") {
      if (!number(take(), options.frames) || options.frames < 1 || options.frames > kMaxFrames) {
        fail(fmt::format("--frames takes a number from 1 to {}; found '{}'", kMaxFrames, value));
      }
    } else if (name == "--scale") {
      // Written so that it refuses what is no number, too.
      if (!number(take(), options.scale) || !(options.scale >= 0.5F && options.scale <= 8.0F)) {
        fail(fmt::format("--scale takes a number from 0.5 to 8; found '{}'", value));
      }
    } else {
      fail(fmt::format("unknown option '{}'; --help lists all", name));
    }
  }
  return options;
}

const char* view_usage() {
  return "Usage: depscope-view [FILE [FILE]] [options] [-- OPTIONS OF A RUN]\n"
         "\n"
         "FILE is a recording, a bundle, a program (*.py), a trace, a deps.json or a directory of pass dumps; two are\n"
         "compared. What has to be run first is run by `depscope run`, with what stands behind `--`.\n"
         "\n"
         "  --panel NAME       bring a panel to the front\n"
         "  --size WxH         size of the window in pixels (default 1280x800)\n"
         "  --scale S          size of text and lines (default: what the screen asks for)\n"
         "  --ground G         dark or light\n"
         "  --settings FILE    what is remembered (default: $XDG_CONFIG_HOME/depscope/view.json; none with --script,\n"
         "                     --screenshot, --frames, --bench)\n"
         "  --screenshots DIR  where F12 writes depscope-001.png, … (default: the working directory)\n"
         "  --fonts DIR        directory with DejaVuSans.ttf (default: DEPSCOPE_FONTS, then the system's)\n"
         "  --screenshot PNG   draw, write a picture, end\n"
         "  --script FILE      run the commands of a file, then end\n"
         "  --frames N         end after N frames\n"
         "  --bench NAME       measure frames: idle, play, scroll, passes\n"
         "  --help, --version\n"
         "\n"
         "Exit status: 0 done, 1 a script's expectation failed, 2 bad usage, bad input or no display, 3 internal fault.\n";
}

}  // namespace depscope::app
