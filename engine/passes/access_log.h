// The accesses that an AutoDerive walk has on record, in nested frames (passes.md 5.1, 5.6).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "box_index.h"
#include "depscope/pass/decisions.h"
#include "storage_lineage.h"

namespace depscope::pass {

/// One place that one argument of a task site reads or writes.
struct Access {
  ir::StmtId site;
  std::uint32_t arg = 0;
  std::uint32_t alternative = 0;  ///< index into StorageLineage::alternatives
  ir::VarId id;                   ///< names the producer; none for a reader without result
  RegionIndex region = kNoRegion;
  std::uint32_t dynamic_serial = 0;  ///< innermost dynamic loop around it, 0 if none
  std::uint32_t dynamic_depth = 0;
  std::uint32_t summarised_at = 0;  ///< serial of the last loop end that renamed its id
  std::uint32_t chained_loop = 0;   ///< serial of the loop whose carried id makes the site wait for its own last iteration
  std::uint32_t number = 0;         ///< of its AccessRecord, see AccessLists
  std::uint32_t of_kind = 0;        ///< position among the readers, or the writers, of its root; set by AccessLog::add
  std::uint32_t of_root = 0;        ///< position among all accesses of its root; set by AccessLog::add
  std::uint8_t kind = 0;            ///< kReads, kWrites
  bool in_loop = false;
  bool own_id = false;     ///< the id is what its own statement gives
  bool left_loop = false;  ///< in_loop was cleared when a loop ended
};

/// Which of a root's accesses.
enum class AccessSource : std::uint8_t { Readers, Writers, All };

/// The AccessSource of one root as a list that records can point into, and how far it has been written down. A list only
/// grows: what changes an access that was written down already makes a new list necessary.
struct SharedList {
  std::uint32_t list = 0xffffffffU;  ///< number of the list, none before it is first needed
  std::uint32_t written = 0;         ///< accesses in it
};

/// What is known of the readers or the writers of a root together (of AccessSource::All: `all` says that no two are of one task).
struct AlikeAccesses {
  std::uint32_t looked_at = 0;  ///< accesses that were looked at
  bool all = false;             ///< all of them whole, in no loop, of one region, with ids of their own tasks, and of few kinds
  bool task_ids = false;        ///< the ids are those that submits give
  RegionIndex region = kNoRegion;
  /// Where accesses of another kind begin.
  struct Stretch {
    std::uint32_t first = 0;
    std::uint8_t kind = 0;
  };
  static constexpr std::size_t kMaxStretches = 8;
  std::vector<Stretch> stretches;
};

/// A stack of accesses. Frames are suffixes: the accesses of a region that ends well simply stay and belong to the enclosing
/// frame, those of a region that fell back are cut off.
class AccessLog {
 public:
  explicit AccessLog(const StorageLineage& lineage) : lineage_(lineage) {}

  void clear();
  void push_frame() { frames_.push_back(static_cast<std::uint32_t>(accesses_.size())); }
  void pop_frame(bool keep);
  [[nodiscard]] bool has_frame() const { return !frames_.empty(); }
  /// First access of the innermost frame.
  [[nodiscard]] std::uint32_t frame_start() const { return frames_.back(); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(accesses_.size()); }
  [[nodiscard]] const Access& operator[](std::uint32_t index) const { return accesses_[index]; }
  /// For every field but id, site, region and alternative, which are indexed or written down.
  [[nodiscard]] Access& edit(std::uint32_t index) { return accesses_[index]; }

  void add(const Access& access);
  void rename(std::uint32_t index, ir::VarId id);

  /// Accesses on record whose root may share storage with that of `place` and which conflict in kind with `kind`: innermost frame
  /// first, in recording order within a frame. Where they are many, only the first `disjoint` of those that surely touch other
  /// elements are among them.
  void conflicting(const StorageAlternative& place, std::uint8_t kind, std::uint32_t disjoint, std::vector<std::uint32_t>& out);
  /// Accesses of the innermost frame with this id / whose root may share storage with `root`.
  void with_id(ir::VarId id, std::vector<std::uint32_t>& out) const;
  void with_root(ir::VarId root, std::vector<std::uint32_t>& out) const;

  /// Accesses of exactly this root on record, in recording order.
  [[nodiscard]] const std::vector<std::uint32_t>& of(ir::VarId root, AccessSource source) { return by_root_[root].at(source); }
  [[nodiscard]] SharedList& shared(ir::VarId root, AccessSource source) {
    return by_root_[root].shared[static_cast<std::size_t>(source)];
  }

  /// To be filled in by who asks; forgotten when an access that was looked at changes its id or goes.
  [[nodiscard]] AlikeAccesses& alike(ir::VarId root, AccessSource source) {
    return by_root_[root].alike[static_cast<std::size_t>(source)];
  }

 private:
  struct Windows {
    BoxIndex index;
    std::uint32_t filed = 0;  // accesses of the list that are in it
  };
  struct RootList {
    std::vector<std::uint32_t> readers;  // only reading
    std::vector<std::uint32_t> writers;
    std::vector<std::uint32_t> all;
    std::array<SharedList, 3> shared;
    std::array<AlikeAccesses, 3> alike;
    std::array<Windows, 2> windows;  // of `all` and of `writers`; made when they are long

    [[nodiscard]] const std::vector<std::uint32_t>& at(AccessSource source) const {
      return source == AccessSource::All ? all : source == AccessSource::Writers ? writers : readers;
    }
  };

  [[nodiscard]] const StorageRegion& region(std::uint32_t access) const {
    return lineage_.alternative(accesses_[access].alternative).region;
  }
  [[nodiscard]] bool few_may_meet(const StorageAlternative& place, AccessSource source, std::size_t total,
                                  std::vector<std::uint32_t>& out);
  void add_first(const StorageAlternative& place, AccessSource source, std::size_t wanted, std::vector<std::uint32_t>& out) const;

  const StorageLineage& lineage_;
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> frames_;
  std::unordered_map<ir::VarId, RootList> by_root_;
  std::unordered_map<ir::VarId, std::vector<std::uint32_t>> by_id_;
};

}  // namespace depscope::pass
