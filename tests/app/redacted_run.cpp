#include "redacted_run.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <regex>

#include "depscope/runtime/choice_error.h"
#include "dump_directories.h"
#include "open_input.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;
using recording::Recording;
using recording::Target;

RunOptions options_of(const SideInputs& side) {
  CLI::App parser;
  OptionTexts texts;
  add_run_options(parser, texts);
  texts.args = side.args;
  texts.data = side.data;
  if (!side.data_file.empty()) texts.data.push_back(side.data_file);
  if (side.analyze) texts.analyze_auto_scopes = "true";
  return parse(texts);
}

RunOutcome run_input(const fs::path& path, const SideInputs& side) {
  RunOutcome out;
  try {
    out.recording = open_input(path.string(), options_of(side)).recording;
  } catch (const InputError& e) {
    for (const Diagnostic& d : e.diagnostics()) {
      out.error_lines.push_back(d.line);
      out.errors.push_back(d.message);
    }
  }
  return out;
}

enum class TextKind : std::uint8_t { Program, Trace, Deps };

TextKind kind_of(const fs::path& path) {
  if (path.extension() == ".py") return TextKind::Program;
  return kind_of_input(path.string()) == InputKind::DepsJson ? TextKind::Deps : TextKind::Trace;
}

struct Files {
  std::vector<SourceFile> sources;
  std::vector<TextKind> kinds;
};

Files files_of(const fs::path& path) {
  std::vector<fs::path> paths;
  if (fs::is_directory(path)) {
    for (const auto& entry : fs::directory_iterator(path)) {
      if (entry.path().extension() == ".py") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
  } else {
    paths.push_back(path);
  }
  Files out;
  for (const fs::path& p : paths) {
    out.sources.push_back(SourceFile::read(p.string(), std::uint64_t{1} << 28U));
    out.kinds.push_back(kind_of(p));
  }
  return out;
}

}  // namespace

RedactedRun run_both(const fs::path& path, const SideInputs& side, const fs::path& folder) {
  RedactedRun out;
  out.original = run_input(path, side);
  replay::Redaction redaction;
  SideInputs redacted_side;
  redacted_side.analyze = side.analyze;
  try {
    const Files files = files_of(path);
    for (std::size_t i = 0; i < files.sources.size(); ++i) {
      switch (files.kinds[i]) {
        case TextKind::Program: redaction.learn_program(files.sources[i]); break;
        case TextKind::Trace: redaction.learn_trace(files.sources[i]); break;
        case TextKind::Deps: redaction.learn_deps_json(files.sources[i]); break;
      }
    }
    std::optional<SourceFile> data;
    if (!side.data_file.empty())
      redaction.learn_data_json(data.emplace(SourceFile::read(side.data_file, std::uint64_t{1} << 28U)));
    for (const std::string& text : side.args) redaction.learn_assignment(text);
    for (const std::string& text : side.data) redaction.learn_assignment(text);
    redaction.freeze();

    const fs::path target = folder / (fs::is_directory(path) ? "passes_dump" : "input");
    if (fs::is_directory(path)) fs::create_directories(target);
    fs::path input = target;
    for (std::size_t i = 0; i < files.sources.size(); ++i) {
      const SourceFile& source = files.sources[i];
      std::string text;
      std::string suffix;
      switch (files.kinds[i]) {
        case TextKind::Program: text = redaction.program(source), suffix = ".py"; break;
        case TextKind::Trace: text = redaction.trace(source), suffix = ".trace.json"; break;
        case TextKind::Deps: text = redaction.deps_json(source), suffix = ".deps.json"; break;
      }
      const std::string name = fs::path(source.name()).filename().string();
      input = fs::is_directory(path) ? target / name : fs::path(target.string() + suffix);
      write_text(input, text);
      out.originals[name] = std::string(source.text());
      out.texts[name] = std::move(text);
    }
    if (fs::is_directory(path)) input = target;
    if (data) {
      redacted_side.data_file = (folder / "data.json").string();
      write_text(redacted_side.data_file, redaction.data_json(*data));
    }
    for (const std::string& text : side.args) redacted_side.args.push_back(redaction.assignment(text));
    for (const std::string& text : side.data) redacted_side.data.push_back(redaction.assignment(text));
    out.redacted = run_input(input, redacted_side);
  } catch (const InputError& e) {
    out.refused = true;
    for (const Diagnostic& d : e.diagnostics()) {
      out.redacted.error_lines.push_back(d.line);
      out.redacted.errors.push_back(d.message);
    }
    return out;
  }
  for (const std::string& name : redaction.originals()) out.names.insert(name);
  for (const auto& [name, text] : out.originals) out.names.merge(defined_names(text));
  return out;
}

std::string structure_difference(const Recording& a, const Recording& b) {
  std::string found;
  std::map<std::string_view, std::vector<std::pair<std::string, const void*>>> columns;
  Recording::tables(b, [&](std::string_view table, const auto& t) {
    std::decay_t<decltype(t)>::columns(
        t, [&](std::string_view, const auto& values, Target) { columns[table].emplace_back("", &values); });
  });
  Recording::tables(a, [&](std::string_view table, const auto& t) {
    std::size_t index = 0;
    std::decay_t<decltype(t)>::columns(t, [&](std::string_view column, const auto& left, Target target) {
      using Values = std::decay_t<decltype(left)>;
      const auto& right = *static_cast<const Values*>(columns[table][index++].second);
      if (!found.empty()) return;
      const std::string place = fmt::format("{}.{}", table, column);
      if (left.size() != right.size()) {
        found = fmt::format("{}: {} rows against {}", place, left.size(), right.size());
        return;
      }
      // Addresses are moved, runs in the pool hold names and lines of printed texts; both are looked at by what they mean.
      if (place == "tensors.address" || target == Target::Pool) return;
      std::map<std::string_view, std::string_view> there;
      std::map<std::string_view, std::string_view> back;
      for (std::size_t row = 0; row < left.size(); ++row) {
        bool same = left[row] == right[row];
        if (target == Target::String || target == Target::None) {
          if constexpr (std::is_same_v<typename Values::value_type, std::uint32_t>) {
            if (target == Target::String) {
              const std::string_view l = a.text(left[row]);
              const std::string_view r = b.text(right[row]);
              same = l.empty() == r.empty() && there.emplace(l, r).first->second == r && back.emplace(r, l).first->second == l;
            }
          }
        }
        if (!same) {
          found = fmt::format("{}[{}]", place, row);
          if constexpr (std::is_same_v<typename Values::value_type, std::uint32_t>) {
            if (target == Target::String) found += fmt::format(": '{}' against '{}'", a.text(left[row]), b.text(right[row]));
          }
          if (target != Target::String) found += fmt::format(": {} against {}", left[row], right[row]);
          return;
        }
      }
    });
  });
  if (!found.empty()) return found;
  // Words of the vocabulary are the same, not only as often the same.
  for (std::uint32_t i = 0; i < a.findings.rows(); ++i) {
    if (a.text(a.findings.kind[i]) != b.text(b.findings.kind[i])) return fmt::format("findings.kind[{}]", i);
  }
  for (std::uint32_t i = 0; i < a.passes.rows(); ++i) {
    if (a.text(a.passes.name[i]) != b.text(b.passes.name[i])) return fmt::format("passes.name[{}]", i);
  }
  for (std::uint32_t i = 0; i < a.functions.rows(); ++i) {
    if (a.text(a.functions.kind[i]) != b.text(b.functions.kind[i])) return fmt::format("functions.kind[{}]", i);
  }
  for (std::uint32_t i = 0; i < a.accesses.rows(); ++i) {
    const std::uint32_t count = a.accesses.geometry_begin_count[i];
    if (!std::equal(a.pool.begin() + a.accesses.geometry_begin[i], a.pool.begin() + a.accesses.geometry_begin[i] + count,
                    b.pool.begin() + b.accesses.geometry_begin[i]))
      return fmt::format("accesses.geometry[{}]", i);
  }
  // Addresses: the same order, the same places within a page, the same distances where buffers lie together.
  for (std::uint32_t i = 0; i < a.tensors.rows(); ++i) {
    for (std::uint32_t k = 0; k < i; ++k) {
      if ((a.tensors.address[i] <=> a.tensors.address[k]) != (b.tensors.address[i] <=> b.tensors.address[k]))
        return fmt::format("tensors.address: order of {} and {}", k, i);
    }
    if (a.tensors.address[i] % 4096 != b.tensors.address[i] % 4096)
      return fmt::format("tensors.address[{}]: place within a page", i);
  }
  return {};
}

Words words_of(std::string_view text) {
  Words out;
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (static_cast<unsigned char>(c) & 0x80U) != 0;
  };
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    while (i < text.size() && is_word(text[i])) ++i;
    if (i > begin) out.emplace(text.substr(begin, i - begin));
    ++i;
  }
  return out;
}

Words words_of(const Recording& recording) {
  Words out;
  for (std::uint32_t i = 0; i < recording.strings.rows(); ++i) out.merge(words_of(recording.text(i)));
  out.merge(words_of(recording.input_text));
  out.merge(words_of(recording.program_name));
  return out;
}

Words defined_names(std::string_view text) {
  static const std::regex kDefinition(
      R"((?:^|\n)\s*(?:def|class)\s+(\w+)|self\.(\w+)|\bas\s+(\w+)|\bfor\s+(\w+)\b|(?:^|\n)\s*(\w+)(?:\s*:[^\n=]*)?\s*=[^=]|[(,]\s*(\w+)\s*:\s*pl)");
  Words out;
  const std::string copy(text);
  for (auto at = std::sregex_iterator(copy.begin(), copy.end(), kDefinition); at != std::sregex_iterator(); ++at) {
    for (std::size_t group = 1; group < at->size(); ++group) {
      if ((*at)[group].matched) out.insert((*at)[group].str());
    }
  }
  return out;
}

}  // namespace depscope::app
