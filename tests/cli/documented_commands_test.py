"""Every command that README, docs and help show runs, in a folder of its own, from a clone alone.

    documented_commands_test.py [--slow SECONDS]

What documented_commands.json calls slow takes more than ten seconds, or
needs a package more: it runs with --slow (`scripts/check.sh --deep`) alone. What it calls short runs
with less work than is written: `{"--effort": 1}` stands in for the command's own effort, or is added,
and null takes an option away. With --slow the pages that have either run whole and as written, but
for commands that may take more seconds than that, and for slow ones that name a file of theirs.
"""

import json
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from documented_commands import ROOT, help_examples, pages
from layout import faults_of_layout
from program import PATIENCE_S, PROGRAM

from example_onnx import Model, resnet18
from figures.commands import Ran
from figures.marks import marks_of

TABLE = json.loads(Path(__file__).with_name("documented_commands.json").read_text(encoding="utf-8"))


def model_with_names() -> bytes:
    """A linear layer whose sizes have names."""
    model = Model()
    model.output(model.linear("fc", model.input("x", ["batch", "seq", 64]), 64, 64))
    return model.encoded()


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
    "trace.json": '[{"proc": "BRISC", "noc": "NOC_0", "sx": 1, "sy": 1, "dx": 2, "dy": 1, '
                  '"num_bytes": 2048, "type": "READ", "timestamp": 500}]',
    "space.json": '{"command": "place", "set": {"effort": 1, "strategy": "rows"}, '
                  '"axes": {"CASE": ["A.kgraph"], "seed": [1, 2]}}',
    "config.json": (ROOT / "tests/interchange/configs/llama3_8b.json").read_text(encoding="utf-8"),
    "model.safetensors.index.json": '{"metadata": {"total_size": 16060522496}}',
    "layer.json": (ROOT / "tests/recorded/inputs/diamond.json").read_text(encoding="utf-8"),
}
HELP_MODELS = {"resnet18.onnx": resnet18(1).encoded(), "model.onnx": model_with_names()}


def slow(page: str) -> dict[str, int]:
    """The commands of a page that are not for every day, with the seconds that each may take."""
    return TABLE["slow"].get(page, {})


def shortened(command: str) -> str:
    """The command with the little work that the table gives it."""
    for option, value in TABLE["short"].get(command, {}).items():
        if value is None:
            command = re.sub(rf" {option}[ =]\S+", "", command)
            continue
        own = re.compile(rf"(?<=\b{option.strip('-')}[ =])\S+")
        if own.search(command):
            command = own.sub(str(value), command)
            continue
        before, last = command.rsplit("waferloom ", 1)
        name, rest = last.split(" ", 1)
        command = f"{before}waferloom {name} {option} {value} {rest}"
    return command


class DocumentedCommandsTest(unittest.TestCase):
    with_slow: int | None = None  # the most seconds
    ran = Ran(PROGRAM)

    def fault(self, folder: Path, command: str, limit_s: float) -> str:
        """What a command printed where it failed, or what of it does not fit."""
        done = self.ran(folder, command, limit_s)
        if done.code == 0 and command.startswith("waferloom ") and faults_of_layout(done.stdout):
            return f"does not fit 80 columns: {faults_of_layout(done.stdout)}"
        return done.failure()

    def run_page(self, page: str, commands: list[str], inputs: Path | None = None) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "scripts").symlink_to(ROOT / "scripts")
            if inputs is not None:
                shutil.copytree(inputs, folder, dirs_exist_ok=True)
            lacking: set[str] = set()
            for command in commands:
                if command in slow(page) and (slow(page)[command] > (self.with_slow or 0) or
                                              lacking & set(command.split())):
                    lacking |= {word for word in command.split() if Path(word).suffix and
                                not (folder / word).exists()}
                    continue
                with self.subTest(page=page, command=command):
                    run_now = command if self.with_slow else shortened(command)
                    limit_s = slow(page).get(command, PATIENCE_S)
                    self.assertEqual(self.fault(folder, run_now, limit_s), "")

    def chosen(self, found: dict[str, list[str]]) -> dict[str, list[str]]:
        return {page: commands for page, commands in found.items()
                if page not in TABLE["elsewhere"] and
                (not self.with_slow or slow(page) or TABLE["short"].keys() & set(commands))}

    def test_pages(self) -> None:
        for page, commands in self.chosen(pages()).items():
            self.run_page(page, commands)

    def test_help(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            for file, content in HELP_FILES.items():
                Path(name, file).write_text(content, encoding="utf-8")
            for file, model in HELP_MODELS.items():
                Path(name, file).write_bytes(model)
            for command in BEFORE_HELP:
                self.assertEqual(self.fault(Path(name), shortened(command), PATIENCE_S), "", command)
            for page, commands in self.chosen(help_examples()).items():
                self.run_page(page, commands, Path(name))

    def test_a_command_runs_again_where_a_file_that_it_names_differs(self) -> None:
        ran = Ran(PROGRAM)
        with tempfile.TemporaryDirectory() as name:
            for folder, text in (("a", "1"), ("b", "1"), ("c", "2")):
                Path(name, folder).mkdir()
                Path(name, folder, "in.txt").write_text(text, encoding="utf-8")
                done = ran(Path(name, folder), "cat in.txt in.txt > out.txt", 60)
                self.assertEqual(done.failure(), "")
                self.assertEqual(Path(name, folder, "out.txt").read_text(encoding="utf-8"), 2 * text)
            self.assertEqual(ran.runs, 2)
            self.assertIn("exit code 3", ran(Path(name, "a"), "exit 3", 60).failure())
            self.assertIn("exit code 3", ran(Path(name, "a"), "exit 3", 60).failure())

    def test_the_table_names_commands_that_there_are(self) -> None:
        found = {**pages(), **help_examples()}
        for page, commands in TABLE["slow"].items():
            for command in commands:
                self.assertIn(command, found[page], page)
        for page in TABLE["elsewhere"]:
            self.assertIn(page, found)
        for command in TABLE["short"]:
            self.assertTrue(any(command in commands for commands in found.values()), command)

    def test_pages_that_run_elsewhere_name_all_their_commands_beside_their_figures(self) -> None:
        found = pages()
        for page in TABLE["elsewhere"].keys() & found.keys():
            text = (ROOT / page).read_text(encoding="utf-8")
            named = {" ".join(command.text.split()) for mark in marks_of(text)
                     for command in mark.commands}
            for command in found[page]:
                self.assertIn(command, named, page)

    def test_shortened_commands_have_the_options_of_the_table_in_place_of_their_own(self) -> None:
        for command, options in TABLE["short"].items():
            words = shortened(command).replace("=", " ").split()
            for option, value in options.items():
                if value is None:
                    self.assertNotIn(option, words, command)
                    continue
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
    if sys.argv[1:2] == ["--slow"]:
        DocumentedCommandsTest.with_slow = int(sys.argv[2])
        del sys.argv[1:3]
    unittest.main()
