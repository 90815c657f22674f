#include "depscope/viewers/load_job.h"

#include <exception>
#include <utility>

#include "depscope/base/diagnostics.h"

namespace depscope::viewers {

void LoadProgress::set(std::string text, float fraction) {
  const std::lock_guard lock(mutex_);
  text_ = std::move(text);
  fraction_ = fraction;
}

std::string LoadProgress::text() const {
  const std::lock_guard lock(mutex_);
  return text_;
}

float LoadProgress::fraction() const {
  const std::lock_guard lock(mutex_);
  return fraction_;
}

std::unique_ptr<Document> load_recorded(const LoadRequest& request, LoadProgress& progress) {
  progress.set("reading the recording", -1.0F);
  return Document::load(request.path);
}

namespace {

LoadResult load(const LoadRequest& request, const LoadWork& work, LoadProgress& progress,
                std::shared_ptr<Document> compare_with) {
  LoadResult result;
  try {
    result.document = work(request, progress);
    if (result.document != nullptr && compare_with != nullptr && !progress.cancelled()) {
      progress.set("comparing", -1.0F);
      result.comparison = std::make_unique<Comparison>(*compare_with, *result.document);
      result.compared_with = std::move(compare_with);
    }
  } catch (const InputError& problem) {
    for (const Diagnostic& diagnostic : problem.diagnostics())
      result.error += (result.error.empty() ? "" : "\n") + diagnostic.text();
  } catch (const std::bad_alloc&) {
    result.error = request.path + ": out of memory";
  } catch (const std::exception& problem) {
    result.error = problem.what();
  }
  if (!result.error.empty()) result.document.reset();
  return result;
}

}  // namespace

LoadJob::LoadJob(LoadRequest request, LoadWork work, std::shared_ptr<Document> compare_with) : request_(std::move(request)) {
  result_ = std::async(std::launch::async, [this, work = std::move(work), compare_with = std::move(compare_with)] {
    return load(request_, work, progress_, compare_with);
  });
}

LoadJob::~LoadJob() {
  progress_.cancel();
  if (result_.valid()) result_.wait();
}

bool LoadJob::done(std::chrono::milliseconds at_most) const {
  return result_.valid() && result_.wait_for(at_most) == std::future_status::ready;
}

}  // namespace depscope::viewers
