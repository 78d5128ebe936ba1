#!/bin/sh
# Makes the Python environment of `make docs` in .venv-docs at the repository's top.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
exec "$top/scripts/make-venv" "$top/.venv-docs" "$here/requirements.txt"
