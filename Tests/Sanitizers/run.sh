#!/usr/bin/env bash
# run.sh address|thread: builds with that sanitizer, runs the unit tests, and then the load of Benchmarks/soak.py.
set -euo pipefail
cd "$(dirname "$0")/../.."
kind=$1
here=Tests/Sanitizers
swift=${SWIFT:-swift}
scratch=.build-${kind/address/asan}
scratch=${scratch/thread/tsan}
export SWIFT_BACKTRACE=enable=no

case $kind in
address)
  # Leaks are not looked for: LeakSanitizer stops the world by ptrace, which a container may forbid.
  export ASAN_OPTIONS="detect_leaks=0:abort_on_error=1"
  ;;
thread)
  export TSAN_OPTIONS="suppressions=$PWD/$here/thread.supp:halt_on_error=0:exitcode=66:history_size=4"
  ;;
*)
  echo "run.sh address|thread" >&2
  exit 64
  ;;
esac

"$swift" build --build-tests --sanitize="$kind" --scratch-path "$scratch"
preload=()
if [ "$kind" = thread ]; then
  clang=$(dirname "$(readlink -f "$(command -v "$swift")")")/clang
  "$clang" -shared -fPIC -O1 -o "$scratch/mutex.so" "$here/mutex.c" -ldl
  preload=(env "LD_PRELOAD=$PWD/$scratch/mutex.so")
fi

skip=$(grep -v '^#' "$here/skip-$kind.txt" | paste -sd'|')
: > "$scratch/unit.log"
unit() {
  "${preload[@]}" "$swift" test --skip-build --sanitize="$kind" --scratch-path "$scratch" "$@" 2>&1 | tee -a "$scratch/unit.log"
}
echo "== unit tests"
unit --skip "$skip|PushpitTestingTests"
# By themselves: they wait for a server in their own process, and beside all others, slowed ten times, they would wait too
# long.
unit --filter PushpitTestingTests
if grep -qE 'ThreadSanitizer: |AddressSanitizer: ' "$scratch/unit.log"; then
  echo "the sanitizer has found something: $scratch/unit.log" >&2
  exit 1
fi
echo "== load"
Tests/WireTests/setup.sh
cat > "$scratch/pushpit-$kind" <<EOF
#!/bin/sh
exec ${preload[*]} "$PWD/$scratch/debug/pushpit" "\$@"
EOF
chmod +x "$scratch/pushpit-$kind"
PUSHPIT_BINARY="$PWD/$scratch/pushpit-$kind" .venv/bin/python Benchmarks/soak.py \
  --quiet --loops 4 --connections 16 --pushes "${PUSHES:-10000}" --minutes 10 --fleet 100 --seed "${SEED:-1}"
