#!/usr/bin/env bash
# Builds the client unless this version of it has been built on this machine before, and prints the path of its binary.
# It compiles BoringSSL, which takes minutes, and hardly ever changes; so the result is kept outside the clone.
set -euo pipefail
cd "$(dirname "$0")"
swift=${SWIFT:-swift}
version=$({ "$swift" --version 2>/dev/null; cat Package.swift; find Sources -name '*.swift' | sort | xargs cat; } |
  sha256sum | cut -c1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/pushpit/boringssl-client-$version
mkdir -p "$cache"
# Several clones may build at the same time.
exec 9>"$cache/.lock"
flock 9
if [ ! -e "$cache/.built" ]; then
  "$swift" build --disable-index-store -debug-info-format none --scratch-path "$cache" >&2
  touch "$cache/.built"
fi
echo "$cache/debug/BoringSSLClient"
