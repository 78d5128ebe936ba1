#!/usr/bin/env bash
# All measurements, one after another. Each script says what its limit is, and exits with 1 if the limit is exceeded.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-packages valgrind binutils util-linux
failed=0
for script in instructions simulate tape_and_faults fleet days push_cpu reports bursts held_answers lateness sessions viewers load canary; do
  echo "== $script"
  .venv/bin/python "Benchmarks/$script.py" || failed=1
done
echo "== page"
make pagedeps
Tests/PageTests/setup.sh
.venv-page/bin/python Benchmarks/page.py || failed=1
echo "== phones"
swift build -c release --product PhoneBenchmark
.build/release/PhoneBenchmark match || failed=1
for devices in untouched touched one five; do
  echo -n "$devices: "
  .build/release/PhoneBenchmark "$devices" || failed=1
done
echo "== pushes over loops"
swift build -c release --product GatewayBenchmark
.build/release/GatewayBenchmark || failed=1
echo "== calls of apps"
swift build -c release --product CallBenchmark
.build/release/CallBenchmark || failed=1
exit $failed
