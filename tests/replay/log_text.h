// Logs for tests: samples, and lines made up.
#pragma once

#include <string>
#include <utility>

#include "depscope/base/diagnostics.h"
#include "temporary_directory.h"

namespace depscope::replay {

inline std::string sample_text(const std::string& name) {
  return read_bytes(std::string(DEPSCOPE_TEST_DATA) + "/artefacts/" + name);
}
inline SourceFile source_of(std::string text) { return {"run.log", std::move(text)}; }

/// A record of a span as the tool chain writes it.
inline std::string span_record(std::uint64_t inv, int depth, const std::string& name, std::uint64_t ts, std::uint64_t dur,
                               const std::string& more = "", const std::string& hid = "ab") {
  return "[STRACE] v=1 pid=7 tid=8 inv=" + std::to_string(inv) + " hid=" + hid + " depth=" + std::to_string(depth) +
         " name=" + name + " ts=" + std::to_string(ts) + " dur=" + std::to_string(dur) + " " + more;
}

}  // namespace depscope::replay
