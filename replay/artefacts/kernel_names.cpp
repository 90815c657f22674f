#include "depscope/replay/artefacts/kernel_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "depscope/base/json_reader.h"

namespace depscope::replay {
namespace {

std::optional<std::int32_t> func_id(std::string_view digits) {
  std::int32_t out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (error != std::errc() || end != digits.data() + digits.size() || out < 0 || out > kMaxFuncId) return std::nullopt;
  return out;
}

void in_order(KernelNames& names) {
  auto& k = names.kernels;
  std::stable_sort(k.begin(), k.end(), [](const KernelName& a, const KernelName& b) { return a.func_id < b.func_id; });
  const auto last =
      std::unique(k.begin(), k.end(), [](const KernelName& a, const KernelName& b) { return a.func_id == b.func_id; });
  names.twice = static_cast<std::uint32_t>(k.end() - last);
  k.erase(last, k.end());
}

/// The members of an open object: numbers with names.
void read_names(JsonReader& reader, KernelNames& out) {
  std::string_view key;
  while (reader.next_key(key)) {
    const std::optional<std::int32_t> id = func_id(key);
    if (!id || !reader.is_string()) {
      ++out.skipped;
      reader.skip();
      continue;
    }
    out.kernels.push_back({*id, std::string(reader.string()), {}, {}});
  }
}

/// Literals of a Python file: for each {…} what stands behind the strings that are followed by a colon.
class ConfigScanner {
 public:
  explicit ConfigScanner(const SourceFile& source) : source_(source), text_(source.text()) {}

  KernelNames scan() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        string();
      } else if (c == '{' || c == '[' || c == '(') {
        open(c);
      } else if (c == '}' || c == ']' || c == ')') {
        close(c);
      } else if (c == ',' || c == ':') {
        ++at_;
        if (nested_.empty() || nested_.back().bracket != '{') continue;
        c == ':' ? colon() : comma();
      } else if (c >= '0' && c <= '9') {
        number();
      } else {
        ++at_;
      }
    }
    if (!nested_.empty()) fail(nested_.back().begin, fmt::format("'{}' is never closed", nested_.back().bracket));
    in_order(out_);
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kMostNested = 256;

  struct Level {
    char bracket = '{';
    std::size_t begin = 0;
    std::string key, text;  // of the member that is open; its strings, joined by '/'
    std::optional<std::int32_t> number;
    bool behind_colon = false;
    bool any = false;  // a func_id or a name
    std::optional<std::int32_t> id;
    KernelName kernel;
  };

  [[noreturn]] void fail(std::size_t offset, std::string message) const {
    throw InputError(source_.diagnostic(Severity::Error, static_cast<std::uint32_t>(offset), std::move(message)));
  }

  void open(char bracket) {
    if (nested_.size() == kMostNested) fail(at_, fmt::format("more than {} brackets are open", kMostNested));
    nested_.emplace_back();
    nested_.back().bracket = bracket;
    nested_.back().begin = at_++;
  }
  void close(char bracket) {
    const char wanted = bracket == '}' ? '{' : (bracket == ']' ? '[' : '(');
    if (nested_.empty() || nested_.back().bracket != wanted) fail(at_, fmt::format("'{}' closes nothing", bracket));
    ++at_;
    if (bracket == '}') {
      comma();
      Level& level = nested_.back();
      if (level.any && level.id && !level.kernel.name.empty()) {
        level.kernel.func_id = *level.id;
        out_.kernels.push_back(std::move(level.kernel));
      } else if (level.any) {
        ++out_.skipped;
      }
    }
    nested_.pop_back();
  }

  /// What stands in a call or a list belongs to the member that it is the value of.
  Level* member() {
    for (std::size_t i = nested_.size(); i-- > 0;) {
      if (nested_[i].bracket == '{') return &nested_[i];
    }
    return nullptr;
  }
  void colon() {
    Level& level = nested_.back();
    if (level.behind_colon) return;
    level.key = std::move(level.text);
    level.text.clear();
    level.number.reset();
    level.behind_colon = true;
  }
  void comma() {
    Level& level = nested_.back();
    if (level.behind_colon) take(level);
    level.key.clear();
    level.text.clear();
    level.number.reset();
    level.behind_colon = false;
  }
  void take(Level& level) {
    if (level.key == "func_id") {
      level.any = true;
      level.id = level.number;
    } else if (level.key == "name") {
      level.any = true;
      level.kernel.name = level.text;
    } else if (level.key == "core_type") {
      level.kernel.core_type = level.text;
    } else if (level.key == "source") {
      level.kernel.source = level.text;
    } else if (level.key == "runtime") {
      out_.runtime = level.text;
    } else if (level.key == "function_name") {
      out_.orchestrator = level.text;
    }
  }

  void string() {
    const std::size_t begin = at_;
    const char quote = text_[at_];
    const std::string_view three = text_.substr(at_, 3);
    const bool triple = three.size() == 3 && three[1] == quote && three[2] == quote;
    at_ += triple ? 3 : 1;
    std::string value;
    for (;; ++at_) {
      if (at_ >= text_.size() || (!triple && text_[at_] == '\n')) fail(begin, "this string does not end");
      if (triple ? text_.substr(at_, 3) == three : text_[at_] == quote) break;
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      value += text_[at_];
    }
    at_ += triple ? 3 : 1;
    if (Level* level = member()) {
      const bool path = !level->text.empty() && level->behind_colon;
      level->text += (path ? "/" : "") + value;
    }
  }
  void number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    const bool part_of_name = begin > 0 && (std::isalnum(static_cast<unsigned char>(text_[begin - 1])) != 0 ||
                                            text_[begin - 1] == '_' || text_[begin - 1] == '.' || text_[begin - 1] == '-');
    if (part_of_name || nested_.empty() || nested_.back().bracket != '{') return;
    nested_.back().number = func_id(text_.substr(begin, at_ - begin));
  }

  const SourceFile& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Level> nested_;
  KernelNames out_;
};

/// 0 → a, 25 → z, 26 → aa: bijective, base 26.
std::string letters(std::int32_t number) {
  std::string out;
  for (std::int64_t rest = std::int64_t{number} + 1; rest > 0; rest = (rest - 1) / 26)
    out.insert(out.begin(), static_cast<char>('a' + (rest - 1) % 26));
  return out;
}

}  // namespace

std::string_view KernelNames::name_of(std::int32_t id) const {
  const auto at = std::lower_bound(kernels.begin(), kernels.end(), id,
                                   [](const KernelName& k, std::int32_t wanted) { return k.func_id < wanted; });
  return at != kernels.end() && at->func_id == id ? std::string_view(at->name) : std::string_view();
}

KernelNames read_name_map(const SourceFile& source) {
  KernelNames out;
  JsonReader reader(source);
  bool flat = true;
  std::string_view key;
  reader.begin_object();
  while (reader.next_key(key)) {
    if (key == "callable_id_to_name") {
      flat = false;
      reader.begin_object();
      read_names(reader, out);
    } else if (key == "level") {
      flat = false;
      out.level = static_cast<std::uint32_t>(reader.integer(0, std::numeric_limits<std::int32_t>::max()));
    } else if (key == "orchestrator_name" && reader.is_string()) {
      flat = false;
      out.orchestrator = reader.string();
    } else if (const std::optional<std::int32_t> id = func_id(key); flat && id && reader.is_string()) {
      out.kernels.push_back({*id, std::string(reader.string()), {}, {}});
    } else {
      reader.skip();
    }
  }
  reader.end();
  in_order(out);
  return out;
}

KernelNames read_kernel_config(const SourceFile& source) { return ConfigScanner(source).scan(); }

std::string kernels_text(const KernelNames& names, std::int32_t aic, std::int32_t aiv0, std::int32_t aiv1) {
  std::vector<std::string> parts;
  bool any = false;
  for (const std::int32_t id : {aic, aiv0, aiv1}) {
    if (id < 0) continue;
    const std::string_view name = names.name_of(id);
    any = any || !name.empty();
    std::string part = name.empty() ? fmt::format("func_{}_{}", id, letters(id)) : std::string(name);
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(std::move(part));
  }
  return any ? fmt::format("{}", fmt::join(parts, " + ")) : std::string();
}

}  // namespace depscope::replay
