#include "watch_command.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

#include "depscope/replay/file.h"
#include "errors.h"
#include "file_watcher.h"
#include "given_options.h"
#include "open_input.h"

namespace depscope::app {
namespace {

constexpr std::uint64_t kMostSettle = 60'000;  // ms

volatile int interrupt_descriptor = -1;  // what the handler writes to

void on_interrupt(int /*signal*/) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(interrupt_descriptor, &one, sizeof one);
}

/// Ctrl+C makes a descriptor readable while this lives. A second one ends the program as usual: a look may take long.
class InterruptDescriptor {
 public:
  InterruptDescriptor() : descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    interrupt_descriptor = descriptor_;
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before_);
  }
  InterruptDescriptor(const InterruptDescriptor&) = delete;
  InterruptDescriptor& operator=(const InterruptDescriptor&) = delete;
  ~InterruptDescriptor() {
    sigaction(SIGINT, &before_, nullptr);
    interrupt_descriptor = -1;
    ::close(descriptor_);
  }

  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
  struct sigaction before_ {};
};

/// As on standard error, without the name of the program.
std::string text_of(const std::vector<Diagnostic>& diagnostics) {
  constexpr std::string_view kBegin = "depscope: error: ";
  std::string out = error_text(diagnostics);
  if (out.starts_with(kBegin)) out.erase(0, kBegin.size());
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

std::string text_of(const std::exception& error) {
  Diagnostic d;
  d.message = error.what();
  return text_of(std::vector<Diagnostic>{std::move(d)});
}

}  // namespace

void WatchCommand::add_options(CLI::App& app) {
  app.add_option("PATH", input_,
                 "A program (*.py), a dump, build or run directory, a trace (*.trace.json), a recording, a deps.json, a bundle")
      ->required();
  app.add_option("--settle", settle_, "Milliseconds without a change before the input is read (default: 200)")->option_text("MS");
  app.add_option("--times", times_, "End after this many looks (default: Ctrl+C ends it)")->option_text("N");
  app.add_flag("--json", json_, "Print depscope.watch/1 instead of text, one object on a line for each look");
  add_run_options(app, texts_);
}

WatchLook WatchCommand::look(std::uint64_t number) {
  WatchLook out;
  out.number = number;
  try {
    auto state = std::make_unique<const WatchedState>(watched_state(open_input(input_, parse(texts_)).recording));
    out.state = state.get();
    compare_with(last_.get(), out);
    last_ = std::move(state);
    last_error_.clear();
    return out;
  } catch (const InputError& e) {
    out.error = text_of(e.diagnostics());
  } catch (const UsageError& e) {  // an option that does not fit what the file holds now
    out.error = text_of(e);
  } catch (const replay::FileError& e) {
    out.error = text_of(e);
  } catch (const std::filesystem::filesystem_error& e) {  // a directory that went while it was read
    out.error = text_of(e);
  }
  out.state = nullptr;
  out.same_error = out.error == last_error_;
  last_error_ = out.error;
  return out;
}

int WatchCommand::run() {
  if (texts_.print_ir || texts_.print_plan)
    throw UsageError(std::string(texts_.print_ir ? "--print-ir" : "--print-plan") + " belongs to 'run'");
  // They write, perhaps into what is watched.
  if (!texts_.save_schedule.empty()) throw UsageError("--save-schedule belongs to 'run'");
  if (!texts_.dump_passes.empty()) throw UsageError("--dump-passes belongs to 'run'");
  if (times_ == 0) throw UsageError("--times 0: at least one look was expected");
  if (settle_ > kMostSettle) throw UsageError(fmt::format("--settle {}: the limit is {} ms", settle_, kMostSettle));
  try {
    (void)parse(texts_);  // what is wrong with the options themselves ends it at once
  } catch (const InputError&) {
    // A file that one of them names; the first look tells, and it may be repaired.
  }

  std::vector<std::string> paths{input_};
  for (const GivenOption& given : given_options(texts_)) {
    if (!given.path.empty()) paths.push_back(given.path);
  }
  const InterruptDescriptor interrupt;
  FileWatcher watcher(std::move(paths));  // before the first look, so that no change is lost
  for (std::uint64_t number = 1;; ++number) {
    const WatchLook seen = look(number);
    const std::string text = json_ ? watch_json(seen) : watch_text(seen);
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (std::fflush(stdout) != 0) return kBadInput;
    if (times_ && number >= *times_) return kDone;
    if (!watcher.wait(std::chrono::milliseconds(settle_), interrupt.get())) return kDone;
  }
}

}  // namespace depscope::app
