#include "depscope/viewers/theme.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace depscope::viewers {
namespace {

constexpr std::array<ImWchar, 19> kGlyphRanges{0x0020, 0x024F, 0x0370, 0x03FF, 0x2010, 0x205E, 0x2190, 0x21FF, 0x2200, 0x22FF,
                                               0x25A0, 0x25FF, 0x2700, 0x27BF, 0xFFFD, 0xFFFD, 0,      0,      0};

ImVec4 rgba(int r, int g, int b, float a = 1.0F) {
  return {static_cast<float>(r) / 255.0F, static_cast<float>(g) / 255.0F, static_cast<float>(b) / 255.0F, a};
}

void set_colours() {
  auto& colours = ImGui::GetStyle().Colors;
  const bool dark = colour::ground() == colour::Ground::Dark;
  if (dark) {
    ImGui::StyleColorsDark();
  } else {
    ImGui::StyleColorsLight();
  }
  // Three numbers for the dark ground, three for the light one.
  const auto set = [&](ImGuiCol which, std::array<int, 3> on_dark, std::array<int, 3> on_light, float alpha = 1.0F) {
    const auto& c = dark ? on_dark : on_light;
    colours[which] = rgba(c[0], c[1], c[2], alpha);
  };
  colours[ImGuiCol_Text] = ImGui::ColorConvertU32ToFloat4(colour::text());
  colours[ImGuiCol_TextDisabled] = ImGui::ColorConvertU32ToFloat4(colour::dim());
  set(ImGuiCol_WindowBg, {24, 26, 31}, {232, 235, 240});
  set(ImGuiCol_ChildBg, {29, 31, 37}, {247, 248, 250});
  set(ImGuiCol_PopupBg, {36, 39, 46}, {255, 255, 255});
  set(ImGuiCol_TitleBg, {44, 48, 57}, {214, 220, 230});
  set(ImGuiCol_TitleBgActive, {56, 78, 118}, {168, 196, 240});
  set(ImGuiCol_Border, {62, 66, 76}, {190, 196, 206});
  set(ImGuiCol_FrameBg, {44, 48, 57}, {222, 227, 234});
  set(ImGuiCol_FrameBgHovered, {56, 61, 72}, {208, 217, 230});
  set(ImGuiCol_FrameBgActive, {66, 72, 86}, {192, 206, 226});
  set(ImGuiCol_Button, {52, 57, 68}, {214, 220, 230});
  set(ImGuiCol_ButtonHovered, {68, 84, 112}, {186, 204, 234});
  set(ImGuiCol_ButtonActive, {80, 108, 156}, {158, 186, 230});
  set(ImGuiCol_Header, {58, 84, 128}, {178, 202, 240}, 0.75F);
  set(ImGuiCol_HeaderHovered, {66, 92, 138}, {190, 211, 244}, 0.6F);
  set(ImGuiCol_HeaderActive, {76, 112, 168}, {160, 190, 236}, 0.8F);
  set(ImGuiCol_Tab, {38, 41, 49}, {222, 226, 233});
  set(ImGuiCol_TabHovered, {68, 92, 134}, {186, 206, 240});
  set(ImGuiCol_TabActive, {56, 78, 118}, {168, 196, 240});
  set(ImGuiCol_TableHeaderBg, {41, 44, 53}, {226, 230, 237});
  colours[ImGuiCol_TableRowBgAlt] = dark ? rgba(255, 255, 255, 0.025F) : rgba(0, 0, 0, 0.025F);
  set(ImGuiCol_TableBorderLight, {48, 52, 61}, {214, 219, 227});
  set(ImGuiCol_TableBorderStrong, {58, 62, 72}, {196, 202, 212});
  set(ImGuiCol_Separator, {58, 62, 72}, {200, 206, 216});
  colours[ImGuiCol_ModalWindowDimBg] = rgba(0, 0, 0, dark ? 0.55F : 0.35F);
}

void set_style(float scale) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();  // lengths of another scale
  style.WindowRounding = 0;
  style.ChildRounding = 0;
  style.FrameRounding = 3;
  style.PopupRounding = 4;
  style.ScrollbarRounding = 3;
  style.GrabRounding = 3;
  style.TabRounding = 3;
  style.WindowBorderSize = 0;
  style.ChildBorderSize = 0;
  style.FramePadding = {6, 3};
  style.ItemSpacing = {6, 4};
  style.CellPadding = {5, 2};
  style.ScrollbarSize = 12;
  style.AntiAliasedLinesUseTex = true;
  set_colours();
  style.ScaleAllSizes(scale);
}

std::string font_directory(const ThemeOptions& options) {
  if (!options.font_directory.empty()) return options.font_directory;
  if (const char* from_environment = std::getenv("DEPSCOPE_FONTS"); from_environment != nullptr && *from_environment != '\0') {
    return from_environment;
  }
  constexpr std::array<const char*, 3> kPlaces{"/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu",
                                               "/usr/share/fonts/TTF"};
  for (const char* place : kPlaces) {
    std::error_code error;
    if (std::filesystem::exists(std::filesystem::path(place) / "DejaVuSans.ttf", error)) return place;
  }
  return kPlaces[0];
}

}  // namespace

void use_ground(colour::Ground ground) {
  colour::use(ground);
  set_colours();
}

Theme install_theme(const ThemeOptions& options) {
  Theme theme;
  theme.scale = options.scale;
  colour::use(options.ground);
  set_style(options.scale);
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  const std::filesystem::path directory = font_directory(options);
  const auto add = [&](const char* file, float size) -> ImFont* {
    std::error_code error;
    const std::filesystem::path path = directory / file;
    if (!std::filesystem::is_regular_file(path, error)) return nullptr;  // ImGui would abort
    ImFontConfig config;
    config.OversampleH = 2;
    return atlas.AddFontFromFileTTF(path.c_str(), size * options.scale, &config, kGlyphRanges.data());
  };
  theme.text = add("DejaVuSans.ttf", 14.0F);
  theme.bold = add("DejaVuSans-Bold.ttf", 14.0F);
  theme.mono = add("DejaVuSansMono.ttf", 13.5F);
  if (theme.text == nullptr) {
    ImFontConfig config;
    config.SizePixels = 13.0F * options.scale;
    theme.text = atlas.AddFontDefault(&config);
    theme.font_note = "DejaVuSans.ttf not found in " + directory.string() + ": using the built-in font (set DEPSCOPE_FONTS)";
  }
  if (theme.bold == nullptr) theme.bold = theme.text;
  if (theme.mono == nullptr) theme.mono = theme.text;
  return theme;
}

}  // namespace depscope::viewers
