// Opens what has to be run first, with the program `depscope` that stands beside this one.
#pragma once

#include <memory>

#include "depscope/viewers/load_job.h"

namespace depscope::app {

/// Recordings, and bundles that hold one, are read (a bundle is run again if there are options); everything else is recorded by
/// `depscope run INPUT OPTIONS -o TEMPORARY`, a child with a process group of its own that ends when this program does, and the
/// recording is read. Nothing is left behind, also when it is cancelled. What the child says on standard error is the error.
[[nodiscard]] std::unique_ptr<viewers::Document> open_anything(const viewers::LoadRequest& request,
                                                               viewers::LoadProgress& progress);

}  // namespace depscope::app
