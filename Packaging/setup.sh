#!/bin/sh
# Makes the Python environment that makes and tests packages in .venv-packages at the repository's top. Safe to run again:
# a second run with the same requirements does nothing.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
venv=$(cd "$here/.." && pwd)/.venv-packages
stamp="$venv/.requirements"

if [ -x "$venv/bin/python" ] && cmp -s "$stamp" "$here/requirements.txt"; then
  exit 0
fi

[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
"$venv/bin/python" -m pip check
cp "$here/requirements.txt" "$stamp"
