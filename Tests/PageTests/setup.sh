#!/bin/sh
# Makes the Python environment of the page tests in .venv-page at the repository's top. Safe to run again: a
# second run with the same requirements does nothing. Wants Debian 12's python3 and python3-venv.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
venv=$(cd "$here/../.." && pwd)/.venv-page
stamp="$venv/.requirements"

if [ -f "$stamp" ] && cmp -s "$stamp" "$here/requirements.txt" && [ -x "$venv/bin/python" ]; then
  exit 0
fi

if ! python3 -c 'import ensurepip' 2>/dev/null; then
  echo "setup.sh: python3 cannot make a venv here; install it with: apt-get install -y python3-venv" >&2
  exit 1
fi

[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
"$venv/bin/python" -m pip check
cp "$here/requirements.txt" "$stamp"
