#include "depscope/replay/artefacts/host_phases.h"

#include <algorithm>
#include <string>
#include <utility>

#include "depscope/base/json_reader.h"

namespace depscope::replay {
namespace {

class Reader {
 public:
  explicit Reader(const SourceFile& source) : source_(source) {}

  HostPhases read() {
    const std::string_view text = source_.text();
    for (std::size_t begin = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      ++line_;
      begin_ = begin;
      line(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return std::move(out_);
  }

 private:
  void line(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return;
    // Text between the lines, as of a log, is common, and told apart without a reader of its own.
    if (text[first] != '{') return skipped("an object was expected");
    try {
      pass(text);
    } catch (const InputError& e) {
      forget_pass();
      if (out_.skipped++ == 0) out_.first_skipped = placed(e.diagnostics().front());
    }
  }

  void skipped(std::string_view message) {
    if (out_.skipped++ != 0) return;
    Diagnostic d;
    d.message = message;
    out_.first_skipped = placed(std::move(d));
  }
  [[nodiscard]] Diagnostic placed(Diagnostic d) const {
    d.severity = Severity::Warning;
    d.file = source_.name();
    d.line = line_;
    d.column = std::max(d.column, 1U);
    if (d.byte_offset) *d.byte_offset += begin_;
    return d;
  }

  std::uint32_t name(std::string_view text) { return out_.names.intern(text).value; }
  static std::uint64_t number(JsonReader& reader) {
    std::uint64_t value = 0;
    if (!reader.wide_integer(value)) reader.fail_value("a number was expected");
    return value;
  }

  void pass(std::string_view text) {
    const SourceFile line(source_.name(), std::string(text));
    JsonReader reader(line);
    std::uint64_t pid = 0, inv = 0, dropped = 0;
    std::uint32_t clock = 0;
    bool has_pid = false, has_records = false;
    std::string_view key;
    reader.begin_object();
    while (reader.next_key(key)) {
      if (key == "pid") {
        pid = number(reader);
        has_pid = true;
      } else if (key == "inv") {
        inv = number(reader);
      } else if (key == "clock") {
        clock = name(reader.string());
      } else if (key == "dropped") {
        dropped = number(reader);
      } else if (key == "records") {
        if (has_records) reader.fail_value("\"records\" is given twice");
        has_records = true;
        reader.begin_array();
        while (reader.next_element()) record(reader);
      } else {
        reader.skip();
      }
    }
    reader.end();
    if (!has_pid || !has_records) reader.fail_value(has_pid ? "\"records\" is missing" : "\"pid\" is missing");
    auto& p = out_.passes;
    p.pid.push_back(pid);
    p.inv.push_back(inv);
    p.clock.push_back(clock);
    p.dropped.push_back(dropped);
    p.line.push_back(line_);
    p.first_record.push_back(out_.records.rows());
  }

  void record(JsonReader& reader) {
    std::uint32_t phase = 0;
    std::uint64_t start = 0, end = 0, detail = 0, tid = 0;
    bool has_start = false, has_end = false;
    std::string_view key;
    reader.begin_object();
    while (reader.next_key(key)) {
      if (key == "phase") {
        phase = name(reader.string());
      } else if (key == "start_ns") {
        start = number(reader);
        has_start = true;
      } else if (key == "end_ns") {
        end = number(reader);
        has_end = true;
      } else if (key == "detail") {
        if (!reader.wide_integer(detail)) detail = 0;
      } else if (key == "tid") {
        tid = number(reader);
      } else {
        reader.skip();
      }
    }
    if (phase == 0) reader.fail_value("the \"phase\" is missing");
    if (!has_start || !has_end) reader.fail_value("a time is missing");
    auto& r = out_.records;
    r.phase.push_back(phase);
    r.start.push_back(start);
    r.end.push_back(end);
    r.detail.push_back(detail);
    r.tid.push_back(tid);
  }

  /// Takes back the records of a line that turned out to be malformed.
  void forget_pass() {
    auto& r = out_.records;
    const std::uint32_t keep = out_.passes.first_record.back();
    r.phase.resize(keep);
    for (auto* column : {&r.start, &r.end, &r.detail, &r.tid}) column->resize(keep);
  }

  const SourceFile& source_;
  HostPhases out_;
  std::uint32_t line_ = 0;
  std::size_t begin_ = 0;  // of the line
};

}  // namespace

HostPhases read_host_phases(const SourceFile& source) { return Reader(source).read(); }

}  // namespace depscope::replay
