// The scripts of docs/tour: every picture of the tour shows what its page says, at both sizes, with nothing on top of anything.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "window_fixture.h"

namespace depscope::viewers {
namespace {

namespace fs = std::filesystem;

const fs::path kTour = fs::path(DEPSCOPE_SAMPLES).parent_path() / "docs/tour";

std::vector<std::string> scripts() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kTour)) {
    if (entry.path().extension() == ".script") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A script says in its first lines what it is run on: "# run: NAME OPTIONS…", twice for a comparison. {samples} in the options
/// is the folder of the samples.
struct Script {
  std::vector<std::pair<std::string, std::string>> runs;  // sample, options
  std::vector<std::string> pictures;
  std::string text;
};

std::string with_folder(std::string options) {
  constexpr std::string_view kFolder = "{samples}";
  for (std::size_t at = options.find(kFolder); at != std::string::npos; at = options.find(kFolder, at)) {
    options.replace(at, kFolder.size(), DEPSCOPE_SAMPLES);
  }
  return options;
}

Script read_script(const std::string& name) {
  Script out;
  out.text = text_of(kTour / (name + ".script"));
  std::istringstream lines(out.text);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kRun = "# run: ";
    constexpr std::string_view kPicture = "screenshot ";
    if (line.starts_with(kRun)) {
      const std::string rest = line.substr(kRun.size());
      const std::size_t blank = std::min(rest.find(' '), rest.size());
      out.runs.emplace_back(rest.substr(0, blank), with_folder(rest.substr(blank)));
    } else if (line.starts_with(kPicture)) {
      out.pictures.push_back(line.substr(kPicture.size()));
    }
  }
  return out;
}

class Tour : public WindowTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void show(const std::string& size, int width) {
    const Script script = read_script(GetParam());
    ASSERT_FALSE(script.runs.empty()) << "the script does not say what it is run on";
    ASSERT_FALSE(script.pictures.empty());
    std::string files;
    for (const auto& [sample, options] : script.runs) {
      const std::string file = "run" + std::to_string(files.size()) + ".depscope";
      ASSERT_NO_FATAL_FAILURE(record(sample, file, options));
      files += " '" + path(file) + "'";
    }
    write("tour.script", script.text);
    const Result result = run_command("cd '" + path(".") + "' && sh '" + DEPSCOPE_WITH_XVFB + "' '" + DEPSCOPE_VIEW_PROGRAM +
                                      "'" + files + " --script tour.script " + size);
    EXPECT_EQ(result.status, 0) << result.output;
    for (const std::string& picture : script.pictures) {
      ASSERT_TRUE(fs::exists(path(picture))) << picture;
      EXPECT_EQ(Picture(path(picture)).width, width);
      EXPECT_TRUE(fs::exists(kTour / picture)) << picture << " is not among the pictures of the tour: ./dev tour makes them";
    }
  }
};

TEST_P(Tour, AtTheSizeOfALaptop) { show("--size 1280x800", 1280); }
TEST_P(Tour, AtTwiceTheScale) { show("--size 2560x1440 --scale 2", 2560); }

INSTANTIATE_TEST_SUITE_P(Pages, Tour, ::testing::ValuesIn(scripts()), [](const auto& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

TEST(TourPages, EveryPictureIsOnAPageAndEverySampleHasOne) {
  std::string pages;
  for (const auto& entry : fs::directory_iterator(kTour)) {
    if (entry.path().extension() == ".md") pages += text_of(entry.path());
  }
  for (const std::string& name : scripts()) {
    for (const std::string& picture : read_script(name).pictures) {
      EXPECT_THAT(pages, ::testing::HasSubstr("(" + picture + ")")) << name;
    }
  }
  for (const auto& entry : fs::directory_iterator(DEPSCOPE_SAMPLES)) {
    if (entry.path().extension() != ".py") continue;
    EXPECT_THAT(pages, ::testing::HasSubstr(entry.path().filename().string()));
  }
}

}  // namespace
}  // namespace depscope::viewers
