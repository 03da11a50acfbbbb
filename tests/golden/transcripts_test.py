"""Help texts and messages, word for word, against the committed transcripts beside this file.

WAFERLOOM_UPDATE_GOLDEN=1 writes them anew instead.
"""

import os
import re
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

from program import SMALL_CASE, SMALL_SOLUTION, ProgramTest  # noqa: E402

COMMANDS = ("place", "score", "simulate", "optimize", "draw", "bench", "cases", "workload",
            "hardware", "collective", "route")

# Transcript: the command lines in it, behind "waferloom ".
TRANSCRIPTS: dict[str, list[str]] = {
    "help": ["--help", *(f"{command} --help" for command in COMMANDS), "kgraph=x --help"],
    "score": [
        "score small.kgraph small.sol",
        "score small.kgraph wrong.sol",
        "score small.kgraph wrong.sol --report -",
    ],
    "usage_errors": [
        "",
        "scroe small.kgraph small.sol",
        "score small.kgraph",
        "score small.kgraph small.sol --reprot -",
        "score small.kgraph small.sol --effort 10",
        "place small.kgraph -o out.sol --time-limit soon",
        "draw small.kgraph small.sol -o out.gif",
        "kgraph=small.kgraph output=out.sol widht=3",
        "cases Z",
    ],
    "input_errors": [
        "score missing.kgraph small.sol",
        "score typo.kgraph small.sol",
        "score several.kgraph small.sol",
        "score empty.kgraph small.sol",
        "score small.kgraph typo.sol",
        "place cycle.kgraph -o out.sol -q",
        "place hungry.kgraph -o out.sol -q",
        "place small.kgraph -o none/out.sol -q",
        "place missing.kgraph -o out.sol --report - -q",
    ],
}


class TranscriptsTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("wrong.sol", SMALL_SOLUTION.replace("place(6 0", "place(4 0")
                   .replace("place(12 0", "place(36 0"))
        self.write("typo.sol", SMALL_SOLUTION.replace("k2 = conv", "k2 = cnov"))
        self.write("typo.kgraph", SMALL_CASE.replace("conv[2] W", "cnov[2] W"))
        self.write("several.kgraph", SMALL_CASE.replace("conv[2] W=8", "conv[2] W=0")
                   .replace("wlength=2", "wlength=-2").replace("-> conv[3]:x", "-> conv[9]:x"))
        self.write("empty.kgraph", "")
        self.write("cycle.kgraph", SMALL_CASE + "conv[3]:y -> conv[1]:x, shape:[8][8][4]\n")
        self.write("hungry.kgraph", SMALL_CASE.replace("memlimit=24576", "memlimit=1"))

    def transcript(self, lines: list[str]) -> str:
        """What a person would see: command, output, and the exit code where it is not 0."""
        text = ""
        for line in lines:
            done = self.run_here(*line.split())
            text += f"$ waferloom {line}".rstrip() + "\n" + done.stdout + done.stderr
            if done.code != 0:
                text += f"[exit code {done.code}]\n"
            text += "\n"
        # The strategies are the placer's to list.
        return re.sub(r"(How to search \(default auto\):\n)( {24}.*\n)+", r"\1", text)

    def test_transcripts(self) -> None:
        for name, lines in TRANSCRIPTS.items():
            path = HERE / f"{name}.txt"
            text = self.transcript(lines)
            if os.environ.get("WAFERLOOM_UPDATE_GOLDEN") == "1":
                path.write_text(text)
            with self.subTest(name):
                self.maxDiff = None
                self.assertEqual(text, path.read_text())


if __name__ == "__main__":
    unittest.main()
