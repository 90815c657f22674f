#include "screenshots.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/cursor.h"
#include "depscope/replay/file.h"
#include "temporary_directory.h"
#include "view_program.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

using recording::kNoRow;
using recording::Recording;

constexpr std::chrono::seconds kLimit{60};
constexpr const char* kSize = "1600x1000";

bool has_display() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return true;
  }
  return false;
}

/// The call site to show: the first that made a region fall back, else the first.
std::uint32_t site_to_show(const Recording& r) {
  for (const std::uint32_t site : r.regions.offending_site) {
    if (site != kNoRow) return site;
  }
  return r.call_sites.rows() == 0 ? kNoRow : 0;
}

/// The pass to show: what derives edges if it changed anything, else what gives directions, else the input.
std::uint32_t pass_to_show(const Recording& r) {
  for (const std::string_view wanted : {"AutoDeriveTaskDependencies", "DeriveCallDirections"}) {
    for (std::uint32_t i = 0; i < r.passes.rows(); ++i) {
      if (r.passes.changed[i] != 0 && r.text(r.passes.name[i]) == wanted) return i;
    }
  }
  return 0;
}

/// Events to have applied: to just behind the first that a finding names, else to the middle, where most is going on.
std::uint32_t position_to_show(const Recording& r) {
  for (std::uint32_t f = 0; f < r.findings.rows(); ++f) {
    const auto fields = nlohmann::json::parse(r.text(r.findings.fields[f]), nullptr, false);
    if (!fields.is_object()) continue;
    const auto event = fields.find("event");
    if (event != fields.end() && event->is_number_unsigned() && event->get<std::uint64_t>() < r.events.rows())
      return event->get<std::uint32_t>() + 1;
  }
  return r.events.rows() / 2;
}

/// The last task that an event before the position is about.
std::uint32_t task_to_show(const Recording& r, std::uint32_t position) {
  for (std::uint32_t event = position; event-- > 0;) {
    if (const std::uint32_t task = replay::task_of_event(r, event); task != kNoRow) return task;
  }
  return r.tasks.rows() == 0 ? kNoRow : 0;
}

class Photographer {
 public:
  Photographer(const Recording& recording, const fs::path& file, fs::path view)
      : r_(recording), file_(file), view_(std::move(view)), directory_("the screenshots") {
    if (!has_display()) virtual_display_ = find_program("xvfb-run");
  }

  Screenshots run() {
    Screenshots out;
    if (!has_display() && !virtual_display_) {
      out.missing = "no display, and no xvfb-run for a virtual one";
      return out;
    }
    if (const std::uint32_t site = site_to_show(r_); site != kNoRow)
      take("passes.png", fmt::format("select pass {}\nselect call-site {}", pass_to_show(r_), site), "the passes at a call site",
           out);
    const std::uint32_t position = position_to_show(r_);
    const std::uint32_t task = task_to_show(r_, position);
    if (r_.events.rows() > 0 && task != kNoRow)
      take("run.png", fmt::format("seek {}\nselect task {}", position, task), fmt::format("the run after event {}", position),
           out);
    return out;
  }

 private:
  void take(const std::string& name, const std::string& what_to_do, std::string what, Screenshots& out) {
    const fs::path picture = directory_.path() / name;
    const fs::path script = directory_.path() / "script";
    write_file(script, fmt::format("{}\nwait 6\nscreenshot {}\nquit\n", what_to_do, picture.string()));
    std::vector<std::string> arguments{file_.string(), fmt::format("--size={}", kSize), "--script=" + script.string()};
    fs::path program = view_;
    if (virtual_display_) {
      arguments.insert(arguments.begin(), {"-a", "-s", fmt::format("-screen 0 {}x24", kSize), view_.string()});
      program = *virtual_display_;
    }
    try {
      const std::optional<int> status = run_program(program, arguments, /*quiet=*/true, kLimit);
      if (status == 0) {
        out.pictures.push_back({"screenshots/" + name, read_file(picture), std::move(what)});
        return;
      }
      out.missing = status ? fmt::format("{} ended with status {}", program.string(), *status)
                           : fmt::format("{} took longer than {} s", program.string(), kLimit.count());
    } catch (const InputError& e) {
      out.missing = e.what();
    } catch (const replay::FileError& e) {
      out.missing = e.what();
    }
  }

  const Recording& r_;
  const fs::path& file_;
  fs::path view_;
  std::optional<fs::path> virtual_display_;
  TemporaryDirectory directory_;
};

}  // namespace

Screenshots take_screenshots(const Recording& recording, const fs::path& file) {
  const auto view = find_program(kViewProgram);
  if (!view) return {{}, fmt::format("{} is not installed", kViewProgram)};
  return Photographer(recording, file, *view).run();
}

}  // namespace depscope::app
