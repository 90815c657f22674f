#include "why_program.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>

#include "depscope/ir/text.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool is_word(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), word_char); }

/// Position of `wanted` outside every bracket and string, from `from` on.
std::size_t find_outside(std::string_view text, std::string_view wanted, std::size_t from = 0) {
  int depth = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = std::min(text.find('"', i + 1), text.size());
      continue;
    }
    if (depth == 0 && text.substr(i).starts_with(wanted)) return i;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  while (!trimmed(text).empty()) {
    const std::size_t comma = find_outside(text, ",");
    out.push_back(trimmed(text.substr(0, comma)));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return out;
}

/// What stands between the bracket at `open` and the one that closes it.
std::string_view inside(std::string_view text, std::size_t open) {
  const std::size_t end = find_outside(text, text[open] == '(' ? ")" : "]", open + 1);
  return text.substr(open + 1, end == std::string_view::npos ? std::string_view::npos : end - open - 1);
}

/// Arguments of `call(…)`, none if the text is another call.
std::optional<std::vector<std::string_view>> arguments_of(std::string_view text, std::string_view call) {
  if (!text.starts_with(call) || text.size() == call.size() || text[call.size()] != '(') return std::nullopt;
  return split(inside(text, call.size()));
}

std::size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::uint32_t bits_of(std::string_view element) {
  constexpr std::array<std::pair<std::string_view, std::uint32_t>, 20> kBits = {
      {{"BOOL", 8},    {"INT4", 4},    {"INT8", 8},    {"INT16", 16},  {"INT32", 32}, {"INT64", 64},    {"UINT4", 4},
       {"UINT8", 8},   {"UINT16", 16}, {"UINT32", 32}, {"UINT64", 64}, {"FP4", 4},    {"FP8E4M3FN", 8}, {"FP8E5M2", 8},
       {"FP8E8M0", 8}, {"FP16", 16},   {"FP32", 32},   {"BF16", 16},   {"HF4", 4},    {"HF8", 8}}};
  for (const auto& [name, bits] : kBits) {
    if (name == element) return bits;
  }
  return 0;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// `pl.MemRef(base, offset, bytes)`, the offset a number or pl.const(number, …).
void read_memory(std::string_view part, BufferType& out) {
  const auto arguments = arguments_of(part, "pl.MemRef");
  if (!arguments || arguments->size() < 3) return;
  const auto constant = arguments_of((*arguments)[1], "pl.const");
  const auto begin = number(constant && !constant->empty() ? constant->front() : (*arguments)[1]);
  const auto bytes = number((*arguments)[2]);
  if (!begin || !bytes || *begin > (std::uint64_t{1} << 62U) || *bytes > (std::uint64_t{1} << 62U)) return;
  out.memory = (*arguments)[0];
  out.memory_begin = *begin;
  out.memory_bytes = *bytes;
}

std::optional<BufferType> buffer_type(std::string_view type) {
  const std::size_t at = type.find("Tensor[[");
  if (at == std::string_view::npos) return std::nullopt;
  const std::vector<std::string_view> parts = split(inside(type, at + std::string_view("Tensor").size()));
  if (parts.size() < 2) return std::nullopt;
  BufferType out;
  for (const std::string_view extent : split(parts[0].substr(1, parts[0].size() - 2))) {
    const auto value = number(extent);
    if (!value) {
      out.shape.clear();
      break;
    }
    out.shape.push_back(*value);
  }
  out.element = std::string(parts[1].substr(parts[1].rfind('.') + 1));
  out.element_bits = bits_of(out.element);
  for (std::size_t k = 2; k < parts.size(); ++k) read_memory(parts[k], out);
  return out;
}

}  // namespace

/// A walk from an id back to the calls that it comes from.
struct WhyProgram::Search {
  const Definitions& definitions;
  std::set<std::uint32_t> found = {};

  /// A name is asked for once, an array once for every slot that is of interest (none: all of it).
  void ask(std::string_view name, std::optional<std::string_view> slot) {
    if (seen.emplace(name, slot.value_or(std::string_view())).second) open.emplace_back(name, slot);
  }
  std::set<std::pair<std::string_view, std::string_view>> seen = {};
  std::vector<std::pair<std::string_view, std::optional<std::string_view>>> open = {};
};

WhyProgram::WhyProgram(const recording::Recording& recording)
    : r_(recording),
      functions_(recording.functions.rows()),
      results_(recording.call_sites.rows()),
      tails_(recording.call_sites.rows()) {
  lines_.emplace_back();
  if (r_.passes.rows() == 0) return;
  const std::uint32_t last = r_.passes.rows() - 1;
  std::string_view text = r_.text(r_.passes.text[last]);
  std::map<std::string_view, std::uint32_t> names;
  for (std::uint32_t f = 0; f < r_.functions.rows(); ++f) names.emplace(r_.text(r_.functions.name[f]), f);
  for (std::uint32_t site = 0; site < r_.call_sites.rows(); ++site) {
    if (const std::uint32_t line = line_of(site); line != 0) site_at_.emplace(line, site);
  }
  constexpr std::string_view kDefinition = "    def ";
  std::uint32_t function = kNoRow;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto number = static_cast<std::uint32_t>(lines_.size());
    lines_.push_back(line);
    if (line.starts_with(kDefinition)) {
      const auto found = names.find(line.substr(kDefinition.size(), line.find('(') - kDefinition.size()));
      function = found == names.end() ? kNoRow : found->second;
    }
    if (function != kNoRow) read_line(number, line, functions_[function]);
  }
  find_results();
}

std::uint32_t WhyProgram::line_of(std::uint32_t site) const {
  const auto& s = r_.call_sites;
  const std::uint32_t last = r_.passes.rows() - 1;
  return last < s.pass_line_begin_count[site] ? r_.pool[s.pass_line_begin[site] + last] : 0;
}

void WhyProgram::read_line(std::uint32_t line, std::string_view text, Definitions& into) {
  text = trimmed(text);
  if (text.starts_with("def ")) return read_parameters(line, text, into);
  if (text.starts_with("for ") || text.starts_with("while ")) return read_header(line, text, into);
  const std::size_t equals = find_outside(text, " = ");
  if (equals == std::string_view::npos) return;
  const std::string_view target = text.substr(0, equals);
  const std::string_view value = text.substr(equals + 3);
  if (const std::size_t colon = find_outside(target, ": "); colon != std::string_view::npos) {
    const auto yielded = arguments_of(value, "pl.yield_");
    const bool one = yielded && yielded->size() == 1;
    into[target.substr(0, colon)].push_back({target.substr(colon + 2), one ? yielded->front() : value, line});
    return;
  }
  const std::vector<std::string_view> names = split(target);
  const auto yielded = arguments_of(value, "pl.yield_");
  for (std::size_t k = 0; k < names.size(); ++k) {
    const bool own = yielded && yielded->size() == names.size();
    into[names[k]].push_back({{}, own ? (*yielded)[k] : value, line});
  }
}

/// `for i, (x, y) in pl.range(…, init_values=(a, b), …):` gives x and y what a and b hold.
void WhyProgram::read_header(std::uint32_t line, std::string_view text, Definitions& into) {
  const std::size_t open = text.find('(');
  const std::size_t in = text.find(" in ");
  constexpr std::string_view kInits = "init_values=";
  const std::size_t inits = text.find(kInits);
  if (open == std::string_view::npos || in == std::string_view::npos || open > in || inits == std::string_view::npos) return;
  const std::vector<std::string_view> names = split(inside(text, open));
  const std::vector<std::string_view> values = split(inside(text, inits + kInits.size()));
  for (std::size_t k = 0; k < std::min(names.size(), values.size()); ++k) into[names[k]].push_back({{}, values[k], line});
}

void WhyProgram::read_parameters(std::uint32_t line, std::string_view text, Definitions& into) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return;
  for (const std::string_view parameter : split(inside(text, open))) {
    const std::size_t colon = find_outside(parameter, ": ");
    if (colon != std::string_view::npos) into[parameter.substr(0, colon)].push_back({parameter.substr(colon + 2), {}, line});
  }
}

void WhyProgram::find_results() {
  for (std::uint32_t site = 0; site < r_.call_sites.rows(); ++site) {
    const auto& s = r_.call_sites;
    for (std::uint32_t k = 0; k < s.result_begin_count[site]; ++k)
      results_[site].emplace_back(r_.text(r_.pool[s.result_begin[site] + k]));
  }
  for (const Definitions& definitions : functions_) {
    std::map<std::string_view, std::uint32_t> target;  // printed name to call site
    for (const auto& [name, defined] : definitions) {
      for (const Definition& d : defined) {
        if (const auto site = site_at_.find(d.line); site != site_at_.end()) target.emplace(name, site->second);
      }
    }
    for (const auto& [name, defined] : definitions) {
      for (const Definition& d : defined) {
        const std::size_t open = d.value.find('[');
        if (open == std::string_view::npos || !is_word(d.value.substr(0, open))) continue;
        const auto site = target.find(d.value.substr(0, open));
        if (site == target.end()) continue;
        results_[site->second].emplace_back(name);
        if (d.type.find("TASK_ID") != std::string_view::npos) tails_[site->second] = name;
      }
    }
  }
}

std::string_view WhyProgram::value_of(std::string_view name) const {
  for (std::uint32_t f = 0; f < r_.functions.rows(); ++f) {
    if (r_.text(r_.functions.kind[f]) != "Orchestration") continue;
    for (const auto& [printed, defined] : functions_[f]) {
      if (printed != name && ir::source_name(printed) != name) continue;
      for (const Definition& d : defined) {
        if (!d.value.empty()) return d.value;
      }
    }
  }
  return {};
}

std::vector<std::string_view> WhyProgram::printed(const Definitions& in, std::string_view name) const {
  std::vector<std::string_view> out;
  for (auto at = in.lower_bound(name); at != in.end() && at->first.starts_with(name); ++at) {
    const std::string_view rest = at->first.substr(name.size());
    const bool number = rest.size() > 1 && rest.front() == '_' &&
                        std::all_of(rest.begin() + 1, rest.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (rest.empty() || number) out.push_back(at->first);
  }
  return out;
}

void WhyProgram::trace(Search& search, std::string_view name, std::optional<std::string_view> slot) const {
  const auto defined = search.definitions.find(name);
  if (defined == search.definitions.end()) return;
  const auto constant = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  for (const Definition& d : defined->second) {
    if (!d.type.empty() && d.type.find("TASK_ID") == std::string_view::npos) {
      // A call without an id of its own: the variable that it gives stands for it.
      if (const auto site = site_at_.find(d.line); site != site_at_.end()) search.found.insert(site->second);
      continue;
    }
    if (const auto site = site_at_.find(d.line); site != site_at_.end()) {
      search.found.insert(site->second);
    } else if (const auto update = arguments_of(d.value, "pl.array.update_element"); update && update->size() == 3) {
      const bool known = slot && constant(*slot) && constant((*update)[1]);
      if (!known || (*update)[1] == *slot) search.ask((*update)[2], std::nullopt);
      if (!known || (*update)[1] != *slot) search.ask((*update)[0], slot);
    } else if (const auto get = arguments_of(d.value, "pl.array.get_element"); get && get->size() == 2) {
      search.ask((*get)[0], constant((*get)[1]) ? std::optional((*get)[1]) : std::nullopt);
    } else if (const std::size_t open = d.value.find('['); open != std::string_view::npos && is_word(d.value.substr(0, open))) {
      search.ask(d.value.substr(0, open), std::nullopt);
    } else if (is_word(d.value)) {
      search.ask(d.value, slot);
    }
  }
}

std::vector<std::uint32_t> WhyProgram::producers(std::uint32_t consumer, std::string_view id) const {
  Search search{functions_[r_.call_sites.function[consumer]]};
  for (const std::string_view name : printed(search.definitions, id)) search.ask(name, std::nullopt);
  // An array that a long program fills is a long chain of updates: no recursion.
  while (!search.open.empty()) {
    const auto [name, slot] = search.open.back();
    search.open.pop_back();
    trace(search, name, slot);
  }
  return {search.found.begin(), search.found.end()};
}

std::optional<BufferType> WhyProgram::buffer(std::uint32_t function, std::string_view root) const {
  std::optional<BufferType> out;
  for (const std::string_view name : printed(functions_[function], root)) {
    for (const Definition& d : functions_[function].at(name)) {
      std::optional<BufferType> type = buffer_type(d.type);
      if (!type) continue;
      if (out && (out->shape != type->shape || out->element != type->element)) return std::nullopt;
      out = std::move(type);
    }
  }
  return out;
}

bool WhyProgram::in_other_branch(std::uint32_t first, std::uint32_t second) const {
  const std::uint32_t above = line_of(first);
  std::uint32_t at = line_of(second);
  if (above == 0 || at <= above || at >= lines_.size()) return false;
  std::size_t margin = indentation(lines_[at]);
  for (--at; at > above; --at) {
    const std::string_view text = trimmed(lines_[at]);
    if (text.empty() || indentation(lines_[at]) >= margin) continue;
    margin = indentation(lines_[at]);
    if (!text.starts_with("else:") && !text.starts_with("elif ")) continue;
    // The branches above it stand between here and the if, all further in.
    bool inner = true;
    for (std::uint32_t line = at - 1; line > above && inner; --line) {
      if (trimmed(lines_[line]).empty() || trimmed(lines_[line]).starts_with("elif ")) continue;
      inner = indentation(lines_[line]) > margin;
    }
    if (inner && indentation(lines_[above]) > margin) return true;
  }
  return false;
}

}  // namespace depscope::replay
