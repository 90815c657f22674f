// What the graph says in words: on boxes, in tooltips, for the clipboard.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "depscope/viewers/widgets.h"
#include "graph_panel.h"

namespace depscope::viewers {
namespace {

std::string joined(const std::vector<std::string_view>& names, std::string_view between) {
  return fmt::format("{}", fmt::join(names, between));
}

std::string kernel_name(const recording::Recording& r, std::uint32_t name) {
  return name == 0 ? "without kernel" : std::string(r.text(name));
}

std::string kernel_counts(const Document& document, const GraphModel& model, const GraphNode& node, std::size_t most) {
  const auto kernels = model.kernels(node.begin, node.end);
  std::string words;
  for (std::size_t i = 0; i < std::min(most, kernels.size()); ++i) {
    words += fmt::format("{}{} {}", i == 0 ? "" : ", ", kernels[i].second, kernel_name(document.recording(), kernels[i].first));
  }
  if (kernels.size() > most) words += fmt::format(", {} more kernels", kernels.size() - most);
  return words;
}

nlohmann::json flag_array(std::uint8_t flags) {
  nlohmann::json names = nlohmann::json::array();
  for (const std::string_view name : runtime::dep_flag_names(flags)) names.push_back(name);
  return names;
}

}  // namespace

GraphPanel::Face GraphPanel::face_of(const Context& context, const GraphNode& node) const {
  const Document& document = *context.document;
  switch (node.kind) {
    case GraphNode::Kind::Task: {
      Face face{document.task_label(node.row), {}};
      if (const std::uint32_t blocks = document.recording().tasks.block_num[node.row]; blocks > 1) {
        face.detail = fmt::format("×{} blocks", blocks);
      }
      if (const std::string mark = mark_words(context, ItemKind::Task, node.row); !mark.empty()) {
        face.detail += (face.detail.empty() ? "" : ", ") + mark;
      }
      return face;
    }
    case GraphNode::Kind::Group: {
      Face face{model_.tree().label(document.recording(), node.row),
                fmt::format("{}: {}", count_of(node.end - node.begin, "task"), kernel_counts(document, model_, node, 3))};
      if (node.there > 0) face.title += fmt::format(", {} only in {}", node.there, context.comparison->there_name());
      return face;
    }
    case GraphNode::Kind::There: {
      const Document& there = context.comparison->there();
      return {there.task_label(node.row), fmt::format("only in {}", context.comparison->there_name())};
    }
  }
  return {};
}

std::string GraphPanel::mark_words(const Context& context, ItemKind kind, std::uint32_t row) const {
  if (context.comparison == nullptr) return {};
  return context.comparison->words(context.comparison->mark(kind, row));
}

/// "user WAIT RETAIN", "tensormap WAIT removed, RETAIN", "12 edges: user, creator; 8 WAIT, 12 RETAIN, 4 WAIT removed".
std::string GraphPanel::line_words(const Context& context, const GraphEdge& line) const {
  const std::string asked = joined(runtime::provenance_names(line.provenance), line.count == 1 ? " " : ", ");
  if (line.count > 1) {
    std::string words = fmt::format("{} edges: {};", line.count, asked);
    if (line.wait > 0) words += fmt::format(" {} WAIT,", line.wait);
    if (line.retain > 0) words += fmt::format(" {} RETAIN,", line.retain);
    if (line.gone > 0) words += fmt::format(" {} WAIT removed,", line.gone);
    words.pop_back();
    return words;
  }
  std::string words = asked;
  if (line.gone > 0) words += line.retain > 0 ? " WAIT removed," : " WAIT removed";
  if (line.wait > 0) words += " WAIT";
  if (line.retain > 0) words += " RETAIN";
  if (line.there) {
    words += fmt::format(", only in {}", context.comparison->there_name());
  } else if (const std::string mark = mark_words(context, ItemKind::Edge, line.row); !mark.empty()) {
    words += ", " + mark;
  }
  return words;
}

std::string GraphPanel::line_title(const Context& context, const GraphEdge& line) const {
  if (line.there) return context.comparison->there().edge_label(line.row);
  if (line.count == 1) return context.document->edge_label(line.row);
  return fmt::format("{} → {}", faces_[line.from].title, faces_[line.to].title);
}

GraphPanel::Explained GraphPanel::explain_edge(const Document& document, std::uint32_t edge) const {
  Explained result;
  result.edge = edge;
  const auto& r = document.recording();
  if ((edge_fate(r, edge) & kWaitRemoved) == 0) return result;
  result.way = witness_path(document, edge);
  std::string through;
  for (std::size_t i = 0; i + 1 < result.way.size(); ++i) {
    through += fmt::format("{}t{}", i == 0 ? "" : " → ", r.edges.consumer[result.way[i]]);
  }
  if (through.empty() && r.edges.via[edge] != kNoRow) through = fmt::format("t{}", r.edges.via[edge]);
  result.words = through.empty() ? "WAIT removed: no way around it is known" : "WAIT removed: already ordered through " + through;
  return result;
}

std::string GraphPanel::node_tooltip(const Context& context, std::uint32_t index) const {
  const GraphNode& node = model_.nodes()[index];
  const Document& document = node.kind == GraphNode::Kind::There ? context.comparison->there() : *context.document;
  const auto& r = document.recording();
  std::string words = faces_[index].title;
  if (node.kind == GraphNode::Kind::Group) {
    words += "\n" + fmt::format("{}: {}", count_of(node.end - node.begin, "task"), kernel_counts(document, model_, node, 12));
    if (states_known_ && index < states_.size()) {
      for (std::size_t s = 0; s < states_[index].size(); ++s) {
        if (states_[index][s] > 0) {
          words += fmt::format("\n{} {}", states_[index][s], runtime::task_state_name(static_cast<runtime::TaskState>(s)));
        }
      }
    }
    return words + "\nDouble click opens it.";
  }
  const std::uint32_t task = node.row;
  if (node.kind == GraphNode::Kind::Task) {
    const auto state = static_cast<runtime::TaskState>(document.cursor().state().task_state[task]);
    words += fmt::format("\n{} at the cursor", runtime::task_state_name(state));
    const std::vector<std::uint32_t> waiting = document.cursor().waiting_for(task);
    if (!waiting.empty()) words += fmt::format(", waits for {}", count_of(waiting.size(), "task"));
    const auto& moments = document.moments();
    const auto moment = [&](std::string_view name, std::uint32_t event) {
      if (event != replay::kNever) words += fmt::format("\n{} at {}", name, r.events.time[event]);
    };
    moment("dispatched", moments.dispatched[task]);
    moment("completed", moments.completed[task]);
    moment("consumed", moments.consumed[task]);
  }
  if (const std::uint32_t blocks = r.tasks.block_num[task]; blocks > 1) words += fmt::format("\nSPMD: {} blocks", blocks);
  const std::uint32_t loops = r.tasks.iteration_begin_count[task];
  if (loops > 0) {
    const auto counters = std::span(r.pool).subspan(r.tasks.iteration_begin[task], loops);
    words += fmt::format("\niteration {}", fmt::join(counters, ", "));
  }
  words += "\n" + document.scope_label(r.tasks.scope[task]);
  if (r.tasks.call_site[task] != kNoRow) words += "\n" + document.call_site_label(r.tasks.call_site[task]);
  const auto [first, last] = document.edges_of_consumer(task);
  words += fmt::format("\n{}, {}", count_of(last - first, "producer"),
                       count_of(document.edges_of_producer().of(task).size(), "consumer"));
  if (index < critical_nodes_.size() && critical_nodes_[index]) words += "\non the critical path";
  if (!faces_[index].detail.empty() && context.comparison != nullptr) words += "\n" + faces_[index].detail;
  return words;
}

std::string GraphPanel::line_tooltip(const Context& context, const GraphEdge& line) const {
  std::string words = line_title(context, line) + "\n" + line_words(context, line);
  const Document& document = line.there ? context.comparison->there() : *context.document;
  const auto& r = document.recording();
  if (line.count > 1) {
    constexpr std::size_t kMost = 8;
    for (const std::uint32_t edge : model_.edges_of_line(line, kMost)) words += "\n" + document.edge_label(edge);
    if (line.count > kMost) words += fmt::format("\n… and {} more", line.count - kMost);
    return words + "\nA click selects the next one of them.";
  }
  for (const std::uint32_t reason : document.reasons_of_edge().of(line.row)) {
    words += fmt::format("\nasked for by {}", joined(runtime::provenance_names(r.edge_reasons.source[reason]), " "));
    if (r.edge_reasons.arg[reason] >= 0) words += fmt::format(" through argument {}", r.edge_reasons.arg[reason]);
    words += fmt::format(": {}", joined(runtime::dep_flag_names(r.edge_reasons.flags[reason]), ", "));
  }
  if (static_cast<runtime::ProducerStatus>(r.edges.at_add[line.row]) == runtime::ProducerStatus::Gone) {
    words += "\nthe producer was gone when this edge was found";
  }
  if (line.gone > 0) words += "\n" + explain_edge(document, line.row).words;
  if (!line.there && context.comparison != nullptr) {
    for (const std::string& difference : context.comparison->differences(ItemKind::Edge, line.row)) words += "\n" + difference;
  }
  return words;
}

std::string GraphPanel::copy_text(const Context& context) const {
  if (context.document == nullptr || model_.nodes().empty()) return {};
  const auto& state = context.document->cursor().state();
  std::string words;
  if (!model_.filter().empty()) words += fmt::format("filter: {}\n", model_.filter().text());
  if (!focus_from_.empty()) words += fmt::format("focus: {} up, {} down\n", up_, down_);
  words += fmt::format("{}:\n", count_of(model_.nodes().size(), "node"));
  for (std::size_t i = 0; i < model_.nodes().size() && i < faces_.size(); ++i) {
    const GraphNode& node = model_.nodes()[i];
    if (node.dim) continue;
    words += "  " + faces_[i].title;
    if (node.kind == GraphNode::Kind::Task) {
      words += fmt::format(": {}", runtime::task_state_name(static_cast<runtime::TaskState>(state.task_state[node.row])));
    }
    if (!faces_[i].detail.empty()) words += fmt::format(" ({})", faces_[i].detail);
    words += "\n";
  }
  words += fmt::format("{}:\n", count_of(model_.edges().size(), "line"));
  for (const GraphEdge& line : model_.edges()) {
    words += fmt::format("  {}: {}\n", line_title(context, line), line_words(context, line));
  }
  if (show_critical_ && critical_) {
    words += fmt::format("critical path, {} units of time:\n", critical_->length);
    for (const std::uint32_t task : critical_->tasks) words += fmt::format("  {}\n", context.document->task_label(task));
  }
  return words;
}

std::string GraphPanel::copy_json(const Context& context) const {
  if (context.document == nullptr || model_.nodes().empty()) return {};
  const Document& document = *context.document;
  const auto& r = document.recording();
  nlohmann::json json{{"filter", model_.filter().text()}, {"nodes", nlohmann::json::array()}, {"edges", nlohmann::json::array()}};
  if (!focus_from_.empty()) json["focus"] = {{"up", up_}, {"down", down_}, {"tasks", focus_from_}};
  for (std::size_t i = 0; i < model_.nodes().size() && i < faces_.size(); ++i) {
    const GraphNode& node = model_.nodes()[i];
    if (node.dim) continue;
    nlohmann::json entry{{"label", faces_[i].title}};
    if (node.kind == GraphNode::Kind::Group) {
      entry["first_task"] = node.begin;
      entry["tasks"] = node.end - node.begin;
    } else {
      entry["task"] = node.row;
      if (node.kind == GraphNode::Kind::There) entry["only_in"] = context.comparison->there_name();
    }
    if (node.kind == GraphNode::Kind::Task) {
      const auto state = static_cast<runtime::TaskState>(document.cursor().state().task_state[node.row]);
      entry["state"] = runtime::task_state_name(state);
      if (r.tasks.block_num[node.row] > 1) entry["blocks"] = r.tasks.block_num[node.row];
    }
    json["nodes"].push_back(std::move(entry));
  }
  for (const GraphEdge& line : model_.edges()) {
    const auto& own = line.there ? context.comparison->there().recording() : r;
    nlohmann::json entry{{"edge", line.row},
                         {"from", faces_[line.from].title},
                         {"to", faces_[line.to].title},
                         {"edges", line.count},
                         {"provenance", runtime::provenance_names(line.provenance)},
                         {"wait", line.wait},
                         {"retain", line.retain},
                         {"wait_removed", line.gone}};
    if (line.count == 1) {
      entry["flags"] = flag_array(own.edges.flags[line.row]);
      entry["flags_final"] = flag_array(own.edges.flags_final[line.row]);
    }
    if (line.there) entry["only_in"] = context.comparison->there_name();
    json["edges"].push_back(std::move(entry));
  }
  if (show_critical_ && critical_) json["critical_path"] = {{"length", critical_->length}, {"tasks", critical_->tasks}};
  return json.dump();
}

}  // namespace depscope::viewers
