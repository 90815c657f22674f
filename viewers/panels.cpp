// The list of all panels: the one place to add a new one.
#include "directions_panel.h"
#include "events_panel.h"
#include "findings_panel.h"
#include "graph_panel.h"
#include "inspector_panel.h"
#include "memory_panel.h"
#include "passes_panel.h"
#include "regions_panel.h"
#include "resource_panel.h"
#include "tensormap_panel.h"
#include "timeline_panel.h"

namespace depscope::viewers {

std::vector<std::unique_ptr<View>> make_views() {
  std::vector<std::unique_ptr<View>> views;
  views.push_back(std::make_unique<PassesPanel>());
  views.push_back(std::make_unique<RegionsPanel>());
  views.push_back(std::make_unique<DirectionsPanel>());
  views.push_back(std::make_unique<GraphPanel>());
  views.push_back(std::make_unique<TimelinePanel>());
  views.push_back(std::make_unique<MemoryPanel>());
  views.push_back(std::make_unique<TensorMapPanel>());
  views.push_back(std::make_unique<ResourcePanel>());
  views.push_back(std::make_unique<EventsPanel>());
  views.push_back(std::make_unique<FindingsPanel>());
  views.push_back(std::make_unique<InspectorPanel>());
  return views;
}

}  // namespace depscope::viewers
