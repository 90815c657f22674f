// Damaged texts: whatever the reader gets, it answers with errors that have a place, or with a program that survives printing.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "ir_text.h"

namespace depscope::ir::testing {
namespace {

namespace fs = std::filesystem;

/// Empty if the reader behaved.
std::string fault_of(const std::string& text) {
  const auto begin = std::chrono::steady_clock::now();
  const ReadResult result = read(text);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (seconds > 10.0) return "reading took " + std::to_string(seconds) + " s";
  const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n') + 1);
  bool error = false;
  for (const Diagnostic& d : result.diagnostics) {
    error = error || d.severity == Severity::Error;
    if (d.message.empty() || d.line == 0 || d.line > lines || d.column == 0) return "a message without a place: " + d.headline();
    (void)d.text();
  }
  if (error == result.ok) return "ok does not tell whether there were errors";
  return result.ok ? round_trip_fault(result) : "";
}

std::vector<std::string> seeds() {
  std::vector<std::string> out;
  for (const char* folder : {"ir", "dumps"}) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(data_path(folder))) {
      if (entry.path().extension() == ".py" && entry.file_size() < 20000) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) out.push_back(file_text(file.string()));
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(DEPSCOPE_SAMPLES)) {
    if (entry.path().extension() == ".py") out.push_back(file_text(entry.path().string()));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string_view> pieces(const std::string& text, bool lines) {
  std::vector<std::string_view> out;
  std::size_t i = 0;
  const std::string_view all(text);
  while (i < all.size()) {
    std::size_t end = i + 1;
    if (lines) {
      end = std::min(all.find('\n', i), all.size() - 1) + 1;
    } else if (std::isalnum(static_cast<unsigned char>(all[i])) != 0 || all[i] == '_') {
      while (end < all.size() && (std::isalnum(static_cast<unsigned char>(all[end])) != 0 || all[end] == '_')) ++end;
    }
    out.push_back(all.substr(i, end - i));
    i = end;
  }
  return out;
}

std::string joined(const std::vector<std::string_view>& parts) {
  std::string out;
  for (const std::string_view p : parts) out += p;
  return out;
}

std::string mutate(const std::string& text, std::mt19937_64& random) {
  static const std::vector<std::string_view> kWords = {"(",
                                                       ")",
                                                       "[",
                                                       "]",
                                                       "{",
                                                       "}",
                                                       ",",
                                                       ":",
                                                       "=",
                                                       "->",
                                                       "@",
                                                       ".",
                                                       "...",
                                                       "\n",
                                                       "    ",
                                                       "\t",
                                                       "\r\n",
                                                       "#",
                                                       "\"",
                                                       "'",
                                                       "\\",
                                                       "\\\n",
                                                       "\0",
                                                       ";",
                                                       "if",
                                                       "else",
                                                       "elif",
                                                       "for",
                                                       "in",
                                                       "while",
                                                       "with",
                                                       "as",
                                                       "def",
                                                       "class",
                                                       "return",
                                                       "pass",
                                                       "break",
                                                       "lambda",
                                                       "not",
                                                       "and",
                                                       "xor",
                                                       "None",
                                                       "True",
                                                       "-",
                                                       "+",
                                                       "**",
                                                       "*",
                                                       "//",
                                                       "~",
                                                       "<",
                                                       "==",
                                                       ":=",
                                                       "+=",
                                                       "9223372036854775808",
                                                       "18446744073709551616",
                                                       "-9223372036854775808",
                                                       "1e999",
                                                       "0x",
                                                       "0.1",
                                                       "nan",
                                                       "inf",
                                                       "x",
                                                       "self",
                                                       "pl.yield_(",
                                                       "pl.submit(",
                                                       "deps=[None]",
                                                       "pl.const(",
                                                       "pl.FOO",
                                                       "pl.Tensor[[4], pl.FP32]",
                                                       "\xff",
                                                       "\xef\xbb\xbf",
                                                       "é",
                                                       "init_values=",
                                                       "attrs={}",
                                                       "pl.scope()",
                                                       "pl.dynamic(\"N\")",
                                                       "[0]",
                                                       "[1:2]",
                                                       "pl.func_attr({\"a\": 1})",
                                                       "pl.tensor.dim(x, 0)",
                                                       "f\"a\"",
                                                       "r'a'",
                                                       "\"\"\"",
                                                       "pass\n",
                                                       "a, b = ",
                                                       "pl.range(4)",
                                                       "-2 ** x",
                                                       "0 <= i < n",
                                                       "pl.MemRef(m, 0, 4)",
                                                       "import x",
                                                       "# note\n"};
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1)); };
  std::string out = text;
  const std::size_t rounds = 1 + pick(3);
  for (std::size_t r = 0; r < rounds && !out.empty(); ++r) {
    const std::size_t how = pick(10);
    if (how == 0) {
      out[pick(out.size())] = static_cast<char>(random());
    } else if (how == 1) {
      const std::size_t at = pick(out.size());
      out.erase(at, 1 + pick(40));
    } else if (how == 2) {
      out.insert(pick(out.size()), kWords[pick(kWords.size())]);
    } else if (how == 3 && r == 0) {
      out.resize(pick(out.size()));
    } else {
      const std::string before = out;
      std::vector<std::string_view> parts = pieces(before, how >= 8);
      const std::size_t at = pick(parts.size());
      switch (how) {
        case 4: parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at)); break;
        case 5: parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(at), parts[at]); break;
        case 6: parts[at] = kWords[pick(kWords.size())]; break;
        case 7: std::swap(parts[at], parts[pick(parts.size())]); break;
        case 8: parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at)); break;
        default: parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(pick(parts.size())), parts[at]); break;
      }
      out = joined(parts);
    }
  }
  return out;
}

// DEPSCOPE_MUTATIONS=N and DEPSCOPE_MUTATION_SEED=S make a long hunt of it.
std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(Mutations, RandomDamageIsReportedOrHarmless) {
  const std::vector<std::string> all = seeds();
  ASSERT_GT(all.size(), 50U);
  std::mt19937_64 random(setting("DEPSCOPE_MUTATION_SEED", 20260801));
  int faults = 0;
  for (std::uint64_t i = 0; i < setting("DEPSCOPE_MUTATIONS", 400); ++i) {
    const std::string text = mutate(all[random() % all.size()], random);
    const std::string fault = fault_of(text);
    if (!fault.empty()) ADD_FAILURE() << fault << "\n---- read from\n" << text;
    if (!fault.empty() && ++faults == 5) return;
  }
}

TEST(Mutations, TruncatedTexts) {
  const std::vector<std::string> all = seeds();
  for (std::size_t s = 0; s < all.size(); s += 10) {
    for (std::size_t size = 0; size < all[s].size(); size += 97) {
      const std::string fault = fault_of(all[s].substr(0, size));
      ASSERT_EQ(fault, "") << "cut at byte " << size << " of\n" << all[s];
    }
  }
}

}  // namespace
}  // namespace depscope::ir::testing
