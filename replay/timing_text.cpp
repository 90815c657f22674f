#include "depscope/replay/timing_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "depscope/replay/measured_run.h"
#include "json_text.h"
#include "json_writer.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::kNotMeasured;

constexpr double kLongest = 4294967294.0;

std::uint64_t units(double ticks, double units_per_tick) {
  return static_cast<std::uint64_t>(std::clamp(std::round(ticks * units_per_tick), 1.0, kLongest));
}

}  // namespace

std::string timing_text(const recording::Recording& run) {
  const auto& m = run.measured_dispatches;
  const double per_tick = microseconds_per_tick(run) * kTimingUnitsPerSecond / 1e6;
  struct Row {
    std::uint64_t task, ticks;
    std::uint32_t row;
  };
  std::vector<Row> rows;
  for (std::uint32_t row = 0; row < m.rows(); ++row) {
    if (m.start[row] != kNotMeasured && m.end[row] != kNotMeasured)
      rows.push_back({m.task_id[row], m.end[row] - std::min(m.end[row], m.start[row]), m.task[row]});
  }
  if (rows.empty()) return {};
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.task != b.task ? a.task < b.task : a.ticks > b.ticks;  // the longest first
  });
  struct Kernel {
    double ticks = 0;
    std::uint64_t tasks = 0;
  };
  std::map<std::string_view, Kernel> kernels;
  std::string out;
  const TextOutput append = [&out](std::string_view piece) { out += piece; };
  JsonWriter json(append);
  json.begin_object().field("schema", "depscope.timing/1").key("tasks").begin_object();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& r = rows[i];
    if (i != 0 && rows[i - 1].task == r.task) continue;
    json.key(std::to_string(r.task)).value(units(static_cast<double>(r.ticks), per_tick));
    if (r.row == kNoRow || run.tasks.callee[r.row] == 0) continue;
    Kernel& kernel = kernels[run.text(run.tasks.callee[r.row])];
    kernel.ticks += static_cast<double>(r.ticks);
    ++kernel.tasks;
  }
  json.end_object();
  if (!kernels.empty()) {
    json.key("kernels").begin_object();
    for (const auto& [name, kernel] : kernels) {
      const std::string quoted = json_string(name);
      json.key(std::string_view(quoted).substr(1, quoted.size() - 2));
      json.value(units(kernel.ticks / static_cast<double>(kernel.tasks), per_tick));
    }
    json.end_object();
  }
  json.end_object().finish();
  return out;
}

}  // namespace depscope::replay
