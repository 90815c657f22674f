// Why something could not be opened.
#pragma once

#include <optional>
#include <string>

#include "depscope/viewers/load_error.h"
#include "depscope/viewers/panel.h"

namespace depscope::viewers {

class ErrorPanel {
 public:
  void show(LoadError error) { error_ = std::move(error); }
  void close() { error_.reset(); }
  [[nodiscard]] bool open() const { return error_.has_value(); }
  [[nodiscard]] const std::string& message() const { return error_->text; }  ///< while it is open
  void draw(Context& context);

 private:
  std::optional<LoadError> error_;
};

}  // namespace depscope::viewers
