#include "depscope/replay/artefacts/run_log.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "log_fields.h"
#include "stall_lines.h"

namespace depscope::replay {
namespace {

/// What a record begins with.
enum class Mark : std::uint8_t { None, Prefix, Anchor, Span, Stall, Thread, Bind, Echo };

constexpr std::string_view kPrefix = "[mono_ns=";
constexpr std::string_view kAnchor = "[CLOCK_ANCHOR]";
constexpr std::string_view kSpan = "[STRACE]";
constexpr std::string_view kStall = "[STALL ";
constexpr std::string_view kThread = "Thread ";
constexpr std::string_view kBind = "bind phase=";
constexpr std::string_view kEcho = "PTO2 scheduler timeout";
constexpr std::size_t kMaxThreadDigits = 9;

/// "Thread 12:"
bool names_thread(std::string_view text) {
  if (!text.starts_with(kThread)) return false;
  std::size_t at = kThread.size();
  while (at < text.size() && at - kThread.size() < kMaxThreadDigits && is_decimal(text[at])) ++at;
  return at != kThread.size() && at < text.size() && text[at] == ':';
}

Mark mark_of(std::string_view text) {
  switch (text.front()) {
    case '[':
      if (text.starts_with(kSpan)) return Mark::Span;
      if (text.starts_with(kPrefix)) return Mark::Prefix;
      if (text.starts_with(kStall)) return Mark::Stall;
      return text.starts_with(kAnchor) ? Mark::Anchor : Mark::None;
    case 'T': return names_thread(text) ? Mark::Thread : Mark::None;
    case 'b': return text.starts_with(kBind) ? Mark::Bind : Mark::None;
    case 'P': return text.starts_with(kEcho) ? Mark::Echo : Mark::None;
    default: return Mark::None;
  }
}

/// The value of a hexadecimal digit, or -1.
int hex_digit(char c) {
  if (is_decimal(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Resolves %XX; a percent sign without two digits stays. Takes off the sign at the end that tells of a cut.
std::string decoded(std::string_view word, bool& cut) {
  if (word.ends_with('~')) {
    cut = true;
    word.remove_suffix(1);
  }
  std::string out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const int high = word[i] == '%' && i + 2 < word.size() ? hex_digit(word[i + 1]) : -1;
    const int low = high < 0 ? -1 : hex_digit(word[i + 2]);
    out += low < 0 ? word[i] : static_cast<char>(high * 16 + low);
    if (low >= 0) i += 2;
  }
  return out;
}

/// "57.600us" in nanoseconds; digits beyond the third are left out.
bool nanoseconds(std::string_view word, std::uint64_t& value) {
  constexpr std::uint64_t kMostMicroseconds = kNoLogTime / 1'000 - 1;
  std::uint64_t whole = 0, rest = 0;
  if (!take_number(word, whole) || whole > kMostMicroseconds) return false;
  if (word.starts_with('.')) {
    word.remove_prefix(1);
    for (std::uint64_t unit = 100; unit != 0 && !word.empty() && is_decimal(word.front()); unit /= 10) {
      rest += unit * static_cast<std::uint64_t>(word.front() - '0');
      word.remove_prefix(1);
    }
  }
  value = whole * 1'000 + rest;
  return true;
}

/// A program's hash.
bool is_hash(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return hex_digit(c) >= 0; });
}

class Reader {
 public:
  explicit Reader(const SourceFile& source) : text_(source.text()), stalls_(out_) {}

  RunLog read() {
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      ++out_.lines;
      if (end == text_.size()) out_.open_line = out_.lines;
      line(text_.substr(begin, end - begin));
      begin = end + 1;
    }
    return std::move(out_);
  }

 private:
  /// A record reaches up to the next one, which may have been written into it.
  void line(std::string_view text) {
    mono_ = kNoLogTime;
    host_thread_ = 0;
    Mark mark = Mark::None;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const Mark next = mark_of(text.substr(at));
      if (next == Mark::None) continue;
      record(mark, text.substr(begin, at - begin));
      mark = next;
      begin = at;
    }
    record(mark, text.substr(begin));
  }

  void record(Mark mark, std::string_view text) {
    switch (mark) {
      case Mark::None: return;
      case Mark::Prefix: return prefix(text.substr(kPrefix.size()));
      case Mark::Anchor: return anchor(text.substr(kAnchor.size()));
      case Mark::Span: return span(text.substr(kSpan.size()));
      case Mark::Stall: return stalls_.device_line(text.substr(kStall.size()), out_.lines, mono_);
      case Mark::Thread: return thread(text.substr(kThread.size()));
      case Mark::Bind: return bind(text.substr(kBind.size() - std::string_view("phase=").size()));
      case Mark::Echo: return stalls_.host_line(text.substr(kEcho.size()), out_.lines, mono_);
    }
  }

  std::uint32_t name(std::string_view text) { return text.empty() ? 0 : out_.names.intern(text).value; }

  /// [mono_ns=<n>][T0x<hex>]
  void prefix(std::string_view text) {
    constexpr std::string_view kThreadId = "][T0x";
    mono_ = kNoLogTime;
    host_thread_ = 0;
    if (!take_number(text, mono_) || !text.starts_with(kThreadId)) return;
    text.remove_prefix(kThreadId.size());
    (void)take_number(text, host_thread_, 16);
  }

  void anchor(std::string_view text) {
    constexpr std::array<std::string_view, 4> kKeys{"v", "pid", "mono_ns", "wall_ns"};
    const auto values = word_values(text, kKeys, [](std::string_view) {});
    std::array<std::uint64_t, 4> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!whole_number(values[i], numbers[i])) return out_.torn_others.add(out_.lines);
    }
    if (numbers[0] != 1) return;
    out_.anchors.pid.push_back(numbers[1]);
    out_.anchors.mono.push_back(numbers[2]);
    out_.anchors.wall.push_back(numbers[3]);
    out_.anchors.line.push_back(out_.lines);
  }

  void span(std::string_view text) {
    constexpr std::array<std::string_view, 9> kKeys{"v", "pid", "tid", "inv", "ts", "dur", "depth", "hid", "name"};
    constexpr std::size_t kVersion = 0, kPid = 1, kTid = 2, kInv = 3, kTs = 4, kDur = 5, kDepth = 6, kHid = 7, kName = 8;
    attributes_.clear();
    const auto values = word_values(text, kKeys, [this](std::string_view word) {
      if (word.find('=') != std::string_view::npos || word.ends_with('~')) attributes_.push_back(word);
    });
    std::array<std::uint64_t, kHid> numbers{};
    for (std::size_t i = 0; i < kHid; ++i) {
      if (!whole_number(values[i], numbers[i])) return out_.torn_spans.add(out_.lines);
    }
    const bool named = values[kHid] && is_hash(*values[kHid]) && values[kName] && !values[kName]->empty();
    if (!named || numbers[kDepth] > std::numeric_limits<std::uint32_t>::max()) return out_.torn_spans.add(out_.lines);
    if (numbers[kVersion] != 1) return out_.other_spans.add(out_.lines);

    auto& s = out_.spans;
    bool cut = false;
    s.pid.push_back(numbers[kPid]);
    s.tid.push_back(numbers[kTid]);
    s.inv.push_back(numbers[kInv]);
    s.hid.push_back(name(*values[kHid]));
    s.depth.push_back(static_cast<std::uint32_t>(numbers[kDepth]));
    s.name.push_back(name(decoded(*values[kName], cut)));
    s.ts.push_back(numbers[kTs]);
    s.dur.push_back(numbers[kDur]);
    bool device = false;
    for (const std::string_view word : attributes_) {
      const std::size_t equals = word.find('=');
      const std::string key = decoded(word.substr(0, equals), cut);
      const std::string value = equals == std::string_view::npos ? std::string() : decoded(word.substr(equals + 1), cut);
      device = device || (key == "clk" && value == "dev");
      out_.attributes.key.push_back(name(key));
      out_.attributes.value.push_back(name(value));
    }
    s.device.push_back(device ? 1 : 0);
    s.cut.push_back(cut ? 1 : 0);
    s.first_attribute.push_back(static_cast<std::uint32_t>(out_.attributes.key.size()));
    s.mono.push_back(mono_);
    s.line.push_back(out_.lines);
  }

  /// <n>: sched_start=… sched_end=… sched_cost=…us, or the same of orch.
  void thread(std::string_view text) {
    std::uint64_t number = 0, start = 0, end = 0, cost = 0;
    if (!take_number(text, number)) return;
    const bool scheduler = text_after(text, "sched_start=").has_value();
    if (!scheduler && !text_after(text, "orch_start=")) return;
    const auto value = [text](std::string_view key, std::uint64_t& out) {
      auto found = text_after(text, key);
      return found && take_number(*found, out);
    };
    const auto cost_text = text_after(text, scheduler ? "sched_cost=" : "orch_cost=");
    if (!value(scheduler ? "sched_start=" : "orch_start=", start) || !value(scheduler ? "sched_end=" : "orch_end=", end) ||
        !cost_text || !nanoseconds(*cost_text, cost))
      return out_.torn_others.add(out_.lines);
    auto& t = out_.thread_times;
    t.thread.push_back(static_cast<std::uint32_t>(number));
    t.orchestrator.push_back(scheduler ? 0 : 1);
    t.start.push_back(start);
    t.end.push_back(end);
    t.cost.push_back(cost);
    t.line.push_back(out_.lines);
  }

  void bind(std::string_view text) {
    constexpr std::array<std::string_view, 3> kKeys{"phase", "start_ns", "dur_ns"};
    const auto values = word_values(text, kKeys, [](std::string_view) {});
    std::uint64_t start = 0, dur = 0;
    if (!values[0] || values[0]->empty() || !whole_number(values[1], start) || !whole_number(values[2], dur))
      return out_.torn_others.add(out_.lines);
    out_.bind_phases.host_thread.push_back(host_thread_);
    out_.bind_phases.phase.push_back(name(*values[0]));
    out_.bind_phases.start.push_back(start);
    out_.bind_phases.dur.push_back(dur);
    out_.bind_phases.line.push_back(out_.lines);
  }

  std::string_view text_;
  RunLog out_;
  StallLines stalls_;
  std::vector<std::string_view> attributes_;           // of the span that is read
  std::uint64_t mono_ = kNoLogTime, host_thread_ = 0;  // of the last prefix in the line
};

}  // namespace

RunLog read_run_log(const SourceFile& source) { return Reader(source).read(); }

WallClock::WallClock(const RunLog& log) {
  const auto& a = log.anchors;
  for (std::uint32_t row = 0; row < a.rows(); ++row) anchors_.push_back({a.pid[row], a.mono[row], a.wall[row]});
  std::stable_sort(anchors_.begin(), anchors_.end(),
                   [](const Anchor& x, const Anchor& y) { return std::pair(x.pid, x.mono) < std::pair(y.pid, y.mono); });
}

std::optional<std::uint64_t> WallClock::at(std::uint64_t pid, std::uint64_t mono) const {
  const auto end = std::upper_bound(anchors_.begin(), anchors_.end(), std::pair(pid, mono),
                                    [](const auto& wanted, const Anchor& a) { return wanted < std::pair(a.pid, a.mono); });
  if (end == anchors_.begin() || (end - 1)->pid != pid) return std::nullopt;
  const Anchor& anchor = *(end - 1);
  const std::uint64_t since = mono - anchor.mono;
  if (since > ~anchor.wall) return std::nullopt;
  return anchor.wall + since;
}

}  // namespace depscope::replay
