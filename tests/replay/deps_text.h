// Texts of small deps.json files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "depscope/replay/deps_json_reader.h"

namespace depscope::replay {

/// {"idx": …, "type": …, tensor, shape [extent], offset}.
inline std::string deps_arg(int idx, const std::string& type, const std::string& tensor, int extent = 64, int offset = 0) {
  return R"({"idx":)" + std::to_string(idx) + R"(,"type":")" + type + R"(","tensor_id":")" + tensor +
         R"(","dtype":"FLOAT32","shape":[)" + std::to_string(extent) + R"(],"start_offset":")" + std::to_string(offset) +
         R"(","strides":[1]})";
}

inline std::string deps_output(int idx) { return R"({"idx":)" + std::to_string(idx) + R"(,"type":"OUTPUT"})"; }

inline std::string deps_joined(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ",") + item;
  return out;
}

/// One task on AIV0; kernel -1: a barrier.
inline std::string deps_task(const std::string& id, int kernel, const std::vector<std::string>& args = {},
                             const std::string& scope = "auto", int blocks = 1) {
  return R"({"task_id":")" + id + R"(","scope":")" + scope + R"(","early_dispatch":false,"kernel_ids":[-1,)" +
         std::to_string(kernel) + R"(,-1],"block_num":)" + std::to_string(blocks) + R"(,"args":[)" + deps_joined(args) + "]}";
}

inline std::string deps_tensor(const std::string& id, const std::string& address, int elements = 64) {
  return R"({"tensor_id":")" + id + R"(","buffer_addr":")" + address + R"(","version":0,"dtype":"FLOAT32","buffer_numel":")" +
         std::to_string(elements) + R"("})";
}

inline std::string deps_explicit(const std::string& pred, const std::string& succ) {
  return R"({"pred":")" + pred + R"(","succ":")" + succ + R"(","arg":-1,"source":"explicit","flags":["wait","retain"]})";
}

inline std::string deps_creator(const std::string& pred, const std::string& succ, int arg, const std::string& tensor) {
  return R"({"pred":")" + pred + R"(","succ":")" + succ + R"(","arg":)" + std::to_string(arg) +
         R"(,"source":"creator","flags":["wait","retain"],"tensor_id":")" + tensor +
         R"(","consumer_dtype":"FLOAT32","consumer_shape":[64],"consumer_start_offset":"0","consumer_strides":[1]})";
}

inline std::string deps_hit(const std::string& pred, const std::string& succ, int arg, const std::string& tensor) {
  return R"({"pred":")" + pred + R"(","succ":")" + succ + R"(","arg":)" + std::to_string(arg) +
         R"(,"source":"tensormap","flags":["wait"],"overlap":"covered","tensor_id":")" + tensor +
         R"(","consumer_dtype":"FLOAT32","consumer_shape":[64],"consumer_start_offset":"0","consumer_strides":[1],)"
         R"("producer_shape":[64],"producer_start_offset":"0","producer_strides":[1]})";
}

inline std::string deps_file(const std::vector<std::string>& tasks, const std::vector<std::string>& tensors,
                             const std::vector<std::string>& edges) {
  return R"({"tasks":[)" + deps_joined(tasks) + R"(],"tensors":[)" + deps_joined(tensors) + R"(],"edges":[)" +
         deps_joined(edges) + "]}\n";
}

inline DepsFile read_deps(const std::string& text, const DepsReadOptions& options = {}) {
  return read_deps_json(SourceFile("t.deps.json", text), options);
}

}  // namespace depscope::replay
