#include "sample_runs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "depscope/replay/file.h"

namespace depscope::viewers {

const recording::Recording& sample_run(const std::string& name, const std::string& options) {
  static std::map<std::string, recording::Recording> known;
  const std::string key = name + " " + options;
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const auto file = std::filesystem::temp_directory_path() /
                    ("depscope-sample-" + std::to_string(::getpid()) + "-" + std::to_string(known.size()) + ".depscope");
  const std::string samples = DEPSCOPE_SAMPLES;
  const std::string data = samples + "/data/" + name + ".json";  // of a program that reads input
  const std::string command = std::string("'") + DEPSCOPE_PROGRAM + "' run '" + samples + "/" + name +
                              (name.find('.') == std::string::npos ? ".py' " : "' ") + options +
                              (std::filesystem::exists(data) ? " --data '" + data + "'" : "") + " -o '" + file.string() +
                              "' >/dev/null 2>&1";
  std::system(command.c_str());  // findings give status 1
  recording::Recording recording;
  try {
    recording = replay::load(file.string());
  } catch (const std::exception& problem) {
    ADD_FAILURE() << command << ": " << problem.what();
  }
  std::filesystem::remove(file);
  return known.emplace(key, std::move(recording)).first->second;
}

}  // namespace depscope::viewers
