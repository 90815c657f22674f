#include "finding_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace depscope::replay {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 8;  // of fields; a damaged recording may nest them without end

/// Numbers of events, rows and lines, addresses, sentences, and counts that other findings change.
constexpr std::array<std::string_view, 28> kUnstable{
    "event",   "event_index", "events",        "index",       "row",     "region",         "scope",
    "line",    "column",      "producer_line", "byte_offset", "lineage", "next_index",     "watermark",
    "where",   "why",         "fixes",         "text",        "proof",   "references",     "smallest",
    "premise", "address",     "first_byte",    "exit_status", "pairs",   "expected_fanin", "recorded_fanin"};
constexpr std::array<std::string_view, 6> kTimeEndings{"_at", "_us", "_ns", "_ms", "_cycles", "_event"};

bool is_stable(std::string_view key) {
  return std::find(kUnstable.begin(), kUnstable.end(), key) == kUnstable.end() &&
         std::none_of(kTimeEndings.begin(), kTimeEndings.end(), [&](std::string_view end) { return key.ends_with(end); });
}

class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    value_ *= 0x100000001b3ULL;  // as after a zero: what stands behind is another text
  }

  /// Members come in the order of their names, so that the order of the text does not matter.
  void add(const json& value, int depth) {
    if (depth > kMaxDepth) return;
    if (value.is_object()) {
      // Callee and occurrence say which task it is, its id only where it stands.
      const bool named = value.contains("occurrence") || value.contains("dummy");
      for (const auto& [key, member] : value.items()) {
        if (!is_stable(key) || (named && key == "task")) continue;
        // A code in some kinds of findings, a sentence in others.
        if (key == "reason" && member.is_string() && member.get_ref<const std::string&>().find(' ') != std::string::npos)
          continue;
        add(key);
        add(member, depth + 1);
      }
    } else if (value.is_array()) {
      add("[");
      for (const json& item : value) add(item, depth + 1);
      add("]");
    } else if (value.is_string()) {
      add(value.get_ref<const std::string&>());
    } else {
      add(value.dump());
    }
  }

  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::string FindingIdentities::next(std::string_view kind, std::string_view summary, const json& fields) {
  Hash hash;
  hash.add(kind);
  if (fields.empty()) {
    hash.add(summary);
  } else {
    hash.add(fields, 0);
  }
  if (const std::uint64_t before = seen_[hash.value()]++; before != 0) hash.add(fmt::format("{}", before));
  return fmt::format("{:016x}", hash.value());
}

}  // namespace depscope::replay
