#!/usr/bin/env bash
# Prints one hash over the names and contents of all files of the project that git does not
# ignore, committed or not. Equal before and after a step: the step left no trace.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A file that was deleted but not committed has no line of its own, which changes the hash too.
git ls-files -z --cached --others --exclude-standard | sort -zu |
  { xargs -0 sha256sum 2>/dev/null || true; } | sha256sum | cut -d ' ' -f 1
