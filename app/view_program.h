// The window is a program of its own, depscope-view, so that an installation without a screen stays small.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace depscope::app {

inline constexpr const char* kViewProgram = "depscope-view";

/// A program beside this one, else on PATH; none if there is none.
[[nodiscard]] std::optional<std::filesystem::path> find_program(const std::string& name);

/// Exit status of a program that has ended by itself; its output is dropped with `quiet`. None if it took longer than `limit`
/// (then it is ended). Throws InputError if it cannot be started or was ended by a signal.
[[nodiscard]] std::optional<int> run_program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                                             bool quiet = false, std::optional<std::chrono::seconds> limit = std::nullopt);

}  // namespace depscope::app
