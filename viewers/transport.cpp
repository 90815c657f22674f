#include "depscope/viewers/transport.h"

#include <algorithm>
#include <limits>

namespace depscope::viewers {

void Transport::attach(Document* document, Selection* selection) {
  document_ = document;
  selection_ = selection;
  playing_ = false;
  owed_ = 0.0;
}

std::uint32_t Transport::position() const { return document_ == nullptr ? 0 : document_->cursor().position(); }
std::uint32_t Transport::size() const { return document_ == nullptr ? 0 : document_->cursor().size(); }

void Transport::first() { seek(0); }
void Transport::last() { seek(std::numeric_limits<std::uint32_t>::max()); }

void Transport::seek(std::uint32_t position) {
  if (document_ == nullptr) return;
  document_->cursor().seek(std::min(position, size()));
  moved();
}

void Transport::back() {
  if (document_ == nullptr) return;
  playing_ = false;
  document_->cursor().back();
  moved();
}

void Transport::step() {
  if (document_ == nullptr) return;
  playing_ = false;
  document_->cursor().step();
  moved();
}

void Transport::toggle_play() {
  if (document_ == nullptr) return;
  playing_ = !playing_;
  owed_ = 0.0;
  if (playing_ && position() == size()) seek(0);  // play at the end starts again
}

bool Transport::next(runtime::EventKind wanted) {
  if (document_ == nullptr || !document_->cursor().next(wanted)) return false;
  moved();
  return true;
}

bool Transport::previous(runtime::EventKind wanted) {
  if (document_ == nullptr || !document_->cursor().previous(wanted)) return false;
  moved();
  return true;
}

bool Transport::next_of_task() {
  const std::uint32_t task = selection_ == nullptr ? kNoRow : selection_->row(ItemKind::Task);
  if (document_ == nullptr || task == kNoRow || !document_->cursor().next_of_task(task)) return false;
  moved();
  return true;
}

bool Transport::previous_of_task() {
  const std::uint32_t task = selection_ == nullptr ? kNoRow : selection_->row(ItemKind::Task);
  if (document_ == nullptr || task == kNoRow || !document_->cursor().previous_of_task(task)) return false;
  moved();
  return true;
}

void Transport::faster() { speed_ = std::min(speed_ + 1, kSpeeds.size() - 1); }
void Transport::slower() { speed_ = speed_ == 0 ? 0 : speed_ - 1; }

void Transport::tick(double seconds) {
  if (!playing_ || document_ == nullptr) return;
  owed_ += std::min(seconds, 0.25) * speed();  // after a stall, go on rather than jump
  const auto events = static_cast<std::uint32_t>(owed_);
  if (events == 0) return;
  owed_ -= events;
  const std::uint32_t left = size() - position();
  document_->cursor().seek(position() + std::min(events, left));
  if (position() == size()) playing_ = false;
  moved();
}

void Transport::moved() {
  // A selected event follows the cursor; any other selection is what the user wants to watch, and stays.
  if (selection_ != nullptr && selection_->current().kind == ItemKind::Event && current_event() != kNoRow) {
    selection_->select({ItemKind::Event, current_event()}, false);
  }
}

}  // namespace depscope::viewers
