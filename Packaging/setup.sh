#!/bin/sh
# Makes the Python environment of the tools that make and test packages in .venv-packages at the repository's top.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/.." && pwd)
exec "$top/scripts/make-venv" "$top/.venv-packages" "$here/requirements.txt"
