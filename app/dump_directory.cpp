#include "dump_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

DumpDirectory read_dump_directory(const std::string& path) {
  DumpDirectory out;
  out.path = path;
  std::error_code error;
  if (fs::is_directory(fs::path(path) / "passes_dump", error)) out.path = (fs::path(path) / "passes_dump").string();
  for (const fs::directory_entry& entry : fs::directory_iterator(out.path, error)) {
    Dump d;
    if (!entry.is_regular_file(error) || !parse_name(entry.path().filename().string(), d)) continue;
    d.path = entry.path().string();
    out.dumps.push_back(std::move(d));
  }
  if (out.dumps.empty()) {
    Diagnostic d;
    d.file = path;
    d.message =
        "no pass dump here: files such as 00_frontend.py and NN_after_PassName.py were expected (in it, or in its passes_dump)";
    throw InputError(std::move(d));
  }
  std::sort(out.dumps.begin(), out.dumps.end(),
            [](const Dump& a, const Dump& b) { return a.number != b.number ? a.number < b.number : a.path < b.path; });
  for (std::size_t i = 0; i + 1 < out.dumps.size(); ++i) {
    if (out.dumps[i + 1].number <= out.dumps[i].number + 1) continue;
    Diagnostic d;
    d.severity = Severity::Warning;
    d.file = path;
    d.message = fmt::format("gap: no dump {:02} between {:02} and {:02}", out.dumps[i].number + 1, out.dumps[i].number,
                            out.dumps[i + 1].number);
    out.warnings.push_back(std::move(d));
  }
  const auto derive =
      std::find_if(out.dumps.begin(), out.dumps.end(), [](const Dump& d) { return d.pass == "DeriveCallDirections"; });
  // A directory that begins with DeriveCallDirections itself has nothing before it: start from that text.
  out.start = derive == out.dumps.end() ? out.dumps.size() - 1
                                        : static_cast<std::size_t>(std::max<std::ptrdiff_t>(derive - out.dumps.begin() - 1, 0));
  return out;
}

}  // namespace depscope::app
