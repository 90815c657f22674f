// Rows that follow from matched tasks and call sites. Private.
#pragma once

#include <string>
#include <vector>

#include "compare_alignment.h"
#include "compare_side.h"
#include "compare_sites.h"
#include "depscope/replay/match.h"

namespace depscope::replay {

/// What compare() walks along: passes, regions and scopes of programs; edges and accesses of tasks.
void match_passes(const Side& a, const Side& b, Matching& out);
void match_regions(const Side& a, const Side& b, const SiteAlignment& sites, Matching& out);
void match_ir_scopes(const Side& a, const Side& b, const SiteAlignment& sites, Matching& out);
void match_edges(const Side& a, const Side& b, const TaskAlignment& tasks, Matching& out);
void match_accesses(const Side& a, const Side& b, const TaskAlignment& tasks, Matching& out);

/// What only those ask for who show rows. Accesses are matched already.
void match_arguments(const Side& a, const Side& b, const SiteAlignment& sites, Matching& out);
void match_hazards(const Side& a, const Side& b, const SiteAlignment& sites, Matching& out);
void match_tensors(const Side& a, const Side& b, const TaskAlignment& tasks, Matching& out);
void match_scopes(const Side& a, const Side& b, const TaskAlignment& tasks, Matching& out);

/// All of these that both sides can know. `all` false: what compare() walks along only.
void match_tables(const Side& a, const Side& b, const SiteAlignment& sites, const TaskAlignment& tasks, bool all, Matching& out);
/// Room for what differs.
void prepare_marks(const Side& a, const Side& b, Matching& rows);
/// Makes the alignments the columns of their tables; nothing is left to be matched afterwards.
void take_alignments(const Side& a, const Side& b, SiteAlignment&& sites, TaskAlignment&& tasks, Matching& out);

/// A table that both sides know, with no row matched yet.
void begin_matching(MatchedRows& rows, std::uint32_t rows_a, std::uint32_t rows_b);
/// False, and nothing happens, if one of them has a counterpart.
bool match_if_free(MatchedRows& rows, std::uint32_t a, std::uint32_t b);

/// A pass of a list, the second of two equal names as "Simplify#2".
[[nodiscard]] std::vector<std::string> pass_names(const recording::Recording& recording);
/// Number of scopes around a scope of a program.
[[nodiscard]] std::uint32_t scope_depth(const recording::Recording& recording, std::uint32_t ir_scope);

}  // namespace depscope::replay
