#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests. Ends with the line
# "N passed, N failed, N skipped", counted in CTest's tests, and fails if any failed.
# Can be run again at any time, from any folder.
#
#   scripts/test.sh [options of ctest]      for example: scripts/test.sh -L unit
#
# Tests that compare with reference data, which is no part of the repository, are skipped unless
# it is found in $WAFERLOOM_SHARED, else in ../shared beside the project.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ "${1:-}" == -h || "${1:-}" == --help ]]; then
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 0
fi

heading() { printf '\n== %s ==\n' "$1"; }

# attribute NAME: the first one so called in CTest's report, that of the whole run.
attribute() { sed -n "s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" "$results" | head -n 1; }

heading "Dependencies"
scripts/install_dependencies.sh build test
echo "All there."

heading "Build"
cmake --preset release -DWAFERLOOM_TESTS=ON
cmake --build --preset release

heading "Tests"
results=build/release/tests.xml
passed_stamp=build/release/tests_passed
rm -f "$results" "$passed_stamp"
tree_before="$(scripts/tree_fingerprint.sh)"
status=0
ctest --preset release --no-tests=error --parallel "$(nproc)" \
  --output-junit "$PWD/$results" "$@" || status=$?

if [[ ! -s "$results" ]]; then
  echo "test.sh: ctest left no results" >&2
  exit 1
fi
total="$(attribute tests)"
failed="$(attribute failures)"
skipped="$(($(attribute skipped) + $(attribute disabled)))"

# check.sh need not repeat what was just done on exactly these files.
if [[ $status == 0 && $# == 0 && "$(scripts/tree_fingerprint.sh)" == "$tree_before" ]]; then
  echo "$tree_before" >"$passed_stamp"
fi

echo
if ((skipped > 0)); then
  echo "Skipped are tests that need reference data, which a clone does not have (see --help)."
fi
echo "$((total - failed - skipped)) passed, $failed failed, $skipped skipped"
exit "$status"
