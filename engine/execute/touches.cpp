// What a task touches of its arguments: the direction that its kernel declares, and the loads and stores of its body.
#include <algorithm>
#include <span>

#include "interpreter.h"

namespace depscope::execute {
namespace {

using runtime::ArgKind;
using runtime::TensorDescriptor;

bool kind_reads(ArgKind kind) { return kind == ArgKind::Input || kind == ArgKind::InOut || kind == ArgKind::NoDep; }
bool kind_writes(ArgKind kind) { return kind == ArgKind::InOut || kind == ArgKind::Output || kind == ArgKind::OutputExisting; }

bool is_whole(const TensorDescriptor& view, const BodyBox& box) {
  for (std::uint32_t i = 0; i < view.rank; ++i) {
    if (box.at[i] != 0 || box.extent[i] != view.shape[i]) return false;
  }
  return true;
}

}  // namespace

void Interpreter::report_touches(const ir::Function& callee, const std::vector<Value>& parameters) {
  std::vector<const TensorDescriptor*> passed(callee.params.size(), nullptr);  // by parameter
  std::size_t output = 0;
  for (std::size_t a = 0; a < submission_.args.size(); ++a) {
    const bool created = submission_.args[a].kind == ArgKind::Output;
    passed[argument_params_[a]] = created ? &result_outputs_[output++] : &submission_.args[a].tensor;
  }
  std::vector<BodyArgument> arguments(callee.params.size());
  for (std::size_t p = 0; p < arguments.size(); ++p) {
    if (passed[p] != nullptr) {
      arguments[p] = {.tensor = true, .rank = passed[p]->rank, .shape = passed[p]->shape};
    } else if (parameters[p].kind == ValueKind::Int || parameters[p].kind == ValueKind::Bool) {
      arguments[p].scalar = parameters[p].number;
    }
  }
  const std::vector<BodyBox>& boxes = bodies_.boxes(callee, arguments, submission_.block_num);
  for (std::uint32_t a = 0; a < submission_.args.size(); ++a) {
    const std::uint32_t p = argument_params_[a];
    const ir::ParamDirection direction = callee.params[p].direction;
    const ArgKind kind = submission_.args[a].kind;
    TouchedPart part{.argument = a,
                     .reads = direction != ir::ParamDirection::Out,
                     .writes = direction != ir::ParamDirection::In,
                     .view = *passed[p]};
    const bool as_kind = part.reads == kind_reads(kind) && part.writes == kind_writes(kind);
    const auto begin = std::find_if(boxes.begin(), boxes.end(), [&](const BodyBox& box) { return box.param == p; });
    const auto end = std::find_if(begin, boxes.end(), [&](const BodyBox& box) { return box.param != p; });
    const std::span own(begin, end);
    if (own.empty()) {
      if (!as_kind) host_.touched(part);
      continue;
    }
    const bool loads = std::any_of(begin, end, [](const BodyBox& box) { return box.loads; });
    const bool stores = std::any_of(begin, end, [](const BodyBox& box) { return box.stores; });
    // An InOut parameter that the body both loads and stores is read where it loads and written where it stores.
    const bool apart = part.reads && part.writes && loads && stores;
    if (own.size() == 1 && as_kind && is_whole(part.view, own[0]) && (!apart || (own[0].loads && own[0].stores))) continue;
    const TensorDescriptor whole = part.view;
    for (const BodyBox& box : own) {
      if (apart) {
        part.reads = box.loads;
        part.writes = box.stores;
      }
      part.loads = box.loads;
      part.stores = box.stores;
      part.view.start_offset = whole.start_offset;
      for (std::uint32_t i = 0; i < whole.rank; ++i) {
        part.view.start_offset += box.at[i] * whole.strides[i];
        part.view.shape[i] = box.extent[i];
      }
      host_.touched(part);
    }
  }
}

}  // namespace depscope::execute
