#!/usr/bin/env bash
# The one gate, for people and for .ci/run alike: formatting, layering, warnings as errors, tests,
# no trace left in the tree, clang-tidy on what changed. Stops at the first step that fails, names
# it and exits with 1; of the deep steps all run, and those that failed are named. Works from any
# folder.
#
#   scripts/check.sh [--with-shared] [--deep] [--base REVISION]
#
#   --with-shared    fails if a test was skipped for want of the reference data, which is looked
#                    for in $WAFERLOOM_SHARED, else in ../shared beside the project
#   --deep           also runs the deep tests; the suite as on another machine: built by clang for
#                    a processor that fuses multiply and add, beside four spinning processes, with
#                    other variants of the math library's functions; unit tests and recorded
#                    outputs under AddressSanitizer and UndefinedBehaviorSanitizer, those of
#                    searches on threads under ThreadSanitizer; runs as written the documented
#                    commands that are left out or shortened otherwise, and compares the figures
#                    of pages, where that takes up to $WAFERLOOM_PAGE_SECONDS (40); and fuzzes each
#                    reader for $WAFERLOOM_FUZZ_SECONDS (30). Hours; what passed before on exactly
#                    these files is not run again, so a run that was interrupted goes on
#   --base REVISION  clang-tidy looks at what changed since there; by default since this branch
#                    left main, or in the last commit where that is nothing
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

with_shared=false
deep=false
base=
while (($#)); do
  case "$1" in
    --with-shared) with_shared=true ;;
    --deep) deep=true ;;
    --base)
      base="${2:?check.sh: --base needs a revision}"
      shift
      ;;
    -h | --help)
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *)
      echo "check.sh: unknown option '$1' (see --help)" >&2
      exit 2
      ;;
  esac
  shift
done

tidy_build=build/tidy
source scripts/steps.sh
source scripts/load.sh
report_failure() {
  local status=$?
  if ((status)); then
    printf '\ncheck.sh: FAILED at: %s\n' "${step_names[-1]:-start}" >&2
    exit 1
  fi
}
trap report_failure EXIT

# passed_before NAME, mark_passed NAME: on exactly these files. Only the deep check asks.
stamp_of() { echo "build/deep_passed/$(tr -c '[:alnum:]\n' _ <<<"$1")"; }
passed_before() { $deep && [[ "$(cat "$(stamp_of "$1")" 2>/dev/null)" == "$tree_before" ]]; }
mark_passed() {
  mkdir -p build/deep_passed
  if [[ "$(scripts/tree_fingerprint.sh)" == "$tree_before" ]]; then
    echo "$tree_before" >"$(stamp_of "$1")"
  fi
}

# deep_step NAME COMMAND…: takes long, so what comes behind it runs even if it fails.
failed_steps=()
deep_step() {
  step "$1"
  if passed_before "$1"; then
    echo "Has passed on exactly these files."
    return
  fi
  # errexit would be off inside of a condition.
  set +e
  (
    trap - EXIT
    set -e
    "${@:2}"
  )
  local status=$?
  set -e
  if ((status)); then
    printf '\ncheck.sh: failed: %s\n' "$1" >&2
    failed_steps+=("$1")
  else
    mark_passed "$1"
  fi
}

# sources PATTERN…: files of the project, committed or about to be, that still exist.
sources() {
  git ls-files -z --cached --others --exclude-standard -- "$@" | sort -zu |
    while IFS= read -rd '' file; do if [[ -e "$file" ]]; then printf '%s\0' "$file"; fi; done
}

check_format() {
  sources '*.h' '*.cpp' | xargs -0 -r clang-format-14 --dry-run -Werror
}

build_and_test() {
  cmake --preset release -DWAFERLOOM_TESTS=ON >/dev/null
  cmake --build --preset release
  if ! $with_shared && [[ "$(cat build/release/tests_passed 2>/dev/null)" == "$tree_before" ]]; then
    echo "scripts/test.sh has just passed on exactly these files."
    return
  fi
  if $with_shared && passed_before "tests, none skipped"; then
    echo "Has passed on exactly these files, nothing skipped."
    return
  fi
  local log=build/release/check_tests.log
  scripts/test.sh | tee "$log"
  if $with_shared && ! tail -n 1 "$log" | grep -q ' 0 skipped$'; then
    echo "check.sh: tests were skipped; is the reference data where WAFERLOOM_SHARED says?" >&2
    return 1
  fi
  if $with_shared; then mark_passed "tests, none skipped"; fi
}

# In continuous integration the clone was fresh, so demo and tests must have left nothing either.
leaves_no_trace() {
  if [[ "${CI:-}" == true && -n "$(git status --porcelain)" ]]; then
    git status --short
    echo "check.sh: a fresh clone has these after building and testing" >&2
    return 1
  fi
  if [[ "$(scripts/tree_fingerprint.sh)" != "$tree_before" ]]; then
    diff <(echo "$status_before") <(git status --short) || true
    echo "check.sh: building and testing changed files of the project" >&2
    return 1
  fi
}

# The revision that changes are counted from; nothing in a shallow clone's only commit.
tidy_base() {
  local fork
  if [[ -n "$base" ]]; then
    git rev-parse --verify "$base^{commit}"
    return
  fi
  for branch in origin/main main; do
    if fork="$(git merge-base "$branch" HEAD 2>/dev/null)" &&
      [[ "$fork" != "$(git rev-parse HEAD)" ]]; then
      echo "$fork"
      return
    fi
  done
  git rev-parse --verify --quiet 'HEAD~1^{commit}' || git rev-parse HEAD
}

# Changed sources that the release preset compiles, and changed headers.
changed_sources() {
  local database="$tidy_build/compile_commands.json"
  {
    git diff -z --name-only --diff-filter=d "$1" -- '*.h' '*.cpp'
    git ls-files -z --others --exclude-standard -- '*.h' '*.cpp'
  } | sort -zu | while IFS= read -rd '' file; do
    if [[ "$file" == *.h ]] || grep -qF "\"file\": \"$PWD/$file\"" "$database"; then
      printf '%s\0' "$file"
    fi
  done
}

# clang cannot read what g++ precompiled: clang-tidy has commands of its own, of which nothing is
# built but a header that protoc makes.
tidy_changed() {
  local since
  cmake --preset release -B "$tidy_build" -DWAFERLOOM_TESTS=ON -DWAFERLOOM_WHOLE_FOLDERS=OFF >/dev/null
  cmake --build "$tidy_build" --target interchange/format/onnx.pb.h >/dev/null
  since="$(tidy_base)"
  echo "Changes since $(git log -1 --format='%h %s' "$since")"
  changed_sources "$since" >"$tidy_build/tidy_files"
  xargs -0 -r -n 1 echo "  " <"$tidy_build/tidy_files"
  # The compiler's own flags are g++'s, some of which clang does not know. Its count of warnings in
  # system headers, which nobody sees, is left out.
  xargs -0 -r -n 2 -P "$(nproc)" clang-tidy-14 -p "$tidy_build" --quiet \
    --extra-arg=-Wno-unknown-warning-option <"$tidy_build/tidy_files" \
    2> >(grep -v 'warnings\? generated' >&2)
}

# ThreadSanitizer of g++ 12 cannot live with the address randomisation of newer kernels.
without_randomisation() {
  if setarch -R true 2>/dev/null; then setarch -R "$@"; else "$@"; fi
}

# test_sanitized PRESET OPTION…: tests that ctest's options choose.
test_sanitized() {
  LSAN_OPTIONS="suppressions=$PWD/tests/support/leaks_of_others.supp:print_suppressions=0" \
    without_randomisation ctest --test-dir "build/$1" --output-on-failure --no-tests=error \
    --parallel "$(nproc)" "${@:2}"
}

# By clang, which takes a third of g++'s time for it, and together with the fuzzers.
build_fuzz() {
  cmake --preset fuzz -DCMAKE_CXX_COMPILER=clang++-14 -DWAFERLOOM_TESTS=ON >/dev/null
  cmake --build --preset fuzz
}

# The libraries by their unit tests, and every command by what was recorded of it.
test_memory() {
  build_fuzz
  test_sanitized fuzz -L 'unit|golden' -R '^([^.]+|recorded[.][0-9]+)$' -E '^property_'
}

# Tasks on threads are those of searches: all else runs on one.
test_threads() {
  cmake --preset tsan >/dev/null
  cmake --build --preset tsan --target test_placer test_placer_gigaplacer test_optimize
  test_sanitized tsan -R '^(placer|placer_gigaplacer|optimize)$'
}

# Compiler, processor, speed and math library at once: built by clang, which orders otherwise, for
# a processor that fuses multiply and add, beside processes that spin, with other variants of exp,
# log and pow. What fails is tried with each of them alone.
test_on_another_machine() {
  cmake --preset release -B build/clang -DCMAKE_CXX_COMPILER=clang++-14 -DWAFERLOOM_TESTS=ON \
    -DCMAKE_CXX_FLAGS=-march=x86-64-v3 >/dev/null
  cmake --build build/clang
  trap stop_spinning EXIT
  start_spinning 4
  GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4 ctest --test-dir build/clang \
    --output-on-failure --no-tests=error --parallel "$(tests_at_once)"
}

# fuzz_reader FOLDER FUZZER SECONDS: what it finds on the way is kept under FOLDER, what crashes it
# beside it.
fuzz_reader() {
  local name
  name="$(basename "$2")"
  echo "-- $name, $3 s"
  mkdir -p "$1/corpus/$name"
  local seeds=(tests/fuzz/seeds/*/)
  if [[ "$name" == fuzz_onnx ]]; then seeds+=(/usr/share/libonnx-testdata/data); fi
  "$2" -max_total_time="$3" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$1/$name-" "$1/corpus/$name" "${seeds[@]}"
}
export -f fuzz_reader

fuzz_seconds="${WAFERLOOM_FUZZ_SECONDS:-30}"

# Every fuzzer from its own seeds, as many at once as there are processors.
fuzz_readers() {
  local folder="$PWD/build/fuzz/tests/fuzz"
  build_fuzz
  find "$folder" -maxdepth 1 -name 'fuzz_*' -type f -perm -u+x -print0 | sort -z |
    xargs -0 -r -I '{}' -P "$(nproc)" bash -c 'fuzz_reader "$@"' _ "$folder" '{}' "$fuzz_seconds"
}

page_seconds="${WAFERLOOM_PAGE_SECONDS:-40}"

# Each has its budget in tests/cli/documented_commands.json.
run_slow_commands() {
  PYTHONPATH=tests/support WAFERLOOM_PROGRAM=build/release/waferloom \
    python3 -B tests/cli/documented_commands_test.py --slow "$page_seconds"
}

step "Tools"
scripts/install_dependencies.sh build test check
if $deep; then scripts/install_dependencies.sh deep studies; fi
echo "All there."
tree_before="$(scripts/tree_fingerprint.sh)"
status_before="$(git status --short)"

step "Format (clang-format 14)"
check_format

step "Layering (docs/architecture.md)"
python3 scripts/check_layers.py

step "Build with warnings as errors, and tests"
build_and_test

step "Building and testing leave no trace"
leaves_no_trace

step "clang-tidy on what changed"
tidy_changed

if $deep; then
  deep_step "Deep tests" scripts/test.sh --deep
  deep_step "Tests as on another, busy machine" test_on_another_machine
  deep_step "Tests under AddressSanitizer, UBSan" test_memory
  deep_step "Tests under ThreadSanitizer" test_threads
  deep_step "Documented commands of 10 to $page_seconds s" run_slow_commands
  deep_step "Figures of pages, up to $page_seconds s each" \
    python3 -B scripts/doc_figures.py --check --within "$page_seconds"
  deep_step "Fuzzing, $fuzz_seconds s each" fuzz_readers
fi

step_times
if ((${#failed_steps[@]})); then
  printf '\ncheck.sh: FAILED at:\n' >&2
  printf '  %s\n' "${failed_steps[@]}" >&2
  trap - EXIT
  exit 1
fi
printf '\nAll checks passed.\n'
