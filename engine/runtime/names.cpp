#include <array>
#include <utility>

#include "depscope/runtime/model.h"
#include "depscope/runtime/mutation.h"
#include "depscope/runtime/sink.h"
#include "depscope/runtime/submission.h"

namespace depscope::runtime {
namespace {

using namespace std::string_view_literals;

struct TypeInfo {
  std::string_view name;
  std::uint32_t size;
};

constexpr std::array<TypeInfo, 16> kTypes{{
    {"FLOAT32", 4},
    {"INT32", 4},
    {"UINT32", 4},
    {"FLOAT16", 2},
    {"BFLOAT16", 2},
    {"INT16", 2},
    {"UINT16", 2},
    {"INT64", 8},
    {"UINT64", 8},
    {"INT8", 1},
    {"UINT8", 1},
    {"BOOL", 1},
    {"FP8E4M3FN", 1},
    {"FP8E8M0", 1},
    {"FP4E2M1", 1},
    {"UNKNOWN", 0},
}};

constexpr std::array<std::string_view, kEventKindCount> kEventNames{
    "config",           "scope-begin",   "scope-end",      "submit",
    "edge-add",         "edge-reduce",   "ready",          "dispatch",
    "complete",         "have-add",      "pin-claim",      "pin-release",
    "scope-release",    "release",       "consume",        "watermark",
    "heap-alloc",       "heap-free",     "tm-insert",      "tm-remove",
    "tm-hit",           "need",          "block",          "error",
    "run-end",          "submit-begin",  "submit-ignored", "unblock",
    "slot-reset",       "seq-assign",    "bind",           "record",
    "tm-sync",          "tm-cleanup",    "dep-skip",       "spill-take",
    "descriptor-write", "reach-publish", "payload-flush",  "payload-init",
    "edge-lost",        "node-take",     "queue-push",     "queue-pop",
    "block-claim",      "place",         "core-ack",       "finish",
    "observe",          "subtask-count", "walk-node",      "defer",
    "release-begin",    "adv-lock",      "adv-fail",       "adv-retry",
    "slot-reclaim",     "publish",       "request",        "acknowledge",
    "dep-reclaim",      "spill-reclaim", "heap-guard",     "abort-submit",
    "layout",           "predicate",
};

constexpr std::array<std::string_view, kMutationCount> kMutationNames{"none",
                                                                      "pin_not_taken",
                                                                      "pin_taken_twice",
                                                                      "first_flags_win",
                                                                      "retain_released_at_wiring",
                                                                      "wait_only_released_again",
                                                                      "none_forgotten",
                                                                      "reach_shifted_short",
                                                                      "window_edge_dropped",
                                                                      "packed_id_order",
                                                                      "reduced_after_flush",
                                                                      "edges_reset_by_init",
                                                                      "lookup_cut_at_stale",
                                                                      "heap_meets_tail",
                                                                      "window_filled",
                                                                      "consumed_under_references",
                                                                      "consumed_in_open_scope",
                                                                      "allocation_needs_itself",
                                                                      "completion_counted_twice",
                                                                      "ready_twice",
                                                                      "retain_linked",
                                                                      "list_kept",
                                                                      "watermark_passes_completed",
                                                                      "heap_crosses_end",
                                                                      "tail_ahead_of_watermark",
                                                                      "nodes_reclaimed_early",
                                                                      "descriptor_not_written",
                                                                      "not_in_scope_list",
                                                                      "manual_depth_inner",
                                                                      "bucket_oldest_first",
                                                                      "entries_kept",
                                                                      "manual_registered",
                                                                      "retain_reduced",
                                                                      "waits_reduced_blindly",
                                                                      "block_placed_twice",
                                                                      "release_forgotten",
                                                                      "lost_lock_forgotten",
                                                                      "published_late",
                                                                      "no_error_latch"};

constexpr std::array<std::string_view, kConfigItemCount> kConfigNames{"platform", "clusters", "scheduler_threads", "task_window",
                                                                      "heap",     "dep_pool", "tensormap_entries"};
constexpr std::array<std::string_view, kResourceCount> kResourceNames{"task_window", "heap",        "dep_pool", "spill_pool",
                                                                      "tensormap",   "host_access", "scope"};
constexpr std::array<std::string_view, kErrorClassCount> kErrorClassNames{
    "none", "structural", "backstop", "running-stalled", "ready-but-idle", "dependency-deadlock", "starvation", "unknown"};
constexpr std::array<std::string_view, kWaitProofCount> kWaitProofNames{"unproven", "too_much", "circle", "only_slow"};
constexpr std::array<std::string_view, kQueueCount> kQueueNames{"AIC", "AIV", "MIX", "sync AIC", "sync AIV", "sync MIX", "dummy"};
constexpr std::array<std::string_view, 9> kActionNames{"continue", "drain",   "dispatch",      "acknowledge", "finish",
                                                       "observe",  "release", "retry-advance", "serve"};

constexpr std::array<std::string_view, 6> kStateNames{"unborn", "pending", "ready", "running", "completed", "consumed"};

constexpr std::array<std::string_view, 6> kArgNames{"INPUT", "OUTPUT", "INOUT", "OUTPUT_EXISTING", "NO_DEP", "SCALAR"};

/// Order of the names in every output: where the edge was asked for, then what the runtime found itself.
constexpr std::array<std::pair<std::uint8_t, std::string_view>, 6> kProvenanceNames{{
    {kUser, "user"},
    {kCompiler, "compiler"},
    {kFence, "fence"},
    {kExplicit, "explicit"},
    {kCreator, "creator"},
    {kTensorMap, "tensormap"},
}};

template <class Names, class Enum>
std::string_view name_of(const Names& names, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < names.size() ? names[index] : "unknown"sv;
}

}  // namespace

std::vector<std::string_view> dep_flag_names(std::uint8_t flags) {
  std::vector<std::string_view> out;
  if ((flags & kWait) != 0) out.emplace_back("wait");
  if ((flags & kRetain) != 0) out.emplace_back("retain");
  return out;
}

std::vector<std::string_view> provenance_names(std::uint8_t bits) {
  std::vector<std::string_view> out;
  for (const auto& [bit, name] : kProvenanceNames) {
    if ((bits & bit) != 0) out.push_back(name);
  }
  return out;
}

std::string_view mutation_name(Mutation mutation) { return kMutationNames[static_cast<std::size_t>(mutation)]; }

std::string_view arg_kind_name(ArgKind kind) { return name_of(kArgNames, kind); }

std::string_view element_type_name(ElementType type) {
  const auto index = static_cast<std::size_t>(type);
  return kTypes[index < kTypes.size() ? index : kTypes.size() - 1].name;
}

ElementType element_type_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) return static_cast<ElementType>(i);
  }
  return ElementType::Unknown;
}

std::uint32_t element_size(ElementType type) {
  const auto index = static_cast<std::size_t>(type);
  return index < kTypes.size() ? kTypes[index].size : 0;
}

std::string_view config_item_name(ConfigItem item) { return name_of(kConfigNames, item); }

std::string_view resource_name(Resource resource) { return name_of(kResourceNames, resource); }

std::string_view error_class_name(ErrorClass error_class) { return name_of(kErrorClassNames, error_class); }

std::string_view wait_proof_name(WaitProof proof) { return name_of(kWaitProofNames, proof); }

std::string_view queue_name(QueueId queue) { return name_of(kQueueNames, queue); }

std::string_view action_kind_name(ActionKind kind) { return name_of(kActionNames, kind); }

std::string_view event_kind_name(EventKind kind) { return name_of(kEventNames, kind); }

std::string_view task_state_name(TaskState state) { return name_of(kStateNames, state); }

}  // namespace depscope::runtime
