#include "check_touches.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "depscope/runtime/sink.h"
#include "id_table.h"

namespace depscope::replay {

using recording::kNoRow;
using runtime::ArgKind;
using runtime::TaskKind;

namespace {

/// Where the direction of the parameter is not recorded, the kind of the argument stands for it. Nothing tells what a task does
/// with a NO_DEP argument of a trace: it reads it at least.
std::uint8_t mode_of(ArgKind kind) {
  switch (kind) {
    case ArgKind::Output:
    case ArgKind::OutputExisting: return kTouchWrites;
    case ArgKind::InOut: return kTouchReads | kTouchWrites;
    default: return kTouchReads;
  }
}

}  // namespace

/// Builds the tables; what only building needs goes with it.
class Touches::Builder {
 public:
  explicit Builder(Touches& out) : o_(out), r_(out.r_) {}

  void run() {
    name_owners();
    accesses();
    created_buffers();
    group_by_task();
    find_components();
    find_roots();
  }

 private:
  struct Created {  // a buffer that a trace knows by its owner only
    std::uint32_t creator, access, tensor;
    std::uint64_t begin, end;
  };

  void name_owners() {
    const std::uint32_t tasks = r_.tasks.rows();
    o_.owners_.reserve(tasks);
    for (std::uint32_t t = 0; t < tasks; ++t) o_.owners_.emplace_back(r_.tasks.id[t], t);
    std::sort(o_.owners_.begin(), o_.owners_.end());
  }

  std::uint32_t shape(std::uint32_t geometry_begin, std::uint32_t count, std::uint32_t element_bytes) {
    const auto next = static_cast<std::uint32_t>(o_.shapes_.size());
    const std::uint32_t found = shape_rows_.find_or_add(geometry_begin | std::uint64_t{element_bytes} << 32U, count, next);
    if (found == next) o_.shapes_.push_back(byte_shape(std::span(r_.pool).subspan(geometry_begin, count), element_bytes));
    return found;
  }

  std::uint32_t region(std::uint64_t begin, std::uint32_t shape) {
    const auto next = static_cast<std::uint32_t>(o_.regions_.size());
    const std::uint32_t found = region_rows_.find_or_add(begin, shape, next);
    if (found == next) o_.regions_.push_back({begin, shape, 0});
    return found;
  }

  /// Address of the first byte; nothing if it does not fit in 64 bits.
  static std::optional<std::uint64_t> place(std::uint64_t address, std::uint64_t offset, std::uint32_t element_bytes,
                                            std::uint64_t extent) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    if (__builtin_mul_overflow(offset, element_bytes, &begin) || __builtin_add_overflow(address, begin, &begin) ||
        __builtin_add_overflow(begin, extent, &end))
      return std::nullopt;
    return begin;
  }

  void add(std::uint32_t access, std::uint32_t row, std::uint64_t offset, std::uint32_t geometry_begin, std::uint32_t count,
           std::uint8_t mode) {
    const std::uint32_t tensor = r_.accesses.tensor[access];
    const std::uint32_t bytes = element_size(static_cast<runtime::ElementType>(r_.tensors.dtype[tensor]));
    if (bytes == 0 || count == 0) {
      ++o_.unplaced_;
      return;
    }
    const std::uint32_t which = shape(geometry_begin, count, bytes);
    const ByteShape& s = o_.shapes_[which];
    if (s.empty()) return;  // no elements
    const auto begin = place(r_.tensors.address[tensor], offset, bytes, s.extent);
    if (!begin) {
      ++o_.unplaced_;
      return;
    }
    const std::uint32_t task = r_.accesses.task[access];
    o_.touches_.push_back({.task = task, .access = access, .row = row, .region = region(*begin, which), .mode = mode});
    owner_of_.push_back(o_.owner(tensor, task));
  }

  /// The task of a submit that failed half-way, none if there is none: it never runs.
  [[nodiscard]] std::uint32_t aborted() const {
    for (std::uint32_t e = r_.events.rows(); e-- > 0;) {
      if (r_.events.kind[e] != static_cast<std::uint8_t>(runtime::EventKind::Error)) continue;
      constexpr std::int64_t kSchedulerTimeout = 100;  // names a task that runs or waits
      return r_.events.new_value[e] == kSchedulerTimeout ? kNoRow : r_.events.subject[e];
    }
    return kNoRow;
  }

  void accesses() {
    const auto& a = r_.accesses;
    const std::uint32_t never_runs = aborted();
    o_.touches_.reserve(a.rows());
    owner_of_.reserve(a.rows());
    std::uint32_t row = 0;
    for (std::uint32_t access = 0; access < a.rows(); ++access) {
      while (row < r_.touched.rows() && r_.touched.access[row] < access) ++row;
      if (a.task[access] == never_runs) {
        while (row < r_.touched.rows() && r_.touched.access[row] == access) ++row;
        continue;
      }
      // What an allocation does to its buffers is no access: the bytes have no contents yet.
      if (static_cast<TaskKind>(r_.tasks.kind[a.task[access]]) == TaskKind::Alloc) continue;
      const auto kind = static_cast<ArgKind>(a.kind[access]);
      if (kind == ArgKind::Scalar) continue;
      if (row < r_.touched.rows() && r_.touched.access[row] == access) {
        for (; row < r_.touched.rows() && r_.touched.access[row] == access; ++row) {
          add(access, row, r_.touched.start_offset[row], r_.touched.geometry_begin[row], r_.touched.geometry_begin_count[row],
              r_.touched.mode[row]);
        }
        continue;
      }
      if (kind == ArgKind::Output && a.geometry_begin_count[access] == 0) continue;  // see created_buffers
      add(access, kNoRow, a.start_offset[access], a.geometry_begin[access], a.geometry_begin_count[access], mode_of(kind));
    }
  }

  /// A trace says of a created buffer only who made it; where it lies is known from those who use it. Its creator writes all of
  /// what they see of it.
  void created_buffers() {
    std::vector<std::uint32_t> output(r_.tasks.rows(), kNoRow);  // an OUTPUT argument of unknown place, by task
    bool any = false;
    for (std::uint32_t access = 0; access < r_.accesses.rows(); ++access) {
      const std::uint32_t task = r_.accesses.task[access];
      if (static_cast<ArgKind>(r_.accesses.kind[access]) != ArgKind::Output || r_.accesses.geometry_begin_count[access] != 0 ||
          static_cast<TaskKind>(r_.tasks.kind[task]) == TaskKind::Alloc || output[task] != kNoRow)
        continue;
      output[task] = access;
      any = true;
    }
    if (!any) return;
    IdTable rows;  // created_ by address and creator
    std::vector<Created> created;
    for (std::size_t i = 0; i < o_.touches_.size(); ++i) {
      const Touch& touch = o_.touches_[i];
      const std::uint32_t creator = owner_of_[i];
      if (creator == kNoRow || creator == touch.task || output[creator] == kNoRow) continue;
      const std::uint32_t tensor = r_.accesses.tensor[touch.access];
      const auto next = static_cast<std::uint32_t>(created.size());
      const std::uint32_t at = rows.find_or_add(r_.tensors.address[tensor], creator, next);
      if (at == next) created.push_back({creator, output[creator], tensor, o_.begin(touch.region), o_.end(touch.region)});
      created[at].begin = std::min(created[at].begin, o_.begin(touch.region));
      created[at].end = std::max(created[at].end, o_.end(touch.region));
    }
    for (const Created& c : created) {
      ByteShape bytes;
      bytes.run = bytes.extent = c.end - c.begin;
      const auto next = static_cast<std::uint32_t>(o_.shapes_.size());
      const std::uint32_t which = shape_rows_.find_or_add(bytes.run, kNoRow, next);  // no geometry has so many words
      if (which == next) o_.shapes_.push_back(bytes);
      o_.touches_.push_back(
          {.task = c.creator, .access = c.access, .row = kNoRow, .region = region(c.begin, which), .mode = kTouchWrites});
      owner_of_.push_back(c.creator);
    }
  }

  void group_by_task() {
    std::vector<Touch>& touches = o_.touches_;
    o_.task_begin_.assign(r_.tasks.rows() + std::size_t{1}, 0);
    for (const Touch& touch : touches) ++o_.task_begin_[touch.task + std::size_t{1}];
    std::partial_sum(o_.task_begin_.begin(), o_.task_begin_.end(), o_.task_begin_.begin());
    if (std::is_sorted(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) { return a.task < b.task; })) return;
    std::vector<std::uint32_t> next(o_.task_begin_.begin(), o_.task_begin_.end() - 1);
    std::vector<Touch> grouped(touches.size());
    std::vector<std::uint32_t> owners(touches.size());
    for (std::size_t i = 0; i < touches.size(); ++i) {
      const std::uint32_t at = next[touches[i].task]++;
      grouped[at] = touches[i];
      owners[at] = owner_of_[i];
    }
    touches.swap(grouped);
    owner_of_.swap(owners);
  }

  void find_components() {
    std::vector<std::uint32_t> order(o_.regions_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return o_.begin(a) != o_.begin(b) ? o_.begin(a) < o_.begin(b) : o_.regions_[a].shape < o_.regions_[b].shape;
    });
    std::uint64_t end = 0;
    for (const std::uint32_t region : order) {
      if (components_ == 0 || o_.begin(region) >= end) {
        ++components_;
        end = o_.end(region);
      }
      end = std::max(end, o_.end(region));
      o_.regions_[region].component = components_ - 1;
    }
  }

  /// One root per component, or per owner of a component that had several.
  void find_roots() {
    constexpr std::uint32_t kNobody = kNoRow;
    constexpr std::uint32_t kSeveral = kNoRow - 1;
    std::vector<std::uint32_t> owner(components_, kNobody);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> owned;  // (component, owner) of those that have several
    for (std::size_t i = 0; i < o_.touches_.size(); ++i) {
      std::uint32_t& known = owner[component(i)];
      if (owner_of_[i] == kNobody || known == owner_of_[i]) continue;
      known = known == kNobody ? owner_of_[i] : kSeveral;
    }
    for (std::size_t i = 0; i < o_.touches_.size(); ++i) {
      if (owner[component(i)] == kSeveral && owner_of_[i] != kNobody) owned.emplace_back(component(i), owner_of_[i]);
    }
    std::sort(owned.begin(), owned.end());
    owned.erase(std::unique(owned.begin(), owned.end()), owned.end());
    // What came before any owner stays in the root of the component.
    o_.roots_ = components_ + static_cast<std::uint32_t>(owned.size());
    for (std::size_t i = 0; i < o_.touches_.size(); ++i) {
      Touch& touch = o_.touches_[i];
      const std::uint32_t in = component(i);
      touch.root = in;
      if (owner[in] != kSeveral) continue;
      const std::uint32_t latest = owner_of_[i] != kNobody ? owner_of_[i] : touch.task;
      const auto after = std::upper_bound(owned.begin(), owned.end(), std::pair(in, latest));
      if (after == owned.begin() || std::prev(after)->first != in) continue;
      touch.root = components_ + static_cast<std::uint32_t>(std::prev(after) - owned.begin());
    }
  }

  [[nodiscard]] std::uint32_t component(std::size_t touch) const { return o_.regions_[o_.touches_[touch].region].component; }

  Touches& o_;
  const recording::Recording& r_;
  IdTable shape_rows_;
  IdTable region_rows_;
  std::vector<std::uint32_t> owner_of_;  // by touch: tasks row
  std::uint32_t components_ = 0;
};

Touches::Touches(const recording::Recording& recording) : r_(recording) { Builder(*this).run(); }

std::uint32_t Touches::owner(std::uint32_t tensor, std::uint32_t task) const {
  const std::uint64_t id = r_.tensors.owner[tensor];
  if (id == runtime::kInvalidTask) return kNoRow;
  // An id may come again: it means the last task that had it.
  const auto after = std::upper_bound(owners_.begin(), owners_.end(), std::pair(id, task));
  return after != owners_.begin() && std::prev(after)->first == id ? std::prev(after)->second : kNoRow;
}

}  // namespace depscope::replay
