#include "file_dialog.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "depscope/viewers/command_words.h"
#include "depscope/viewers/widgets.h"
#include "text_fields.h"

namespace depscope::viewers {
namespace {

bool pressed(ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); }

}  // namespace

void FileDialog::ask(std::string title, const std::string& directory, const std::vector<std::string>& options,
                     const RecentFiles& recent) {
  title_ = std::move(title);
  opening_ = true;
  options_ = join_words(options);
  recent_.clear();
  for (const std::string& path : recent.paths()) {
    std::error_code error;
    recent_.push_back({path, std::filesystem::exists(path, error)});
  }
  read_ = false;
  go_to(directory);
}

void FileDialog::go_to(const std::string& directory) {
  new_text_ = directory;
  text_ = directory;
  focus_path_ = true;
  follow_text();
}

/// The list and the highlighted row belong to what stands in the path field.
void FileDialog::follow_text() {
  typed_ = split_path(text_);
  if (!read_ || typed_.directory != shown_directory_) {
    list_.read(typed_.directory);
    shown_directory_ = typed_.directory;
    read_ = true;
  }
  list_.filter(typed_.name, all_files_);
  shown_all_files_ = all_files_;
  highlighted_ = kNone;
  if (!typed_.name.empty() && list_.size() > 0) {
    highlighted_ = recent_rows();
    for (std::size_t row = 0; row < list_.size(); ++row) {
      if (list_[row].name == typed_.name) highlighted_ = recent_rows() + row;
    }
  }
  reveal_ = true;
}

void FileDialog::move(std::ptrdiff_t step) {
  const auto count = static_cast<std::ptrdiff_t>(rows());
  if (count == 0) return;
  const std::ptrdiff_t from = highlighted_ == kNone ? (step > 0 ? -1 : count) : static_cast<std::ptrdiff_t>(highlighted_);
  highlighted_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(from + step, 0, count - 1));
  reveal_ = true;
}

void FileDialog::choose(const std::string& path) {
  if (path.empty()) return;
  chosen_ = LoadRequest{real_path(path), split_words(options_)};
}

void FileDialog::take_row(std::size_t row, bool directory_itself) {
  if (row < recent_rows()) {
    choose(recent_[row].path);
    return;
  }
  const FileEntry& entry = list_[row - recent_rows()];
  const std::string path = typed_.directory + entry.name;
  if (entry.kind == FileKind::Directory && !directory_itself) {
    go_to(path + "/");
  } else {
    choose(path);
  }
}

int FileDialog::edit(ImGuiInputTextCallbackData* data) {
  auto& self = *static_cast<FileDialog*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
    const TypedPath typed = split_path(std::string_view(data->Buf, static_cast<std::size_t>(data->BufTextLen)));
    self.new_text_ = typed.directory + self.list_.complete(typed.name);
  }
  if (self.new_text_) {
    replace_text(*data, *self.new_text_);
    self.new_text_.reset();
  }
  return 0;
}

void FileDialog::draw_path(const Context& context) {
  const bool at_directory = typed_.name.empty();
  if (std::exchange(focus_path_, false)) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const std::string before = text_;
  ImGui::InputText("##path", &text_, ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_CallbackCompletion, edit, this);
  const bool here = ImGui::IsItemActive() || ImGui::IsItemDeactivated();
  if (text_ != before) follow_text();
  if (here && at_directory && pressed(ImGuiKey_Backspace)) {
    go_to(parent_directory(before));  // the key took the '/' away
  } else if (all_files_ != shown_all_files_) {
    follow_text();
  }
  ImGui::AlignTextToFramePadding();
  field(context, "options");
  if (std::exchange(focus_options_, false)) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##options", "of a run: --analyze-auto-scopes --data FILE.json …   (F2)", &options_);
}

void FileDialog::draw_row(Context& context, std::size_t row) {
  const float px = context.theme.px(1);
  ImGui::PushID(static_cast<int>(row));
  const bool recent = row < recent_rows();
  const FileEntry* entry = recent ? nullptr : &list_[row - recent_rows()];
  const bool directory = entry != nullptr && entry->kind == FileKind::Directory;
  const ImVec2 at = ImGui::GetCursorPos();
  const float width = ImGui::GetContentRegionAvail().x;
  if (ImGui::Selectable("##row", row == highlighted_, ImGuiSelectableFlags_AllowDoubleClick)) {
    highlighted_ = row;
    if (directory || ImGui::IsMouseDoubleClicked(0)) take_row(row, false);
    if (!directory && !chosen_) focus_path_ = true;
  }
  if (context.elements.recording()) {
    context.elements.add_item(recent ? fmt::format("open/recent {}", row + 1) : fmt::format("open/entry {}", entry->name),
                              recent ? recent_[row].path : file_kind_name(entry->kind));
  }
  // Nothing below may use `entry` if the click went into a directory: the list is another one then.
  if (row < rows() && recent == (row < recent_rows())) {
    entry = recent ? nullptr : &list_[row - recent_rows()];
    ImGui::SetCursorPos(at);
    ImGui::PushClipRect(ImGui::GetCursorScreenPos(),
                        {ImGui::GetCursorScreenPos().x + width - px * 190, ImGui::GetCursorScreenPos().y + px * 40}, true);
    if (recent) {
      text(recent_[row].path, recent_[row].there ? colour::link() : colour::faint());
    } else {
      text(entry->kind == FileKind::Directory ? entry->name + "/" : entry->name,
           entry->kind == FileKind::Other ? colour::dim() : colour::text());
    }
    ImGui::PopClipRect();
    ImGui::SameLine(at.x + width - px * 180);
    text(recent ? (recent_[row].there ? "recent" : "recent, not there") : file_kind_name(entry->kind), colour::dim());
    if (!recent && entry->kind != FileKind::Directory) {
      const std::string size = size_text(entry->bytes);
      ImGui::SameLine(at.x + width - px * 6 - ImGui::CalcTextSize(size.c_str()).x);
      text(size, colour::dim());
    }
  }
  ImGui::PopID();
}

void FileDialog::draw_rows(Context& context, float height) {
  ImGui::BeginChild("rows", {0, height}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  if (!list_.error().empty()) text(list_.error(), colour::error());
  const float row_height = ImGui::GetTextLineHeightWithSpacing();
  if (std::exchange(reveal_, false)) {
    const float top = (highlighted_ == kNone ? 0.0F : static_cast<float>(highlighted_)) * row_height;
    const float room = ImGui::GetWindowHeight() - 2 * row_height;
    if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
    if (top > ImGui::GetScrollY() + room) ImGui::SetScrollY(top - room);
  }
  if (rows() == 0 && list_.error().empty()) {
    text(list_.left_out() > 0 ? fmt::format("Nothing here that can be opened; {} others are hidden (Alt+A shows all).",
                                            count_of(list_.left_out(), "file"))
                              : std::string(typed_.name.empty() ? "The directory is empty." : "Nothing here is called so."),
         colour::dim());
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows()), row_height);
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd && static_cast<std::size_t>(row) < rows(); ++row)
      draw_row(context, static_cast<std::size_t>(row));
  }
  ImGui::EndChild();
}

std::optional<LoadRequest> FileDialog::draw(Context& context) {
  if (title_.empty()) return std::nullopt;
  if (std::exchange(opening_, false)) ImGui::OpenPopup(title_.c_str());
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x * 0.5F, display.y * 0.45F}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize(
      {std::min(display.x * 0.9F, context.theme.px(860)), std::min(display.y * 0.86F, context.theme.px(580))});
  if (!ImGui::BeginPopupModal(title_.c_str(), nullptr, ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoResize))
    return std::nullopt;
  const bool enter = pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeyPadEnter);
  const bool ctrl = ImGui::GetIO().KeyCtrl;
  if (pressed(ImGuiKey_DownArrow)) move(1);
  if (pressed(ImGuiKey_UpArrow)) move(-1);
  if (pressed(ImGuiKey_PageDown)) move(12);
  if (pressed(ImGuiKey_PageUp)) move(-12);
  if (ImGui::GetIO().KeyAlt && ImGui::IsKeyPressed(GLFW_KEY_A, false)) all_files_ = !all_files_;
  if (ImGui::IsKeyPressed(GLFW_KEY_F2, false)) focus_options_ = true;
  draw_path(context);
  const float below = ImGui::GetFrameHeightWithSpacing() + 2 * ImGui::GetTextLineHeightWithSpacing();
  draw_rows(context, std::max(context.theme.px(60), ImGui::GetContentRegionAvail().y - below));
  const bool open = ImGui::Button("Open");
  tooltip_for_item("Open what is highlighted, else what the path names (Enter)");
  ImGui::SameLine();
  const bool directory = ImGui::Button("Open the directory");
  tooltip_for_item("Open the directory itself: pass dumps, or the output of a run (Ctrl+Enter)");
  ImGui::SameLine();
  const bool cancelled = ImGui::Button("Cancel") || pressed(ImGuiKey_Escape);
  tooltip_for_item("Close (Escape)");
  ImGui::SameLine();
  ImGui::Checkbox("All files", &all_files_);
  tooltip_for_item("Also files that are nothing to open, by their names (Alt+A)");
  text("Tab completes, Up and Down choose, Enter opens, Backspace goes up, F2 to the options,", colour::dim());
  text("Ctrl+Enter opens a directory of pass dumps or the output of a run.", colour::dim());
  if (directory || (enter && ctrl)) {
    if (highlighted_ != kNone &&
        (highlighted_ < recent_rows() || list_[highlighted_ - recent_rows()].kind == FileKind::Directory)) {
      take_row(highlighted_, true);
    } else {
      choose(typed_.directory.empty() ? std::string(".") : typed_.directory);
    }
  } else if (open || enter) {
    if (highlighted_ != kNone) {
      take_row(highlighted_, false);
    } else {
      choose(text_);
    }
  }
  if (chosen_ || cancelled) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  return std::exchange(chosen_, std::nullopt);
}

}  // namespace depscope::viewers
