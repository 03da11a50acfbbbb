#!/usr/bin/env bash
# From a bare Debian 12 to a scored, drawn and simulated placement of the contest's case A: installs
# what is missing, builds the program, lays case A onto the wafer, runs it there and says where
# everything is. Can be run again at any time, from any folder.
#
#   scripts/demo.sh
#
# The first build takes five minutes on two cores, the rest ten seconds. Files go to out/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ "${1:-}" == -h || "${1:-}" == --help ]]; then
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 0
elif (($#)); then
  echo "demo.sh: takes no arguments, found '$1' (see --help)" >&2
  exit 2
fi

source scripts/steps.sh

step "Dependencies"
scripts/install_dependencies.sh build
echo "All there."

step "Build"
# The first time without tests, which need more packages; scripts/test.sh switches them on.
first_time=()
[[ -e build/release/CMakeCache.txt ]] || first_time=(-DWAFERLOOM_TESTS=OFF)
cmake --preset release "${first_time[@]}"
cmake --build --preset release --target waferloom
waferloom=build/release/waferloom

step "Place case A (5 s)"
mkdir -p out
"$waferloom" cases A -o out/A.kgraph
"$waferloom" place out/A.kgraph -o out/A.sol --svg out/A.svg --png out/A.png --time-limit 5

step "Score"
"$waferloom" score out/A.kgraph out/A.sol

step "Simulate"
"$waferloom" simulate out/A.kgraph out/A.sol --heatmap out/A.links.png --timeline out/A.time.png

step_times
printf '\n== Done ==\n'
cat <<END
The case       $PWD/out/A.kgraph
Its placement  $PWD/out/A.sol
Pictures       $PWD/out/A.svg
               $PWD/out/A.png
Its links      $PWD/out/A.links.png
Its stages     $PWD/out/A.time.png
The program    $PWD/$waferloom --help
END
