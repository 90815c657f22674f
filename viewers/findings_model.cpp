#include "depscope/viewers/findings_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "depscope/viewers/answers.h"
#include "folded_case.h"

namespace depscope::viewers {
namespace {

using recording::Recording;

/// What the fields of the recording's own findings name: tasks by id, the event.
class FieldReader {
 public:
  explicit FieldReader(const Recording& r) : r_(r) {}

  void read(FindingEntry& entry) {
    const auto json = nlohmann::json::parse(entry.fields, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) return;
    if (const auto found = json.find("event"); found != json.end() && found->is_number_unsigned()) {
      const auto event = found->get<std::uint64_t>();
      if (event < r_.events.rows()) entry.event = static_cast<std::uint32_t>(event);
    }
    for (const char* name : {"first", "producer", "head"}) set(entry.first, json, name);
    for (const char* name : {"second", "consumer", "task"}) set(entry.second, json, name);
  }

 private:
  void set(std::uint32_t& row, const nlohmann::json& json, const char* name) {
    const auto found = json.find(name);
    if (row != kNoRow || found == json.end()) return;
    const nlohmann::json* id = found->is_object() && found->contains("task") ? &(*found)["task"] : &*found;
    if (!id->is_string()) return;
    if (rows_.empty()) {
      for (std::uint32_t task = 0; task < r_.tasks.rows(); ++task) rows_.emplace(std::to_string(r_.tasks.id[task]), task);
    }
    if (const auto task = rows_.find(id->get<std::string>()); task != rows_.end()) row = task->second;
  }

  const Recording& r_;
  std::unordered_map<std::string, std::uint32_t> rows_;  // by id, only looked up; made when the first id is met
};

FindingEntry recorded(const Recording& r, std::uint32_t row, FieldReader& reader) {
  FindingEntry entry;
  entry.severity = static_cast<Severity>(std::min<std::uint8_t>(r.findings.severity[row], 2));
  entry.kind = r.text(r.findings.kind[row]);
  entry.summary = r.text(r.findings.summary[row]);
  entry.fields = r.text(r.findings.fields[row]);
  entry.line = r.findings.line[row];
  entry.finding = row;
  reader.read(entry);
  return entry;
}

ItemKind kind_of(replay::DifferenceSubject subject) {
  switch (subject) {
    case replay::DifferenceSubject::Pass: return ItemKind::Pass;
    case replay::DifferenceSubject::CallSite: return ItemKind::CallSite;
    case replay::DifferenceSubject::Argument: return ItemKind::Argument;
    case replay::DifferenceSubject::Region: return ItemKind::Region;
    case replay::DifferenceSubject::Hazard: return ItemKind::Hazard;
    case replay::DifferenceSubject::Task: return ItemKind::Task;
    case replay::DifferenceSubject::Access: return ItemKind::Access;
    case replay::DifferenceSubject::Edge: return ItemKind::Edge;
    case replay::DifferenceSubject::None:
    case replay::DifferenceSubject::Function:
    case replay::DifferenceSubject::IrScope: break;
  }
  return ItemKind::None;
}

std::string key_of(const FindingEntry& entry) { return entry.kind + '\n' + entry.summary; }

}  // namespace

std::string_view finding_source_name(FindingSource source) {
  switch (source) {
    case FindingSource::Run: return "run";
    case FindingSource::Check: return "check";
    case FindingSource::Diff: return "diff";
  }
  return "?";
}

std::vector<FindingEntry> run_entries(const Recording& r) {
  std::vector<FindingEntry> entries;
  entries.reserve(r.findings.rows());
  FieldReader reader(r);
  for (std::uint32_t row = 0; row < r.findings.rows(); ++row) entries.push_back(recorded(r, row, reader));
  return entries;
}

FindingEntry run_entry(const Recording& r, std::uint32_t finding) {
  FieldReader reader(r);
  return recorded(r, finding, reader);
}

std::vector<FindingEntry> check_entries(const Recording& r) {
  const replay::Check check(r, replay::TaskReference::Row);
  std::vector<FindingEntry> entries;
  const std::vector<FindingEntry> own = run_entries(r);
  std::unordered_map<std::string, std::uint32_t> known;  // only looked up
  for (std::uint32_t row = 0; row < own.size(); ++row) known.emplace(key_of(own[row]), row);
  check.each({.facts = true, .all = false}, [&](const replay::CheckFinding& found) {
    FindingEntry entry;
    entry.source = FindingSource::Check;
    entry.severity = found.severity;
    entry.kind = found.kind;
    entry.summary = found.summary;
    entry.fields = found.fields;
    entry.line = found.line;
    entry.first = found.first;
    entry.second = found.second;
    entry.details = found.details;
    if (const auto same = known.find(key_of(entry)); same != known.end()) {
      const FindingEntry& recorded = own[same->second];
      entry.source = FindingSource::Run;
      entry.finding = recorded.finding;
      entry.event = recorded.event;
      entry.first = recorded.first;
      entry.second = recorded.second;
    }
    entries.push_back(std::move(entry));
  });
  return entries;
}

std::vector<FindingEntry> diff_entries(const replay::Comparison& comparison) {
  std::vector<FindingEntry> entries;
  entries.reserve(comparison.differences.size());
  for (const replay::Difference& difference : comparison.differences) {
    FindingEntry entry;
    entry.source = FindingSource::Diff;
    entry.severity = difference.severity;
    entry.kind = replay::difference_kind_name(difference.kind);
    entry.summary = difference.summary;
    entry.fields = difference.fields;
    entry.subject = difference.subject;
    if (difference.covers > 1) entry.details.emplace_back("covers", fmt::format("{} differences", difference.covers));
    for (const std::string& line : difference.lines) entry.details.emplace_back("text", line);
    entries.push_back(std::move(entry));
  }
  return entries;
}

void sort_by_severity(std::vector<FindingEntry>& entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const FindingEntry& a, const FindingEntry& b) { return a.severity > b.severity; });
}

std::string finding_text(const FindingEntry& entry) {
  return fmt::format("{}: {}: {}", to_string(entry.severity), entry.kind, entry.summary);
}

bool FindingFilter::matches(const FindingEntry& entry) const {
  if (!severities[static_cast<std::size_t>(entry.severity)]) return false;
  if (!kind.empty() && kind != entry.kind) return false;
  if (words.empty()) return true;
  const std::string text = lower(fmt::format("{} {} {}", entry.kind, entry.summary, finding_source_name(entry.source)));
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

FindingFilter parse_finding_filter(std::string_view text) {
  FindingFilter out;
  bool chosen = false;
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const std::string word = lower(text.substr(0, text.find(' ')));
    text.remove_prefix(word.size());
    bool severity = false;
    for (const Severity s : {Severity::Info, Severity::Warning, Severity::Error}) {
      if (word != to_string(s)) continue;
      if (!chosen) out.severities.fill(false);
      chosen = severity = true;
      out.severities[static_cast<std::size_t>(s)] = true;
    }
    if (severity) continue;
    if (word.starts_with("kind:")) {
      out.kind = word.substr(5);
    } else {
      out.words.push_back(word);
    }
  }
  return out;
}

std::uint32_t edge_between(const Document& document, std::uint32_t producer, std::uint32_t consumer) {
  const auto [first, last] = document.edges_of_consumer(consumer);
  for (std::uint32_t edge = first; edge < last; ++edge) {
    if (document.recording().edges.producer[edge] == producer) return edge;
  }
  return kNoRow;
}

FindingPlace place_of(const Document& document, const FindingEntry& entry) {
  const auto& r = document.recording();
  FindingPlace place;
  if (entry.finding != kNoRow) place.items.push_back({ItemKind::Finding, entry.finding});
  if (entry.event != kNoRow) place.position = entry.event + 1;
  if (entry.first < r.tasks.rows()) place.items.push_back({ItemKind::Task, entry.first});
  if (entry.second < r.tasks.rows()) {
    place.items.push_back({ItemKind::Task, entry.second});
    const std::uint32_t submitted = document.moments().submitted[entry.second];
    if (place.position == kNoRow && submitted != replay::kNever) place.position = submitted + 1;
    if (entry.first < r.tasks.rows()) {
      if (const std::uint32_t edge = edge_between(document, entry.first, entry.second); edge != kNoRow)
        place.items.push_back({ItemKind::Edge, edge});
    }
    return place;
  }
  if (entry.line == 0 || entry.first < r.tasks.rows()) return place;
  for (std::uint32_t site = 0; site < r.call_sites.rows(); ++site) {
    if (r.call_sites.line[site] != entry.line) continue;
    place.items.push_back({ItemKind::CallSite, site});
    place.line = true;
    break;
  }
  return place;
}

FindingPlace place_of(const Comparison& comparison, const FindingEntry& entry) {
  FindingPlace place;
  const ItemKind kind = kind_of(entry.subject.kind);
  if (kind == ItemKind::None) return place;
  const std::uint32_t here = comparison.swapped() ? entry.subject.row_b : entry.subject.row_a;
  const std::uint32_t there = comparison.swapped() ? entry.subject.row_a : entry.subject.row_b;
  if (here != kNoRow) place.items.push_back({kind, here});
  if (here == kNoRow && there != kNoRow) place.there = {kind, there};
  return place;
}

Answer where_found(const Document& document, std::uint32_t finding) {
  AnswerText out("Where is it?");
  const FindingEntry entry = run_entry(document.recording(), finding);
  for (const Item item : place_of(document, entry).items) {
    if (item.kind != ItemKind::Finding)
      out.bullet(fmt::format("{}: ", item_kind_name(item.kind))).link(item, item_label(document, item));
  }
  if (entry.event != kNoRow) out.bullet("found at ").link({ItemKind::Event, entry.event}, fmt::format("event {}", entry.event));
  if (entry.line != 0) out.line(fmt::format("Line {} of the input:", entry.line)).code(document, entry.line);
  Answer answer = out.take();
  if (answer.lines.empty()) answer.lines.push_back({{{"It is about the whole recording.", {}}}, AnswerStyle::Dim, 0, 0, 0});
  return answer;
}

void CheckJob::start(const Recording& recording) {
  if (state_ == State::Running) return;
  state_ = State::Running;
  running_ = std::async(std::launch::async, [&recording] { return check_entries(recording); });
}

void CheckJob::reset() {
  if (running_.valid()) running_.wait();
  running_ = {};
  entries_.clear();
  error_.clear();
  state_ = State::NotStarted;
}

bool CheckJob::poll() {
  if (state_ != State::Running || running_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  try {
    entries_ = running_.get();
    state_ = State::Done;
  } catch (const std::exception& problem) {
    error_ = problem.what();
    state_ = State::Failed;
  }
  return true;
}

}  // namespace depscope::viewers
