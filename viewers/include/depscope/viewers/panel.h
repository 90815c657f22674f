// The base of all panels. A panel is one class in one file, listed in panels.cpp; it reads the document and the shared
// selection and cursor, and draws. It keeps nothing but how it is looked at.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/viewers/actions.h"
#include "depscope/viewers/canvas.h"
#include "depscope/viewers/comparison.h"
#include "depscope/viewers/document.h"
#include "depscope/viewers/elements.h"
#include "depscope/viewers/selection.h"
#include "depscope/viewers/settings.h"
#include "depscope/viewers/theme.h"
#include "depscope/viewers/transport.h"

namespace depscope::viewers {

/// Where a panel stands in the window at first; the user can move it. Panels of one place share it as tabs.
enum class Place : std::uint8_t { Main, Side, Bottom };

/// What panels share. Owned by the shell and alive as long as any panel.
struct Context {
  Document* document = nullptr;      ///< null while no recording is open
  Comparison* comparison = nullptr;  ///< null unless two recordings are open; then document is comparison->here()
  Selection selection;
  Transport transport;
  Actions actions;
  Theme theme;
  Elements elements;         ///< what this frame drew
  FrameCost cost;            ///< of this frame
  Item wanted_there;         ///< row of the other side of the comparison: before the next frame the sides are swapped for it
  std::string wanted_panel;  ///< title of a panel to bring to the front before the next frame
  std::string status;        ///< one line for the status bar: the result of the last action
  bool show_legends = true;
  /// Work units a frame may spend on scanning (FilteredEvents); fixed, so that a script sees the same on every machine.
  std::uint32_t scan_budget = 2000000;
  /// Events that a run to a breakpoint goes on by in a frame; fixed, too.
  std::uint32_t run_budget = 100000;
};

class View {
 public:
  View() = default;
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  virtual ~View() = default;

  [[nodiscard]] virtual std::string_view title() const = 0;
  [[nodiscard]] virtual Place place() const = 0;
  /// One sentence for the tab's tooltip.
  [[nodiscard]] virtual std::string_view purpose() const = 0;
  /// Called once, before the first frame. The context outlives the view.
  virtual void add_actions(Context& context) { (void)context; }
  /// Another document was opened, or none. Build indexes here, not in draw.
  virtual void opened(Context& context) { (void)context; }
  /// What the panel shows, for the clipboard: as text for people, and as JSON on one line. Empty: there is nothing to copy.
  [[nodiscard]] virtual std::string copy_text(const Context& context) const {
    (void)context;
    return {};
  }
  [[nodiscard]] virtual std::string copy_json(const Context& context) const {
    (void)context;
    return {};
  }
  /// How the panel is looked at, kept between runs. Names begin with the title in lower case: "graph.filter".
  virtual void save(Settings& settings) const { (void)settings; }
  virtual void restore(const Settings& settings) { (void)settings; }
  /// Draws into the current ImGui window. Only called when context.document is not null.
  virtual void draw(Context& context) = 0;
};

/// All panels, in the order of their tabs and number keys.
[[nodiscard]] std::vector<std::unique_ptr<View>> make_views();

}  // namespace depscope::viewers
