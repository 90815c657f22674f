// Windows of one buffer find each other without a scan of all of them, and find the same.
#include "box_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "decision_log.h"
#include "depscope/ir/text.h"
#include "depscope/pass/pass.h"

namespace depscope::pass::testing {
namespace {

rc::Gen<std::int64_t> small() { return rc::gen::inRange<std::int64_t>(-20, 60); }

StorageRegion random_region(BoxPool& boxes) {
  const int shape = *rc::gen::inRange(0, 12);
  if (shape == 0) return {StorageKind::Full, 0, 0};
  if (shape == 1) {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return boxes.make(std::vector<std::int64_t>{*rc::gen::element(most, most - 5, std::int64_t{3})},
                      std::vector<std::int64_t>{*rc::gen::element(most, std::int64_t{5}, std::int64_t{6})});
  }
  const auto rank = *rc::gen::inRange<std::size_t>(1, 5);
  std::vector<std::int64_t> offset;
  std::vector<std::int64_t> extent;
  for (std::size_t d = 0; d < rank; ++d) {
    offset.push_back(*small());
    extent.push_back(*rc::gen::inRange<std::int64_t>(-1, 40));
  }
  return boxes.make(offset, extent);
}

RC_GTEST_PROP(BoxIndexTest, FindsEverythingThatOverlaps, ()) {
  BoxPool boxes;
  BoxIndex index;
  std::vector<StorageRegion> filed;
  const auto steps = *rc::gen::inRange<std::uint32_t>(1, 60);
  for (std::uint32_t i = 0; i < steps; ++i) {
    if (!filed.empty() && *rc::gen::inRange(0, 5) == 0) {
      index.remove_last(filed.back(), boxes);
      filed.pop_back();
    } else {
      filed.push_back(random_region(boxes));
      index.add(static_cast<std::uint32_t>(filed.size()) - 1, filed.back(), boxes);
    }
    const StorageRegion asked = random_region(boxes);
    std::vector<std::uint32_t> found;
    index.may_meet(asked, boxes, found);
    std::sort(found.begin(), found.end());
    RC_ASSERT(std::adjacent_find(found.begin(), found.end()) == found.end());
    RC_ASSERT(std::all_of(found.begin(), found.end(), [&](std::uint32_t access) { return access < filed.size(); }));
    for (std::uint32_t k = 0; k < filed.size(); ++k) {
      if (boxes.overlap(filed[k], asked)) RC_ASSERT(std::binary_search(found.begin(), found.end(), k));
    }
  }
}

// 10,000 rows of one matrix, and as many columns: each window is compared with its few neighbours only.
TEST(BoxIndexTest, TilesFindTheirNeighboursOnly) {
  BoxPool boxes;
  BoxIndex index;
  for (std::int64_t i = 0; i < 100; ++i) {
    for (std::int64_t k = 0; k < 100; ++k) {
      index.add(static_cast<std::uint32_t>(100 * i + k),
                boxes.make(std::vector{i * 128, k * 128}, std::vector<std::int64_t>{128, 128}), boxes);
    }
  }
  std::vector<std::uint32_t> found;
  index.may_meet(boxes.make(std::vector<std::int64_t>{50 * 128, 70 * 128}, std::vector<std::int64_t>{128, 128}), boxes, found);
  EXPECT_NE(std::find(found.begin(), found.end(), 5070U), found.end());
  EXPECT_LE(found.size(), 200U);
  found.clear();
  // A row of tiles and the whole matrix.
  index.may_meet(boxes.make(std::vector<std::int64_t>{50 * 128, 0}, std::vector<std::int64_t>{128, 12'800}), boxes, found);
  EXPECT_GE(found.size(), 100U);
  EXPECT_LE(found.size(), 200U);
  found.clear();
  index.may_meet(boxes.make(std::vector<std::int64_t>{0, 0}, std::vector<std::int64_t>{12'800, 12'800}), boxes, found);
  EXPECT_EQ(found.size(), 10'000U);
}

struct Window {
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;
  [[nodiscard]] bool meets(const Window& other) const {
    return row < other.row + other.rows && other.row < row + rows && column < other.column + other.columns &&
           other.column < column + columns;
  }
};

// What AutoDerive says of hundreds of windows of one buffer is what a comparison of every two of them gives.
RC_GTEST_PROP(BoxIndexTest, ManyWindowsOfOneBufferGetTheRightEdges, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(100, 260);
  const bool mixed = *rc::gen::arbitrary<bool>();  // readers among the writers
  std::vector<Window> windows;
  std::vector<bool> writes;
  std::string body = "        with pl.scope():\n";
  for (std::size_t i = 0; i < count; ++i) {
    // Few different offsets and sizes, so that some windows meet.
    const Window w{16 * *rc::gen::inRange<std::int64_t>(0, 16), 16 * *rc::gen::inRange<std::int64_t>(0, 16),
                   16 * *rc::gen::inRange<std::int64_t>(1, 3), 16 * *rc::gen::inRange<std::int64_t>(1, 3)};
    windows.push_back(w);
    writes.push_back(!mixed || *rc::gen::arbitrary<bool>());
    const std::string n = std::to_string(i);
    body += "            s" + n + " = pl.slice(big, [" + std::to_string(w.rows) + ", " + std::to_string(w.columns) + "], [" +
            std::to_string(w.row) + ", " + std::to_string(w.column) + "])\n";
    body += "            r" + n + ", t" + n + " = pl.submit(self." + (writes.back() ? "put" : "look") + ", s" + n + ")\n";
  }
  const std::string text =
      "import pypto.language as pl\n\n@pl.program\nclass Windows:\n"
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def put(self, o: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:\n        return o\n"
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def look(self, x: pl.Tensor[[16, 16], pl.FP32]) -> pl.Tensor[[16, 16], pl.FP32]:\n        return x\n"
      "    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)\n"
      "    def main(self, big: pl.Tensor[[512, 512], pl.FP32]) -> pl.Tensor[[512, 512], pl.FP32]:\n" +
      body + "        return big\n";
  const ir::ReadResult read = ir::read_text(std::make_shared<SourceFile>("windows.py", text));
  RC_ASSERT(read.ok);
  DecisionLog log;
  Options options;
  options.analyze_auto_scopes = true;
  options.max_single_priors = 1'000'000;
  (void)PassManager({"ConvertToSSA", "DeriveCallDirections", "AutoDeriveTaskDependencies"}, options)
      .run(read.programs.at(0), log);
  std::vector<ir::StmtId> sites;
  for (const AccessRecord& access : log.accesses) sites.push_back(access.site);
  RC_ASSERT(sites.size() == count);
  std::vector<std::vector<std::size_t>> found(count);
  std::vector<std::size_t> disjoint(count, 0);
  const auto position = [&](ir::StmtId site) {
    return static_cast<std::size_t>(std::find(sites.begin(), sites.end(), site) - sites.begin());
  };
  for (const HazardRecord& hazard : log.hazards) {
    const std::size_t current = position(hazard.current_site);
    if (hazard.verdict == HazardVerdict::Disjoint) {
      ++disjoint[current];
    } else {
      found[current].push_back(position(hazard.prior_site));
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::size_t> expected;
    std::size_t apart = 0;
    for (std::size_t k = 0; k < i; ++k) {
      if (!writes[i] && !writes[k]) continue;
      if (windows[i].meets(windows[k])) {
        expected.push_back(k);
      } else {
        ++apart;
      }
    }
    RC_ASSERT(found[i] == expected);
    RC_ASSERT(disjoint[i] == std::min<std::size_t>(apart, 64));
  }
}

}  // namespace
}  // namespace depscope::pass::testing
