#include "text_fields.h"

#include <imgui_internal.h>

namespace depscope::viewers {

void replace_text(ImGuiInputTextCallbackData& data, const std::string& text) {
  data.DeleteChars(0, data.BufTextLen);
  data.InsertChars(0, text.c_str());
  data.CursorPos = data.SelectionStart = data.SelectionEnd = data.BufTextLen;
  ImGuiInputTextState* state = ImGui::GetInputTextState(ImGui::GetActiveID());
  if (state == nullptr) return;
  auto& undo = state->Stb.undostate;
  undo.undo_point = 0;
  undo.undo_char_point = 0;
  undo.redo_point = STB_TEXTEDIT_UNDOSTATECOUNT;
  undo.redo_char_point = STB_TEXTEDIT_UNDOCHARCOUNT;
}

void forget_left_field() {
  ImGuiInputTextState& state = ImGui::GetCurrentContext()->InputTextState;
  if (state.ID != 0 && state.ID != ImGui::GetActiveID()) state.ID = 0;
}

}  // namespace depscope::viewers
