#include "depscope/replay/sizing.h"

#include <algorithm>
#include <vector>

#include "depscope/replay/event_sets.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;
using runtime::kRingCount;
using runtime::Resource;
using runtime::RingResource;

bool is_full(const Recording& r) {
  for (const std::uint8_t kind : r.events.kind) {
    if (!told_by_summary(static_cast<EventKind>(kind))) return true;
  }
  return false;
}

std::uint64_t between(std::int64_t tail, std::int64_t top) { return top > tail ? static_cast<std::uint64_t>(top - tail) : 0; }

/// Counters of a pool, and where they stood when each task of the ring was submitted: what tasks before it have taken.
struct PoolWalk {
  std::int64_t top = 1, tail = 1;
  std::vector<std::int64_t> at_submit;

  [[nodiscard]] std::uint64_t used() const { return between(tail, top); }
  /// Of tasks that are not retired, if `retired` of the ring are.
  [[nodiscard]] std::uint64_t held(std::size_t retired) const {
    return retired < at_submit.size() ? between(at_submit[retired], top) : 0;
  }
};

struct RingWalk {
  std::size_t submitted = 0, passed = 0, published = 0;
  std::uint64_t heap_size = 0, heap_top = 0, heap_tail = 0;
  std::uint64_t wasted = 0;  ///< behind the last buffer, while the heap's beginning is in use before its tail
  std::uint64_t map_entries = 0;
  PoolWalk dep, spill;
};

/// The resource that a wait is for, if it has a capacity.
bool sized(Resource resource, SizedResource& out) {
  switch (resource) {
    case Resource::TaskWindow: out = SizedResource::TaskWindow; return true;
    case Resource::Heap: out = SizedResource::Heap; return true;
    case Resource::DepPool: out = SizedResource::DepPool; return true;
    case Resource::SpillPool: out = SizedResource::SpillPool; return true;
    case Resource::TensorMapPool: out = SizedResource::TensorMap; return true;
    case Resource::Scope: out = SizedResource::Scope; return true;
    case Resource::HostAccess: break;
  }
  return false;
}

class Walk {
 public:
  Walk(const Recording& r, const Capacities* exceeding)
      : r_(r), exceeding_(exceeding), in_scope_(std::size_t{r.scopes.rows()} * kRingCount) {
    out_.full = is_full(r);
  }

  RunUse result() {
    for (event_ = 0; event_ < r_.events.rows(); ++event_) apply();
    for (std::size_t resource = 0; resource < kSizedResources; ++resource) {
      const auto kind = static_cast<SizedResource>(resource);
      const bool summary = kind == SizedResource::Scope || kind == SizedResource::TaskWindow || kind == SizedResource::Heap;
      for (ResourceUse& use : out_.use[resource]) use.told = out_.run && (out_.full || summary);
    }
    return out_;
  }

 private:
  [[nodiscard]] std::uint64_t value() const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(r_.events.new_value[event_], 0));
  }

  void apply() {
    const auto& e = r_.events;
    const std::uint32_t subject = e.subject[event_];
    const std::uint32_t object = e.object[event_];
    const auto ring = [&]() -> RingWalk& { return rings_[object % kRingCount]; };
    switch (static_cast<EventKind>(e.kind[event_])) {
      case EventKind::Config: configure(static_cast<runtime::ConfigItem>(subject), object); break;
      case EventKind::Submit: submit(subject, object % kRingCount); break;
      case EventKind::Watermark:
        // One event for each task that is passed; a summary does not tell when the orchestrator gets to know.
        if (ring().passed < ring().submitted) ++ring().passed;
        if (!out_.full) ring().published = ring().passed;
        break;
      case EventKind::Publish: ring().published = ring().passed; break;
      case EventKind::HeapAlloc: allocate(subject, object % kRingCount); break;
      case EventKind::HeapFree:
        ring().heap_tail = value();
        if (ring().heap_tail <= ring().heap_top) ring().wasted = 0;
        break;
      case EventKind::NodeTake: take(SizedResource::DepPool, &RingWalk::dep, subject, ring_of_task(subject)); break;
      case EventKind::SpillTake: take(SizedResource::SpillPool, &RingWalk::spill, subject, object % kRingCount); break;
      case EventKind::DepReclaim: ring().dep.tail = e.new_value[event_]; break;
      case EventKind::SpillReclaim: ring().spill.tail = e.new_value[event_]; break;
      case EventKind::TensorMapInsert: insert(subject); break;
      case EventKind::TensorMapRemove:
      case EventKind::TensorMapCleanup: {
        std::uint64_t& entries = rings_[ring_of_task(r_.accesses.task[subject])].map_entries;
        if (entries != 0) --entries;
        break;
      }
      case EventKind::Block: block(object); break;
      case EventKind::Unblock: unblock(); break;
      case EventKind::Error: stop(subject, object); break;
      default: break;
    }
  }

  [[nodiscard]] std::uint32_t ring_of_task(std::uint32_t task) const {
    return static_cast<std::uint32_t>(r_.tasks.id[task] >> 32U) % kRingCount;
  }

  void configure(runtime::ConfigItem item, std::uint32_t ring) {
    out_.run = true;  // even if it stops before its first task
    const std::uint64_t limit = value();
    if (item == runtime::ConfigItem::TensorMapEntries) {
      at(out_.capacity, SizedResource::TensorMap, kAllRings) = limit >= runtime::kMaxDepPool ? 0 : limit;
      return;
    }
    if (ring >= kRingCount) return;
    const auto set = [&](RingResource resource) { out_.settings[static_cast<std::size_t>(resource)][ring] = limit; };
    switch (item) {
      case runtime::ConfigItem::TaskWindow: {
        set(RingResource::TaskWindow);
        const std::uint64_t most = limit == 0 || limit >= runtime::kMaxTaskWindow ? 0 : limit - 1;
        at(out_.capacity, SizedResource::TaskWindow, ring) = at(out_.capacity, SizedResource::Scope, ring) = most;
        break;
      }
      case runtime::ConfigItem::HeapBytes:
        set(RingResource::Heap);
        rings_[ring].heap_size = limit;
        at(out_.capacity, SizedResource::Heap, ring) = limit >= runtime::kMaxHeap ? 0 : limit;
        break;
      case runtime::ConfigItem::DepPool: {
        set(RingResource::DepPool);
        const std::uint64_t most = limit >= runtime::kMaxDepPool ? 0 : limit;
        at(out_.capacity, SizedResource::DepPool, ring) = at(out_.capacity, SizedResource::SpillPool, ring) = most;
        break;
      }
      default: break;
    }
  }

  [[nodiscard]] UseMoment now(std::uint32_t task) const {
    return {.event = event_, .time = r_.events.time[event_], .task = task};
  }

  /// `used` units are in use since `task` took some.
  ResourceUse& note(SizedResource resource, std::uint32_t ring, std::uint64_t used, std::uint32_t task) {
    ResourceUse& use = at(out_.use, resource, ring);
    if (used > use.most) {
      use.most = used;
      use.at = now(task);
    }
    const std::uint64_t capacity = at(exceeding_ != nullptr ? *exceeding_ : out_.capacity, resource, ring);
    if (capacity != 0 && used > capacity) {
      if (use.exceeded.event == kNoRow) use.exceeded = now(task);
      if (use.exceeded.task == task) use.needed = std::max(use.needed, used);
    }
    return use;
  }

  void submit(std::uint32_t task, std::uint32_t index) {
    out_.run = true;
    RingWalk& ring = rings_[index];
    ++out_.tasks[index];
    ++tasks_;
    ++ring.submitted;
    ring.dep.at_submit.push_back(ring.dep.top);
    ring.spill.at_submit.push_back(ring.spill.top);
    // A stand-in for a producer without a record belongs to no scope, and is not counted there.
    if (const std::uint32_t scope = r_.tasks.scope[task]; scope != kNoRow)
      note(SizedResource::Scope, index, ++in_scope_[std::size_t{scope} * kRingCount + index], task);
    note(SizedResource::TaskWindow, index, ring.submitted - ring.published, task);
  }

  void allocate(std::uint32_t task, std::uint32_t index) {
    RingWalk& ring = rings_[index];
    const std::uint64_t before = ring.heap_top;
    ring.heap_top = value();
    std::uint64_t used = 0;
    if (ring.heap_top >= ring.heap_tail) {
      used = ring.heap_top - ring.heap_tail;
      ring.wasted = 0;
    } else {
      // Back at the beginning: what was left at the end belongs to no one until the tail comes round, too.
      if (before >= ring.heap_tail) ring.wasted = ring.heap_size > before ? ring.heap_size - before : 0;
      used = (ring.heap_size > ring.heap_tail ? ring.heap_size - ring.heap_tail : 0) + ring.heap_top;
    }
    const std::uint64_t most = at(out_.use, SizedResource::Heap, index).most;
    ResourceUse& use = note(SizedResource::Heap, index, used, task);
    if (used > most) use.wasted = ring.wasted;
  }

  void take(SizedResource resource, PoolWalk RingWalk::*member, std::uint32_t task, std::uint32_t index) {
    RingWalk& ring = rings_[index];
    PoolWalk& pool = ring.*member;
    pool.top = r_.events.new_value[event_];
    ResourceUse& use = note(resource, index, pool.used(), task);
    use.most_held = std::max(use.most_held, std::min(pool.held(ring.published), pool.used()));
  }

  void insert(std::uint32_t access) {
    const std::uint32_t task = r_.accesses.task[access];
    const std::uint32_t index = ring_of_task(task);
    note(SizedResource::TensorMap, index, ++rings_[index].map_entries, task);
    note(SizedResource::TensorMap, kAllRings, value(), task);
  }

  // ---------------------------------------------------------------- waits

  [[nodiscard]] std::uint32_t submitting() const {
    const std::uint32_t subject = r_.events.subject[event_];
    return subject == kNoRow ? tasks_ : subject;
  }

  void block(std::uint32_t object) {
    waits_ = sized(static_cast<Resource>(r_.events.extra[event_]), waits_for_);
    if (!waits_) return;
    waits_on_ = waits_for_ == SizedResource::TensorMap ? kAllRings : object % kRingCount;
    waits_since_ = r_.events.time[event_];
    ResourceUse& use = at(out_.use, waits_for_, waits_on_);
    if (use.first_wait == kNoRow) use.first_wait = submitting();
  }

  void unblock() {
    if (!waits_) return;
    waits_ = false;
    ResourceUse& use = at(out_.use, waits_for_, waits_on_);
    ++use.waits;
    use.waited += r_.events.time[event_] - waits_since_;
  }

  void stop(std::uint32_t subject, std::uint32_t object) {
    if (out_.stop.stopped) return;
    RunStop& stop = out_.stop;
    stop.stopped = true;
    stop.code = static_cast<std::int32_t>(value());
    stop.error_class = static_cast<runtime::ErrorClass>(r_.events.extra[event_]);
    stop.event = event_;
    stop.task = subject == kNoRow ? tasks_ : subject;
    if (waits_) {
      stop.by_resource = true;
      stop.resource = waits_for_;
      stop.ring = waits_on_;
    } else if (stop.code == 1 && object < kRingCount) {  // a full scope is no wait
      stop.by_resource = true;
      stop.resource = SizedResource::Scope;
      stop.ring = object;
      at(out_.use, stop.resource, stop.ring).first_wait = stop.task;
    }
  }

  const Recording& r_;
  const Capacities* exceeding_;
  std::vector<std::uint32_t> in_scope_;  ///< tasks by scopes row and ring
  std::array<RingWalk, kRingCount> rings_;
  RunUse out_;
  std::uint32_t event_ = 0;
  std::uint32_t tasks_ = 0;
  bool waits_ = false;
  SizedResource waits_for_ = SizedResource::Scope;
  std::uint32_t waits_on_ = 0;
  std::uint32_t waits_since_ = 0;
};

}  // namespace

RunUse use_of_run(const Recording& recording, const Capacities* exceeding) { return Walk(recording, exceeding).result(); }

std::string_view sized_resource_name(SizedResource resource) {
  switch (resource) {
    case SizedResource::Scope: return runtime::resource_name(Resource::Scope);
    case SizedResource::TaskWindow: return runtime::resource_name(Resource::TaskWindow);
    case SizedResource::Heap: return runtime::resource_name(Resource::Heap);
    case SizedResource::SpillPool: return runtime::resource_name(Resource::SpillPool);
    case SizedResource::TensorMap: return runtime::resource_name(Resource::TensorMapPool);
    case SizedResource::DepPool: return runtime::resource_name(Resource::DepPool);
  }
  return "";
}

std::string_view sized_resource_words(SizedResource resource) {
  switch (resource) {
    case SizedResource::Scope: return "scope";
    case SizedResource::TaskWindow: return "task window";
    case SizedResource::Heap: return "heap";
    case SizedResource::SpillPool: return "spill pool";
    case SizedResource::TensorMap: return "TensorMap";
    case SizedResource::DepPool: return "dep pool";
  }
  return "";
}

std::string_view sized_resource_unit(SizedResource resource) {
  switch (resource) {
    case SizedResource::Scope: return "tasks";
    case SizedResource::TaskWindow: return "slots";
    case SizedResource::Heap: return "bytes";
    case SizedResource::SpillPool:
    case SizedResource::TensorMap: return "entries";
    case SizedResource::DepPool: return "nodes";
  }
  return "";
}

std::string_view sized_resource_option(SizedResource resource) {
  switch (resource) {
    case SizedResource::Scope:
    case SizedResource::TaskWindow: return runtime::ring_option_name(RingResource::TaskWindow);
    case SizedResource::Heap: return runtime::ring_option_name(RingResource::Heap);
    case SizedResource::SpillPool:
    case SizedResource::DepPool: return runtime::ring_option_name(RingResource::DepPool);
    case SizedResource::TensorMap: break;
  }
  return "";
}

}  // namespace depscope::replay
