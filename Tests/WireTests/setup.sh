#!/bin/sh
# Makes the Python environment of the wire tests and of `make lint` in .venv at the repository's top.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
exec "$top/scripts/make-venv" "$top/.venv" "$here/requirements.txt"
