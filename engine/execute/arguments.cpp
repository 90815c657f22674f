// The function that runs and what it is given: --entry, --arg, --data and addresses of tensor parameters.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "interpreter.h"

namespace depscope::execute {

using ir::ExprId;
using ir::StmtId;
using ir::VarId;

namespace {

[[noreturn]] void bad_option(std::string message) {
  Diagnostic d;
  d.message = std::move(message);
  throw InputError(std::move(d));
}

constexpr int kMaxDataNesting = 32;  // of the arrays in --data

/// Numbers of a JSON array, nested arrays flattened.
void flatten(const nlohmann::json& j, const std::string& name, std::vector<double>& out, int depth = 0) {
  if (j.is_array()) {
    if (depth == kMaxDataNesting) bad_option(fmt::format("--data {}: more than {} nested arrays", name, kMaxDataNesting));
    for (const auto& item : j) flatten(item, name, out, depth + 1);
  } else if (j.is_number()) {
    out.push_back(j.get<double>());
  } else if (j.is_boolean()) {
    out.push_back(j.get<bool>() ? 1 : 0);
  } else {
    bad_option(fmt::format("--data {}: a number was expected, found {}", name, j.type_name()));
  }
}

/// True if brackets stand inside more than `limit` others; the parser follows them to any depth.
bool nested_deeper(std::string_view json, int limit) {
  int depth = 0;
  bool text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (text) {
      if (c == '\\') ++i;
      if (c == '"') text = false;
    } else if (c == '"') {
      text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > limit) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

bool is_data_value(const std::string& name, const std::string& text) { return !name.empty() && text.starts_with('['); }

// NAME=[…], NAME=FILE.json (one array, or an object with a member NAME), or FILE.json (an object of arrays by name).
void Interpreter::read_data(const std::string& name, const std::string& text) {
  const bool inline_value = is_data_value(name, text);
  const std::string where = inline_value ? "the value" : text;
  const std::string body = inline_value ? text : std::string(SourceFile::read(text, kMaxDataBytes).text());
  if (nested_deeper(body, kMaxDataNesting + 1))
    bad_option(fmt::format("--data {}: {} has more than {} nested arrays", name, where, kMaxDataNesting));
  const nlohmann::json j = nlohmann::json::parse(body, nullptr, false);
  if (j.is_discarded()) bad_option(fmt::format("--data {}: {} is not JSON", name, where));
  if (name.empty() && !j.is_object()) bad_option(fmt::format("--data {}: an object of arrays by name was expected", where));
  const auto add = [&](const std::string& key, const nlohmann::json& values) {
    Data d;
    d.name = key;
    flatten(values, key, d.values);
    data_.push_back(std::move(d));
  };
  if (name.empty()) {
    for (const auto& [key, values] : j.items()) add(key, values);
  } else if (j.is_object()) {
    if (!j.contains(name)) bad_option(fmt::format("--data {}: {} has no member '{}'", name, where, name));
    add(name, j[name]);
  } else {
    add(name, j);
  }
}

RunResult Interpreter::run() {
  const ir::Function* entry = nullptr;
  for (const ir::Function& f : program_.functions) {
    if (input_.entry.empty() ? f.kind == ir::FunctionKind::Orchestration : store_.text(f.name) == input_.entry) {
      entry = &f;
      break;
    }
  }
  if (entry == nullptr) {
    if (!input_.entry.empty()) {
      std::string known;
      for (const ir::Function& f : program_.functions) {
        if (f.kind == ir::FunctionKind::Orchestration) known += (known.empty() ? "" : ", ") + std::string(store_.text(f.name));
      }
      bad_option(fmt::format("--entry {}: no such function (Orchestration functions: {})", input_.entry,
                             known.empty() ? "none" : known));
    }
    result_.notices.push_back(
        {"not_modelled", "the program has no Orchestration function: nothing to run", "no_orchestration", {}, 0});
    return result_;
  }
  result_.entry = std::string(store_.text(entry->name));
  try {
    facts_.build(*entry);
    bind_parameters(*entry);
    function_body(entry->body);
    result_.complete = true;
  } catch (const Stop&) {
  }
  return std::move(result_);
}

void Interpreter::bind_parameters(const ir::Function& f) {
  for (const auto& arg : input_.args) {
    const std::string& key = arg.first;
    const bool known =
        std::any_of(f.params.begin(), f.params.end(),
                    [&](const ir::Param& p) {
                      const ir::Type& t = store_.type(p.type);
                      return t.kind == ir::TypeKind::Scalar && t.dtype != ir::DType::TaskId &&
                             source_name(store_.name(p.var)) == key;
                    }) ||
        std::any_of(program_.dynamic_dims.begin(), program_.dynamic_dims.end(), [&](VarId v) { return store_.name(v) == key; });
    if (!known)
      bad_option(fmt::format("--arg {}: function '{}' has no such scalar parameter or dimension", key, store_.text(f.name)));
  }
  // Scalars first: shapes may need them.
  for (const ir::Param& p : f.params) {
    const ir::Type& t = store_.type(p.type);
    const std::string name(source_name(store_.name(p.var)));
    if (t.kind == ir::TypeKind::Scalar && t.dtype == ir::DType::TaskId) {
      assign(p.var, {.kind = ValueKind::TaskId, .number = static_cast<std::int64_t>(runtime::kInvalidTask)});
      ids_.assign(p.var, runtime::kInvalidTask);
      continue;
    }
    if (t.kind != ir::TypeKind::Scalar) continue;
    const auto given = std::find_if(input_.args.begin(), input_.args.end(), [&](const auto& a) { return a.first == name; });
    if (given == input_.args.end()) {
      assign(p.var, missing(name, line(store_.var(p.var).span)));
      continue;
    }
    const std::string& text = given->second;
    std::int64_t integer = 0;
    double real = 0;
    const auto whole = std::from_chars(text.data(), text.data() + text.size(), integer);
    if (whole.ec == std::errc() && whole.ptr == text.data() + text.size()) {
      assign(p.var, number(integer));
    } else if (text == "True" || text == "true" || text == "False" || text == "false") {
      assign(p.var, {.kind = ValueKind::Bool, .number = text[0] == 'T' || text[0] == 't' ? 1 : 0});
    } else if (const auto r = std::from_chars(text.data(), text.data() + text.size(), real);
               r.ec == std::errc() && r.ptr == text.data() + text.size()) {
      assign(p.var, {.kind = ValueKind::Float, .real = real});
    } else {
      bad_option(fmt::format("--arg {}={}: a number was expected", name, text));
    }
  }
  for (const ir::Param& p : f.params) {
    const ir::Type& t = store_.type(p.type);
    const Span at = store_.var(p.var).span;
    const std::string name(source_name(store_.name(p.var)));
    if (t.kind == ir::TypeKind::Array) {
      const Value array = new_array(ir::array_extent(store_, p.type).value_or(0), at);
      assign(p.var, array);
      if (ir::is_task_id_array(store_, p.type)) ids_.bind(p.var, {IdBinding::Kind::List, false, array.index});
    } else if (ir::is_tensor_like(store_, p.type)) {
      TensorValue v = tensor_of(p.type, name, at);
      const std::uint64_t bytes =
          v.descriptor.buffer_elements * std::max<std::uint64_t>(runtime::element_size(v.descriptor.dtype), 1);
      v.descriptor.address = next_address_;
      next_address_ += (bytes + 4095) / 4096 * 4096 + 4096;
      if (next_address_ >= runtime::kHeapBase) fail(at, "the parameters are larger than the limit of 2^44 bytes");
      v.data = data_of(name);
      assign(p.var, temporary_tensor(v));
    } else if (t.kind != ir::TypeKind::Scalar) {
      assign(p.var, missing(name, line(at)));
    }
  }
  temporaries_.clear();
}

}  // namespace depscope::execute
