// Edges of matched tasks, flags and who asked for them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compare_report.h"
#include "id_table.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;

constexpr std::uint8_t kRequested = runtime::kUser | runtime::kCompiler | runtime::kFence | runtime::kExplicit;

/// What one side says of its edges, in terms that both sides can say: columns by edges row.
struct EdgeFacts {
  std::vector<std::uint8_t> flags, provenance;
  std::vector<std::uint8_t> assumed;  ///< flags that the file does not say itself
  /// Flags and sources that only discoveries have which the other side's kind of file does not print; empty if none are.
  std::vector<std::uint8_t> unprinted_flags, unprinted_sources;
  std::uint64_t hidden = 0;  ///< edges that the other side's kind of file would not print

  static constexpr std::uint8_t kHidden = 0xffU;  ///< as `provenance`
};

EdgeFacts facts_of(const Side& side, bool printed_only, bool origins) {
  const recording::Recording& r = side.r;
  EdgeFacts out;
  if (!printed_only) {
    out.flags = r.edges.flags;
    out.provenance = r.edges.provenance;
  } else {
    out.flags.assign(r.edges.rows(), 0);
    out.provenance.assign(r.edges.rows(), 0);
    const auto& reasons = r.edge_reasons;
    for (std::uint32_t i = 0; i < reasons.rows(); ++i) {
      if (reasons.replay_row[i] == 0) continue;
      out.flags[reasons.edge[i]] |= reasons.flags[i];
      out.provenance[reasons.edge[i]] |= reasons.source[i];
    }
    out.unprinted_flags.resize(r.edges.rows());
    out.unprinted_sources.resize(r.edges.rows());
    for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
      out.unprinted_flags[e] = static_cast<std::uint8_t>(r.edges.flags[e] & ~unsigned{out.flags[e]});
      out.unprinted_sources[e] = static_cast<std::uint8_t>(r.edges.provenance[e] & ~unsigned{out.provenance[e]});
    }
    for (std::uint8_t& provenance : out.provenance) {
      if (provenance != 0) continue;
      provenance = EdgeFacts::kHidden;
      ++out.hidden;
    }
  }
  if (!origins) {
    for (std::uint8_t& provenance : out.provenance) {
      if (provenance != EdgeFacts::kHidden && (provenance & kRequested) != 0)
        provenance = static_cast<std::uint8_t>((provenance & ~unsigned{kRequested}) | runtime::kExplicit);
    }
  }
  if (!side.known.flags) {
    out.assumed = out.flags;
  } else if (!side.known.explicit_retain) {
    // RETAIN of a pair is the file's word only where it has another source than the explicit dependency.
    out.assumed.assign(r.edges.rows(), 0);
    std::vector<std::uint8_t> said(r.edges.rows(), 0);
    for (std::uint32_t i = 0; i < r.edge_reasons.rows(); ++i) {
      if (r.edge_reasons.source[i] != runtime::kExplicit) said[r.edge_reasons.edge[i]] |= r.edge_reasons.flags[i];
    }
    for (std::uint32_t e = 0; e < r.edges.rows(); ++e)
      out.assumed[e] = static_cast<std::uint8_t>(out.flags[e] & ~unsigned{said[e]} & unsigned{runtime::kRetain});
  } else {
    out.assumed.assign(r.edges.rows(), 0);
  }
  return out;
}

Fields flag_list(std::uint8_t flags) {
  Fields out = Fields::array();
  for (const std::string_view name : runtime::dep_flag_names(flags)) out.push_back(std::string(name));
  return out;
}

Fields provenance_list(std::uint8_t bits) {
  Fields out = Fields::array();
  for (const std::string_view name : runtime::provenance_names(bits)) out.push_back(std::string(name));
  return out;
}

std::string flag_text(std::uint8_t flags) {
  return flags == 0 ? "none" : fmt::format("{}", fmt::join(runtime::dep_flag_names(flags), "+"));
}

std::string provenance_text(std::uint8_t bits) {
  return bits == 0 ? "not known" : fmt::format("{}", fmt::join(runtime::provenance_names(bits), "+"));
}

/// What both sides have of one producer and one consumer.
struct EdgePair {
  std::uint32_t producer = 0;            ///< common number
  std::uint32_t a = kNoRow, b = kNoRow;  ///< edges rows, none on one side
};

class EdgeComparison {
 public:
  EdgeComparison(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report)
      : in_(in),
        names_(names),
        report_(report),
        printed_only_(!in.a.known.all_discoveries || !in.b.known.all_discoveries),
        origins_(in.a.known.origins && in.b.known.origins),
        a_(facts_of(in.a, printed_only_, origins_)),
        b_(facts_of(in.b, printed_only_, origins_)) {}

  void run(std::vector<Comparison::KernelPair>& kernel_pairs) {
    for (std::uint32_t ta = 0; ta < in_.a.tasks(); ++ta) consumer(ta, in_.tasks.b_of_a[ta]);
    for (std::uint32_t tb = 0; tb < in_.b.tasks(); ++tb) {
      if (in_.tasks.a_of_b[tb] == kNoRow) consumer(kNoRow, tb);
    }
    totals();
    gaps();
    kernel_pairs = std::move(counts_);
    std::sort(kernel_pairs.begin(), kernel_pairs.end(), [](const auto& x, const auto& y) {
      const auto weight = [](const Comparison::KernelPair& p) { return p.only_a + p.only_b; };
      return std::tuple(weight(y), std::max(y.a, y.b), x.first, x.second) <
             std::tuple(weight(x), std::max(x.a, x.b), y.first, y.second);
    });
  }

 private:
  /// The edges of one consumer, which one side may not have, by their producers.
  void incoming(std::uint32_t ta, std::uint32_t tb) {
    pairs_.clear();
    for (std::uint32_t e = ta == kNoRow ? 0 : in_.a.edge_begin[ta]; ta != kNoRow && e < in_.a.edge_begin[ta + 1]; ++e) {
      if (a_.provenance[e] != EdgeFacts::kHidden)
        pairs_.push_back({names_.common_of(in_.a, in_.a.r.edges.producer[e]), e, in_.rows.edges.b_of_a[e]});
    }
    for (std::uint32_t e = tb == kNoRow ? 0 : in_.b.edge_begin[tb]; tb != kNoRow && e < in_.b.edge_begin[tb + 1]; ++e) {
      if (b_.provenance[e] != EdgeFacts::kHidden && in_.rows.edges.a_of_b[e] == kNoRow)
        pairs_.push_back({names_.common_of(in_.b, in_.b.r.edges.producer[e]), kNoRow, e});
    }
    const auto earlier = [](const EdgePair& x, const EdgePair& y) { return x.producer < y.producer; };
    if (!std::is_sorted(pairs_.begin(), pairs_.end(), earlier)) std::stable_sort(pairs_.begin(), pairs_.end(), earlier);
  }

  void consumer(std::uint32_t ta, std::uint32_t tb) {
    const std::uint32_t task = ta != kNoRow ? ta : in_.a.tasks() + tb;
    incoming(ta, tb);
    for (const EdgePair& pair : pairs_) {
      Comparison::KernelPair& kernels = kernel_pair(pair.a, pair.b);
      kernels.a += pair.a != kNoRow ? 1 : 0;
      kernels.b += pair.b != kNoRow ? 1 : 0;
      if (pair.a != kNoRow && pair.b != kNoRow) {
        ++both_;
        matched(pair.producer, task, pair.a, pair.b);
      } else {
        ++(pair.a != kNoRow ? kernels.only_a : kernels.only_b);
        single(pair.producer, task, pair.a, pair.b);
      }
    }
  }

  Comparison::KernelPair& kernel_pair(std::uint32_t ea, std::uint32_t eb) {
    const Side& side = ea != kNoRow ? in_.a : in_.b;
    const std::vector<std::uint32_t>& common = ea != kNoRow ? in_.tasks.kernel_a : in_.tasks.kernel_b;
    const std::uint32_t e = ea != kNoRow ? ea : eb;
    const std::uint32_t first = common[side.r.edges.producer[e]];
    const std::uint32_t second = common[side.r.edges.consumer[e]];
    const auto next = static_cast<std::uint32_t>(counts_.size());
    const std::uint32_t at = pair_rows_.find_or_add(std::uint64_t{first} << 32U | second, 0, next);
    if (at == next) counts_.push_back({.first = in_.tasks.labels[first], .second = in_.tasks.labels[second]});
    return counts_[at];
  }

  [[nodiscard]] Fields about(std::uint32_t producer, std::uint32_t consumer) const {
    return {{"first", names_.common(producer)}, {"second", names_.common(consumer)}};
  }
  [[nodiscard]] std::string text(std::uint32_t producer, std::uint32_t consumer) const {
    return names_.common_text(producer) + " -> " + names_.common_text(consumer);
  }

  void single(std::uint32_t producer, std::uint32_t consumer, std::uint32_t ea, std::uint32_t eb) {
    ++single_;
    if (!report_.count(DifferenceKind::Pair)) return;
    const bool in_a = ea != kNoRow;
    const EdgeFacts& facts = in_a ? a_ : b_;
    const std::uint32_t e = in_a ? ea : eb;
    Fields fields = about(producer, consumer);
    fields["a"] = in_a ? flag_list(facts.flags[e]) : Fields();
    fields["b"] = in_a ? Fields() : flag_list(facts.flags[e]);
    fields["provenance"] = provenance_list(facts.provenance[e]);
    if (facts.assumed[e] != 0) fields[in_a ? "assumed_a" : "assumed_b"] = flag_list(facts.assumed[e]);
    report_.add(DifferenceKind::Pair, {DifferenceSubject::Edge, ea, eb},
                fmt::format("{}: only in {} ({}, {})", text(producer, consumer), in_a ? "a" : "b", flag_text(facts.flags[e]),
                            provenance_text(facts.provenance[e])),
                std::move(fields));
  }

  void matched(std::uint32_t producer, std::uint32_t consumer, std::uint32_t ea, std::uint32_t eb) {
    const std::uint8_t fa = a_.flags[ea];
    const std::uint8_t fb = b_.flags[eb];
    // What a discovery says that is not printed may be said by the other side or not.
    const auto unprinted = [&](const std::vector<std::uint8_t>& of_a, const std::vector<std::uint8_t>& of_b) {
      return (of_a.empty() ? 0U : unsigned{of_a[ea]}) | (of_b.empty() ? 0U : unsigned{of_b[eb]});
    };
    const unsigned flags_open = unprinted(a_.unprinted_flags, b_.unprinted_flags);
    if ((flags_open & ~unsigned{fa}) != 0 && (flags_open & ~unsigned{fb}) != 0)
      ++(a_.unprinted_flags.empty() || a_.unprinted_flags[ea] == 0 ? lost_in_a_ : lost_in_b_);
    const bool differ = ((unsigned{fa} ^ unsigned{fb}) & ~flags_open) != 0;
    assumed_a_[differ ? 1 : 0] += a_.assumed[ea] != 0 ? 1 : 0;
    assumed_b_[differ ? 1 : 0] += b_.assumed[eb] != 0 ? 1 : 0;
    MatchedRows& rows = in_.rows.edges;
    if (differ) rows.mark(ea, DifferenceKind::Flags);
    if (differ && report_.count(DifferenceKind::Flags)) {
      Fields fields = about(producer, consumer);
      fields["a"] = flag_list(fa);
      fields["b"] = flag_list(fb);
      std::string assumed;
      for (const auto& [letter, flags] : {std::pair{'a', a_.assumed[ea]}, std::pair{'b', b_.assumed[eb]}}) {
        if (flags == 0) continue;
        fields[fmt::format("assumed_{}", letter)] = flag_list(flags);
        assumed += fmt::format("; {} of {} is assumed", flag_text(flags), letter);
      }
      report_.add(DifferenceKind::Flags, {DifferenceSubject::Edge, ea, eb},
                  fmt::format("{}: {} | {}{}", text(producer, consumer), flag_text(fa), flag_text(fb), assumed),
                  std::move(fields));
    }
    const std::uint8_t pa = a_.provenance[ea];
    const std::uint8_t pb = b_.provenance[eb];
    const unsigned sources_open = unprinted(a_.unprinted_sources, b_.unprinted_sources);
    const bool asked = ((unsigned{pa} ^ unsigned{pb}) & ~sources_open) != 0 && in_.a.known.sources && in_.b.known.sources;
    if (asked) rows.mark(ea, DifferenceKind::Provenance);
    if (asked && report_.count(DifferenceKind::Provenance)) {
      Fields fields = about(producer, consumer);
      fields["a"] = provenance_list(pa);
      fields["b"] = provenance_list(pb);
      report_.add(DifferenceKind::Provenance, {DifferenceSubject::Edge, ea, eb},
                  fmt::format("{}: {} | {}", text(producer, consumer), provenance_text(pa), provenance_text(pb)),
                  std::move(fields));
    }
    if (in_.a.known.final_flags && in_.b.known.final_flags) final_flags(producer, consumer, ea, eb);
  }

  void final_flags(std::uint32_t producer, std::uint32_t consumer, std::uint32_t ea, std::uint32_t eb) {
    const auto& a = in_.a.r.edges;
    const auto& b = in_.b.r.edges;
    if (a.flags_final[ea] == b.flags_final[eb]) return;
    // Where nothing was reduced, the discovered flags have said it.
    if (a.flags[ea] != b.flags[eb] && a.flags_final[ea] == a.flags[ea] && b.flags_final[eb] == b.flags[eb]) return;
    in_.rows.edges.mark(ea, DifferenceKind::FinalFlags);
    if (!report_.count(DifferenceKind::FinalFlags)) return;
    Fields fields = about(producer, consumer);
    fields["a"] = flag_list(a.flags_final[ea]);
    fields["b"] = flag_list(b.flags_final[eb]);
    std::string via;
    for (const auto& [side, row] : {std::pair{&in_.a, a.via[ea]}, std::pair{&in_.b, b.via[eb]}}) {
      if (row == kNoRow) continue;
      fields[fmt::format("via_{}", side->letter)] = names_.task(*side, row);
      via += fmt::format("; WAIT is redundant in {} via {}", side->letter, names_.task_text(*side, row));
    }
    report_.add(
        DifferenceKind::FinalFlags, {DifferenceSubject::Edge, ea, eb},
        fmt::format("{}: {} | {}{}", text(producer, consumer), flag_text(a.flags_final[ea]), flag_text(b.flags_final[eb]), via),
        std::move(fields));
  }

  void totals() {
    const std::uint64_t edges_a = in_.a.r.edges.rows() - a_.hidden;
    const std::uint64_t edges_b = in_.b.r.edges.rows() - b_.hidden;
    Fields fields{{"count", single_}, {"a", edges_a}, {"b", edges_b}};
    if (single_ == 0) {
      report_.add(DifferenceKind::Edges, {}, fmt::format("the edge sets are equal: {} edges", edges_a), std::move(fields),
                  Severity::Info);
    } else if (report_.exceeds(DifferenceKind::Edges, static_cast<double>(both_), static_cast<double>(both_ + single_)) &&
               report_.count(DifferenceKind::Edges)) {
      report_.add(DifferenceKind::Edges, {}, fmt::format("in all: {} | {}; {} without counterpart", edges_a, edges_b, single_),
                  std::move(fields));
    }
  }

  void gaps() {
    for (const Side* side : {&in_.a, &in_.b}) {
      const auto& assumed = side->letter == 'a' ? assumed_a_ : assumed_b_;
      if (assumed[0] + assumed[1] == 0) continue;
      const char* why = side->known.flags ? "explicit dependencies of a deps.json always say RETAIN"
                        : side->known.sources
                            ? "its edges have no flags: creator and explicit count as wait+retain, tensormap as wait"
                            : "its edges have no flags: all count as wait+retain";
      report_.assume(side->letter, side->known.flags ? "retain" : "flags", why, assumed[0], assumed[1]);
    }
    const bool edges = in_.a.r.edges.rows() != 0 || in_.b.r.edges.rows() != 0;
    if (!edges) return;
    if (!in_.a.known.final_flags && !in_.b.known.final_flags) report_.gap("final_flags", "neither has flags after reduction");
    for (const auto& [side, facts] : {std::pair{&in_.a, &a_}, std::pair{&in_.b, &b_}}) {
      const Side& other = side == &in_.a ? in_.b : in_.a;
      if (facts->hidden != 0)
        report_.gap("pair",
                    fmt::format("{} edges of {} are left out: the runtime's replay, which wrote {}, prints no row for them",
                                facts->hidden, side->letter, other.letter));
      // H8: the recording knows better than the file.
      if (const std::uint64_t lost = side == &in_.a ? lost_in_b_ : lost_in_a_; lost != 0)
        report_.gap("flags",
                    fmt::format("{} edge{} of {} {} flags that {} does not say: the runtime's replay prints no row for the "
                                "discovery (H8)",
                                lost, lost == 1 ? "" : "s", side->letter, lost == 1 ? "has" : "have", other.letter));
      if (!side->known.final_flags && other.known.final_flags)
        report_.gap("final_flags", fmt::format("{} has no flags after reduction", side->letter));
      if (!side->known.sources) report_.gap("provenance", fmt::format("{} does not say where its edges come from", side->letter));
      if (side->known.sources && side->known.all_discoveries != other.known.all_discoveries && !side->known.all_discoveries)
        report_.gap(
            "provenance",
            fmt::format("only the discoveries that the runtime's replay prints are compared, as {} has no others", side->letter));
      if (side->known.sources && !side->known.origins && other.known.origins && has_requested(other))
        report_.gap("provenance", fmt::format("user, compiler and fence edges are not told apart in {}", side->letter));
    }
  }

  static bool has_requested(const Side& side) {
    return std::any_of(side.r.edges.provenance.begin(), side.r.edges.provenance.end(),
                       [](std::uint8_t bits) { return (bits & kRequested) != 0; });
  }

  const ComparisonInput& in_;
  const ComparisonNames& names_;
  ComparisonReport& report_;
  bool printed_only_, origins_;
  EdgeFacts a_, b_;
  std::vector<EdgePair> pairs_;  // of one consumer
  IdTable pair_rows_;
  std::vector<Comparison::KernelPair> counts_;
  std::uint64_t both_ = 0, single_ = 0;
  std::uint64_t lost_in_a_ = 0, lost_in_b_ = 0;             // edges with a flag that this side's file does not say
  std::array<std::uint64_t, 2> assumed_a_{}, assumed_b_{};  // flags that came out equal, and different
};

}  // namespace

void compare_edges(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report,
                   std::vector<Comparison::KernelPair>& kernel_pairs) {
  EdgeComparison(in, names, report).run(kernel_pairs);
}

}  // namespace depscope::replay
