// Text fields of Dear ImGui 1.86 whose text is also changed from outside. What can be undone in a field is kept as places in its
// text; after a change from outside they lie anywhere, and an undo would write there.
#pragma once

#include <imgui.h>

#include <string>

namespace depscope::viewers {

/// Another text for the field that calls back; what was typed before cannot be undone.
void replace_text(ImGuiInputTextCallbackData& data, const std::string& text);

/// Before the fields of a frame: the last one that was typed into is forgotten when it has been left, so that it begins anew.
void forget_left_field();

}  // namespace depscope::viewers
