#include "why_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "depscope/ir/text.h"
#include "depscope/runtime/submission.h"
#include "explain_advice.h"
#include "explain_words.h"
#include "why_path.h"
#include "why_words.h"

namespace depscope::replay {

using recording::kNoRow;

namespace {

/// Fields of a finding; a file may hold anything there.
std::string string_at(const nlohmann::json& fields, const char* key) {
  if (!fields.is_object()) return "";
  const auto found = fields.find(key);
  return found != fields.end() && found->is_string() ? found->get<std::string>() : std::string();
}
bool is_call(const nlohmann::json& fields, const char* key, std::uint32_t index) {
  const auto call = fields.find(key);
  if (call == fields.end() || !call->is_object()) return false;
  const auto found = call->find("index");
  return found != call->end() && found->is_number_unsigned() && found->get<std::uint64_t>() == index;
}

class Judge {
 public:
  explicit Judge(const WhyPair& pair)
      : pair_(pair),
        r_(pair.r),
        first_(pair.first),
        second_(pair.second),
        first_text_(why_call_text(r_, first_)),
        second_text_(why_call_text(r_, second_)) {
    out_.region = pair.region_of(second_);
  }

  Verdict run() {
    decide();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string_view text(std::uint32_t string) const { return r_.text(string); }

  void say(std::string code, std::string sentence, std::string change) {
    out_.code = std::move(code);
    out_.sentence = std::move(sentence);
    out_.change = std::move(change);
  }

  void decide() {
    if (removed_later()) return;
    if (present()) return;
    if (first_ == second_) return same_call();
    if (removed()) return;
    if (judged()) return;
    if (not_looked_at()) return;
    if (off_record()) return;
    plain();
  }

  /// A finding of the code generator about an edge between the two.
  bool removed_later() {
    for (std::uint32_t i = 0; i < r_.findings.rows(); ++i) {
      const std::string_view kind = text(r_.findings.kind[i]);
      if (kind != "user_edge_lost" && kind != "lost_edge") continue;
      const auto fields = nlohmann::json::parse(text(r_.findings.fields[i]), nullptr, /*allow_exceptions=*/false);
      const std::string dep = string_at(fields, "dep");
      if (string_at(fields, "function") != text(r_.functions.name[r_.call_sites.function[second_]]) ||
          !is_call(fields, "consumer", r_.call_sites.index[second_]))
        continue;
      for (const EdgeAsked& edge : pair_.edges) {
        if (edge.status != pass::EdgeStatus::Kept || ir::source_name(text(edge.id)) != ir::source_name(dep)) continue;
        say(std::string(kind), std::string(text(r_.findings.summary[i])),
            kind == "lost_edge" ? pair_.program.in_other_branch(first_, second_)
                                      ? fmt::format("the two stand in different branches of one if: nothing is needed, or else "
                                                    "submit with an id, `x, tid = pl.submit(self.{}, ...)`",
                                                    text(r_.call_sites.callee[first_]))
                                      : "keep the producer and its consumer in one scope"
                                : "keep the id in a TASK_ID array that outlives the scope, or use one `with pl.manual_scope():`");
        return true;
      }
    }
    return false;
  }

  bool present() {
    const auto kept = std::find_if(pair_.edges.begin(), pair_.edges.end(), [](const EdgeAsked& edge) {
      return edge.status == pass::EdgeStatus::Kept && edge.origin == pass::EdgeOrigin::Compiler;
    });
    const auto any =
        kept != pair_.edges.end() ? kept : std::find_if(pair_.edges.begin(), pair_.edges.end(), [](const EdgeAsked& edge) {
          return edge.status == pass::EdgeStatus::Kept;
        });
    if (any == pair_.edges.end()) return edge_of_run();
    out_.edge = true;
    const std::string id(ir::source_name(text(any->id)));
    if (any->origin == pass::EdgeOrigin::Compiler) {
      compiler_edge(*any, id);
    } else if (any->origin == pass::EdgeOrigin::Fence) {
      say("fence_edge",
          fmt::format("{} waits for {}: a phase fence put a barrier between the producers and the loop", second_text_,
                      first_text_),
          "a barrier goes where it saves nothing: fewer consumers, or deps= with more than one entry");
    } else {
      user_edge(*any, id);
    }
    return true;
  }

  void compiler_edge(const EdgeAsked& edge, const std::string& id) {
    const bool of_loop = r_.call_sites.loop_depth[first_] != 0 && !pair_.gives(first_, text(edge.id));
    std::string code = of_loop ? "compiler_edge_of_loop" : edge.synthetic ? "compiler_edge_made_up" : "compiler_edge";
    std::string sentence = fmt::format("the compiler added an edge on '{}' for {}", id, pair_.conflict_text());
    if (of_loop) sentence += "; the id stands for what the loop leaves, so that all iterations are waited for";
    std::string change =
        fmt::format("let the two touch other elements of {} (constant, disjoint slices), or pl.no_dep() the argument",
                    pair_.meetings.empty() ? std::string("the buffer") : pair_.meetings.front().shown.root);
    if (pair_.program.in_other_branch(first_, second_)) {
      code = "else_sees_then";
      const bool again = r_.call_sites.loop_depth[first_] != 0 && r_.call_sites.loop_depth[second_] != 0;
      sentence += again
                      ? "; the two stand in different branches of one if inside a loop: when the second one runs, the id is that "
                        "of an earlier iteration, or invalid if the first one never ran"
                      : "; the two stand in different branches of one if, so that the id is invalid whenever the second one runs";
      change = again ? "nothing is needed if the iterations are to be ordered; else " + change
                     : "nothing is needed: the edge waits for nothing when it runs";
    }
    say(std::move(code), std::move(sentence), std::move(change));
  }

  void user_edge(const EdgeAsked& edge, const std::string& name) {
    // Entries that are array elements are put into an array that the source does not name (passes.md 0.4).
    const std::string id =
        name.starts_with("_submit_deps_buf") ? std::string("an array of its entries") : fmt::format("'{}'", name);
    const bool alone = edge.producer != kNoRow;
    std::string through;
    if (!alone) {
      const auto producers = pair_.program.producers(second_, text(edge.id));
      through = producers.size() > 1 ? fmt::format(", which holds the ids of {} calls", producers.size())
                                     : ", an id that comes through an array, a copy or a branch";
    } else if (!pair_.gives(first_, text(edge.id)) && r_.call_sites.kind[first_] != 2) {
      through = ", which is carried or copied";
    }
    const bool refused = std::any_of(pair_.hazards.begin(), pair_.hazards.end(),
                                     [](const HazardAsked& h) { return h.verdict == pass::HazardVerdict::FellBack; });
    if (refused) {
      return say(
          "user_edge_partial",
          fmt::format("deps= of {} names {}{}, but not every task of the loop: it does not cover {}, and the region fell back",
                      second_text_, id, through, pair_.conflict_text()),
          "name every slot: deps=[tids[k] for k in range(N)]");
    }
    const bool covers = std::any_of(pair_.hazards.begin(), pair_.hazards.end(),
                                    [](const HazardAsked& h) { return h.verdict == pass::HazardVerdict::UserEdge; });
    say(covers ? "user_edge_covers" : "user_edge",
        fmt::format(
            "deps= of {} names {}{}{}", second_text_, id, through,
            covers ? fmt::format(": it covers {}, so that the compiler adds none", pair_.conflict_text()) : std::string()),
        fmt::format("take {} out of deps={}", name.starts_with('_') ? "them" : id,
                    covers ? ": the compiler then adds an edge of its own, or falls back" : ""));
  }

  /// The program names an id that led here only when it ran.
  bool edge_of_run() {
    constexpr std::uint8_t kNamed = runtime::kUser | runtime::kCompiler | runtime::kFence;
    if (!pair_.run || (pair_.run->provenance & kNamed) == 0) return false;
    out_.edge = true;
    say("user_edge", fmt::format("an id that {} waits for is that of {} when the program runs", second_text_, first_text_),
        "take the id out of deps=");
    return true;
  }

  /// The program has no edge, and nothing in it says why not: the runtime finds one.
  bool runtime_edge(std::string_view why_none) {
    if (!pair_.runtime_finds()) return false;
    out_.edge = true;
    const bool creator = (pair_.run->provenance & runtime::kTensorMap) == 0;
    say(creator ? "creator_edge" : "runtime_edge",
        fmt::format(
            "the program has no edge ({}), but the runtime finds one{}", why_none,
            creator ? std::string(": one task made the buffer of the other") : fmt::format(" for {}", pair_.conflict_text())),
        creator ? "use another buffer"
                : "pl.no_dep() on the argument hides it from the runtime; in a MANUAL scope nothing is looked up");
    return true;
  }

  void same_call() {
    if (runtime_edge(pair_.any_argument(first_, pass::RewriteReason::SwitchOff) ? "the analysis is off"
                                                                                : "a loop body is scanned once"))
      return;
    if (r_.call_sites.loop_depth[first_] == 0) {
      say("same_call", fmt::format("{} runs once: there is no other task of it to wait for", first_text_), "name two calls");
      return;
    }
    std::string sentence = fmt::format("{} is in a loop, and no edge leads from one iteration to the next", first_text_);
    if (pair_.run && pair_.run->edges == 0 && !pair_.run->sentence.empty()) sentence += ": " + pair_.run->sentence;
    say("same_call", std::move(sentence),
        "carry the task id through the loop: `prev = None` before it, `x, prev = pl.submit(..., deps=[prev])` inside");
  }

  /// Edges that were there for a while.
  bool removed() {
    for (const EdgeAsked& edge : pair_.edges) {
      const std::string id(ir::source_name(text(edge.id)));
      switch (edge.status) {
        case pass::EdgeStatus::Kept: continue;
        case pass::EdgeStatus::Stripped:
          out_.region = edge.stripped_by == kNoRow ? out_.region : edge.stripped_by;
          say("region_fell_back",
              fmt::format("the compiler had added an edge on '{}' for {}; it was taken away when the region fell back", id,
                          pair_.conflict_text()),
              pair_.advice(out_.region));
          return true;
        case pass::EdgeStatus::GivenUp:
          say("call_fell_back",
              fmt::format("an edge on '{}' for {} was found, but then {} fell back{}, so that it got none", id,
                          pair_.conflict_text(), second_text_, where_it_fell_back()),
              own_advice());
          return true;
        case pass::EdgeStatus::Replaced: replaced(id); return true;
      }
    }
    return false;
  }

  void replaced(const std::string& id) {
    std::string barrier = "a barrier";
    for (const EdgeAsked& edge : pair_.rows.edges_of(second_)) {
      if (edge.origin == pass::EdgeOrigin::Fence && edge.producer != kNoRow) {
        barrier = why_call_text(r_, edge.producer);
        out_.path.push_back(barrier);
      }
    }
    say("replaced_by_fence",
        fmt::format("deps= named '{}'; a phase fence put {} in its place, which waits for the same ids", id, barrier),
        "deps= with more than one entry is never replaced; fewer consumers save nothing, and the edges stay");
  }

  [[nodiscard]] std::string refused_advice(const HazardAsked& h) const {
    if (text(h.reason) == "prior_in_loop_without_summary" && h.prior != kNoRow &&
        pair_.program.in_other_branch(std::min(h.prior, second_), std::max(h.prior, second_))) {
      return "the two stand in different branches of one if and never run in one iteration: put the if into a `with pl.scope():` "
             "of its own, inside a pl.parallel loop if the iterations are independent, or order them in a `with "
             "pl.manual_scope():` by ids that the loop carries";
    }
    return fallback_advice(r_, {text(h.reason), second_, h.current_arg, h.prior, "", false});
  }

  /// Where the second call fell back, for what was found before or never asked for because of that.
  [[nodiscard]] std::string where_it_fell_back() const {
    const auto refused = pair_.rows.refused_of(second_);
    if (!refused) return "";
    return fmt::format(" at {} after {}", kinds_text(refused->kinds), why_call_text(r_, refused->prior));
  }
  [[nodiscard]] std::string own_advice() const {
    const auto refused = pair_.rows.refused_of(second_);
    return refused ? refused_advice(*refused) : pair_.advice(out_.region);
  }

  /// Conflicts that were judged without an edge to this producer.
  bool judged() {
    for (const HazardAsked& h : pair_.hazards) {
      if (h.verdict == pass::HazardVerdict::Windowed) {
        say("windowed",
            fmt::format("{} is taken to be covered by the user edge '{}', a task id whose origin is not followed: nothing shows "
                        "that it is {}'s",
                        pair_.conflict_text(), ir::source_name(text(h.edge)), pair_.callee(first_)),
            fmt::format("name the producers themselves: deps=[tids[k] for k in range(N)], or the id of {}", first_text_));
        return true;
      }
      if (h.verdict == pass::HazardVerdict::UserEdge) {
        out_.edge = true;
        say("user_edge_covers",
            fmt::format("deps= of {} names '{}', which covers {}", second_text_, ir::source_name(text(h.edge)),
                        pair_.conflict_text()),
            fmt::format("take '{}' out of deps=", ir::source_name(text(h.edge))));
        return true;
      }
      if (h.verdict == pass::HazardVerdict::FellBack) {
        const std::string reason(text(h.reason));
        say(reason, fmt::format("{} needs an edge, but {}", pair_.conflict_text(), fallback_words(reason)), refused_advice(h));
        return true;
      }
    }
    return false;
  }

  /// One of them is where nothing is analysed.
  bool not_looked_at() {
    const bool first_manual = pair_.in_manual_scope(first_);
    const bool second_manual = pair_.in_manual_scope(second_);
    if (second_manual || first_manual) {
      if (runtime_edge("a MANUAL scope is not analysed") || ordered_through()) return true;
      if (pair_.run && pair_.run->first != kNoRow && !pair_.conflict()) {
        plain();
        return true;
      }
      const bool invisible = first_manual && !second_manual;
      say(invisible ? "manual_invisible" : "manual_scope",
          invisible ? fmt::format("{} stands in a MANUAL scope: neither the analysis nor the runtime puts its accesses on record",
                                  first_text_)
                    : fmt::format("{} stands in a MANUAL scope: only its deps= order it, and none of them leads to {}",
                                  second_text_, first_text_),
          pair_.deps_advice());
      return true;
    }
    using pass::RewriteReason;
    for (const auto& [reason, code] :
         {std::pair{RewriteReason::Container, "container_invisible"}, std::pair{RewriteReason::NotModelled, "not_modelled"},
          std::pair{RewriteReason::SwitchOff, "switch_off"}, std::pair{RewriteReason::PassNotRun, "switch_off"}}) {
      const bool second = pair_.any_argument(second_, reason);
      if (!second && !pair_.any_argument(first_, reason)) continue;
      const std::string_view none = reason == RewriteReason::Container     ? "nothing is analysed outside of scopes"
                                    : reason == RewriteReason::NotModelled ? "the function is not analysed"
                                                                           : "the analysis is off";
      if (branches() || runtime_edge(none) || ordered_through() || of_run()) return true;
      if (reason == RewriteReason::Container) {
        say(code,
            fmt::format("{} stands directly in a function with auto_scope=False: nothing is analysed there",
                        second ? second_text_ : first_text_),
            "put both calls into one `with pl.scope():`");
      } else if (reason == RewriteReason::NotModelled) {
        say(code, fmt::format("the function of {} is not analysed", second_text_), "open the dump directory of a compilation");
      } else {
        say(code,
            reason == RewriteReason::SwitchOff ? "the analysis of AUTO scopes is off, so that the compiler adds no edges"
                                               : "AutoDeriveTaskDependencies did not look at it: it is not among the passes, or "
                                                 "the function is no orchestration",
            "run with --analyze-auto-scopes; or " + pair_.deps_advice());
      }
      return true;
    }
    return false;
  }

  /// What the run says where the analysis says nothing. False if it did not run either.
  bool of_run() {
    if (!pair_.run || pair_.run->first == kNoRow) return false;
    if (pair_.run->code.empty()) {
      plain();
      return true;
    }
    std::string change = pair_.deps_advice();
    for (std::size_t i = 1; i < pair_.run->fixes.size(); ++i) change += "; or " + pair_.run->fixes[i];
    say(pair_.run->code, pair_.run->sentence, std::move(change));
    return true;
  }

  bool branches() {
    if (!pair_.program.in_other_branch(first_, second_)) return false;
    say("other_branch",
        fmt::format("{} and {} stand in different branches of one if: only one of them runs", first_text_, second_text_),
        "nothing is needed");
    return true;
  }

  /// An access is not on record although its call stands where calls are analysed.
  bool off_record() {
    using pass::AccessOutcome;
    const auto& a = r_.pass_accesses;
    for (const std::uint32_t access : pair_.accesses.of(second_)) {
      const auto outcome = static_cast<AccessOutcome>(a.outcome[access]);
      if (outcome != AccessOutcome::Unresolved) continue;
      const std::string reason(out_.region == kNoRow ? std::string_view("unresolved_storage.unknown")
                                                     : text(r_.regions.reason[out_.region]));
      say(reason,
          fmt::format("argument {} of {}: {}; its region fell back there, before anything was compared",
                      argument_text(r_, second_, a.arg[access]), second_text_, fallback_words(reason)),
          pair_.advice(out_.region));
      return true;
    }
    if (!pair_.conflict()) return first_off_record(false);
    for (const std::uint32_t access : pair_.accesses.of(second_)) {
      if (static_cast<AccessOutcome>(a.outcome[access]) != AccessOutcome::SiteFellBack) continue;
      say("call_fell_back",
          fmt::format("{} was not judged: {} had fallen back before{}", pair_.conflict_text(), second_text_,
                      where_it_fell_back()),
          own_advice());
      return true;
    }
    return first_off_record(true);
  }

  bool first_off_record(bool conflicts) {
    const auto& a = r_.pass_accesses;
    for (const std::uint32_t access : pair_.accesses.of(first_)) {
      const auto outcome = static_cast<pass::AccessOutcome>(a.outcome[access]);
      const std::uint32_t region = a.region[access];
      const bool fell_back =
          region != kNoRow && r_.regions.outcome[region] == static_cast<std::uint8_t>(pass::RegionOutcome::FellBack);
      const bool elsewhere = fell_back && region != out_.region;
      const bool unresolved = outcome == pass::AccessOutcome::Unresolved;
      if (!unresolved && !(conflicts && (outcome == pass::AccessOutcome::SiteFellBack || elsewhere))) continue;
      const std::string sentence =
          elsewhere && outcome == pass::AccessOutcome::Recorded
              ? fmt::format("the region of {} fell back: its accesses are not handed on to calls outside", first_text_)
              : fmt::format("{} made its region fall back: its accesses are not on record", first_text_);
      if (pair_.run && pair_.run->edges == 0 && ordered_through()) return true;
      out_.region = region;
      say("fallback_invisible", sentence, pair_.advice(region));
      return true;
    }
    return false;
  }

  /// Nothing in the way: there is no conflict.
  void plain() {
    if (branches() || no_dep() || runtime_edge("no conflict is on record")) return;
    const bool reads_only =
        std::any_of(pair_.meetings.begin(), pair_.meetings.end(), [](const ArgumentPair& m) { return m.shown.kinds == 0; });
    const bool apart = std::any_of(pair_.meetings.begin(), pair_.meetings.end(),
                                   [](const ArgumentPair& m) { return !m.overlaps && m.shown.kinds != 0; });
    const std::string root = pair_.meetings.empty() ? "" : pair_.meetings.front().shown.root;
    if (apart) {
      const auto at =
          std::find_if(pair_.meetings.begin(), pair_.meetings.end(), [](const ArgumentPair& m) { return m.shown.kinds != 0; });
      say("disjoint_boxes", fmt::format("both use {}, but other elements of it", at->shown.root),
          fmt::format("nothing is needed while the windows of {} stay apart; else {}", at->shown.root, pair_.deps_advice()));
    } else if (reads_only) {
      say("read_read", fmt::format("both only read {}", root),
          "nothing is needed; if one of the kernels writes it, declare its parameter pl.Out or pl.InOut");
    } else if (pair_.has_tensors(first_) && pair_.has_tensors(second_)) {
      say("different_roots", "they have no buffer in common",
          fmt::format("for an order without a conflict, {}", pair_.deps_advice()));
    } else {
      say("no_shared_storage", fmt::format("{} has no tensor argument", pair_.has_tensors(first_) ? second_text_ : first_text_),
          fmt::format("for an order without a conflict, {}", pair_.deps_advice()));
    }
  }

  /// An argument that the user takes out of the analysis, with the value that the other call uses too.
  bool no_dep() {
    for (const std::uint32_t site : {second_, first_}) {
      const std::uint32_t other = site == second_ ? first_ : second_;
      for (std::uint32_t k = 0; k < r_.call_sites.argument_count[site]; ++k) {
        const std::uint32_t row = r_.call_sites.argument_begin[site] + k;
        if (r_.arguments.derived[row] != static_cast<std::uint8_t>(pass::ArgDirection::NoDep)) continue;
        const bool of_run = std::any_of(pair_.meetings.begin(), pair_.meetings.end(), [&](const ArgumentPair& m) {
          return m.overlaps && m.shown.kinds != 0 && (site == second_ ? m.second_arg : m.first_arg) == k;
        });
        if (!of_run && !pair_.uses(other, text(r_.arguments.name[row]))) continue;
        say("no_dep",
            fmt::format("argument {} of {} is pl.no_dep(): neither the analysis nor the runtime sees what it touches",
                        argument_text(r_, site, k), why_call_text(r_, site)),
            fmt::format("leave pl.no_dep() out; or {}", pair_.deps_advice()));
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- paths

  /// Edges of the program from one to the other through others.
  bool ordered_through() {
    out_.path = path_between(pair_);
    if (out_.path.empty()) return false;
    say("ordered_through",
        fmt::format("there is no edge, but {} waits for {} through {}", second_text_, first_text_, fmt::join(out_.path, ", ")),
        fmt::format("an edge of its own would add nothing; to have one, {}", pair_.deps_advice()));
    return true;
  }

  const WhyPair& pair_;
  const recording::Recording& r_;
  const std::uint32_t first_, second_;
  const std::string first_text_, second_text_;
  Verdict out_;
};

}  // namespace

Verdict verdict_of(const WhyPair& pair) { return Judge(pair).run(); }

std::vector<std::string> path_between(const WhyPair& pair) {
  std::vector<std::string> out;
  for (const std::uint32_t site : calls_between(pair.r, pair.program, pair.rows, pair.first, pair.second))
    out.push_back(why_call_text(pair.r, site));
  if (out.empty() && pair.run && pair.run->path_found) out = pair.run->path;
  return out;
}

}  // namespace depscope::replay
