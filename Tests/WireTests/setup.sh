#!/bin/sh
# Makes the Python environment of the wire tests and of `make lint` in .venv at the repository's top. Names of files
# beside this one add what they list: setup.sh requirements-fuzz.txt
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cd "$here"
exec "$top/scripts/make-venv" "$top/.venv" requirements.txt "$@"
