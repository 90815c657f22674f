#!/bin/sh
# with_xvfb.sh COMMAND [ARGUMENT…]: runs a command on a virtual display of its own. The X server chooses a free number
# itself (-displayfd), so that several can run at the same time. Exit status 77: Xvfb is not installed.
# The GL driver keeps allocations of its own until the process ends and is unloaded before leaks are counted, so they cannot be
# named in a suppression file; everything else of the sanitizers stays on.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

command -v Xvfb >/dev/null 2>&1 || { echo "Xvfb is not installed" >&2; exit 77; }
number=$(mktemp) || exit 1
Xvfb -displayfd 3 -screen 0 3840x2160x24 -nolisten tcp -noreset 3>"$number" >/dev/null 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null; rm -f "$number"' EXIT
waited=0
while [ ! -s "$number" ]; do
  if ! kill -0 "$server" 2>/dev/null || [ "$waited" -ge 300 ]; then
    echo "Xvfb did not start" >&2
    exit 1
  fi
  waited=$((waited + 1))
  sleep 0.1
done
DISPLAY=":$(cat "$number")" "$@"
