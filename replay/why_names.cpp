#include "why_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "depscope/ir/text.h"
#include "depscope/replay/why.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

constexpr std::uint8_t kAllocation = 3;  // call_sites.kind
constexpr std::size_t kMaxCandidates = 12;

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Search {
 public:
  Search(const Recording& r, const WhyProgram& program, std::string_view text, std::uint32_t function)
      : r_(r), program_(program), text_(text), function_(function) {}

  NamedCall run() {
    if (text_.empty()) throw WhyError("--why: a name is empty; " + how());
    constexpr std::string_view kLine = "line:";
    if (const auto line = number(text_.starts_with(kLine) ? text_.substr(kLine.size()) : text_)) {
      return one(sites_if([&](std::uint32_t s) { return r_.call_sites.line[s] == *line; }), "no call stands there");
    }
    if (const std::size_t colon = text_.rfind(':'); colon != std::string_view::npos) {
      const std::string_view name = text_.substr(0, colon);
      const auto index = number(text_.substr(colon + 1));
      if (!index) throw WhyError(fmt::format("--why {}: a number was expected behind the colon; {}", text_, how()));
      return one(sites_if([&](std::uint32_t s) {
                   return r_.call_sites.index[s] == *index && r_.text(r_.functions.name[r_.call_sites.function[s]]) == name;
                 }),
                 "there is no such call");
    }
    for (const bool source : {false, true}) {
      const auto found = sites_if([&](std::uint32_t s) {
        const auto& names = program_.results(s);
        return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
          return (source ? ir::source_name(name) : std::string_view(name)) == text_;
        });
      });
      if (!found.empty()) return one(found, "");
    }
    const auto launched = sites_if([&](std::uint32_t s) { return r_.text(r_.call_sites.callee[s]) == text_; });
    if (!launched.empty()) return one(launched, "");
    return no_task();
  }

 private:
  template <class Wanted>
  [[nodiscard]] std::vector<std::uint32_t> sites_if(Wanted&& wanted) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t s = 0; s < r_.call_sites.rows(); ++s) {
      if (r_.call_sites.kind[s] == kAllocation || (function_ != kNoRow && r_.call_sites.function[s] != function_)) continue;
      if (wanted(s)) out.push_back(s);
    }
    return out;
  }

  [[nodiscard]] static std::string how() { return "a task id, a result, FUNCTION:CALL, a line or a kernel was expected"; }

  [[nodiscard]] std::string candidate(std::uint32_t site) const {
    const auto& s = r_.call_sites;
    std::string out = fmt::format("{}:{} {}", r_.text(r_.functions.name[s.function[site]]), s.index[site],
                                  s.kind[site] == 2 ? "barrier" : r_.text(s.callee[site]));
    if (s.line[site] != 0) out += fmt::format(" (line {})", s.line[site]);
    return out;
  }

  [[nodiscard]] std::string list(const std::vector<std::uint32_t>& sites) const {
    std::string out;
    for (std::size_t i = 0; i < std::min(sites.size(), kMaxCandidates); ++i)
      out += fmt::format("{}{}", i == 0 ? "" : ", ", candidate(sites[i]));
    if (sites.size() > kMaxCandidates) out += fmt::format(" and {} more", sites.size() - kMaxCandidates);
    return out;
  }

  [[nodiscard]] NamedCall one(const std::vector<std::uint32_t>& found, std::string_view nothing) const {
    if (found.size() == 1) return {found.front(), "", 0};
    if (found.empty()) {
      const auto all = sites_if([](std::uint32_t) { return true; });
      throw WhyError(fmt::format("--why {}: {} (calls: {})", text_, nothing, all.empty() ? "none" : list(all)));
    }
    throw WhyError(fmt::format("--why {}: {} calls could be meant: {}; say FUNCTION:CALL or a name of one of them", text_,
                               found.size(), list(found)));
  }

  /// What exists but never becomes a task of its own.
  [[nodiscard]] NamedCall no_task() const {
    for (std::uint32_t w = 0; w < r_.wrapper_calls.rows(); ++w) {
      if (r_.text(r_.wrapper_calls.callee[w]) != text_) continue;
      const std::uint32_t function = r_.wrapper_calls.function[w];
      return {kNoRow,
              fmt::format("a kernel inside {} '{}': the task is the call of '{}'", r_.text(r_.functions.kind[function]),
                          r_.text(r_.functions.name[function]), r_.text(r_.functions.name[function])),
              r_.wrapper_calls.line[w]};
    }
    for (std::uint32_t f = 0; f < r_.functions.rows(); ++f) {
      if (r_.text(r_.functions.name[f]) != text_) continue;
      return {kNoRow, fmt::format("a function of kind {} that no orchestration launches", r_.text(r_.functions.kind[f])),
              r_.functions.line[f]};
    }
    for (std::uint32_t p = 0; p < r_.parameters.rows(); ++p) {
      const std::string_view name = r_.text(r_.parameters.name[p]);
      const std::uint32_t function = r_.parameters.function[p];
      if (r_.text(r_.functions.kind[function]) != "Orchestration" || (name != text_ && ir::source_name(name) != text_)) continue;
      return {kNoRow, fmt::format("a parameter of '{}': no call gives it", r_.text(r_.functions.name[function])),
              r_.functions.line[function]};
    }
    if (const std::string_view value = program_.value_of(text_); !value.empty())
      return {kNoRow, fmt::format("no call's result, but {}", value), 0};
    return one({}, "nothing has that name");
  }

  const Recording& r_;
  const WhyProgram& program_;
  std::string_view text_;
  std::uint32_t function_;
};

}  // namespace

NamedCall named_call(const Recording& recording, const WhyProgram& program, std::string_view text, std::uint32_t function) {
  return Search(recording, program, text, function).run();
}

}  // namespace depscope::replay
