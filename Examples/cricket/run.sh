#!/bin/sh
# Plays a match against Pushpit: makes .venv-example at the repository's top where it is missing or old, then passes
# all arguments on to `python -m cricket.play`.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
venv=$top/.venv-example
stamp="$venv/.requirements"

if ! { [ -f "$stamp" ] && cmp -s "$stamp" "$here/requirements.txt" && [ -x "$venv/bin/python" ]; }; then
  [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
  cp "$here/requirements.txt" "$stamp"
fi

export PUSHPIT_BINARY="${PUSHPIT_BINARY:-$top/.build/release/pushpit}" PYTHONPATH="$here/..:$top/Clients/python/src"
exec "$venv/bin/python" -m cricket.play "$@"
