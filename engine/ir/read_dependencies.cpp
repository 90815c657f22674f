// What a launch waits for: deps= and the flags of its entries (ir-text.md 7, E6).
#include <algorithm>

#include "depscope/ir/dep_flags.h"
#include "function_reader.h"

namespace depscope::ir {

// Entries that read an array element cannot stand in deps=[…]: they go through a fresh array (ir-text 5.10, E6).
void FunctionReader::read_deps(SynExprId list, Arguments& out) {
  const SynExpr e = tree_.expr(list);
  std::vector<ExprId> entries;
  std::vector<std::uint8_t> flags;  // of the entries, as given
  std::size_t position = 0;         // among the entries as written
  bool element_read = false;
  const auto add = [&](SynExprId item) {
    const std::size_t at = position++;
    if (tree_.expr(item).kind == SynKind::None) return;
    const ExprId value = expr(item);
    if (store_.is_op(value, "system.task_invalid")) return;
    if (store_.is_op(value, "array.get_element")) {
      element_read = true;
    } else if (!store_.is_var(value)) {
      read_fail(tree_.expr(item).span, "an entry of deps= must be a task id or an array of task ids");
    } else {
      const TypeId t = type_of(value);
      if (t.valid() && store_.type(t).kind != TypeKind::Unknown && !is_task_id(store_, t) && !is_task_id_array(store_, t)) {
        read_fail(tree_.expr(item).span, "an entry of deps= must be a task id or an array of task ids");
      }
    }
    entries.push_back(value);
    flags.push_back(out.dep_flags && at < out.dep_flags->size() ? (*out.dep_flags)[at] : kDepWaitRetain);
  };
  out.has_deps = true;
  if (e.kind == SynKind::Comprehension) {
    // [element for name in range(…) if condition]: unrolled while reading.
    const SynExprId target = tree_.kid_id(list, 1);
    const SynExprId iterable = tree_.kid_id(list, 2);
    if (tree_.expr(target).kind != SynKind::Name) read_fail(tree_.expr(target).span, "one loop name was expected");
    const NameId name = tree_.expr(target).name;
    if (tree_.expr(iterable).kind != SynKind::Call ||
        (dotted(tree_.kid_id(iterable, 0)) != "range" && dotted(tree_.kid_id(iterable, 0)) != "pl.range")) {
      read_fail(tree_.expr(iterable).span, "range(…) was expected");
    }
    std::vector<std::int64_t> bounds;
    for (std::uint32_t i = 1; i < tree_.kid_count(iterable); ++i) {
      const ExprId bound = expr(tree_.kid_id(iterable, i));
      const auto value = store_.as_int(bound);
      if (!value) read_fail(tree_.expr(tree_.kid_id(iterable, i)).span, "a constant was expected");
      bounds.push_back(*value);
    }
    if (bounds.empty() || bounds.size() > 3) read_fail(tree_.expr(iterable).span, "range takes one to three numbers");
    const std::int64_t start = bounds.size() > 1 ? bounds[0] : 0;
    const std::int64_t stop = bounds.size() > 1 ? bounds[1] : bounds[0];
    const std::int64_t step = bounds.size() > 2 ? bounds[2] : 1;
    constexpr std::int64_t kMaxUnrolled = 65536;
    if (step == 0) read_fail(tree_.expr(iterable).span, "the step of range must not be 0");
    const auto shadowed = context_.module_names.find(name.value);
    const std::optional<ModuleBinding> saved =
        shadowed == context_.module_names.end() ? std::nullopt : std::optional(shadowed->second);
    // The loop name is a constant while it lasts, also when it ends early.
    struct Restore {
      FunctionReader& reader;
      NameId name;
      const std::optional<ModuleBinding>& saved;
      VarId var;
      ~Restore() {
        if (saved) {
          reader.context_.module_names[name.value] = *saved;
        } else {
          reader.context_.module_names.erase(name.value);
        }
        reader.bind(name, var);
      }
    } restore{*this, name, saved, lookup(name)};
    std::int64_t trips = 0;
    for (std::int64_t i = start; step > 0 ? i < stop : i > stop;) {
      if (++trips > kMaxUnrolled) read_fail(e.span, "more entries than the unroll limit of 65536");
      bind(name, VarId());
      ModuleBinding b;
      b.kind = ModuleBinding::Kind::Constant;
      b.constant = store_.make_int(i);
      context_.module_names[name.value] = b;
      bool keep = true;
      for (std::uint32_t k = 3; k < e.kids.count; ++k) {
        const ExprId condition = expr(tree_.kid_id(list, k));
        if (store_.expr(condition).kind != ExprKind::Bool)
          read_fail(tree_.expr(tree_.kid_id(list, k)).span, "a constant condition was expected");
        keep = keep && store_.expr(condition).a != 0;
      }
      if (keep) add(tree_.kid_id(list, 0));
      if (__builtin_add_overflow(i, step, &i)) break;
    }
  } else if (e.kind == SynKind::List || e.kind == SynKind::Tuple) {
    for (std::uint32_t i = 0; i < e.kids.count; ++i) add(tree_.kid_id(list, i));
  } else {
    add(list);
  }
  if (out.dep_flags && position != out.dep_flags->size()) fail_dep_flags(position, out);
  if (!element_read) {
    out.deps.insert(out.deps.end(), entries.begin(), entries.end());
    if (out.dep_flags) out.dep_flags = flags;
    return;
  }
  // One array for all entries with the same flags.
  std::vector<std::uint8_t> groups;
  for (const std::uint8_t f : flags) {
    if (std::find(groups.begin(), groups.end(), f) == groups.end()) groups.push_back(f);
  }
  for (const std::uint8_t group : groups) {
    std::vector<ExprId> members;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (flags[i] == group) members.push_back(entries[i]);
    }
    out.deps.push_back(deps_buffer(members, e.span));
  }
  if (out.dep_flags) out.dep_flags = groups;
}

ExprId FunctionReader::deps_buffer(const std::vector<ExprId>& entries, Span span) {
  const NameId name = store_.names.intern("_submit_deps_buf");
  const ExprId count = store_.make_int(static_cast<std::int64_t>(entries.size()));
  const TypeId type = store_.array_type(count, DType::TaskId);
  VarId buffer = define_fresh(name, type, span);
  emit(store_.make_assign(buffer, make_op("array.create", {count}, {kwarg("dtype", store_.make_name("pl.TASK_ID"))}, span), type,
                          span));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (is_task_id_array(store_, type_of(entries[i])))
      read_fail(span, "a whole array and array elements cannot be mixed in one deps= list");
    const VarId next = define_fresh(name, type, span);
    const ExprId slot = store_.make_int(static_cast<std::int64_t>(i));
    emit(store_.make_assign(next, make_op("array.update_element", {var_expr(buffer, span), slot, entries[i]}, {}, span), type,
                            span));
    buffer = next;
  }
  return var_expr(buffer, span);
}

// ---------------------------------------------------------------- dep_flags

bool FunctionReader::has_dep_flags(SynExprId call, std::uint32_t first_arg) const {
  for (std::uint32_t i = first_arg; i < tree_.kid_count(call); ++i) {
    const SynExpr& keyword = tree_.kid(call, i);
    if (keyword.kind != SynKind::Keyword || store_.text(keyword.name) != "attrs") continue;
    const SynExprId dict = tree_.kid_id(tree_.kid_id(call, i), 0);
    if (tree_.expr(dict).kind != SynKind::Dict) continue;
    for (std::uint32_t k = 0; k + 1 < tree_.kid_count(dict); k += 2) {
      const std::string_view key = context_.source->text(tree_.kid(dict, k).span);
      if (key.size() == kDepFlagsAttribute.size() + 2 && key.substr(1, kDepFlagsAttribute.size()) == kDepFlagsAttribute)
        return true;
    }
  }
  return false;
}

void FunctionReader::fail_dep_flags(std::size_t entries, const Arguments& out) const {
  read_fail(out.dep_flags_span, "dep_flags has " + std::to_string(out.dep_flags->size()) +
                                    (out.dep_flags->size() == 1 ? " entry" : " entries") + " for " + std::to_string(entries) +
                                    " of deps=: it must be as long");
}

/// `deps` of a call with the attribute dep_flags; none if it has no deps=. What becomes of the entries, becomes of their flags.
void FunctionReader::read_flagged_deps(SynExprId deps, Arguments& out) {
  NamedExpr* attribute = nullptr;
  for (NamedExpr& pair : out.attrs) {
    if (store_.text(pair.name) == kDepFlagsAttribute) attribute = &pair;
  }
  if (attribute == nullptr) throw InternalError("a call lost its dep_flags");
  const ExprKind kind = store_.expr(attribute->value).kind;
  out.dep_flags_span = store_.expr(attribute->value).span;
  if (kind != ExprKind::List && kind != ExprKind::Tuple)
    read_fail(out.dep_flags_span, "dep_flags must be a list of " + std::string(kDepFlagWords));
  std::vector<std::uint8_t> given;
  for (const ExprId entry : children(store_, attribute->value)) {
    const Expr& e = store_.expr(entry);
    const bool text = e.kind == ExprKind::Str;
    const auto flags = text ? dep_flags_from_word(store_.text(NameId(e.a))) : std::nullopt;
    if (!flags) {
      read_fail(e.span.known() ? e.span : out.dep_flags_span,
                (text ? "unknown entry \"" + std::string(store_.text(NameId(e.a))) + "\" of dep_flags"
                      : std::string("an entry of dep_flags must be a string")) +
                    "; allowed: " + std::string(kDepFlagWords));
    }
    given.push_back(*flags);
  }
  out.dep_flags = given;
  if (deps.valid()) {
    read_deps(deps, out);
  } else if (!given.empty()) {
    fail_dep_flags(0, out);
  }
  if (*out.dep_flags != given) attribute->value = make_dep_flags(store_, *out.dep_flags, out.dep_flags_span);
}

}  // namespace depscope::ir
