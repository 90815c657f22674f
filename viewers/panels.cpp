// The list of all panels: the one place to add a new one.
#include "events_panel.h"
#include "inspector_panel.h"
#include "passes_panel.h"

namespace depscope::viewers {

std::vector<std::unique_ptr<View>> make_views() {
  std::vector<std::unique_ptr<View>> views;
  views.push_back(std::make_unique<PassesPanel>());
  views.push_back(std::make_unique<EventsPanel>());
  views.push_back(std::make_unique<InspectorPanel>());
  return views;
}

}  // namespace depscope::viewers
