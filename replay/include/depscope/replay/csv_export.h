// The tables of a recording as CSV (RFC 4180), for spreadsheets and scripts: docs/export.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/text_output.h"

namespace depscope::replay {

/// Names of the tables that can be written, in file order.
[[nodiscard]] std::vector<std::string_view> csv_tables();

/// A header line, then a line for each row, each ending in '\n'. Cells:
/// - text in place of string indices; enumerations and bits by name ("kernel", "wait|retain", "user+compiler");
/// - row indices of other tables as numbers from 0, empty for "none"; task ids as in deps.json;
/// - a run in the pool as one cell, named without `_begin`: its entries, separated by spaces (verifier messages by line ends).
/// A text that begins with = + - @ ' or a control character gets a ' in front, so that no spreadsheet takes it for a formula;
/// a reader takes one leading ' away. Streams; false, and nothing is written, if there is no such table.
[[nodiscard]] bool write_csv(const recording::Recording& recording, std::string_view table, const TextOutput& output);

/// A ZIP with TABLE.csv for every table, equal bytes for equal recordings. Throws FileError (Unwritable).
void save_csv_archive(const recording::Recording& recording, const std::string& path);

}  // namespace depscope::replay
