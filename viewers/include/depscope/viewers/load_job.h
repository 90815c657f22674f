// Opening something in the background: what is to be opened, how far it is, what came of it. How it is done is given from outside
// (LoadWork), because the window itself only reads recordings: the program depscope-view starts `depscope run` for the rest.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "depscope/viewers/comparison.h"
#include "depscope/viewers/document.h"

namespace depscope::viewers {

struct LoadRequest {
  std::string path;
  std::vector<std::string> options;  ///< of the run, where something is run: "--data=x.json"
};

/// Shared by the window and the thread that works.
class LoadProgress {
 public:
  /// `fraction` from 0 to 1, below 0 while it is not known.
  void set(std::string text, float fraction);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] float fraction() const;
  void cancel() { cancelled_ = true; }
  /// The work looks at this now and then, and gives up.
  [[nodiscard]] bool cancelled() const { return cancelled_; }

 private:
  mutable std::mutex mutex_;
  std::string text_;
  float fraction_ = -1.0F;
  std::atomic<bool> cancelled_ = false;
};

/// Opens a request, on a thread of its own. Throws what is wrong: InputError, replay::FileError, any std::exception; its text is
/// shown. Null after LoadProgress::cancel.
using LoadWork = std::function<std::unique_ptr<Document>(const LoadRequest&, LoadProgress&)>;

/// Opens recordings and bundles that hold one.
[[nodiscard]] std::unique_ptr<Document> load_recorded(const LoadRequest& request, LoadProgress& progress);

struct LoadResult {
  std::unique_ptr<Document> document;      ///< null if there is an error, or it was cancelled
  std::unique_ptr<Comparison> comparison;  ///< of the document that was given to the job with the one loaded
  std::shared_ptr<Document> compared_with;
  std::string error;  ///< of one or several lines, with source line and caret where they are known
};

class LoadJob {
 public:
  /// Begins at once. With `compare_with` the comparison is made as well.
  LoadJob(LoadRequest request, LoadWork work, std::shared_ptr<Document> compare_with);
  /// Cancels and waits.
  ~LoadJob();
  LoadJob(const LoadJob&) = delete;
  LoadJob& operator=(const LoadJob&) = delete;

  [[nodiscard]] const LoadRequest& request() const { return request_; }
  [[nodiscard]] const LoadProgress& progress() const { return progress_; }
  void cancel() { progress_.cancel(); }
  /// Waits `at_most` for it.
  [[nodiscard]] bool done(std::chrono::milliseconds at_most = std::chrono::milliseconds(0)) const;
  /// Waits. Once only.
  [[nodiscard]] LoadResult take() { return result_.get(); }

 private:
  LoadRequest request_;
  LoadProgress progress_;
  std::future<LoadResult> result_;
};

}  // namespace depscope::viewers
