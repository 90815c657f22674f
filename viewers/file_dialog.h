// The dialog that asks for a file: a path that is completed, and the list of the directory it names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "depscope/viewers/file_list.h"
#include "depscope/viewers/load_job.h"
#include "depscope/viewers/panel.h"

struct ImGuiInputTextCallbackData;

namespace depscope::viewers {

class FileDialog {
 public:
  /// Opens at the next draw. `directory` ends with '/'; `options` are those of the last run.
  void ask(std::string title, const std::string& directory, const std::vector<std::string>& options, const RecentFiles& recent);
  /// Gives what was chosen, once.
  [[nodiscard]] std::optional<LoadRequest> draw(Context& context);

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Recent {
    std::string path;
    bool there;
  };

  static int edit(ImGuiInputTextCallbackData* data);
  void follow_text();
  void go_to(const std::string& directory);
  void move(std::ptrdiff_t rows);
  void draw_path(const Context& context);
  void draw_rows(Context& context, float height);
  void draw_row(Context& context, std::size_t row);
  [[nodiscard]] std::size_t recent_rows() const { return typed_.name.empty() ? recent_.size() : 0; }
  [[nodiscard]] std::size_t rows() const { return recent_rows() + list_.size(); }
  void take_row(std::size_t row, bool directory_itself);
  void choose(const std::string& path);

  std::string title_;
  bool opening_ = false;
  std::string text_;             // the path field
  std::string options_;          // the options field
  TypedPath typed_;              // text_, split
  std::string shown_directory_;  // of list_
  bool read_ = false;            // list_ is of shown_directory_
  bool all_files_ = false, shown_all_files_ = false;
  FileList list_;
  std::vector<Recent> recent_;
  std::size_t highlighted_ = kNone;  // row: recent files first, then the list
  bool reveal_ = false;
  bool focus_path_ = false, focus_options_ = false;
  std::optional<std::string> new_text_;  // to be put into the path field, with the caret at its end
  std::optional<LoadRequest> chosen_;
};

}  // namespace depscope::viewers
