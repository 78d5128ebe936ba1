#!/bin/sh
# Makes the Python environment of `make docs` in .venv-docs at the repository's top. Safe to run again: a second run with the
# same requirements does nothing.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
venv=$(cd "$here/../.." && pwd)/.venv-docs
stamp="$venv/.requirements"

if [ -f "$stamp" ] && cmp -s "$stamp" "$here/requirements.txt" && [ -x "$venv/bin/python" ]; then
  exit 0
fi

[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
"$venv/bin/python" -m pip check
cp "$here/requirements.txt" "$stamp"
