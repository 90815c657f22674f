#include "depscope/replay/dot_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string>
#include <string_view>

#include "check_names.h"
#include "depscope/runtime/submission.h"

namespace depscope::replay {
namespace {

constexpr std::size_t kFlushAt = std::size_t{1} << 16U;

/// In double quotes; a backslash begins an escape of Graphviz.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

std::string_view colour(std::uint8_t provenance) {
  if ((provenance & (runtime::kUser | runtime::kExplicit)) != 0) return "#c0392b";
  if ((provenance & (runtime::kCompiler | runtime::kFence)) != 0) return "#2457a8";
  if ((provenance & runtime::kTensorMap) != 0) return "#2e7d32";
  return "#707070";
}

std::string_view line(std::uint8_t flags, std::uint8_t flags_final) {
  if ((flags_final & runtime::kWait) != 0) return "solid";
  return (flags & runtime::kWait) != 0 ? "dotted" : "dashed";
}

std::string label(std::uint8_t flags, std::uint8_t provenance) {
  return fmt::format("{} {}", fmt::join(runtime::provenance_names(provenance), "+"),
                     fmt::join(runtime::dep_flag_names(flags), " "));
}

}  // namespace

void write_dot(const recording::Recording& r, const TextOutput& output) {
  const TaskNames names(r, TaskReference::Row);
  fmt::memory_buffer text;
  const auto put = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
    if (text.size() < kFlushAt) return;
    output({text.data(), text.size()});
    text.clear();
  };
  put("digraph tasks {{\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n  edge "
      "[fontname=\"sans-serif\", fontsize=8];\n");
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
    const auto kind = static_cast<runtime::TaskKind>(r.tasks.kind[t]);
    const std::string_view shape =
        kind == runtime::TaskKind::Alloc ? "cylinder" : (kind == runtime::TaskKind::Dummy ? "diamond" : "box");
    put("  t{} [label={}, shape={}];\n", t, quoted(names.text(t)), shape);
  }
  for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
    const std::uint8_t flags = r.edges.flags[e], provenance = r.edges.provenance[e];
    put("  t{} -> t{} [color=\"{}\", style={}, label={}];\n", r.edges.producer[e], r.edges.consumer[e], colour(provenance),
        line(flags, r.edges.flags_final[e]), quoted(label(flags, provenance)));
  }
  put("}}\n");
  output({text.data(), text.size()});
}

}  // namespace depscope::replay
