// Edges by the names of the two tasks, or by who asked for them: "why gelu t3 up", "edges compiler".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <tuple>
#include <vector>

#include "depscope/pass/decisions.h"
#include "depscope/runtime/submission.h"
#include "depscope/viewers/command_words.h"
#include "depscope/viewers/palette.h"
#include "depscope/viewers/widgets.h"
#include "folded_case.h"

namespace depscope::viewers {
namespace {

// By bit of provenance.
constexpr std::array<std::string_view, 6> kAskers{"user", "compiler", "fence", "creator", "tensormap", "explicit"};
constexpr std::array<std::string_view, 7> kFillers{"does", "wait", "waits", "for", "of", "->", "→"};

using Wanted = PaletteTask;

/// Of "t12" the 12.
std::uint32_t task_row(std::string_view word) {
  std::uint32_t row = 0;
  const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), row);
  return word.size() < 2 || word[0] != 't' || error != std::errc() || end != word.data() + word.size() ? kNoRow : row;
}

struct Question {
  std::uint8_t askers = 0;    ///< provenance bits, 0: all
  std::vector<Wanted> tasks;  ///< the consumer, then the producer
  bool understood = false;
};

Question parse(std::string_view text) {
  Question out;
  std::vector<std::string> words = split_words(lower(std::string(text)));
  if (words.empty() || (words[0] != "why" && words[0] != "edges")) return out;
  const bool by_asker = words[0] == "edges";
  words.erase(words.begin());
  bool named = false;  // a number that follows belongs to the name before it
  for (const std::string& word : words) {
    if (const auto at = std::find(kAskers.begin(), kAskers.end(), word); by_asker && at != kAskers.end()) {
      out.askers |= static_cast<std::uint8_t>(1U << (at - kAskers.begin()));
    } else if (std::find(kFillers.begin(), kFillers.end(), word) == kFillers.end()) {
      const std::uint32_t row = task_row(word);
      if (row != kNoRow && named) {
        out.tasks.back().row = row;
      } else {
        out.tasks.push_back(row == kNoRow ? Wanted{word, kNoRow} : Wanted{{}, row});
      }
      named = row == kNoRow;
    }
  }
  out.understood = out.tasks.size() <= 2;
  return out;
}

std::string flag_words(std::uint8_t found, std::uint8_t final) {
  std::string words;
  if ((final & runtime::kWait) != 0) words += " WAIT";
  if ((found & ~final & runtime::kWait) != 0) words += " WAIT removed";
  if ((final & runtime::kRetain) != 0) words += " RETAIN";
  return words;
}

std::string asker_words(std::uint8_t provenance) {
  std::string words;
  for (std::size_t i = 0; i < kAskers.size(); ++i) {
    if ((provenance >> i & 1U) != 0) words += (words.empty() ? "" : ", ") + std::string(kAskers[i]);
  }
  return words;
}

}  // namespace

bool Palette::fits(const TaskFilter& filter, std::uint32_t task) const {
  if (filter.row != kNoRow) return task == filter.row;
  const std::uint32_t kernel = kernel_of_task_[task];
  if (kernel != kNoRow) return static_cast<bool>(filter.kernels[kernel]);
  const bool alloc = document_->recording().tasks.kind[task] == static_cast<std::uint8_t>(runtime::TaskKind::Alloc);
  return alloc ? filter.alloc : filter.all;
}

/// Edges, of which the first are listed and the others counted; how many there are.
std::size_t Palette::list_edges(const TaskFilter& consumers, const TaskFilter& producers, std::uint8_t askers,
                                std::string_view note) {
  const auto& r = document_->recording();
  std::uint32_t first = 0, last = r.edges.rows();
  if (consumers.row < r.tasks.rows()) std::tie(first, last) = document_->edges_of_consumer(consumers.row);
  const std::size_t before = entries_.size();
  std::size_t found = 0;
  for (std::uint32_t edge = first; edge < last; ++edge) {
    if (askers != 0 && (r.edges.provenance[edge] & askers) == 0) continue;
    if (!fits(consumers, r.edges.consumer[edge]) || !fits(producers, r.edges.producer[edge])) continue;
    if (++found > kMostTasks) continue;
    entries_.push_back(
        {PaletteEntry::What::Item,
         document_->edge_label(edge),
         std::string(note) + asker_words(r.edges.provenance[edge]) + flag_words(r.edges.flags[edge], r.edges.flags_final[edge]),
         {ItemKind::Edge, edge}});
  }
  for (std::size_t i = before; i < entries_.size(); ++i) entries_[i].detail += fmt::format("   {} of {}", i - before + 1, found);
  return found;
}

/// Edges between two tasks; where there is none, the edges from the second to the first, and the two tasks.
void Palette::add_edges(std::string_view query) {
  const Question question = parse(query);
  if (!question.understood) return;
  const TaskFilter consumers = task_filter(question.tasks, 0), producers = task_filter(question.tasks, 1);
  if (list_edges(consumers, producers, question.askers, {}) > 0) return;
  if (question.askers != 0) return add_unasked_edges(question.askers, !question.tasks.empty());
  const bool of_one_producer = question.tasks.size() == 2;
  if (of_one_producer) list_edges(producers, consumers, 0, "the other way round: ");
  add_missing_edge(consumers, producers, of_one_producer);
}

/// The first consumer that has a producer before it, or else the first consumer, and that producer.
void Palette::add_missing_edge(const TaskFilter& consumers, const TaskFilter& producers, bool of_one_producer) {
  const auto& r = document_->recording();
  std::uint32_t consumer = kNoRow, producer = kNoRow, newest = kNoRow;
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
    if (fits(consumers, task) && (consumer == kNoRow || producer == kNoRow)) consumer = task, producer = newest;
    if (of_one_producer && fits(producers, task)) newest = task;
  }
  if (producer == kNoRow) producer = newest;
  if (consumer == kNoRow || (of_one_producer && producer == kNoRow)) {
    entries_.push_back({PaletteEntry::What::Nothing, "no such task: a name or t12, first the task that waits", {}, {}});
    return;
  }
  const std::string label = document_->task_label(consumer);
  const std::string missing = of_one_producer ? fmt::format("{}: no edge from {}", label, document_->task_label(producer))
                                              : fmt::format("{} waits for nobody", label);
  entries_.push_back({PaletteEntry::What::Item,
                      missing,
                      of_one_producer ? "why not" : "what it waits for",
                      {ItemKind::Task, consumer},
                      of_one_producer ? Item{ItemKind::Task, producer} : Item{}});
}

/// Nobody of these asked for an edge; of the compiler it is said why.
void Palette::add_unasked_edges(std::uint8_t askers, bool of_named_tasks) {
  const auto& outcomes = document_->recording().regions.outcome;
  const auto count = [&](pass::RegionOutcome outcome) {
    return static_cast<std::size_t>(std::count(outcomes.begin(), outcomes.end(), static_cast<std::uint8_t>(outcome)));
  };
  std::string words = "no such edge";
  const std::size_t analysed = count(pass::RegionOutcome::Analysed), fell_back = count(pass::RegionOutcome::FellBack);
  const bool of_compiler = askers == runtime::kCompiler && !of_named_tasks;
  if (of_compiler && analysed + fell_back == 0) {
    words += "; the compiler adds edges in AUTO scopes only with --analyze-auto-scopes";
  } else if (of_compiler && fell_back > 0) {
    words += fmt::format("; {} of {} fell back", fell_back, count_of(analysed + fell_back, "region"));
  } else if (of_compiler) {
    words += "; the analysis found nothing that an edge has to order";
  }
  entries_.push_back({PaletteEntry::What::Nothing, words, {}, {}});
  if (of_compiler && fell_back > 0) entries_.push_back({PaletteEntry::What::Action, std::string(kFallback), {}, {}});
}

Palette::TaskFilter Palette::task_filter(const std::vector<PaletteTask>& tasks, std::size_t which) const {
  TaskFilter out;
  out.all = out.alloc = which >= tasks.size();
  out.kernels.assign(kernels_.size(), out.all);
  if (out.all) return out;
  const PaletteTask& wanted = tasks[which];
  out.row = wanted.row;
  if (wanted.name.empty()) return out;
  // A name that is whole wins over names that contain it.
  bool whole = false;
  for (const std::string_view kernel : kernels_) whole = whole || lower(std::string(kernel)) == wanted.name;
  for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
    const std::string name = lower(std::string(kernels_[kernel]));
    out.kernels[kernel] = whole ? name == wanted.name : name.find(wanted.name) != std::string::npos;
  }
  out.alloc = wanted.name == "alloc";
  return out;
}

}  // namespace depscope::viewers
