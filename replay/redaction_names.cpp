#include "redaction_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "depscope/base/diagnostics.h"
#include "redaction_vocabulary.h"

namespace depscope::replay {
namespace {

constexpr std::array<std::string_view, 9> kRoles = {"ssa", "iter", "rv", "phi", "idx", "tile", "tmp", "out", "store"};
constexpr std::string_view kFreeVariable = "__FREE_VAR";
constexpr std::string_view kInline = "_inline";
/// What outlining and the splitting of mixed kernels append to names of functions (ir-text.md 2.1).
constexpr std::array<std::string_view, 4> kFunctionSuffixes = {"_incore", "_cluster", "_spmd", "_inline"};
constexpr std::array<std::string_view, 3> kBareFunctionSuffixes = {"_spmd", "_aic", "_aiv"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

/// Begin of the digits at the end.
std::size_t trailing_digits(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && is_digit(text[end - 1])) --end;
  return end;
}

/// The text without PREFIX and digits at its end; all of it if it does not end so, or nothing but underscores would be left.
std::string_view without_number(std::string_view text, std::string_view prefix) {
  const std::size_t digits = trailing_digits(text);
  if (digits == text.size() || !text.substr(0, digits).ends_with(prefix)) return text;
  const std::string_view rest = text.substr(0, digits - prefix.size());
  return rest.find_first_not_of('_') == std::string_view::npos ? text : rest;
}

/// For "l0_tile_v3": true and "l0". For "ssa_v0", "tile": true and nothing. Anything else is no suffix of the compiler.
bool read_suffix(std::string_view text, std::string_view& qualifier) {
  text = without_number(text, "_");  // the printer's, behind a version
  text = without_number(text, "_v");
  const std::size_t word = text.rfind('_');
  const std::string_view role = word == std::string_view::npos ? text : text.substr(word + 1);
  if (std::find(kRoles.begin(), kRoles.end(), role) == kRoles.end()) return false;
  qualifier = word == std::string_view::npos ? std::string_view() : text.substr(0, word);
  if (is_known_qualifier(qualifier)) qualifier = {};
  return true;
}

/// Names that the compiler, a pass or the printer makes without a name of the user's.
bool is_compilers(std::string_view name) {
  if (name.find_first_not_of('_') == std::string_view::npos) return true;
  const std::string_view stem = without_number(name, "_");
  if (stem == "_submit_tmp" || stem == "_tuple_tmp" || stem == "_submit_deps_buf" || stem == "__allreduce_result") return true;
  if (stem.size() < name.size() && (stem == "mem" || (stem.starts_with("mem_") && is_memory_space(stem.substr(4))))) return true;
  constexpr std::string_view kFence = "phase_fence_barrier_";
  if (!name.starts_with(kFence)) return false;
  std::string_view rest = stem.substr(kFence.size());
  if (!rest.ends_with("_tid")) return false;
  rest.remove_suffix(4);
  return !rest.empty() && trailing_digits(rest) == 0;
}

/// Bases of values that passes make up: "t__tmp_v3", "ret__tmp_v0", "ret0__out", "break__tmp_v1".
bool is_compilers_base(std::string_view base, std::string_view tail) {
  const bool result = tail.starts_with("__tmp") || tail.starts_with("__out");
  return result && (base == "t" || base == "break" || base.substr(0, trailing_digits(base)) == "ret");
}

NameParts variable_parts(std::string_view name) {
  if (is_compilers(name)) return {{}, name, {}};
  NameParts out{name, {}, {}};
  std::string_view rest = name.ends_with(kFreeVariable) ? name.substr(0, name.size() - kFreeVariable.size()) : name;
  // The last "__" that begins a suffix: a name of the user's may hold others.
  for (std::size_t at = rest.rfind("__"); at != std::string_view::npos && at > 0; at = rest.rfind("__", at - 1)) {
    if (!read_suffix(rest.substr(at + 2), out.qualifier)) continue;
    rest = rest.substr(0, at);
    break;
  }
  for (std::size_t before = 0; before != rest.size();) {
    before = rest.size();
    rest = without_number(rest, kInline);
    rest = without_number(rest, "_");
  }
  out.base = rest;
  out.tail = name.substr(rest.size());
  if (rest.find_first_not_of('_') == std::string_view::npos || is_compilers(rest) || is_compilers_base(rest, out.tail)) {
    out.base = {};
    out.tail = name;
  }
  return out;
}

NameParts function_parts(std::string_view name) {
  if (name.find_first_not_of('_') == std::string_view::npos) return {{}, name, {}};
  std::string_view rest = name;
  for (std::size_t before = 0; before != rest.size();) {
    before = rest.size();
    for (const std::string_view suffix : kFunctionSuffixes) rest = without_number(rest, std::string(suffix) + "_");
    for (const std::string_view suffix : kBareFunctionSuffixes) {
      if (rest.size() > suffix.size() && rest.ends_with(suffix)) rest.remove_suffix(suffix.size());
    }
  }
  return {rest, name.substr(rest.size()), {}};
}

/// Letters in ascending order, for any number of names that have them: 0 to `last` - 1 take one, the others begin with `last`.
std::string letters(std::size_t number, char first, std::size_t last) {
  std::string out(number / last, static_cast<char>(first + static_cast<char>(last)));
  return out + static_cast<char>(first + static_cast<char>(number % last));
}

enum class Child : std::uint8_t { None, Close, Underscore, Double, Word };

/// How a name goes on behind one that it begins with, where that decides the order of both once something is appended: "acc2" is
/// behind "acc", but "acc2__ssa_v0" is before "acc__ssa_v0".
Child child_of(std::string_view rest) {
  if (is_digit(rest[0]) || is_upper(rest[0])) return Child::Close;
  if (rest[0] != '_') return Child::None;
  if (rest.size() == 1 || rest[1] == '_') return Child::Double;
  if (is_digit(rest[1]) || is_upper(rest[1])) return Child::Underscore;
  return is_lower(rest[1]) && rest < kInline ? Child::Word : Child::None;
}

constexpr std::uint32_t bit(NameKind kind) { return 1U << static_cast<unsigned>(kind); }
/// Names that only other files know meet no pass that sorts them.
constexpr std::uint32_t kForeign = bit(NameKind::Kernel) | bit(NameKind::Tensor);

constexpr std::array<std::string_view, 6> kWords = {"program", "function", "kernel", "value", "dim", "tensor"};

}  // namespace

NameParts name_parts(NameSpace space, std::string_view name) {
  if (space == NameSpace::Program) return {name, {}, {}};
  return space == NameSpace::Function ? function_parts(name) : variable_parts(name);
}

NameParts NameTable::parts(std::string_view name) const {
  if (whole_) return name.find_first_not_of('_') == std::string_view::npos ? NameParts{{}, name, {}} : NameParts{name, {}, {}};
  NameParts out = name_parts(space_, name);
  if (out.tail.empty() && loop_results_.find(name) != loop_results_.end()) {
    out = name_parts(space_, name.substr(0, name.size() - 4));
    out.tail = name.substr(out.base.size());
  }
  return out;
}

void NameTable::learn(std::string_view name, NameKind kind) {
  const auto at = names_.find(name);
  if (at != names_.end()) {
    at->second |= bit(kind);
  } else {
    names_.emplace(name, bit(kind));
  }
}

void NameTable::collect_bases() {
  bases_.clear();
  for (const auto& [name, kinds] : names_) {
    const NameParts p = parts(name);
    if (!p.base.empty()) bases_[std::string(p.base)].kinds |= kinds;
    if (!p.qualifier.empty()) bases_[std::string(p.qualifier)].kinds |= kinds;
    if (!p.tail.empty() && !p.base.empty()) suffixes_ = true;
  }
}

void NameTable::number_bases(unsigned attempt) {
  // One word for all if a name is of several kinds: a word by kind would change the order.
  std::uint32_t all = 0;
  bool mixed = false;
  const bool underscore = space_ != NameSpace::Program &&
                          std::any_of(names_.begin(), names_.end(), [](const auto& name) { return name.first.starts_with('_'); });
  for (const auto& [base, data] : bases_) {
    const std::uint32_t own = data.kinds & ~kForeign;
    all |= own;
    mixed = mixed || (own & (own - 1)) != 0;
  }
  const auto word_of = [&](std::uint32_t kinds) -> std::size_t {
    std::size_t first = 0;
    while ((kinds >> first & 1U) == 0) ++first;
    return first;
  };
  const auto kinds_of = [&](const Base& base) {
    const std::uint32_t own = base.kinds & ~kForeign;
    return own == 0 ? base.kinds : mixed ? all : own;
  };

  struct Open {
    std::array<std::size_t, 5> children{};
    std::string replacement;
    std::string_view parent;
    Child how = Child::None;
    std::size_t number = 0;
  };
  std::map<std::string_view, Open> open;
  std::array<std::size_t, kWords.size()> roots{};
  for (auto& [base, data] : bases_) {
    Open o;
    for (std::size_t length = base.size() - 1; suffixes_ && length > 0 && o.how == Child::None; --length) {
      const auto parent = open.find(std::string_view(base).substr(0, length));
      if (parent == open.end()) continue;
      o.how = child_of(std::string_view(base).substr(length));
      if (o.how == Child::None) continue;
      o.parent = parent->first;
      o.number = parent->second.children[static_cast<std::size_t>(o.how)]++;
    }
    if (o.how == Child::None) o.number = ++roots[word_of(kinds_of(data))];
    open.emplace(base, std::move(o));
  }
  for (auto& [base, data] : bases_) {
    Open& o = open.at(base);
    if (o.how != Child::None) {
      o.replacement = open.at(o.parent).replacement;
      if (o.how != Child::Close) o.replacement += o.how == Child::Double ? "__" : "_";
      const bool small = o.how == Child::Word || o.how == Child::Double;
      o.replacement += small ? letters(o.number, 'a', 7) : letters(o.number, 'A', 25);
    } else {
      const std::size_t word = word_of(kinds_of(data));
      const std::size_t lead = space_ == NameSpace::Program ? 0 : std::min(base.find_first_not_of('_'), base.size() - 1);
      std::string text = std::string(attempt, 'r') + std::string(kWords[word]);
      // '_' stands between capitals and small letters.
      if (underscore && (is_upper(base[lead]) || is_digit(base[lead]))) text[0] = static_cast<char>(text[0] - 'a' + 'A');
      o.replacement = base.substr(0, lead) + text + fmt::format("{:0{}}", o.number, std::to_string(roots[word]).size());
    }
    data.replacement = o.replacement;
  }
}

bool NameTable::meets_original() const {
  return std::any_of(bases_.begin(), bases_.end(), [&](const auto& b) {
    return b.second.replacement != b.first && (bases_.find(b.second.replacement) != bases_.end() || knows(b.second.replacement));
  });
}

/// Functions are ordered by their names as written.
bool NameTable::keeps_order() const {
  std::string before;
  for (const auto& [name, kinds] : names_) {
    if ((kinds & ~kForeign) == 0) continue;
    std::string now = replacement(name);
    if (now <= before) return false;
    before = std::move(now);
  }
  return true;
}

void NameTable::freeze() {
  const bool suffixes = suffixes_;
  for (const bool whole : {false, true}) {
    whole_ = whole;
    suffixes_ = suffixes;
    collect_bases();
    if (whole) suffixes_ = false;
    unsigned attempt = 0;
    do {
      number_bases(attempt++);
    } while (meets_original());
    if (space_ != NameSpace::Function || keeps_order()) return;
  }
}

std::string NameTable::replacement(std::string_view name) const {
  const NameParts p = parts(name);
  const auto of = [&](std::string_view base) -> const std::string& {
    const auto at = bases_.find(base);
    if (at == bases_.end()) throw InternalError(fmt::format("the name '{}' was not learned before it is replaced", name));
    return at->second.replacement;
  };
  std::string out = p.base.empty() ? std::string() : of(p.base);
  if (p.qualifier.empty()) return out.append(p.tail);
  const auto before = static_cast<std::size_t>(p.qualifier.data() - p.tail.data());
  out.append(p.tail.substr(0, before)).append(of(p.qualifier));
  return out.append(p.tail.substr(before + p.qualifier.size()));
}

void NameTable::add_originals(std::vector<std::string>& out) const {
  for (const auto& [name, kinds] : names_) {
    if (replacement(name) != name) out.push_back(name);
  }
  for (const auto& [base, data] : bases_) {
    if (data.replacement != base) out.push_back(base);
  }
}

}  // namespace depscope::replay
