#include "comparison_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "depscope/ir/text.h"
#include "depscope/pass/decisions.h"
#include "depscope/recording/runs.h"
#include "depscope/runtime/submission.h"
#include "depscope/viewers/program_text.h"

namespace depscope::viewers {
namespace {

using recording::Recording;
using replay::DifferenceKind;
using replay::kNever;

std::string flags_text(std::uint8_t flags) {
  return flags == 0 ? "none" : fmt::format("{}", fmt::join(runtime::dep_flag_names(flags), " "));
}

std::string direction_text(std::uint8_t direction) {
  const std::string_view name = pass::arg_direction_name(static_cast<pass::ArgDirection>(direction));
  return name.empty() ? "none" : std::string(name);
}

std::string_view owner_name(std::uint8_t owner) {
  constexpr std::array<std::string_view, 4> kOwners{"user", "compiler", "materialised", "root"};
  return owner < kOwners.size() ? kOwners[owner] : "unknown";
}

class Lines {
 public:
  Lines(const ComparedDocuments& documents, std::uint32_t kinds)
      : doc_a_(documents.a),
        doc_b_(documents.b),
        a_(documents.a.recording()),
        b_(documents.b.recording()),
        in_(documents),
        kinds_(kinds) {}

  std::vector<std::string> of(ItemKind kind, RowPair rows) {
    switch (kind) {
      case ItemKind::Task: task(rows); break;
      case ItemKind::Edge: edge(rows); break;
      case ItemKind::Scope: scope(rows); break;
      case ItemKind::CallSite: call_site(rows); break;
      case ItemKind::Pass: pass_text(rows); break;
      case ItemKind::Region: region(rows); break;
      case ItemKind::Hazard: hazard(rows); break;
      case ItemKind::Tensor: element_type(rows.a, rows.b, ""); break;
      case ItemKind::Argument: argument(rows.a, rows.b, true); break;
      case ItemKind::Access: access(rows, "", true); break;
      default: break;
    }
    // What compare() found may lie in what is not shown here, as in the last of several readers.
    for (unsigned k = 0; out_.empty() && k < replay::kDifferenceKinds; ++k) {
      const auto difference = static_cast<DifferenceKind>(k);
      if (has(difference)) out_.push_back(fmt::format("{}: not the same", replay::difference_kind_name(difference)));
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool has(DifferenceKind kind) const { return (kinds_ >> static_cast<unsigned>(kind) & 1U) != 0; }
  [[nodiscard]] std::uint32_t counterpart(ItemKind kind, std::uint32_t row) const {
    const auto& rows = in_.rows[static_cast<std::size_t>(kind)].counterpart;
    return row < rows.size() ? rows[row] : kNoRow;
  }
  /// Nothing where both sides say the same.
  template <class A, class B>
  void line(std::string_view what, const A& a, const B& b) {
    std::string of_a = fmt::format("{}", a);
    std::string of_b = fmt::format("{}", b);
    if (of_a != of_b) out_.push_back(fmt::format("{}: {} in a, {} in b", what, of_a, of_b));
  }

  static std::string kernel(const Recording& r, std::uint32_t task) {
    if (const std::string_view callee = r.text(r.tasks.callee[task]); !callee.empty()) return std::string(callee);
    return fmt::format("{}/{}/{}", r.tasks.kernel_aic[task], r.tasks.kernel_aiv0[task], r.tasks.kernel_aiv1[task]);
  }

  void task(RowPair rows) {
    const auto& a = a_.tasks;
    const auto& b = b_.tasks;
    const auto flag = [&](unsigned bit) { return std::pair(a.flags[rows.a] >> bit & 1U, b.flags[rows.b] >> bit & 1U); };
    if (has(DifferenceKind::Kernel)) line("kernel", kernel(a_, rows.a), kernel(b_, rows.b));
    if (has(DifferenceKind::BlockNum)) line("blocks", a.block_num[rows.a], b.block_num[rows.b]);
    if (has(DifferenceKind::EarlyDispatch)) {
      const auto [x, y] = flag(1);
      line("early dispatch", x != 0 ? "yes" : "no", y != 0 ? "yes" : "no");
    }
    if (has(DifferenceKind::Scope)) {
      const auto [x, y] = flag(0);
      line("scope", x != 0 ? "MANUAL" : "AUTO", y != 0 ? "MANUAL" : "AUTO");
    }
    if (has(DifferenceKind::Argument) || has(DifferenceKind::Direction)) arguments(rows);
    if (has(DifferenceKind::CompletionOrder))
      line("completed", moment(doc_a_, doc_a_.moments().completed[rows.a]), moment(doc_b_, doc_b_.moments().completed[rows.b]));
    if (has(DifferenceKind::Lifetime)) line("slot and buffers kept", life(doc_a_, rows.a), life(doc_b_, rows.b));
  }

  void arguments(RowPair rows) {
    const auto [begin, end] = doc_a_.accesses_of_task(rows.a);
    const auto [begin_b, end_b] = doc_b_.accesses_of_task(rows.b);
    line("arguments", end - begin, end_b - begin_b);
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t j = counterpart(ItemKind::Access, i);
      const auto& marks = in_.rows[static_cast<std::size_t>(ItemKind::Access)].mark;
      if (j != kNoRow && marks[i] == Mark::Differs) access({i, j}, fmt::format("argument {} ", a_.accesses.arg[i]), false);
    }
  }

  static std::string moment(const Document& document, std::uint32_t event) {
    return event == kNever ? "never" : fmt::format("at time {}", document.recording().events.time[event]);
  }

  /// How long, and what was the last to let go.
  static std::string life(const Document& document, std::uint32_t task) {
    const Recording& r = document.recording();
    const replay::TaskMoments& moments = document.moments();
    const std::uint32_t consumed = moments.consumed[task];
    if (consumed == kNever) return "to the end of the run";
    const std::uint32_t submitted = moments.submitted[task];
    const std::uint32_t ticks = r.events.time[consumed] - (submitted == kNever ? 0 : r.events.time[submitted]);
    const std::uint32_t scope = r.tasks.scope[task];
    const auto happened = [](std::uint32_t event) { return event == kNever ? 0 : event + 1; };
    const std::uint32_t reader = happened(moments.last_reader[task]);
    const std::uint32_t own = happened(moments.completed[task]);
    const std::uint32_t end = scope == kNoRow ? 0 : happened(moments.scope_end[scope]);
    if (reader > own && reader > end)
      return fmt::format("for {} until {} is done", ticks, document.task_label(r.events.subject[reader - 1]));
    return fmt::format("for {} until {}", ticks, end > own ? "its scope ends" : "it is done itself");
  }

  void edge(RowPair rows) {
    const auto& a = a_.edges;
    const auto& b = b_.edges;
    if (has(DifferenceKind::Flags)) line("flags", flags_text(a.flags[rows.a]), flags_text(b.flags[rows.b]));
    if (has(DifferenceKind::FinalFlags)) {
      line("flags after reduction", flags_text(a.flags_final[rows.a]), flags_text(b.flags_final[rows.b]));
      const auto via = [](const Document& d, std::uint32_t witness) {
        return witness == kNoRow ? std::string("not redundant") : "redundant via " + d.task_label(witness);
      };
      if (a.via[rows.a] == kNoRow || b.via[rows.b] == kNoRow)
        line("WAIT", via(doc_a_, a.via[rows.a]), via(doc_b_, b.via[rows.b]));
    }
    if (has(DifferenceKind::Provenance)) {
      const auto names = [](std::uint8_t bits) { return fmt::format("{}", fmt::join(runtime::provenance_names(bits), " ")); };
      line("asked for by", names(a.provenance[rows.a]), names(b.provenance[rows.b]));
    }
  }

  void scope(RowPair rows) {
    const auto& a = a_.scopes;
    const auto& b = b_.scopes;
    line("mode", a.manual[rows.a] != 0 ? "MANUAL" : "AUTO", b.manual[rows.b] != 0 ? "MANUAL" : "AUTO");
    line("owner", owner_name(a.owner[rows.a]), owner_name(b.owner[rows.b]));
  }

  void call_site(RowPair rows) {
    const auto& a = a_.call_sites;
    const auto& b = b_.call_sites;
    if (has(DifferenceKind::Kernel)) line("callee", a_.text(a.callee[rows.a]), b_.text(b.callee[rows.b]));
    if (has(DifferenceKind::Argument)) line("arguments", a.argument_count[rows.a], b.argument_count[rows.b]);
    if (!has(DifferenceKind::Direction)) return;
    for (std::uint32_t k = 0; k < std::min(a.argument_count[rows.a], b.argument_count[rows.b]); ++k)
      argument(a.argument_begin[rows.a] + k, b.argument_begin[rows.b] + k, false);
  }

  /// With the rule, or the rewrite, that made them differ if it is asked about by itself.
  void argument(std::uint32_t i, std::uint32_t j, bool alone) {
    const auto& a = a_.arguments;
    const auto& b = b_.arguments;
    if (a.direction[i] == b.direction[j]) return;
    const std::string what = alone ? "direction" : fmt::format("direction of {}", ir::source_name(a_.text(a.name[i])));
    line(what, direction_text(a.direction[i]), direction_text(b.direction[j]));
    if (!alone) return;
    line("derived", direction_text(a.derived[i]), direction_text(b.derived[j]));
    line("rule", pass::direction_rule_name(static_cast<pass::DirectionRule>(a.rule[i])),
         pass::direction_rule_name(static_cast<pass::DirectionRule>(b.rule[j])));
    line("rewrite", pass::rewrite_reason_name(static_cast<pass::RewriteReason>(a.rewrite[i])),
         pass::rewrite_reason_name(static_cast<pass::RewriteReason>(b.rewrite[j])));
  }

  void pass_text(RowPair rows) {
    std::vector<std::string_view> names;
    const auto of_pass = [](const replay::Matching::Text& text, std::uint32_t pass) { return text.pass < pass; };
    for (auto text = std::lower_bound(in_.texts.begin(), in_.texts.end(), rows.a, of_pass);
         text != in_.texts.end() && text->pass == rows.a; ++text)
      names.push_back(a_.text(a_.functions.name[text->function]));
    if (!names.empty()) out_.push_back(fmt::format("text after it: differs in {}", fmt::join(names, ", ")));
    if (!has(DifferenceKind::Function)) return;
    const auto functions = [](const Recording& r, std::uint32_t row) {
      std::string list;
      for (const FunctionText& f : functions_of(r.text(r.passes.text[row])))
        list += (list.empty() ? "" : ", ") + std::string(f.name);
      return list;
    };
    line("functions", functions(a_, rows.a), functions(b_, rows.b));
  }

  void region(RowPair rows) {
    const auto& a = a_.regions;
    const auto& b = b_.regions;
    line("outcome", pass::region_outcome_name(static_cast<pass::RegionOutcome>(a.outcome[rows.a])),
         pass::region_outcome_name(static_cast<pass::RegionOutcome>(b.outcome[rows.b])));
    const auto reason = [](std::string_view text) { return text.empty() ? std::string_view("none") : text; };
    line("reason", reason(a_.text(a.reason[rows.a])), reason(b_.text(b.reason[rows.b])));
    const std::uint32_t site = a.offending_site[rows.a];
    const std::uint32_t other = b.offending_site[rows.b];
    const auto label = [](const Document& d, std::uint32_t row) { return row == kNoRow ? "none" : d.call_site_label(row); };
    if (site == kNoRow ? other != kNoRow : counterpart(ItemKind::CallSite, site) != other)
      out_.push_back(fmt::format("offending call: {} in a, {} in b", label(doc_a_, site), label(doc_b_, other)));
    const auto position = [](std::uint32_t arg) { return arg == kNoRow ? std::string("none") : std::to_string(arg); };
    line("offending argument", position(a.offending_arg[rows.a]), position(b.offending_arg[rows.b]));
  }

  void hazard(RowPair rows) {
    const auto& a = a_.hazards;
    const auto& b = b_.hazards;
    line("verdict", pass::hazard_verdict_name(static_cast<pass::HazardVerdict>(a.verdict[rows.a])),
         pass::hazard_verdict_name(static_cast<pass::HazardVerdict>(b.verdict[rows.b])));
    line("hazards", recording::hazard_count(a_, rows.a), recording::hazard_count(b_, rows.b));
    if (out_.empty()) out_.emplace_back("earlier accesses: not the same ones");
  }

  void element_type(std::uint32_t x, std::uint32_t y, std::string_view prefix) {
    const auto name = [](const Recording& r, std::uint32_t tensor) {
      return runtime::element_type_name(static_cast<runtime::ElementType>(r.tensors.dtype[tensor]));
    };
    line(fmt::format("{}element type", prefix), name(a_, x), name(b_, y));
  }

  static std::string buffer(const Document& d, std::uint32_t tensor) {
    const std::string_view name = d.text(d.recording().tensors.name[tensor]);
    return name.empty() ? fmt::format("tensor {}", tensor) : std::string(ir::source_name(name));
  }

  void access(RowPair rows, const std::string& prefix, bool alone) {
    const auto& a = a_.accesses;
    const auto& b = b_.accesses;
    const std::size_t before = out_.size();
    line(prefix + "direction", runtime::arg_kind_name(static_cast<runtime::ArgKind>(a.kind[rows.a])),
         runtime::arg_kind_name(static_cast<runtime::ArgKind>(b.kind[rows.b])));
    if (alone && !has(DifferenceKind::Argument)) return;
    const std::uint32_t x = a.tensor[rows.a];
    const std::uint32_t y = b.tensor[rows.b];
    // Of a buffer that the task makes itself, compare() asks for the direction alone.
    const auto output = static_cast<std::uint8_t>(runtime::ArgKind::Output);
    if (a.kind[rows.a] == output || b.kind[rows.b] == output) return;
    element_type(x, y, prefix);
    const auto words = [](const Recording& r, std::uint32_t row) {
      return std::span(r.pool).subspan(r.accesses.geometry_begin[row], r.accesses.geometry_begin_count[row]);
    };
    const auto geometry_a = words(a_, rows.a);
    const auto geometry_b = words(b_, rows.b);
    const auto shape = [](std::span<const std::uint32_t> g) {
      return fmt::format("[{}]", fmt::join(g.first(g.size() / 3), ", "));
    };
    const auto strides = [](std::span<const std::uint32_t> g) {
      std::vector<std::uint64_t> values;
      for (std::size_t d = g.size() / 3; d + 1 < g.size(); d += 2) values.push_back(g[d] | std::uint64_t{g[d + 1]} << 32U);
      return fmt::format("[{}]", fmt::join(values, ", "));
    };
    line(prefix + "shape", shape(geometry_a), shape(geometry_b));
    line(prefix + "strides", strides(geometry_a), strides(geometry_b));
    line(prefix + "offset", a.start_offset[rows.a], b.start_offset[rows.b]);
    if (out_.size() == before || counterpart(ItemKind::Tensor, x) != y) {
      const bool outside = a_.tensors.owner[x] == runtime::kInvalidTask && b_.tensors.owner[y] == runtime::kInvalidTask;
      if (outside) line(prefix + "buffer", buffer(doc_a_, x), buffer(doc_b_, y));
    }
  }

  const Document& doc_a_;
  const Document& doc_b_;
  const Recording& a_;
  const Recording& b_;
  const ComparedDocuments& in_;
  std::uint32_t kinds_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> difference_lines(const ComparedDocuments& documents, ItemKind kind, RowPair rows, std::uint32_t kinds) {
  return Lines(documents, kinds).of(kind, rows);
}

}  // namespace depscope::viewers
