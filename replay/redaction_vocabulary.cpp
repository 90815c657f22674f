#include "redaction_vocabulary.h"

#include <algorithm>
#include <array>

namespace depscope::replay {
namespace {

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

constexpr std::array<std::string_view, 10> kSpaces = {"ddr", "vec",  "mat",         "left",       "right",
                                                      "acc", "bias", "scalarlocal", "left_scale", "right_scale"};
constexpr std::array<std::string_view, 34> kQualifierWords = {
    "l0",    "l1",    "rm",    "cm",    "nd",    "nz",     "zz",     "nn",     "cast", "bool", "int4", "int8",
    "int16", "int32", "int64", "uint4", "uint8", "uint16", "uint32", "uint64", "fp4",  "fp8",  "fp16", "fp32",
    "bf16",  "hf4",   "hf8",   "index", "vec",   "mat",    "left",   "right",  "acc",  "bias"};
constexpr std::array<std::string_view, 29> kAttributeKeys = {"dump_vars",
                                                             "arg_directions",
                                                             "arg_direction_overrides",
                                                             "compiler_manual_dep_edges",
                                                             "manual_dep_edges",
                                                             "dep_flags",
                                                             "core_num",
                                                             "sync_start",
                                                             "allow_early_resolve",
                                                             "dummy_task",
                                                             "device",
                                                             "pipeline_membership",
                                                             "pipeline_stages",
                                                             "pipeline_overlap_stores",
                                                             "pipeline_double_buffer_c",
                                                             "core_placement",
                                                             "split",
                                                             "split_aiv",
                                                             "split_aiv_region_validated",
                                                             "dual_aiv_dispatch",
                                                             "spmd_unwrapped",
                                                             "deferred_completion_waiter",
                                                             "slot_num",
                                                             "windowize",
                                                             "auto_scope",
                                                             "external_source",
                                                             "level",
                                                             "role",
                                                             "type"};
constexpr std::array<std::string_view, 4> kAttributeKeyBegins = {"iter_arg_rebind_", "iter_arg_array_size_", "__compiler_auto_",
                                                                 "__auto_"};
constexpr std::array<std::string_view, 34> kAttributeValues = {
    "aic",     "aiv",        "mixed",  "wait",          "retain", "wait|retain", "retain|wait", "none", "round", "rint",
    "floor",   "ceil",       "trunc",  "odd",           "eq",     "ne",          "lt",          "le",   "gt",    "ge",
    "add",     "max",        "min",    "sum",           "mean",   "prod",        "zero",        "null", "row",   "col",
    "up_down", "left_right", "normal", "high_precision"};
constexpr std::array<std::string_view, 8> kLaunchKeywords = {
    "deps", "dumps", "core_num", "sync_start", "allow_early_resolve", "predicate", "attrs", "device"};
constexpr std::array<std::string_view, 12> kPythonFunctions = {"range", "abs",   "len", "int",  "float",      "min",
                                                               "max",   "print", "str", "bool", "isinstance", "tuple"};
constexpr std::array<std::string_view, 56> kJsonWords = {
    "auto",    "manual",    "INPUT",   "OUTPUT",    "INOUT",   "OUTPUT_EXISTING",
    "NO_DEP",  "SCALAR",    "UNKNOWN", "FLOAT32",   "FLOAT16", "BFLOAT16",
    "INT64",   "INT32",     "INT16",   "INT8",      "UINT64",  "UINT32",
    "UINT16",  "UINT8",     "BOOL",    "FP8E4M3FN", "FP8E5M2", "FP8E8M0",
    "FP4E2M1", "HF4",       "HF8",     "INT4",      "UINT4",   "explicit",
    "creator", "tensormap", "user",    "compiler",  "fence",   "wait",
    "retain",  "covered",   "other",   "never",     "kernel",  "alloc",
    "dummy",   "aic",       "aiv",     "none",      "bitmap",  "exact",
    "one-hop", "a2a3",      "a5",      "AIC",       "AIV",     "MIX",
    "AUTO",    "MANUAL"};

}  // namespace

bool is_memory_space(std::string_view word) { return contains(kSpaces, word); }

bool is_known_qualifier(std::string_view qualifier) {
  while (!qualifier.empty()) {
    const std::size_t end = std::min(qualifier.find('_'), qualifier.size());
    const std::string_view word = qualifier.substr(0, end);
    // "a1", "b": an operand and its number.
    const bool operand = !word.empty() && word[0] >= 'a' && word[0] <= 'c' && (word.size() == 1 || is_number(word.substr(1)));
    if (!word.empty() && !is_number(word) && !operand && !contains(kQualifierWords, word)) return false;
    qualifier.remove_prefix(std::min(end + 1, qualifier.size()));
  }
  return true;
}

bool is_attribute_key(std::string_view key) {
  return contains(kAttributeKeys, key) ||
         std::any_of(kAttributeKeyBegins.begin(), kAttributeKeyBegins.end(), [&](std::string_view begin) {
           const std::string_view rest = key.substr(std::min(begin.size(), key.size()));
           // Of the numbered ones nothing but a number may follow; the compiler's private keys are words of its own.
           return key.starts_with(begin) && (begin.starts_with('_') ? !rest.empty() : is_number(rest));
         });
}

bool is_attribute_value(std::string_view text) {
  // "0:1;0:2": groups and stages of pipelines.
  return contains(kAttributeValues, text) || text.find_first_not_of("0123456789:;,") == std::string_view::npos;
}

bool is_launch_keyword(std::string_view word) { return contains(kLaunchKeywords, word); }

bool is_python_function(std::string_view word) { return contains(kPythonFunctions, word); }

bool is_json_word(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  return text.empty() || is_number(digits) || contains(kJsonWords, text) || text == "depscope.deps/1" ||
         text == "depscope.timing/1" || text == "depscope.trace/1";
}

}  // namespace depscope::replay
