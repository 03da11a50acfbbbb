"""Every command on every preset: an answer, or one line that says what the machine lacks.

answers.json beside this file holds them; WAFERLOOM_UPDATE_MACHINES=1 writes it anew. A number that
moved is a finding of its own: the file is read before it is committed.
"""

import json
import os
import unittest
from pathlib import Path

from program import SOURCES, ProgramTest, run_in_order

ANSWERS = Path(__file__).with_name("machines_answers.json")
PRESETS = SOURCES / "model" / "presets"

# Two layers of 128 numbers, so that any machine runs them at once.
NETWORK = {"name": "tiny", "tokens": 64, "operators": [
    {"name": "embedding", "kind": "embedding", "sequence": 64, "vocabulary": 512, "hidden": 128},
    {"name": "layer", "kind": "transformer", "repeat": 2, "sequence": 64, "hidden": 128,
     "heads": 16},
    {"name": "head", "kind": "head", "sequence": 64, "vocabulary": 512, "hidden": 128}]}
PLAN = {"tensor": 1, "data": 1, "pipeline": 2, "micro_batches": 4}
STAGES = {"stages": [{"name": "s0", "x": 0, "y": 0, "width": 1, "height": 1},
                     {"name": "s1", "x": 1, "y": 0, "width": 1, "height": 1}]}

# Thousands of chips are more than the network can be cut for, and a search over a whole wafer is
# long.
PORTS = [{"side": "west", "position": 0, "last": 29, "response_ps": 1000000,
          "capacity_bytes": 1000000000000}]
SMALLER = {("a100", "h100"): ["--chips", "8"],
           ("wse", "cs2"): ["--set", "columns=40", "--set", "rows=30", "--set",
                            f"host_ports={json.dumps(PORTS)}"]}
MACHINE = ["--hardware", "{}", "*", "-q"]
# What each command is asked. {} is the machine, * makes it smaller, @ is a file of this run alone.
COMMANDS = {
    "hardware": ["hardware", "{}", "*"],
    "simulate case": ["simulate", "small.kgraph", "small.sol", *MACHINE],
    "route case": ["route", "small.kgraph", "small.sol", *MACHINE, "-o", "@.json"],
    "optimize network": ["optimize", "tiny.json", "--effort", "1", "--top", "1", "--batch", "4",
                         "--network", "analytic", *MACHINE, "-o", "@"],
    "optimize case": ["optimize", "small.kgraph", "--effort", "1", *MACHINE, "-o",
                      "@"],
    "collective": ["collective", "all-reduce", "--tiles", "0,0,4x1", "--bytes", "4096", *MACHINE],
    "plan": ["plan", "tiny.json", "--batch", "8", *MACHINE, "-o", "@.json"],
    "plan cut": ["plan", "tiny.json", "--batch", "8", "--way", "cut", "--top", "1", *MACHINE, "-o",
                 "@.json"],
    "plan chips": ["plan", "tiny.json", "--batch", "8", "--way", "chips", *MACHINE, "-o", "@.json"],
    "plan pipeline": ["plan", "tiny.json", "--way", "pipeline", *MACHINE, "-o", "@.json"],
    "plan streaming": ["plan", "tiny.json", "--way", "streaming", "--inference", *MACHINE, "-o",
                       "@.json"],
    "plan serve": ["plan", "tiny.json", "--serve", "--prompt", "32", "--output", "32", *MACHINE],
    "simulate plan": ["simulate", "tiny.json", "--plan", "plan.json", *MACHINE],
    "place plan": ["place", "tiny.json", "--plan", "plan.json", "--effort", "1", *MACHINE, "-o",
                   "@.json"],
    "draw plan": ["draw", "tiny.json", "stages.json", "--plan", "plan.json", *MACHINE, "-o",
                  "@.svg"],
    "route plan": ["route", "tiny.json", "--plan", "plan.json", "--placement", "stages.json",
                   *MACHINE, "-o", "@.json"],
    "model tile": ["model", "tile", "gemm", "--m", "64", "--k", "64", "--n", "64", "--tiles", "4x4",
                   "--hardware", "{}", "*"],
    "model amped": ["model", "amped", "tiny.json", "--batch", "8", "--explore", *MACHINE],
    "model dfmodel": ["model", "dfmodel", "tiny.json", *MACHINE],
    "model serving": ["model", "serving", "tiny.json", "--prompt", "32", "--context", "32", *MACHINE],
    "model centimani": ["model", "centimani", "tiny.json", "--batches", "4", *MACHINE],
}


def smaller(machine: str, command: str) -> list[str]:
    for beginnings, options in SMALLER.items():
        if machine.startswith(beginnings):
            # Its --chips are those that train.
            return [] if command == "model centimani" and options[0] == "--chips" else options
    return []


class MachinesTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("tiny.json", json.dumps(NETWORK))
        self.write("plan.json", json.dumps(PLAN))
        self.write("stages.json", json.dumps(STAGES))

    def answer(self, command: str, machine: str) -> str:
        """The exit code, and the first line with a number or the one line on stderr."""
        words = []
        for word in COMMANDS[command]:
            if word != "*":
                own = f"{machine}-{command.replace(' ', '_')}"
                words.append(word.replace("{}", machine).replace("@", own))
            else:
                words += smaller(machine, command)
        done = self.run_here(*words)
        lines = [line for line in (done.stderr if done.code else done.stdout).splitlines()
                 if line and not line.startswith("See: ")]
        if done.code:
            self.assertEqual(len(lines), 1, f"{command} on {machine}: {done.stderr}")
            return f"{done.code}: {lines[0].removeprefix('waferloom: error: ')}"
        told = [line for line in lines if any(sign.isdigit() for sign in line)] or lines or [""]
        return f"0: {told[0].strip()}"

    def test_every_command_answers_of_every_preset(self) -> None:
        machines = sorted(file.stem for file in PRESETS.glob("*.json"))
        asked = [(command, machine) for command in COMMANDS for machine in machines]
        found: dict[str, dict[str, str]] = {command: {} for command in COMMANDS}
        answers_in_order = run_in_order(lambda one: self.answer(*one), asked)
        for (command, machine), answer in zip(asked, answers_in_order):
            found[command][machine] = answer
        if os.environ.get("WAFERLOOM_UPDATE_MACHINES"):
            ANSWERS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        held = json.loads(ANSWERS.read_text())
        self.assertEqual(list(held), list(found))
        for command, answers in found.items():
            with self.subTest(command):
                self.assertEqual(held[command], answers)


if __name__ == "__main__":
    unittest.main()
