// Names of pictures that are taken one after another.
#pragma once

#include <string>

namespace depscope::app {

/// DIRECTORY/depscope-001.png, or the next number that no file of the directory has. Throws InputError when all are taken; an
/// empty directory is the working directory.
[[nodiscard]] std::string next_picture_name(const std::string& directory);

}  // namespace depscope::app
