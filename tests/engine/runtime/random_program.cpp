#include "random_program.h"

#include <algorithm>

namespace depscope::runtime {
namespace {

constexpr std::uint32_t kMostDepth = 5;
constexpr std::uint32_t kRows = 8, kColumns = 8;  // of every buffer

class Player {
 public:
  Player(Model& model, const RandomProgram& program, std::uint32_t clusters)
      : model_(model), program_(program), clusters_(clusters), random_(program.seed) {}

  void run() {
    scopes_.emplace_back();
    std::uint32_t submits = 0;
    while (submits < program_.submits && model_.error_code() == 0) {
      const std::uint32_t dice = below(20);
      const bool full = scopes_.back().tasks >= program_.most_in_scope;
      const bool deepest = scopes_.size() == kMostDepth;
      if (full ? scopes_.size() == 1 || (!deepest && below(3) == 0) : dice < 3 && !deepest) {
        const bool manual = in_manual() || below(5) == 0;
        if (model_.begin_scope(manual)) scopes_.push_back({.manual = manual, .tasks = 0, .buffers = {}});
      } else if (full || (dice < 6 && scopes_.size() > 1)) {
        model_.end_scope();
        scopes_.pop_back();
      } else if (dice == 19) {
        model_.host_access(buffer(), below(2) == 0);
      } else {
        submit();
        ++submits;
      }
      for (std::uint32_t i = program_.by_hand ? below(12) : 0; i > 0; --i) {
        const std::vector<Action> actions = model_.enabled();
        if (actions.empty()) break;
        model_.perform(actions[below(static_cast<std::uint32_t>(actions.size()))]);
      }
    }
    model_.finish();
  }

 private:
  struct Open {
    bool manual = false;
    std::uint32_t tasks = 0;
    std::vector<TensorDescriptor> buffers;
  };

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  [[nodiscard]] bool in_manual() const { return scopes_.back().manual; }

  TensorDescriptor buffer() {
    std::vector<const TensorDescriptor*> created;
    for (const Open& open : scopes_) {
      for (const TensorDescriptor& t : open.buffers) created.push_back(&t);
    }
    TensorDescriptor t;
    if (!created.empty() && below(2) == 0) {
      t = *created[below(static_cast<std::uint32_t>(created.size()))];
    } else {
      t.address = 4096 * (1 + std::uint64_t{below(4)});
      t.buffer_elements = kRows * kColumns;
      t.rank = 2;
      t.shape = {kRows, kColumns};
      t.strides = {kColumns, 1};
    }
    switch (below(4)) {
      case 0: {  // rows
        const std::uint32_t first = below(kRows);
        t.start_offset += std::uint64_t{first} * kColumns;
        t.shape[0] = 1 + below(kRows - first);
        break;
      }
      case 1: {  // columns
        const std::uint32_t first = below(kColumns);
        t.start_offset += first;
        t.shape[1] = 1 + below(kColumns - first);
        break;
      }
      case 2:
        if (below(8) == 0) t.manual_dep = true;
        break;
      default: break;
    }
    return t;
  }

  void add_arguments(Submission& s) {
    for (std::uint32_t i = below(4); i > 0; --i) {
      Argument a;
      const std::uint32_t dice = below(12);
      if (dice < 2) {
        a.kind = ArgKind::Output;
        a.tensor.rank = 2;
        a.tensor.shape = {kRows, kColumns};
        if (below(4) == 0) a.tensor.shape = {kRows, kColumns * 10};
      } else {
        a.kind = dice < 6 ? ArgKind::Input : dice < 9 ? ArgKind::InOut : dice < 11 ? ArgKind::OutputExisting : ArgKind::NoDep;
        a.tensor = buffer();
      }
      s.args.push_back(a);
    }
  }

  void add_dependencies(Submission& s) {
    // Nobody else keeps the memory alive in a MANUAL scope.
    for (const Argument& a : s.args) {
      if (in_manual() && a.kind != ArgKind::Output && a.tensor.owner != kInvalidTask) s.deps.push_back({.task = a.tensor.owner});
    }
    if (ids_.empty()) return;
    const auto count = static_cast<std::uint32_t>(ids_.size());
    for (std::uint32_t i = below(3); i > 0; --i) {
      const std::uint32_t back = below(below(4) == 0 ? count : std::min(count, 6U));
      const auto flags = static_cast<std::uint8_t>(below(2) == 0 ? std::uint32_t{kWaitRetain} : below(4));
      s.deps.push_back({.task = ids_[count - 1 - back], .flags = flags});
    }
    if (!program_.wide || count < 70 || below(4) != 0) return;
    const std::uint32_t more = 60 + below(std::min(count - 60, 20U));
    for (std::uint32_t i = 0; i < more; ++i) {
      const auto flags =
          static_cast<std::uint8_t>(below(12) == 0 ? std::uint32_t{kWaitRetain} : below(2) * std::uint32_t{kRetain});
      s.deps.push_back({.task = ids_[count - 1 - i], .flags = flags});
    }
  }

  void submit() {
    Submission s;
    const std::uint32_t dice = below(10);
    if (dice == 0) {
      s.kind = TaskKind::Alloc;
      Argument a;
      a.kind = ArgKind::Output;
      a.tensor.rank = 2;
      a.tensor.shape = {kRows, kColumns};
      s.args.push_back(a);
    } else {
      add_arguments(s);
      add_dependencies(s);
      if (dice == 1) {
        s.kind = TaskKind::Dummy;
      } else {
        do {
          for (std::int32_t& k : s.kernel_ids) k = below(2) == 0 ? -1 : 1;
        } while (std::all_of(s.kernel_ids.begin(), s.kernel_ids.end(), [](std::int32_t k) { return k < 0; }));
        s.block_num = below(3) == 0 ? 1 + below(8) : 1;
        s.sync_start = below(12) == 0;
        if (s.sync_start) s.block_num = 1 + below(clusters_);
        s.predicate_false = below(16) == 0;
        s.early_dispatch = below(8) == 0;
        s.duration = 1 + below(5);
      }
    }
    const SubmitResult result = model_.submit(s);
    if (result.id == kInvalidTask) return;
    ids_.push_back(result.id);
    ++scopes_.back().tasks;
    for (const TensorDescriptor& t : result.outputs) {
      if (t.shape[1] == kColumns) scopes_.back().buffers.push_back(t);
    }
  }

  Model& model_;
  RandomProgram program_;
  std::uint32_t clusters_;
  std::mt19937_64 random_;
  std::vector<Open> scopes_;
  std::vector<TaskId> ids_;
};

}  // namespace

std::string FindingSink::violation(const std::vector<int>& allowed) const {
  for (const RunFinding& f : findings) {
    if (f.kind != RunFindingKind::Invariant) continue;
    if (std::find(allowed.begin(), allowed.end(), f.code) == allowed.end()) return f.text;
  }
  return {};
}

bool FindingSink::reports(int number) const {
  return std::any_of(findings.begin(), findings.end(),
                     [number](const RunFinding& f) { return f.kind == RunFindingKind::Invariant && f.code == number; });
}

std::string FindingSink::all() const {
  std::string out;
  for (const RunFinding& f : findings) {
    if (f.kind == RunFindingKind::Invariant) out += f.text + "\n";
  }
  return out;
}

ModelOptions random_options(const RandomProgram& program, Platform platform) {
  std::mt19937_64 random(program.seed * 977 + 5);
  const auto one_of = [&random](std::initializer_list<std::uint64_t> list) { return list.begin()[random() % list.size()]; };
  ModelOptions o;
  o.platform = platform;
  o.check_invariants = true;
  o.clusters = static_cast<std::uint32_t>(one_of({1, 2, 4}));
  o.scheduler_threads = static_cast<std::uint32_t>(one_of({1, 2, 3}));
  switch (one_of({0, 1, 2, 3, 4})) {
    case 0: o.reduction.kind = ReductionKind::Exact; break;
    case 1: o.reduction.kind = ReductionKind::OneHop; break;
    case 2: o.reduction = {.kind = ReductionKind::Bitmap, .window = static_cast<std::uint32_t>(one_of({1, 3, 8, 70}))}; break;
    case 3: o.reduction = {.kind = ReductionKind::Bitmap, .window = 64}; break;
    default: break;
  }
  if (one_of({0, 1, 2, 3, 4, 5, 6, 7}) == 0) o.edges = EdgeRepresentation::Coupled;
  o.events = one_of({0, 1}) == 0 ? EventLevel::Full : EventLevel::Summary;
  if (one_of({0, 1, 2, 3}) == 0) o.tensor_map_entries = program.wide ? one_of({64, 200}) : one_of({8, 24});
  o.first_submission_number = one_of({0, ~std::uint64_t{1}});
  o.first_seen_epoch = static_cast<std::uint32_t>(one_of({1, 0xfffffffdU}));
  o.reach_residue = ~std::uint64_t{0};
  for (RingLimits& l : o.limits) {
    l.task_window = program.wide ? 128 : one_of({4, 8, 16});
    l.heap = program.wide ? one_of({32768, 131072}) : one_of({4096, 8192, 16384});
    l.dep_pool = program.wide ? one_of({48, 96}) : one_of({8, 16});
  }
  return o;
}

void play(Model& model, const RandomProgram& program, std::uint32_t clusters) { Player(model, program, clusters).run(); }

}  // namespace depscope::runtime
