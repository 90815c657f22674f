// Tasks: how many, which kernel, which of them only one side has, and what a submit says beside its arguments.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "compare_report.h"
#include "id_table.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;

/// Equal differences of many tasks of one kernel: one row with a count and the first task.
struct Group {
  DifferenceKind kind;
  std::uint32_t kernel;
  std::int64_t a, b;
  std::uint32_t first;  ///< task of side a
  std::uint64_t count = 0;
};

class TaskComparison {
 public:
  TaskComparison(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report)
      : in_(in), names_(names), report_(report) {}

  void run() {
    kernels();
    counts();
    singles(in_.a, in_.b, in_.tasks.b_of_a);
    singles(in_.b, in_.a, in_.tasks.a_of_b);
    attributes();
  }

 private:
  [[nodiscard]] Difference::Subject both(std::uint32_t ta) const { return {DifferenceSubject::Task, ta, in_.tasks.b_of_a[ta]}; }

  void kernels() {
    if (!in_.tasks.kernels_known) {
      const bool a = in_.a.known.kernel_ids || in_.a.known.kernel_names;
      const bool b = in_.b.known.kernel_ids || in_.b.known.kernel_names;
      report_.gap("kernel", fmt::format("{} what its tasks run", a ? "b does not say" : b ? "a does not say" : "neither says"));
      return;
    }
    for (const auto& renamed : in_.tasks.renamed) {
      if (!report_.count(DifferenceKind::Kernel)) continue;
      const std::string a = in_.a.kernel_label(in_.a.kernels[renamed.kernel_a]);
      const std::string b = in_.b.kernel_label(in_.b.kernels[renamed.kernel_b]);
      report_.add(DifferenceKind::Kernel, {}, fmt::format("{} is {} in b, in all its tasks ({})", a, b, renamed.tasks),
                  {{"a", a}, {"b", b}, {"count", renamed.tasks}, {"renamed", true}});
    }
    IdTable rows;
    std::vector<Group> groups;
    for (std::uint32_t ta = 0; ta < in_.a.tasks(); ++ta) {
      const std::uint32_t tb = in_.tasks.b_of_a[ta];
      if (tb == kNoRow) continue;
      const std::uint32_t ka = in_.tasks.kernel_a[ta];
      const std::uint32_t kb = in_.tasks.kernel_b[tb];
      if (ka == kb) continue;
      in_.rows.tasks.mark(ta, DifferenceKind::Kernel);
      const auto next = static_cast<std::uint32_t>(groups.size());
      const std::uint32_t at = rows.find_or_add(std::uint64_t{ka} << 32U | kb, 0, next);
      if (at == next) groups.push_back({DifferenceKind::Kernel, ka, in_.a.kernel[ta], in_.b.kernel[tb], ta});
      ++groups[at].count;
    }
    for (const Group& g : groups) {
      if (!report_.count(DifferenceKind::Kernel, g.count)) continue;
      const std::string a = in_.a.kernel_label(in_.a.kernels[static_cast<std::size_t>(g.a)]);
      const std::string b = in_.b.kernel_label(in_.b.kernels[static_cast<std::size_t>(g.b)]);
      report_.add(DifferenceKind::Kernel, both(g.first),
                  fmt::format("{} | {} at {}{}", a, b, names_.task_text(in_.a, g.first), more(g.count)),
                  {{"first", names_.common(g.first)}, {"a", a}, {"b", b}, {"count", g.count}}, Severity::Warning, g.count);
    }
  }

  static std::string more(std::uint64_t count) { return count == 1 ? "" : fmt::format(" and {} more", count - 1); }

  void counts() {
    if (!in_.a.known.task_list || !in_.b.known.task_list) {
      report_.gap("task", fmt::format("{} has only tasks that edges name", in_.a.known.task_list ? "b" : "a"));
      return;
    }
    std::vector<std::uint64_t> a(in_.tasks.labels.size(), 0);
    std::vector<std::uint64_t> b(in_.tasks.labels.size(), 0);
    std::uint64_t total_a = 0;
    std::uint64_t total_b = 0;
    // Allocations count only where both sides have all of theirs.
    const bool allocations = in_.a.known.allocations && in_.b.known.allocations;
    for (std::uint32_t t = 0; t < in_.a.tasks(); ++t) {
      if (!allocations && in_.a.is_alloc(t)) continue;
      ++a[in_.tasks.kernel_a[t]];
      ++total_a;
    }
    for (std::uint32_t t = 0; t < in_.b.tasks(); ++t) {
      if (!allocations && in_.b.is_alloc(t)) continue;
      ++b[in_.tasks.kernel_b[t]];
      ++total_b;
    }
    const auto differ = [this](std::uint64_t x, std::uint64_t y) {
      return report_.exceeds(DifferenceKind::TaskCount, static_cast<double>(x), static_cast<double>(y)) &&
             report_.count(DifferenceKind::TaskCount);
    };
    if (differ(total_a, total_b))
      report_.add(DifferenceKind::TaskCount, {}, fmt::format("in all: {} | {}", total_a, total_b),
                  {{"a", total_a}, {"b", total_b}});
    if (!in_.tasks.kernels_known) return;
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (!differ(a[k], b[k])) continue;
      report_.add(DifferenceKind::TaskCount, {}, fmt::format("{}: {} | {}", in_.tasks.labels[k], a[k], b[k]),
                  {{"callee", in_.tasks.labels[k]}, {"a", a[k]}, {"b", b[k]}});
    }
  }

  void singles(const Side& side, const Side& other, const std::vector<std::uint32_t>& counterpart) {
    for (std::uint32_t t = 0; t < side.tasks(); ++t) {
      if (counterpart[t] != kNoRow || !TaskAlignment::must_match(side, other, t) || !report_.count(DifferenceKind::Task))
        continue;
      const bool in_a = side.letter == 'a';
      report_.add(
          DifferenceKind::Task, {DifferenceSubject::Task, in_a ? t : kNoRow, in_a ? kNoRow : t},
          fmt::format("{}: only in {}", names_.task_text(side, t), side.letter),
          {{"first", names_.task(side, t)}, {"only_in", std::string(1, side.letter)}, {"a", in_a ? 1 : 0}, {"b", in_a ? 0 : 1}});
    }
  }

  void attributes() {
    const Knowledge& a = in_.a.known;
    const Knowledge& b = in_.b.known;
    // Scopes of programs are compared where they stand in the text.
    const bool scope = a.scope_mode && b.scope_mode && !(a.program && b.program);
    const bool blocks = a.block_num && b.block_num;
    const bool early = a.early_dispatch && b.early_dispatch;
    for (std::uint32_t ta = 0; ta < in_.a.tasks(); ++ta) {
      const std::uint32_t tb = in_.tasks.b_of_a[ta];
      if (tb == kNoRow || in_.a.is_alloc(ta) || in_.b.is_alloc(tb)) continue;
      const std::uint32_t fa = in_.a.r.tasks.flags[ta];
      const std::uint32_t fb = in_.b.r.tasks.flags[tb];
      if (scope) note(DifferenceKind::Scope, ta, fa & 1U, fb & 1U);
      if (early) note(DifferenceKind::EarlyDispatch, ta, fa >> 1U & 1U, fb >> 1U & 1U);
      if (blocks) note(DifferenceKind::BlockNum, ta, in_.a.r.tasks.block_num[ta], in_.b.r.tasks.block_num[tb]);
    }
    for (const Side* side : {&in_.a, &in_.b}) {
      const Side& other = side == &in_.a ? in_.b : in_.a;
      if (!side->known.block_num && other.known.block_num)
        report_.gap("block_num", fmt::format("{} does not say it", side->letter));
      if (!side->known.early_dispatch && other.known.early_dispatch)
        report_.gap("early_dispatch", fmt::format("{} does not say it", side->letter));
      if (!side->known.allocations && other.known.allocations)
        report_.gap("task", fmt::format("{} has explicit allocations only where an edge names them", side->letter));
    }
    for (const Group& g : groups_) {
      if (!report_.count(g.kind, g.count)) continue;
      Fields fields{{"first", names_.common(g.first)}, {"callee", in_.tasks.labels[g.kernel]}};
      std::string values;
      switch (g.kind) {
        case DifferenceKind::Scope:
          fields["a"] = g.a != 0 ? "MANUAL" : "AUTO";
          fields["b"] = g.b != 0 ? "MANUAL" : "AUTO";
          break;
        case DifferenceKind::EarlyDispatch:
          fields["a"] = g.a != 0;
          fields["b"] = g.b != 0;
          break;
        default: fields["a"] = g.a; fields["b"] = g.b;
      }
      values = fmt::format("{} | {}", fields["a"].is_string() ? fields["a"].get<std::string>() : fields["a"].dump(),
                           fields["b"].is_string() ? fields["b"].get<std::string>() : fields["b"].dump());
      fields["count"] = g.count;
      report_.add(g.kind, both(g.first), fmt::format("{}{}: {}", names_.task_text(in_.a, g.first), more(g.count), values),
                  std::move(fields), Severity::Warning, g.count);
    }
  }

  void note(DifferenceKind kind, std::uint32_t task, std::uint32_t a, std::uint32_t b) {
    if (a == b) return;
    in_.rows.tasks.mark(task, kind);
    const std::uint32_t kernel = in_.tasks.kernel_a[task];
    const auto next = static_cast<std::uint32_t>(groups_.size());
    const std::uint64_t values = std::uint64_t{a} << 32U | b;
    const std::uint32_t at = group_rows_.find_or_add(values, kernel << 8U | static_cast<std::uint32_t>(kind), next);
    if (at == next) groups_.push_back({kind, kernel, a, b, task});
    ++groups_[at].count;
  }

  const ComparisonInput& in_;
  const ComparisonNames& names_;
  ComparisonReport& report_;
  IdTable group_rows_;
  std::vector<Group> groups_;
};

}  // namespace

void compare_tasks(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report) {
  TaskComparison(in, names, report).run();
}

}  // namespace depscope::replay
