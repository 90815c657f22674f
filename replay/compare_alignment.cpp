#include "compare_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>

#include "compare_sequences.h"
#include "id_table.h"
#include "row_groups.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using runtime::TaskKind;

struct TaskMatching {
  std::vector<std::uint32_t> b_of_a, a_of_b;
  std::uint32_t matched = 0;
  std::uint32_t mismatches = 0;  ///< matched, though something else says that they are not the same
  bool whole = false;            ///< every task that must have a counterpart has one

  TaskMatching(const Side& a, const Side& b) : b_of_a(a.tasks(), kNoRow), a_of_b(b.tasks(), kNoRow) {}
  void match(std::uint32_t a, std::uint32_t b) {
    b_of_a[a] = b;
    a_of_b[b] = a;
    ++matched;
  }
  [[nodiscard]] bool free(std::uint32_t a, std::uint32_t b) const { return b_of_a[a] == kNoRow && a_of_b[b] == kNoRow; }
};

std::span<const std::uint32_t> iteration(const Side& side, std::uint32_t task) {
  return {side.r.pool.data() + side.r.tasks.iteration_begin[task], side.r.tasks.iteration_begin_count[task]};
}

/// Ids used twice (a trace may do that) keep apart by their order.
IdTable rows_by_id(const Side& side, std::vector<std::uint32_t>& use) {
  IdTable table;
  table.reserve(side.tasks());
  use.assign(side.tasks(), 0);
  std::unordered_map<std::uint64_t, std::uint32_t> used_again;  // looked up only
  for (std::uint32_t t = 0; t < side.tasks(); ++t) {
    const std::uint64_t id = side.r.tasks.id[t];
    if (table.find_or_add(id, 0, t) == t) continue;
    use[t] = ++used_again[id];
    table.find_or_add(id, use[t], t);
  }
  return table;
}

class TaskMatcher {
 public:
  TaskMatcher(const Side& a, const Side& b, const SiteAlignment& sites, TaskAlignment& out)
      : a_(a), b_(b), sites_(sites), out_(out) {}

  void run() {
    number_kernels();
    const bool programs = a_.known.program && b_.known.program;
    for (const auto& [side, bytes] : {std::pair{&a_, &must_a_}, std::pair{&b_, &must_b_}}) {
      const Side& other = side == &a_ ? b_ : a_;
      for (std::uint32_t t = 0; t < side->tasks(); ++t) *bytes += TaskAlignment::must_match(*side, other, t) ? 1 : 0;
    }
    TaskMatching by_id = match_ids(programs);
    const bool agree = by_id.mismatches == 0;
    if (agree && by_id.whole) return take(AlignedBy::TaskId, std::move(by_id));
    if (programs) {
      TaskMatching by_site = match_sites();
      if (agree && by_id.matched != 0 && by_id.matched >= by_site.matched) return take(AlignedBy::TaskId, std::move(by_id));
      if (by_site.matched * std::uint64_t{2} >= std::min(must_a_, must_b_))
        return take(AlignedBy::CallSiteIteration, std::move(by_site));
      TaskMatching by_kernel = match_kernels();
      if (by_kernel.matched > by_site.matched) return take(AlignedBy::KernelOrdinal, std::move(by_kernel));
      return take(AlignedBy::CallSiteIteration, std::move(by_site));
    }
    if (by_id.whole && by_id.mismatches * std::uint64_t{10} <= by_id.matched) return take(AlignedBy::TaskId, std::move(by_id));
    TaskMatching by_kernel = match_kernels();
    const std::uint32_t same = agree && alike(by_id) ? by_id.matched : 0;
    if (by_kernel.matched > same) return take(AlignedBy::KernelOrdinal, std::move(by_kernel));
    take(AlignedBy::TaskId, std::move(by_id));
  }

 private:
  void take(AlignedBy by, TaskMatching&& matching) {
    out_.by = by;
    out_.b_of_a = std::move(matching.b_of_a);
    out_.a_of_b = std::move(matching.a_of_b);
    out_.matched = matching.matched;
    if (out_.kernels_known) find_renamed();
    number_tasks();
  }

  void number_kernels() {
    const bool by_name = a_.known.kernel_names && b_.known.kernel_names;
    KeyNumbers numbers;
    const auto number = [&](const Side& side, const Kernel& k) {
      const std::string key = k.kind != TaskKind::Kernel ? fmt::format("{}", static_cast<int>(k.kind))
                              : by_name && k.callee != 0 ? fmt::format("name {}", side.r.text(k.callee))
                                                         : fmt::format("ids {} {} {}", k.ids[0], k.ids[1], k.ids[2]);
      const std::uint32_t common = numbers.of(key);
      if (common == out_.labels.size()) {
        out_.labels.push_back(side.kernel_label(k));
        in_a_.push_back(0);
        in_b_.push_back(0);
      } else if (k.callee != 0 && !a_.known.kernel_names) {
        out_.labels[common] = side.kernel_label(k);  // a name says more than numbers
      }
      (side.letter == 'a' ? in_a_ : in_b_)[common] = 1;
      return common;
    };
    const auto known = [](const Side& side) { return side.known.kernel_ids || side.known.kernel_names; };
    out_.kernels_known = known(a_) && known(b_);
    for (const Kernel& k : a_.kernels) common_a_.push_back(number(a_, k));
    for (const Kernel& k : b_.kernels) common_b_.push_back(number(b_, k));
    partner_a_.assign(out_.labels.size(), kNoRow);
    partner_b_.assign(out_.labels.size(), kNoRow);
  }

  [[nodiscard]] std::uint32_t kernel_a(std::uint32_t task) const { return common_a_[a_.kernel[task]]; }
  [[nodiscard]] std::uint32_t kernel_b(std::uint32_t task) const { return common_b_[b_.kernel[task]]; }

  /// Whether two tasks can be said to run the same: equal kernels, or one that only a has always for one that only b has.
  bool same_kernel(std::uint32_t task_a, std::uint32_t task_b) {
    if (!out_.kernels_known) return true;
    const std::uint32_t ka = kernel_a(task_a);
    const std::uint32_t kb = kernel_b(task_b);
    if (ka == kb) return true;
    if (in_b_[ka] != 0 || in_a_[kb] != 0 || a_.kind(task_a) != b_.kind(task_b)) return false;
    if (partner_a_[ka] == kNoRow && partner_b_[kb] == kNoRow) {
      partner_a_[ka] = kb;
      partner_b_[kb] = ka;
    }
    return partner_a_[ka] == kb && partner_b_[kb] == ka;
  }

  [[nodiscard]] bool same_site(std::uint32_t task_a, std::uint32_t task_b) const {
    const std::uint32_t sa = a_.r.tasks.call_site[task_a];
    const std::uint32_t sb = b_.r.tasks.call_site[task_b];
    if (sa == kNoRow || sb == kNoRow) return sa == sb;
    return sites_.b_of_a[sa] == sb && std::ranges::equal(iteration(a_, task_a), iteration(b_, task_b));
  }

  TaskMatching match_ids(bool programs) {
    TaskMatching out(a_, b_);
    std::vector<std::uint32_t> use_a;
    std::vector<std::uint32_t> use_b;
    rows_a_ = rows_by_id(a_, use_a);
    rows_b_ = rows_by_id(b_, use_b);
    std::uint32_t must_a = 0;
    std::uint32_t must_b = 0;
    for (std::uint32_t tb = 0; tb < b_.tasks(); ++tb) {
      const std::uint32_t ta = rows_a_.find(b_.r.tasks.id[tb], use_b[tb]);
      if (ta == kNoRow) continue;
      out.match(ta, tb);
      must_a += TaskAlignment::must_match(a_, b_, ta) ? 1 : 0;
      must_b += TaskAlignment::must_match(b_, a_, tb) ? 1 : 0;
      const bool same = programs ? same_site(ta, tb) : a_.is_alloc(ta) || b_.is_alloc(tb) || same_kernel(ta, tb);
      if (!same) ++out.mismatches;
    }
    out.whole = must_a == must_a_ && must_b == must_b_;
    return out;
  }

  /// Whether all matched tasks take arguments of the same shape.
  bool alike(const TaskMatching& matching) {
    if (matching.matched == 0 || !a_.known.geometry || !b_.known.geometry) return false;
    sign();
    for (std::uint32_t t = 0; t < a_.tasks(); ++t) {
      if (matching.b_of_a[t] != kNoRow && !a_.is_alloc(t) && signature_a_[t] != signature_b_[matching.b_of_a[t]]) return false;
    }
    return true;
  }

  /// A number for what the arguments of a task look like, without the buffers they stand for; what only one side says counts
  /// on neither.
  [[nodiscard]] std::vector<std::uint32_t> signatures(const Side& side) const {
    const auto& accesses = side.r.accesses;
    const bool blocks = a_.known.block_num && b_.known.block_num;
    const bool geometry = a_.known.geometry && b_.known.geometry;
    const std::uint32_t words = a_.known.strides && b_.known.strides ? 1 : 3;  // of a geometry: all, or the first third
    std::vector<std::uint32_t> out(side.tasks());
    for (std::uint32_t t = 0; t < side.tasks(); ++t) {
      std::uint64_t hash = blocks ? side.r.tasks.block_num[t] : 0;
      const auto mix = [&hash](std::uint64_t value) {
        hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
        hash ^= hash >> 32U;
      };
      for (std::uint32_t k = side.access_begin[t]; geometry && k < side.access_begin[t + 1]; ++k) {
        mix(std::uint64_t{accesses.arg[k]} << 8U | accesses.kind[k]);
        // Of a created buffer a trace and a deps.json know nothing.
        if (static_cast<runtime::ArgKind>(accesses.kind[k]) == runtime::ArgKind::Output) continue;
        mix(accesses.start_offset[k]);
        for (std::uint32_t w = 0; w < accesses.geometry_begin_count[k] / words; ++w)
          mix(side.r.pool[accesses.geometry_begin[k] + w]);
      }
      out[t] = static_cast<std::uint32_t>(hash);
    }
    return out;
  }

  void sign() {
    if (!signature_a_.empty()) return;
    signature_a_ = signatures(a_);
    signature_b_ = signatures(b_);
  }

  /// Tasks of one call site by iteration, those of one iteration (a batch) by their order; allocations without a call site by
  /// their readers.
  TaskMatching match_sites() {
    TaskMatching out(a_, b_);
    const RowGroups tasks_a = groups_of(a_.r.tasks.call_site, a_.r.call_sites.rows());
    const RowGroups tasks_b = groups_of(b_.r.tasks.call_site, b_.r.call_sites.rows());
    std::vector<std::uint32_t> rows_a;
    std::vector<std::uint32_t> rows_b;
    for (std::uint32_t site = 0; site < a_.r.call_sites.rows(); ++site) {
      const std::uint32_t other = sites_.b_of_a[site];
      if (other == kNoRow) continue;
      by_iteration(a_, tasks_a.of(site), rows_a);
      by_iteration(b_, tasks_b.of(other), rows_b);
      for (std::size_t i = 0, j = 0; i < rows_a.size() && j < rows_b.size();) {
        const auto x = iteration(a_, rows_a[i]);
        const auto y = iteration(b_, rows_b[j]);
        const auto order = std::lexicographical_compare_three_way(x.begin(), x.end(), y.begin(), y.end());
        if (order == 0) {
          out.match(rows_a[i++], rows_b[j++]);
        } else if (order < 0) {
          ++i;
        } else {
          ++j;
        }
      }
    }
    match_allocations(out, true, false);
    return out;
  }

  static void by_iteration(const Side& side, std::span<const std::uint32_t> tasks, std::vector<std::uint32_t>& out) {
    out.assign(tasks.begin(), tasks.end());
    const auto earlier = [&side](std::uint32_t x, std::uint32_t y) {
      const auto i = iteration(side, x);
      const auto j = iteration(side, y);
      return std::lexicographical_compare(i.begin(), i.end(), j.begin(), j.end());
    };
    if (!std::is_sorted(out.begin(), out.end(), earlier)) std::stable_sort(out.begin(), out.end(), earlier);
  }

  /// Tasks of one kernel in their order; those whose arguments look the same first.
  TaskMatching match_kernels() {
    TaskMatching out(a_, b_);
    sign();
    const auto kernels = std::max(static_cast<std::uint32_t>(out_.labels.size()), 1U);
    // Without its name an allocation is told by who reads it. Where kernels are not known, all tasks are of one kind.
    const auto of = [this](const Side& side, const std::vector<std::uint32_t>& common, std::uint32_t t) {
      return side.is_alloc(t) ? kNoRow : (out_.kernels_known ? common[side.kernel[t]] : 0);
    };
    const RowGroups tasks_a(kernels, a_.tasks(), [&](std::uint32_t t) { return of(a_, common_a_, t); });
    const RowGroups tasks_b(kernels, b_.tasks(), [&](std::uint32_t t) { return of(b_, common_b_, t); });
    std::vector<std::uint32_t> only_b;
    for (std::uint32_t k = 0; k < kernels; ++k) {
      if (tasks_a.of(k).empty() && !tasks_b.of(k).empty()) only_b.push_back(k);
    }
    for (std::uint32_t k = 0; k < kernels; ++k) {
      auto with = tasks_b.of(k);
      if (tasks_a.of(k).empty()) continue;
      if (with.empty()) {  // renamed: one that only b has, with the same tasks
        const auto renamed = std::find_if(only_b.begin(), only_b.end(), [&](std::uint32_t other) {
          return std::ranges::equal(tasks_a.of(k), tasks_b.of(other),
                                    [&](auto ta, auto tb) { return signature_a_[ta] == signature_b_[tb]; });
        });
        if (renamed == only_b.end()) continue;
        with = tasks_b.of(*renamed);
        only_b.erase(renamed);
      }
      SequenceKeys keys;
      for (const std::uint32_t t : tasks_a.of(k)) keys.a.push_back(signature_a_[t]);
      for (const std::uint32_t t : with) keys.b.push_back(signature_b_[t]);
      for (const auto& [i, j] : match_sequences({std::move(keys)}, Leftover::InOrder)) out.match(tasks_a.of(k)[i], with[j]);
    }
    match_allocations(out, false, true);
    return out;
  }

  /// Allocations by who uses them, then, if there are as many left or `in_order`, as they come. `nameless`: only those that no
  /// call site has made.
  void match_allocations(TaskMatching& out, bool nameless, bool in_order) const {
    const auto candidate = [&](const Side& side, std::uint32_t task) {
      return side.is_alloc(task) && (!nameless || side.r.tasks.call_site[task] == kNoRow);
    };
    const auto owner = [&](const Side& side, const IdTable& rows, std::uint32_t access) {
      const std::uint64_t id = side.r.tensors.owner[side.r.accesses.tensor[access]];
      const std::uint32_t row = id == runtime::kInvalidTask ? kNoRow : rows.find(id);
      return row != kNoRow && candidate(side, row) ? row : kNoRow;
    };
    for (std::uint32_t ta = 0; ta < a_.tasks(); ++ta) {
      const std::uint32_t tb = out.b_of_a[ta];
      if (tb == kNoRow) continue;
      std::uint32_t j = b_.access_begin[tb];
      for (std::uint32_t i = a_.access_begin[ta]; i < a_.access_begin[ta + 1] && j < b_.access_begin[tb + 1]; ++i, ++j) {
        const std::uint32_t oa = owner(a_, rows_a_, i);
        const std::uint32_t ob = owner(b_, rows_b_, j);
        if (oa != kNoRow && ob != kNoRow && out.free(oa, ob)) out.match(oa, ob);
      }
    }
    const auto left = [&](const Side& side, const std::vector<std::uint32_t>& counterpart) {
      std::vector<std::uint32_t> tasks;
      for (std::uint32_t t = 0; t < side.tasks(); ++t) {
        if (counterpart[t] == kNoRow && candidate(side, t)) tasks.push_back(t);
      }
      return tasks;
    };
    const std::vector<std::uint32_t> left_a = left(a_, out.b_of_a);
    const std::vector<std::uint32_t> left_b = left(b_, out.a_of_b);
    if (!in_order && left_a.size() != left_b.size()) return;
    for (std::size_t i = 0; i < std::min(left_a.size(), left_b.size()); ++i) out.match(left_a[i], left_b[i]);
  }

  /// Kernels of a that became one kernel that is new in b, in all of their tasks.
  void find_renamed() {
    const auto count = static_cast<std::uint32_t>(out_.labels.size());
    std::vector<std::uint32_t> to_b(count, kNoRow);
    std::vector<std::uint32_t> to_a(count, kNoRow);
    std::vector<std::uint64_t> tasks(count, 0);
    std::vector<std::uint8_t> no(count, 0);
    for (std::uint32_t ta = 0; ta < a_.tasks(); ++ta) {
      const std::uint32_t tb = out_.b_of_a[ta];
      if (tb == kNoRow) continue;
      const std::uint32_t ka = kernel_a(ta);
      const std::uint32_t kb = kernel_b(tb);
      if (ka == kb) continue;
      if (to_b[ka] == kNoRow) to_b[ka] = kb;
      if (to_a[kb] == kNoRow) to_a[kb] = ka;
      if (in_b_[ka] != 0 || in_a_[kb] != 0 || to_b[ka] != kb || to_a[kb] != ka || a_.kind(ta) != b_.kind(tb)) no[ka] = no[kb] = 1;
      ++tasks[ka];
    }
    for (std::uint32_t k = 0; k < count; ++k) {
      if (tasks[k] == 0 || no[k] != 0 || no[to_b[k]] != 0) continue;
      const auto local = [](const std::vector<std::uint32_t>& common, std::uint32_t number) {
        return static_cast<std::uint32_t>(std::find(common.begin(), common.end(), number) - common.begin());
      };
      out_.renamed.push_back({local(common_a_, k), local(common_b_, to_b[k]), tasks[k]});
    }
    for (const auto& renamed : out_.renamed) common_b_[renamed.kernel_b] = common_a_[renamed.kernel_a];
  }

  /// Common numbers by task. Where one side does not know its kernels, the counterpart of a task does.
  void number_tasks() {
    out_.kernel_a.resize(a_.tasks());
    out_.kernel_b.resize(b_.tasks());
    for (std::uint32_t t = 0; t < a_.tasks(); ++t) out_.kernel_a[t] = kernel_a(t);
    for (std::uint32_t t = 0; t < b_.tasks(); ++t) out_.kernel_b[t] = kernel_b(t);
    if (out_.kernels_known) return;
    const bool from_a = a_.known.kernel_ids || a_.known.kernel_names;
    for (std::uint32_t ta = 0; ta < a_.tasks(); ++ta) {
      const std::uint32_t tb = out_.b_of_a[ta];
      if (tb != kNoRow) (from_a ? out_.kernel_b[tb] : out_.kernel_a[ta]) = from_a ? out_.kernel_a[ta] : out_.kernel_b[tb];
    }
  }

  const Side& a_;
  const Side& b_;
  const SiteAlignment& sites_;
  TaskAlignment& out_;
  std::vector<std::uint32_t> common_a_, common_b_;    // common number by Side::kernels index
  std::vector<std::uint8_t> in_a_, in_b_;             // by common number: the side has it
  std::vector<std::uint32_t> partner_a_, partner_b_;  // by common number: what stands for it on the other side
  std::uint32_t must_a_ = 0, must_b_ = 0;
  IdTable rows_a_, rows_b_;
  std::vector<std::uint32_t> signature_a_, signature_b_;
};

}  // namespace

TaskAlignment align_tasks(const Side& a, const Side& b, const SiteAlignment& sites) {
  TaskAlignment out;
  TaskMatcher(a, b, sites, out).run();
  return out;
}

}  // namespace depscope::replay
