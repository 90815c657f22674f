// Why there is, or is not, an edge from one call to another: what `depscope explain --why A B` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/recording/tables.h"

namespace depscope::replay {

/// A name that no call has, or several have; the message lists what could be meant.
class WhyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One pair of arguments that both calls may use the same buffer with.
struct WhyMeeting {
  std::uint8_t kinds = 0;                        ///< pass::HazardKind bits; 0: both only read
  std::string root;                              ///< buffer, as the source names it
  std::string first, second;                     ///< "put writes a [0:64]: argument l, output_existing (default_out)"
  std::optional<std::uint64_t> elements, bytes;  ///< that both use; none if not known
  std::string shared;   ///< "256 bytes (64 elements of FP32), all of a"; "none: …"; "not known, because …"
  std::string verdict;  ///< what the analysis made of it, empty if it did not look
};

struct WhyAnswer {
  std::uint32_t first = recording::kNoRow, second = recording::kNoRow;  ///< call_sites rows, in order of the program
  std::string first_text, second_text;                                  ///< "put (main:0, line 16)"
  bool swapped = false;                                                 ///< the question had them the other way round
  bool edge = false;                                                    ///< an edge leads from the first to the second
  bool runtime = false;            ///< the passes gave none, as `code` says, but the runtime finds one
  std::string code;                ///< "compiler_edge", "disjoint_boxes", …: docs/explain.md lists them
  std::string sentence;            ///< the answer
  std::vector<std::string> edges;  ///< edges between the two, also those that did not stay
  std::vector<WhyMeeting> meetings;
  std::string shared;             ///< where there is no meeting: "none: …" or "not known, because …"
  std::string region;             ///< what became of the region that the second one stands in
  std::vector<std::string> path;  ///< what stands between the two, if they are ordered through others
  std::string run;                ///< what the runtime does about the pair
  std::string rule;               ///< "passes.md 5.6: …"
  std::string where;              ///< "two.py:16 -> two.py:18"
  std::string change;             ///< what would change it
};

struct WhyOptions {
  std::uint32_t function = recording::kNoRow;  ///< functions row: only calls of this one are meant
  std::string not_run;                         ///< why the recording was not run to the end, if it was not
};

/// `first` and `second` each name a call: by a variable that it gives (a result or a task id, as the source or as SSA names it),
/// by FUNCTION:CALL (as facts count calls), by line (N or line:N), or by a kernel that is launched once. Throws WhyError. Says
/// more of a recording that was run to the end than of one of passes only.
[[nodiscard]] WhyAnswer why(const recording::Recording& recording, std::string_view first, std::string_view second,
                            const WhyOptions& options = {});

/// Lines of at most about 100 columns, each with what it is about in front.
[[nodiscard]] std::string why_text(const WhyAnswer& answer);
/// An object of schema depscope.facts/1 whose payload is `why`, ending in a newline.
[[nodiscard]] std::string why_json(const recording::Recording& recording, const WhyAnswer& answer);

}  // namespace depscope::replay
