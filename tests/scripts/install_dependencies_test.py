"""scripts/install_dependencies.sh asks apt for what is missing, and for nothing otherwise.

dpkg-query, apt-get, id and sudo are stand-ins on a PATH of their own, so nothing is installed.
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "install_dependencies.sh"


class InstallDependenciesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.calls = self.folder / "calls"
        self.calls.touch()
        self.missing = self.folder / "missing"
        for tool in ("env", "bash", "grep"):
            found = shutil.which(tool)
            assert found is not None
            (self.folder / tool).symlink_to(found)
        # The package asked for is the last argument; absent ones are listed in `missing`.
        self.stand_in("dpkg-query", f'if grep -qx -- "${{@: -1}}" {self.missing}; then exit 1; fi',
                      "printf installed")
        self.stand_in("apt-get", f'echo "apt-get $*" >>{self.calls}')

    def stand_in(self, name: str, *lines: str) -> None:
        path = self.folder / name
        path.write_text("#!/usr/bin/env bash\n" + "\n".join(lines) + "\n", encoding="utf-8")
        path.chmod(0o755)

    def install(self, *sets: str, user: int = 0,
                missing: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        self.stand_in("id", f"echo {user}")
        self.missing.write_text("".join(f"{name}\n" for name in missing), encoding="utf-8")
        return subprocess.run([self.folder / "bash", SCRIPT, *sets], capture_output=True, text=True,
                              check=False, env={**os.environ, "PATH": str(self.folder)})

    def apt_calls(self) -> list[str]:
        return self.calls.read_text(encoding="utf-8").splitlines()

    def test_calls_no_apt_if_all_is_there(self) -> None:
        done = self.install("build", "test", "check", "deep", "bench", "studies",
                            "cluster")
        self.assertEqual((done.returncode, done.stderr, self.apt_calls()), (0, "", []))

    def test_installs_only_what_is_missing(self) -> None:
        done = self.install(missing=("libtbb-dev", "g++"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.apt_calls(), [
            "apt-get update -q",
            "apt-get install -q -y --no-install-recommends g++ libtbb-dev",
        ])

    def test_sets_are_told_apart(self) -> None:
        self.assertEqual(self.install("build", missing=("clang-tidy-14",)).returncode, 0)
        self.assertEqual(self.apt_calls(), [])
        self.assertEqual(self.install("build", "check", missing=("clang-tidy-14",)).returncode, 0)
        self.assertRegex(self.apt_calls()[-1], r"clang-tidy-14$")

    def test_uses_sudo_where_one_is_not_root(self) -> None:
        self.stand_in("sudo", f'echo "sudo" >>{self.calls}', '"$@"')
        done = self.install(user=1000, missing=("ninja-build",))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.apt_calls()[0], "sudo")
        self.assertIn("ninja-build", self.apt_calls()[-1])

    def test_says_what_to_do_without_root_and_sudo(self) -> None:
        done = self.install(user=1000, missing=("ninja-build",))
        self.assertEqual(done.returncode, 1)
        self.assertIn("apt-get install --no-install-recommends ninja-build", done.stderr)
        self.assertEqual(self.apt_calls(), [])

    def test_fails_if_apt_fails(self) -> None:
        self.stand_in("apt-get", 'if [[ "$1" == install ]]; then exit 100; fi')
        self.assertNotEqual(self.install(missing=("cmake",)).returncode, 0)

    def test_an_unreachable_source_alone_is_no_failure(self) -> None:
        self.stand_in("apt-get", 'if [[ "$1" == update ]]; then exit 100; fi')
        self.assertEqual(self.install(missing=("cmake",)).returncode, 0)

    def test_an_unknown_set_is_a_usage_error(self) -> None:
        done = self.install("bild")
        self.assertEqual(done.returncode, 2)
        self.assertIn("found 'bild'", done.stderr)

    def test_every_library_that_cmake_looks_for_is_installed(self) -> None:
        """find_package and pkg_check_modules of the build against the package list."""
        project = SCRIPT.parents[1]
        text = "".join(path.read_text(encoding="utf-8")
                       for path in [*project.glob("cmake/*.cmake"), *project.glob("*/CMakeLists.txt"),
                                    *project.glob("tests/*/CMakeLists.txt")])
        wanted = set(re.findall(r"(?:find_package|pkg_check_modules)\((\w+)", text))
        providers = {"Threads": "g++", "Boost": "libboost-graph-dev", "TBB": "libtbb-dev",
                     "nlohmann_json": "nlohmann-json3-dev", "PkgConfig": "pkg-config",
                     "doctest": "doctest-dev", "Python3": "python3", "valijson": "libvalijson-dev",
                     "benchmark": "libbenchmark-dev", "ZLIB": "zlib1g-dev",
                     "CAIRO": "libcairo2-dev", "CBC": "coinor-libcbc-dev",
                     "EXPAT": "libexpat1-dev", "OpenSSL": "libssl-dev",
                     "SQLite3": "libsqlite3-dev", "Protobuf": "libprotobuf-dev",
                     "fmt": "libfmt-dev"}
        self.assertEqual(wanted - providers.keys(), set())
        done = self.install("build", "test", "bench", missing=tuple(providers.values()))
        self.assertEqual(done.returncode, 0, done.stderr)
        installed = self.apt_calls()[-1].split()
        for library in wanted:
            self.assertIn(providers[library], installed)


if __name__ == "__main__":
    unittest.main()
