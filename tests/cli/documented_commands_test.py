"""Every command that README, docs and help show runs, in a folder of its own, from a clone alone.

    documented_commands_test.py PART [--slow]

PART is README, docs or help. What documented_commands.json calls slow takes more than ten seconds, or
needs a package more: it runs with --slow (`scripts/check.sh --deep`) alone. What it calls short runs
with less work than is written: `{"--effort": 1}` stands in for the command's own effort, or is added.
With --slow the pages that have either run whole and as written.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from documented_commands import ROOT, help_examples, pages
from program import PROGRAM

TABLE = json.loads(Path(__file__).with_name("documented_commands.json").read_text(encoding="utf-8"))
PATIENCE_S = 120  # for commands that should take less than ten seconds
# The examples of help take these for granted.
BEFORE_HELP = (
    "waferloom cases A -o A.kgraph",
    "waferloom place A.kgraph -o A.sol --effort 1",
    "waferloom route A.kgraph A.sol -o A.routes.json",
    "waferloom hardware palm_wafer -o mine.json",
    "waferloom place T-18B --plan plan.json --hardware palm_wafer -o T.json",
    "waferloom sweep plan space.json -o run",
    "waferloom sweep submit run",
)
HELP_FILES = {
    "plan.json": '{"tensor": 8, "data": 2, "pipeline": 20, "micro_batches": 21}',
    "defects.json": '{"width": 633, "height": 633, '
                    '"dead": [{"x": 300, "y": 300, "width": 2, "height": 1}]}',
    "all_to_all.json": (ROOT / "tests/recorded/inputs/messages.json").read_text(encoding="utf-8"),
    "space.json": '{"command": "place", "set": {"effort": 1, "strategy": "rows"}, '
                  '"axes": {"CASE": ["A.kgraph"], "seed": [1, 2]}}',
    "layer.json": (ROOT / "tests/recorded/inputs/diamond.json").read_text(encoding="utf-8"),
}


def slow(page: str) -> dict[str, int]:
    """The commands of a page that are not for every day, with the seconds that each may take."""
    return TABLE["slow"].get(page, {})


def shortened(command: str) -> str:
    """The command with the little work that the table gives it."""
    for option, value in TABLE["short"].get(command, {}).items():
        own = re.compile(rf"(?<=\b{option.strip('-')}[ =])\S+")
        if own.search(command):
            command = own.sub(str(value), command)
            continue
        before, last = command.rsplit("waferloom ", 1)
        name, rest = last.split(" ", 1)
        command = f"{before}waferloom {name} {option} {value} {rest}"
    return command


def run_in(folder: Path, command: str, limit_s: float) -> subprocess.CompletedProcess[str]:
    path = f"{PROGRAM.parent}:{os.environ['PATH']}"
    return subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], cwd=folder, timeout=limit_s,
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": path, "NO_COLOR": "1"})


class DocumentedCommandsTest(unittest.TestCase):
    part = ""
    with_slow = False

    def run_page(self, page: str, commands: list[str], inputs: Path | None = None) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "scripts").symlink_to(ROOT / "scripts")
            if inputs is not None:
                shutil.copytree(inputs, folder, dirs_exist_ok=True)
            for command in commands:
                if command in slow(page) and not self.with_slow:
                    continue
                with self.subTest(page=page, command=command):
                    run_now = command if self.with_slow else shortened(command)
                    done = run_in(folder, run_now, slow(page).get(command, PATIENCE_S))
                    self.assertEqual(done.returncode, 0, done.stdout[-500:] + done.stderr[-500:])

    def chosen(self, found: dict[str, list[str]]) -> dict[str, list[str]]:
        return {page: commands for page, commands in found.items()
                if page not in TABLE["elsewhere"] and
                (not self.with_slow or slow(page) or TABLE["short"].keys() & set(commands))}

    def test_pages(self) -> None:
        for page, commands in self.chosen(pages()).items():
            if self.part == ("README" if page == "README.md" else "docs"):
                self.run_page(page, commands)

    def test_help(self) -> None:
        if self.part != "help":
            return
        with tempfile.TemporaryDirectory() as name:
            for file, content in HELP_FILES.items():
                Path(name, file).write_text(content, encoding="utf-8")
            for command in BEFORE_HELP:
                done = run_in(Path(name), command, PATIENCE_S)
                self.assertEqual(done.returncode, 0, f"{command}: {done.stderr}")
            for page, commands in self.chosen(help_examples()).items():
                self.run_page(page, commands, Path(name))

    def test_the_table_names_commands_that_there_are(self) -> None:
        found = {**pages(), **help_examples()}
        for page, commands in TABLE["slow"].items():
            for command in commands:
                self.assertIn(command, found[page], page)
        for page in TABLE["elsewhere"]:
            self.assertIn(page, found)
        for command in TABLE["short"]:
            self.assertTrue(any(command in commands for commands in found.values()), command)

    def test_shortened_commands_have_the_options_of_the_table_in_place_of_their_own(self) -> None:
        for command, options in TABLE["short"].items():
            words = shortened(command).replace("=", " ").split()
            for option, value in options.items():
                at = words.index(option)
                self.assertEqual(words[at + 1], str(value), command)
                self.assertEqual(words.count(option), 1, command)

    def test_the_programs_examples_are_those_of_its_commands(self) -> None:
        found = help_examples()
        others = [command for page in found if page != "waferloom --help" for command in found[page]]
        for command in found["waferloom --help"]:
            if not command.startswith("waferloom kgraph="):  # in README
                self.assertIn(command, others)

    def test_no_command_needs_a_folder_that_a_clone_lacks(self) -> None:
        for page, commands in pages().items():
            for command in commands:
                self.assertNotIn("..", command.replace("...", ""), page)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("README", "docs", "help"))
    parser.add_argument("--slow", action="store_true")
    options, rest = parser.parse_known_args()
    DocumentedCommandsTest.part = options.part
    DocumentedCommandsTest.with_slow = options.slow
    unittest.main(argv=[sys.argv[0], *rest])
