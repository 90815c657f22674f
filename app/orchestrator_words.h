// What the orchestrator waits for, as the answers of the debugger say it. Private to debugger*.cpp.
#pragma once

#include "debugger_session.h"

namespace depscope::app {

/// A line and the field "orchestrator" if it waits for a resource, or if an error has ended it; nothing otherwise.
void answer_orchestrator(const DebuggerSession& session, Reply& reply);

}  // namespace depscope::app
