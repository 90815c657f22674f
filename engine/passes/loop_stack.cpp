#include "loop_stack.h"

#include <algorithm>

namespace depscope::pass {

using ir::ExprId;
using ir::StmtId;
using ir::VarId;

void LoopStack::clear() {
  loops_.clear();
  dynamic_.clear();
  carried_by_.clear();
  depth_ = 0;
  serials_ = 0;
  kept_inner_.clear();
}

void LoopStack::enter_for(StmtId stmt) {
  const ir::ForData d = store_.for_data(stmt);
  OpenLoop loop;
  loop.stmt = stmt;
  loop.parallel = d.kind == ir::ForKind::Parallel;
  loop.iter_args = d.iter_args;
  loop.results = d.result_vars;
  loop.body = d.body;
  if (const auto trips = trip_count(store_, d)) {
    loop.trips = *trips;
    if (*trips == 1) {
      loop.loop_class = LoopClass::SingleTrip;
    } else if (store_.as_int(d.step).value_or(0) > 0) {
      loop.loop_class = LoopClass::FixedTrip;
    }
  }
  enter(loop);
}

void LoopStack::enter_while(StmtId stmt) {
  const ir::WhileData d = store_.while_data(stmt);
  OpenLoop loop;
  loop.stmt = stmt;
  loop.iter_args = d.iter_args;
  loop.results = d.result_vars;
  loop.body = d.body;
  enter(loop);
}

void LoopStack::enter(OpenLoop loop) {
  loop.serial = ++serials_;
  if (loop.loop_class != LoopClass::SingleTrip) ++depth_;
  loop.depth = depth_;
  loop.first_access = log_.size();
  for (std::uint32_t k = 0; k < loop.iter_args.count; ++k) carried_by_[store_.at<VarId>(loop.iter_args, k)] = loop.serial;
  if (loop.loop_class == LoopClass::Dynamic) dynamic_.push_back(static_cast<std::uint32_t>(loops_.size()));
  loops_.push_back(loop);
}

bool LoopStack::is_open_dynamic(std::uint32_t serial) const {
  return std::any_of(dynamic_.begin(), dynamic_.end(), [&](std::uint32_t position) { return loops_[position].serial == serial; });
}

bool LoopStack::in_open_loop(std::uint32_t access) const {
  return std::any_of(loops_.begin(), loops_.end(), [&](const OpenLoop& loop) {
    return loop.loop_class != LoopClass::SingleTrip && loop.first_access <= access;
  });
}

std::uint32_t LoopStack::carrying_loop(VarId var) const {
  const std::uint32_t* serial = carried_by_.find(var);
  return serial == nullptr ? 0 : *serial;
}

OpenLoop LoopStack::leave() {
  const OpenLoop loop = loops_.back();
  loops_.pop_back();
  if (loop.loop_class == LoopClass::Dynamic) dynamic_.pop_back();
  if (log_.has_frame()) {
    switch (loop.loop_class) {
      case LoopClass::SingleTrip: rename_by_id(loop, false); break;
      case LoopClass::FixedTrip:
        if (loop.trips >= 1 && direct_yield(store_, loop.body).valid()) {
          rename_by_id(loop, true);
          rename_by_storage(loop);
        }
        break;
      case LoopClass::Dynamic:
        if (loop.parallel && loop.depth == 1) rename_by_storage(loop);
        break;
    }
  }
  if (loop.loop_class != LoopClass::SingleTrip) --depth_;
  return loop;
}

bool LoopStack::eligible(const OpenLoop& loop, std::uint32_t index) const {
  const Access& access = log_[index];
  if (access.summarised_at == loop.serial) return false;
  return access.in_loop || (outer_results_ && access.left_loop && index >= loop.first_access);
}

void LoopStack::rename(const OpenLoop& loop, std::uint32_t index, VarId result) {
  log_.rename(index, result);
  Access& access = log_.edit(index);
  access.summarised_at = loop.serial;
  switch (loop.loop_class) {
    case LoopClass::SingleTrip: break;
    case LoopClass::FixedTrip: {
      const bool deeper = access.dynamic_serial != 0 && access.dynamic_depth > loop.depth;
      if (!deeper || ir::is_task_id(store_, store_.var(result).type)) {
        access.left_loop = access.left_loop || access.in_loop;
        access.in_loop = false;
      }
      break;
    }
    case LoopClass::Dynamic:
      access.in_loop = false;
      access.dynamic_serial = 0;
      break;
  }
}

void LoopStack::rename_by_id(const OpenLoop& loop, bool in_loop_only) {
  const StmtId yield = direct_yield(store_, loop.body);
  const Range values = yield.valid() ? Range{store_.stmt(yield).a, store_.stmt(yield).b} : Range{};
  // Task ids first: they say more exactly what to wait for than the tensor that was carried along.
  for (const bool task_ids : {true, false}) {
    for (std::uint32_t k = 0; k < loop.results.count; ++k) {
      const VarId result = store_.at<VarId>(loop.results, k);
      if (ir::is_task_id(store_, store_.var(result).type) != task_ids) continue;
      const VarId value = k < values.count ? store_.as_var(store_.at<ExprId>(values, k)) : VarId();
      for (const VarId id : {value, ids_.canonical(value), store_.at<VarId>(loop.iter_args, k)}) {
        if (!id.valid()) continue;
        log_.with_id(id, found_);
        for (const std::uint32_t index : found_) {
          if (log_[index].summarised_at == loop.serial) continue;
          if (!in_loop_only || eligible(loop, index)) {
            rename(loop, index, result);
          } else if (log_[index].left_loop && index >= loop.first_access) {
            kept_inner_.push_back(index);
          }
        }
      }
    }
  }
}

void LoopStack::rename_by_storage(const OpenLoop& loop) {
  for (std::uint32_t k = 0; k < loop.results.count; ++k) {
    const VarId result = store_.at<VarId>(loop.results, k);
    const Location location = lineage_.location(result);
    if (location.state != LocationState::Known) continue;
    for (std::uint32_t a = 0; a < location.alternatives.count; ++a) {
      const StorageAlternative& part = lineage_.alternative(location.alternatives.begin + a);
      log_.with_root(part.root, found_);
      for (const std::uint32_t index : found_) {
        if (!eligible(loop, index)) continue;
        const StorageAlternative& accessed = lineage_.alternative(log_[index].alternative);
        if (lineage_.boxes().overlap(part.region, accessed.region)) rename(loop, index, result);
      }
    }
  }
}

}  // namespace depscope::pass
