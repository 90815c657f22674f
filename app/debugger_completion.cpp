#include "debugger_completion.h"

#include <algorithm>
#include <array>

#include "debugger_session.h"
#include "depscope/replay/state_queries.h"
#include "state_words.h"

namespace depscope::app {
namespace {

constexpr std::size_t kMostNames = 256;
constexpr std::uint32_t kMostRows = 1U << 16U;  // that are looked at for names

constexpr std::array<std::string_view, 12> kTaskFields{"state",        "need",          "have",          "claimed",
                                                       "released",     "block_cursor",  "subtasks_done", "scope_released",
                                                       "own_released", "payload_phase", "aborted",       "reclaimed"};

class Candidates {
 public:
  Candidates(const replay::Cursor& cursor, std::string_view word) : r_(cursor.recording()), cursor_(cursor), word_(word) {}

  std::vector<std::string> take() { return std::move(out_); }

  void add(std::string_view candidate) {
    if (candidate.starts_with(word_) && std::find(out_.begin(), out_.end(), candidate) == out_.end())
      out_.emplace_back(candidate);
  }
  template <class List>
  void add_all(const List& list) {
    for (const std::string_view candidate : list) add(candidate);
  }

  void of(Operand operand, bool first) {
    switch (operand) {
      case Operand::None: break;
      case Operand::Command:
        for (const DebuggerCommand& command : debugger_commands()) add(command.name);
        break;
      case Operand::Query: queries(); break;
      case Operand::Break:
        if (first) add_all(std::array<std::string_view, 2>{"list", "delete"});
        conditions();
        break;
      case Operand::Until:
        if (first) add("back");
        conditions();
        break;
      case Operand::Watch: watches(); break;
      case Operand::Print:
        watches();
        tasks("");
        tensors("tensor=");
        scopes("scope=");
        break;
      case Operand::Task: tasks(""); break;
      case Operand::TaskOrTensor:
        tasks("");
        tensors("");
        break;
      case Operand::Tensor: tensors(""); break;
      case Operand::State: add_all(state_names()); break;
      case Operand::Ring: add_all(std::array<std::string_view, runtime::kRingCount>{"0", "1", "2", "3"}); break;
    }
  }

 private:
  void conditions() {
    watches();
    queries();
  }

  void queries() {
    if (word_.starts_with("kind=")) {
      // Kinds in a row: what stands before the last comma stays.
      const std::size_t comma = word_.rfind(',');
      const std::string before(comma == std::string_view::npos ? std::string_view("kind=") : word_.substr(0, comma + 1));
      for (std::uint8_t kind = 0; kind < runtime::kEventKindCount; ++kind)
        add(before + std::string(runtime::event_kind_name(static_cast<runtime::EventKind>(kind))));
      return;
    }
    add_all(std::array<std::string_view, 5>{"kind=", "task=", "scope=", "tensor=", "actor="});
    if (word_.starts_with("task=")) tasks("task=");
    if (word_.starts_with("tensor=")) tensors("tensor=");
    if (word_.starts_with("scope=")) scopes("scope=");
  }

  void watches() {
    add_all(std::array<std::string_view, 12>{"task:", "tasks:", "slot:r", "ring:", "edge:", "scope:", "queue:", "core:",
                                             "tensormap", "tensormap:", "buffered_releases:", "config:"});
    if (word_.starts_with("task:")) task_fields();
    if (word_.starts_with("tasks:")) {
      for (const std::string_view state : state_names()) add(fmt::format("tasks:{}", state));
    }
    if (word_.starts_with("ring:")) {
      for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
        replay::RingState::fields(cursor_.state().rings[ring],
                                  [&](std::string_view name, std::int64_t) { add(fmt::format("ring:{}.{}", ring, name)); });
      }
    }
    if (word_.starts_with("queue:")) {
      for (std::uint8_t queue = 0; queue < runtime::kQueueCount; ++queue)
        add(fmt::format("queue:{}", runtime::queue_name(static_cast<runtime::QueueId>(queue))));
    }
    if (word_.starts_with("config:")) {
      for (std::uint8_t item = 0; item < runtime::kConfigItemCount; ++item)
        add(fmt::format("config:{}", runtime::config_item_name(static_cast<runtime::ConfigItem>(item))));
    }
    if (word_.starts_with("edge:")) edges();
    if (word_.starts_with("scope:")) scopes("scope:");
  }

  void task_fields() {
    const std::size_t dot = word_.find('.');
    if (dot == std::string_view::npos) return tasks("task:");
    for (const std::string_view field : kTaskFields) add(fmt::format("{}.{}", word_.substr(0, dot), field));
  }

  void edges() {
    const std::size_t arrow = word_.find("->");
    if (arrow == std::string_view::npos) return tasks("edge:");
    const std::string producer(word_.substr(0, arrow + 2));
    const std::string_view name = std::string_view(producer).substr(5, arrow - 5);
    std::size_t added = 0;
    for (std::uint32_t edge = 0; edge < r_.edges.rows() && added < kMostNames; ++edge) {
      if (id_name(r_.edges.producer[edge]) != name) continue;
      add(producer + id_name(r_.edges.consumer[edge]));
      ++added;
    }
  }

  [[nodiscard]] std::string id_name(std::uint32_t task) const {
    const std::uint64_t id = r_.tasks.id[task];
    return fmt::format("r{}t{}", runtime::ring_of(id), runtime::local_of(id));
  }

  void tasks(std::string_view before) {
    const std::size_t most = out_.size() + kMostNames;
    for (std::uint32_t task = 0; task < std::min(r_.tasks.rows(), kMostRows) && out_.size() < most; ++task) {
      const std::string name = std::string(before) + id_name(task);
      // Rows that share an id come one after another; a scan of all that was added would be quadratic.
      if (name.starts_with(word_) && (out_.empty() || out_.back() != name)) out_.push_back(name);
    }
  }

  void tensors(std::string_view before) {
    const std::size_t most = out_.size() + kMostNames;
    for (std::uint32_t tensor = 0; tensor < std::min(r_.tensors.rows(), kMostRows) && out_.size() < most; ++tensor) {
      const std::string_view name = r_.text(r_.tensors.name[tensor]);
      add(fmt::format("{}{}", before, name.empty() ? fmt::format("{}", tensor) : std::string(name)));
    }
  }

  void scopes(std::string_view before) {
    const std::size_t most = out_.size() + kMostNames;
    for (std::uint32_t scope = 0; scope < std::min(r_.scopes.rows(), kMostRows) && out_.size() < most; ++scope)
      add(fmt::format("{}{}", before, scope));
  }

  const recording::Recording& r_;
  const replay::Cursor& cursor_;
  std::string_view word_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> completions(const replay::Cursor& cursor, std::string_view line) {
  const std::size_t begin = line.find_last_of(" \t") + 1;  // 0 without a blank
  Candidates out(cursor, line.substr(begin));
  std::string_view before = line.substr(0, begin);
  const std::string_view first = take_word(before);
  if (first.empty()) {
    out.of(Operand::Command, true);
    return out.take();
  }
  try {
    out.of(find_command(first).operand, before.empty());
  } catch (const CommandError&) {  // a command that is not known takes nothing
    return {};
  }
  return out.take();
}

}  // namespace depscope::app
