// How large recordings of the samples are, in bytes of the file for each event.
#include <gtest/gtest.h>
#include <zip.h>

#include <filesystem>
#include <string>
#include <vector>

#include "command_outcome.h"
#include "depscope/replay/file.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

constexpr double kMaxBytesAnEvent = 12;
constexpr std::uint32_t kFewEvents = 500;  // below, what every table has before its first row weighs more than the rows

class RecordingSize : public TemporaryFolder {};

TEST_F(RecordingSize, OfTheSamples) {
  const std::string path = (folder_ / "x.depscope").string();
  int with_many = 0;
  for (const auto& entry : fs::directory_iterator(DEPSCOPE_SAMPLES)) {
    if (entry.path().extension() != ".py") continue;
    SCOPED_TRACE(entry.path().string());
    const std::string sample = entry.path().string();
    const std::string data = (fs::path(DEPSCOPE_SAMPLES) / "data" / entry.path().filename().replace_extension(".json")).string();
    std::vector<const char*> arguments{"run", sample.c_str(), "--events", "full", "-o", path.c_str()};
    if (fs::exists(data)) arguments.insert(arguments.end(), {"--data", data.c_str()});
    ASSERT_EQ(run(arguments).status, kDone);
    const std::uint32_t events = replay::load(path).events.rows();
    std::uint64_t of_events = 0, of_tables = 0;
    int code = 0;
    zip_t* zip = zip_open(path.c_str(), ZIP_RDONLY, &code);
    ASSERT_NE(zip, nullptr);
    for (zip_int64_t i = 0; i < zip_get_num_entries(zip, 0); ++i) {
      zip_stat_t stat;
      zip_stat_index(zip, static_cast<zip_uint64_t>(i), 0, &stat);
      const std::string name = stat.name;
      if (name == "tables/events") of_events = stat.comp_size;
      if (name.starts_with("tables/")) of_tables += stat.comp_size;
    }
    zip_discard(zip);
    ASSERT_GT(events, 0U);
    ASSERT_GT(of_events, 0U);
    EXPECT_LE(static_cast<double>(of_events) / events, kMaxBytesAnEvent) << "the events";
    if (events < kFewEvents) continue;
    ++with_many;
    EXPECT_LE(static_cast<double>(of_tables) / events, kMaxBytesAnEvent) << "all tables";
  }
  EXPECT_GE(with_many, 8);
}

}  // namespace
}  // namespace depscope::app
