// The window's content: title line, panels with splitters, status bar, key table, and the one open document.
#pragma once

#include <array>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/viewers/panel.h"

namespace depscope::viewers {

class Shell {
 public:
  /// Needs a current ImGui context with `theme` installed.
  explicit Shell(Theme theme);
  ~Shell();

  /// Opens a file in the background; draw() shows the progress. An error is shown in the window.
  void open(const std::string& path);
  /// Opens a document that is in memory.
  void open(std::unique_ptr<Document> document);
  /// Waits until open() is done. Returns the error, empty if there is none.
  std::string wait_until_open();
  [[nodiscard]] bool loading() const { return loading_.valid(); }

  /// Draws one frame between ImGui::NewFrame and ImGui::Render. `seconds` since the last frame, for playing.
  void draw(double seconds);

  /// Brings a panel to the front. False if there is no panel of that title (any case).
  bool show_panel(std::string_view title);
  [[nodiscard]] std::string panel_names() const;  ///< "Passes, Events, Inspector"
  [[nodiscard]] bool quit_wanted() const { return quit_; }
  [[nodiscard]] Context& context() { return context_; }

 private:
  struct Loaded {
    std::unique_ptr<Document> document;
    std::string error;
  };

  void add_actions();
  void finish_loading(Loaded loaded);
  void draw_title_line();
  void draw_panels();
  void draw_place(Place place, ImVec2 size);
  void draw_empty();
  void draw_status();
  void draw_help();
  void draw_open_dialog();

  Context context_;
  std::vector<std::unique_ptr<View>> views_;
  std::unique_ptr<Document> document_;
  std::future<Loaded> loading_;
  std::string loading_path_;
  std::string error_;                // why the last open failed
  std::string path_text_;            // of the open dialog
  std::array<View*, 3> in_front_{};  // per place
  std::array<bool, 3> bring_to_front_{};
  float side_fraction_ = 0.70F;    // width of main and bottom
  float bottom_fraction_ = 0.66F;  // height of main
  bool show_help_ = false;
  bool ask_path_ = false;
  bool quit_ = false;
};

}  // namespace depscope::viewers
