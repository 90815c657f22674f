// The window's content: title line, panels with splitters, status bar, key table, dialogs, and the one or two open documents.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "depscope/viewers/file_list.h"
#include "depscope/viewers/layout.h"
#include "depscope/viewers/load_job.h"
#include "depscope/viewers/panel.h"
#include "depscope/viewers/settings.h"

namespace depscope::viewers {

class CommandPalette;
class ErrorPanel;
class FileDialog;
struct PaletteEntry;
class TransportBar;

class Shell {
 public:
  /// Needs a current ImGui context with `theme` installed. `work` opens what is asked for.
  explicit Shell(Theme theme, LoadWork work = load_recorded);
  ~Shell();

  // Opening, in the background; draw() shows the progress, and errors. What was open stays open until something else is there.
  /// In place of what is open, a comparison too. What is still being opened is given up.
  void open(LoadRequest request);
  void open(const std::string& path) { open(LoadRequest{path, {}}); }
  /// Beside what is open, as b of a comparison; what is being opened comes first.
  void open_for_comparison(LoadRequest request);
  /// Files that were dropped onto the window: one is opened, of two a comparison is made.
  void drop(const std::vector<std::string>& paths);
  /// Opens a document that is in memory.
  void open(std::unique_ptr<Document> document);
  /// Waits until everything that was asked for is open, or gives it up as soon as `give_up` says so, which is asked at least
  /// every 50 ms. Returns the last error, empty if there is none.
  std::string wait_until_open(const std::function<bool()>& give_up = {});
  [[nodiscard]] bool loading() const { return job_ != nullptr || !queue_.empty(); }
  void cancel_loading();
  void close_comparison();
  void swap_sides();
  void show_wanted_side();
  /// Options for `open` from the dialog, as at the command line.
  void set_run_options(std::vector<std::string> options) { run_options_ = std::move(options); }

  /// Draws one frame between ImGui::NewFrame and ImGui::Render. `seconds` since the last frame, for playing.
  void draw(double seconds);
  /// After ImGui::Render, while its draw data are there.
  void after_frame();

  /// Brings a panel to the front. False if there is no panel of that title (any case).
  bool show_panel(std::string_view title);
  [[nodiscard]] std::string panel_names() const;  ///< "Passes, Events, Inspector"
  [[nodiscard]] bool quit_wanted() const { return quit_; }
  [[nodiscard]] Context& context() { return context_; }

  /// How the window is looked at, and back. `restore` before the first frame.
  [[nodiscard]] Settings settings() const;
  void restore(const Settings& settings);

  // What the program around it does between frames.
  /// A scale that was asked for, once: install_theme with it, make the font texture anew, then use_theme.
  [[nodiscard]] std::optional<float> take_wanted_scale() { return std::exchange(wanted_scale_, std::nullopt); }
  void use_theme(Theme theme) { context_.theme = std::move(theme); }
  /// True once when a picture of the last frame was asked for.
  [[nodiscard]] bool take_wanted_picture() { return std::exchange(picture_wanted_, false); }

 private:
  struct Wanted {
    LoadRequest request;
    bool as_b = false;
    LoadRequest shown{};  // for as_b: where the document came from that is compared with
  };
  enum class Copy : std::uint8_t { None, Text, Json };

  // shell_actions.cpp
  void add_window_actions();
  void add_question_actions();  // shell_questions.cpp
  void add_layout_actions();
  void add_panel_actions();
  void ask_fallback();
  void ask_alive();
  void escape();
  void copy(Copy what);
  void put_on_clipboard(const std::string& text, const std::string& status);
  void set_scale(float scale);
  void set_ground(colour::Ground ground);
  [[nodiscard]] std::size_t current_panel() const;
  void jump(const PaletteEntry& entry);

  // shell_open.cpp
  void start_next();
  [[nodiscard]] std::shared_ptr<Document> shown() const;
  void poll();
  void finish_loading(LoadResult loaded, const Wanted& wanted);
  void use(std::shared_ptr<Document> a, LoadRequest request);
  void show_document(Document* document);
  void show_error(const std::string& path, const std::string& error);
  void reload();
  void ask_file(bool for_comparison);
  void draw_loading();

  // shell_layout.cpp
  void draw_panels();
  void draw_area(Area area, ImVec2 size);
  void draw_tab_menu(std::size_t panel);

  // shell_lines.cpp
  void draw_title_line();
  void draw_status();
  void draw_empty();

  // shell_help.cpp
  void draw_help();

  LoadWork work_;
  Context context_;
  std::vector<std::unique_ptr<View>> views_;
  std::unique_ptr<TransportBar> transport_bar_;
  Layout layout_;
  std::array<bool, kAreaCount> bring_to_front_{};
  std::size_t clicked_panel_ = Layout::kNone;

  std::array<std::shared_ptr<Document>, 2> documents_;  // a, b; a job that compares holds one too
  std::array<LoadRequest, 2> requests_;                 // what they were opened from
  std::unique_ptr<Comparison> comparison_;              // declared behind what it refers to
  std::deque<Wanted> queue_;
  Wanted running_;
  std::unique_ptr<LoadJob> job_;
  std::vector<std::unique_ptr<LoadJob>> given_up_;  // cancelled, but not yet at their end
  int frames_loading_ = 0;
  std::string last_error_;
  std::vector<std::string> run_options_;
  RecentFiles recent_;

  std::unique_ptr<FileDialog> dialog_;
  bool dialog_compares_ = false;
  bool differences_asked_ = false;  // the file is opened for the question of what differs
  std::unique_ptr<CommandPalette> palette_;
  std::unique_ptr<ErrorPanel> error_;
  bool show_help_ = false;
  bool quit_ = false;

  Copy wanted_copy_ = Copy::None;  // of a panel that has nothing of its own to copy: what it drew
  std::pair<ImVec2, ImVec2> panel_box_;
  std::optional<float> wanted_scale_;
  float chosen_scale_ = 0.0F;  // by an action, now or earlier; 0: never
  std::string chosen_ground_;  // "dark", "light"; empty: never
  bool picture_wanted_ = false;
  int tab_key_ = -1;  // how Dear ImGui knows it
};

}  // namespace depscope::viewers
