#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests. Ends with the line
# "N passed, N failed, N skipped", counted in CTest's tests, and fails if any failed.
# Can be run again at any time, from any folder. Arguments go to ctest: scripts/test.sh -L unit
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

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
echo "$((total - failed - skipped)) passed, $failed failed, $skipped skipped"
exit "$status"
