// Dump directories for tests: those of tests/data/dumps/tails with the dumps put back that repeat the one before, and those
// outside the project.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace depscope::app {

/// The tail of the compiler's pipeline (ir-text.md 1.1), dump 37 first.
inline constexpr std::array<const char*, 13> kTailDumps = {
    "37_after_FuseCreateAssembleToSlice",   "38_after_DeriveCallDirections",       "39_after_AutoDeriveTaskDependencies",
    "40_after_ExpandManualPhaseFence",      "41_after_SynthesizeAllReduceSignals", "42_after_MaterializeCommDomainScopes",
    "43_after_LowerHostTensorCollectives",  "44_after_MaterializeDistTensorCtx",   "45_after_Simplify",
    "46_after_MaterializeRuntimeScopes",    "47_after_ClassifyIterArgCarry",       "48_after_InsertCommFence",
    "49_after_MaterializeValidShapeSymbols"};

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Folders below `folder`, sorted.
inline std::vector<std::filesystem::path> folders_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  if (!std::filesystem::is_directory(folder)) return out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_directory()) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Copies a folder of tails to `to`, whole: a dump that is not there says the same as the one before it.
inline void restore_tail(const std::filesystem::path& tail, const std::filesystem::path& to) {
  std::filesystem::create_directories(to);
  std::string text;
  for (const char* name : kTailDumps) {
    const std::string file = std::string(name) + ".py";
    if (std::filesystem::exists(tail / file)) text = text_of(tail / file);
    write_text(to / file, text);
  }
}

/// Every passes_dump of the corpus and of the samples, where they are at hand.
inline std::vector<std::filesystem::path> outside_dump_directories() {
  std::vector<std::filesystem::path> out;
  for (const char* folder : {"corpus", "samples/dumps"}) {
    for (const auto& program : folders_in(std::filesystem::path(DEPSCOPE_SHARED) / folder)) {
      for (const auto& mode : folders_in(program)) {
        if (std::filesystem::is_directory(mode / "passes_dump")) out.push_back(mode / "passes_dump");
      }
    }
  }
  return out;
}

}  // namespace depscope::app
