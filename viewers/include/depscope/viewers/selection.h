// What is selected. There is one selection for all panels: selecting anything anywhere selects it everywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "depscope/recording/tables.h"

namespace depscope::viewers {

enum class ItemKind : std::uint8_t {
  None,
  Task,
  Edge,
  Scope,
  CallSite,
  Pass,
  Event,
  Region,
  Hazard,
  Tensor,
  Finding,
  Argument,  ///< of a call site: arguments row
  Access,    ///< of a task: accesses row
};
inline constexpr std::size_t kItemKindCount = 13;
[[nodiscard]] std::string_view item_kind_name(ItemKind kind);  ///< "task", "call-site", …
[[nodiscard]] std::optional<ItemKind> item_kind_from_name(std::string_view name);

/// A row of the table that belongs to the kind.
struct Item {
  ItemKind kind = ItemKind::None;
  std::uint32_t row = recording::kNoRow;

  bool operator==(const Item&) const = default;
};

class Selection {
 public:
  /// The recording must stay alive until the next attach. Clears selection and history.
  void attach(const recording::Recording* recording);

  /// Selects an item and all that it implies (an event its task, a task its call site and scope). False, and nothing changes,
  /// if there is no such row. Does nothing if it is selected already. `remember` false replaces the newest entry of the history,
  /// for selections that follow the cursor.
  bool select(Item item, bool remember = true);
  void clear();
  bool back();  ///< to the selection before this one
  bool forward();

  [[nodiscard]] const Item& current() const { return current_; }
  /// The row of this kind that is selected or implied, none if there is none.
  [[nodiscard]] std::uint32_t row(ItemKind kind) const { return rows_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] bool is(ItemKind kind, std::uint32_t row) const { return row != recording::kNoRow && this->row(kind) == row; }
  /// Grows with every change; lets a panel scroll to the selection once.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }
  /// What was selected before, where back() leads; none if there is nothing.
  [[nodiscard]] Item previous() const { return can_go_back() ? history_[history_position_ - 2] : Item{}; }
  [[nodiscard]] bool can_go_back() const { return history_position_ > 1; }
  [[nodiscard]] bool can_go_forward() const { return history_position_ < history_.size(); }
  /// Number of rows of the table behind a kind.
  [[nodiscard]] std::uint32_t rows_of(ItemKind kind) const;

 private:
  static constexpr std::size_t kMaxHistory = 200;
  void set(Item item);
  void imply(ItemKind kind, std::uint32_t row);

  const recording::Recording* recording_ = nullptr;
  Item current_;
  std::array<std::uint32_t, kItemKindCount> rows_{};
  std::vector<Item> history_;
  std::size_t history_position_ = 0;  // number of entries up to and with the current one
  std::uint64_t revision_ = 0;
};

}  // namespace depscope::viewers
