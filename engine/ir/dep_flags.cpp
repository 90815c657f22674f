#include "depscope/ir/dep_flags.h"

#include <array>

namespace depscope::ir {
namespace {

constexpr std::array<std::string_view, 4> kWords{"none", "wait", "retain", "wait|retain"};  // by bits

}  // namespace

std::string_view dep_flags_word(std::uint8_t flags) { return kWords[flags & kDepWaitRetain]; }

std::optional<std::uint8_t> dep_flags_from_word(std::string_view word) {
  for (std::uint8_t flags = 0; flags < kWords.size(); ++flags) {
    if (kWords[flags] == word) return flags;
  }
  return std::nullopt;
}

std::vector<std::uint8_t> dep_flags(const NodeStore& store, const Call& call) {
  std::vector<std::uint8_t> out;
  if (call.attrs.empty()) return out;
  const ExprId list = store.find_pair(call.attrs, kDepFlagsAttribute);
  if (!list.valid()) return out;
  for (const ExprId entry : children(store, list)) {
    const Expr& e = store.expr(entry);
    const auto flags = e.kind == ExprKind::Str ? dep_flags_from_word(store.text(NameId(e.a))) : std::nullopt;
    out.push_back(flags.value_or(kDepWaitRetain));
  }
  return out;
}

ExprId make_dep_flags(NodeStore& store, const std::vector<std::uint8_t>& flags, Span span) {
  std::vector<ExprId> entries;
  for (const std::uint8_t entry : flags) entries.push_back(store.make_str(dep_flags_word(entry), false, span));
  return store.make_list_expr(entries, span);
}

}  // namespace depscope::ir
