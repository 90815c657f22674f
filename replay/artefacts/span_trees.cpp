#include <algorithm>
#include <tuple>
#include <utility>

#include "depscope/replay/artefacts/span_rounds.h"

namespace depscope::replay {
namespace {

bool has_other_ids(std::string_view name) {
  constexpr std::array<std::string_view, 5> kFamilies{"node", "network1", "network2", "network3", "ext"};
  const std::size_t dot = name.find('.');
  return dot != std::string_view::npos && std::find(kFamilies.begin(), kFamilies.end(), name.substr(0, dot)) != kFamilies.end();
}

class Trees {
 public:
  explicit Trees(const RunLog& log) : log_(log), s_(log.spans) {}

  SpanTrees build() {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint8_t> other(log_.names.size());
    for (std::uint32_t name = 0; name < other.size(); ++name) other[name] = has_other_ids(log_.text(name)) ? 1 : 0;
    for (std::uint32_t row = 0; row < s_.rows(); ++row) {
      if (other[s_.name[row]] == 0) rows.push_back(row);
    }
    out_.left_out = s_.rows() - rows.size();
    const auto key = [&](std::uint32_t row) { return std::pair(s_.pid[row], s_.inv[row]); };
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    out_.span.reserve(rows.size());
    out_.parent.reserve(rows.size());
    for (std::size_t begin = 0; begin < rows.size();) {
      std::size_t end = begin;
      while (end < rows.size() && key(rows[end]) == key(rows[begin])) ++end;
      invocation({rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.begin() + static_cast<std::ptrdiff_t>(end)});
      begin = end;
    }
    return std::move(out_);
  }

 private:
  /// `rows` in the order of the log.
  void invocation(const std::vector<std::uint32_t>& rows) {
    Invocation& of = out_.invocations.emplace_back();
    of.pid = s_.pid[rows.front()];
    of.inv = s_.inv[rows.front()];
    of.hid = s_.hid[rows.front()];
    of.begin = static_cast<std::uint32_t>(out_.span.size());
    const auto root =
        std::find_if(rows.begin(), rows.end(), [&](std::uint32_t row) { return log_.text(s_.name[row]) == "chip.run"; });
    if (root != rows.end()) of.hid = s_.hid[*root];
    lay_out(rows, adopted(rows));
    of.end = static_cast<std::uint32_t>(out_.span.size());
  }

  /// By place in `rows`: the place of the parent, the number of rows for roots.
  [[nodiscard]] std::vector<std::uint32_t> adopted(const std::vector<std::uint32_t>& rows) const {
    const auto count = static_cast<std::uint32_t>(rows.size());
    std::vector<std::uint32_t> parent(rows.size(), count);
    std::vector<std::uint32_t> waiting;  // of no parent yet, depths do not fall
    for (std::uint32_t i = 0; i < count; ++i) {
      while (!waiting.empty() && s_.depth[rows[waiting.back()]] > s_.depth[rows[i]]) {
        parent[waiting.back()] = i;
        waiting.pop_back();
      }
      waiting.push_back(i);
    }
    return parent;
  }

  /// Without recursion: a tree may be as deep as the log is long.
  void lay_out(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& parent) {
    std::vector<std::uint32_t> children(rows.size());
    for (std::uint32_t i = 0; i < children.size(); ++i) children[i] = i;
    const auto order = [&](std::uint32_t i) { return std::tuple(parent[i], s_.device[rows[i]], s_.ts[rows[i]]); };
    std::stable_sort(children.begin(), children.end(), [&](std::uint32_t a, std::uint32_t b) { return order(a) < order(b); });
    std::vector<std::uint32_t> first(rows.size() + 2);  // of the children, by parent
    for (const std::uint32_t of : parent) ++first[of + 1];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open;  // row, and where its parent stands
    const auto open_children = [&](std::uint32_t of, std::uint32_t at) {
      for (std::uint32_t i = first[of + 1]; i != first[of]; --i) open.emplace_back(children[i - 1], at);
    };
    open_children(static_cast<std::uint32_t>(rows.size()), kNoSpan);
    while (!open.empty()) {
      const auto [i, above] = open.back();
      open.pop_back();
      const auto at = static_cast<std::uint32_t>(out_.span.size());
      out_.span.push_back(rows[i]);
      out_.parent.push_back(above);
      open_children(i, at);
    }
  }

  const RunLog& log_;
  const decltype(RunLog::spans)& s_;
  SpanTrees out_;
};

}  // namespace

SpanTrees span_trees(const RunLog& log) { return Trees(log).build(); }

}  // namespace depscope::replay
