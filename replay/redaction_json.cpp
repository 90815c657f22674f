#include "redaction_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <optional>

#include "depscope/base/json_reader.h"
#include "depscope/runtime/submission.h"
#include "redaction_vocabulary.h"

namespace depscope::replay {
namespace {

/// What the value of a key is.
enum class Place : std::uint8_t {
  Kept,     ///< numbers and words of the schema
  Unknown,  ///< nobody knows
  Function,
  Variable,
  Address,
  TensorId,
  FunctionKeys,  ///< an object with names for keys
  VariableKeys,
  NumberKeys,  ///< an object with ids for keys
};

struct KnownKey {
  std::string_view key;
  Place place;
};

constexpr std::array<KnownKey, 23> kTraceKeys{
    {{"schema", Place::Kept},       {"version", Place::Kept},        {"tasks", Place::Kept},     {"task_id", Place::Kept},
     {"scope", Place::Kept},        {"kernel_ids", Place::Kept},     {"block_num", Place::Kept}, {"explicit_deps", Place::Kept},
     {"args", Place::Kept},         {"early_dispatch", Place::Kept}, {"duration", Place::Kept},  {"predicate", Place::Kept},
     {"task", Place::Kept},         {"flags", Place::Kept},          {"type", Place::Kept},      {"addr", Place::Address},
     {"buffer_numel", Place::Kept}, {"start_offset", Place::Kept},   {"dtype", Place::Kept},     {"shape", Place::Kept},
     {"strides", Place::Kept},      {"owner_task_id", Place::Kept},  {"manual_dep", Place::Kept}}};
constexpr std::array<KnownKey, 46> kDepsKeys{{{"schema", Place::Kept},
                                              {"version", Place::Kept},
                                              {"window_misses", Place::Kept},
                                              {"tasks", Place::Kept},
                                              {"tensors", Place::Kept},
                                              {"edges", Place::Kept},
                                              {"pairs", Place::Kept},
                                              {"submissions", Place::Kept},
                                              {"task_id", Place::Kept},
                                              {"scope", Place::Kept},
                                              {"early_dispatch", Place::Kept},
                                              {"kernel_ids", Place::Kept},
                                              {"block_num", Place::Kept},
                                              {"args", Place::Kept},
                                              {"idx", Place::Kept},
                                              {"type", Place::Kept},
                                              {"tensor_id", Place::TensorId},
                                              {"dtype", Place::Kept},
                                              {"shape", Place::Kept},
                                              {"start_offset", Place::Kept},
                                              {"strides", Place::Kept},
                                              {"offset", Place::Kept},
                                              {"buffer_addr", Place::Address},
                                              {"buffer_numel", Place::Kept},
                                              {"raw_shapes", Place::Kept},
                                              {"ndims", Place::Kept},
                                              {"pred", Place::Kept},
                                              {"succ", Place::Kept},
                                              {"arg", Place::Kept},
                                              {"source", Place::Kept},
                                              {"flags", Place::Kept},
                                              {"overlap", Place::Kept},
                                              {"consumer_dtype", Place::Kept},
                                              {"consumer_shape", Place::Kept},
                                              {"consumer_start_offset", Place::Kept},
                                              {"consumer_strides", Place::Kept},
                                              {"consumer_offset", Place::Kept},
                                              {"producer_shape", Place::Kept},
                                              {"producer_start_offset", Place::Kept},
                                              {"producer_strides", Place::Kept},
                                              {"producer_offset", Place::Kept},
                                              {"provenance", Place::Kept},
                                              {"flags_final", Place::Kept},
                                              {"via", Place::Kept},
                                              {"kind", Place::Kept},
                                              {"callee", Place::Function}}};
constexpr std::array<KnownKey, 4> kSubmissionKeys{
    {{"explicit_deps", Place::Kept}, {"scope_modes", Place::Kept}, {"root", Place::Variable}, {"owner", Place::Kept}}};
constexpr std::array<KnownKey, 10> kTimingKeys{{{"schema", Place::Kept},
                                                {"kernels", Place::FunctionKeys},
                                                {"tasks", Place::NumberKeys},
                                                {"default", Place::Kept},
                                                {"chip_swimlane_level", Place::Kept},
                                                {"metadata", Place::Kept},
                                                {"aicore_tasks", Place::Kept},
                                                {"clock_freq_hz", Place::Kept},
                                                {"num_cores", Place::Kept},
                                                {"core_types", Place::Kept}}};

template <std::size_t N>
std::optional<Place> find_key(const std::array<KnownKey, N>& keys, std::string_view key) {
  const auto at = std::find_if(keys.begin(), keys.end(), [&](const KnownKey& k) { return k.key == key; });
  return at == keys.end() ? std::nullopt : std::optional(at->place);
}

std::optional<Place> place_of(JsonInput input, std::string_view key) {
  switch (input) {
    case JsonInput::Trace: return find_key(kTraceKeys, key);
    case JsonInput::Deps: {
      const auto found = find_key(kDepsKeys, key);
      return found ? found : find_key(kSubmissionKeys, key);
    }
    case JsonInput::Timing: return find_key(kTimingKeys, key);
    case JsonInput::Data: return std::nullopt;
  }
  return std::nullopt;
}

bool is_whole_number(std::string_view text) {
  std::uint64_t ignored = 0;
  return json_whole_number(text, ignored);
}

/// Fields of one object that tell of a buffer.
struct BufferFields {
  JsonBuffer buffer;
  std::uint64_t elements = 0;
  std::uint64_t start = 0;
  std::uint64_t element_bytes = 1;
  std::vector<std::uint64_t> shape, strides;
};

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() : out;
}

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() : out;
}

std::uint64_t bytes_of(const BufferFields& f) {
  std::uint64_t last = f.start;
  for (std::size_t i = 0; i < f.shape.size() && i < f.strides.size(); ++i) {
    last = plus(last, times(f.shape[i] == 0 ? 0 : f.shape[i] - 1, f.strides[i]));
  }
  const std::uint64_t used = f.shape.empty() ? f.start : plus(last, 1);
  return times(std::max(f.elements, used), f.element_bytes);
}

/// Walks a text that is known to be JSON.
class Walk {
 public:
  Walk(std::string_view text, JsonInput input) : text_(text), input_(input) {}

  JsonParts run() {
    value(input_ == JsonInput::Data ? Place::VariableKeys : Place::Kept, nullptr, {});
    return std::move(out_);
  }

 private:
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
  }

  /// Goes behind the token; a string with its quotes.
  std::string_view token() {
    blanks();
    const std::size_t begin = at_;
    if (text_[at_] == '"') {
      for (++at_; text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
      ++at_;
    } else {
      while (at_ < text_.size() && std::string_view(" \t\r\n,:]}").find(text_[at_]) == std::string_view::npos) ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  void add(JsonPart part, std::string_view token) {
    const auto begin = static_cast<std::size_t>(token.data() - text_.data());
    out_.pieces.push_back({begin, begin + token.size(), part});
  }

  void value(Place place, BufferFields* fields, std::string_view key) {
    blanks();
    if (text_[at_] == '{') return object(place);
    if (text_[at_] == '[') return array(place, fields, key);
    const std::string_view t = token();
    const bool text = t[0] == '"';
    const bool number = !text && t != "true" && t != "false" && t != "null";
    switch (place) {
      case Place::Function:
      case Place::Variable:
        if (text && t.size() > 2) add(place == Place::Function ? JsonPart::Function : JsonPart::Variable, t);
        break;
      case Place::Address:
      case Place::TensorId:
        if (is_whole_number(t)) {
          add(place == Place::Address ? JsonPart::Address : JsonPart::TensorId, t);
        } else if (text) {
          add(JsonPart::Text, t);
        }
        break;
      case Place::Unknown:
        if (text && t.size() > 2) add(JsonPart::Text, t);
        if (number) add(JsonPart::Number, t);
        break;
      default:
        if (text && !is_json_word(json_string_value(t))) add(JsonPart::Text, t);
    }
    if (fields != nullptr) note(*fields, key, t);
  }

  static void note(BufferFields& f, std::string_view key, std::string_view token) {
    if (key == "dtype") {
      const std::uint32_t bytes = runtime::element_size(runtime::element_type_from_name(json_string_value(token)));
      f.element_bytes = std::max<std::uint64_t>(bytes, 1);
      return;
    }
    std::uint64_t number = 0;
    if (!json_whole_number(token, number)) return;
    if (key == "addr" || key == "buffer_addr") {
      f.buffer.address = number;
      f.buffer.has_address = true;
    } else if (key == "tensor_id") {
      f.buffer.tensor_id = number;
      f.buffer.has_id = true;
    } else if (key == "version") {
      f.buffer.version = static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
    } else if (key == "buffer_numel") {
      f.elements = number;
    } else if (key == "start_offset") {
      f.start = number;
    } else if (key == "shape") {
      f.shape.push_back(number);
    } else if (key == "strides") {
      f.strides.push_back(number);
    } else if (key == "raw_shapes") {
      f.elements = times(std::max<std::uint64_t>(f.elements, 1), number);
    }
  }

  void array(Place place, BufferFields* fields, std::string_view key) {
    // Elements that are objects have fields of their own; numbers are those of this one.
    for (++at_;; ++at_) {
      blanks();
      if (text_[at_] == ']') break;
      value(place == Place::VariableKeys ? Place::Kept : place, fields, key);
      blanks();
      if (text_[at_] == ']') break;
    }
    ++at_;
  }

  void object(Place place) {
    BufferFields fields;
    for (++at_;; ++at_) {
      blanks();
      if (text_[at_] == '}') break;
      const std::string_view quoted = token();
      const std::string key = json_string_value(quoted);
      const Place inner = key_place(place, quoted, key);
      blanks();
      ++at_;  // the colon
      value(inner, &fields, key);
      blanks();
      if (text_[at_] == '}') break;
    }
    ++at_;
    if (!fields.buffer.has_address && !fields.buffer.has_id) return;
    fields.buffer.bytes = bytes_of(fields);
    out_.buffers.push_back(fields.buffer);
  }

  /// What the key's value is; the key itself may have to be replaced.
  Place key_place(Place place, std::string_view quoted, std::string_view key) {
    switch (place) {
      case Place::FunctionKeys:
        // The kernels of a trace are named by their ids.
        if (key.find_first_not_of("0123456789") != std::string_view::npos) add(JsonPart::Function, quoted);
        return Place::Kept;
      case Place::VariableKeys:
        if (!key.empty()) add(JsonPart::Variable, quoted);
        return Place::Kept;
      case Place::NumberKeys:
        if (!is_whole_number(key)) add(JsonPart::Key, quoted);
        return Place::Kept;
      default: break;
    }
    const auto known = place == Place::Unknown ? std::nullopt : place_of(input_, key);
    if (known) return *known;
    add(JsonPart::Key, quoted);
    return Place::Unknown;
  }

  std::string_view text_;
  JsonInput input_;
  std::size_t at_ = 0;
  JsonParts out_;
};

}  // namespace

std::string json_string_value(std::string_view quoted) {
  const std::string_view inside = quoted.substr(1, quoted.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return std::string(inside);
  const SourceFile source("", std::string(quoted));
  JsonReader reader(source);
  return std::string(reader.string());
}

bool json_whole_number(std::string_view text, std::uint64_t& value) {
  if (text.size() > 1 && text.front() == '"') text = text.substr(1, text.size() - 2);
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  if (negative) value = ~value + 1;
  return true;
}

JsonParts json_parts(const SourceFile& text, JsonInput input) {
  JsonReader reader(text);
  reader.skip();
  reader.end();
  return Walk(text.text(), input).run();
}

}  // namespace depscope::replay
