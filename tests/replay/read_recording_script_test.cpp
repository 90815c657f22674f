// The reader of docs/recording-format.md, 30 lines of Python, sees what was written.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "depscope/replay/file.h"
#include "script_output.h"
#include "synthetic_recording.h"
#include "temporary_directory.h"

namespace depscope::replay {
namespace {

TEST(ReadRecordingScript, ReadsRowsAndValues) {
  if (!has_python()) GTEST_SKIP() << "python3 is not installed";
  TemporaryDirectory directory;
  recording::Recording r = synthetic_recording({.tasks = 300});
  for (std::uint32_t i = 0; i < r.tensors.rows(); ++i) r.tensors.version[i] = 1000 - 7 * static_cast<std::int32_t>(i);
  const std::string path = directory.file("a.depscope");
  save(r, path);
  const auto printed = [&](const std::string& words) { return script_output("read_recording.py", path + words); };

  std::ostringstream rows;
  rows << "strings " << r.strings.rows() << "\npool " << r.pool.size() << "\n";
  recording::Recording::tables(r, [&](std::string_view name, const auto& table) { rows << name << " " << table.rows() << "\n"; });
  EXPECT_EQ(printed(""), rows.str());

  const auto values = [](const auto& column) {
    std::ostringstream out;
    for (const auto value : column) out << +value << "\n";
    return out.str();
  };
  EXPECT_EQ(printed(" tensors version"), values(r.tensors.version));
  EXPECT_EQ(printed(" tasks id"), values(r.tasks.id));
  EXPECT_EQ(printed(" events kind"), values(r.events.kind));
  EXPECT_EQ(printed(" events new_value"), values(r.events.new_value));
  EXPECT_EQ(printed(" edges via"), values(r.edges.via));
}

}  // namespace
}  // namespace depscope::replay
