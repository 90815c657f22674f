// Passes over programs and the manager that runs them in order (passes.md, section 1).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/program.h"
#include "depscope/pass/decisions.h"

namespace depscope::pass {

/// Which of two documented behaviours the passes follow (passes.md, section 12).
enum class Profile : std::uint8_t {
  Seed,            ///< the seed document wins; default for programs
  Upstream202608,  ///< what the observed compiler does ("upstream-2026-08"); default for dump directories
};
[[nodiscard]] std::string_view profile_name(Profile profile);

/// Facts a pass may rely on, promise or break (passes.md 1.2).
enum class Property : std::uint32_t {
  SSAForm = 1U << 0U,
  NoNestedCalls = 1U << 1U,
  NormalizedStmtStructure = 1U << 2U,
  SplitIncoreOrch = 1U << 3U,
  CallDirectionsResolved = 1U << 4U,
  RuntimeScopesMaterialized = 1U << 5U,
  IterArgCarryClassified = 1U << 6U,
  ReturnParamsExplicit = 1U << 7U,
};
/// Set of properties: bits of Property.
using PropertySet = std::uint32_t;
[[nodiscard]] constexpr PropertySet operator|(Property a, Property b) {
  return static_cast<PropertySet>(a) | static_cast<PropertySet>(b);
}
[[nodiscard]] constexpr PropertySet operator|(PropertySet a, Property b) { return a | static_cast<PropertySet>(b); }
/// "SSAForm, NoNestedCalls", in declaration order; empty for the empty set.
[[nodiscard]] std::string property_names(PropertySet set);

struct Options {
  bool analyze_auto_scopes = false;  ///< analyze_auto_scopes_for_deps
  Profile profile = Profile::Seed;
  /// An access that is judged against more than so many earlier ones is recorded, and its edges are attached, in runs.
  std::uint32_t max_single_priors = 64;
};

/// One transformation. Stateless: everything it needs is in the arguments of run.
class Pass {
 public:
  Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  virtual ~Pass() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual PropertySet required() const { return 0; }
  [[nodiscard]] virtual PropertySet produced() const { return 0; }
  [[nodiscard]] virtual PropertySet invalidated() const { return 0; }
  /// Returns the new program (sharing the store with the old one) and writes each decision to `sink`. Throws InputError when
  /// the program breaks a rule that the real compiler would refuse it for.
  [[nodiscard]] virtual ir::Program run(const ir::Program& program, const Options& options, DecisionSink& sink) const = 0;
};

// Factories, named as in the seed. All are program-level.
[[nodiscard]] std::unique_ptr<Pass> InlineFunctions();
[[nodiscard]] std::unique_ptr<Pass> UnrollLoops();
[[nodiscard]] std::unique_ptr<Pass> ConvertToSSA();
[[nodiscard]] std::unique_ptr<Pass> Simplify();
[[nodiscard]] std::unique_ptr<Pass> NormalizeStmtStructure();
[[nodiscard]] std::unique_ptr<Pass> FlattenCallExpr();
[[nodiscard]] std::unique_ptr<Pass> DeriveCallDirections();
[[nodiscard]] std::unique_ptr<Pass> AutoDeriveTaskDependencies();
[[nodiscard]] std::unique_ptr<Pass> ExpandManualPhaseFence();
[[nodiscard]] std::unique_ptr<Pass> CollectCommGroups();
[[nodiscard]] std::unique_ptr<Pass> MaterializeRuntimeScopes();
[[nodiscard]] std::unique_ptr<Pass> ClassifyIterArgCarry();

/// The pass with this name (also the four upstream names that stand for CollectCommGroups), or null.
[[nodiscard]] std::unique_ptr<Pass> make_pass(std::string_view name);
/// Names make_pass knows, in pipeline order.
[[nodiscard]] std::vector<std::string_view> known_passes();
/// The default pipeline of DESIGN §4 for this program.
[[nodiscard]] std::vector<std::string> default_passes(const ir::Program& program);

/// Told about every pass run, in order. `index` 0 is the input ("frontend"), passes count from 1.
class PassObserver {
 public:
  PassObserver() = default;
  PassObserver(const PassObserver&) = delete;
  PassObserver& operator=(const PassObserver&) = delete;
  virtual ~PassObserver() = default;
  /// `pass` is null for the input. `changed` is false when the printed text is the same as before.
  virtual void after_pass(std::uint32_t index, const Pass* pass, const ir::Program& program, bool changed,
                          const std::vector<Diagnostic>& diagnostics) = 0;
};

/// Runs passes in the given order: verifies the required properties before and the produced ones after each pass.
class PassManager {
 public:
  PassManager(const std::vector<std::string>& pass_names, Options options);  ///< throws InputError for an unknown name

  void add_observer(PassObserver& observer) { observers_.push_back(&observer); }
  /// Stop after this pass ("Simplify#2" is the second of two equal names). Throws InputError if it is not in the list.
  void stop_after(std::string_view name);
  /// Returns the last program. Throws InputError when a verifier finds an error that the input caused.
  [[nodiscard]] ir::Program run(const ir::Program& program, DecisionSink& sink) const;

 private:
  std::vector<std::unique_ptr<Pass>> passes_;
  Options options_;
  std::vector<PassObserver*> observers_;
  std::size_t stop_at_ = static_cast<std::size_t>(-1);
};

/// Verifier of one property; an empty list means it holds (passes.md 4.6 for CallDirectionsResolved, 8 for scopes).
[[nodiscard]] std::vector<Diagnostic> verify_property(const ir::Program& program, Property property);

}  // namespace depscope::pass
