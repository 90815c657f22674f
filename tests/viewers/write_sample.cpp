// write_view_sample OUT.depscope [TASKS [PASSES_DUMP_DIRECTORY]]: a recording for GUI tests and pictures.
#include <cstdio>
#include <exception>
#include <string>

#include "depscope/replay/file.h"
#include "sample_recording.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: write_view_sample OUT.depscope [TASKS [PASSES_DUMP_DIRECTORY]]\n", stderr);
    return 2;
  }
  try {
    const auto tasks = static_cast<std::uint32_t>(argc > 2 ? std::stoul(argv[2]) : 20);
    depscope::replay::save(depscope::viewers::sample_recording(tasks, argc > 3 ? argv[3] : ""), argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_view_sample: %s\n", error.what());
    return 2;
  }
  return 0;
}
