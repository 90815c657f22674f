// Arguments of matched tasks: which buffer, which part of it, and how it is passed. Buffers are matched by name where both
// sides name them, else by first use; addresses and versions alone say nothing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compare_report.h"
#include "depscope/ir/text.h"
#include "id_table.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::ArgKind;

enum class Aspect : std::uint8_t { Count, Kind, Dtype, Shape, Strides, Offset, Buffer };
constexpr std::array<std::string_view, 7> kAspects{"count", "direction", "dtype", "shape", "strides", "start_offset", "buffer"};

/// Buffers of one side: tensors rows that are views of one piece of memory.
struct Buffers {
  std::vector<std::uint32_t> of;       ///< by tensors row
  std::vector<std::uint32_t> name;     ///< by buffer: string, 0 if none
  std::vector<std::uint64_t> address;  ///< by buffer

  explicit Buffers(const Recording& r) {
    IdTable rows;
    of.reserve(r.tensors.rows());
    for (std::uint32_t t = 0; t < r.tensors.rows(); ++t) {
      const std::uint64_t where = r.tensors.address[t] ^ r.tensors.owner[t] * 0x9E3779B97F4A7C15ULL;
      const auto next = static_cast<std::uint32_t>(name.size());
      of.push_back(rows.find_or_add(where, static_cast<std::uint32_t>(r.tensors.version[t]), next));
      if (of.back() == next) {
        name.push_back(r.tensors.name[t]);
        address.push_back(r.tensors.address[t]);
      }
    }
  }
};

/// Equal differences at one argument of one kernel.
struct Group {
  Aspect aspect;
  std::uint32_t task;  ///< first one, side a
  std::uint32_t access_a, access_b;
  std::uint64_t count = 0;
};

class ArgumentComparison {
 public:
  ArgumentComparison(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report)
      : in_(in), names_(names), report_(report), buffers_a_(in.a.r), buffers_b_(in.b.r) {}

  void run() {
    if (!in_.a.known.geometry || !in_.b.known.geometry) {
      report_.gap("argument", fmt::format("{} does not list arguments", in_.a.known.geometry ? "b" : "a"));
      return;
    }
    const bool strides = in_.a.known.strides && in_.b.known.strides;
    if (!strides)
      report_.gap("argument",
                  fmt::format("strides of {} are worked out from the buffers' shapes", in_.a.known.strides ? "b" : "a"));
    match_names();
    for (std::uint32_t ta = 0; ta < in_.a.tasks(); ++ta) {
      const std::uint32_t tb = in_.tasks.b_of_a[ta];
      if (tb == kNoRow || in_.a.is_alloc(ta) || in_.b.is_alloc(tb)) continue;
      task(ta, tb, strides);
    }
    write();
  }

 private:
  /// Buffers from outside that both sides call by one name.
  void match_names() {
    partner_a_.assign(buffers_a_.name.size(), kNoRow);
    partner_b_.assign(buffers_b_.name.size(), kNoRow);
    std::unordered_map<std::string_view, std::uint32_t> named;  // only looked up; kNoRow: more than one
    for (std::uint32_t i = 0; i < buffers_b_.name.size(); ++i) {
      if (buffers_b_.name[i] == 0) continue;
      const auto [at, fresh] = named.emplace(ir::source_name(in_.b.r.text(buffers_b_.name[i])), i);
      if (!fresh) at->second = kNoRow;
    }
    for (std::uint32_t i = 0; i < buffers_a_.name.size(); ++i) {
      if (buffers_a_.name[i] == 0) continue;
      const auto at = named.find(ir::source_name(in_.a.r.text(buffers_a_.name[i])));
      if (at == named.end() || at->second == kNoRow || partner_b_[at->second] != kNoRow) continue;
      partner_a_[i] = at->second;
      partner_b_[at->second] = i;
    }
  }

  void task(std::uint32_t ta, std::uint32_t tb, bool strides) {
    const std::uint32_t begin = in_.a.access_begin[ta];
    const std::uint32_t end = in_.a.access_begin[ta + 1];
    if (end - begin != in_.b.access_begin[tb + 1] - in_.b.access_begin[tb]) note(Aspect::Count, ta, kNoRow, kNoRow);
    for (std::uint32_t i = begin; i < end; ++i) {
      if (const std::uint32_t j = in_.rows.accesses.b_of_a[i]; j != kNoRow) access(ta, tb, i, j, strides);
    }
  }

  void access(std::uint32_t ta, std::uint32_t tb, std::uint32_t i, std::uint32_t j, bool strides) {
    const auto& a = in_.a.r.accesses;
    const auto& b = in_.b.r.accesses;
    // Directions of matched call sites are compared there, with the rule behind them.
    if (a.kind[i] != b.kind[j]) {
      in_.rows.accesses.mark(i, DifferenceKind::Direction);
      in_.rows.tasks.mark(ta, DifferenceKind::Direction);
      if (!same_site(ta, tb)) note(Aspect::Kind, ta, i, j);
    }
    const auto output = static_cast<std::uint8_t>(ArgKind::Output);
    if (a.kind[i] == output || b.kind[j] == output) return;  // a deps.json knows nothing of created buffers
    const std::uint32_t xa = a.tensor[i];
    const std::uint32_t xb = b.tensor[j];
    if (in_.a.r.tensors.dtype[xa] != in_.b.r.tensors.dtype[xb]) note(Aspect::Dtype, ta, i, j);
    const auto words_a = words(in_.a.r, i);
    const auto words_b = words(in_.b.r, j);
    const std::size_t rank = words_a.size() / 3;
    if (words_a.size() != words_b.size() || !std::ranges::equal(words_a.first(rank), words_b.first(rank))) {
      note(Aspect::Shape, ta, i, j);
    } else if (strides && !std::ranges::equal(words_a, words_b)) {
      note(Aspect::Strides, ta, i, j);
    }
    if (a.start_offset[i] != b.start_offset[j]) note(Aspect::Offset, ta, i, j);
    buffer(ta, tb, i, j);
  }

  [[nodiscard]] bool same_site(std::uint32_t ta, std::uint32_t tb) const {
    const std::uint32_t site = in_.a.r.tasks.call_site[ta];
    return site != kNoRow && in_.sites.b_of_a[site] != kNoRow && in_.sites.b_of_a[site] == in_.b.r.tasks.call_site[tb];
  }

  static std::span<const std::uint32_t> words(const Recording& r, std::uint32_t access) {
    return {r.pool.data() + r.accesses.geometry_begin[access], r.accesses.geometry_begin_count[access]};
  }

  /// Memory from outside. Buffers that tasks own are told by their owners, which edges show; the memory of one that is gone may
  /// come again, so that in a MANUAL scope, where a deps.json does not tell owners, an address says nothing.
  void buffer(std::uint32_t ta, std::uint32_t tb, std::uint32_t i, std::uint32_t j) {
    const std::uint32_t xa = in_.a.r.accesses.tensor[i];
    const std::uint32_t xb = in_.b.r.accesses.tensor[j];
    if (in_.a.r.tensors.owner[xa] != runtime::kInvalidTask || in_.b.r.tensors.owner[xb] != runtime::kInvalidTask) return;
    const bool manual = ((in_.a.r.tasks.flags[ta] | in_.b.r.tasks.flags[tb]) & 1U) != 0;
    if (manual && (in_.a.known.imported || in_.b.known.imported)) return;
    std::uint32_t& with = partner_a_[buffers_a_.of[xa]];
    std::uint32_t& back = partner_b_[buffers_b_.of[xb]];
    if (with == kNoRow && back == kNoRow) {
      with = buffers_b_.of[xb];
      back = buffers_a_.of[xa];
    } else if (with != buffers_b_.of[xb]) {
      note(Aspect::Buffer, ta, i, j);
    }
  }

  void note(Aspect aspect, std::uint32_t task, std::uint32_t i, std::uint32_t j) {
    if (aspect != Aspect::Kind) {
      in_.rows.tasks.mark(task, DifferenceKind::Argument);
      in_.rows.accesses.mark(i, DifferenceKind::Argument);
      const std::uint32_t tensor = aspect == Aspect::Dtype ? in_.a.r.accesses.tensor[i] : kNoRow;
      if (tensor < in_.rows.tensors.b_of_a.size() && in_.rows.tensors.b_of_a[tensor] == in_.b.r.accesses.tensor[j])
        in_.rows.tensors.mark(tensor, DifferenceKind::Argument);
    }
    const std::uint32_t kernel = in_.tasks.kernel_a[task];
    const std::uint32_t arg = i == kNoRow ? 0xffU : in_.a.r.accesses.arg[i];
    const auto next = static_cast<std::uint32_t>(groups_.size());
    const std::uint32_t at =
        group_rows_.find_or_add(std::uint64_t{kernel} << 16U | arg << 8U | static_cast<std::uint32_t>(aspect), 0, next);
    if (at == next) groups_.push_back({aspect, task, i, j});
    ++groups_[at].count;
  }

  void write() {
    for (const Group& g : groups_) {
      const DifferenceKind kind = g.aspect == Aspect::Kind ? DifferenceKind::Direction : DifferenceKind::Argument;
      if (!report_.count(kind, g.count)) continue;
      const std::uint32_t tb = in_.tasks.b_of_a[g.task];
      Fields fields{{"call", names_.common(g.task)}};
      std::string place = names_.task_text(in_.a, g.task);
      if (g.aspect == Aspect::Count) {
        fields["a"] = in_.a.access_begin[g.task + 1] - in_.a.access_begin[g.task];
        fields["b"] = in_.b.access_begin[tb + 1] - in_.b.access_begin[tb];
      } else {
        const std::uint32_t arg = in_.a.r.accesses.arg[g.access_a];
        fields["argument"] = arg;
        place += fmt::format(", argument {}", arg);
        fields["a"] = value(in_.a, buffers_a_, g.aspect, g.access_a);
        fields["b"] = value(in_.b, buffers_b_, g.aspect, g.access_b);
      }
      if (kind == DifferenceKind::Argument) fields["aspect"] = std::string(kAspects[static_cast<std::size_t>(g.aspect)]);
      fields["count"] = g.count;
      const auto shown = [](const Fields& v) { return v.is_string() ? v.get<std::string>() : v.dump(); };
      const std::string more = g.count == 1 ? "" : fmt::format(" ({} times)", g.count);
      const std::string summary = fmt::format("{}: {} {} | {}{}", place, kAspects[static_cast<std::size_t>(g.aspect)],
                                              shown(fields["a"]), shown(fields["b"]), more);
      report_.add(kind, subject_of(g), summary, std::move(fields), Severity::Warning, g.count);
    }
  }

  [[nodiscard]] Difference::Subject subject_of(const Group& g) const {
    if (g.access_a == kNoRow || g.access_b == kNoRow) return {DifferenceSubject::Task, g.task, in_.tasks.b_of_a[g.task]};
    return {DifferenceSubject::Access, g.access_a, g.access_b};
  }

  static Fields value(const Side& side, const Buffers& buffers, Aspect aspect, std::uint32_t access) {
    const auto& accesses = side.r.accesses;
    const std::uint32_t tensor = accesses.tensor[access];
    const auto geometry = words(side.r, access);
    const std::size_t rank = geometry.size() / 3;
    Fields out = Fields::array();
    switch (aspect) {
      case Aspect::Kind: {
        std::string name(arg_kind_name(static_cast<ArgKind>(accesses.kind[access])));
        std::transform(name.begin(), name.end(), name.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
        return name;
      }
      case Aspect::Dtype: return std::string(element_type_name(static_cast<runtime::ElementType>(side.r.tensors.dtype[tensor])));
      case Aspect::Shape:
        for (std::size_t d = 0; d < rank; ++d) out.push_back(geometry[d]);
        return out;
      case Aspect::Strides:
        for (std::size_t d = 0; d < rank; ++d)
          out.push_back(geometry[rank + 2 * d] | std::uint64_t{geometry[rank + 2 * d + 1]} << 32U);
        return out;
      case Aspect::Offset: return accesses.start_offset[access];
      case Aspect::Buffer: {
        const std::uint32_t buffer = buffers.of[tensor];
        if (buffers.name[buffer] != 0) return std::string(ir::source_name(side.r.text(buffers.name[buffer])));
        return fmt::format("address {}", buffers.address[buffer]);
      }
      case Aspect::Count: break;
    }
    return {};
  }

  const ComparisonInput& in_;
  const ComparisonNames& names_;
  ComparisonReport& report_;
  Buffers buffers_a_, buffers_b_;
  std::vector<std::uint32_t> partner_a_, partner_b_;  // by buffer: the one it stands for on the other side
  IdTable group_rows_;
  std::vector<Group> groups_;
};

}  // namespace

void compare_arguments(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report) {
  ArgumentComparison(in, names, report).run();
}

}  // namespace depscope::replay
