// Rows and boxes that show a text of a recording or of the user. Dear ImGui takes the label of an item for its identity and hides
// what stands behind "##" in it, so such a text must not be a label: two may be equal, and one may hold anything.
#pragma once

#include <imgui.h>

#include <string_view>

namespace depscope::viewers {

/// What may be handed to Dear ImGui at once: the indices of what it draws have 16 bits, and it does not leave out what lies
/// outside of the window. The whole text, or its first part, whole characters of it.
[[nodiscard]] std::string_view drawn_part(std::string_view text);

/// ImGui::Selectable with any text; between PushID and PopID of its own.
[[nodiscard]] bool selectable(std::string_view words, bool selected, ImGuiSelectableFlags flags = 0);
/// ImGui::Checkbox with any text; between PushID and PopID of its own.
bool checkbox(std::string_view words, bool& on);
/// ImGui::Button with any text; between PushID and PopID of its own.
[[nodiscard]] bool button(std::string_view words);

}  // namespace depscope::viewers
