#include "terminal.h"

#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cwchar>
#include <string>
#include <string_view>
#include <vector>

#include "errors.h"

namespace depscope::app {
namespace {

volatile std::sig_atomic_t interrupts = 0;  // all that a signal handler may touch

void on_interrupt(int /*signal*/) { interrupts = 1; }

/// Ctrl+C is noted, and ends a read that waits; what was done with it before comes back afterwards.
class InterruptHandler {
 public:
  InterruptHandler() {
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before_);
  }
  InterruptHandler(const InterruptHandler&) = delete;
  InterruptHandler& operator=(const InterruptHandler&) = delete;
  ~InterruptHandler() { sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

/// Ctrl+C waits while this lives: it can only arrive in `read_key`, so that none falls between a look and a read.
class HeldInterrupt {
 public:
  HeldInterrupt() {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigprocmask(SIG_BLOCK, &held, &before_);
  }
  HeldInterrupt(const HeldInterrupt&) = delete;
  HeldInterrupt& operator=(const HeldInterrupt&) = delete;
  ~HeldInterrupt() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

/// The next character; -1 for Ctrl+C or an error, 0 at the end. Called with SIGINT held.
int read_key(EditLine* /*editor*/, wchar_t* key) {
  std::mbstate_t state{};
  for (;;) {
    sigset_t open;
    sigprocmask(SIG_SETMASK, nullptr, &open);
    sigdelset(&open, SIGINT);
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const int ready = interrupts != 0 ? -1 : ppoll(&input, 1, nullptr, &open);
    if (interrupts != 0) return -1;
    if (ready < 0 && errno == EINTR) continue;  // another signal, as that of a window that changed its size
    char byte = 0;
    const ssize_t count = ready < 0 ? -1 : ::read(STDIN_FILENO, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return static_cast<int>(count);
    const std::size_t length = std::mbrtowc(key, &byte, 1, &state);
    if (length == static_cast<std::size_t>(-2)) continue;  // more bytes of this character are to come
    if (length == static_cast<std::size_t>(-1)) *key = static_cast<unsigned char>(byte);
    return 1;
  }
}

const char* prompt(EditLine* /*editor*/) { return "(depscope) "; }

void print(std::FILE* file, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

std::string common_begin(const std::vector<std::string>& words) {
  std::string out = words.front();
  for (const std::string& word : words) {
    const auto differs = std::mismatch(out.begin(), out.end(), word.begin(), word.end());
    out.erase(differs.first, out.end());
  }
  return out;
}

/// Inserts what all candidates have in common; where that is nothing more, lists them.
unsigned char complete(EditLine* editor, int /*key*/) {
  void* data = nullptr;
  el_get(editor, EL_CLIENTDATA, &data);
  const LineInfo* info = el_line(editor);
  if (data == nullptr || info == nullptr) return CC_ERROR;
  const std::string_view line(info->buffer, static_cast<std::size_t>(info->cursor - info->buffer));
  const std::vector<std::string> words = static_cast<const Debugger*>(data)->complete(line);
  if (words.empty()) return CC_REFRESH_BEEP;
  const std::size_t typed = line.size() - (line.find_last_of(" \t") + 1);
  std::string more = common_begin(words).substr(typed);
  const char last = words.front().back();  // what goes on after '=', ':' or 'r' wants no blank
  if (words.size() == 1 && last != '=' && last != ':' && words.front() != "slot:r") more += ' ';
  if (!more.empty()) return el_insertstr(editor, more.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  constexpr std::size_t kListed = 40;
  std::string list = "\n";
  for (std::size_t i = 0; i < std::min(words.size(), kListed); ++i) list += (i == 0 ? "" : "  ") + words[i];
  if (words.size() > kListed) list += "  …";
  print(stdout, list + "\n");
  return CC_REDISPLAY;
}

/// An editor of lines with its history.
class LineEditor {
 public:
  explicit LineEditor(Debugger& debugger) : editor_(el_init("depscope", stdin, stdout, stderr)), history_(history_init()) {
    if (editor_ == nullptr || history_ == nullptr) return;
    HistEvent event;
    history(history_, &event, H_SETSIZE, 1000);
    history(history_, &event, H_SETUNIQUE, 1);
    el_set(editor_, EL_PROMPT, &prompt);
    el_set(editor_, EL_EDITOR, "emacs");
    el_set(editor_, EL_GETCFN, &read_key);
    el_set(editor_, EL_HIST, history, history_);
    el_set(editor_, EL_CLIENTDATA, &debugger);
    el_set(editor_, EL_ADDFN, "depscope-complete", "Complete the word", complete);
    el_set(editor_, EL_BIND, "^I", "depscope-complete", nullptr);
  }
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;
  ~LineEditor() {
    if (history_ != nullptr) history_end(history_);
    if (editor_ != nullptr) el_end(editor_);
  }

  [[nodiscard]] bool good() const { return editor_ != nullptr && history_ != nullptr; }

  /// False at the end of the input. A line that was given up with Ctrl+C is empty, and `given_up`.
  bool read(std::string& line, bool& given_up) {
    line.clear();
    int length = 0;
    static_cast<void>(take_interrupt());  // one that came after the last move had ended
    const char* text = nullptr;
    {
      const HeldInterrupt held;
      // Before the prompt: Ctrl+D that is typed as soon as it stands there must not meet the terminal's own editing of lines,
      // which would make something else of it.
      el_set(editor_, EL_PREP_TERM, 1);
      text = el_gets(editor_, &length);
    }
    given_up = take_interrupt();
    if (given_up) {
      el_reset(editor_);
      return true;
    }
    if (text == nullptr || length <= 0) return false;
    line.assign(text, static_cast<std::size_t>(length));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    HistEvent event;
    if (line.find_first_not_of(" \t") != std::string::npos) history(history_, &event, H_ENTER, line.c_str());
    return true;
  }

 private:
  EditLine* editor_;
  History* history_;
};

}  // namespace

bool at_terminal() { return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1; }

bool take_interrupt() {
  const bool out = interrupts != 0;
  interrupts = 0;
  return out;
}

void run_terminal(Debugger& debugger) {
  const InterruptHandler handler;
  LineEditor editor(debugger);
  if (!editor.good()) return;
  print(stdout, debugger.where() + "help lists the commands.\n");
  bool given_up = false;
  for (std::string line; editor.read(line, given_up);) {
    if (given_up) {
      print(stdout, "\n");
      continue;
    }
    const DebuggerAnswer answer = debugger.execute(line);
    print(stdout, answer.text);
    if (!answer.error.empty()) {
      Diagnostic error;
      error.message = answer.error;
      print(stderr, error_text({error}));
    }
    if (answer.quit) return;
  }
  print(stdout, "\n");
}

}  // namespace depscope::app
