"""waferloom optimize --islands and --start: here, on GNU parallel and on a Slurm of two nodes. What is
not installed is skipped by name (scripts/install_dependencies.sh cluster)."""

import json
import os
import signal
import subprocess
import unittest
from typing import Any

from program import PATIENCE_S, PROGRAM, SLOW_LINKS, TIGHT_CASE, ProgramTest, Run, wait_until
from slurm import SLURM_PROGRAMS, SlurmTest, missing

SEARCH = ("--hardware", "slow.json", "--effort", "1", "--top", "1")
ISLANDS = ("--islands", "3", "--epochs", "2")
OUTPUTS = ("solution.sol", "routes.json", "floorplan.svg", "links.svg")


class OptimizeIslands(ProgramTest):
    environment: dict[str, str] = {}

    def setUp(self) -> None:
        super().setUp()
        self.write("slow.json", json.dumps(SLOW_LINKS))

    def optimize(self, *words: str, folder: str = "best", search: tuple[str, ...] = SEARCH) -> Run:
        return self.run_here("optimize", "small.kgraph", "-o", folder, "-q", *search, *words,
                             env={**os.environ, **self.environment})

    def result(self, folder: str = "best") -> dict[str, Any]:
        """The report but what names the command line."""
        text = (self.folder / folder / "report.json").read_text()
        self.assert_valid("optimize", text)
        report = json.loads(text)
        del report["made_by"]
        return report

    def assert_like_here(self, *words: str) -> None:
        """The same folder as from islands on this machine."""
        done = self.optimize(*ISLANDS, folder="here")
        self.assertEqual(done.code, 0, done.stderr)
        done = self.optimize(*ISLANDS, *words, folder="there")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertEqual(self.result("there"), self.result("here"))
        for name in OUTPUTS:
            self.assertEqual((self.folder / "there" / name).read_bytes(),
                             (self.folder / "here" / name).read_bytes(), name)


class LocalTest(OptimizeIslands):
    def test_threads_change_no_byte_and_every_island_is_a_candidate(self) -> None:
        self.assert_like_here("--threads", "1")
        report = self.result("there")
        names = [candidate["name"] for candidate in report["candidates"]]
        self.assertEqual(names[0], "place")
        self.assertEqual(names[1:], [f"island {island} in epoch {epoch}" for epoch in (1, 2)
                                     for island in (1, 2, 3)])
        self.assertEqual(sum(candidate["verdict"] == "best" for candidate in report["candidates"]), 1)
        self.assertEqual(report["islands"]["lost"], 0)

    def test_never_slower_than_a_single_search(self) -> None:
        self.assertEqual(self.optimize(folder="single").code, 0)
        self.assertEqual(self.optimize(*ISLANDS).code, 0)
        single, islands = self.result("single"), self.result()
        self.assertGreaterEqual(islands["samples_per_s"], single["samples_per_s"])
        self.assertEqual(islands["candidates"][0]["measured"], single["candidates"][0]["measured"])

    def test_the_rate_is_that_of_the_solution(self) -> None:
        done = self.optimize(*ISLANDS)
        self.assertEqual(done.code, 0, done.stderr)
        self.assertRegex(done.stdout, "islands   island [123] of 3 in epoch [12] of 2\n")
        simulated = self.run_here("simulate", "small.kgraph", "best/solution.sol", "--hardware",
                                  "slow.json", "--report", "-")
        self.assertEqual(simulated.code, 0, simulated.stderr)
        self.assertEqual(simulated.json()["samples_per_s"], self.result()["samples_per_s"])

    def test_a_start_is_the_baseline(self) -> None:
        done = self.optimize("--start", "small.sol")
        self.assertEqual(done.code, 0, done.stderr)
        report = self.result()
        self.assertEqual(report["baseline"], "start")
        before = self.run_here("simulate", "small.kgraph", "small.sol", "--hardware", "slow.json",
                               "--report", "-").json()["samples_per_s"]
        self.assertEqual(report["candidates"][0]["measured"]["samples_per_s"], before)
        self.assertGreaterEqual(report["samples_per_s"], before)
        # Two of three kernels: the rest is placed.
        lines = self.solution.read_text().splitlines(keepends=True)
        self.write("part.sol", "".join(line for line in lines if not line.startswith("k3")))
        self.assertEqual(self.optimize("--start", "part.sol").code, 0)
        self.assertIn("made whole", self.result()["candidates"][0]["description"])

    def test_what_cannot_be_is_refused(self) -> None:
        for words, part in (
                (("--islands", "2", "--time-limit", "3"), "--time-limit: goes without --islands"),
                (("--epochs", "2"), "--epochs: needs --islands"),
                (("--islands", "2", "--engine", "slurm"), "--engine slurm: needs --run")):
            self.assert_fails(self.optimize(*words), 2, part)
        done = self.run_here("optimize", "T-18B", "-o", "best", "--islands", "2")
        self.assert_fails(done, 2, "--islands: needs a case")
        self.write("tight.kgraph", TIGHT_CASE)
        done = self.run_here("optimize", "tight.kgraph", "-o", "best", "--islands", "2", "-q")
        self.assert_fails(done, 3, "k")
        self.assertNotIn("best", self.names())

    def test_an_interrupt_leaves_the_best_so_far(self) -> None:
        process = subprocess.Popen(
            [PROGRAM, "optimize", "small.kgraph", "-o", "best", "--hardware", "slow.json",
             "--islands", "2", "--epochs", "1000", "--effort", "2", "--verbose"],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        assert process.stderr is not None
        wait_until("second epoch", lambda: "epoch 2 of" in process.stderr.readline())
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 130, stderr)
        self.assertEqual(self.result()["ended_by"], "interrupted")


@unittest.skipIf(missing("parallel"), "GNU parallel is not installed")
class ParallelTest(OptimizeIslands):
    words = ("--engine", "parallel", "--run", "run")

    def test_like_here(self) -> None:
        self.assert_like_here(*self.words, "--", "--jobs", "2")
        for path in self.folder.glob("run/results/epoch-*/island-*.json"):
            self.assert_valid("case_island", path.read_text())
        before = sorted(path.name for path in self.folder.glob("run/**/*"))
        self.assertEqual(self.optimize(*ISLANDS, *self.words, folder="again").code, 0)
        self.assertEqual(self.result("again"), self.result("here"))
        self.assertEqual(sorted(path.name for path in self.folder.glob("run/**/*")), before)

    def test_a_folder_of_placements_is_refused(self) -> None:
        done = self.run_here("place", "small.kgraph", "-o", "x.sol", "--effort", "1", "-q", *ISLANDS,
                             *self.words)
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_fails(self.optimize(*ISLANDS, *self.words), 2, "its command differs")

    def test_infeasible_is_infeasible_there(self) -> None:
        self.write("tight.kgraph", TIGHT_CASE)
        done = self.run_here("optimize", "tight.kgraph", "-o", "best", "-q", *ISLANDS, *self.words)
        self.assert_fails(done, 3, "k")


@unittest.skipIf(missing(*SLURM_PROGRAMS), "Slurm is not installed")
class SlurmOptimizeTest(OptimizeIslands, SlurmTest):
    def test_like_here(self) -> None:
        self.assert_like_here("--engine", "slurm", "--run", "run")


if __name__ == "__main__":
    unittest.main()
