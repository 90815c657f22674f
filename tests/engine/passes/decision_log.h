// A DecisionSink that keeps everything, for tests that look at records.
#pragma once

#include <vector>

#include "depscope/pass/decisions.h"

namespace depscope::pass::testing {

class DecisionLog final : public DecisionSink {
 public:
  void region(const RegionRecord& r) override { regions.push_back(r); }
  void argument(const ArgumentRecord& r) override { arguments.push_back(r); }
  void rewrite(const RewriteRecord& r) override { rewrites.push_back(r); }
  void storage(const StorageRecord& r) override { storages.push_back(r); }
  void access(const AccessRecord& r) override { accesses.push_back(r); }
  void hazard(const HazardRecord& r) override { hazards.push_back(r); }
  void edge(const EdgeRecord& r) override { edges.push_back(r); }
  void fence(const FenceRecord& r) override { fences.push_back(r); }
  void scope(const ScopeRecord& r) override { scopes.push_back(r); }
  void carry(const CarryRecord& r) override { carries.push_back(r); }
  void notice(const NoticeRecord& r) override { notices.push_back(r); }

  std::vector<RegionRecord> regions;
  std::vector<ArgumentRecord> arguments;
  std::vector<RewriteRecord> rewrites;
  std::vector<StorageRecord> storages;
  std::vector<AccessRecord> accesses;
  std::vector<HazardRecord> hazards;
  std::vector<EdgeRecord> edges;
  std::vector<FenceRecord> fences;
  std::vector<ScopeRecord> scopes;
  std::vector<CarryRecord> carries;
  std::vector<NoticeRecord> notices;
};

}  // namespace depscope::pass::testing
