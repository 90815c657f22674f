// Support for tests of passes: small programs as text in, text of `main` out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/pass/pass.h"

namespace depscope::pass::testing {

/// A program with some kernels and one Orchestration function `main(self, a, b, o, n, m)`, whose body is `body` (any common
/// indentation). `a`, `b` are inputs and `o` an InOut tensor of 64 FP32; `n`, `m` are INDEX scalars. The kernels: `put(x, y)`
/// writes y, `mod(y)` updates y, `row(x, i, y)` has a scalar, `two(x, y, z)` returns two tensors. `more` is text of further
/// functions.
[[nodiscard]] std::string program_text(std::string_view body, std::string_view more = {});
/// Reads text; fails the test and returns an empty program if there are errors.
[[nodiscard]] ir::Program read(std::string_view text);

/// Notices of a run, in order.
class NoticeSink final : public DecisionSink {
 public:
  void region(const RegionRecord&) override {}
  void argument(const ArgumentRecord&) override {}
  void rewrite(const RewriteRecord&) override {}
  void storage(const StorageRecord&) override {}
  void hazard(const HazardRecord&) override {}
  void edge(const EdgeRecord&) override {}
  void fence(const FenceRecord&) override {}
  void scope(const ScopeRecord&) override {}
  void carry(const CarryRecord&) override {}
  void notice(const NoticeRecord& record) override { notices.push_back(record); }

  std::vector<NoticeRecord> notices;
};

/// Runs the passes one after the other, without verification.
[[nodiscard]] ir::Program run(const ir::Program& program, const std::vector<std::string>& passes, DecisionSink* sink = nullptr);
/// The printed body of a function, unindented, without the type annotations of assignments.
[[nodiscard]] std::string body_text(const ir::Program& program, std::string_view function = "main");
/// body_text of program_text(body, more) after the passes.
[[nodiscard]] std::string after(const std::vector<std::string>& passes, std::string_view body, std::string_view more = {});
/// Text as written in a test: without its first newline and its common indentation.
[[nodiscard]] std::string text(std::string_view written);

}  // namespace depscope::pass::testing
