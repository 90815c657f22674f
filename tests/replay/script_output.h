// What a script of tests/data prints.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace depscope::replay {

inline bool has_python() { return std::system("python3 -c '' 2>/dev/null") == 0; }

/// Standard output and error of `python3 SCRIPT ARGUMENTS`; SCRIPT stands in tests/data.
inline std::string script_output(const std::string& script, const std::string& arguments) {
  const std::string command = "python3 " DEPSCOPE_TEST_DATA "/" + script + " " + arguments + " 2>&1";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  std::string out;
  std::array<char, 4096> chunk{};
  while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe.get())) out.append(chunk.data(), n);
  return out;
}

}  // namespace depscope::replay
