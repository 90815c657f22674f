// Who writes and reads a tensor, who owns its buffer, and until when that lives.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "depscope/viewers/answers.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

using runtime::ArgKind;

bool writes(std::uint8_t kind) {
  const auto k = static_cast<ArgKind>(kind);
  return k == ArgKind::Output || k == ArgKind::InOut || k == ArgKind::OutputExisting;
}
bool reads(std::uint8_t kind) {
  const auto k = static_cast<ArgKind>(kind);
  return k == ArgKind::Input || k == ArgKind::InOut;
}

/// One line an access: "fill t2, argument 1, OUTPUT_EXISTING of a FLOAT32 [64]".
template <class Wanted>
Answer list_accesses(const Document& document, std::uint32_t tensor, std::string question, std::string_view noun,
                     Wanted&& wanted) {
  AnswerText out(std::move(question));
  const auto& a = document.recording().accesses;
  std::uint64_t count = 0;
  std::vector<std::uint32_t> shown;
  for (const std::uint32_t access : document.accesses_of_tensor().of(tensor)) {
    if (!wanted(a.kind[access])) continue;
    if (++count <= kMaxAnswerItems) shown.push_back(access);
  }
  if (count == 0) return out.line("No task does.").take();
  out.line(count_of(count, noun) + ", in order of submission:");
  for (const std::uint32_t access : shown) {
    out.bullet("").link({ItemKind::Task, a.task[access]}, document.task_label(a.task[access]));
    out.say(", ").link({ItemKind::Access, access},
                       fmt::format("argument {}, {} of {}", a.arg[access],
                                   runtime::arg_kind_name(static_cast<ArgKind>(a.kind[access])), access_label(document, access)));
  }
  if (count > kMaxAnswerItems) out.line(fmt::format("… and {} more", count - kMaxAnswerItems));
  return out.take();
}

std::uint32_t task_of_id(const recording::Recording& r, std::uint64_t id) {
  const auto found = std::find(r.tasks.id.begin(), r.tasks.id.end(), id);
  return found == r.tasks.id.end() ? kNoRow : static_cast<std::uint32_t>(found - r.tasks.id.begin());
}

std::string moment(std::uint32_t event) {
  return event == replay::kNever ? std::string("never in this recording") : fmt::format("after event {}", event);
}

}  // namespace

std::string access_label(const Document& document, std::uint32_t access) {
  const auto& r = document.recording();
  if (access >= r.accesses.rows()) return "nothing";
  const std::uint32_t tensor = r.accesses.tensor[access];
  std::string text(tensor < r.tensors.rows() ? r.text(r.tensors.name[tensor]) : std::string_view());
  if (text.empty()) text = tensor < r.tensors.rows() ? fmt::format("tensor {}", tensor) : "?";
  if (tensor < r.tensors.rows())
    text += fmt::format(" {}", runtime::element_type_name(static_cast<runtime::ElementType>(r.tensors.dtype[tensor])));
  // Geometry: rank words of shape, then rank strides of two words each.
  const std::uint32_t rank = r.accesses.geometry_begin_count[access] / 3;
  std::string shape;
  for (std::uint32_t d = 0; d < rank; ++d)
    shape += fmt::format("{}{}", d == 0 ? "" : ", ", r.pool[r.accesses.geometry_begin[access] + d]);
  text += fmt::format(" [{}]", shape);
  if (r.accesses.start_offset[access] != 0) text += fmt::format(" + {}", r.accesses.start_offset[access]);
  return text;
}

Answer who_writes(const Document& document, std::uint32_t tensor) {
  return list_accesses(document, tensor, "Who writes it?", "write", writes);
}

Answer who_reads(const Document& document, std::uint32_t tensor) {
  return list_accesses(document, tensor, "Who reads it?", "read", reads);
}

Answer how_long_alive(const Document& document, std::uint32_t tensor) {
  AnswerText out("Who owns it, and how long is it alive?");
  const auto& r = document.recording();
  const std::uint64_t id = r.tensors.owner[tensor];
  if (id == runtime::kInvalidTask)
    return out.line("It is external memory: nobody in the run owns it, and nothing in the run ends its life.").take();
  const std::uint32_t owner = task_of_id(r, id);
  if (owner == kNoRow) {
    return out
        .line(fmt::format("The task of ring {}, local {} owns it; that task is not in this recording.", runtime::ring_of(id),
                          runtime::local_of(id)))
        .take();
  }
  const auto& moments = document.moments();
  out.line("").link({ItemKind::Task, owner}, document.task_label(owner)).say(" owns it: the buffer is in the heap of its ring.");
  out.bullet(fmt::format("The owner completes {}.", moment(moments.completed[owner])));
  if (moments.last_reader[owner] == replay::kNever) {
    out.bullet("No consumer with RETAIN has given it back in this recording.");
  } else {
    out.bullet(
        fmt::format("The last of its consumers with RETAIN gives its reference back {}.", moment(moments.last_reader[owner])));
  }
  out.bullet(fmt::format("The owner is consumed {}; slot and bytes can be used again {}.", moment(moments.consumed[owner]),
                         moment(moments.reclaimed[owner])));
  if (const std::uint32_t next = moments.reused_by[owner]; next != kNoRow)
    out.bullet("The slot goes to ").link({ItemKind::Task, next}, document.task_label(next)).say(" next.");
  return out.line("At the cursor:").append(why_alive(document, owner)).take();
}

Answer what_is_touched(const Document& document, std::uint32_t access) {
  AnswerText out("What does the task touch through it?");
  const auto& r = document.recording();
  out.line("").link({ItemKind::Task, r.accesses.task[access]}, document.task_label(r.accesses.task[access]));
  out.say(fmt::format(" has {} as argument {}, {}.", access_label(document, access), r.accesses.arg[access],
                      runtime::arg_kind_name(static_cast<ArgKind>(r.accesses.kind[access]))));
  constexpr std::array<std::string_view, 4> kModes{"nothing", "reads", "writes", "reads and writes"};
  constexpr std::array<std::string_view, 4> kSources{"as the kernel declares", "as its loads say", "as its stores say",
                                                     "as its loads and stores say"};
  const auto& column = r.touched.access;  // ascending
  const auto [first, last] = std::equal_range(column.begin(), column.end(), access);
  if (first == last) out.line("It touches the whole argument, as its direction says.");
  for (auto at = first; at != last && at - first < static_cast<std::ptrdiff_t>(kMaxAnswerItems); ++at) {
    const auto row = static_cast<std::uint32_t>(at - column.begin());
    const std::uint32_t rank = r.touched.geometry_begin_count[row] / 3;
    std::string shape;
    for (std::uint32_t d = 0; d < rank; ++d)
      shape += fmt::format("{}{}", d == 0 ? "" : ", ", r.pool[r.touched.geometry_begin[row] + d]);
    out.bullet(fmt::format("It {} [{}] + {}, {}.", kModes[r.touched.mode[row] & 3U], shape, r.touched.start_offset[row],
                           kSources[r.touched.source[row] & 3U]));
  }
  if (last - first > static_cast<std::ptrdiff_t>(kMaxAnswerItems))
    out.line(fmt::format("… and {} more pieces", last - first - static_cast<std::ptrdiff_t>(kMaxAnswerItems)));
  return out.take();
}

}  // namespace depscope::viewers
