#include "pass_sides.h"

#include <algorithm>

namespace depscope::viewers {
namespace {

const FunctionText* find(const std::vector<FunctionText>& functions, std::string_view name) {
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const FunctionText& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

}  // namespace

std::string_view PassText::text() const {
  return exists() ? document->text(document->recording().passes.text[pass]) : std::string_view();
}

std::vector<PassRow> pass_rows(const Document& here, const Comparison* comparison) {
  std::vector<PassRow> out;
  const std::uint32_t there_end = comparison == nullptr ? 0 : comparison->there().recording().passes.rows();
  const bool compared = comparison != nullptr && !comparison->rows(ItemKind::Pass).counterpart.empty();
  std::uint32_t there = 0;
  const auto only_there = [&](std::uint32_t end) {
    for (; there < end; ++there) {
      if (comparison->counterpart_there(ItemKind::Pass, there) == kNoRow) out.push_back({kNoRow, there});
    }
  };
  for (std::uint32_t pass = 0; pass < here.recording().passes.rows(); ++pass) {
    const std::uint32_t counterpart = compared ? comparison->counterpart(ItemKind::Pass, pass) : kNoRow;
    if (counterpart != kNoRow) only_there(counterpart);
    out.push_back({pass, counterpart});
  }
  if (compared) only_there(there_end);
  return out;
}

PassSides sides_of(const Document& document, std::uint32_t pass) {
  return {{&document, pass == 0 || pass == kNoRow ? kNoRow : pass - 1}, {&document, pass}};
}

PassSides sides_of(const Comparison& comparison, PassRow row) {
  const PassText here{&comparison.here(), row.here};
  const PassText there{&comparison.there(), row.there};
  return comparison.swapped() ? PassSides{there, here} : PassSides{here, there};
}

ShownTexts texts_of(const PassSides& sides, std::string_view function) {
  ShownTexts out;
  const std::string_view before = sides.before.text();
  const std::string_view after = sides.after.text();
  const auto before_functions = functions_of(before);
  const auto after_functions = functions_of(after);
  out.functions.push_back({"", before != after});
  for (const FunctionText& text : after_functions) {
    const FunctionText* old = find(before_functions, text.name);
    out.functions.push_back({std::string(text.name), old == nullptr || old->text != text.text});
  }
  for (const FunctionText& text : before_functions) {
    if (find(after_functions, text.name) == nullptr) out.functions.push_back({std::string(text.name), true});
  }
  const FunctionText* old_text = find(before_functions, function);
  const FunctionText* new_text = find(after_functions, function);
  if (function.empty() || (new_text == nullptr && old_text == nullptr)) {
    out.before = {{}, before, 1};
    out.after = {{}, after, 1};
    out.has_before = sides.before.exists();
    out.has_after = sides.after.exists();
  } else {
    out.has_before = old_text != nullptr;
    out.has_after = new_text != nullptr;
    out.before = out.has_before ? *old_text : FunctionText{};
    out.after = out.has_after ? *new_text : FunctionText{};
  }
  return out;
}

}  // namespace depscope::viewers
