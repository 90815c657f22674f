// Missing and false order on random small traces, against sets of bytes and the transitive closure.
#include <gtest/gtest.h>
// after gtest: adds its support for it
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "depscope/recording/recorder.h"
#include "depscope/replay/check.h"
#include "depscope/runtime/model.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::ArgKind;
using runtime::ElementType;
using runtime::TaskKind;

// ---------------------------------------------------------------- traces

runtime::TensorDescriptor random_tensor(std::uint64_t address, runtime::TaskId owner) {
  runtime::TensorDescriptor t;
  t.address = address;
  t.owner = owner;
  t.dtype = *rc::gen::element(ElementType::Float32, ElementType::Float32, ElementType::Int8, ElementType::Int64);
  t.buffer_elements = 64;
  t.start_offset = *rc::gen::inRange<std::uint64_t>(0, 12);
  t.version = *rc::gen::element(0, 0, 0, 1);
  t.manual_dep = *rc::gen::inRange(0, 8) == 0;
  t.rank = *rc::gen::inRange<std::uint8_t>(1, 3);
  if (t.rank == 1) {
    t.shape = {*rc::gen::inRange<std::uint32_t>(0, 9)};
    t.strides = {*rc::gen::element<std::uint64_t>(1, 1, 2, 3)};
  } else {
    t.shape = {*rc::gen::inRange<std::uint32_t>(1, 4), *rc::gen::inRange<std::uint32_t>(1, 5)};
    t.strides = {*rc::gen::element<std::uint64_t>(4, 5, 8), 1};
  }
  return t;
}

/// Tasks of one trace: external buffers, two of which overlap; buffers that tasks create; AUTO and MANUAL; barriers.
Recording random_trace() {
  Recording r;
  recording::RuntimeRecorder recorder(r);
  runtime::ModelOptions options;
  options.reduction = {.kind = *rc::gen::element(runtime::ReductionKind::None, runtime::ReductionKind::Bitmap,
                                                 runtime::ReductionKind::Exact, runtime::ReductionKind::OneHop),
                       .window = 64};
  options.hazards.set(3, *rc::gen::arbitrary<bool>());
  runtime::Model model(options, recorder);
  const auto tasks = *rc::gen::inRange<std::uint64_t>(2, 14);
  const auto manual = *rc::gen::inRange(0, 3);     // how much of it
  const auto asks = *rc::gen::inRange<int>(0, 4);  // explicit dependencies of a task, at most
  std::vector<runtime::TaskId> creators;
  for (std::uint64_t id = 0; id < tasks; ++id) {
    runtime::Submission s;
    s.forced_id = id;
    s.manual_scope = *rc::gen::inRange(0, 3) < manual;
    const bool dummy = *rc::gen::inRange(0, 10) == 0;
    s.kind = dummy ? TaskKind::Dummy : TaskKind::Kernel;
    if (!dummy) s.kernel_ids[1] = *rc::gen::inRange(0, 2);
    for (int k = *rc::gen::inRange(0, asks + 1); k > 0 && id > 0; --k) {
      runtime::ExplicitDep dep;
      dep.task = *rc::gen::inRange<std::uint64_t>(0, id);
      dep.flags = *rc::gen::element<std::uint8_t>(runtime::kWaitRetain, runtime::kWaitRetain, runtime::kWait, runtime::kRetain);
      s.deps.push_back(dep);
    }
    bool creates = false;
    for (int k = dummy ? 0 : *rc::gen::inRange(1, 4); k > 0; --k) {
      const auto kind =
          *rc::gen::element(ArgKind::Input, ArgKind::InOut, ArgKind::OutputExisting, ArgKind::NoDep, ArgKind::Output);
      if (kind == ArgKind::Output) {
        runtime::Argument argument;
        argument.kind = kind;
        argument.tensor.dtype = ElementType::Unknown;
        s.args.push_back(argument);
        creates = true;
      } else if (!creators.empty() && *rc::gen::inRange(0, 3) == 0) {
        const runtime::TaskId owner = *rc::gen::elementOf(creators);
        s.args.push_back({kind, random_tensor(0x10000 + 0x1000 * owner, owner), 0});
      } else {
        s.args.push_back(
            {kind, random_tensor(*rc::gen::element<std::uint64_t>(0x1000, 0x1010, 0x2000), runtime::kInvalidTask), 0});
      }
    }
    model.submit(s);
    if (creates) creators.push_back(id);
  }
  model.finish();
  return r;
}

// ---------------------------------------------------------------- the oracle

constexpr unsigned kReads = 1;
constexpr unsigned kWrites = 2;

unsigned mode_of(ArgKind kind) {
  if (kind == ArgKind::InOut) return kReads | kWrites;
  return kind == ArgKind::OutputExisting ? kWrites : kReads;
}

std::set<std::uint64_t> bytes_of(const Recording& r, std::uint32_t access) {
  const std::uint32_t tensor = r.accesses.tensor[access];
  const std::uint64_t size = element_size(static_cast<ElementType>(r.tensors.dtype[tensor]));
  const std::uint32_t rank = r.accesses.geometry_begin_count[access] / 3;
  const std::uint32_t* words = r.pool.data() + r.accesses.geometry_begin[access];
  std::set<std::uint64_t> places{r.accesses.start_offset[access]};
  for (std::uint32_t i = 0; i < rank; ++i) {
    std::set<std::uint64_t> next;
    const std::uint64_t stride = words[rank + 2 * i];
    for (const std::uint64_t place : places) {
      for (std::uint64_t k = 0; k < words[i]; ++k) next.insert(place + k * stride);
    }
    places.swap(next);
  }
  std::set<std::uint64_t> out;
  for (const std::uint64_t place : places) {
    for (std::uint64_t b = 0; b < size; ++b) out.insert(r.tensors.address[tensor] + place * size + b);
  }
  return out;
}

struct Found {
  std::set<std::string> hazards;
  std::uint64_t bytes = 0;
  bool operator==(const Found&) const = default;
};
using Pair = std::pair<std::uint64_t, std::uint64_t>;

class Oracle {
 public:
  explicit Oracle(const Recording& r) : r_(r), tasks_(r.tasks.rows()), modes_(tasks_) {
    reach_.assign(tasks_, std::vector<bool>(tasks_, false));
    for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
      if ((r.edges.flags[e] & runtime::kWait) != 0) reach_[r.edges.producer[e]][r.edges.consumer[e]] = true;
    }
    for (std::uint32_t via = 0; via < tasks_; ++via) {
      for (std::uint32_t a = 0; a < tasks_; ++a) {
        for (std::uint32_t b = 0; b < tasks_; ++b) {
          if (reach_[a][via] && reach_[via][b]) reach_[a][b] = true;
        }
      }
    }
    for (std::uint32_t a = 0; a < r.accesses.rows(); ++a) {
      const auto kind = static_cast<ArgKind>(r.accesses.kind[a]);
      if (kind == ArgKind::Output) continue;
      const std::uint32_t task = r.accesses.task[a];
      for (const std::uint64_t byte : bytes_of(r, a)) modes_[task][byte] |= mode_of(kind);
      // The creator writes what others see of its buffer, from the first byte to the last.
      const std::uint64_t owner = r.tensors.owner[r.accesses.tensor[a]];
      if (owner != runtime::kInvalidTask) {
        const std::set<std::uint64_t> bytes = bytes_of(r, a);
        auto& hull = hulls_[owner];
        if (!bytes.empty()) hull.emplace(*bytes.begin()), hull.emplace(*bytes.rbegin());
      }
    }
    for (const auto& [owner, hull] : hulls_) {
      if (hull.empty()) continue;
      for (std::uint64_t byte = *hull.begin(); byte <= *hull.rbegin(); ++byte) modes_[row(owner)][byte] |= kWrites;
    }
  }

  [[nodiscard]] std::map<Pair, Found> missing() const {
    std::map<Pair, Found> out;
    for (std::uint32_t b = 0; b < tasks_; ++b) {
      for (std::uint32_t a = 0; a < b; ++a) {
        if (reach_[a][b]) continue;
        Found found;
        for (const auto& [byte, mode] : modes_[a]) {
          const unsigned other = mode_at(b, byte);
          if (!conflict(mode, other) || stood_for(a, b, byte)) continue;
          ++found.bytes;
          if ((mode & kWrites) != 0 && (other & kReads) != 0) found.hazards.insert("RAW");
          if ((mode & kReads) != 0 && (other & kWrites) != 0) found.hazards.insert("WAR");
          if ((mode & kWrites) != 0 && (other & kWrites) != 0) found.hazards.insert("WAW");
        }
        if (found.bytes != 0) out[{r_.tasks.id[a], r_.tasks.id[b]}] = found;
      }
    }
    return out;
  }

  /// Pair, and whether its edge still waits after the reduction.
  [[nodiscard]] std::map<Pair, bool> false_edges() const {
    std::map<Pair, bool> out;
    const auto& e = r_.edges;
    for (std::uint32_t i = 0; i < e.rows(); ++i) {
      const std::uint32_t a = e.producer[i];
      const std::uint32_t b = e.consumer[i];
      // Only the tracker's: what was asked for is a decision, and a creator writes all of what it makes.
      if (e.provenance[i] != runtime::kTensorMap || (e.flags[i] & runtime::kWait) == 0) continue;
      if (modes_[a].empty() || modes_[b].empty()) continue;
      bool real = false;
      for (const auto& [byte, mode] : modes_[a]) real = real || conflict(mode, mode_at(b, byte));
      if (!real) out[{r_.tasks.id[a], r_.tasks.id[b]}] = (e.flags_final[i] & runtime::kWait) != 0;
    }
    return out;
  }

 private:
  [[nodiscard]] std::uint32_t row(std::uint64_t id) const {
    for (std::uint32_t t = 0; t < tasks_; ++t) {
      if (r_.tasks.id[t] == id) return t;
    }
    return 0;
  }
  [[nodiscard]] unsigned mode_at(std::uint32_t task, std::uint64_t byte) const {
    const auto at = modes_[task].find(byte);
    return at == modes_[task].end() ? 0 : at->second;
  }
  static bool conflict(unsigned a, unsigned b) { return a != 0 && b != 0 && ((a | b) & kWrites) != 0; }

  /// The rules of check_order.h.
  [[nodiscard]] bool stood_for(std::uint32_t a, std::uint32_t b, std::uint64_t byte) const {
    std::uint32_t last_write = kNoRow;
    for (std::uint32_t c = 0; c < b; ++c) {
      if ((mode_at(c, byte) & kWrites) != 0) last_write = c;
      if (c > a && conflict(mode_at(c, byte), mode_at(b, byte)) && reach_[a][c]) return true;
    }
    return mode_at(a, byte) == kReads && last_write != kNoRow && last_write > a && reach_[last_write][b];
  }

  const Recording& r_;
  std::uint32_t tasks_;
  std::vector<std::map<std::uint64_t, unsigned>> modes_;
  std::map<std::uint64_t, std::set<std::uint64_t>> hulls_;
  std::vector<std::vector<bool>> reach_;
};

// ---------------------------------------------------------------- what the check says

std::uint64_t task_of(const nlohmann::json& reference) { return std::stoull(reference["task"].get<std::string>()); }

RC_GTEST_PROP(CheckOracle, MissingAndFalseOrderAreThoseOfTheOracle, ()) {
  const Recording r = random_trace();
  const Check check(r);
  std::map<Pair, Found> missing;
  std::map<Pair, bool> falses;
  check.each({.facts = true, .all = true}, [&](const CheckFinding& finding) {
    const auto fields = nlohmann::json::parse(finding.fields);
    if (finding.kind == "missing_order") {
      Found& found = missing[{task_of(fields["first"]), task_of(fields["second"])}];  // one finding per buffer
      if (fields["hazard"].is_array()) {
        for (const auto& name : fields["hazard"]) found.hazards.insert(name.get<std::string>());
      } else {
        found.hazards.insert(fields["hazard"].get<std::string>());
      }
      found.bytes += fields["shared_bytes"].get<std::uint64_t>();
      RC_ASSERT(fields["graph"] == "constructed");
      RC_ASSERT(finding.severity == Severity::Warning);
    }
    if (finding.kind == "false_order") {
      falses[{task_of(fields["first"]), task_of(fields["second"])}] = finding.severity == Severity::Warning;
    }
  });
  const Oracle oracle(r);
  const auto expected_missing = oracle.missing();
  const auto expected_false = oracle.false_edges();
  for (const auto& [pair, found] : expected_missing)
    RC_LOG() << "missing " << pair.first << " " << pair.second << " " << found.bytes << "\n";
  for (const auto& [pair, found] : missing)
    RC_LOG() << "found " << pair.first << " " << pair.second << " " << found.bytes << "\n";
  RC_ASSERT(missing == expected_missing);
  RC_ASSERT(falses == expected_false);
  RC_ASSERT(check.counts().cut == false);
  const CheckCounts& counts = check.counts();
  RC_ASSERT(check.alarming() == (counts.missing_order + counts.false_order + counts.lifetime != 0));
  RC_TAG(missing.empty() ? "ordered" : "order missing");
  RC_TAG(falses.empty() ? "no false order" : "false order");
}

}  // namespace
}  // namespace depscope::replay
