#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests. Ends with the line
# "N passed, N failed, N skipped", counted in CTest's tests, and fails if any failed.
# Can be run again at any time, from any folder.
#
#   scripts/test.sh [--deep] [--load N] [options of ctest]      for example: scripts/test.sh -L unit
#
#   --deep    runs the tests that are worth more time than everybody's, and only those
#             (tests/README.md lists them with their minutes)
#   --load N  runs the tests beside N processes that spin: what fails there alone hangs on speed
#
# Tests that compare with reference data, which is no part of the repository, are skipped unless
# it is found in $WAFERLOOM_SHARED, else in ../shared beside the project.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

deep=false
load=0
chosen=()
while (($#)); do
  case "$1" in
    -h | --help)
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    --deep) deep=true ;;
    --load)
      load="${2:?test.sh: --load needs a number of processes}"
      if ! [[ "$load" =~ ^[0-9]+$ ]]; then
        echo "test.sh: --load: expected a number of processes, found '$load'" >&2
        exit 2
      fi
      shift
      ;;
    *) chosen+=("$1") ;;
  esac
  shift
done

source scripts/steps.sh
source scripts/load.sh

# attribute NAME: the first one so called in CTest's report, that of the whole run.
attribute() { sed -n "s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" "$results" | head -n 1; }

trap stop_spinning EXIT

step "Dependencies"
scripts/install_dependencies.sh build test
echo "All there."

step "Build"
cmake --preset release -DWAFERLOOM_TESTS=ON
cmake --build --preset release

step "Tests"
results=build/release/tests.xml
passed_stamp=build/release/tests_passed
level=()
if $deep; then
  results=build/release/deep_tests.xml
  passed_stamp=build/release/deep_tests_passed
  level=(-C deep -L deep)
fi
rm -f "$results" "$passed_stamp"
tree_before="$(scripts/tree_fingerprint.sh)"
start_spinning "$load"
status=0
ctest --preset release --no-tests=error --parallel "$(tests_at_once)" \
  --output-junit "$PWD/$results" "${level[@]}" "${chosen[@]}" || status=$?
stop_spinning

if [[ ! -s "$results" ]]; then
  echo "test.sh: ctest left no results" >&2
  exit 1
fi
total="$(attribute tests)"
failed="$(attribute failures)"
skipped="$(($(attribute skipped) + $(attribute disabled)))"

# check.sh need not repeat what was just done on exactly these files.
if [[ $status == 0 && ${#chosen[@]} == 0 && "$(scripts/tree_fingerprint.sh)" == "$tree_before" ]]; then
  echo "$tree_before" >"$passed_stamp"
fi

step_times
echo
if ((skipped > 0)); then
  echo "Skipped are tests that need reference data, which a clone does not have (see --help)."
fi
echo "$((total - failed - skipped)) passed, $failed failed, $skipped skipped"
exit "$status"
