# Sourced by test.sh and check.sh, not run: a machine that has other work.
#
#   start_spinning N   starts N processes that spin
#   stop_spinning      ends them; a script that sources this traps its EXIT with it
#   tests_at_once      how many tests to run beside them

spinners=()

start_spinning() {
  for _ in $(seq 1 "$1"); do
    # Nobody's child, so that its time is not counted as the tests'.
    spinners+=("$(sh -c 'while :; do :; done >/dev/null 2>&1 & echo $!')")
  done
}

stop_spinning() {
  if ((${#spinners[@]})); then kill "${spinners[@]}" 2>/dev/null || true; fi
  spinners=()
}

# As many more as processes spin: each waits longer, all together less.
tests_at_once() { echo $(($(nproc) + ${#spinners[@]})); }
