#include "why_meetings.h"

#include <fmt/format.h>

#include <algorithm>

#include "check_false.h"
#include "check_geometry.h"
#include "check_names.h"
#include "check_reasons.h"
#include "depscope/ir/text.h"
#include "depscope/pass/decisions.h"
#include "explain_words.h"
#include "why_places.h"
#include "why_words.h"

namespace depscope::replay {

using recording::kNoRow;
using recording::Recording;

namespace {

std::string verdict_words(const Recording& r, const HazardAsked& h) {
  const std::string_view edge = ir::source_name(r.text(h.edge));
  const std::string_view reason = r.text(h.reason);
  switch (h.verdict) {
    case pass::HazardVerdict::UserEdge:
      return reason.empty() || reason == "direct" ? fmt::format("covered by user edge {}", edge)
                                                  : fmt::format("covered by user edge {} ({})", edge, reason);
    case pass::HazardVerdict::CompilerEdge: return fmt::format("compiler edge {}", edge);
    case pass::HazardVerdict::Disjoint: return "disjoint";
    case pass::HazardVerdict::Windowed: return fmt::format("windowed: user edge {} is taken to cover it", edge);
    case pass::HazardVerdict::FellBack: return fmt::format("no edge possible: {}", reason);
    case pass::HazardVerdict::None: break;
  }
  return "";
}

std::string side(const Recording& r, std::uint32_t site, std::uint32_t arg, std::uint8_t mode, const std::string& place) {
  return fmt::format("{} {}: {}", why_verb(mode), place, why_argument(r, site, arg));
}

bool is_box(const Recording& r, std::uint32_t storage) {
  return r.storage.kind[storage] == static_cast<std::uint8_t>(pass::StorageKind::Box);
}

}  // namespace

std::vector<ArgumentPair> meetings_on_record(const Recording& r, const WhyProgram& program, const RowGroups& accesses,
                                             const std::vector<HazardAsked>& hazards, std::uint32_t first, std::uint32_t second) {
  const auto& a = r.pass_accesses;
  std::vector<ArgumentPair> out;
  for (const std::uint32_t x : accesses.of(first)) {
    for (const std::uint32_t y : accesses.of(second)) {
      if (a.storage[x] == kNoRow || a.storage[y] == kNoRow) continue;
      const auto hazard = std::find_if(hazards.begin(), hazards.end(), [&](const HazardAsked& h) {
        return h.prior_arg == a.arg[x] && h.current_arg == a.arg[y] && h.prior_storage == a.storage[x] &&
               h.current_storage == a.storage[y];
      });
      const bool same_root = r.storage.root[a.storage[x]] == r.storage.root[a.storage[y]];
      if (!same_root && hazard == hazards.end()) continue;
      ArgumentPair m;
      m.first_arg = a.arg[x];
      m.second_arg = a.arg[y];
      m.first_access = x;
      m.second_access = y;
      m.shown.kinds = hazard == hazards.end() ? pass::hazards_between(a.kind[y], a.kind[x]) : hazard->kinds;
      m.shown.root = ir::source_name(r.text(r.storage.root[a.storage[y]]));
      m.shown.first = side(r, first, a.arg[x], a.kind[x], storage_text(r, a.storage[x]));
      m.shown.second = side(r, second, a.arg[y], a.kind[y], storage_text(r, a.storage[y]));
      const SharedPlace shared = shared_place(r, program, r.call_sites.function[second], a.storage[x], a.storage[y]);
      m.shown.elements = shared.elements;
      m.shown.bytes = shared.bytes;
      m.shown.shared = shared.text;
      if (hazard != hazards.end()) m.shown.verdict = verdict_words(r, *hazard);
      m.overlaps = hazard == hazards.end() ? shared.elements != std::uint64_t{0} || !is_box(r, a.storage[x])
                                           : hazard->verdict != pass::HazardVerdict::Disjoint;
      out.push_back(std::move(m));
    }
  }
  return out;
}

std::vector<ArgumentPair> meetings_of_run(const Recording& r, const RunBetween& run, std::uint32_t first, std::uint32_t second) {
  const TaskNames names(r);
  const LoopNest loops(r);
  const OrderReasons reasons(r, names, loops);
  const auto place = [&](std::uint32_t access) {
    return fmt::format(
        "{} {}", names.buffer(access),
        box_text(r, r.accesses.start_offset[access], r.accesses.geometry_begin[access], r.accesses.geometry_begin_count[access]));
  };
  // An access of a task is named by its position among the tensors of the call.
  const auto position = [&](std::uint32_t site, std::uint32_t access) {
    const std::string name = reasons.argument(access);
    std::uint32_t tensors = r.accesses.arg[access];
    for (std::uint32_t k = 0; k < r.call_sites.argument_count[site]; ++k) {
      const std::uint32_t row = r.call_sites.argument_begin[site] + k;
      if (r.arguments.direction[row] == static_cast<std::uint8_t>(pass::ArgDirection::Scalar)) continue;
      if (tensors-- == 0) return name.empty() ? kNoRow : k;
    }
    return kNoRow;
  };
  const auto text = [&](std::uint32_t site, std::uint32_t access, std::uint32_t arg, std::uint8_t mode) {
    if (arg != kNoRow) return side(r, site, arg, mode, place(access));
    return fmt::format("{} {}: tensor argument {}", why_verb(mode), place(access), r.accesses.arg[access]);
  };
  std::vector<ArgumentPair> out;
  for (const RunMeeting& meeting : run.meetings) {
    ArgumentPair m;
    m.first_arg = position(first, meeting.first_access);
    m.second_arg = position(second, meeting.second_access);
    m.overlaps = meeting.meets;
    m.shown.kinds = pass::hazards_between(meeting.second_mode, meeting.first_mode);
    m.shown.root = names.buffer(meeting.second_access);
    m.shown.first = text(first, meeting.first_access, m.first_arg, meeting.first_mode);
    m.shown.second = text(second, meeting.second_access, m.second_arg, meeting.second_mode);
    if (!meeting.meets) {
      m.shown.bytes = m.shown.elements = 0;
      m.shown.shared = "none: the two touch other bytes of one buffer";
    } else if (!meeting.bytes) {
      m.shown.shared = "not known, because the views have too many pieces";
    } else {
      m.shown.bytes = meeting.bytes;
      const auto type = static_cast<runtime::ElementType>(r.tensors.dtype[r.accesses.tensor[meeting.second_access]]);
      const std::uint32_t size = runtime::element_size(type);
      if (size != 0 && *meeting.bytes % size == 0) m.shown.elements = *meeting.bytes / size;
      m.shown.shared = fmt::format("{} byte{}", *meeting.bytes, *meeting.bytes == 1 ? "" : "s");
      if (m.shown.elements) {
        m.shown.shared += fmt::format(" ({} element{} of {})", *m.shown.elements, *m.shown.elements == 1 ? "" : "s",
                                      runtime::element_type_name(type));
      }
      m.shown.shared += fmt::format(" from byte {} of {}", meeting.first_byte, m.shown.root);
    }
    out.push_back(std::move(m));
  }
  return out;
}

}  // namespace depscope::replay
