#include "dump_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "dump_order.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDerive = "DeriveCallDirections";
constexpr std::string_view kSimplify = "Simplify";

/// The tail of the compiler's pipeline in order; the same place for what stands in the slot of CollectCommGroups.
struct TailPass {
  std::string_view name;
  int place;
};
constexpr int kSimplifyPlace = 4;
constexpr std::array<TailPass, 12> kTail = {{{kDerive, 0},
                                             {"AutoDeriveTaskDependencies", 1},
                                             {"ExpandManualPhaseFence", 2},
                                             {"CollectCommGroups", 3},
                                             {"SynthesizeAllReduceSignals", 3},
                                             {"MaterializeCommDomainScopes", 3},
                                             {"LowerHostTensorCollectives", 3},
                                             {"MaterializeDistTensorCtx", 3},
                                             {"MaterializeRuntimeScopes", 5},
                                             {"ClassifyIterArgCarry", 6},
                                             {"InsertCommFence", 7},
                                             {"MaterializeValidShapeSymbols", 8}}};

/// Place in the tail, -1 for what stands before it; Simplify counts as the one of the tail.
int tail_place(std::string_view pass) {
  if (pass == kSimplify) return kSimplifyPlace;
  const auto at = std::find_if(kTail.begin(), kTail.end(), [&](const TailPass& known) { return known.name == pass; });
  return at == kTail.end() ? -1 : at->place;
}

/// NN and the pass of "00_frontend.py" or "NN_after_PassName.py"; false for any other name.
bool parse_name(const std::string& name, Dump& dump) {
  if (!name.ends_with(".py")) return false;
  const std::string stem = name.substr(0, name.size() - 3);
  const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), dump.number);
  if (error != std::errc() || end == stem.data()) return false;
  const std::string rest(end, stem.data() + stem.size());
  if (rest == "_frontend") {
    dump.pass = "frontend";
    return true;
  }
  if (!rest.starts_with("_after_") || rest.size() == 7) return false;
  dump.pass = rest.substr(7);
  return true;
}

/// Call sites have directions exactly from DeriveCallDirections on.
bool has_directions(const Dump& dump) {
  std::ifstream file(dump.path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return text.find("\"arg_directions\"") != std::string::npos;
}

std::size_t start_of(const std::vector<Dump>& dumps) {
  const auto tail = std::find_if(dumps.begin(), dumps.end(), [](const Dump& d) { return is_tail_pass(d.pass); });
  // A directory that begins in the tail has nothing before it: start from that text.
  if (tail == dumps.begin()) return 0;
  std::size_t start = static_cast<std::size_t>(tail - dumps.begin()) - 1;
  // Without the dump of DeriveCallDirections, a Simplify may be the first or the second of the pipeline.
  if (tail != dumps.end() && tail->pass == kDerive) return start;
  while (start > 0 && dumps[start].pass == kSimplify && has_directions(dumps[start])) --start;
  return start;
}

Diagnostic warning(const std::string& file, std::string message) {
  Diagnostic d;
  d.severity = Severity::Warning;
  d.file = file;
  d.message = std::move(message);
  return d;
}

/// The directory that holds the texts: `path` or its passes_dump.
fs::path directory_of(const std::string& path) {
  fs::path directory = fs::path(path).lexically_normal();
  if (!directory.has_filename()) directory = directory.parent_path();  // "passes_dump/"
  std::error_code error;
  if (fs::is_directory(directory / "passes_dump", error)) directory /= "passes_dump";
  return directory;
}

/// By number, then by name.
std::vector<Dump> all_dumps(const fs::path& directory) {
  std::vector<Dump> dumps;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    Dump d;
    if (!entry.is_regular_file(error) || !parse_name(entry.path().filename().string(), d)) continue;
    d.path = entry.path().string();
    dumps.push_back(std::move(d));
  }
  std::sort(dumps.begin(), dumps.end(),
            [](const Dump& a, const Dump& b) { return a.number != b.number ? a.number < b.number : a.path < b.path; });
  return dumps;
}

}  // namespace

std::string Dump::label() const { return fmt::format("{:02}", number); }

bool is_tail_pass(std::string_view pass) { return pass != kSimplify && tail_place(pass) >= 0; }

DumpDirectory read_dump_directory(const std::string& path) {
  DumpDirectory out;
  const fs::path directory = directory_of(path);
  out.path = directory.string();
  out.dumps = all_dumps(directory);
  if (out.dumps.empty()) {
    Diagnostic d;
    d.file = path;
    d.message =
        "no pass dump here: files such as 00_frontend.py and NN_after_PassName.py were expected (in it, or in its passes_dump)";
    throw InputError(std::move(d));
  }
  for (std::size_t i = 0; i + 1 < out.dumps.size(); ++i) {
    const Dump& a = out.dumps[i];
    const Dump& b = out.dumps[i + 1];
    if (b.number == a.number) {
      out.warnings.push_back(
          warning(out.path, fmt::format("two dumps have the number {}: {} and {}; is one left from an earlier compilation?",
                                        a.label(), a.pass, b.pass)));
    } else if (b.number == a.number + 2) {
      out.warnings.push_back(
          warning(out.path, fmt::format("gap: no dump {:02} between {} and {}", a.number + 1, a.label(), b.label())));
    } else if (b.number > a.number + 2) {
      out.warnings.push_back(warning(out.path, fmt::format("gap: no dump {:02} to {:02} between {} and {}", a.number + 1,
                                                           b.number - 1, a.label(), b.label())));
    }
  }
  leave_out_other_programs(out.dumps, out.warnings);
  restore_pass_order(out.dumps, out.warnings);
  out.start = start_of(out.dumps);
  return out;
}

std::vector<std::string> dump_files(const std::string& path) {
  std::vector<std::string> files;
  for (const Dump& dump : all_dumps(directory_of(path))) files.push_back(dump.path);
  return files;
}

std::vector<std::string> passes_after_start(const DumpDirectory& directory, std::vector<std::string> passes) {
  const auto derive = std::find(passes.begin(), passes.end(), kDerive);
  passes.erase(passes.begin(), derive);
  const Dump& start = directory.dumps[directory.start];
  if (start.pass == kSimplify ? !has_directions(start) : !is_tail_pass(start.pass)) return passes;
  // The text has these behind it already. DeriveCallDirections keeps the directions that are given, and records them.
  const int place = tail_place(start.pass);
  std::erase_if(passes, [&](const std::string& pass) { return pass != kDerive && tail_place(pass) <= place; });
  return passes;
}

}  // namespace depscope::app
