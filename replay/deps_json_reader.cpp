#include "depscope/replay/deps_json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "deps_json_rows.h"
#include "deps_json_tables.h"
#include "depscope/base/json_keys.h"
#include "depscope/base/json_reader.h"
#include "depscope/base/text_memory.h"
#include "depscope/recording/findings.h"
#include "depscope/runtime/model.h"
#include "salvage.h"

namespace depscope::replay {
namespace {

using runtime::ArgKind;

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kOwnSchema = "depscope.deps/1";

constexpr std::array<std::string_view, 6> kTaskKeys{"task_id", "scope", "early_dispatch", "kernel_ids", "block_num", "args"};
constexpr std::array<std::string_view, 8> kArgKeys{"idx",   "type",         "tensor_id", "dtype",
                                                   "shape", "start_offset", "strides",   "offset"};
constexpr std::array<std::string_view, 6> kTensorKeys{"tensor_id",    "buffer_addr", "version",
                                                      "buffer_numel", "raw_shapes",  "dtype"};

class DepsReader {
 public:
  /// `give_up`: text that was read is not needed again.
  DepsReader(const SourceFile& source, DepsFile& file, bool give_up)
      : source_(source), file_(file), tables_(file.recording), give_up_(give_up) {}

  void read(bool salvage) {
    file_.health.cut = read_or_cut(source_, salvage, [this] {
      first_pass();
      if (!closed_) close_tasks();
      if (later_) second_pass();
    });
    if (file_.health.cut) {
      file_.health.complete = false;
      if (!closed_) close_tasks();
    }
    file_.health.version = version();
    assume();
    tables_.finish(file_.health);
    describe();
  }

 private:
  void first_pass() {
    JsonReader reader(source_);
    std::string_view key;
    reader.begin_object();
    while (reader.next_key(key)) {
      if (key == "schema") {
        const std::string_view schema = reader.string();
        if (schema != kOwnSchema) reader.fail_value(fmt::format("schema \"{}\": {} was expected, or none", schema, kOwnSchema));
        own_ = true;
      } else if (key == "version") {
        number_ = reader.integer(1, kMaxInt32);
        if (number_ > 3) reader.fail_value(fmt::format("version {} is not known; allowed: 1, 2, 3, or none", number_));
      } else if (key == "window_misses") {
        file_.recording.window_misses = static_cast<std::uint32_t>(reader.integer(0, kMaxUInt32));
      } else if (key == "tasks") {
        once(tasks_seen_, reader, "tasks");
        tasks(reader);
      } else if (key == "tensors") {
        once(tensors_seen_, reader, "tensors");
        tensors(reader);
      } else if (key == "edges" || key == "pairs" || key == "submissions") {
        if (key == "edges") once(edges_seen_, reader, "edges");
        if (tasks_seen_ && tensors_seen_) {
          if (!closed_) close_tasks();
          graph(key, reader);
        } else {
          later_ = true;  // without the tasks nothing can be made of it
          reader.skip();
        }
      } else {
        reader.skip();
      }
    }
    reader.end();
    if (!tasks_seen_ && !edges_seen_) reader.fail_value(R"(keys "tasks" and "edges" are missing: not a deps.json)");
    if (!tasks_seen_ && number_ != 1) reader.fail_value("key \"tasks\" is missing");
  }

  void second_pass() {
    // Edges between tasks and tensors: the text may be given up by then.
    const std::optional<SourceFile> again =
        given_up_ == 0 ? std::nullopt : std::optional(SourceFile::read(source_.name(), kMaxDepsBytes));
    JsonReader reader(again ? *again : source_);
    std::string_view key;
    bool complete = false;  // what stood behind both was read in the first pass
    bool tasks = false;
    bool tensors = false;
    reader.begin_object();
    while (reader.next_key(key)) {
      tasks = tasks || key == "tasks";
      tensors = tensors || key == "tensors";
      complete = tasks && tensors;
      if (!complete && (key == "edges" || key == "pairs" || key == "submissions")) {
        graph(key, reader);
      } else {
        reader.skip();
      }
    }
  }

  static void once(bool& seen, const JsonReader& reader, std::string_view key) {
    if (seen) reader.fail_value(fmt::format("key \"{}\" is given twice", key));
    seen = true;
  }

  void close_tasks() {
    closed_ = true;
    tables_.close_tasks();
  }

  void graph(std::string_view key, JsonReader& reader) {
    const bool edges = key == "edges";
    const bool pairs = key == "pairs";
    has_pairs_ = has_pairs_ || pairs;
    reader.begin_array();
    while (reader.next_element()) {
      if (edges) {
        edge(reader);
      } else if (pairs) {
        tables_.add_pair(read_deps_pair(reader));
      } else {
        submission(reader);
      }
    }
  }

  void tasks(JsonReader& reader) {
    reader.begin_array();
    while (reader.next_element()) {
      give_up(reader);
      task(reader);
    }
  }

  void task(JsonReader& reader) {
    DepsTask& t = task_;
    t.manual = t.early_dispatch = t.kernels_known = false;
    t.kernel_ids = {-1, -1, -1};
    t.block_num = 1;
    t.args.clear();
    JsonKeys keys(kTaskKeys);
    std::string_view key;
    reader.begin_object();
    while (reader.next_key(key)) {
      switch (keys.take(key, reader)) {
        case 0:
          t.id = read_deps_id(reader);
          if (t.id == runtime::kInvalidTask) reader.fail_value(fmt::format("{} is the invalid task id", t.id));
          if (tables_.has_task(t.id)) reader.fail_value(fmt::format("task id {} is used twice", t.id));
          break;
        case 1: {
          const std::string_view scope = reader.string();
          if (scope != "auto" && scope != "manual")
            reader.fail_value(fmt::format("unknown scope \"{}\"; allowed: auto, manual", scope));
          t.manual = scope == "manual";
          break;
        }
        case 2: t.early_dispatch = reader.boolean(); break;
        case 3: kernel_ids(reader); break;
        // The runtime stores 0 blocks as 1.
        case 4: t.block_num = static_cast<std::uint32_t>(std::max<std::int64_t>(reader.integer(0, kMaxInt32), 1)); break;
        case 5: arguments(reader); break;
        default: reader.skip();
      }
    }
    keys.require(1, reader);
    no_scope_ = no_scope_ || !keys.seen(1);
    no_early_ = no_early_ || !keys.seen(2);
    no_kernels_ = no_kernels_ || !keys.seen(3);
    no_blocks_ = no_blocks_ || !keys.seen(4);
    tables_.add_task(t);
  }

  void kernel_ids(JsonReader& reader) {
    std::size_t count = 0;
    reader.begin_array();
    while (reader.next_element()) {
      const std::int64_t kernel = reader.integer(-1, kMaxInt32);
      if (count < task_.kernel_ids.size()) task_.kernel_ids[count] = static_cast<std::int32_t>(kernel);
      ++count;
    }
    if (count != task_.kernel_ids.size())
      reader.fail_value(fmt::format("{} kernel ids; exactly 3 are needed (AIC, AIV0, AIV1)", count));
    task_.kernels_known = true;
  }

  void arguments(JsonReader& reader) {
    reader.begin_array();
    while (reader.next_element()) {
      if (task_.args.size() == runtime::kMaxTensorArgs)
        reader.fail_value(fmt::format("more than {} tensor arguments", runtime::kMaxTensorArgs));
      argument(reader, task_.args.emplace_back());
    }
  }

  void argument(JsonReader& reader, DepsArgument& arg) {
    JsonKeys keys(kArgKeys);
    std::size_t shape = 0;
    std::size_t strides = 0;
    DepsGeometry& g = arg.geometry;
    std::string_view key;
    reader.begin_object();
    while (reader.next_key(key)) {
      switch (keys.take(key, reader)) {
        case 0: arg.idx = static_cast<std::uint8_t>(reader.integer(0, 127)); break;
        case 1: arg.kind = kind(reader); break;
        case 2: arg.tensor_id = read_deps_id(reader); break;
        // Types that only later machines have are as unknown to the tools as to us.
        case 3: arg.dtype = runtime::element_type_from_name(reader.string()); break;
        case 4: shape = read_deps_extents(reader, g.shape, kMaxUInt32); break;
        case 5: g.start_offset = read_deps_id(reader); break;
        case 6: strides = read_deps_extents(reader, g.strides, kMaxInt64); break;
        case 7: g.offset_rank = static_cast<std::uint8_t>(read_deps_extents(reader, g.offsets, kMaxInt64)); break;
        default: reader.skip();
      }
    }
    keys.require(2, reader);
    g.rank = static_cast<std::uint8_t>(shape);
    if (arg.kind == ArgKind::Output) return;
    if (!keys.seen(2)) reader.fail_value("key \"tensor_id\" is missing");
    if (!keys.seen(7) && strides != shape) reader.fail_value(fmt::format("{} strides for a shape of rank {}", strides, shape));
    by_dimension_ = by_dimension_ || keys.seen(7);
  }

  static ArgKind kind(JsonReader& reader) {
    const std::string_view name = reader.string();
    for (const ArgKind kind : {ArgKind::Input, ArgKind::Output, ArgKind::InOut, ArgKind::OutputExisting, ArgKind::NoDep}) {
      if (name == arg_kind_name(kind)) return kind;
    }
    if (name == "UNKNOWN") return ArgKind::NoDep;
    reader.fail_value(
        fmt::format("unknown argument type \"{}\"; allowed: INPUT, OUTPUT, INOUT, OUTPUT_EXISTING, NO_DEP, UNKNOWN", name));
  }

  void tensors(JsonReader& reader) {
    reader.begin_array();
    while (reader.next_element()) {
      DepsTensor t;
      JsonKeys keys(kTensorKeys);
      std::string_view key;
      reader.begin_object();
      while (reader.next_key(key)) {
        switch (keys.take(key, reader)) {
          case 0: t.id = read_deps_id(reader); break;
          case 1: t.address = read_deps_id(reader); break;
          case 2:
            t.version = static_cast<std::int32_t>(reader.integer(std::numeric_limits<std::int32_t>::min(), kMaxInt32));
            break;
          case 3: t.buffer_elements = read_deps_id(reader); break;
          case 4:
            reader.begin_array();
            while (reader.next_element()) t.raw_shape.push_back(static_cast<std::uint64_t>(reader.integer(0, kMaxUInt32)));
            break;
          default: reader.skip();
        }
      }
      keys.require(2, reader);
      tables_.add_tensor(std::move(t));
    }
  }

  void give_up(JsonReader& reader) {
    constexpr std::uint32_t kAtOnce = 2048;  // rows
    if (!give_up_ || later_ || ++rows_read_ % kAtOnce != 0) return;
    const std::size_t end = reader.give_up();
    give_back_memory(source_.text().substr(given_up_, end - given_up_));
    given_up_ = end;
  }

  void edge(JsonReader& reader) {
    give_up(reader);
    DepsEdge& e = edge_;
    if (!read_deps_edge(reader, e)) {
      ++file_.health.skipped_edges;
      return;
    }
    no_sources_ = no_sources_ || e.source == 0;
    no_flags_ = no_flags_ || !e.has_flags;
    explicit_ = explicit_ || e.source == runtime::kExplicit;
    tables_.add_edge(e);
  }

  void submission(JsonReader& reader) {
    DepsSubmission& s = submission_;
    read_deps_submission(reader, s);
    if (tables_.has_submission(s.id)) reader.fail_value(fmt::format("task id {} is submitted twice", s.id));
    tables_.add_submission(s.id, s.kind, s.callee);
  }

  [[nodiscard]] DepsVersion version() const {
    if (own_) return DepsVersion::Depscope;
    switch (number_) {
      case 1: return DepsVersion::V1;
      case 2: return DepsVersion::V2;
      case 3: return DepsVersion::V3;
      default: return DepsVersion::Current;
    }
  }

  void assume() {
    std::vector<std::string>& assumed = file_.health.assumed;
    if (!tasks_seen_) assumed.emplace_back("tasks");
    if (no_sources_) assumed.emplace_back("sources");
    if (no_flags_) assumed.emplace_back("flags");
    if (explicit_ && !no_flags_ && !has_pairs_) assumed.emplace_back("explicit_retain");
    if (no_scope_ || !tasks_seen_) assumed.emplace_back("scope");
    if (no_kernels_ || !tasks_seen_) assumed.emplace_back("kernel_ids");
    if (no_blocks_ || !tasks_seen_) assumed.emplace_back("block_num");
    if (no_early_ || !tasks_seen_) assumed.emplace_back("early_dispatch");
    if (by_dimension_) assumed.emplace_back("strides");
  }

  void describe() {
    recording::Recording& r = file_.recording;
    const DepsHealth& health = file_.health;
    const auto option = [&r](std::string_view name, std::string_view value) {
      r.options.name.push_back(r.strings.add(name));
      r.options.value.push_back(r.strings.add(value));
    };
    option("imported", "deps.json");
    option("deps-version", deps_version_name(health.version));
    option("assumed", fmt::format("{}", fmt::join(health.assumed, ",")));
    const auto warn = [&r](const std::string& what) {
      recording::add_finding(r, "input_error", Severity::Warning, what, "{}", 0);
    };
    if (health.skipped_edges != 0) warn(fmt::format("{} rows of edges are no edges and were left out", health.skipped_edges));
    if (health.consumers_without_record != 0 && health.version != DepsVersion::V1)
      warn(fmt::format("{} consumers of edges have no record", health.consumers_without_record));
    if (!health.complete) warn("the file ends early: what it has up to there was read");
  }

  const SourceFile& source_;
  DepsFile& file_;
  DepsTables tables_;
  DepsTask task_;
  DepsEdge edge_;
  DepsSubmission submission_;
  std::int64_t number_ = 0;  // "version", 0 if none
  bool own_ = false, has_pairs_ = false;
  bool tasks_seen_ = false, tensors_seen_ = false, edges_seen_ = false;
  bool closed_ = false, later_ = false;
  bool no_scope_ = false, no_early_ = false, no_kernels_ = false, no_blocks_ = false, no_flags_ = false, no_sources_ = false;
  bool explicit_ = false, by_dimension_ = false;
  bool give_up_ = false;
  std::uint32_t rows_read_ = 0;
  std::size_t given_up_ = 0;  // bytes of the text
};

/// By the keys of the first task, the reader standing on it.
JsonContent first_task(JsonReader& reader) {
  JsonContent content = JsonContent::Unknown;
  std::string_view key;
  if (!reader.is_object()) return content;
  reader.begin_object();
  while (reader.next_key(key)) {
    if (key == "explicit_deps") return JsonContent::Trace;
    if (key == "task_id") content = JsonContent::Deps;
    reader.skip();
  }
  return content;
}

}  // namespace

std::string_view deps_version_name(DepsVersion version) {
  constexpr std::array<std::string_view, 5> kNames{"1", "2", "3", "current", kOwnSchema};
  return kNames[static_cast<std::size_t>(version)];
}

DepsFile read_deps_json(const SourceFile& source, const DepsReadOptions& options) {
  DepsFile file;
  DepsReader(source, file, /*give_up=*/false).read(options.salvage);
  return file;
}

DepsFile read_deps_json(SourceFile&& source, const DepsReadOptions& options) {
  DepsFile file;
  DepsReader(source, file, /*give_up=*/true).read(options.salvage);
  return file;
}

JsonContent json_content(std::string_view head) {
  const SourceFile source("", std::string(head));
  JsonReader reader(source);
  try {
    std::string_view key;
    reader.begin_object();
    while (reader.next_key(key)) {
      if (key == "schema") return reader.string() == kOwnSchema ? JsonContent::Deps : JsonContent::Unknown;
      if (key == "edges" || key == "tensors") return JsonContent::Deps;
      if (key == "tasks") {
        reader.begin_array();
        if (reader.next_element()) return first_task(reader);
      } else {
        reader.skip();
      }
    }
  } catch (const InputError&) {
    return JsonContent::Unknown;  // cut, or broken: whoever reads the whole file says how
  }
  return JsonContent::Unknown;
}

}  // namespace depscope::replay
