"""waferloom sweep on GNU parallel and on a Slurm of two nodes that this test starts on this machine,
as whoever runs it. Skipped by name where the programs are not installed
(scripts/install_dependencies.sh cluster)."""

import csv
import json
import os
import unittest
from typing import Any

from program import SMALL_CASE, ProgramTest, Run, wait_until
from slurm import SLURM_PROGRAMS, SlurmTest, missing

RUN_COLUMNS = ("wall_s", "point_wall_s", "point_peak_memory_bytes")


class Sweeps(ProgramTest):
    environment: dict[str, str] = {}

    def sweep(self, *words: str) -> Run:
        return self.run_here("sweep", *words, env={**os.environ, **self.environment})

    def planned(self, space: dict[str, Any], *runs: str) -> None:
        self.write("space.json", json.dumps(space))
        for run in runs:
            done = self.sweep("plan", "space.json", "-o", run)
            self.assertEqual(done.code, 0, done.stderr)

    def space_of_400(self) -> dict[str, Any]:
        """4 cases, 5 hardware (wafers), 4 seeds, 5 options; a wafer is too small for the cases."""
        for i in range(2, 5):
            self.write(f"case{i}.kgraph", SMALL_CASE.replace("wlength=2", f"wlength={i + 1}"))
        for i, side in enumerate((3, 16, 24, 32, 40)):
            self.write(f"wafer{i}.json", json.dumps({"width": side, "height": side}))
        return {"command": "place", "set": {"effort": 1},
                "axes": {"CASE": ["small.kgraph", *(f"case{i}.kgraph" for i in range(2, 5))],
                         "wafer": [f"wafer{i}.json" for i in range(5)],
                         "seed": {"from": 1, "to": 4, "step": 1},
                         "strategy": ["rows", "stack-rows", "bisection", "gigaplacer",
                                      "gigaplacer-plus"]}}

    def table(self, run: str) -> list[list[str]]:
        done = self.sweep("collect", run, "-o", f"{run}.csv")
        self.assertEqual(done.code, 0, done.stderr)
        with open(self.folder / f"{run}.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        kept = [i for i, name in enumerate(rows[0]) if name not in RUN_COLUMNS]
        self.assertEqual(kept, list(range(len(rows[0]) - len(RUN_COLUMNS))))
        return [row[:len(kept)] for row in rows]

    def assert_all_answered(self, done: Run) -> None:
        self.assertEqual(done.code, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, "400 points, [0-9]+ done, [1-9][0-9]+ infeasible, 0 failed, "
                                      "0 left")


@unittest.skipIf(missing("parallel"), "GNU parallel is not installed")
class ParallelTest(Sweeps):
    def test_400_points_are_those_of_local(self) -> None:
        self.planned(self.space_of_400(), "local", "parallel")
        self.assert_all_answered(self.sweep("submit", "local", "-q"))
        self.assert_all_answered(self.sweep("submit", "parallel", "-q", "--engine", "parallel",
                                            "--tasks", "8", "--", "--jobs", "2"))
        self.assertEqual(self.table("parallel"), self.table("local"))

    def test_what_is_missing_runs_again_whatever_the_log_says(self) -> None:
        space = self.space_of_400()
        space["axes"]["wafer"] = ["wafer3.json"]
        self.planned(space, "run")
        words = ("submit", "run", "-q", "--engine", "parallel", "--tasks", "4")
        self.assertEqual(self.sweep(*words).code, 0)
        results = sorted(self.folder.glob("run/results/*/*.json"))
        self.assertEqual(len(results), 80)
        for path in results[:5]:
            path.unlink()
        kept = {path: path.stat().st_mtime_ns for path in results[5:]}
        self.assertEqual(self.sweep(*words).code, 0)
        self.assertEqual(sorted(self.folder.glob("run/results/*/*.json")), results)
        self.assertEqual({path: path.stat().st_mtime_ns for path in kept}, kept)


@unittest.skipIf(missing(*SLURM_PROGRAMS), "Slurm is not installed")
class SlurmSweepTest(Sweeps, SlurmTest):
    def test_400_points_are_those_of_local(self) -> None:
        self.planned(self.space_of_400(), "local", "slurm")
        self.assert_all_answered(self.sweep("submit", "local", "-q"))
        done = self.sweep("submit", "slurm", "--engine", "slurm", "--tasks", "8", "--wait", "--",
                          "--time=10", "--comment=a sweep")
        self.assert_all_answered(done)
        self.assertIn("of Slurm", done.stderr)
        self.assertEqual(self.table("slurm"), self.table("local"))
        self.assertEqual(self.sweep("submit", "slurm", "--tasks", "65", "--engine", "slurm").code,
                         0)  # nothing is left

    def test_arrays_are_no_longer_than_this_slurm_takes(self) -> None:
        self.planned(self.space_of_400(), "run")
        done = self.sweep("submit", "run", "--engine", "slurm", "--tasks", "65")
        self.assert_fails(done, 2, "arrays of at most 64 tasks (MaxArraySize), found 65")
        self.assertEqual(os.listdir(self.folder / "run/engine"), [])

    def test_a_node_that_is_killed_loses_nothing(self) -> None:
        self.run_here("cases", "A", "-o", "A.kgraph")
        self.planned({"command": "place", "set": {"effort": 1, "strategy": "gigaplacer"},
                      "axes": {"CASE": ["A.kgraph"], "seed": {"from": 1, "to": 16, "step": 1}}},
                     "local", "slurm")
        self.assertEqual(self.sweep("submit", "local", "-q").code, 0)
        done = self.sweep("submit", "slurm", "--engine", "slurm", "--tasks", "4")
        self.assertEqual(done.code, 0, done.stderr)
        wait_until("tasks on n2", lambda: len(self.processes_of("n2")) > 2)
        self.kill_node("n2")
        self.wait_for_empty_queue()
        log = (self.slurm / "slurmctld.log").read_text()
        self.assertRegex(log, "(?i)requeu")
        # What was lost ran again by itself: nothing is left to submit.
        done = self.sweep("submit", "slurm", "--engine", "slurm")
        self.assertEqual(done.code, 0, done.stdout + done.stderr)
        self.assertIn("slurm: 0 tasks; 16 points, 16 done", done.stdout)
        self.assertEqual(self.table("slurm"), self.table("local"))

    def test_cancel(self) -> None:
        self.planned(self.space_of_400(), "run")
        done = self.sweep("submit", "run", "--engine", "slurm", "--tasks", "8", "--", "--hold")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertNotEqual(self.slurm_says("squeue", "-h"), "")
        self.assertIn("1 jobs of Slurm cancelled", self.sweep("cancel", "run").stdout)
        self.wait_for_empty_queue()


if __name__ == "__main__":
    unittest.main()
