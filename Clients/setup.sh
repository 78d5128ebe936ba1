#!/bin/sh
# Makes the Python environment of `make client-test` in .venv-clients at the repository's top, with the client library
# installed as it stands in the tree. Safe to run again: a second run with the same files does nothing.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
venv=$(cd "$here/.." && pwd)/.venv-clients
stamp="$venv/.made-from"

if [ -x "$venv/bin/python" ] && cat "$here/python/requirements.txt" "$here/python/pyproject.toml" | cmp -s - "$stamp"; then
  exit 0
fi

[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/python/requirements.txt"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
  --editable "$here/python"
"$venv/bin/python" -m pip check
cat "$here/python/requirements.txt" "$here/python/pyproject.toml" > "$stamp"
