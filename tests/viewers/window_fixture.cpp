#include "window_fixture.h"

#include <stb_image.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "depscope/replay/file.h"
#include "sample_recording.h"

namespace depscope::viewers {

namespace fs = std::filesystem;

Result run_command(const std::string& command) {
  Result result;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) result.output.append(buffer.data(), count);
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

Picture::Picture(const fs::path& path) : pixels(nullptr, stbi_image_free) {
  int channels = 0;
  pixels.reset(stbi_load(path.c_str(), &width, &height, &channels, 3));
}

int Picture::count(int red, int green, int blue, int within) const {
  return count_in(0, 0, width, height, red, green, blue, within);
}

int Picture::count_in(int left, int top, int right, int bottom, int red, int green, int blue, int within) const {
  int found = 0;
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) {
      const unsigned char* p = pixels.get() + (static_cast<std::ptrdiff_t>(y) * width + x) * 3;
      if (std::abs(p[0] - red) <= within && std::abs(p[1] - green) <= within && std::abs(p[2] - blue) <= within) ++found;
    }
  }
  return found;
}

void WindowTest::SetUp() {
  if (run_command("command -v Xvfb").status != 0) GTEST_SKIP() << "Xvfb is not installed";
  directory_ = fs::temp_directory_path() / ("depscope_window_test_" + std::to_string(getpid()));
  fs::create_directories(directory_);
  replay::save(sample_recording(20), path("sample.depscope"));
}

void WindowTest::TearDown() {
  std::error_code error;
  if (!directory_.empty()) fs::remove_all(directory_, error);
}

void WindowTest::write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

Result WindowTest::view(const std::string& arguments) const {
  return run_command(std::string("sh '") + DEPSCOPE_WITH_XVFB + "' '" + DEPSCOPE_VIEW_PROGRAM + "' " + arguments);
}

Result WindowTest::script(const std::string& text, const std::string& arguments, const std::string& recording) const {
  write("s.txt", text);
  return view("'" + path(recording) + "' --script '" + path("s.txt") + "' " + arguments);
}

void WindowTest::record(const std::string& program, const std::string& out, const std::string& options) const {
  const std::string sample = std::string(DEPSCOPE_SAMPLES) + "/" + program + ".py";
  const std::string input = fs::exists(sample) ? sample : path(program);
  const Result result =
      run_command(std::string("'") + DEPSCOPE_PROGRAM + "' run '" + input + "' " + options + " -o '" + path(out) + "'");
  ASSERT_TRUE(result.status == 0 || result.status == 1) << result.output;
}

recording::Recording WindowTest::load(const std::string& name) const { return replay::load(path(name)); }

}  // namespace depscope::viewers
