// Redacted inputs run as the originals do, and nothing of the user's names is left in what is recorded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "command_outcome.h"
#include "depscope/ir/text.h"
#include "dump_directories.h"
#include "redacted_run.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

std::vector<fs::path> files_below(const fs::path& folder, const std::string& suffix) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().string().ends_with(suffix)) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// A message without what differs by names: quoted words, options' names, what was meant instead.
std::string shape(const std::string& message) {
  std::string out = std::regex_replace(message, std::regex(R"( \(did you mean '[^']*'\?\))"), "");
  out = std::regex_replace(out, std::regex(R"('[^']*')"), "'…'");
  out = std::regex_replace(out, std::regex(R"("[^"]*")"), "\"…\"");
  out = std::regex_replace(out, std::regex(R"(\((Orchestration functions|it has)[^)]*\))"), "");
  return std::regex_replace(out, std::regex(R"(--(arg|data|entry|program) [\w,]+)"), "--$1 …");
}

/// Names that the compiler, a pass or the printer makes of nothing: nobody can tell them from a user's.
bool is_structural(const std::string& word) {
  static const std::regex kStructural(
      R"(_*(__ssa_v\d+)?(_\d+)?|self|pld?|_submit_tmp(_\d+)?(__\w+)?|_tuple_tmp(_\d+)?(__\w+)?|_submit_deps_buf(_\d+)?(__\w+)?|mem(_\w+)?_\d+|phase_fence_barrier_\d+_tid|(t|ret\d*|break)__(tmp|out)\w*)");
  return std::regex_match(word, kStructural);
}

/// The arrays that a sample, or what was made of it, needs.
SideInputs side_inputs(const fs::path& path) {
  SideInputs side;
  for (const fs::path& data : files_below(fs::path(DEPSCOPE_SAMPLES) / "data", ".json")) {
    if (path.string().find("/" + data.stem().string()) != std::string::npos) side.data_file = data.string();
  }
  return side;
}

class RedactionRun : public TemporaryFolder {
 protected:
  struct Seen {
    std::string input;
    Words words, names;
  };

  void check(const fs::path& path, const SideInputs& side) {
    SCOPED_TRACE(path.string());
    const fs::path folder = folder_ / std::to_string(seen_.size() + refused_);
    fs::create_directories(folder);
    RedactedRun run = run_both(path, side, folder);
    EXPECT_EQ(run.original.recording.has_value(), run.redacted.recording.has_value())
        << (run.original.errors.empty() ? "" : run.original.errors.front()) << " / "
        << (run.redacted.errors.empty() ? "" : run.redacted.errors.front());
    EXPECT_EQ(run.original.error_lines, run.redacted.error_lines);
    for (std::size_t i = 0; i < std::min(run.original.errors.size(), run.redacted.errors.size()); ++i) {
      EXPECT_EQ(shape(run.original.errors[i]), shape(run.redacted.errors[i])) << run.original.errors[i];
    }
    for (const auto& [name, text] : run.texts) {
      EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
                std::count(run.originals[name].begin(), run.originals[name].end(), '\n'))
          << name;
    }
    if (!run.original.recording || !run.redacted.recording) {
      ++refused_;
      // Many programs are sizes of a loop away from running.
      if (side.args.empty() && !run.original.errors.empty() &&
          run.original.errors.front().find("--arg n=") != std::string::npos) {
        SideInputs sized = side;
        sized.args.emplace_back("n=3");
        check(path, sized);
      }
      return;
    }
    EXPECT_EQ(structure_difference(*run.original.recording, *run.redacted.recording), "");
    check_programs(run);
    std::erase_if(run.names, is_structural);
    for (const auto& [name, text] : run.originals) {
      const std::regex operation(R"(\bpld?\.([\w.]+))");
      for (auto at = std::sregex_iterator(text.begin(), text.end(), operation); at != std::sregex_iterator(); ++at)
        vocabulary_.merge(words_of((*at)[1].str()));
    }
    seen_.push_back({path.string(), words_of(*run.redacted.recording), std::move(run.names)});
    fs::remove_all(folder);
  }

  /// No variable, function or program has a name that one of the originals has, whatever the name means elsewhere.
  static void check_programs(const RedactedRun& run) {
    for (const auto& [name, text] : run.texts) {
      if (!name.ends_with(".py")) continue;
      const auto names_of = [&](const std::string& source) {
        Words out;
        const ir::ReadResult read = ir::read_text(std::make_shared<const SourceFile>(name, source));
        for (const ir::Program& p : read.programs) {
          out.insert(p.name);
          for (const ir::Function& f : p.functions) out.emplace(p.store->text(f.name));
          for (std::uint32_t v = 0; v < p.store->var_count(); ++v) out.emplace(p.store->name(ir::VarId(v)));
        }
        std::erase_if(out, is_structural);
        return out;
      };
      const Words before = names_of(run.originals.at(name));
      const Words after = names_of(text);
      EXPECT_EQ(before.size(), after.size()) << name;
      Words both;
      std::set_intersection(before.begin(), before.end(), after.begin(), after.end(), std::inserter(both, both.end()));
      EXPECT_THAT(both, IsEmpty()) << name;
    }
  }

  /// A word that an input knows as a name must not be in its redacted recording, unless recordings have it that know no such
  /// name.
  void check_words() {
    Words vocabulary = vocabulary_;
    for (const Seen& s : seen_) {
      std::set_difference(s.words.begin(), s.words.end(), s.names.begin(), s.names.end(),
                          std::inserter(vocabulary, vocabulary.end()));
    }
    for (const Seen& s : seen_) {
      std::vector<std::string> left;
      std::set_intersection(s.words.begin(), s.words.end(), s.names.begin(), s.names.end(), std::back_inserter(left));
      std::erase_if(left, [&](const std::string& word) { return vocabulary.contains(word); });
      EXPECT_THAT(left, IsEmpty()) << s.input;
    }
  }

  std::vector<Seen> seen_;
  /// Operations of the language, and words of sentences: "2 x 16 edges", "the last iteration".
  Words vocabulary_{"x", "last"};
  std::size_t refused_ = 0;
};

TEST_F(RedactionRun, Samples) {
  for (const fs::path& sample : files_below(DEPSCOPE_SAMPLES, ".py")) {
    SideInputs side = side_inputs(sample);
    check(sample, side);
    side.analyze = true;
    check(sample, side);
  }
  EXPECT_EQ(refused_, 0U);
  check_words();
}

TEST_F(RedactionRun, EveryProgramOfTheTests) {
  for (const fs::path& program : files_below(DEPSCOPE_TEST_DATA, ".py")) check(program, side_inputs(program));
  EXPECT_GT(seen_.size(), 300U);
  EXPECT_GT(refused_, 0U);
  check_words();
}

TEST_F(RedactionRun, EveryProgramOfTheTestsWithTheAnalysisOn) {
  for (const fs::path& program : files_below(DEPSCOPE_TEST_DATA, ".py")) {
    SideInputs side = side_inputs(program);
    side.analyze = true;
    check(program, side);
  }
  EXPECT_GT(seen_.size(), 300U);
  EXPECT_GT(refused_, 0U);
  check_words();
}

TEST_F(RedactionRun, ProgramsWithTheirOptions) {
  std::size_t with_data = 0;
  for (const fs::path& expected : files_below(fs::path(DEPSCOPE_TEST_DATA) / "e2e", ".expected.json")) {
    const std::string name = expected.filename().string();
    const std::string stem = name.substr(0, name.size() - std::string(".expected.json").size());
    const fs::path folder = expected.parent_path();
    const std::size_t dot = stem.rfind('.');
    fs::path program = folder / (stem.substr(0, dot) + ".py");
    if (!fs::exists(program)) program = folder / (stem.substr(0, dot) + ".entry.py");
    ASSERT_TRUE(fs::exists(program)) << program;
    SideInputs side;
    side.analyze = stem.substr(dot + 1) == "analyze";
    std::ifstream file(expected);
    const auto options = nlohmann::json::parse(file)["options"].get<std::vector<std::string>>();
    for (std::size_t i = 0; i + 1 < options.size(); ++i) {
      if (options[i] == "--arg") side.args.push_back(options[i + 1]);
    }
    if (fs::exists(folder / (stem + ".data.json"))) side.data_file = (folder / (stem + ".data.json")).string();
    with_data += side.data_file.empty() ? 0 : 1;
    check(program, side);
  }
  EXPECT_GT(with_data, 0U);
  check_words();
}

// Loops carry names in their order; "acc1" comes before "acc", once InlineFunctions has appended to both.
TEST_F(RedactionRun, NamesThatBeginWithOthersAreCarriedInTheSameOrder) {
  check(write("carries.py", R"(import pypto.language as pl
@pl.program
class Carries:
    @pl.function(type=pl.FunctionType.InCore)
    def step(self, x: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return x
    @pl.function(type=pl.FunctionType.Inline)
    def helper(self) -> pl.Tensor[[64], pl.FP32]:
        acc = pl.create_tensor([64], dtype=pl.FP32)
        acc1 = pl.create_tensor([64], dtype=pl.FP32)
        acc_b = pl.create_tensor([64], dtype=pl.FP32)
        acc_z = pl.create_tensor([64], dtype=pl.FP32)
        for i in pl.range(3):
            acc_z = self.step(acc_z)
            acc_b = self.step(acc_b)
            acc1 = self.step(acc1)
            acc = self.step(acc)
        return acc
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, acc: pl.InOut[pl.Tensor[[64], pl.FP32]], Acc: pl.InOut[pl.Tensor[[64], pl.FP32]], _acc: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        for i in pl.range(2):
            _acc = self.step(_acc)
            acc = self.step(acc)
            Acc = self.step(Acc)
        acc = self.helper()
        return acc
)"),
        {});
  EXPECT_EQ(refused_, 0U);
}

TEST_F(RedactionRun, DumpDirectories) {
  std::vector<fs::path> directories;
  for (const fs::path& tail : folders_in(fs::path(DEPSCOPE_TEST_DATA) / "dumps" / "tails")) {
    directories.push_back(folder_ / "tails" / tail.filename());
    restore_tail(tail, directories.back());
  }
  for (const char* name : {"dump_directory/passes_dump", "book/89-out-becomes-inout-in-one-pass/passes_dump",
                           "book/90-dump-02-missing/passes_dump"}) {
    directories.push_back(fs::path(DEPSCOPE_TEST_DATA) / name);
  }
  for (const fs::path& directory : directories) check(directory, side_inputs(directory));
  EXPECT_GT(seen_.size(), 30U);
  check_words();
}

TEST_F(RedactionRun, TracesAndTaskGraphs) {
  for (const fs::path& folder : {fs::path(DEPSCOPE_TEST_DATA), fs::path(DEPSCOPE_SAMPLES)}) {
    for (const fs::path& trace : files_below(folder, ".trace.json")) check(trace, {});
    for (const fs::path& graph : files_below(folder, "deps.json")) check(graph, {});
  }
  EXPECT_GT(seen_.size(), 40U);
  EXPECT_GT(refused_, 0U);
}

TEST_F(RedactionRun, TaskGraphsOfRealRuns) {
  const fs::path artefacts = fs::path(DEPSCOPE_SHARED) / "artefacts";
  if (!fs::is_directory(artefacts)) GTEST_SKIP() << "no artefacts beside the project";
  for (const fs::path& graph : files_below(artefacts, "deps.json")) check(graph, {});
  EXPECT_EQ(refused_, 0U);
}

}  // namespace
}  // namespace depscope::app
