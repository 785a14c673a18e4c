# Sourced by scripts/test and scripts/soak: named steps that are timed and counted. A failed step does not stop the later ones.
# shellcheck shell=bash
passed=0
failed=()
passed_steps=/dev/null # the names of steps that passed are appended to this file

step() { # NAME COMMAND…
  local name=$1 started=$SECONDS
  shift
  printf '\n=== %s\n' "$name"
  if "$@"; then
    passed=$((passed + 1))
    echo "$name" >>"$passed_steps"
    printf -- '--- %s: passed (%d s)\n' "$name" $((SECONDS - started))
  else
    failed+=("$name")
    printf -- '--- %s: FAILED (%d s)\n' "$name" $((SECONDS - started))
    return 1
  fi
}

need() { step "$@" || finish; } # a step that the later ones cannot do without

finish() {
  ((${#failed[@]} == 0)) || printf '\nfailed: %s' "${failed[@]}"
  printf '\n%d passed, %d failed\n' "$passed" ${#failed[@]}
  exit $((${#failed[@]} > 0))
}
