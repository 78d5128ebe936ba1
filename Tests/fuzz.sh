#!/usr/bin/env bash
# fuzz.sh [target...]: feeds each target for SECONDS (60), beginning with Tests/Corpus/TARGET and what earlier runs found
# worth keeping. An input that breaks a rule is copied to the corpus, which the unit tests replay.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${SECONDS_EACH:-60}
scratch=.build-fuzz
all=(session push ways token tape scenario settings profile admin)
targets=("$@")
[ $# -gt 0 ] || targets=("${all[@]}")

# The sanitizer's flags are for every module, so that all of them say which way an input went.
PUSHPIT_FUZZ=1 "${SWIFT:-swift}" build -c release --product Fuzz --scratch-path "$scratch" -Xswiftc -sanitize=fuzzer,address \
  -Xswiftc -use-ld=lld -Xcc -fsanitize=fuzzer-no-link,address -Xcxx -fsanitize=fuzzer-no-link,address
# Swift's own handler of crashes would keep libFuzzer from writing the input down.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0
seed=${SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
failed=()
for target in "${targets[@]}"; do
  kept=$scratch/kept/$target crashes=$scratch/crashes/$target
  mkdir -p "$kept" "$crashes" "Tests/Corpus/$target"
  rm -f "$crashes"/*
  echo "== $target, seed $seed, $seconds s"
  if ! FUZZ_TARGET=$target "$scratch/release/Fuzz" "$kept" "Tests/Corpus/$target" -max_total_time="$seconds" -seed="$seed" -timeout=120 \
    -rss_limit_mb=2048 -malloc_limit_mb=512 -dict="Tests/Corpus/$target.dict" -max_len=16384 -report_slow_units=1000 -print_final_stats=1 -close_fd_mask=1 -artifact_prefix="$crashes/" \
    > "$scratch/$target.log" 2>&1; then
    failed+=("$target")
    grep -E "^$target: |Fatal error|ERROR: |SUMMARY: " "$scratch/$target.log" | head -5 || true
    for input in "$crashes"/*; do
      [ -f "$input" ] || continue
      cp "$input" "Tests/Corpus/$target/found-$(basename "$input" | tail -c 9)"
      echo "the input is in Tests/Corpus/$target/found-$(basename "$input" | tail -c 9); all it said: $scratch/$target.log"
    done
  fi
  grep -E "stat::(number_of_executed_units|peak_rss_mb)" "$scratch/$target.log" || true
done
[ ${#failed[@]} -eq 0 ] || { echo "found something: ${failed[*]}"; exit 1; }
