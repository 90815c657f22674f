// One valid event of each kind, and the field of State that an event of a kind sets: what cursor and validation are tested with.
#pragma once

#include <cstdint>
#include <variant>

#include "depscope/recording/tables.h"
#include "depscope/replay/cursor.h"
#include "depscope/runtime/sink.h"

namespace depscope::replay {

/// Twenty tasks, all on ring 1, with edges, scopes and accesses, and no events.
[[nodiscard]] recording::Recording recording_without_events();

/// A valid event of this kind for recording_without_events(); old and new value differ. It may stand first except for
/// ScopeEnd and Observe.
[[nodiscard]] runtime::Event sample_event(runtime::EventKind kind);

void add_event(recording::Recording& recording, const runtime::Event& event);

/// The field whose old and new value an event tells; nothing for kinds without a field. Place and Observe move tasks between
/// fields, ScopeBegin and ScopeEnd open and close: nothing for them either.
using StateField = std::variant<std::monostate, std::uint8_t*, std::uint32_t*, std::int64_t*>;
[[nodiscard]] StateField field_of(State& state, const recording::Recording& recording, const runtime::Event& event);
[[nodiscard]] bool has_field(const StateField& field);
[[nodiscard]] std::int64_t value_of(const StateField& field);
void set_value(const StateField& field, std::int64_t value);

}  // namespace depscope::replay
