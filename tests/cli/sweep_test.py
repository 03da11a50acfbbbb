"""waferloom sweep on this machine: spaces and their faults, answers and failures, kills, tables."""

import base64
import csv
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import time
import unittest
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from program import PATIENCE_S, PROGRAM, SMALL_CASE, ProgramTest, Run, stream, wait_until

RUN_COLUMNS = ("wall_s", "events_per_s", "peak_memory_bytes", "point_wall_s",
               "point_peak_memory_bytes")
TINY_WAFER = '{"width": 3, "height": 3}'


class SweepTest(ProgramTest):
    def sweep(self, *words: str | Path, **options: Any) -> Run:
        return self.run_here("sweep", *words, **options)

    def plan(self, space: dict[str, Any], run: str = "run") -> Run:
        self.write("space.json", json.dumps(space))
        return self.sweep("plan", "space.json", "-o", run)

    def planned(self, space: dict[str, Any], run: str = "run") -> int:
        """Plans what has to be right; how many points."""
        done = self.plan(space, run)
        self.assertEqual((done.code, done.stderr), (0, ""))
        return int(json.loads((self.folder / run / "run.json").read_text())["points"])

    def table(self, run: str = "run") -> list[dict[str, str]]:
        """The collected rows without what no two runs share."""
        done = self.sweep("collect", run, "-o", f"{run}.csv")
        self.assertEqual((done.code, done.stderr), (0, ""))
        with open(self.folder / f"{run}.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        names = list(rows[0])
        of_runs = [name for name in names if name.rsplit("/", 1)[-1] in RUN_COLUMNS]
        self.assertEqual(names[len(names) - len(of_runs):], of_runs)
        return [{name: row[name] for name in names if name not in of_runs} for row in rows]

    def statuses(self, run: str = "run") -> list[str]:
        return [row["status"] for row in self.table(run)]


def placing(**axes: Any) -> dict[str, Any]:
    return {"command": "place", "set": {"effort": 1}, "axes": {"CASE": ["small.kgraph"], **axes}}


class PlanTest(SweepTest):
    def test_a_line_is_a_point_that_runs_anywhere(self) -> None:
        self.assertEqual(self.planned(placing(seed=[1, 2], strategy=["auto", "gigaplacer"])), 4)
        lines = (self.folder / "run/manifest.jsonl").read_text().splitlines()
        points = [json.loads(line) for line in lines]
        self.assertEqual([point["index"] for point in points], [0, 1, 2, 3])
        self.assertEqual(len({point["id"] for point in points}), 4)
        self.assertEqual(points[2]["axes"],
                         {"CASE": "small.kgraph", "seed": "2", "strategy": "auto"})
        words = points[2]["arguments"]
        self.assertEqual((self.folder / "run" / words[1]).read_text(), SMALL_CASE)
        self.assertEqual(words[2:], ["--effort", "1", "--seed", "2", "--strategy", "auto",
                                     "--output", "-"])

    def test_an_id_is_of_the_contents(self) -> None:
        self.planned(placing())
        self.case.rename(self.folder / "other.kgraph")
        self.planned({**placing(), "axes": {"CASE": ["other.kgraph"]}}, "renamed")
        self.write("other.kgraph", SMALL_CASE.replace("wlength=2", "wlength=3"))
        self.planned({**placing(), "axes": {"CASE": ["other.kgraph"]}}, "changed")
        ids = [json.loads((self.folder / run / "manifest.jsonl").read_text())["id"]
               for run in ("run", "renamed", "changed")]
        self.assertEqual(ids[0], ids[1])
        self.assertNotEqual(ids[1], ids[2])

    def test_keys_of_hardware_are_set(self) -> None:
        space = {"command": "simulate", "set": {"CASE": "small.kgraph", "SOL": "small.sol"},
                 "axes": {"hardware": [{"hardware": "palm_wafer",
                                        "set": {"link.bytes_per_s": [2.2e9, 4.4e9]}}]}}
        self.assertEqual(self.planned(space), 2)
        points = [json.loads(line)
                  for line in (self.folder / "run/manifest.jsonl").read_text().splitlines()]
        self.assertEqual([point["axes"]["hardware.link.bytes_per_s"] for point in points],
                         ["2200000000", "4400000000"])
        file = points[0]["arguments"][points[0]["arguments"].index("--hardware") + 1]
        hardware = json.loads((self.folder / "run" / file).read_text())["fabric"]
        self.assertEqual(hardware["link"]["bytes_per_s"], 2.2e9)
        self.assertEqual(self.sweep("submit", "run", "-q").code, 0)
        self.assertEqual(self.statuses(), ["done", "done"])

    def test_a_space_of_every_kind_of_axis(self) -> None:
        space = {"schema": "waferloom/sweep_space/1", "command": "model tile",
                 "set": {"OPERATOR": "gemm", "tiles": "8x8"},
                 "axes": {"m": {"from": 8, "to": 64, "factor": 2}, "k": [8, 16, 32, 64],
                          "n": {"from": 8, "to": 800, "scale": "log", "whole": True},
                          "inside": [True, False], "data-type": [None, "fp16", "fp32"]},
                 "zip": [["m", "k"]], "exclude": [{"m": [8, 16], "data-type": "fp32"}],
                 "sample": {"method": "sobol", "points": 32, "seed": 3}}
        self.assert_valid("sweep_space", json.dumps(space))
        points = self.planned(space)
        self.assertGreater(points, 16)
        self.assertLess(points, 32)
        rows = self.table()
        self.assertEqual(len({row["id"] for row in rows}), points)
        for row in rows:
            self.assertEqual(row["m"], row["k"])
            self.assertFalse(row["m"] in ("8", "16") and row["data-type"] == "fp32")
        self.planned(space, "again")
        self.assertEqual(self.table("again"), rows)

    def test_faults_of_a_space_have_their_place(self) -> None:
        for space, told in (
                ('{"command": "paint", "axes": {"a": [1]}}',
                 "space.json:1:13: expected a command to sweep (plan, place"),
                ('{"command": "place", "axes": {"CASE": ["small.kgraph"], "sead": [1]}}',
                 "space.json:1:57: expected an operand or an input of `place`, found 'sead', did "
                 "you mean 'seed'?"),
                ('{"command": "place", "axes": {"CASE": ["small.kgraph"], "draw": ["a.svg"]}}',
                 "space.json:1:57: expected an operand or an input of `place`, found 'draw'"),
                ('{"command": "place", "axes": {"CASE": ["gone.kgraph"]}}',
                 "space.json:1:40: CASE: there is no file 'gone.kgraph'"),
                ('{"command": "place", "axes": {"CASE": ["small.kgraph", "same.kgraph"]}}',
                 "space.json:1:56: CASE: 'same.kgraph' is the same as another value"),
                ('{"command": "score", "axes": {"CASE": ["small.kgraph", "same.kgraph"], '
                 '"SOL": ["small.sol", "same.sol"]}, "zip": [["CASE", "SOL"]]}',
                 "space.json:1:56: CASE: 'same.kgraph' with 'same.sol' is the same as another "
                 "value of this zip"),
                ('{"command": "plan", "axes": {"WORKLOAD": ["T-18C"]}}',
                 "space.json:1:43: WORKLOAD: there is no file or preset 'T-18C', did you mean "
                 "'t_18b'?"),
                ('{"command": "model systems", "axes": {"WORKLOAD": ["gpt3-175c"]}}',
                 "space.json:1:52: WORKLOAD: there is no file or preset 'gpt3-175c', did you mean"),
                ('{"command": "place", "axes": {"CASE": ["small.kgraph"], "effort": [3, 12]}}',
                 "space.json:1:71: effort: expected a whole number from 1 to 9, found '12'"),
                ('{"command": "place", "axes": {"CASE": ["small.kgraph"], "strategy": ["best"]}}',
                 "space.json:1:70: strategy: "),
                ('{"command": "simulate", "axes": {"hardware": ["wse9"]}}',
                 "space.json:1:47: hardware: there is no file or preset 'wse9', did you mean"),
                ('{"command": "simulate", "axes": {"hardware": [{"hardware": "wse2", "set": '
                 '{"link.bytes_per_min": 1}}]}}',
                 "space.json:1:76: machine with 'link.bytes_per_min' = 1: "),
                ('{"command": "simulate", "axes": {"hardware": [{"hardware": "wse2", "set": '
                 '{"link.bytes_per_s": -1}}]}}',
                 "space.json:1:76: machine with 'link.bytes_per_s' = -1: "),
                ('{"command": "place", "axes": {"CASE": ["small.kgraph"], "no-dram": ["yes"]}}',
                 "space.json:1:69: no-dram: expected true or false, found 'yes'"),
                ('{"command": "place", "axes": {"seed": [1]}}',
                 "space.json: point 0, `place --seed 1 --output - --effort"),
                ('{"command": "place", "axes": {"CASE": ["small.kgraph"], "no-dram": [true]}}',
                 "space.json: point 0, `place "),
                ('{"command": "place", "axes": {"CASE": ["small.kgraph"], '
                 '"seed": {"from": 1, "to": 5000, "step": 1}, '
                 '"effort": {"from": 1, "to": 3000, "step": 1}}}',
                 "space.json:1:22: the product has more than 10000000 points"),
                ('{"command": "place", "axes": {"CASE": ["small.kgraph"]}, '
                 '"exclude": [{"CASE": "small.kgraph"}]}', "every point is excluded"),
                ('{"command": "place",', "space.json:1:21: "),
        ):
            self.write("same.kgraph", SMALL_CASE)
            self.write("same.sol", (self.folder / "small.sol").read_text())
            self.write("space.json", space)
            before = self.names()
            done = self.sweep("plan", "space.json", "-o", "run")
            self.assert_fails(done, 2, told)
            self.assertEqual(self.names(), before)

    def test_a_run_is_never_overwritten(self) -> None:
        self.planned(placing())
        before = (self.folder / "run/manifest.jsonl").read_bytes()
        self.assert_fails(self.plan(placing(seed=[1, 2])), 2, "run: cannot be written: it is there "
                          "already; `sweep plan` never overwrites a run")
        self.assertEqual((self.folder / "run/manifest.jsonl").read_bytes(), before)

    def test_a_folder_of_another_version_is_refused(self) -> None:
        self.planned(placing())
        file = self.folder / "run/run.json"
        facts = json.loads(file.read_text())
        for key, value, told in (("program", "0.0.1", "planned by waferloom 0.0.1, this is"),
                                 ("schema", "waferloom/sweep_run/9", "waferloom/sweep_run/9")):
            file.write_text(json.dumps({**facts, key: value}))
            for words in (("exec", "run", "--task", "0/1"), ("submit", "run"), ("status", "run"),
                          ("collect", "run", "-o", "t.csv"), ("cancel", "run")):
                self.assert_fails(self.sweep(*words), 2, told)
            self.assertEqual(os.listdir(self.folder / "run/results"), [])
        self.assert_fails(self.sweep("status", "nowhere"), 2, "a folder that `sweep plan` made")

    def test_words_on_the_command_line(self) -> None:
        self.planned(placing())
        for words, told in (
                (("exec", "run", "--task", "1/1"), "--task: expected K/N"),
                (("exec", "run", "--task", "1"), "--task: expected K/N"),
                (("submit", "run", "--engine", "magic"), "--engine: "),
                (("submit", "run", "--submit-with", "bsub"), "a command with {}"),
                (("submit", "run", "--wait"), "--wait: needs --engine slurm"),
                (("submit", "run", "--", "-p"), "OPTIONS: are for --engine parallel and slurm"),
                (("collect", "run", "-o", "t.txt"), "ends in .csv or .sqlite")):
            self.assert_fails(self.sweep(*words), 2, told)
        self.assertEqual(os.listdir(self.folder / "run/results"), [])

    def test_an_engine_that_is_not_here_is_named(self) -> None:
        self.planned(placing())
        for engine, program in (("slurm", "sbatch"), ("parallel", "parallel")):
            done = self.sweep("submit", "run", "--engine", engine,
                              env={**os.environ, "PATH": str(self.folder)})
            self.assert_fails(done, 2, f"--engine {engine}: there is no program {program} here")
        self.assertEqual(os.listdir(self.folder / "run/engine"), [])


class AnswersTest(SweepTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("broken.kgraph", SMALL_CASE.replace("conv[2]", "what[2]"))
        self.write("large.kgraph", "(* " + "x" * 40_000_000 + " *)\n" + SMALL_CASE)
        self.write("tiny.json", TINY_WAFER)

    @unittest.skipIf(os.environ.get("WAFERLOOM_SANITIZE"), "sanitizers need more memory than that")
    def test_failed_infeasible_and_too_large_points_stop_nobody(self) -> None:
        self.planned({"command": "place", "set": {"effort": 1},
                      "axes": {"CASE": ["small.kgraph", "broken.kgraph", "large.kgraph"],
                               "wafer": [None, "tiny.json"]},
                      "exclude": [{"CASE": ["broken.kgraph", "large.kgraph"],
                                   "wafer": "tiny.json"}]})
        done = self.sweep("submit", "run", "-q", "--memory", "30")
        self.assertEqual(done.code, 4, done.stderr)
        self.assertIn("4 points, 1 done, 1 infeasible, 2 failed, 0 left", done.stdout)
        rows = self.table()
        self.assertEqual([row["status"] for row in rows],
                         ["done", "infeasible", "failed", "failed"])
        self.assertEqual([row["reason"] for row in rows],
                         ["", "", "exit code 2", "memory limit"])
        told = self.sweep("status", "run")
        self.assertEqual(told.code, 4)
        self.assertIn("1 exit code 2: waferloom: error: inputs/", told.stdout)
        self.assertIn("1 memory limit", told.stdout)
        answered = self.folder.glob("run/results/*/*.json")
        times = {path: path.stat().st_mtime_ns for path in answered if ".err." not in path.name}
        # With more memory exactly the failures run again.
        done = self.sweep("submit", "run", "-q")
        self.assertIn("4 points, 2 done, 1 infeasible, 1 failed, 0 left", done.stdout)
        self.assertEqual({path: path.stat().st_mtime_ns for path in times}, times)
        self.assertEqual(len(list(self.folder.glob("run/results/*/*.err.json"))), 1)

    def test_if_all_fail_the_exit_code_is_1(self) -> None:
        self.planned({"command": "place", "axes": {"CASE": ["broken.kgraph"], "seed": [1, 2]}})
        self.assertEqual(self.sweep("submit", "run", "-q").code, 1)
        self.assertEqual(self.sweep("status", "run").code, 1)
        self.assertEqual(self.sweep("exec", "run", "--task", "0/1").code, 1)
        self.assertEqual(self.sweep("exec", "run", "--task", "3/4").code, 0)  # of no points

    def test_reports_obey_their_schemas(self) -> None:
        self.write("space.json", json.dumps(placing(seed=[1, 2])))
        done = self.sweep("plan", "space.json", "-o", "run", "--report", "-")
        self.assert_valid("sweep_plan", done.stdout)
        done = self.sweep("exec", "run", "--task", "0/2", "--report", "-")
        self.assert_valid("sweep_status", done.stdout)
        done = self.sweep("status", "run", "--report", "-")
        self.assert_valid("sweep_status", done.stdout)
        self.assertEqual(done.json()["left"], 1)
        self.assert_valid("sweep_cancel", self.sweep("cancel", "run", "--report", "-").stdout)
        self.assert_valid("sweep_run", (self.folder / "run/run.json").read_text())
        result = next(self.folder.glob("run/results/*/*.json")).read_text()
        self.assert_valid("sweep_result", result)

    def test_tables(self) -> None:
        self.planned(placing(seed=[1, 2, 3], strategy=["auto", "gigaplacer"]))
        self.assertEqual(self.statuses(), ["missing"] * 6)
        self.assertEqual(self.sweep("status", "run").code, 4)
        self.sweep("exec", "run", "--task", "1/2")
        self.assertEqual(self.statuses(), ["missing", "done"] * 3)
        self.sweep("submit", "run", "-q")
        rows = self.table()
        self.assertEqual([(row["seed"], row["strategy"]) for row in rows],
                         [(seed, name) for seed in "123" for name in ("auto", "gigaplacer")])
        self.assertEqual(rows[0]["score/total"], "279")
        self.assertEqual(self.sweep("collect", "run", "-o", "t.sqlite").code, 0)
        with sqlite3.connect(self.folder / "t.sqlite") as database:
            found = database.execute('SELECT seed, strategy, "score/total" FROM points').fetchall()
        self.assertEqual(found, [(int(row["seed"]), row["strategy"], float(row["score/total"]))
                                 for row in rows])

    def test_a_page_holds_fronts_maps_failures_and_all_points(self) -> None:
        self.planned(placing(seed=[1, 2], strategy=["auto", "gigaplacer"],
                             wafer=[None, "tiny.json"]))
        self.assertEqual(self.sweep("submit", "run", "-q").code, 0)
        words = ("report", "run", "-o", "sweep.html", "--objective", "score/total", "--objective",
                 "score/distance", "--heat", "seed,strategy")
        done = self.sweep(*words)
        self.assertEqual((done.code, done.stderr), (0, ""))
        page = (self.folder / "sweep.html").read_text()
        for part in ("Front of score/total and score/distance", "Best over seed and strategy",
                     "Best by score/total, less is better", "<td>infeasible</td><td>4</td>"):
            self.assertIn(part, page)
        self.assertEqual(page.count("<svg"), 3)
        for svg in re.findall("(?s)<svg.*?</svg>", page):
            ElementTree.fromstring(svg)
        self.assertNotIn("<script", page)
        self.assertEqual(re.findall("(?:src|href)=\"(?!data:)", page), [])
        inside = base64.b64decode(page.split("text/csv;base64,")[1].split('"')[0]).decode()
        self.table()
        self.assertEqual(inside, (self.folder / "run.csv").read_text())
        for objective, told in (("score/totl", "did you mean 'score/total'?"),
                                ("strategy", "no point has a number in the column 'strategy'")):
            self.assert_fails(self.sweep("report", "run", "-o", "t.html", "--objective", objective),
                              2, told)
        self.assert_fails(self.sweep(*words[:-1], "seed,score/total"), 2, "--heat: expected an axis")
        self.assertNotIn("t.html", self.names())

    def test_a_result_that_was_cut_runs_again(self) -> None:
        self.planned(placing(seed=[1, 2, 3]))
        self.sweep("submit", "run", "-q")
        before = self.table()
        cut, empty, _ = sorted(self.folder.glob("run/results/*/*.json"))
        cut.write_bytes(cut.read_bytes()[:-3])
        empty.write_bytes(b"")
        self.assertEqual(sorted(self.statuses()), ["done", "missing", "missing"])
        self.assertIn("1 done, 0 infeasible, 0 failed, 2 left",
                      self.sweep("collect", "run", "-o", "t.csv").stdout)
        done = self.sweep("submit", "run", "-q", "--tasks", "1")
        self.assertIn("1 tasks; 3 points, 3 done", done.stdout)
        self.assertEqual(self.table(), before)

    def test_a_result_that_cannot_be_read_stops_nobody(self) -> None:
        self.planned(placing(seed=[1, 2]))
        self.sweep("submit", "run", "-q")
        broken, _ = sorted(self.folder.glob("run/results/*/*.json"))
        broken.write_text(broken.read_text().replace('"report": {', '"report": {{'))
        self.assertEqual(self.sweep("status", "run").code, 0)
        self.assertEqual(sorted(self.statuses()), ["done", "missing"])
        done = self.sweep("report", "run", "-o", "t.html", "--objective", "score/total")
        self.assertEqual((done.code, done.stderr), (0, ""))

    def test_submit_removes_what_nobody_writes_any_more(self) -> None:
        self.planned(placing(seed=[1]))
        folder = self.folder / "run/results/ab"
        folder.mkdir()
        host = socket.gethostname()
        ended = subprocess.Popen(["true"])
        ended.wait()
        names = {"dead": f"{host}.{ended.pid}", "alive": f"{host}.{os.getpid()}",
                 "elsewhere": f"x.{host}.{ended.pid}", "old": f"y.{host}.{ended.pid}"}
        for name, process in names.items():
            names[name] = f".{'ab' * 32}.{process}"
            (folder / names[name]).write_text("{")
        day_ago = time.time() - 25 * 3600
        os.utime(folder / names["old"], (day_ago, day_ago))
        self.assertEqual(self.sweep("submit", "run", "-q").code, 0)
        self.assertEqual(sorted(os.listdir(folder)), sorted([names["alive"], names["elsewhere"]]))

    def test_only_what_needs_a_scratch_folder_gets_one(self) -> None:
        self.planned(placing(seed=[1]))
        done = self.sweep("submit", "run", "-q", env={**os.environ, "TMPDIR": "/nowhere"})
        self.assertEqual((done.code, done.stderr), (0, ""))

    def test_plans_are_points_too(self) -> None:
        self.write("chain.json", json.dumps({"name": "chain", "operators": [
            {"name": f"l{i}", "kind": "linear", "in": 64, "out": 64} for i in range(4)]}))
        space = {"command": "plan", "set": {"hardware": "palm_wafer", "top": 1},
                 "axes": {"WORKLOAD": ["chain.json"], "batch": [8, 16]}}
        self.planned(space)
        self.planned(space, "again")
        scratch = self.folder / "scratch"
        scratch.mkdir()
        for run in ("run", "again"):
            done = self.sweep("submit", run, "-q", env={**os.environ, "TMPDIR": str(scratch)})
            self.assertEqual(done.code, 0, done.stdout + self.sweep("status", run).stdout)
        self.assertEqual(self.statuses(), ["done", "done"])
        self.assertEqual(self.table(), self.table("again"))
        self.assertEqual(list(scratch.iterdir()), [])

    def test_other_schedulers_get_a_command_a_task(self) -> None:
        self.planned(placing(seed=[1, 2, 3, 4]))
        self.sweep("exec", "run", "--task", "0/2")
        done = self.sweep("submit", "run", "-q", "--tasks", "2", "--submit-with",
                          "echo {} >> log; cd / && {} > /dev/null")
        self.assertEqual(done.code, 0, done.stderr)
        lines = (self.folder / "log").read_text().splitlines()
        self.assertEqual(len(lines), 1)  # the other task has nothing left
        self.assertTrue(lines[0].endswith("--task 1/2"))
        self.assertEqual(self.statuses(), ["done"] * 4)


class SlurmAnswersTest(SweepTest):
    """What Slurm's programs say, by scripts in their place."""

    def setUp(self) -> None:
        super().setUp()
        self.planned(placing(seed=[1]))
        (self.folder / "bin").mkdir()
        for name, script in (("sbatch", "echo 7"), ("scontrol", "echo 'MaxArraySize = 10'"),
                             ("scancel", "exit 0"), ("squeue", "echo 7")):
            self.script(name, script)

    def script(self, name: str, text: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def on_slurm(self, *words: str) -> Run:
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        return self.sweep(*words, env={**os.environ, "PATH": path})

    def test_cancel_finds_jobs_of_any_name_and_tells_if_they_stay(self) -> None:
        self.script("squeue", 'case "$*" in *--name*) ;; *) echo 7 ;; esac')
        self.assertEqual(self.on_slurm("submit", "run", "--engine", "slurm", "-q", "--",
                                       "--job-name=mine").code, 0)
        done = self.on_slurm("cancel", "run")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("1 jobs of Slurm cancelled", done.stdout)
        self.script("scancel", "exit 3")
        self.assert_fails(self.on_slurm("cancel", "run"), 2,
                          "scancel failed with exit code 3; Slurm still has jobs of `scancel 7`")

    def test_wait_outlasts_a_queue_that_does_not_answer(self) -> None:
        self.script("squeue", f"[ -e {self.folder}/asked ] && exit 0\n"
                              f"touch {self.folder}/asked\nexit 1")
        done = self.on_slurm("submit", "run", "--engine", "slurm", "--wait", "-q")
        self.assertEqual(done.code, 4, done.stderr)
        self.assertTrue((self.folder / "asked").exists())
        self.assertIn("1 left", done.stdout)


class KillTest(SweepTest):
    def start(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([PROGRAM, "sweep", *words], cwd=self.folder, start_new_session=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def long_space(self) -> dict[str, Any]:
        """Points of more than a minute each."""
        self.run_here("cases", "J", "-o", "J.kgraph")
        return {"command": "place", "set": {"effort": 9},
                "axes": {"CASE": ["J.kgraph"], "seed": [1, 2, 3]}}

    def processes_here(self) -> list[str]:
        """Those that work in this test's folder."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if (process / "cwd").readlink() == self.folder:
                    found.append(process.name)
            except OSError:  # it has ended
                continue
        return found

    def running(self) -> int:
        return int(self.sweep("status", "run", "--report", "-").json()["running_tasks"])

    def test_sigterm_drops_the_point_at_hand(self) -> None:
        self.planned(self.long_space())
        task = self.start("exec", "run", "--task", "0/1")
        wait_until("task", lambda: self.running() == 1)
        task.terminate()
        self.assertEqual(task.wait(timeout=PATIENCE_S), 128 + signal.SIGTERM)
        self.assertEqual(self.running(), 0)
        self.assertEqual(list(self.folder.glob("run/results/*/*")), [])

    def test_cancel_stops_engine_and_tasks(self) -> None:
        self.planned(self.long_space())
        engine = self.start("submit", "run", "--tasks", "2")
        wait_until("tasks", lambda: self.running() == 2)
        self.assertEqual(self.sweep("cancel", "run").code, 0)
        self.assertEqual(engine.wait(timeout=PATIENCE_S), 128 + signal.SIGTERM)
        self.assertEqual(self.running(), 0)

    def test_a_killed_task_leaves_no_process(self) -> None:
        self.planned(self.long_space())
        task = self.start("exec", "run", "--task", "0/1")
        wait_until("task", lambda: self.running() == 1)

        def children() -> str:
            return Path(f"/proc/{task.pid}/task/{task.pid}/children").read_text()

        wait_until("child", children)
        child = children().split()[0]
        task.kill()
        task.wait()
        wait_until("end of the child", lambda: not Path(f"/proc/{child}/exe").exists())
        self.assertEqual(self.running(), 0)

    def test_kills_end_with_the_same_table(self) -> None:
        kills = int(os.environ.get("WAFERLOOM_KILLS", "12"))
        space = placing(seed={"from": 1, "to": 6 * kills, "step": 1}, strategy=["gigaplacer"])
        self.planned(space)
        self.planned(space, "killed")
        self.assertEqual(self.sweep("submit", "run", "-q").code, 0)
        seed = 20200330
        print(f"seed {seed}", flush=True)
        moments = stream(seed, 0)
        for round_ in range(kills):
            engine = self.start("submit", "killed", "--tasks", "2", "-q")
            time.sleep(moments.uniform(0.0, 0.08))
            how = signal.SIGKILL if round_ % 2 == 0 else signal.SIGTERM
            try:
                os.killpg(engine.pid, how)
            except ProcessLookupError:
                pass
            engine.wait()
        # Its tasks end by themselves, a moment later; what they leave is cleared away after that.
        wait_until("end of all tasks", lambda: not self.processes_here())
        done = self.sweep("submit", "killed", "-q")
        self.assertEqual(done.code, 0, done.stdout)
        self.assertEqual(self.table("killed"), self.table())
        names = [{path.name for path in self.folder.glob(f"{run}/results/*/*")}
                 for run in ("run", "killed")]
        self.assertEqual(names[0], names[1])


if __name__ == "__main__":
    unittest.main()
