#include "graph_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

constexpr std::uint32_t kMaxHops = 99;

}  // namespace

void GraphPanel::add_actions(Context& c) {
  auto& actions = c.actions;
  actions.add("Graph", "Fit the graph", "Z", [this] { fit_ = Fit::Whole; });
  actions.add("Graph", "Open or close the selected group", "Enter", [this, &c] { toggle_selected(c); });
  actions.add("Graph", "Open all groups", "O", [this, &c] {
    const bool all = model_.open_all();
    notice_ = all ? "" : fmt::format("not all groups are open: more than {} boxes", kMaxGraphNodes);
    fit_ = Fit::First;
    changed(c);
  });
  actions.add("Graph", "Close all groups", "Shift+O", [this, &c] {
    model_.close_all();
    notice_.clear();
    fit_ = Fit::First;
    changed(c);
  });
  actions.add("Graph", "Open the group of the selection", "Alt+O", [this, &c] { open_around_selection(c); });
  actions.add("Graph", "Search the graph", "/", [this] { focus_search_ = true; });
  actions.add("Graph", "Filter the graph", "Alt+F", [this] { focus_filter_ = true; });
  actions.add("Graph", "Clear the graph filter", "Alt+Backspace", [this, &c] {
    ImGui::ClearActiveID();  // an active text field would put its own text back
    filter_text_.clear();
    apply_filter(c);
  });
  actions.add("Graph", "Focus on the selection", "F", [this, &c] { focus(c); });
  actions.add("Graph", "More hops", "=", [this, &c] { change_hops(c, 1, 1); });
  actions.add("Graph", "Fewer hops", "-", [this, &c] { change_hops(c, -1, -1); });
  actions.add("Graph", "More hops up", "Alt+=", [this, &c] { change_hops(c, 1, 0); });
  actions.add("Graph", "Fewer hops up", "Alt+-", [this, &c] { change_hops(c, -1, 0); });
  actions.add("Graph", "More hops down", "Shift+=", [this, &c] { change_hops(c, 0, 1); });
  actions.add("Graph", "Fewer hops down", "Shift+-", [this, &c] { change_hops(c, 0, -1); });
  actions.add("Graph", "Show everything", "Shift+Escape", [this, &c] { show_everything(c); });
  actions.add("Graph", "Critical path", "K", [this, &c] { show_critical_path(c); });
  actions.add("Graph", "Turn the graph", "Alt+Z", [this, &c] {
    model_.set_top_to_bottom(!model_.top_to_bottom());
    fit_ = Fit::First;
    changed(c);
  });
  actions.add("Graph", "Edges as at the cursor or as at the end", "Alt+E", [this] { at_cursor_ = !at_cursor_; });
}

void GraphPanel::opened(Context& context) {
  model_.attach(context.document, context.comparison);
  menu_kernels_.clear();
  hits_.clear();
  searched_.clear();
  search_text_.clear();
  focus_from_.clear();
  focus_cut_ = false;
  critical_.reset();
  show_critical_ = false;
  notice_.clear();
  selected_group_ = kNoRow;
  seen_selection_ = context.selection.revision();
  fit_ = Fit::First;
  apply_filter(context);
  changed(context);
}

/// Everything that belongs to the boxes and lines shown, after they were made anew.
void GraphPanel::changed(Context& context) {
  faces_.clear();
  critical_nodes_.assign(model_.nodes().size(), false);
  critical_lines_.assign(model_.edges().size(), false);
  states_position_ = kNoRow;
  explained_for_ = 0;
  under_ = under_before_ = {};
  explained_.clear();
  explained_lines_.clear();
  if (context.document == nullptr) return;
  faces_.reserve(model_.nodes().size());
  for (const GraphNode& node : model_.nodes()) faces_.push_back(face_of(context, node));
  if (!show_critical_ || !critical_) return;
  for (const std::uint32_t task : critical_->tasks) {
    if (const std::uint32_t node = model_.node_of_task(task); node != kNoRow) critical_nodes_[node] = true;
  }
  for (const std::uint32_t edge : critical_->edges) {
    if (const std::uint32_t line = model_.line_of_edge(edge); line != kNoRow) critical_lines_[line] = true;
  }
}

void GraphPanel::toggle(Context& context, std::uint32_t group) {
  if (!focus_from_.empty()) {
    context.status = "groups cannot be closed in a focus; " + context.actions.tooltip("Show everything");
    return;
  }
  const std::uint32_t frame = model_.frame_of_group(group);
  const std::uint32_t node = model_.node_of_group(group);
  if (frame != kNoRow || node != kNoRow) {
    held_group_ = group;
    const bool is_frame = frame != kNoRow;
    held_x_ = static_cast<double>(x_.to_pixel(static_cast<double>(is_frame ? model_.frames()[frame].x : model_.nodes()[node].x)));
    held_y_ = static_cast<double>(y_.to_pixel(static_cast<double>(is_frame ? model_.frames()[frame].y : model_.nodes()[node].y)));
  }
  if (model_.is_open(group)) {
    model_.close(group);
    notice_.clear();
  } else if (!model_.open(group)) {
    notice_ = fmt::format("more than {} boxes would be open: close groups, or focus on a task", kMaxGraphNodes);
  }
  changed(context);
}

std::uint32_t GraphPanel::selected_task(const Context& context) const { return context.selection.row(ItemKind::Task); }

void GraphPanel::toggle_selected(Context& context) {
  if (context.document == nullptr || model_.nodes().empty()) return;
  if (selected_group_ != kNoRow) {
    toggle(context, selected_group_);
    return;
  }
  const std::uint32_t node = model_.node_of_task(selected_task(context));
  if (node == kNoRow) {
    context.status = "select a task or a group of the graph first";
    return;
  }
  const GraphNode& box = model_.nodes()[node];
  toggle(context, box.kind == GraphNode::Kind::Group ? box.row : model_.tree().group_of_task(box.row));
}

void GraphPanel::open_around_selection(Context& context) {
  const std::uint32_t task = selected_task(context);
  if (context.document == nullptr || task == kNoRow) {
    context.status = "select a task or an edge first";
    return;
  }
  notice_ = model_.open_to(task) ? "" : fmt::format("more than {} boxes would be open: close groups first", kMaxGraphNodes);
  reveal_selection_ = true;
  changed(context);
}

void GraphPanel::apply_filter(Context& context) {
  ParsedGraphFilter parsed = parse_graph_filter(filter_text_);
  filter_error_ = parsed.error;
  model_.set_filter(std::move(parsed.filter));
  changed(context);
}

void GraphPanel::focus(Context& context) {
  if (context.document == nullptr) return;
  const Item& current = context.selection.current();
  const std::uint32_t task = selected_task(context);
  std::vector<std::uint32_t> from;
  if (selected_group_ != kNoRow) {
    const TaskGroup& group = model_.tree().group(selected_group_);
    for (std::uint32_t row = group.begin; row < std::min(group.end, group.begin + kMaxGraphNodes); ++row) from.push_back(row);
  } else if (task != kNoRow) {
    from.push_back(task);
    if (current.kind == ItemKind::Edge) from.push_back(context.document->recording().edges.producer[current.row]);
  }
  if (from.empty()) {
    context.status = "select a task, an edge or a group first";
    return;
  }
  focus_from_ = std::move(from);
  apply_focus(context);
}

void GraphPanel::apply_focus(Context& context) {
  if (context.document == nullptr) return;
  Neighbourhood near;
  if (!focus_from_.empty()) near = neighbourhood(*context.document, focus_from_, up_, down_, kMaxGraphNodes);
  focus_cut_ = near.cut;
  model_.set_focus(std::move(near.tasks));
  fit_ = Fit::First;
  reveal_selection_ = true;
  changed(context);
}

void GraphPanel::change_hops(Context& context, int up, int down) {
  const auto add = [](std::uint32_t hops, int by) {
    return static_cast<std::uint32_t>(std::clamp(static_cast<int>(hops) + by, 0, static_cast<int>(kMaxHops)));
  };
  up_ = add(up_, up);
  down_ = add(down_, down);
  if (!focus_from_.empty()) apply_focus(context);
}

void GraphPanel::show_everything(Context& context) {
  focus_from_.clear();
  apply_focus(context);
}

void GraphPanel::show_critical_path(Context& context) {
  if (context.document == nullptr) return;
  show_critical_ = !show_critical_;
  if (!critical_) critical_ = critical_path(context.document->recording(), context.document->moments());
  changed(context);
}

/// Goes to the next or previous hit, or to the first one of a new search (step 0).
void GraphPanel::search(Context& context, int step) {
  if (step == 0) {
    hits_ = search_tasks(context.document->recording(), search_text_);
    hit_ = 0;
  } else if (!hits_.empty()) {
    hit_ = (hit_ + hits_.size() + static_cast<std::size_t>(step + 1) - 1) % hits_.size();
  }
  if (hits_.empty()) return;
  const std::uint32_t task = hits_[hit_];
  if (focus_from_.empty()) {
    if (const std::uint32_t node = model_.node_of_task(task);
        node != kNoRow && model_.nodes()[node].kind == GraphNode::Kind::Group && model_.open_to(task)) {
      changed(context);
    }
  }
  context.selection.select({ItemKind::Task, task});
  reveal_selection_ = true;
}

/// Brings what was selected elsewhere into view.
void GraphPanel::follow_selection(Context& context) {
  if (context.selection.revision() != seen_selection_) {
    seen_selection_ = context.selection.revision();
    const Item& current = context.selection.current();
    const bool same = current.kind == ItemKind::Scope && selected_group_ != kNoRow &&
                      model_.tree().group(selected_group_).kind == GroupKind::Scope &&
                      model_.tree().group(selected_group_).number == current.row;
    if (!same) {
      selected_group_ = kNoRow;
      const auto& groups = model_.tree().groups();
      for (std::uint32_t i = 0; current.kind == ItemKind::Scope && i < groups.size() && selected_group_ == kNoRow; ++i) {
        if (groups[i].kind == GroupKind::Scope && groups[i].number == current.row) selected_group_ = i;
      }
    }
    reveal_selection_ = true;
  }
  if (!reveal_selection_ || canvas_width_ <= 0 || fit_ != Fit::No) return;
  reveal_selection_ = false;
  if (selected_group_ != kNoRow) {
    reveal_node(model_.node_of_group(selected_group_));
  } else if (context.selection.current().kind != ItemKind::None) {
    reveal_node(model_.node_of_task(selected_task(context)));
  }
}

void GraphPanel::save(Settings& settings) const {
  settings.set("graph.top-to-bottom", model_.top_to_bottom());
  settings.set("graph.filter", filter_text_);
  settings.set("graph.hops-up", static_cast<double>(up_));
  settings.set("graph.hops-down", static_cast<double>(down_));
  settings.set("graph.at-cursor", at_cursor_);
}

void GraphPanel::restore(const Settings& settings) {
  model_.set_top_to_bottom(settings.truth("graph.top-to-bottom", model_.top_to_bottom()));
  filter_text_ = settings.text("graph.filter");
  const ParsedGraphFilter parsed = parse_graph_filter(filter_text_);
  filter_error_ = parsed.error;
  model_.set_filter(parsed.filter);
  up_ = static_cast<std::uint32_t>(settings.number("graph.hops-up", 2, 0, kMaxHops));
  down_ = static_cast<std::uint32_t>(settings.number("graph.hops-down", 2, 0, kMaxHops));
  at_cursor_ = settings.truth("graph.at-cursor", false);
  faces_.clear();  // made again in the next frame
  fit_ = Fit::First;
}

void GraphPanel::draw(Context& context) {
  if (model_.nodes().empty()) {
    empty_state(
        "This recording has no tasks. Run the program again without --stop-after, so that its tasks are submitted: "
        "depscope run PROGRAM -o FILE.depscope");
    return;
  }
  if (faces_.size() != model_.nodes().size()) changed(context);
  draw_toolbar(context);
  if (context.show_legends) draw_legend(context);
  draw_canvas(context);
  draw_information(context);
}

}  // namespace depscope::viewers
