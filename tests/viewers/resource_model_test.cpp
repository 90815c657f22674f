// Buffers, conflicts and orders against sets of bytes and a closure over all edges.
#include "resource_model.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "sample_runs.h"

namespace depscope::viewers {
namespace {

using runtime::ArgKind;

class ResourceModelTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Samples, ResourceModelTest,
                         ::testing::Values("02_softmax_tiles", "06_moe_dispatch", "07_manual_pipeline", "08_fused_mlp_war",
                                           "traces/diamond.trace.json"));

TEST_P(ResourceModelTest, BuffersAreOneAddressOfOneOwner) {
  const Document document(sample_run(GetParam()), "sample");
  const auto& r = document.recording();
  const Buffers buffers(document);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::set<std::uint32_t>> expected;
  for (std::uint32_t t = 0; t < r.tensors.rows(); ++t) {
    if (r.tensors.address[t] != 0) expected[{r.tensors.owner[t], r.tensors.address[t]}].insert(buffers.of_tensor(t));
  }
  std::set<std::uint32_t> seen;
  for (const auto& [key, numbers] : expected) {
    EXPECT_EQ(numbers.size(), 1U);
    EXPECT_TRUE(seen.insert(*numbers.begin()).second) << "two buffers are one";
  }
  std::uint32_t accesses = 0;
  std::uint32_t last = 0;
  for (std::uint32_t buffer = 0; buffer < buffers.size(); ++buffer) {
    const auto rows = buffers.accesses(buffer);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    accesses += static_cast<std::uint32_t>(rows.size());
    std::uint32_t reads = 0;
    std::uint32_t writes = 0;
    for (const std::uint32_t access : rows) {
      const auto kind = static_cast<ArgKind>(r.accesses.kind[access]);
      reads += kind == ArgKind::Input || kind == ArgKind::InOut;
      writes += kind == ArgKind::Output || kind == ArgKind::InOut || kind == ArgKind::OutputExisting;
    }
    EXPECT_EQ(buffers.reads(buffer), reads);
    EXPECT_EQ(buffers.writes(buffer), writes);
    EXPECT_FALSE(buffers.name(document, buffer).empty());
    last = std::max(last, buffer);
  }
  EXPECT_EQ(accesses, r.accesses.rows());
}

TEST_P(ResourceModelTest, OrdersAreThoseOfTheClosure) {
  const Document document(sample_run(GetParam()), "sample");
  const auto& r = document.recording();
  const std::uint32_t tasks = r.tasks.rows();
  // reach[a][b]: a path of WAIT edges leads from a to b. Producers come before their consumers.
  std::vector<std::vector<bool>> reach(tasks, std::vector<bool>(tasks));
  std::set<std::pair<std::uint32_t, std::uint32_t>> direct;
  for (std::uint32_t edge = 0; edge < r.edges.rows(); ++edge) {
    if ((r.edges.flags_final[edge] & runtime::kWait) != 0) direct.emplace(r.edges.producer[edge], r.edges.consumer[edge]);
  }
  for (std::uint32_t b = 0; b < tasks; ++b) {
    for (const auto& [producer, consumer] : direct) {
      if (consumer != b) continue;
      reach[producer][b] = true;
      for (std::uint32_t a = 0; a < producer; ++a) {
        if (reach[a][producer]) reach[a][b] = true;
      }
    }
  }
  int paths = 0;
  for (std::uint32_t a = 0; a < tasks; ++a) {
    EXPECT_EQ(ordering_of(document, a, a).order, Order::SameTask);
    for (std::uint32_t b = a + 1; b < tasks; ++b) {
      const Ordering found = ordering_of(document, a, b);
      const Order expected = direct.contains({a, b}) ? Order::Edge : reach[a][b] ? Order::Path : Order::None;
      ASSERT_EQ(found.order, expected) << a << " " << b;
      if (expected == Order::Edge) {
        EXPECT_EQ(r.edges.producer[found.edge], a);
        EXPECT_EQ(r.edges.consumer[found.edge], b);
        EXPECT_THAT(ordering_words(document, found), ::testing::StartsWith("edge " + std::to_string(found.edge)));
      } else if (expected == Order::Path) {
        ++paths;
        EXPECT_GE(found.steps, 2U);
        EXPECT_TRUE(direct.contains({found.through, b}));
        EXPECT_TRUE(reach[a][found.through]);
        EXPECT_THAT(ordering_words(document, found), ::testing::HasSubstr("through t" + std::to_string(found.through)));
      } else {
        EXPECT_THAT(ordering_words(document, found), ::testing::StartsWith("no path"));
      }
    }
  }
  if (r.tasks.rows() > 10) {
    EXPECT_GT(paths, 0);
  }
}

std::set<std::uint64_t> bytes_of(const ByteView& view) {
  std::set<std::uint64_t> out;
  std::vector<ByteRun> runs;
  EXPECT_TRUE(drawn_runs(view, 1, 1U << 20U, runs));
  for (const ByteRun& run : runs) {
    for (std::uint64_t byte = run.first; byte < run.second; ++byte) out.insert(byte);
  }
  return out;
}

TEST_P(ResourceModelTest, ConflictsAreThoseOfTheBytes) {
  const Document document(sample_run(GetParam()), "sample");
  const auto& r = document.recording();
  const Buffers buffers(document);
  std::size_t conflicts = 0;
  for (std::uint32_t buffer = 0; buffer < buffers.size(); ++buffer) {
    const auto rows = buffers.accesses(buffer);
    struct Bytes {
      std::set<std::uint64_t> read, written, all;
      bool known = true;
    };
    std::vector<Bytes> bytes;
    for (const std::uint32_t access : rows) {
      Bytes& mine = bytes.emplace_back();
      for (const Footprint& footprint : footprints_of(r, access)) {
        mine.known = mine.known && footprint.view.known;
        const auto set = bytes_of(footprint.view);
        if ((footprint.mode & 1U) != 0) mine.read.insert(set.begin(), set.end());
        if ((footprint.mode & 2U) != 0) mine.written.insert(set.begin(), set.end());
        mine.all.insert(set.begin(), set.end());
      }
    }
    const auto meet = [](const std::set<std::uint64_t>& a, const std::set<std::uint64_t>& b) {
      return std::any_of(a.begin(), a.end(), [&](std::uint64_t byte) { return b.contains(byte); });
    };
    for (std::size_t a = 0; a < rows.size() && a < 12; ++a) {
      for (std::size_t b = a + 1; b < rows.size() && b < 12; ++b) {
        const Conflict found = conflict_of(document, rows[a], rows[b]);
        if (!bytes[a].known || !bytes[b].known) {
          EXPECT_EQ(found.shared, Shared::Maybe);
          continue;
        }
        EXPECT_EQ(found.shared, meet(bytes[a].all, bytes[b].all) ? Shared::Yes : Shared::No);
        std::uint8_t kinds = 0;
        if (r.accesses.task[rows[a]] != r.accesses.task[rows[b]]) {
          if (meet(bytes[a].written, bytes[b].read)) kinds |= kRaw;
          if (meet(bytes[a].read, bytes[b].written)) kinds |= kWar;
          if (meet(bytes[a].written, bytes[b].written)) kinds |= kWaw;
        }
        ASSERT_EQ(found.kinds, kinds) << rows[a] << " " << rows[b];
        ASSERT_EQ(conflict_of(document, rows[b], rows[a]).kinds, kinds) << "the order of asking does not matter";
        conflicts += kinds != 0;
      }
    }
  }
  EXPECT_GT(conflicts + (r.tasks.rows() < 10 ? 1 : 0), 0U);
}

TEST(ResourceModel, ConflictsAreJudgedOnce) {
  const Document document(sample_run("08_fused_mlp_war"), "sample");
  const Buffers buffers(document);
  Conflicts conflicts;
  for (std::uint32_t buffer = 0; buffer < buffers.size(); ++buffer) {
    for (const std::uint32_t chosen : buffers.accesses(buffer)) {
      conflicts.choose(&document, chosen);
      for (const std::uint32_t access : buffers.accesses(buffer)) {
        const Conflict expected = conflict_of(document, chosen, access);
        EXPECT_EQ(conflicts.of(access).kinds, expected.kinds);
        EXPECT_EQ(conflicts.of(access).ordering.order, expected.ordering.order);
      }
    }
  }
  EXPECT_EQ(conflict_words(kRaw | kWaw), "RAW WAW");
  EXPECT_EQ(conflict_words(0), "");
}

TEST(ResourceModel, TheFilterFindsNames) {
  const Document document(sample_run("06_moe_dispatch"), "sample");
  const Buffers buffers(document);
  EXPECT_EQ(buffers_named(document, buffers, "").size(), buffers.size());
  const auto found = buffers_named(document, buffers, "SORTED");
  ASSERT_FALSE(found.empty());
  std::size_t expected = 0;
  for (std::uint32_t buffer = 0; buffer < buffers.size(); ++buffer)
    expected += buffers.name(document, buffer).find("sorted") != std::string::npos;
  EXPECT_EQ(found.size(), expected);
  EXPECT_TRUE(buffers_named(document, buffers, "no such tensor").empty());
}

TEST(ResourceModel, ATraceOutputIsTheBufferItsReadersUse) {
  const Document document(sample_run("traces/diamond.trace.json"), "trace");
  const auto& r = document.recording();
  const Buffers buffers(document);
  for (std::uint32_t access = 0; access < r.accesses.rows(); ++access) {
    if (static_cast<ArgKind>(r.accesses.kind[access]) != ArgKind::Input) continue;
    const std::uint32_t owner = buffers.task_of(r.tensors.owner[r.accesses.tensor[access]]);
    ASSERT_NE(owner, kNoRow);
    const auto [first, last] = document.accesses_of_task(owner);
    const bool made =
        std::any_of(buffers.accesses(buffers.of_access(access)).begin(), buffers.accesses(buffers.of_access(access)).end(),
                    [&](std::uint32_t other) {
                      return other >= first && other < last && static_cast<ArgKind>(r.accesses.kind[other]) == ArgKind::Output;
                    });
    EXPECT_TRUE(made) << "access " << access;
  }
}

}  // namespace
}  // namespace depscope::viewers
