// What the runtime model is given: one Submission per submit call, in order (runtime.md, section 2).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace depscope::runtime {

/// (ring << 32) | local index; all ones = invalid (runtime.md 1.1).
using TaskId = std::uint64_t;
inline constexpr TaskId kInvalidTask = ~TaskId{0};
[[nodiscard]] constexpr std::uint32_t ring_of(TaskId id) { return static_cast<std::uint32_t>(id >> 32U) & 0xffU; }
[[nodiscard]] constexpr std::uint32_t local_of(TaskId id) { return static_cast<std::uint32_t>(id); }
[[nodiscard]] constexpr TaskId make_task_id(std::uint32_t ring, std::uint32_t local) {
  return (static_cast<TaskId>(ring) << 32U) | local;
}
inline constexpr std::uint32_t kRingCount = 4;

/// WAIT and RETAIN are independent (runtime.md 7). Combined with bitwise or.
enum DepFlags : std::uint8_t { kNone = 0, kWait = 1, kRetain = 2, kWaitRetain = 3 };
/// {"wait", "retain"} for the bits that are set.
[[nodiscard]] std::vector<std::string_view> dep_flag_names(std::uint8_t flags);

/// Why an edge exists; bits, so that a pair can have several. Never merged away (DESIGN §3).
enum Provenance : std::uint8_t { kUser = 1, kCompiler = 2, kFence = 4, kCreator = 8, kTensorMap = 16, kExplicit = 32 };
[[nodiscard]] std::vector<std::string_view> provenance_names(std::uint8_t bits);

enum class ArgKind : std::uint8_t { Input, Output, InOut, OutputExisting, NoDep, Scalar };
[[nodiscard]] std::string_view arg_kind_name(ArgKind kind);  ///< "INPUT", "OUTPUT_EXISTING", …

/// Element types of the runtime (runtime.md 2.2).
enum class ElementType : std::uint8_t {
  Float32,
  Int32,
  UInt32,
  Float16,
  BFloat16,
  Int16,
  UInt16,
  Int64,
  UInt64,
  Int8,
  UInt8,
  Bool,
  Fp8E4M3FN,
  Fp8E8M0,
  Fp4E2M1,
  Unknown,
};
[[nodiscard]] std::string_view element_type_name(ElementType type);  ///< "FLOAT32", …
[[nodiscard]] ElementType element_type_from_name(std::string_view name);
[[nodiscard]] std::uint32_t element_size(ElementType type);  ///< bytes; 0 for Unknown

inline constexpr std::uint32_t kMaxRank = 5;

/// One tensor as the runtime sees it. Offsets, shapes and strides are in elements of `dtype`.
struct TensorDescriptor {
  std::uint64_t address = 0;
  std::uint64_t buffer_elements = 0;  ///< size of the whole buffer in elements
  std::uint64_t start_offset = 0;
  TaskId owner = kInvalidTask;  ///< task that created the buffer; invalid for external memory
  std::int32_t version = 0;
  ElementType dtype = ElementType::Float32;
  std::uint8_t rank = 0;
  bool manual_dep = false;
  std::array<std::uint32_t, kMaxRank> shape{};
  std::array<std::uint64_t, kMaxRank> strides{};
};

struct Argument {
  ArgKind kind = ArgKind::Input;
  TensorDescriptor tensor;  ///< Output: shape, dtype and rank of the buffer to allocate (traces: nothing is known)
  std::uint32_t name = 0;   ///< name of the root buffer in the caller's string table; 0 if none
};

struct ExplicitDep {
  TaskId task = kInvalidTask;
  std::uint8_t flags = kWaitRetain;
  std::uint8_t provenance = kExplicit;  ///< kUser, kCompiler, kFence, or kExplicit where the origin is not known (traces)
};

enum class TaskKind : std::uint8_t { Kernel, Alloc, Dummy };

/// Duration of a kernel that never ends (runtime.md 12.12, D7).
inline constexpr std::uint32_t kNeverFinishes = 0xffffffffU;

/// One submit call. The caller keeps one object and refills it, so that no allocation happens per submit.
struct Submission {
  TaskKind kind = TaskKind::Kernel;
  bool manual_scope = false;
  bool early_dispatch = false;
  bool sync_start = false;
  bool predicate_false = false;  ///< the task's predicate is false when it becomes ready: retired like a dummy
  std::uint32_t block_num = 1;
  std::uint32_t duration = 1;                          ///< units of logical time per block, at least 1, or kNeverFinishes
  std::array<std::int32_t, 3> kernel_ids{-1, -1, -1};  ///< AIC, AIV0, AIV1; -1 = unused
  TaskId forced_id = kInvalidTask;                     ///< traces give the id; else the model assigns it from the open scope
  std::uint32_t callee = 0;                            ///< name in the caller's string table; 0 if none
  std::uint32_t call_site = 0xffffffffU;               ///< row of call_sites; none for traces
  std::vector<std::uint32_t> iteration;                ///< loop counters, outermost first, as trip indices
  std::vector<ExplicitDep> deps;
  std::vector<Argument> args;  ///< tensors only
  std::uint32_t scalar_count = 0;
};

}  // namespace depscope::runtime
