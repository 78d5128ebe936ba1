#!/bin/sh
# Makes the Python environment of the page tests in .venv-page at the repository's top.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
exec "$top/scripts/make-venv" "$top/.venv-page" "$here/requirements.txt"
