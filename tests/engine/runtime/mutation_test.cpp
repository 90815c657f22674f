// Every fault that is put into the model on purpose is convicted, by the invariants and by the scenarios that docs/invariants.md
// names, and by no invariant that it does not name.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "mutation_runs.h"

namespace depscope::runtime {
namespace {

std::vector<std::string> words_of(const std::string& cell) {
  std::istringstream in(cell);
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    std::erase_if(word, [](char c) { return c == '`' || c == ','; });
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

int invariant_of(const std::string& word) {
  return word.size() > 1 && word[0] == 'I' && word[1] >= '0' && word[1] <= '9' ? std::atoi(word.c_str() + 1) : 0;
}

/// The tables of the page, by what stands in the first column.
struct Page {
  struct Fault {
    std::set<int> invariants;
    std::vector<std::string> scenarios;
  };
  struct Invariant {
    std::vector<std::string> faults;
    std::string alone;
  };
  std::map<std::string, Fault> faults;
  std::map<int, Invariant> invariants;

  Page() {
    std::ifstream file(DEPSCOPE_INVARIANTS_PAGE);
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("| ")) continue;
      std::vector<std::string> cells;
      std::istringstream in(line.substr(1));
      for (std::string cell; std::getline(in, cell, '|');) cells.push_back(cell);
      const std::vector<std::string> first = words_of(cells[0]);
      if (first.empty() || cells.size() < 4) continue;
      if (cells[0].find('`') != std::string::npos) {
        Fault& fault = faults[first[0]];
        for (const std::string& word : words_of(cells[2])) {
          if (const int number = invariant_of(word); number != 0) fault.invariants.insert(number);
        }
        for (const std::string& word : words_of(cells[3])) {
          if (word != "-") fault.scenarios.push_back(word);
        }
      } else if (const int number = invariant_of(first[0]); number != 0) {
        std::vector<std::string> convicts = words_of(cells[2]);
        std::erase(convicts, "-");
        invariants[number] = {convicts, cells[3]};
      }
    }
  }
};

const Page& page() {
  static const Page page;
  return page;
}

/// The runs take a while; each test is a process of its own, as a rule.
const Convictions& convictions(Mutation mutation) {
  static std::map<Mutation, Convictions> known;
  const auto [found, added] = known.try_emplace(mutation);
  if (added) found->second = convict(mutation);
  return found->second;
}

/// Names of the scenarios that fail with the mutation.
std::set<std::string> failing_scenarios(Mutation mutation, const std::string& filter) {
  const std::string command =
      fmt::format("DEPSCOPE_TEST_MUTATION={} GTEST_OUTPUT= timeout 60 '{}' --gtest_brief=1 --gtest_filter='{}' 2>&1",
                  static_cast<int>(mutation), DEPSCOPE_SCENARIOS, filter);
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string said;
  std::array<char, 4096> piece{};
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe)) said.append(piece.data(), size);
  const int status = pclose(pipe);
  std::set<std::string> failing;
  std::istringstream lines(said);
  constexpr std::string_view kFailed = "[  FAILED  ] ";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kFailed)) continue;
    const std::size_t dot = line.find('.');
    if (dot == std::string::npos) continue;
    failing.insert(line.substr(dot + 1, line.find_first_of("/ ,", dot) - dot - 1));
  }
  EXPECT_TRUE(WIFEXITED(status)) << said;
  EXPECT_NE(WEXITSTATUS(status), 124) << "it did not end";
  return failing;
}

class MutationTest : public ::testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static Mutation mutation() { return static_cast<Mutation>(GetParam()); }
};

TEST_P(MutationTest, IsConvictedByTheInvariantsOfThePage) {
  const auto row = page().faults.find(std::string(mutation_name(mutation())));
  ASSERT_NE(row, page().faults.end()) << "docs/invariants.md does not name it";
  std::set<int> fired;
  for (int number = 1; number <= kInvariants; ++number) {
    if (convictions(mutation()).by(number)) fired.insert(number);
  }
  EXPECT_EQ(fired, row->second.invariants);
  EXPECT_FALSE(fired.empty() && row->second.scenarios.empty()) << "nothing convicts it";
}

TEST_P(MutationTest, FailsTheScenariosOfThePage) {
  const auto row = page().faults.find(std::string(mutation_name(mutation())));
  ASSERT_NE(row, page().faults.end());
  if (row->second.scenarios.empty()) return;  // then an invariant convicts it
  std::string filter;
  for (const std::string& name : row->second.scenarios) filter += fmt::format("{}*.{}*", filter.empty() ? "" : ":", name);
  const std::set<std::string> failing = failing_scenarios(mutation(), filter);
  for (const std::string& name : row->second.scenarios) EXPECT_TRUE(failing.contains(name)) << name;
}

INSTANTIATE_TEST_SUITE_P(All, MutationTest, ::testing::Range(1, static_cast<int>(kMutationCount)),
                         [](const auto& info) { return std::string(mutation_name(static_cast<Mutation>(info.param))); });

TEST(Mutations, WithoutAFaultNothingIsReported) {
  const Convictions none = convict(Mutation::None);
  for (int number = 1; number <= kInvariants; ++number) EXPECT_FALSE(none.by(number)) << number;
  EXPECT_EQ(none.starved, 0U);
}

TEST(Mutations, ThePageNamesEveryFaultAndNoOther) {
  std::set<std::string> names;
  for (std::size_t m = 1; m < kMutationCount; ++m) names.insert(std::string(mutation_name(static_cast<Mutation>(m))));
  std::set<std::string> told;
  for (const auto& [name, fault] : page().faults) told.insert(name);
  EXPECT_EQ(told, names);
}

/// Without one of them, a fault would go unseen, or the page says why it is there.
TEST(Mutations, EveryInvariantIsNeededOrJustified) {
  for (int number = 1; number <= kInvariants; ++number) {
    const auto row = page().invariants.find(number);
    ASSERT_NE(row, page().invariants.end()) << 'I' << number;
    std::vector<std::string> convicts;
    std::vector<std::string> alone;
    for (std::size_t m = 1; m < kMutationCount; ++m) {
      const std::string name(mutation_name(static_cast<Mutation>(m)));
      const std::set<int>& invariants = page().faults.at(name).invariants;
      if (!invariants.contains(number)) continue;
      convicts.push_back(name);
      if (invariants.size() == 1) alone.push_back(name);
    }
    EXPECT_EQ(row->second.faults, convicts) << 'I' << number;
    if (alone.empty()) {
      EXPECT_GT(words_of(row->second.alone).size(), 4U) << 'I' << number << " needs a justification";
    } else {
      for (const std::string& name : alone)
        EXPECT_NE(row->second.alone.find(name), std::string::npos) << 'I' << number << ' ' << name;
    }
  }
}

}  // namespace
}  // namespace depscope::runtime
