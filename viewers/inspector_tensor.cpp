// The inspector's pages of tensors and of accesses to them. Who writes and reads is answered in answers_memory.cpp.
#include <fmt/format.h>
#include <imgui.h>

#include "depscope/viewers/widgets.h"
#include "inspector_panel.h"

namespace depscope::viewers {

void inspect_tensor(Context& context, std::uint32_t tensor) {
  const auto& r = context.document->recording();
  const std::string_view name = r.text(r.tensors.name[tensor]);
  field(context, "name");
  text(name.empty() ? "none" : name);
  field(context, "type");
  text(runtime::element_type_name(static_cast<runtime::ElementType>(r.tensors.dtype[tensor])));
  field(context, "buffer");
  text(fmt::format("{} elements", r.tensors.buffer_elements[tensor]));
  field(context, "address");
  text(r.tensors.address[tensor] == 0 ? "given by the runtime" : fmt::format("0x{:x}", r.tensors.address[tensor]));
  field(context, "version");
  text(fmt::format("{}{}", r.tensors.version[tensor], r.tensors.manual_dep[tensor] != 0 ? ", dependencies are manual" : ""));
  field(context, "owner");
  const std::uint64_t owner = r.tensors.owner[tensor];
  text(owner == runtime::kInvalidTask ? "external memory"
                                      : fmt::format("ring {}, local {}", runtime::ring_of(owner), runtime::local_of(owner)));
  ImGui::Spacing();
}

void inspect_access(Context& context, std::uint32_t access) {
  const auto& r = context.document->recording();
  const std::uint32_t task = r.accesses.task[access];
  field(context, "task");
  link(context, {ItemKind::Task, task}, context.document->task_label(task));
  field(context, "argument");
  text(fmt::format("{}, {}", r.accesses.arg[access],
                   runtime::arg_kind_name(static_cast<runtime::ArgKind>(r.accesses.kind[access]))));
  field(context, "tensor");
  link(context, {ItemKind::Tensor, r.accesses.tensor[access]}, access_label(*context.document, access));
  const std::uint32_t site = r.tasks.call_site[task];
  if (site != kNoRow && r.accesses.arg[access] < r.call_sites.argument_count[site]) {
    const std::uint32_t argument = r.call_sites.argument_begin[site] + r.accesses.arg[access];
    field(context, "in the program");
    link(context, {ItemKind::Argument, argument}, item_label(*context.document, {ItemKind::Argument, argument}));
  }
  ImGui::Spacing();
}

}  // namespace depscope::viewers
