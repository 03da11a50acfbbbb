#!/usr/bin/env bash
# Installs the Debian 12 packages that waferloom is built, tested, checked and measured with;
# touches nothing, and does not even call apt, if all of them are there.
#
#   scripts/install_dependencies.sh [build] [test] [check] [deep] [bench] [studies] [cluster]
#
#   build  the program (the default)
#   test   its tests
#   check  formatting and clang-tidy
#   deep   clang with its sanitizers and libFuzzer, and ONNX models to fuzz with
#   bench  microbenchmarks
#   studies  the pictures of scripts/study_*.py
#   cluster  Slurm and GNU parallel, which `waferloom sweep submit` hands tasks to
#
# Works as root or through sudo. docs/adr/0001-dependencies.md has the reason for each library, 0004-cbc.md
# that for the solver, 0008-sweeps.md those for sweeps.
set -euo pipefail

packages_of() {
  case "$1" in
    build)
      # fonts-dejavu-core: the names in pictures, on machines that have no font at all.
      echo g++ cmake ninja-build pkg-config fonts-dejavu-core libboost-graph-dev \
        libboost-program-options-dev libtbb-dev libcairo2-dev libfmt-dev nlohmann-json3-dev \
        zlib1g-dev coinor-libcbc-dev libssl-dev libsqlite3-dev protobuf-compiler libprotobuf-dev
      ;;
    test) echo git python3 doctest-dev libvalijson-dev libexpat1-dev ;;
    check) echo git python3 clang-format-14 clang-tidy-14 libonnx-testdata ;;
    deep) echo clang-14 libclang-rt-14-dev llvm-14 ;;
    bench) echo libbenchmark-dev ;;
    studies) echo python3 python3-matplotlib ;;
    cluster) echo slurm-wlm parallel ;;
    *)
      echo "install_dependencies.sh: expected build, test, check, deep, bench, studies or cluster, found '$1'" >&2
      return 2
      ;;
  esac
}

is_installed() {
  [[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

# Runs a command as root, or says what a person with the rights has to do.
as_root() {
  if [[ "$(id -u)" == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "install_dependencies.sh: packages are missing and there is no sudo; as root, run:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    return 1
  fi
}

wanted=()
for set in "${@:-build}"; do
  packages="$(packages_of "$set")"
  read -ra names <<<"$packages"
  wanted+=("${names[@]}")
done

if ! command -v dpkg-query >/dev/null; then
  echo "install_dependencies.sh: no dpkg here; install by other means what Debian calls:" >&2
  echo "  ${wanted[*]}" >&2
  exit 1
fi

missing=()
for package in "${wanted[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if [[ ${#missing[@]} == 0 ]]; then
  exit 0
fi

echo "Installing ${missing[*]}"
# One unreachable source does not matter as long as another has the packages.
as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q ||
  echo "install_dependencies.sh: apt-get update had problems; trying all the same" >&2
as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null
