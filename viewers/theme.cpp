#include "depscope/viewers/theme.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace depscope::viewers {
namespace {

using pass::ArgDirection;
using runtime::EventKind;
using runtime::TaskState;

// After Okabe and Ito's palette, lightened for a dark ground.
constexpr ImU32 kBlue = IM_COL32(86, 170, 255, 255);
constexpr ImU32 kOrange = IM_COL32(240, 160, 60, 255);
constexpr ImU32 kGreen = IM_COL32(70, 190, 130, 255);
constexpr ImU32 kYellow = IM_COL32(240, 225, 100, 255);
constexpr ImU32 kViolet = IM_COL32(205, 140, 220, 255);
constexpr ImU32 kRed = IM_COL32(235, 105, 80, 255);
constexpr ImU32 kTeal = IM_COL32(95, 205, 210, 255);
constexpr ImU32 kGrey = IM_COL32(150, 155, 165, 255);

constexpr std::array<LegendEntry, 6> kProvenance{{
    {kBlue, "user", "written in the program: manual_dep_edges, deps="},
    {kOrange, "compiler", "added by AutoDeriveTaskDependencies: compiler_manual_dep_edges"},
    {kViolet, "fence", "through a phase fence barrier"},
    {kGreen, "creator", "the task that allocated the buffer"},
    {kTeal, "tensormap", "found by the TensorMap: an overlapping earlier write"},
    {kGrey, "explicit", "given in the trace; its origin is not known"},
}};

constexpr std::array<LegendEntry, 6> kDirections{{
    {kBlue, "input", "reads"},
    {kGreen, "output", "writes a buffer that the runtime allocates"},
    {kTeal, "output_existing", "writes memory that exists"},
    {kOrange, "inout", "reads and writes"},
    {kGrey, "no_dep", "takes no part in dependencies"},
    {kYellow, "scalar", "a value"},
}};

constexpr std::array<LegendEntry, 6> kStates{{
    {IM_COL32(95, 100, 112, 255), "unborn", "not submitted yet"},
    {kYellow, "pending", "waits for producers"},
    {kBlue, "ready", "waits for a core"},
    {kOrange, "running", "on a core"},
    {kGreen, "completed", "done; its slot and buffer are still held"},
    {kViolet, "consumed", "slot and buffer can be reused"},
}};

constexpr std::array<LegendEntry, 2> kFlags{{
    {kYellow, "WAIT", "the consumer starts only after the producer has completed"},
    {kViolet, "RETAIN", "the producer's slot and buffer stay until the consumer has completed"},
}};

constexpr std::array<ImWchar, 19> kGlyphRanges{0x0020, 0x024F, 0x0370, 0x03FF, 0x2010, 0x205E, 0x2190, 0x21FF, 0x2200, 0x22FF,
                                               0x25A0, 0x25FF, 0x2700, 0x27BF, 0xFFFD, 0xFFFD, 0,      0,      0};

ImVec4 rgba(int r, int g, int b, float a = 1.0F) {
  return {static_cast<float>(r) / 255.0F, static_cast<float>(g) / 255.0F, static_cast<float>(b) / 255.0F, a};
}

void set_style(float scale) {
  ImGui::StyleColorsDark();
  ImGuiStyle& style = ImGui::GetStyle();
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
  auto& colours = style.Colors;
  colours[ImGuiCol_Text] = ImGui::ColorConvertU32ToFloat4(colour::kText);
  colours[ImGuiCol_TextDisabled] = ImGui::ColorConvertU32ToFloat4(colour::kDim);
  colours[ImGuiCol_WindowBg] = rgba(24, 26, 31);
  colours[ImGuiCol_ChildBg] = rgba(29, 31, 37);
  colours[ImGuiCol_PopupBg] = rgba(36, 39, 46, 0.98F);
  colours[ImGuiCol_Border] = rgba(62, 66, 76);
  colours[ImGuiCol_FrameBg] = rgba(44, 48, 57);
  colours[ImGuiCol_FrameBgHovered] = rgba(56, 61, 72);
  colours[ImGuiCol_FrameBgActive] = rgba(66, 72, 86);
  colours[ImGuiCol_Button] = rgba(52, 57, 68);
  colours[ImGuiCol_ButtonHovered] = rgba(68, 84, 112);
  colours[ImGuiCol_ButtonActive] = rgba(80, 108, 156);
  colours[ImGuiCol_Header] = rgba(58, 84, 128, 0.75F);
  colours[ImGuiCol_HeaderHovered] = rgba(66, 92, 138, 0.6F);
  colours[ImGuiCol_HeaderActive] = rgba(76, 112, 168, 0.8F);
  colours[ImGuiCol_Tab] = rgba(38, 41, 49);
  colours[ImGuiCol_TabHovered] = rgba(68, 92, 134);
  colours[ImGuiCol_TabActive] = rgba(56, 78, 118);
  colours[ImGuiCol_TableHeaderBg] = rgba(41, 44, 53);
  colours[ImGuiCol_TableRowBgAlt] = rgba(255, 255, 255, 0.025F);
  colours[ImGuiCol_TableBorderLight] = rgba(48, 52, 61);
  colours[ImGuiCol_TableBorderStrong] = rgba(58, 62, 72);
  colours[ImGuiCol_Separator] = rgba(58, 62, 72);
  colours[ImGuiCol_ModalWindowDimBg] = rgba(0, 0, 0, 0.55F);
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

namespace colour {

ImU32 provenance(std::uint8_t bit) {
  std::size_t index = 0;
  while (index < kProvenance.size() && (1U << index) != bit) ++index;
  return index < kProvenance.size() ? kProvenance[index].colour : kGrey;
}

ImU32 direction(std::string_view name) {
  for (const LegendEntry& entry : kDirections) {
    if (entry.name == name) return entry.colour;
  }
  return kGrey;
}

ImU32 state(TaskState state) {
  const auto index = static_cast<std::size_t>(state);
  return index < kStates.size() ? kStates[index].colour : kGrey;
}

ImU32 flag(std::uint8_t dep_flag) { return kFlags[dep_flag == runtime::kRetain ? 1 : 0].colour; }

ImU32 event(EventKind kind) {
  switch (kind) {
    case EventKind::Submit: return state(TaskState::Pending);
    case EventKind::Ready: return state(TaskState::Ready);
    case EventKind::Dispatch: return state(TaskState::Running);
    case EventKind::Complete: return state(TaskState::Completed);
    case EventKind::Consume:
    case EventKind::Release:
    case EventKind::ReleaseBegin:
    case EventKind::Defer:
    case EventKind::ScopeRelease:
    case EventKind::PinClaim:
    case EventKind::PinRelease:
    case EventKind::SlotReclaim: return kViolet;
    case EventKind::EdgeAdd:
    case EventKind::EdgeReduce:
    case EventKind::DepSkip:
    case EventKind::TensorMapInsert:
    case EventKind::TensorMapRemove:
    case EventKind::TensorMapCleanup:
    case EventKind::TensorMapHit: return kTeal;
    case EventKind::Block:
    case EventKind::Error:
    case EventKind::EdgeLost:
    case EventKind::AbortSubmit:
    case EventKind::SubmitIgnored: return kRed;
    case EventKind::Config:
    case EventKind::ScopeBegin:
    case EventKind::ScopeEnd:
    case EventKind::WaitCount:
    case EventKind::Watermark:
    case EventKind::HeapAlloc:
    case EventKind::HeapFree:
    case EventKind::Need:
    case EventKind::Unblock:
    case EventKind::SubmitBegin:
    case EventKind::SlotReset:
    case EventKind::SeqAssign:
    case EventKind::Bind:
    case EventKind::Record:
    case EventKind::TensorMapSync:
    case EventKind::SpillTake:
    case EventKind::DescriptorWrite:
    case EventKind::ReachPublish:
    case EventKind::PayloadFlush:
    case EventKind::PayloadInit:
    case EventKind::NodeTake:
    case EventKind::QueuePush:
    case EventKind::QueuePop:
    case EventKind::BlockClaim:
    case EventKind::Place:
    case EventKind::CoreAck:
    case EventKind::Finish:
    case EventKind::Observe:
    case EventKind::SubtaskCount:
    case EventKind::WalkNode:
    case EventKind::AdvanceLock:
    case EventKind::AdvanceFail:
    case EventKind::AdvanceRetry:
    case EventKind::Publish:
    case EventKind::Request:
    case EventKind::Acknowledge:
    case EventKind::DepReclaim:
    case EventKind::SpillReclaim:
    case EventKind::HeapGuard:
    case EventKind::Layout:
    case EventKind::Predicate:
    case EventKind::RunEnd: return kGrey;
  }
  return kGrey;
}

std::span<const LegendEntry> provenance_legend() { return kProvenance; }
std::span<const LegendEntry> direction_legend() { return kDirections; }
std::span<const LegendEntry> state_legend() { return kStates; }
std::span<const LegendEntry> flag_legend() { return kFlags; }

}  // namespace colour

Theme install_theme(const ThemeOptions& options) {
  Theme theme;
  theme.scale = options.scale;
  set_style(options.scale);
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
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
