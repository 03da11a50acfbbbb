# Sourced by demo.sh, test.sh and check.sh, not run: it names steps and says how long each took.
#
#   step NAME    ends the step before and begins NAME: its heading is printed
#   step_times   ends the last step and prints a line for each: minutes by the clock, CPU seconds

step_names=()
step_clock=()
step_cpu=()

# The clock, and CPU seconds of this shell and of all that it waited for. `times` runs in this shell:
# behind a pipe it would tell of a child.
mark_step() {
  step_clock+=("$(date +%s.%N)")
  local file
  file="$(mktemp)"
  times >"$file"
  step_cpu+=("$(awk '{ for (i = 1; i <= 2; ++i) { split($i, a, "[ms]"); t += 60 * a[1] + a[2] } }
    END { printf "%.1f", t }' "$file")")
  rm -f "$file"
}

step() {
  mark_step
  step_names+=("$1")
  printf '\n== %s ==\n' "$1"
}

step_times() {
  mark_step
  local at last=$((${#step_names[@]} - 1))
  printf '\n%-42s %8s %8s\n' "Step" "minutes" "CPU s"
  for at in $(seq 0 "$last"); do
    awk -v name="${step_names[$at]}" -v b="${step_clock[$at]}" -v e="${step_clock[$((at + 1))]}" \
      -v c="${step_cpu[$at]}" -v d="${step_cpu[$((at + 1))]}" \
      'BEGIN { printf "%-42s %5d:%02d %8.0f\n", name, int((e - b) / 60), (e - b) % 60, d - c }'
  done
}
