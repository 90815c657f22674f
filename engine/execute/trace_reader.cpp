#include "depscope/execute/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "depscope/base/json_keys.h"
#include "depscope/base/json_reader.h"

namespace depscope::execute {
namespace {

using runtime::ArgKind;
using runtime::Argument;
using runtime::ElementType;
using runtime::ExplicitDep;
using runtime::Submission;
using runtime::TaskId;

constexpr std::array<ArgKind, 5> kArgKinds{ArgKind::Input, ArgKind::Output, ArgKind::InOut, ArgKind::OutputExisting,
                                           ArgKind::NoDep};
constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxUInt32 = std::numeric_limits<std::uint32_t>::max();

constexpr std::array<std::string_view, 10> kArgKeys{"type",  "addr",  "buffer_numel", "start_offset",  "version",
                                                    "dtype", "shape", "strides",      "owner_task_id", "manual_dep"};
constexpr std::array<std::string_view, 9> kTaskKeys{"task_id", "scope",          "kernel_ids", "block_num", "explicit_deps",
                                                    "args",    "early_dispatch", "duration",   "predicate"};

class TraceReader {
 public:
  TraceReader(const SourceFile& source, runtime::Model& model, const Durations* durations)
      : reader_(source), model_(model), durations_(durations) {}

  void read() {
    reader_.begin_object();
    std::string_view key;
    bool found = false;
    while (reader_.next_key(key)) {
      if (key != "tasks") {
        reader_.skip();
        continue;
      }
      if (found) reader_.fail_value("key \"tasks\" is given twice");
      found = true;
      reader_.begin_array();
      while (reader_.next_element()) {
        read_task();
        model_.submit(submission_);
      }
    }
    reader_.end();
    if (!found) reader_.fail_value("key \"tasks\" is missing: not a submission trace");
  }

 private:
  TaskId task_id() {
    const TaskId id = reader_.decimal_string();
    if (id == runtime::kInvalidTask) reader_.fail_value(fmt::format("{} is the invalid task id", id));
    if (id >> 32U >= runtime::kRingCount) {
      reader_.fail_value(fmt::format("task id {} is on ring {}; rings are 0 to {}", id, id >> 32U, runtime::kRingCount - 1));
    }
    return id;
  }

  void read_task() {
    Submission& s = submission_;
    s.deps.clear();
    s.args.clear();
    s.early_dispatch = false;
    s.predicate_false = false;
    std::optional<std::uint32_t> duration;
    JsonKeys keys(kTaskKeys);
    reader_.begin_object();
    std::string_view key;
    while (reader_.next_key(key)) {
      switch (keys.take(key, reader_)) {
        case 0:
          s.forced_id = task_id();
          if (model_.submitted(s.forced_id)) reader_.fail_value(fmt::format("task id {} is used twice", s.forced_id));
          break;
        case 1: {
          const std::string_view scope = reader_.string();
          if (scope != "auto" && scope != "manual")
            reader_.fail_value(fmt::format("unknown scope \"{}\"; allowed: auto, manual", scope));
          s.manual_scope = scope == "manual";
          break;
        }
        case 2: read_kernel_ids(); break;
        // The runtime stores 0 blocks as 1.
        case 3: s.block_num = static_cast<std::uint32_t>(std::max<std::int64_t>(reader_.integer(0, kMaxInt32), 1)); break;
        case 4: read_deps(); break;
        case 5: read_args(); break;
        case 6: s.early_dispatch = reader_.boolean(); break;
        case 7: duration = read_duration(); break;
        case 8: s.predicate_false = !reader_.boolean(); break;
        default: reader_.skip();
      }
    }
    // After the closing bracket the reader stands on the element again.
    keys.require(6, reader_);
    s.duration = durations_ != nullptr ? durations_->of(s.forced_id, s.kernel_ids, duration) : duration.value_or(1);
  }

  std::uint32_t read_duration() {
    constexpr std::uint32_t kLongest = runtime::kNeverFinishes - 1;
    if (!reader_.is_string()) return static_cast<std::uint32_t>(reader_.integer(1, kLongest));
    if (reader_.string() != "never") reader_.fail_value(fmt::format("a number from 1 to {} or \"never\" was expected", kLongest));
    return runtime::kNeverFinishes;
  }

  void read_kernel_ids() {
    Submission& s = submission_;
    std::size_t count = 0;
    bool any = false;
    reader_.begin_array();
    while (reader_.next_element()) {
      const std::int64_t id = reader_.integer(-1, kMaxInt32);
      any = any || id >= 0;
      if (count < s.kernel_ids.size()) s.kernel_ids[count] = static_cast<std::int32_t>(id);
      ++count;
    }
    if (count != s.kernel_ids.size())
      reader_.fail_value(fmt::format("{} kernel ids; exactly 3 are needed (AIC, AIV0, AIV1)", count));
    s.kind = any ? runtime::TaskKind::Kernel : runtime::TaskKind::Dummy;
  }

  void read_deps() {
    reader_.begin_array();
    while (reader_.next_element()) {
      ExplicitDep dep;
      if (reader_.is_object()) {
        read_flagged_dep(dep);
      } else {
        dep.task = task_id();
      }
      submission_.deps.push_back(dep);
    }
  }

  void read_flagged_dep(ExplicitDep& dep) {
    static constexpr std::array<std::string_view, 2> kKeys{"task", "flags"};
    JsonKeys keys(kKeys);
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      switch (keys.take(key, reader_)) {
        case 0: dep.task = task_id(); break;
        case 1: dep.flags = read_flags(); break;
        default: reader_.skip();
      }
    }
    keys.require(2, reader_);
  }

  std::uint8_t read_flags() {
    unsigned flags = 0;
    reader_.begin_array();
    while (reader_.next_element()) {
      const std::string_view flag = reader_.string();
      if (flag == "wait") {
        flags |= runtime::kWait;
      } else if (flag == "retain") {
        flags |= runtime::kRetain;
      } else {
        reader_.fail_value(fmt::format("unknown flag \"{}\"; allowed: wait, retain", flag));
      }
    }
    return static_cast<std::uint8_t>(flags);
  }

  void read_args() {
    reader_.begin_array();
    while (reader_.next_element()) {
      if (submission_.args.size() == runtime::kMaxTensorArgs) {
        reader_.fail_value(fmt::format("more than {} tensor arguments", runtime::kMaxTensorArgs));
      }
      read_arg(submission_.args.emplace_back());
    }
  }

  void read_arg(Argument& arg) {
    runtime::TensorDescriptor& t = arg.tensor;
    JsonKeys keys(kArgKeys);
    std::size_t rank = 0;
    std::size_t stride_count = 0;
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      switch (keys.take(key, reader_)) {
        case 0: arg.kind = read_kind(); break;
        case 1: t.address = reader_.decimal_string(); break;
        case 2: t.buffer_elements = reader_.decimal_string(); break;
        case 3: t.start_offset = reader_.decimal_string(); break;
        case 4:
          t.version = static_cast<std::int32_t>(reader_.integer(std::numeric_limits<std::int32_t>::min(), kMaxInt32));
          break;
        case 5: t.dtype = read_dtype(); break;
        case 6: rank = read_extents(t.shape, 0); break;
        case 7: stride_count = read_extents(t.strides, 1); break;
        case 8: t.owner = read_owner(); break;
        case 9: t.manual_dep = reader_.boolean(); break;
        default: reader_.skip();
      }
    }
    keys.require(1, reader_);
    if (arg.kind == ArgKind::Output) {
      // Allocated by the runtime at submit: a trace knows nothing more.
      t = {};
      t.dtype = ElementType::Unknown;
      return;
    }
    keys.require(kArgKeys.size(), reader_);
    if (rank != stride_count) reader_.fail_value(fmt::format("{} strides for a shape of rank {}", stride_count, rank));
    t.rank = static_cast<std::uint8_t>(rank);
  }

  ArgKind read_kind() {
    const std::string_view name = reader_.string();
    for (const ArgKind kind : kArgKinds) {
      if (name == arg_kind_name(kind)) return kind;
    }
    reader_.fail_value(fmt::format("unknown argument type \"{}\"; allowed: INPUT, OUTPUT, INOUT, OUTPUT_EXISTING, NO_DEP", name));
  }

  ElementType read_dtype() {
    const std::string_view name = reader_.string();
    const ElementType type = runtime::element_type_from_name(name);
    if (type != ElementType::Unknown || name == element_type_name(ElementType::Unknown)) return type;
    std::string allowed;
    for (unsigned i = 0; i <= static_cast<unsigned>(ElementType::Unknown); ++i) {
      allowed += i == 0 ? "" : ", ";
      allowed += element_type_name(static_cast<ElementType>(i));
    }
    reader_.fail_value(fmt::format("unknown dtype \"{}\"; allowed: {}", name, allowed));
  }

  template <class T>
  std::size_t read_extents(std::array<T, runtime::kMaxRank>& extents, std::int64_t low) {
    std::size_t rank = 0;
    reader_.begin_array();
    while (reader_.next_element()) {
      const std::int64_t value = reader_.integer(low, kMaxUInt32);
      if (rank == runtime::kMaxRank) reader_.fail_value(fmt::format("more than {} dimensions", runtime::kMaxRank));
      extents[rank++] = static_cast<T>(value);
    }
    if (rank == 0) reader_.fail_value(fmt::format("no dimensions; allowed: 1 to {}", runtime::kMaxRank));
    return rank;
  }

  TaskId read_owner() {
    if (reader_.null()) return runtime::kInvalidTask;
    const std::uint64_t raw = reader_.decimal_string();
    if (raw == runtime::kInvalidTask) return raw;  // how the runtime writes "external memory"
    if (raw >> 32U >= runtime::kRingCount) {
      reader_.fail_value(fmt::format("task id {} is on ring {}; rings are 0 to {}", raw, raw >> 32U, runtime::kRingCount - 1));
    }
    return raw;
  }

  JsonReader reader_;
  runtime::Model& model_;
  const Durations* durations_;
  Submission submission_;
};

}  // namespace

void read_trace(const SourceFile& source, runtime::Model& model, const Durations* durations) {
  TraceReader(source, model, durations).read();
}

std::uint64_t count_trace_tasks(std::string_view text) {
  constexpr std::string_view kKey = "\"task_id\"";
  std::uint64_t count = 0;
  for (std::size_t at = text.find(kKey); at != std::string_view::npos; at = text.find(kKey, at + kKey.size())) ++count;
  return count;
}

}  // namespace depscope::execute
