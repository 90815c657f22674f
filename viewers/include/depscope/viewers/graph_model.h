// What of the graph is open, and where it stands. Rebuilt when a group is opened or closed and when filter, focus or direction
// change; a frame only reads it.
//
// Cost of a rebuild: the boxes that are open, and one look at each edge whose consumer is among the tasks shown (edges are
// grouped by consumer, so those of a closed group are one run of rows). Nothing is kept by edge.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "depscope/viewers/comparison.h"
#include "depscope/viewers/document.h"
#include "depscope/viewers/graph_filter.h"
#include "depscope/viewers/graph_tree.h"

namespace depscope::viewers {

/// Most boxes that are open at a time; what is opened beyond stays closed.
inline constexpr std::uint32_t kMaxGraphNodes = 3'000;
/// Most lines between them; beyond, those of later consumers are left out.
inline constexpr std::uint32_t kMaxGraphEdges = 12'000;
/// Groups are open at first as long as no more boxes than this are shown.
inline constexpr std::uint32_t kFirstGraphNodes = 150;

struct GraphNode {
  enum class Kind : std::uint8_t { Task, Group, There };
  Kind kind = Kind::Task;
  std::uint32_t row = 0;             ///< Task: tasks row; Group: index in the tree; There: tasks row of the other recording
  std::uint32_t frame = kNoRow;      ///< index in frames()
  std::uint32_t begin = 0, end = 0;  ///< Task, Group: tasks rows [begin, end)
  std::uint32_t there = 0;           ///< Group: tasks inside that only the other recording has
  bool dim = false;                  ///< no task of it passes the filter
  float x = 0, y = 0, width = 0, height = 0;
};

/// A group that is open: a frame around what is in it.
struct GraphFrame {
  std::uint32_t group = 0;
  std::uint32_t parent = kNoRow;  ///< index of the frame around it
  std::uint32_t depth = 0;
  float x = 0, y = 0, width = 0, height = 0;
};

struct GraphEdge {
  std::uint32_t from = 0, to = 0;                ///< indices in nodes()
  std::uint32_t row = kNoRow;                    ///< edges row of the first one, of the other recording if `there`
  std::uint32_t count = 0;                       ///< edges that the line stands for
  std::uint32_t wait = 0, retain = 0, gone = 0;  ///< of these: with WAIT, with RETAIN, with a WAIT that was removed
  std::uint8_t provenance = 0;                   ///< bits of all of them
  bool there = false;                            ///< only in the other recording
  float from_x = 0, from_y = 0, to_x = 0, to_y = 0;
  float bow = 0;  ///< how far its middle is led aside, past the boxes that it would run behind; 0 for most
};

class GraphModel {
 public:
  /// Room in a frame above its content, and on the other sides.
  static constexpr float kTitleHeight = 22;
  static constexpr float kPadding = 12;

  /// Shows a document, null for none: open are the groups that fit. Both must outlive the model or the next attach.
  void attach(const Document* document, const Comparison* comparison);

  [[nodiscard]] const GraphTree& tree() const { return tree_; }
  [[nodiscard]] const std::vector<GraphNode>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<GraphFrame>& frames() const { return frames_; }
  [[nodiscard]] const std::vector<GraphEdge>& edges() const { return edges_; }
  [[nodiscard]] float width() const { return width_; }
  [[nodiscard]] float height() const { return height_; }
  [[nodiscard]] bool top_to_bottom() const { return top_to_bottom_; }
  [[nodiscard]] const GraphFilter& filter() const { return filter_; }
  [[nodiscard]] const std::vector<std::uint32_t>& focus() const { return focus_; }
  /// Edges that pass the filter and are not drawn, because there are too many lines.
  [[nodiscard]] std::uint64_t edges_left_out() const { return edges_left_out_; }

  [[nodiscard]] bool is_open(std::uint32_t group) const { return open_[group]; }
  /// False, and nothing changes, if more than kMaxGraphNodes boxes would be open then.
  bool open(std::uint32_t group);
  void close(std::uint32_t group);
  /// Opens from the outside inwards. False if not all could be opened.
  bool open_all();
  /// All but group 0, and those that are all that is in it.
  void close_all();
  /// Opens all groups around a task.
  bool open_to(std::uint32_t task);

  void set_filter(GraphFilter filter);
  /// Shows these tasks (ascending) and nothing else; empty: all.
  void set_focus(std::vector<std::uint32_t> tasks);
  void set_top_to_bottom(bool on);

  /// Index in nodes() of the box that shows a task (or the closed group around it), none if it is not shown.
  [[nodiscard]] std::uint32_t node_of_task(std::uint32_t task) const;
  /// The same for a task of the other recording.
  [[nodiscard]] std::uint32_t node_of_there(std::uint32_t task) const;
  /// Index in frames() of an open group, none.
  [[nodiscard]] std::uint32_t frame_of_group(std::uint32_t group) const;
  [[nodiscard]] std::uint32_t node_of_group(std::uint32_t group) const;
  /// Index in edges() of the line that shows an edge, none.
  [[nodiscard]] std::uint32_t line_of_edge(std::uint32_t edge) const;
  /// The edges that a line stands for, at most `most` of them.
  [[nodiscard]] std::vector<std::uint32_t> edges_of_line(const GraphEdge& line, std::size_t most) const;
  /// Kernels of the tasks [begin, end) and how many of each, most first.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> kernels(std::uint32_t begin, std::uint32_t end) const;
  /// Loop counters of a task, outermost first.
  [[nodiscard]] std::span<const std::uint32_t> iteration(std::uint32_t task) const;

 private:
  struct There {
    std::uint32_t anchor = 0;  // tasks row after which it stands
    std::uint32_t row = 0;
  };

  void rebuild();
  void open_what_fits(std::uint32_t most, std::uint32_t few);
  [[nodiscard]] std::uint32_t shown_with(std::uint32_t most) const;
  void find_there();
  void collect(std::uint32_t group, std::uint32_t frame);
  void add_task(std::uint32_t task, std::uint32_t frame);
  void add_group(std::uint32_t group, std::uint32_t frame);
  void add_there(std::uint32_t begin, std::uint32_t end, std::uint32_t frame);
  [[nodiscard]] std::pair<std::size_t, std::size_t> there_in(std::uint32_t begin, std::uint32_t end) const;
  [[nodiscard]] bool in_focus(std::uint32_t begin, std::uint32_t end) const;
  [[nodiscard]] std::uint32_t focus_frame_of(std::uint32_t group) const;
  [[nodiscard]] bool passes_edge(std::uint32_t edge) const;
  void collect_edges();
  void collect_edges_there();
  void add_line(const GraphEdge& line);
  void lay_out();
  void place_bows();
  void place_ends();

  const Document* document_ = nullptr;
  const Comparison* comparison_ = nullptr;
  GraphTree tree_;
  std::vector<bool> open_;  // by group
  GraphFilter filter_;
  std::vector<bool> passes_;  // by task, empty: all
  std::vector<std::uint32_t> focus_;
  bool top_to_bottom_ = false;
  std::vector<There> there_;  // ascending

  std::vector<GraphNode> nodes_;
  std::vector<GraphFrame> frames_;
  std::vector<GraphEdge> edges_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> unseen_;  // from, to: lines whose edges are all filtered out
  std::vector<std::uint32_t> node_of_task_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> node_of_there_;  // row there, node; ascending
  std::uint64_t edges_left_out_ = 0;
  float width_ = 0, height_ = 0;
};

}  // namespace depscope::viewers
