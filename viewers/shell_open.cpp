// Opening: the queue of what is asked for, the job that runs, and what becomes of its result.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "command_palette.h"
#include "depscope/viewers/shell.h"
#include "depscope/viewers/widgets.h"
#include "error_panel.h"
#include "file_dialog.h"

namespace depscope::viewers {
namespace {

constexpr std::chrono::milliseconds kBetweenQuestions(50);
constexpr int kFramesBeforeBar = 6;  // what is there at once needs no bar

std::string base_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos || path.size() == 1 ? path : path.substr(slash + 1));
}

}  // namespace

void Shell::open(LoadRequest request) {
  if (loading()) cancel_loading();
  error_->close();
  last_error_.clear();
  queue_.push_back({std::move(request), false, {}});
  start_next();
}

void Shell::open_for_comparison(LoadRequest request) {
  error_->close();
  last_error_.clear();
  queue_.push_back({std::move(request), true, {}});
  start_next();
}

void Shell::drop(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  open(LoadRequest{paths[0], run_options_});
  if (paths.size() > 1) open_for_comparison({paths[1], run_options_});
  if (paths.size() > 2) context_.status = "two files at most are opened";
}

void Shell::start_next() {
  if (job_ != nullptr || queue_.empty()) return;
  running_ = std::move(queue_.front());
  queue_.pop_front();
  if (documents_[0] == nullptr) running_.as_b = false;
  if (running_.as_b) running_.shown = requests_[comparison_ != nullptr && comparison_->swapped() ? 1 : 0];
  frames_loading_ = 0;
  job_ = std::make_unique<LoadJob>(running_.request, work_, running_.as_b ? shown() : nullptr);
}

/// The document that is shown.
std::shared_ptr<Document> Shell::shown() const { return documents_[comparison_ != nullptr && comparison_->swapped() ? 1 : 0]; }

void Shell::poll() {
  std::erase_if(given_up_, [](const auto& job) { return job->done(); });
  if (job_ != nullptr && job_->done()) {
    LoadResult result = job_->take();
    job_.reset();
    finish_loading(std::move(result), running_);
  }
  start_next();
  if (job_ != nullptr) ++frames_loading_;
}

std::string Shell::wait_until_open(const std::function<bool()>& give_up) {
  while (loading()) {
    start_next();
    if (give_up && !job_->done(kBetweenQuestions)) {
      if (give_up()) cancel_loading();
      continue;
    }
    LoadResult result = job_->take();
    job_.reset();
    finish_loading(std::move(result), running_);
  }
  return last_error_;
}

void Shell::cancel_loading() {
  queue_.clear();
  if (job_ == nullptr) return;
  job_->cancel();
  context_.status = fmt::format("gave up opening {}", base_name(job_->request().path));
  given_up_.push_back(std::move(job_));
}

void Shell::show_error(const std::string& path, const std::string& error) {
  LoadError explained = explain_load_error(path, error);
  last_error_ = explained.text.substr(0, explained.text.find_last_not_of('\n') + 1);
  error_->show(std::move(explained));
}

void Shell::finish_loading(LoadResult loaded, const Wanted& wanted) {
  if (loaded.document == nullptr) {  // what was open stays open
    show_error(wanted.request.path, loaded.error.empty() ? "it was given up" : loaded.error);
    queue_.clear();
    return;
  }
  recent_.add(wanted.request.path);
  if (!wanted.as_b) {
    use(std::move(loaded.document), wanted.request);
    return;
  }
  if (comparison_ != nullptr && &comparison_->here() != loaded.compared_with.get()) swap_sides();
  close_comparison();
  // Another one may have been shown meanwhile; it goes when nothing refers to it any more.
  const std::shared_ptr<Document> old = std::exchange(documents_[0], std::move(loaded.compared_with));
  requests_[0] = wanted.shown;
  documents_[1] = std::move(loaded.document);
  requests_[1] = wanted.request;
  comparison_ = std::move(loaded.comparison);
  show_document(documents_[0].get());
  context_.status = fmt::format("comparing a {} with b {}", base_name(requests_[0].path), base_name(requests_[1].path));
  if (std::exchange(differences_asked_, false)) show_panel("Findings");
}

void Shell::open(std::unique_ptr<Document> document) {
  LoadRequest request{document->path(), {}};
  use(std::move(document), std::move(request));
}

/// One document in place of what is open.
void Shell::use(std::shared_ptr<Document> a, LoadRequest request) {
  // The old ones go when nothing refers to them any more.
  const std::array<std::shared_ptr<Document>, 2> old = std::exchange(documents_, {});
  const std::unique_ptr<Comparison> old_comparison = std::move(comparison_);
  documents_[0] = std::move(a);
  requests_ = {std::move(request), LoadRequest()};
  show_document(documents_[0].get());
  context_.status = fmt::format("opened {}", base_name(requests_[0].path));
}

void Shell::show_document(Document* document) {
  context_.document = document;
  context_.comparison = comparison_.get();
  context_.selection.attach(&document->recording());
  context_.transport.attach(document, &context_.selection);
  palette_->model().attach(document);
  for (auto& view : views_) view->opened(context_);
}

void Shell::close_comparison() {
  if (comparison_ == nullptr) return;
  const std::shared_ptr<Document> old = std::move(documents_[comparison_->swapped() ? 0 : 1]);
  const std::unique_ptr<Comparison> old_comparison = std::move(comparison_);
  const std::uint32_t position = context_.transport.position();
  const Item item = context_.selection.current();
  if (old_comparison->swapped()) {  // what is shown stays
    documents_[0] = std::move(documents_[1]);
    std::swap(requests_[0], requests_[1]);
  }
  show_document(documents_[0].get());
  context_.transport.seek(position);
  if (item.kind != ItemKind::None) context_.selection.select(item);
  context_.status = fmt::format("closed {}", base_name(old->path()));
}

void Shell::swap_sides() {
  if (comparison_ == nullptr) {
    context_.status = "one recording is open: there are no sides to swap (Ctrl+Shift+O opens another)";
    return;
  }
  const Item item = context_.selection.current();
  const std::uint32_t row = item.kind == ItemKind::None ? kNoRow : comparison_->counterpart(item.kind, item.row);
  const std::uint32_t position = comparison_->position_there(context_.transport.position());
  comparison_->swap();
  show_document(&comparison_->here());
  context_.transport.seek(position);
  if (row != kNoRow) context_.selection.select({item.kind, row});
  context_.status = fmt::format("{} is shown{}", comparison_->here_name(),
                                item.kind == ItemKind::None || row != kNoRow ? "" : ", which has nothing of what was selected");
}

void Shell::show_wanted_side() {
  const Item item = std::exchange(context_.wanted_there, {});
  if (comparison_ == nullptr || item.kind == ItemKind::None) return;
  swap_sides();
  context_.selection.select(item);
}

void Shell::reload() {
  if (error_->open()) {  // what failed is tried again
    const Wanted failed = running_;
    if (failed.as_b) {
      open_for_comparison(failed.request);
    } else {
      open(failed.request);
    }
    return;
  }
  if (documents_[0] == nullptr || requests_[0].path.empty()) return;
  const std::array<LoadRequest, 2> again = requests_;
  const bool both = comparison_ != nullptr;
  open(again[0]);
  if (both) open_for_comparison(again[1]);
}

void Shell::ask_file(bool for_comparison) {
  dialog_compares_ = for_comparison && documents_[0] != nullptr;
  differences_asked_ = false;
  std::string directory;
  const std::string& open_path = requests_[0].path;
  if (const std::size_t slash = open_path.rfind('/'); slash != std::string::npos) directory = open_path.substr(0, slash + 1);
  dialog_->ask(dialog_compares_ ? "Open for comparison" : "Open", directory, run_options_, recent_);
}

void Shell::draw_loading() {
  if (job_ == nullptr || frames_loading_ < kFramesBeforeBar) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float px = context_.theme.px(1);
  ImGui::SetNextWindowPos({display.x * 0.5F, display.y * 0.3F}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(display.x * 0.9F, px * 460), 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetColorU32(ImGuiCol_PopupBg));
  if (ImGui::Begin("Opening", nullptr,
                   ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoFocusOnAppearing)) {
    const float width = ImGui::GetContentRegionAvail().x;
    text(elided(fmt::format("Opening {}", base_name(job_->request().path)), width));
    const std::string words = job_->progress().text();
    const float fraction = job_->progress().fraction();
    // Of unknown length: a stretch that wanders.
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = px * 10;
    ImGui::Dummy({width, height});
    context_.elements.add_item("opening/bar", words);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(at, {at.x + width, at.y + height}, ImGui::GetColorU32(ImGuiCol_FrameBg), px * 3);
    const float part = fraction >= 0.0F ? std::clamp(fraction, 0.0F, 1.0F) : 0.2F;
    const float left = fraction >= 0.0F ? 0.0F : 0.8F * static_cast<float>(frames_loading_ % 120) / 119.0F;
    list.AddRectFilled({at.x + width * left, at.y}, {at.x + width * (left + part), at.y + height}, colour::good(), px * 3);
    text(elided(words.empty() ? "…" : words, width - px * 90), colour::dim());
    ImGui::SameLine(width - px * 62);
    const bool cancelled = ImGui::Button("Cancel");
    tooltip_for_item("Give up (Escape)");
    if (cancelled) cancel_loading();
  }
  ImGui::End();
  ImGui::PopStyleColor();
}

}  // namespace depscope::viewers
