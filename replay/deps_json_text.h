// The objects of a deps.json of upstream's schema, as text. Private.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "depscope/runtime/sink.h"
#include "text_buffer.h"

namespace depscope::replay {

/// Where an access lies: lists in brackets, and elements from the beginning of the buffer.
struct DepsPlace {
  std::string_view shape, strides;
  std::uint64_t start_offset = 0;
};

struct DepsEdgeRow {
  std::uint64_t pred = 0, succ = 0;
  std::int8_t arg = -1;
  std::uint8_t source = 0, flags = 0;
  std::uint8_t overlap = 0;
  bool reads = false, writes = false;  ///< there is an access of the consumer, of the producer
  std::uint64_t tensor_id = 0;
  std::string_view dtype;  ///< of the consumer's access
  DepsPlace consumer, producer;
};

class DepsText {
 public:
  explicit DepsText(const TextOutput& output) : buffer_(output) {}

  template <class... Pieces>
  void put(const Pieces&... pieces) {
    buffer_.put(pieces...);
  }
  void flush() { buffer_.flush(); }
  /// Before every array item.
  void item(bool& first) {
    if (!first) put(",");
    first = false;
  }
  /// ["wait","retain"]
  template <class List>
  void names(const List& list) {
    put("[");
    bool first = true;
    for (const std::string_view name : list) {
      put(first ? "\"" : ",\"", name, "\"");
      first = false;
    }
    put("]");
  }

  /// Up to the arguments; the object ends with "]}".
  void begin_task(std::uint64_t id, bool manual, bool early_dispatch, const std::array<std::int32_t, 3>& kernels,
                  std::uint32_t block_num) {
    put("{\"task_id\":\"", id, "\",\"scope\":\"", manual ? "manual" : "auto", "\",\"early_dispatch\":", early_dispatch,
        ",\"kernel_ids\":[", kernels[0], ",", kernels[1], ",", kernels[2], "],\"block_num\":", block_num, ",\"args\":[");
  }
  /// Up to what it accesses; the object ends with "}".
  void begin_argument(bool first, std::uint8_t index, std::string_view type) {
    put(first ? "" : ",", "{\"idx\":", index, ",\"type\":\"", type, "\"");
  }
  void accessed(std::uint64_t tensor_id, std::string_view dtype, const DepsPlace& at) {
    put(",\"tensor_id\":\"", tensor_id, "\",\"dtype\":\"", dtype, "\"");
    place("", at);
  }
  void tensor(std::uint64_t id, std::uint64_t address, std::int32_t version, runtime::ElementType type, std::uint64_t elements) {
    put("{\"tensor_id\":\"", id, "\",\"buffer_addr\":\"", address, "\",\"version\":", version, ",\"dtype\":\"",
        element_type_name(type), "\",\"buffer_numel\":\"", element_size(type) == 0 ? 0 : elements, "\"}");
  }
  void edge(const DepsEdgeRow& e) {
    put("{\"pred\":\"", e.pred, "\",\"succ\":\"", e.succ, "\",\"arg\":", e.arg, ",\"source\":\"",
        e.source == runtime::kTensorMap ? "tensormap" : (e.source == runtime::kCreator ? "creator" : "explicit"),
        "\",\"flags\":", kFlags[e.flags & runtime::kWaitRetain]);
    if (e.writes) put(",\"overlap\":\"", e.overlap == 2 ? "covered" : "other", "\"");
    if (e.reads) {
      put(",\"tensor_id\":\"", e.tensor_id, "\",\"consumer_dtype\":\"", e.dtype, "\"");
      place("consumer_", e.consumer);
    }
    if (e.writes) place("producer_", e.producer);
    put("}");
  }
  void place(std::string_view prefix, const DepsPlace& at) {
    put(",\"", prefix, "shape\":", at.shape, ",\"", prefix, "start_offset\":\"", at.start_offset, "\",\"", prefix,
        "strides\":", at.strides);
  }

 private:
  static constexpr std::array<std::string_view, 4> kFlags{"[]", "[\"wait\"]", "[\"retain\"]", "[\"wait\",\"retain\"]"};

  TextBuffer buffer_;
};

/// Shape and strides as text: "[2,64]", "[64,1]".
struct GeometryText {
  std::string shape = "[", strides = "[";
  void add(std::uint32_t extent, std::uint64_t stride) {
    const std::string_view comma = shape.size() == 1 ? "" : ",";
    shape += fmt::format("{}{}", comma, extent);
    strides += fmt::format("{}{}", comma, stride);
  }
  void end() {
    shape += "]";
    strides += "]";
  }
};

}  // namespace depscope::replay
