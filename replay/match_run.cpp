// Rows of the run: edges, accesses, tensors, scopes.
#include <fmt/format.h>

#include <array>
#include <string>
#include <unordered_map>

#include "compare_sequences.h"
#include "depscope/ir/text.h"
#include "depscope/runtime/sink.h"
#include "id_table.h"
#include "match_tables.h"
#include "row_groups.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

/// Edges that a file of the runtime's own replay would have, too: by edges row; empty if that does not matter.
std::vector<bool> printed_edges(const Recording& r, bool printed_only) {
  std::vector<bool> out;
  if (!printed_only) return out;
  out.assign(r.edges.rows(), false);
  for (std::uint32_t i = 0; i < r.edge_reasons.rows(); ++i) {
    if (r.edge_reasons.replay_row[i] != 0) out[r.edge_reasons.edge[i]] = true;
  }
  return out;
}

void leave_out(std::vector<std::uint32_t>& only, const std::vector<bool>& printed) {
  if (!printed.empty()) std::erase_if(only, [&](std::uint32_t edge) { return !printed[edge]; });
}

std::vector<std::uint32_t> unmatched(const std::vector<std::uint32_t>& counterpart) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t row = 0; row < counterpart.size(); ++row) {
    if (counterpart[row] == kNoRow) out.push_back(row);
  }
  return out;
}

/// By tensors row: the task that owns the buffer, none for memory from outside and for owners without a row.
std::vector<std::uint32_t> owners(const Side& side) {
  IdTable rows;
  rows.reserve(side.tasks());
  for (std::uint32_t t = 0; t < side.tasks(); ++t) rows.find_or_add(side.r.tasks.id[t], 0, t);
  std::vector<std::uint32_t> out;
  out.reserve(side.r.tensors.rows());
  for (const std::uint64_t owner : side.r.tensors.owner)
    out.push_back(owner == runtime::kInvalidTask ? kNoRow : rows.find(owner));
  return out;
}

/// Memory from outside by what it is called: the tensors row, kNoRow for a name that stands for several.
using NamedTensors = std::unordered_map<std::string, std::uint32_t>;  // only looked up
std::string tensor_key(const Recording& r, std::uint32_t tensor) {
  return fmt::format("{} {} {}", ir::source_name(r.text(r.tensors.name[tensor])), r.tensors.version[tensor],
                     r.tensors.manual_dep[tensor]);
}
bool named_from_outside(const Recording& r, std::uint32_t tensor) {
  return r.tensors.name[tensor] != 0 && r.tensors.owner[tensor] == runtime::kInvalidTask;
}
NamedTensors named_tensors(const Recording& r) {
  NamedTensors out;
  for (std::uint32_t t = 0; t < r.tensors.rows(); ++t) {
    if (!named_from_outside(r, t)) continue;
    const auto [at, fresh] = out.emplace(tensor_key(r, t), t);
    if (!fresh) at->second = kNoRow;
  }
  return out;
}

}  // namespace

/// Edges that the other side's kind of file would not print are left out on both sides.
void match_edges(const Side& a, const Side& b, const TaskAlignment& tasks, Matching& out) {
  begin_matching(out.edges, a.r.edges.rows(), b.r.edges.rows());
  const bool printed_only = !a.known.all_discoveries || !b.known.all_discoveries;
  const std::vector<bool> printed_a = printed_edges(a.r, printed_only);
  const std::vector<bool> printed_b = printed_edges(b.r, printed_only);
  std::vector<std::uint32_t> edge_of_producer(b.tasks(), kNoRow);  // of the consumer at hand, and of earlier ones
  for (std::uint32_t ta = 0; ta < a.tasks(); ++ta) {
    const std::uint32_t tb = tasks.b_of_a[ta];
    if (tb == kNoRow || a.edge_begin[ta] == a.edge_begin[ta + 1]) continue;
    for (std::uint32_t e = b.edge_begin[tb]; e < b.edge_begin[tb + 1]; ++e) {
      if (printed_b.empty() || printed_b[e]) edge_of_producer[b.r.edges.producer[e]] = e;
    }
    for (std::uint32_t e = a.edge_begin[ta]; e < a.edge_begin[ta + 1]; ++e) {
      const std::uint32_t producer = tasks.b_of_a[a.r.edges.producer[e]];
      if (producer == kNoRow || (!printed_a.empty() && !printed_a[e])) continue;
      const std::uint32_t other = edge_of_producer[producer];
      if (other != kNoRow && b.r.edges.consumer[other] == tb) match_if_free(out.edges, e, other);
    }
  }
  out.edges.only_a = unmatched(out.edges.b_of_a);
  out.edges.only_b = unmatched(out.edges.a_of_b);
  leave_out(out.edges.only_a, printed_a);
  leave_out(out.edges.only_b, printed_b);
}

void match_accesses(const Side& a, const Side& b, const TaskAlignment& tasks, Matching& out) {
  begin_matching(out.accesses, a.r.accesses.rows(), b.r.accesses.rows());
  const auto& arg_a = a.r.accesses.arg;
  const auto& arg_b = b.r.accesses.arg;
  for (std::uint32_t ta = 0; ta < a.tasks(); ++ta) {
    const std::uint32_t tb = tasks.b_of_a[ta];
    if (tb == kNoRow) continue;
    std::uint32_t i = a.access_begin[ta];
    std::uint32_t j = b.access_begin[tb];
    while (i < a.access_begin[ta + 1] && j < b.access_begin[tb + 1]) {
      if (arg_a[i] != arg_b[j]) {
        ++(arg_a[i] < arg_b[j] ? i : j);
      } else {
        match_if_free(out.accesses, i++, j++);
      }
    }
  }
}

void match_tensors(const Side& a, const Side& b, const TaskAlignment& tasks, Matching& out) {
  begin_matching(out.tensors, a.r.tensors.rows(), b.r.tensors.rows());
  const NamedTensors named_a = named_tensors(a.r);
  const NamedTensors named_b = named_tensors(b.r);
  for (std::uint32_t t = 0; t < a.r.tensors.rows(); ++t) {
    if (!named_from_outside(a.r, t)) continue;
    const std::string key = tensor_key(a.r, t);
    const auto other = named_b.find(key);
    if (named_a.at(key) == t && other != named_b.end() && other->second != kNoRow) match_if_free(out.tensors, t, other->second);
  }
  const std::vector<std::uint32_t> owner_a = owners(a);
  const std::vector<std::uint32_t> owner_b = owners(b);
  for (std::uint32_t i = 0; i < out.accesses.b_of_a.size(); ++i) {
    const std::uint32_t j = out.accesses.b_of_a[i];
    if (j == kNoRow) continue;
    const std::uint32_t x = a.r.accesses.tensor[i];
    const std::uint32_t y = b.r.accesses.tensor[j];
    // A buffer that a task made is that of its counterpart, whoever else reads what in its place.
    const bool outside_a = a.r.tensors.owner[x] == runtime::kInvalidTask;
    const bool outside_b = b.r.tensors.owner[y] == runtime::kInvalidTask;
    if (outside_a != outside_b) continue;
    if (owner_a[x] != kNoRow && tasks.b_of_a[owner_a[x]] != owner_b[y]) continue;
    match_if_free(out.tensors, x, y);
  }
}

/// By the tasks in them, those first that agree in more; then by what is around them; the rest in order.
void match_scopes(const Side& a, const Side& b, const TaskAlignment& tasks, Matching& out) {
  begin_matching(out.scopes, a.r.scopes.rows(), b.r.scopes.rows());
  const auto& x = a.r.scopes;
  const auto& y = b.r.scopes;
  MatchedRows& rows = out.scopes;
  const auto same_depth = [&](std::uint32_t i, std::uint32_t j) { return x.depth[i] == y.depth[j]; };
  const auto same_mode = [&](std::uint32_t i, std::uint32_t j) { return x.manual[i] == y.manual[j] && x.owner[i] == y.owner[j]; };
  // What is around everything.
  for (std::uint32_t i = 0, j = 0; i < x.rows() && j < y.rows(); ++i, ++j) {
    while (i < x.rows() && x.parent[i] != kNoRow) ++i;
    while (j < y.rows() && y.parent[j] != kNoRow) ++j;
    if (i < x.rows() && j < y.rows() && same_mode(i, j)) match_if_free(rows, i, j);
  }
  for (const int strictness : {2, 1, 0}) {
    for (std::uint32_t ta = 0; ta < a.tasks(); ++ta) {
      const std::uint32_t tb = tasks.b_of_a[ta];
      if (tb == kNoRow) continue;
      std::uint32_t i = a.r.tasks.scope[ta];
      std::uint32_t j = b.r.tasks.scope[tb];
      // Scopes around matched ones of one depth are the same, as far as nobody has said otherwise.
      for (bool inner = true; i != kNoRow && j != kNoRow; inner = false) {
        const bool agree = (strictness == 0 && inner) || (same_depth(i, j) && (strictness < 2 || same_mode(i, j)));
        if (agree) match_if_free(rows, i, j);
        if (rows.b_of_a[i] != j) break;
        i = x.parent[i];
        j = y.parent[j];
      }
    }
  }
  const RowGroups inside_a = groups_of(x.parent, x.rows());
  const RowGroups inside_b = groups_of(y.parent, y.rows());
  std::vector<std::uint32_t> left_a;
  std::vector<std::uint32_t> left_b;
  for (std::uint32_t i = 0; i < x.rows(); ++i) {  // parents come before what is in them
    const std::uint32_t j = rows.b_of_a[i];
    if (j == kNoRow) continue;
    left_a.clear();
    left_b.clear();
    for (const std::uint32_t s : inside_a.of(i)) {
      if (rows.b_of_a[s] == kNoRow) left_a.push_back(s);
    }
    for (const std::uint32_t s : inside_b.of(j)) {
      if (rows.a_of_b[s] == kNoRow) left_b.push_back(s);
    }
    if (left_a.empty() || left_b.empty()) continue;
    SequenceKeys keys;
    for (const std::uint32_t s : left_a) keys.a.push_back(std::uint32_t{x.manual[s]} << 8U | x.owner[s]);
    for (const std::uint32_t s : left_b) keys.b.push_back(std::uint32_t{y.manual[s]} << 8U | y.owner[s]);
    for (const auto& [p, q] : match_sequences({std::move(keys)}, Leftover::Unmatched)) match_if_free(rows, left_a[p], left_b[q]);
  }
}

}  // namespace depscope::replay
