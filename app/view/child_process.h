// A child process with a process group of its own, whose standard error is read while it runs.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace depscope::app {

class ChildProcess {
 public:
  /// Standard output is dropped, standard input is empty. Throws InputError if it cannot be started. It ends when the thread that
  /// made it ends, whatever ended that.
  /// `variables` are set in its environment beside, or in place of, those of this process.
  ChildProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments,
               const std::vector<std::pair<std::string, std::string>>& variables = {});
  /// Ends the whole group if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Hands on every line of standard error until the child has closed it and ended; ends the group as soon as `give_up` says so,
  /// which is asked at least every 50 ms. Returns the exit status, 128 + the number of the signal that ended it.
  int wait(const std::function<void(const std::string&)>& on_line, const std::function<bool()>& give_up);

 private:
  void end();

  pid_t child_ = -1;
  int error_ = -1;  // read end
};

}  // namespace depscope::app
