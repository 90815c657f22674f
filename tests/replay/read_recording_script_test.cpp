// The reader of docs/recording-format.md, 30 lines of Python, sees what was written.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>

#include "depscope/replay/file.h"
#include "synthetic_recording.h"
#include "temporary_directory.h"

namespace depscope::replay {
namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  std::string out;
  char chunk[4096];
  while (const std::size_t n = std::fread(chunk, 1, sizeof(chunk), pipe.get())) out.append(chunk, n);
  return out;
}

TEST(ReadRecordingScript, ReadsRowsAndValues) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "python3 is not installed";
  TemporaryDirectory directory;
  recording::Recording r = synthetic_recording({.tasks = 300});
  for (std::uint32_t i = 0; i < r.tensors.rows(); ++i) r.tensors.version[i] = 1000 - 7 * static_cast<std::int32_t>(i);
  const std::string path = directory.file("a.depscope");
  save(r, path);
  const std::string script = std::string("python3 " DEPSCOPE_TEST_DATA "/read_recording.py ") + path;

  std::ostringstream rows;
  rows << "strings " << r.strings.rows() << "\npool " << r.pool.size() << "\n";
  recording::Recording::tables(r, [&](std::string_view name, const auto& table) { rows << name << " " << table.rows() << "\n"; });
  EXPECT_EQ(output_of(script), rows.str());

  const auto values = [](const auto& column) {
    std::ostringstream out;
    for (const auto value : column) out << +value << "\n";
    return out.str();
  };
  EXPECT_EQ(output_of(script + " tensors version"), values(r.tensors.version));
  EXPECT_EQ(output_of(script + " tasks id"), values(r.tasks.id));
  EXPECT_EQ(output_of(script + " events kind"), values(r.events.kind));
  EXPECT_EQ(output_of(script + " events new_value"), values(r.events.new_value));
  EXPECT_EQ(output_of(script + " edges via"), values(r.edges.via));
}

}  // namespace
}  // namespace depscope::replay
