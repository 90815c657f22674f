#include "depscope/replay/artefacts/scope_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "depscope/base/json_reader.h"

namespace depscope::replay {
namespace {

using runtime::kRingCount;

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMaxDepth = 63;

class Reader {
 public:
  explicit Reader(const SourceFile& source) : source_(source) {}

  ScopeStats read() {
    const std::string_view text = source_.text();
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t stop = text.find('\n', begin);
      const std::size_t end = std::min(stop, text.size());
      ++line_;
      begin_ = begin;
      const std::string_view line = text.substr(begin, end - begin);
      begin = end + 1;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      try {
        if (out_.version == 0) {
          header(line);
        } else {
          sample(line);
        }
      } catch (const InputError& e) {
        const Diagnostic d = placed(e.diagnostics().front());
        if (stop != std::string_view::npos || out_.version == 0) throw InputError(d);
        out_.cut = d;
        out_.cut->byte_offset = text.size();
      }
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] Diagnostic placed(Diagnostic d) const {
    d.file = source_.name();
    d.line = line_;
    if (d.byte_offset) *d.byte_offset += begin_;
    return d;
  }

  void header(std::string_view line) {
    const SourceFile text(source_.name(), std::string(line));
    JsonReader reader(text);
    std::uint32_t version = 0;
    std::string_view key;
    reader.begin_object();
    while (reader.next_key(key)) {
      if (key == "version") {
        version = static_cast<std::uint32_t>(reader.integer(3, 6));
      } else if (key == "fatal") {
        out_.fatal = reader.boolean();
      } else if (key == "dropped") {
        out_.dropped = static_cast<std::uint64_t>(reader.integer(0, kMaxInt64));
      } else if (key == "total") {
        out_.total = static_cast<std::uint64_t>(reader.integer(0, kMaxInt64));
      } else if (key == "task_window_max") {
        by_ring(reader, out_.task_window_max);
      } else if (key == "heap_max") {
        by_ring(reader, out_.heap_max);
      } else if (key == "dep_pool_max") {
        by_ring(reader, out_.dep_pool_max);
      } else if (key == "tensormap_max") {
        out_.tensormap_max = static_cast<std::uint64_t>(reader.integer(0, kMaxInt64));
      } else {
        reader.skip();
      }
    }
    reader.end();
    if (version == 0) reader.fail_value("the first line is no header: it has no \"version\"");
    out_.version = version;
  }
  static void by_ring(JsonReader& reader, std::array<std::uint64_t, kRingCount>& out) {
    std::size_t ring = 0;
    reader.begin_array();
    while (reader.next_element()) {
      const auto value = static_cast<std::uint64_t>(reader.integer(0, kMaxInt64));
      if (ring == out.size()) reader.fail_value(fmt::format("more than {} rings", out.size()));
      out[ring++] = value;
    }
  }

  void sample(std::string_view line) {
    std::string rest(line);
    const std::string site = take_site(rest);
    const SourceFile text(source_.name(), std::move(rest));
    JsonReader reader(text);
    std::string_view key;
    std::string phase;
    std::uint32_t depth = 0, ring = 0;
    std::array<std::int64_t, 2> window{}, pool{-1, -1};
    std::array<std::uint64_t, 2> heap{};
    std::int64_t tensormap = 0;
    reader.begin_object();
    while (reader.next_key(key)) {
      if (key == "phase") {
        phase = reader.string();
        if (phase != "begin" && phase != "end") reader.fail_value("\"begin\" or \"end\" was expected");
      } else if (key == "depth") {
        depth = static_cast<std::uint32_t>(reader.integer(0, kMaxDepth));
      } else if (key == "ring") {
        ring = static_cast<std::uint32_t>(reader.integer(0, kRingCount - 1));
      } else if (key == "task_window_start" || key == "task_window_end") {
        window[key.ends_with("end") ? 1 : 0] = reader.integer(-kMaxInt64, kMaxInt64);
      } else if (key == "heap_start" || key == "heap_end") {
        heap[key.ends_with("end") ? 1 : 0] = static_cast<std::uint64_t>(reader.integer(0, kMaxInt64));
      } else if (key == "dep_pool_start" || key == "dep_pool_end") {
        pool[key.ends_with("end") ? 1 : 0] = reader.integer(-kMaxInt64, kMaxInt64);
        out_.has_dep_pool = true;
      } else if (key == "tensormap") {
        tensormap = reader.integer(-kMaxInt64, kMaxInt64);
      } else {
        reader.skip();
      }
    }
    reader.end();
    if (phase.empty()) reader.fail_value("the \"phase\" is missing");
    out_.site.push_back(site_row(site));
    out_.end.push_back(phase == "end" ? 1 : 0);
    out_.depth.push_back(depth);
    out_.ring.push_back(ring);
    out_.task_window_start.push_back(window[0]);
    out_.task_window_end.push_back(window[1]);
    out_.heap_start.push_back(heap[0]);
    out_.heap_end.push_back(heap[1]);
    out_.dep_pool_start.push_back(pool[0]);
    out_.dep_pool_end.push_back(pool[1]);
    out_.tensormap.push_back(tensormap);
  }

  /// Cuts the site out of the line, since it may hold what would have to be escaped: it ends where the next key begins.
  static std::string take_site(std::string& line) {
    constexpr std::string_view kKey = "\"site\"";
    const std::size_t key = line.find(kKey);
    const std::size_t next = line.find("\"phase\"");
    if (key == std::string::npos || next == std::string::npos || next < key) return {};
    const std::size_t open = line.find('"', key + kKey.size());
    const std::size_t close = line.rfind('"', next - 1);
    if (open == std::string::npos || close == std::string::npos || close <= open) return {};
    std::string site = line.substr(open + 1, close - open - 1);
    // As many bytes as before, so that places in the line stay what they are.
    std::fill(line.begin() + static_cast<std::ptrdiff_t>(open) + 1, line.begin() + static_cast<std::ptrdiff_t>(close), 'x');
    return site;
  }

  /// A program has a few dozen of them, and the same comes again soon.
  std::uint32_t site_row(const std::string& site) {
    const auto found = std::find(out_.sites.rbegin(), out_.sites.rend(), site);
    if (found != out_.sites.rend()) return static_cast<std::uint32_t>(out_.sites.rend() - found - 1);
    out_.sites.push_back(site);
    return static_cast<std::uint32_t>(out_.sites.size() - 1);
  }

  const SourceFile& source_;
  ScopeStats out_;
  std::uint32_t line_ = 0;
  std::size_t begin_ = 0;  // of the line
};

}  // namespace

ScopeStats read_scope_stats(const SourceFile& source) { return Reader(source).read(); }

std::string_view scope_resource_name(ScopeResource resource) {
  constexpr std::array<std::string_view, kScopeResources> kNames{"task_window", "heap", "dep_pool", "tensormap"};
  return kNames[static_cast<std::size_t>(resource)];
}

}  // namespace depscope::replay
