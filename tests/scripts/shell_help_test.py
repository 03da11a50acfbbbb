"""The shell scripts that README names say what they do, and do nothing else, when asked for help."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


class ShellHelpTest(unittest.TestCase):
    def setUp(self) -> None:
        """A PATH with stand-ins that tell if something is installed or built."""
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.calls = self.folder / "calls"
        self.calls.touch()
        for tool in ("cmake", "ctest", "apt-get", "sudo", "dpkg-query"):
            stand_in = self.folder / tool
            stand_in.write_text(f'#!/bin/sh\necho "{tool} $*" >>{self.calls}\nexit 1\n',
                                encoding="utf-8")
            stand_in.chmod(0o755)

    def run_script(self, name: str, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([SCRIPTS / name, *words], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})

    def test_help_tells_the_usage_and_starts_nothing(self) -> None:
        for name in ("demo.sh", "test.sh", "check.sh"):
            for word in ("--help", "-h"):
                done = self.run_script(name, word)
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)
                self.assertIn(f"\n  scripts/{name}", done.stdout)
                self.assertNotIn("#", done.stdout)
        self.assertEqual(self.calls.read_text(encoding="utf-8"), "")

    def test_the_demo_takes_no_arguments(self) -> None:
        done = self.run_script("demo.sh", "fast")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("found 'fast'", done.stderr)
        self.assertEqual(self.calls.read_text(encoding="utf-8"), "")


if __name__ == "__main__":
    unittest.main()
