#include "depscope/viewers/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "depscope/viewers/answers.h"
#include "depscope/viewers/fuzzy.h"

namespace depscope::viewers {
namespace {

bool contains_fold(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); }) != text.end();
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

void Palette::attach(const Document* document) {
  document_ = document;
  kernels_known_ = false;
  kernels_.clear();
  kernel_of_task_.clear();
  tensor_names_.clear();
  entries_.clear();
}

void Palette::find_kernels() {
  if (kernels_known_) return;
  kernels_known_ = true;
  if (document_ == nullptr) return;
  const auto& tasks = document_->recording().tasks;
  std::unordered_map<std::uint32_t, std::uint32_t> number_of_name;
  kernel_of_task_.assign(tasks.rows(), kNoRow);
  for (std::uint32_t task = 0; task < tasks.rows(); ++task) {
    const std::uint32_t name = tasks.callee[task];
    const auto [found, added] = number_of_name.try_emplace(name, static_cast<std::uint32_t>(kernels_.size()));
    if (added && document_->text(name).empty()) {
      found->second = kNoRow;
    } else if (added) {
      kernels_.push_back(document_->text(name));
    }
    kernel_of_task_[task] = found->second;
  }
  tasks_of_kernel_ = Groups(kernel_of_task_, static_cast<std::uint32_t>(kernels_.size()));
  find_tensors();
}

void Palette::find_tensors() {
  const auto& tensors = document_->recording().tensors;
  std::unordered_map<std::uint32_t, std::uint32_t> number_of_name;
  std::vector<std::uint32_t> name_of_tensor(tensors.rows(), kNoRow);
  for (std::uint32_t tensor = 0; tensor < tensors.rows(); ++tensor) {
    const std::uint32_t name = tensors.name[tensor];
    if (document_->text(name).empty()) continue;
    const auto [found, added] = number_of_name.try_emplace(name, static_cast<std::uint32_t>(tensor_names_.size()));
    if (added) tensor_names_.push_back(name);
    name_of_tensor[tensor] = found->second;
  }
  tensors_of_name_ = Groups(name_of_tensor, static_cast<std::uint32_t>(tensor_names_.size()));
}

void Palette::query(std::string_view text, const Actions& actions) {
  entries_.clear();
  text = trimmed(text);
  if (document_ != nullptr && !text.empty()) {
    add_jump(text);
    find_kernels();
    add_edges(text);
    add_kernels(text);
    add_tensors(text);
  }
  add_actions(text, actions);
}

/// "task 12".
void Palette::add_jump(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return;
  const auto kind = item_kind_from_name(text.substr(0, blank));
  const std::string_view digits = trimmed(text.substr(blank));
  Item item;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), item.row);
  if (!kind || *kind == ItemKind::None || error != std::errc() || end != digits.data() + digits.size()) return;
  item.kind = *kind;
  Selection selection;  // knows the tables
  selection.attach(&document_->recording());
  const std::uint32_t rows = selection.rows_of(item.kind);
  if (item.row >= rows) return;
  entries_.push_back({PaletteEntry::What::Item, item_label(*document_, item),
                      fmt::format("{} {} of {}", item_kind_name(item.kind), item.row, rows), item});
}

/// Kernels whose names contain the text; of a single one, or of the one that is called so, the tasks.
void Palette::add_kernels(std::string_view text) {
  std::uint32_t chosen = kNoRow;
  std::size_t found = 0;
  for (std::uint32_t kernel = 0; kernel < kernels_.size(); ++kernel) {
    if (!contains_fold(kernels_[kernel], text)) continue;
    if (++found == 1 || kernels_[kernel].size() == text.size()) chosen = kernel;
  }
  if (found == 0) return;
  const bool named = kernels_[chosen].size() == text.size();
  if (found == 1 || named) {
    const auto tasks = tasks_of_kernel_.of(chosen);
    for (std::size_t i = 0; i < std::min(tasks.size(), kMostTasks); ++i) {
      entries_.push_back({PaletteEntry::What::Item,
                          document_->task_label(tasks[i]),
                          fmt::format("task {} of {} of this kernel", i + 1, tasks.size()),
                          {ItemKind::Task, tasks[i]}});
    }
  }
  for (std::uint32_t kernel = 0; kernel < kernels_.size() && entries_.size() < 2 * kMostTasks; ++kernel) {
    if (!contains_fold(kernels_[kernel], text) || (kernel == chosen && (found == 1 || named))) continue;
    const std::size_t tasks = tasks_of_kernel_.of(kernel).size();
    entries_.push_back({PaletteEntry::What::Kernel,
                        std::string(kernels_[kernel]),
                        fmt::format("kernel of {} task{}", tasks, tasks == 1 ? "" : "s"),
                        {}});
  }
}

/// The tensors that are called so; a buffer that is made anew in every iteration has one for each.
void Palette::add_tensors(std::string_view text) {
  for (std::uint32_t name = 0; name < tensor_names_.size(); ++name) {
    const std::string_view known = document_->text(tensor_names_[name]);
    if (known.size() != text.size() || !contains_fold(known, text)) continue;
    const auto tensors = tensors_of_name_.of(name);
    for (std::size_t i = 0; i < std::min(tensors.size(), kMostTasks); ++i) {
      const auto accesses = document_->accesses_of_tensor().of(tensors[i]);
      std::string detail = fmt::format("tensor {} of {} of this name", i + 1, tensors.size());
      if (!accesses.empty()) {
        const std::uint32_t task = document_->recording().accesses.task[accesses.front()];
        detail = fmt::format("first used by {}   {}", document_->task_label(task), detail);
      }
      const Item item{ItemKind::Tensor, tensors[i]};
      entries_.push_back({PaletteEntry::What::Item, item_label(*document_, item), std::move(detail), item});
    }
  }
}

void Palette::add_actions(std::string_view text, const Actions& actions) {
  struct Found {
    const Action* action;
    int score;
    std::size_t recency;  // the newest 0
  };
  std::vector<Found> found;
  for (const Action& action : actions.all()) {
    const auto by_name = fuzzy_score(text, action.name);
    const auto by_both = by_name ? by_name : fuzzy_score(text, action.group + " " + action.name);
    if (!by_both) continue;
    const auto recent = std::find(recent_.begin(), recent_.end(), action.name);
    found.push_back({&action, by_name ? *by_name + 1 : *by_both, static_cast<std::size_t>(recent - recent_.begin())});
  }
  // Without a query what was run last comes first, with one what fits best.
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tuple(-a.score, a.recency) < std::tuple(-b.score, b.recency);
  });
  for (const Found& f : found) {
    entries_.push_back(
        {PaletteEntry::What::Action, f.action->name, fmt::format("{}   {}", f.action->group, key_name(f.action->key)), {}});
  }
}

void Palette::ran(const std::string& action) {
  std::erase(recent_, action);
  recent_.insert(recent_.begin(), action);
  if (recent_.size() > kMostRecent) recent_.resize(kMostRecent);
}

void Palette::set_recent(std::vector<std::string> names) {
  recent_ = std::move(names);
  if (recent_.size() > kMostRecent) recent_.resize(kMostRecent);
}

}  // namespace depscope::viewers
