// The typed IR (ir-text.md, appendix B): plain rows addressed by 32-bit ids, kept in one NodeStore per input.
//
// Values of attributes and keyword arguments are ordinary expressions:
//   arg_directions               List of Name "pl.adir.input", "pl.adir.output_existing", …
//   arg_direction_overrides      List of Int
//   compiler_manual_dep_edges    List of Var
//   dump_vars / dumps            List of Var
//   flags                        Bool; enum values Name ("pl.SplitMode.UP_DOWN"), strings Str
// A submit is `v: pl.Tuple[…, pl.Scalar[pl.TASK_ID]] = pl.submit(…)`, its parts are TupleGet of Var v. A TASK_ID value read
// from `None` is the call system.task_invalid. Loop counters, merge and loop results are Vars with a type.
//
// Nodes are immutable once made: a pass makes new nodes where something changed and shares the rest, so the programs of
// all passes live side by side in one store. A list of children is a Range into NodeStore's pool.
#pragma once

#include <cstdint>
#include <string_view>

#include "depscope/base/ids.h"
#include "depscope/base/string_pool.h"

namespace depscope::ir {

struct VarTag;
struct ExprTag;
struct TypeTag;
struct StmtTag;
using VarId = Id<VarTag>;
using ExprId = Id<ExprTag>;
using TypeId = Id<TypeTag>;
using StmtId = Id<StmtTag>;

// ---------------------------------------------------------------- types

/// Element types (ir-text 4.1). `Other` keeps the printed name in Type::name.
enum class DType : std::uint8_t {
  None,
  Bool,
  Int4,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt4,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Fp4,
  Fp8E4M3FN,
  Fp8E5M2,
  Fp8E8M0,
  Fp16,
  Fp32,
  Bf16,
  Hf4,
  Hf8,
  Index,
  TaskId,
  Other,
};
/// "FP32", "TASK_ID", …; empty for None and Other.
[[nodiscard]] std::string_view dtype_name(DType dtype);
/// None if the name is not an element type.
[[nodiscard]] DType dtype_from_name(std::string_view name);

enum class TypeKind : std::uint8_t {
  Unknown,            ///< pl.UnknownType, or nothing known
  Scalar,             ///< dtype
  Tensor,             ///< list = shape (ExprId), extras = TensorView / MemRef expressions in printed order
  DistributedTensor,  ///< as Tensor, namespace pld
  Tile,               ///< as Tensor; extras = MemRef, pl.Mem.X, TileView
  Array,              ///< list = one ExprId, the extent
  Tuple,              ///< list = TypeId
  Named,              ///< name = dotted text, e.g. "pl.Ptr", "pld.CommCtxType"
  Opaque,             ///< name = exact text of something not recognised
};

/// Types are interned: equal structure (including shape expressions) has equal TypeId.
struct Type {
  TypeKind kind = TypeKind::Unknown;
  DType dtype = DType::None;
  NameId name{0};  ///< Named, Opaque: the text; dtype Other: the element type's name
  Range list = {};
  Range extras = {};
};

// ---------------------------------------------------------------- variables

/// A variable is its VarId; names are hints. Before ConvertToSSA all assignments to one name in a function share one Var.
struct Var {
  NameId name{0};
  TypeId type = {};      ///< type at its first definition (declared or inferred); none if unknown
  Span span = {};        ///< where it was first defined
  bool dynamic = false;  ///< a program-wide symbolic dimension (pl.dynamic)
};

// ---------------------------------------------------------------- expressions

enum class ExprKind : std::uint8_t {
  Var,        ///< a = VarId
  Int,        ///< a, b = low and high half of a signed 64-bit value; dtype in `op`; kUnsigned: value is unsigned
  Float,      ///< a, b = bits of a double; dtype in `op`
  Bool,       ///< a = 0 or 1
  Str,        ///< a = NameId of the unescaped text; kSingleQuoted
  None,       ///< Python None (U-text only; gone after the reader)
  Name,       ///< a = NameId of dotted text with its prefix: "pl.FP32", "pl.Mem.Vec"
  Unary,      ///< op = UnaryOp, a = ExprId
  Binary,     ///< op = BinaryOp, a, b = ExprId
  Cast,       ///< scalar pl.cast(x, dtype): a = ExprId, op = DType of the result
  Call,       ///< a = index into calls
  List,       ///< [x, y]: MakeTuple; a, b = Range of ExprId
  Tuple,      ///< (x, y): a, b = Range of ExprId
  TupleGet,   ///< x[k] on a tuple value: a = ExprId, b = k
  Subscript,  ///< x[i] of anything else, e.g. the slot of a MemRef: a = ExprId, b = ExprId of the index
  Opaque,     ///< a = NameId of the exact source text
  VarRun,     ///< inside a List, as many items as it is long: a = index into var_runs
};

enum class UnaryOp : std::uint8_t { Neg, Not, BitNot, Abs, Plus };

enum class BinaryOp : std::uint8_t {
  Or,
  Xor,
  And,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  BitOr,
  BitXor,
  BitAnd,
  ShiftLeft,
  ShiftRight,
  Add,
  Sub,
  Mul,
  FloatDiv,
  FloorDiv,
  FloorMod,
  Pow,
  Min,
  Max,
};

/// 28 bytes; meaning of a and b by kind, see ExprKind.
struct Expr {
  static constexpr std::uint16_t kUnsigned = 1;
  static constexpr std::uint16_t kSingleQuoted = 2;
  static constexpr std::uint16_t kParenthesised = 4;  ///< printed in parentheses of its own (predicate=(x > 0))
  static constexpr std::uint16_t kTyped = 8;          ///< Int/Float printed as pl.const(v, dtype)

  ExprKind kind = ExprKind::None;
  std::uint8_t op = 0;
  std::uint16_t flags = 0;
  TypeId type = {};  ///< none if not known
  Span span = {};
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

/// `count` variables of one of the store's variable lists, from `first` on. Edge lists of compilers repeat each other: the
/// hundredth writer of a buffer waits for the ninety-nine before it. Shared, they take the room of one.
struct VarRun {
  std::uint32_t list = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

enum class CallForm : std::uint8_t {
  Op,        ///< callee = IR name without "pl.": "tensor.create", "system.task_dummy", "pld.tensor.window"
  Function,  ///< self.f(…): callee = function name
  Submit,    ///< pl.submit / pl.spmd_submit(self.f, …): callee = function name; spmd exactly when kwarg core_num is present
  Plain,     ///< any other callee text (kept so that nothing is lost): callee = exact dotted text
};

/// Pairs (NameId, ExprId) stored as two pool words each; Range::count counts pairs.
using PairRange = Range;

struct Call {
  CallForm form = CallForm::Op;
  bool has_deps = false;  ///< `deps=` was written (system.task_dummy prints it even when empty)
  NameId callee{0};
  Range args = {};        ///< ExprId
  Range deps = {};        ///< ExprId; Submit and system.task_dummy. The user edges.
  PairRange kwargs = {};  ///< everything but deps and attrs, in stored order (dumps, core_num, predicate, dtype, …)
  PairRange attrs = {};   ///< attrs={…} in stored order
};

// ---------------------------------------------------------------- statements

enum class StmtKind : std::uint8_t {
  Assign,  ///< a = VarId, b = ExprId, type = type of the target from here on (none if not known)
  Eval,    ///< a = ExprId
  Return,  ///< a, b = Range of ExprId
  Yield,   ///< a, b = Range of ExprId; its targets are the result variables of the enclosing loop or if
  If,      ///< a = index into ifs
  For,     ///< a = index into fors
  While,   ///< a = index into whiles
  Scope,   ///< a = index into scopes
  Break,
  Continue,
  Pass,
  Ellipsis,  ///< a lone `...`
  Opaque,    ///< a = NameId of the exact text (dedented by its first line's indentation), may span lines
};

/// Meaning of a and b by kind, see StmtKind.
struct Stmt {
  StmtKind kind = StmtKind::Pass;
  TypeId type = {};     ///< Assign only
  Range comments = {};  ///< NameId: text after "# " of each leading comment line
  Span span = {};       ///< header line for compound statements
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

struct IfData {
  ExprId cond = {};
  Range then_body = {};  ///< StmtId
  Range else_body = {};  ///< StmtId
  bool has_else = false;
  Range result_vars = {};  ///< VarId; empty if there is no merge
  /// The last so many result_vars have no yielded value in the observed compiler's result of ConvertToSSA (passes.md 15). Set
  /// in the upstream profile only; not printed. Their values stand in the yields here all the same.
  std::uint32_t lost_results = 0;
};

enum class ForKind : std::uint8_t { Range, Parallel, Unroll, Pipeline };

struct ForData {
  ForKind kind = ForKind::Range;
  VarId counter = {};
  ExprId start = {}, stop = {}, step = {};  ///< always set; Int 0 and Int 1 INDEX when elided in the text
  ExprId stage = {};                        ///< Pipeline only
  Range iter_args = {};                     ///< VarId, visible in the body only
  Range inits = {};                         ///< ExprId, as many as iter_args
  Range result_vars = {};                   ///< VarId, visible after the loop; as many as iter_args
  Range body = {};                          ///< StmtId
  PairRange attrs = {};
};

struct WhileData {
  ExprId cond = {};  ///< with iter_args printed as pl.cond(…) in the body's first line
  Range iter_args = {};
  Range inits = {};
  Range result_vars = {};
  Range body = {};
  Range cond_comments = {};  ///< comments above pl.cond
};

enum class ScopeKind : std::uint8_t {
  Runtime,   ///< with pl.scope(): `manual` tells the mode
  At,        ///< with pl.at(…) [as tid]
  Cluster,   ///< with pl.cluster(…)
  Spmd,      ///< with pl.spmd(n, …) [as tid], or for i in pl.spmd(n, …): then `loop_var` is set
  SplitAiv,  ///< for aiv_id in pl.split_aiv(2, mode=…)
  Other,     ///< any other with-header, kept as it is
};

struct ScopeData {
  ScopeKind kind = ScopeKind::Runtime;
  bool manual = false;          ///< Runtime only
  bool compiler_owned = false;  ///< Runtime only: MANUAL scope made by MaterializeRuntimeScopes
  bool materialised = false;    ///< Runtime only: inserted by MaterializeRuntimeScopes
  ExprId header = {};           ///< the header call, for every kind but Runtime
  VarId as_var = {};            ///< `as tid`
  VarId loop_var = {};
  Range body = {};
  PairRange attrs = {};  ///< never printed; private markers
};

// ---------------------------------------------------------------- functions and programs

enum class FunctionKind : std::uint8_t { Opaque, Orchestration, Graph, InCore, Aic, Aiv, Group, Spmd, Inline };
[[nodiscard]] std::string_view function_kind_name(FunctionKind kind);  ///< "Orchestration", "AIC", …

enum class ParamDirection : std::uint8_t { In, Out, InOut };

struct Param {
  VarId var = {};
  ParamDirection direction = ParamDirection::In;
  TypeId type = {};
};

}  // namespace depscope::ir
