// The pictures that `depscope bundle` takes of the window.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stb_image.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "depscope/replay/file.h"
#include "sample_recording.h"
#include "temporary_directory.h"
#include "zip_archive.h"

namespace depscope::viewers {
namespace {

class BundleScreenshots : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v Xvfb >/dev/null") != 0) GTEST_SKIP() << "Xvfb is not installed";
    replay::save(sample_recording(20), directory_.file("sample.depscope"));
  }

  /// What the command prints; `before` goes in front of it.
  std::string bundle(const std::string& before) {
    const std::string command = before + " '" + DEPSCOPE_PROGRAM + "' bundle '" + directory_.file("sample.depscope") + "' -o '" +
                                directory_.file("b.zip") + "' >'" + directory_.file("out") + "' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return replay::read_bytes(directory_.file("out"));
  }

  replay::TemporaryDirectory directory_;
};

TEST_F(BundleScreenshots, AreTakenOnADisplay) {
  const std::string out = bundle(std::string("sh '") + DEPSCOPE_WITH_XVFB + "'");
  EXPECT_THAT(out, ::testing::Not(::testing::HasSubstr("no screenshots")));
  const replay::ZipReader zip(directory_.file("b.zip"), {});
  std::string before;
  for (const char* name : {"screenshots/passes.png", "screenshots/run.png"}) {
    const std::int64_t at = zip.find(name);
    ASSERT_GE(at, 0) << name;
    const std::string png = zip.text(static_cast<std::size_t>(at), 100'000'000);
    int width = 0, height = 0, channels = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> pixels(
        stbi_load_from_memory(reinterpret_cast<const unsigned char*>(png.data()), static_cast<int>(png.size()), &width, &height,
                              &channels, 3),
        stbi_image_free);
    ASSERT_NE(pixels, nullptr) << name;
    EXPECT_EQ(width, 1600);
    EXPECT_EQ(height, 1000);
    int ground = 0;
    for (int i = 0; i < width * height; ++i) {
      const unsigned char* p = pixels.get() + static_cast<std::ptrdiff_t>(i) * 3;
      ground += std::abs(p[0] - 29) <= 3 && std::abs(p[1] - 31) <= 3 && std::abs(p[2] - 37) <= 3;
    }
    EXPECT_GT(ground, width * height / 10) << name << ": the ground of the panels";
    EXPECT_LT(ground, width * height * 99 / 100) << name << ": nothing is drawn";
    EXPECT_NE(png, before);
    before = png;
  }
}

TEST_F(BundleScreenshots, TheWindowOpensABundle) {
  bundle("env -u DISPLAY -u WAYLAND_DISPLAY PATH=/nowhere");
  replay::write_bytes(directory_.file("s.txt"), "expect \"20 tasks\"\nexpect \"02 ConvertToSSA\"\n");
  const std::string command = std::string("sh '") + DEPSCOPE_WITH_XVFB + "' '" + DEPSCOPE_VIEW_PROGRAM + "' '" +
                              directory_.file("b.zip") + "' --script '" + directory_.file("s.txt") + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST_F(BundleScreenshots, AreMissedInOneLine) {
  const std::string out = bundle("env -u DISPLAY -u WAYLAND_DISPLAY PATH=/nowhere");
  EXPECT_THAT(out, ::testing::HasSubstr("no screenshots: no display, and no xvfb-run for a virtual one"));
  EXPECT_LT(replay::ZipReader(directory_.file("b.zip"), {}).find("screenshots/run.png"), 0);
}

}  // namespace
}  // namespace depscope::viewers
