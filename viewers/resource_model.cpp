#include "resource_model.h"
#include "folded_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_set>

namespace depscope::viewers {
namespace {

using runtime::ArgKind;

std::uint8_t declared_mode(std::uint8_t kind) {
  switch (static_cast<ArgKind>(kind)) {
    case ArgKind::Input: return 1;
    case ArgKind::Output:
    case ArgKind::OutputExisting: return 2;
    case ArgKind::InOut: return 3;
    case ArgKind::NoDep:  // what the kernel does with it is told by its touched rows, if by anything
    case ArgKind::Scalar: return 0;
  }
  return 0;
}

std::uint8_t kinds_between(std::uint8_t earlier, std::uint8_t later) {
  std::uint8_t kinds = 0;
  if ((earlier & 2U) != 0 && (later & 1U) != 0) kinds |= kRaw;
  if ((earlier & 1U) != 0 && (later & 2U) != 0) kinds |= kWar;
  if ((earlier & 2U) != 0 && (later & 2U) != 0) kinds |= kWaw;
  return kinds;
}

}  // namespace

std::vector<Footprint> footprints_of(const recording::Recording& r, std::uint32_t access) {
  const auto view = [&](std::uint64_t offset, std::uint32_t begin, std::uint32_t count) {
    const auto type = static_cast<runtime::ElementType>(r.tensors.dtype[r.accesses.tensor[access]]);
    return byte_view(offset, std::span(r.pool).subspan(begin, count), runtime::element_size(type));
  };
  std::vector<Footprint> out;
  const auto& touched = r.touched;
  const auto [first, last] = std::equal_range(touched.access.begin(), touched.access.end(), access);
  for (auto at = first; at != last; ++at) {
    const auto row = static_cast<std::size_t>(at - touched.access.begin());
    out.push_back(
        {touched.mode[row], view(touched.start_offset[row], touched.geometry_begin[row], touched.geometry_begin_count[row])});
  }
  if (out.empty()) {
    out.push_back(
        {declared_mode(r.accesses.kind[access]),
         view(r.accesses.start_offset[access], r.accesses.geometry_begin[access], r.accesses.geometry_begin_count[access])});
  }
  return out;
}

Ordering ordering_of(const Document& document, std::uint32_t earlier, std::uint32_t later) {
  if (earlier == later) return {.order = Order::SameTask};
  const auto& edges = document.recording().edges;
  struct Found {
    std::uint32_t task, last, steps;  // last: the task before the later one on this path
  };
  Ordering out;
  std::vector<Found> queue{{later, kNoRow, 0}};
  std::unordered_set<std::uint32_t> seen{later};
  std::uint32_t looked = 0;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const Found here = queue[at];
    const auto [first, end] = document.edges_of_consumer(here.task);
    for (std::uint32_t edge = first; edge < end; ++edge) {
      if (++looked > kMaxSearch) {
        out.order = Order::Unknown;
        return out;
      }
      const std::uint32_t producer = edges.producer[edge];
      const bool waits = (edges.flags_final[edge] & runtime::kWait) != 0;
      if (producer == earlier && here.steps == 0) out.edge = edge;
      if (!waits) continue;
      if (producer == earlier) {
        out.order = here.steps == 0 ? Order::Edge : Order::Path;
        out.through = here.last;
        out.steps = here.steps + 1;
        if (out.order == Order::Path) out.edge = kNoRow;
        return out;
      }
      // Producers are submitted before their consumers: nothing older leads to the earlier task.
      if (producer < earlier || !seen.insert(producer).second) continue;
      queue.push_back({producer, here.steps == 0 ? producer : here.last, here.steps + 1});
    }
  }
  return out;
}

Conflict conflict_of(const Document& document, std::uint32_t chosen, std::uint32_t other) {
  const auto& r = document.recording();
  Conflict out;
  const std::uint32_t earlier = std::min(chosen, other);  // accesses rows are in order of submission
  const std::uint32_t later = std::max(chosen, other);
  for (const Footprint& a : footprints_of(r, earlier)) {
    for (const Footprint& b : footprints_of(r, later)) {
      const Shared shared = shares_bytes(a.view, b.view);
      if (shared == Shared::No) continue;
      if (out.shared != Shared::Yes) out.shared = shared;
      out.kinds |= kinds_between(a.mode, b.mode);
    }
  }
  if (r.accesses.task[earlier] == r.accesses.task[later]) {
    out.kinds = 0;
    out.ordering.order = Order::SameTask;
  } else if (out.kinds != 0) {
    out.ordering = ordering_of(document, r.accesses.task[earlier], r.accesses.task[later]);
  }
  return out;
}

std::string conflict_words(std::uint8_t kinds) {
  std::string words;
  const auto add = [&](std::uint8_t bit, std::string_view name) {
    if ((kinds & bit) != 0) words += fmt::format("{}{}", words.empty() ? "" : " ", name);
  };
  add(kRaw, "RAW");
  add(kWar, "WAR");
  add(kWaw, "WAW");
  return words;
}

std::string ordering_words(const Document& document, const Ordering& ordering) {
  switch (ordering.order) {
    case Order::None: return ordering.edge == kNoRow ? "no path" : fmt::format("no path: edge {} has no WAIT", ordering.edge);
    case Order::SameTask: return "the same task";
    case Order::Unknown: return fmt::format("no path within {} edges", kMaxSearch);
    case Order::Path: return fmt::format("through t{} ({} edges)", ordering.through, ordering.steps);
    case Order::Edge: break;
  }
  std::string by;
  for (const std::string_view name : runtime::provenance_names(document.recording().edges.provenance[ordering.edge]))
    by += fmt::format("{}{}", by.empty() ? "" : ", ", name);
  return fmt::format("edge {}: {}", ordering.edge, by);
}

void Conflicts::choose(const Document* document, std::uint32_t chosen) {
  if (document == document_ && chosen == chosen_) return;
  document_ = document;
  chosen_ = chosen;
  known_.clear();
  conflicts_.clear();
}

const Conflict& Conflicts::of(std::uint32_t access) {
  // What is shown is a short run of rows: once it has been scrolled far, the old ones are forgotten.
  constexpr std::size_t kMaxKnown = 4000;
  if (known_.size() > kMaxKnown) known_.clear(), conflicts_.clear();
  const auto at = std::lower_bound(known_.begin(), known_.end(), access);
  const auto index = at - known_.begin();
  if (at == known_.end() || *at != access) {
    known_.insert(at, access);
    conflicts_.insert(conflicts_.begin() + index, conflict_of(*document_, chosen_, access));
  }
  return conflicts_[static_cast<std::size_t>(index)];
}

std::vector<std::uint32_t> buffers_named(const Document& document, const Buffers& buffers, std::string_view words) {
  const auto& r = document.recording();
  const std::string wanted = lower(words);
  std::vector<std::uint32_t> out;
  // Names repeat: each string is looked at once.
  std::vector<std::uint8_t> verdict(r.strings.rows(), 0);
  for (std::uint32_t buffer = 0; buffer < buffers.size(); ++buffer) {
    const std::uint32_t name = r.tensors.name[buffers.first_tensor(buffer)];
    bool match = wanted.empty();
    if (!match && !r.text(name).empty()) {
      if (verdict[name] == 0) verdict[name] = lower(r.text(name)).find(wanted) != std::string::npos ? 1 : 2;
      match = verdict[name] == 1;
    } else if (!match) {
      match = lower(buffers.name(document, buffer)).find(wanted) != std::string::npos;
    }
    if (match) out.push_back(buffer);
  }
  return out;
}

}  // namespace depscope::viewers
