// A debugger on a recording that is made for the test: from a sample, or from a program in the test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "command_outcome.h"
#include "debugger.h"
#include "depscope/replay/state_queries.h"
#include "open_input.h"
#include "options.h"

namespace depscope::app {

inline std::string sample_path(const std::string& name) { return std::string(DEPSCOPE_SAMPLES) + "/" + name; }
inline std::string book_path(const std::string& name) { return std::string(DEPSCOPE_TEST_DATA) + "/book/" + name + "/input.py"; }

/// The same position asked in text and in JSON.
class Situation {
 public:
  explicit Situation(const std::string& path, const OptionTexts& options = {}, std::size_t limit = 20)
      : recording_(open_input(path, parse(options)).recording),
        text_(recording_, {.limit = limit}),
        json_(recording_, {.limit = limit, .json = true}) {}

  [[nodiscard]] const recording::Recording& recording() const { return recording_; }
  [[nodiscard]] replay::Cursor& cursor() { return text_.cursor(); }

  /// Moves, which must work.
  Situation& go(const std::string& line) {
    const DebuggerAnswer answer = text_.execute(line);
    EXPECT_EQ(answer.error, "") << line;
    EXPECT_EQ(json_.execute(line).error, "") << line;
    return *this;
  }
  std::string text(const std::string& line) {
    const DebuggerAnswer answer = text_.execute(line);
    EXPECT_EQ(answer.error, "") << line;
    return answer.text;
  }
  nlohmann::json json(const std::string& line) {
    const DebuggerAnswer answer = json_.execute(line);
    EXPECT_EQ(answer.error, "") << line;
    EXPECT_EQ(answer.text.find('\n'), answer.text.size() - 1) << "one line";
    const auto out = nlohmann::json::parse(answer.text);
    EXPECT_EQ(out["schema"], "depscope.replay/1");
    EXPECT_TRUE(out["findings"].is_array());
    EXPECT_EQ(out["command"], line);
    EXPECT_FALSE(out.contains("error"));
    return out;
  }
  /// The sentence, the same in both forms; the position stays.
  std::string error(const std::string& line) {
    const std::uint32_t position = cursor().position();
    const DebuggerAnswer answer = text_.execute(line);
    EXPECT_EQ(answer.text, "") << line;
    const DebuggerAnswer in_json = json_.execute(line);
    EXPECT_EQ(in_json.error, answer.error);
    const auto object = nlohmann::json::parse(in_json.text);
    EXPECT_EQ(object["error"], answer.error);
    EXPECT_EQ(object["schema"], "depscope.replay/1");
    EXPECT_EQ(object["position"], position);
    EXPECT_EQ(cursor().position(), position);
    EXPECT_EQ(answer.error.find('\n'), std::string::npos);
    return answer.error;
  }

 private:
  recording::Recording recording_;
  Debugger text_, json_;
};

/// Rows of tasks in a list of the JSON answer.
inline std::vector<std::uint32_t> rows_of(const nlohmann::json& list) {
  std::vector<std::uint32_t> out;
  for (const auto& task : list) out.push_back(task.at("row").get<std::uint32_t>());
  return out;
}
inline std::vector<std::string> kinds_of(const nlohmann::json& list) {
  std::vector<std::string> out;
  for (const auto& holder : list) out.push_back(holder.at("kind").get<std::string>());
  return out;
}

}  // namespace depscope::app
