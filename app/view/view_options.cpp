#include "view_options.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "depscope/base/diagnostics.h"

namespace depscope::app {
namespace {

constexpr int kMaxFrames = 1000000;
constexpr int kMinSize = 320;
constexpr int kMaxSize = 16384;

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
    if (side < kMinSize || side > kMaxSize)
      fail(fmt::format("--size {}: each side must be from {} to {} pixels", text, kMinSize, kMaxSize));
  }
  options.size_given = true;
}

}  // namespace

ViewOptions parse_view_options(const std::vector<std::string>& arguments) {
  ViewOptions options;
  bool only_files = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    if (only_files || !argument.starts_with('-') || argument == "-") {
      if (!options.file.empty()) fail(fmt::format("one file at a time: '{}' after '{}'", argument, options.file));
      options.file = argument;
      continue;
    }
    if (argument == "--") {
      only_files = true;
      continue;
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
    } else if (name == "--size") {
      parse_size(take(), options);
    } else if (name == "--frames") {
      if (!number(take(), options.frames) || options.frames < 1 || options.frames > kMaxFrames) {
        fail(fmt::format("--frames takes a number from 1 to {}; found '{}'", kMaxFrames, value));
      }
    } else if (name == "--scale") {
      if (!number(take(), options.scale) || options.scale < 0.5F || options.scale > 8.0F) {
        fail(fmt::format("--scale takes a number from 0.5 to 8; found '{}'", value));
      }
    } else {
      fail(fmt::format("unknown option '{}'; --help lists all", name));
    }
  }
  return options;
}

const char* view_usage() {
  return "Usage: depscope-view [FILE.depscope] [options]\n"
         "\n"
         "  --panel NAME       bring a panel to the front\n"
         "  --size WxH         size of the window in pixels (default 1280x800)\n"
         "  --scale S          size of text and lines (default: what the screen asks for)\n"
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
