#include "dump_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace depscope::app {
namespace {

/// Passes that run once, in the compiler's order.
constexpr std::array<std::string_view, 17> kOrder = {"InlineFunctions",
                                                     "UnrollLoops",
                                                     "CtrlFlowTransform",
                                                     "ConvertToSSA",
                                                     "NormalizeStmtStructure",
                                                     "FlattenCallExpr",
                                                     "DeriveCallDirections",
                                                     "AutoDeriveTaskDependencies",
                                                     "ExpandManualPhaseFence",
                                                     "SynthesizeAllReduceSignals",
                                                     "MaterializeCommDomainScopes",
                                                     "LowerHostTensorCollectives",
                                                     "MaterializeDistTensorCtx",
                                                     "MaterializeRuntimeScopes",
                                                     "ClassifyIterArgCarry",
                                                     "InsertCommFence",
                                                     "MaterializeValidShapeSymbols"};

/// Place in the compiler's order, kOrder.size() if it is not known.
std::size_t rank(const Dump& dump) {
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), dump.pass) - kOrder.begin());
}

/// The program that the first line of a printed text names; empty if it names none.
std::string program_of(const Dump& dump) {
  constexpr std::string_view kHeader = "# pypto.program: ";
  std::ifstream file(dump.path, std::ios::binary);
  std::string head(kHeader.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (!file || head != kHeader) return "";
  constexpr std::size_t kLongest = 256;  // of a name worth a message
  std::string name;
  for (char c = '\0'; name.size() < kLongest && file.get(c) && c != '\n' && c != '\r';) name += c;
  return name;
}

std::string file_name(const Dump& dump) { return std::filesystem::path(dump.path).filename().string(); }

Diagnostic warning(std::string file, std::string message) {
  Diagnostic d;
  d.severity = Severity::Warning;
  d.file = std::move(file);
  d.message = std::move(message);
  return d;
}

}  // namespace

void leave_out_other_programs(std::vector<Dump>& dumps, std::vector<Diagnostic>& warnings) {
  std::vector<std::string> programs;
  programs.reserve(dumps.size());
  for (const Dump& d : dumps) programs.push_back(program_of(d));
  std::string most;
  std::ptrdiff_t most_dumps = 0;
  for (const std::string& name : programs) {
    const std::ptrdiff_t count = std::count(programs.begin(), programs.end(), name);
    if (name.empty() || count <= most_dumps) continue;  // of two as frequent ones the first
    most = name;
    most_dumps = count;
  }
  std::vector<Dump> kept;
  for (std::size_t i = 0; i < dumps.size(); ++i) {
    if (programs[i].empty() || programs[i] == most) {
      kept.push_back(std::move(dumps[i]));
      continue;
    }
    warnings.push_back(
        warning(dumps[i].path, fmt::format("dump {} is of another program ('{}', the others are of '{}'): it is left out",
                                           dumps[i].label(), programs[i], most)));
  }
  dumps = std::move(kept);
}

void restore_pass_order(std::vector<Dump>& dumps, std::vector<Diagnostic>& warnings) {
  std::vector<std::size_t> places;  // of dumps whose order is known
  for (std::size_t i = 0; i < dumps.size(); ++i) {
    if (rank(dumps[i]) < kOrder.size()) places.push_back(i);
  }
  const auto wrong = std::adjacent_find(places.begin(), places.end(),
                                        [&](std::size_t a, std::size_t b) { return rank(dumps[a]) > rank(dumps[b]); });
  if (wrong == places.end()) return;
  warnings.push_back(warning(std::filesystem::path(dumps.front().path).parent_path().string(),
                             fmt::format("{} stands before {}, but the compiler runs these passes the other way round: were "
                                         "numbers swapped? The dumps are read in the order of their passes",
                                         file_name(dumps[*wrong]), file_name(dumps[*(wrong + 1)]))));
  std::vector<Dump> ordered;
  ordered.reserve(places.size());
  for (const std::size_t place : places) ordered.push_back(std::move(dumps[place]));
  std::stable_sort(ordered.begin(), ordered.end(), [](const Dump& a, const Dump& b) { return rank(a) < rank(b); });
  for (std::size_t i = 0; i < places.size(); ++i) dumps[places[i]] = std::move(ordered[i]);
}

}  // namespace depscope::app
