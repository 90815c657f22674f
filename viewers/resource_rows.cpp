// The rows of the Resource panel: one access each.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "depscope/viewers/shell.h"
#include "memory_panel.h"
#include "resource_panel.h"

namespace depscope::viewers {
namespace {

std::string direction_of(std::uint8_t kind) {
  std::string name(runtime::arg_kind_name(static_cast<runtime::ArgKind>(kind)));
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return name;
}

bool submitted(const Document& document, std::uint32_t access, std::uint32_t position) {
  const std::uint32_t event = document.moments().submitted[document.recording().accesses.task[access]];
  return event != replay::kNever && event < position;
}

}  // namespace

void ResourcePanel::draw_heading(Context& context) {
  const Document& document = *context.document;
  const auto& r = document.recording();
  const std::uint32_t tensor = buffers_.first_tensor(buffer_);
  const std::string name = buffers_.name(document, buffer_);
  ImGui::PushFont(context.theme.bold);
  link(context, {ItemKind::Tensor, tensor}, name);
  ImGui::PopFont();
  ImGui::SameLine();
  const std::uint64_t bytes = buffers_.bytes(buffer_);
  text(fmt::format(
           "{}, {}, {} reads, {} writes", runtime::element_type_name(static_cast<runtime::ElementType>(r.tensors.dtype[tensor])),
           bytes == 0 ? std::string("size not told") : bytes_words(bytes), buffers_.reads(buffer_), buffers_.writes(buffer_)),
       colour::dim());
  const std::uint32_t owner = buffers_.task_of(r.tensors.owner[tensor]);
  ImGui::SameLine();
  if (owner == kNoRow) {
    text("external memory", colour::dim());
  } else {
    text("made by", colour::dim());
    ImGui::SameLine();
    link(context, {ItemKind::Task, owner}, document.task_label(owner));
  }
  if (chosen_ == kNoRow) {
    text("Select an access or point at one: what conflicts with it is marked.", colour::dim());
  } else {
    text(fmt::format("against {} #{}:", document.task_label(r.accesses.task[chosen_]), r.accesses.arg[chosen_]));
    ImGui::SameLine();
    text("RAW read after write, WAR write after read, WAW write after write", colour::dim());
  }
  if (context.elements.recording()) context.elements.add_item("resource/heading", name);
  if (context.show_legends) legend(context, "", colour::direction_legend().first(5));
  side_legend(context, true);
}

ResourcePanel::Columns ResourcePanel::columns(const Context& context, float width) const {
  const auto px = [&](float length) { return context.theme.px(length); };
  Columns c;
  c.argument = px(132);
  c.direction = c.argument + px(26);
  c.state = c.direction + px(112);
  c.box = c.state + px(20);
  c.bar = c.box + px(34);
  c.order = width - px(138);
  c.verdict = c.order - px(104);  // "RAW WAR WAW?" has room
  c.bar = std::min(c.bar, c.verdict);
  return c;
}

void ResourcePanel::draw_buffer(Context& context) {
  if (buffer_ >= buffers_.size()) return empty_state("Choose a tensor at the left.");
  draw_heading(context);
  const auto accesses = buffers_.accesses(buffer_);
  const std::uint32_t position = context.transport.position();
  const auto next = std::partition_point(accesses.begin(), accesses.end(),
                                         [&](std::uint32_t access) { return submitted(*context.document, access, position); });
  if (seen_position_ != position) {
    seen_position_ = position;
    if (next != accesses.begin()) row_list_.reveal(static_cast<std::uint64_t>(next - accesses.begin()) - 1);
  }
  const float height = ImGui::GetTextLineHeight() + 2.0F * ImGui::GetStyle().CellPadding.y;
  const std::uint64_t extra = there_.empty() ? 0 : there_.size() + 1;
  const RowList::Visible visible = row_list_.begin("rows", accesses.size() + extra, height, 0.0F);
  const float width = row_list_.content_width();
  const Columns c = columns(context, width);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(context.theme.px(6), 0));
  for (std::uint64_t i = visible.first; i < visible.last; ++i) {
    if (i < accesses.size()) {
      draw_row(context, i, c, width, height);
    } else if (i == accesses.size()) {
      text(fmt::format("only in {}", context.comparison->there_name()), context.comparison->there_colour());
    } else {
      draw_there(context, there_[i - accesses.size() - 1], height);
    }
  }
  ImGui::PopStyleVar();
  row_list_.end();
}

void ResourcePanel::draw_row(Context& context, std::uint64_t index, const Columns& c, float width, float height) {
  const Document& document = *context.document;
  const auto& r = document.recording();
  const auto accesses = buffers_.accesses(buffer_);
  const std::uint32_t access = accesses[index];
  const std::uint32_t task = r.accesses.task[access];
  const std::uint32_t position = context.transport.position();
  const bool past = submitted(document, access, position);
  const bool current = past && (index + 1 == accesses.size() || !submitted(document, accesses[index + 1], position));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 start = ImGui::GetCursorPos();
  const ImVec2 far_corner(at.x + width, at.y + height);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (current) list.AddRectFilled(at, far_corner, colour::cursor_row());
  if (context.selection.is(ItemKind::Access, access)) {
    list.AddRectFilled(at, far_corner, colour::selected_row());
  } else if (context.selection.is(ItemKind::Task, task)) {
    list.AddRect(at, far_corner, colour::selected_row());
  }
  ImGui::PushID(static_cast<int>(access));
  if (ImGui::InvisibleButton("row", {width, height}, ImGuiButtonFlags_MouseButtonLeft)) {
    context.selection.select({ItemKind::Access, access});
    seen_position_ = position;
  }
  ImGui::SetItemAllowOverlap();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenOverlapped)) next_hovered_ = access;
  const float drop = (height - ImGui::GetTextLineHeight()) * 0.5F;
  const auto go = [&](float x) { ImGui::SetCursorPos({start.x + x, start.y + drop}); };
  go(context.theme.px(4));
  link(context, {ItemKind::Task, task}, fitting_task_name(document, task, c.argument - context.theme.px(8)));
  go(c.argument);
  text(fmt::format("#{}", r.accesses.arg[access]), past ? colour::text() : colour::faint());
  go(c.direction);
  const std::string direction = direction_of(r.accesses.kind[access]);
  const ImU32 hue = colour::direction(direction);
  badge(direction, past ? hue : colour::with_alpha(hue, 130), false);
  go(c.state);
  const auto state = static_cast<runtime::TaskState>(document.cursor().state().task_state[task]);
  text(std::string(1, state_letter(state)), colour::state(state));
  const ImVec2 inner(at.x, at.y + context.theme.px(2));
  const float bottom = far_corner.y - context.theme.px(2);
  draw_box(context, access, {at.x + c.box, inner.y}, {at.x + c.bar - context.theme.px(8), bottom},
           past ? hue : colour::with_alpha(hue, 130));
  draw_bar(context, access, {at.x + c.bar, inner.y}, {at.x + c.verdict - context.theme.px(8), bottom}, !past);
  std::string words = fmt::format("{} {}", direction, box_words(descriptor_of_access(r, access)));
  draw_verdict(context, access, {at.x, at.y + drop}, c, width, words);
  if (current) words += " at the cursor";
  if (!past) words += " not submitted yet";
  if (context.comparison != nullptr) {
    if (const Mark mark = context.comparison->mark(ItemKind::Access, access); mark != Mark::Same) {
      list.AddRectFilled(at, {at.x + context.theme.px(3), far_corner.y}, context.comparison->colour(mark));
      words += " " + context.comparison->words(mark);
      if (chosen_ == kNoRow)  // where the verdicts stand otherwise
        draw_badge(list, {at.x + c.verdict, at.y + drop}, ImGui::GetTextLineHeight(), context.comparison->words(mark),
                   context.comparison->colour(mark), false);
    }
  }
  if (context.elements.recording()) context.elements.add(fmt::format("resource/access {}", access), at, far_corner, words);
  if (next_hovered_ == access) {
    ImGui::BeginTooltip();
    text(fmt::format("{} #{}: {}", document.task_label(task), r.accesses.arg[access], words));
    text(fmt::format("task is {}", runtime::task_state_name(state)), colour::dim());
    for (const Footprint& footprint : footprints_of(r, access)) {
      if (!footprint.view.known) continue;
      constexpr std::array<std::string_view, 4> kModes{"takes part in nothing", "reads", "writes", "reads and writes"};
      text(fmt::format(
               "{} bytes {} to {}{}", kModes[footprint.mode & 3U], grouped(footprint.view.begin), grouped(footprint.view.end()),
               footprint.view.rank == 0 ? "" : fmt::format(", {} runs of {} bytes", footprint.view.runs(), footprint.view.run)),
           colour::dim());
    }
    ImGui::EndTooltip();
  }
  ImGui::PopID();
  ImGui::SetCursorPos({start.x, start.y + height});
}

void ResourcePanel::draw_verdict(Context& context, std::uint32_t access, ImVec2 at, const Columns& c, float width,
                                 std::string& words) {
  if (chosen_ == kNoRow) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (access == chosen_) {
    list.AddText({at.x + c.verdict, at.y}, colour::dim(), "this one");
    words += " this one";
    return;
  }
  const Conflict& conflict = conflicts_.of(access);
  if (conflict.kinds == 0) {
    const char* why = conflict.ordering.order == Order::SameTask ? "same task"
                      : conflict.shared == Shared::No            ? "disjoint"
                                                                 : "no conflict";
    list.AddText({at.x + c.verdict, at.y}, colour::faint(), why);
    words += fmt::format(" {}", why);
    return;
  }
  const bool ordered = conflict.ordering.order == Order::Edge || conflict.ordering.order == Order::Path;
  const std::string kinds = conflict_words(conflict.kinds) + (conflict.shared == Shared::Maybe ? "?" : "");
  const std::string order = ordering_words(*context.document, conflict.ordering);
  draw_badge(list, {at.x + c.verdict, at.y}, ImGui::GetTextLineHeight(), kinds, ordered ? colour::good() : colour::error(),
             false);
  const float left = std::max(c.order, c.verdict + badge_size(kinds).x + context.theme.px(6));
  list.AddText({at.x + left, at.y}, ordered ? colour::text() : colour::error(), elided(order, width - left).c_str());
  words += fmt::format(" {} {}", kinds, order);
}

/// The bytes of the access over those of the buffer; the bytes that the chosen access reaches stand behind it.
void ResourcePanel::draw_bar(Context& context, std::uint32_t access, ImVec2 min, ImVec2 max, bool dim) {
  const auto& r = context.document->recording();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (max.x - min.x < context.theme.px(12)) return;
  const double width = static_cast<double>(max.x - min.x);
  const auto total = static_cast<double>(bytes_);
  const auto x_of = [&](std::uint64_t byte) { return min.x + static_cast<float>(static_cast<double>(byte) / total * width); };
  std::uint32_t drawn = 1;
  list.AddRect(min, max, colour::grid());
  if (chosen_ != kNoRow) {
    for (const Footprint& footprint : footprints_of(r, chosen_)) {
      if (!footprint.view.known || footprint.view.empty()) continue;
      list.AddRectFilled({x_of(footprint.view.begin), min.y}, {x_of(footprint.view.end()), max.y}, colour::changed_line());
      ++drawn;
    }
  }
  const ImU32 hue = colour::direction(direction_of(r.accesses.kind[access]));
  const bool meets = chosen_ != kNoRow && access != chosen_ && conflicts_.of(access).kinds != 0;
  const std::uint32_t alpha = dim ? 70 : meets || access == chosen_ ? 255 : 150;
  const auto least = static_cast<std::uint64_t>(std::max(1.0, 2.0 * total / width));
  for (const Footprint& footprint : footprints_of(r, access)) {
    if (!footprint.view.known) {
      const char* unknown = "place not told";
      if (ImGui::CalcTextSize(unknown).x < max.x - min.x) list.AddText({min.x + 2, min.y - 2}, colour::dim(), unknown);
      continue;
    }
    const bool whole = drawn_runs(footprint.view, least, 64, runs_);
    for (const ByteRun& run : runs_) {
      const float left = x_of(run.first);
      const float right = std::max(left + 1.5F, x_of(run.second));
      // A strided view whose gaps are too small to be seen is paler than one without gaps.
      list.AddRectFilled({left, min.y + 1}, {right, max.y - 1}, colour::with_alpha(hue, whole ? alpha : alpha * 6 / 10));
      ++drawn;
    }
  }
  context.cost.primitives += drawn;
}

/// The box of a view of two dimensions, as a rectangle in that of its buffer.
void ResourcePanel::draw_box(Context& context, std::uint32_t access, ImVec2 min, ImVec2 max, ImU32 hue) {
  const auto descriptor = descriptor_of_access(context.document->recording(), access);
  if (descriptor.rank != 2) return;
  const auto box = box_of(descriptor);
  if (!box || box->of[0] == 0 || box->of[1] == 0) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto part = [](std::uint64_t value, std::uint64_t of, float from, float to) {
    return from + (to - from) * static_cast<float>(static_cast<double>(value) / static_cast<double>(of));
  };
  const ImVec2 low(part(box->begin[1], box->of[1], min.x, max.x), part(box->begin[0], box->of[0], min.y, max.y));
  const ImVec2 high(part(box->end[1], box->of[1], min.x, max.x), part(box->end[0], box->of[0], min.y, max.y));
  list.AddRectFilled(low, {std::max(high.x, low.x + 1), std::max(high.y, low.y + 1)}, hue);
  list.AddRect(min, max, colour::dim());
  context.cost.primitives += 2;
}

void ResourcePanel::draw_there(Context& context, std::uint32_t access, float height) {
  const Document& there = context.comparison->there();
  const auto& r = there.recording();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float top = ImGui::GetCursorPosY();
  text(fmt::format("  {} #{} {} {}", there.task_label(r.accesses.task[access]), r.accesses.arg[access],
                   direction_of(r.accesses.kind[access]), box_words(descriptor_of_access(r, access))),
       context.comparison->there_colour());
  if (context.elements.recording()) {
    context.elements.add(fmt::format("resource/there {}", access), at, {ImGui::GetItemRectMax().x, at.y + height},
                         fmt::format("only in {}", context.comparison->there_name()));
  }
  ImGui::SetCursorPosY(top + height);
}

}  // namespace depscope::viewers
