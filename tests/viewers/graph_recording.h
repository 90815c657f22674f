// Recordings of tasks and edges written by hand, for the tests of the graph.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/runtime/submission.h"

namespace depscope::viewers {

class GraphRecording {
 public:
  /// A default row in every column of a table; its number.
  template <class Table>
  static std::uint32_t add_row(Table& table) {
    Table::columns(table, [](std::string_view, auto& column, recording::Target) { column.emplace_back(); });
    return table.rows() - 1;
  }

  std::uint32_t scope(std::uint32_t parent = recording::kNoRow, bool manual = false) {
    const std::uint32_t row = add_row(r.scopes);
    r.scopes.parent[row] = parent;
    r.scopes.manual[row] = manual ? 1 : 0;
    return row;
  }

  /// A call site inside these loops, outermost first.
  std::uint32_t site(const std::vector<std::uint32_t>& loops) {
    if (r.functions.rows() == 0) add_row(r.functions);
    const std::uint32_t row = add_row(r.call_sites);
    for (const std::uint32_t loop : loops) {
      const std::uint32_t entry = add_row(r.site_loops);
      r.site_loops.call_site[entry] = row;
      r.site_loops.loop[entry] = loop;
      r.site_loops.line[entry] = 10 + loop;
    }
    return row;
  }

  std::uint32_t task(std::string_view kernel, std::uint32_t scope = recording::kNoRow, std::uint32_t site = recording::kNoRow,
                     const std::vector<std::uint32_t>& iteration = {}) {
    const std::uint32_t row = add_row(r.tasks);
    r.tasks.id[row] = row;
    r.tasks.callee[row] = r.strings.add(kernel);
    r.tasks.scope[row] = scope;
    r.tasks.call_site[row] = site;
    r.tasks.block_num[row] = 1;
    r.tasks.iteration_begin[row] = static_cast<std::uint32_t>(r.pool.size());
    r.tasks.iteration_begin_count[row] = static_cast<std::uint32_t>(iteration.size());
    r.pool.insert(r.pool.end(), iteration.begin(), iteration.end());
    return row;
  }

  /// Edges have to be added by consumer, ascending.
  std::uint32_t edge(std::uint32_t producer, std::uint32_t consumer, std::uint8_t flags = runtime::kWaitRetain,
                     std::uint8_t flags_final = runtime::kWaitRetain, std::uint32_t via = recording::kNoRow,
                     std::uint8_t provenance = runtime::kUser) {
    const std::uint32_t row = add_row(r.edges);
    r.edges.producer[row] = producer;
    r.edges.consumer[row] = consumer;
    r.edges.flags[row] = flags;
    r.edges.flags_final[row] = flags_final;
    r.edges.provenance[row] = provenance;
    r.edges.via[row] = via;
    return row;
  }

  recording::Recording r;
};

}  // namespace depscope::viewers
