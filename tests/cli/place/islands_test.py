"""waferloom place --islands: one placement by several runs."""

import signal
import subprocess
import unittest

from program import PATIENCE_S, PROGRAM, TIGHT_CASE, ProgramTest, run, wait_until



class PlaceIslandsTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("A.kgraph", run("cases", "A").stdout)
        self.write("dag.kgraph", run("cases", "--family", "dag", "--kernels", "10", "--fabric",
                                     "120x120").stdout)

    def islands(self, count: int, *options: str, out: str = "out.sol") -> dict:
        """The report of a run on a small case that works."""
        done = self.run_here("place", "dag.kgraph", "-o", out, "--islands", str(count), "--effort",
                             "1", "--report", "-", "-q", *options)
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("place", done.stdout)
        return done.json()

    def test_threads_change_no_byte(self) -> None:
        reports = [self.islands(5, "--epochs", "2", "--threads", threads, out=f"{threads}.sol")
                   for threads in ("1", "2", "7")]
        one = (self.folder / "1.sol").read_bytes()
        for threads in ("2", "7"):
            self.assertEqual((self.folder / f"{threads}.sol").read_bytes(), one)
        for report in reports:
            for key in ("made_by", "threads", "wall_s", "improvements"):
                del report[key]
        self.assertEqual(reports[1:], reports[:1] * 2)

    def test_the_result_is_legal_and_has_the_reported_score(self) -> None:
        report = self.islands(3, "--epochs", "2")
        judged = self.run_here("score", "dag.kgraph", "out.sol", "--report", "-")
        self.assertEqual(judged.code, 0)
        self.assertEqual(judged.json()["total"], report["score"]["total"])
        self.assertEqual((report["islands"]["islands"], report["islands"]["epochs"]), (3, 2))
        totals = [note["total"] for note in report["improvements"]]
        self.assertEqual(totals, sorted(set(totals), reverse=True))
        self.assertEqual(totals[-1], report["score"]["total"])

    def test_more_epochs_are_never_worse(self) -> None:
        totals = [self.islands(2, "--epochs", epochs)["score"]["total"]
                  for epochs in ("1", "2", "4")]
        self.assertEqual(totals, sorted(totals, reverse=True))

    def test_islands_are_no_worse_than_any_of_their_runs(self) -> None:
        alone = self.islands(1, "--epochs", "1")
        single = self.run_here("place", "dag.kgraph", "-o", "single.sol", "--effort", "1", "-q")
        self.assertEqual(single.code, 0, single.stderr)
        self.assertEqual((self.folder / "out.sol").read_bytes(),
                         (self.folder / "single.sol").read_bytes())
        self.assertLessEqual(self.islands(2, "--epochs", "1")["score"]["total"],
                             alone["score"]["total"])

    def test_a_start_is_kept_close_to(self) -> None:
        first = self.run_here("place", "dag.kgraph", "-o", "first.sol", "--effort", "1", "--strategy",
                              "stack-rows", "--report", "-", "-q").json()
        report = self.islands(2, "--epochs", "2", "--start", "first.sol")
        self.assertLessEqual(report["score"]["total"], first["score"]["total"])
        strategies = {note["strategy"] for note in report["improvements"]}
        self.assertFalse(strategies & {"rows", "signature-rows", "gigaplacer-plus"}, strategies)

    def test_the_summary_says_which_island(self) -> None:
        done = self.run_here("place", "small.kgraph", "-o", "out.sol", "--islands", "2", "--effort",
                             "1")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertRegex(done.stdout,
                         r"found by  \S+ on island [12] of 2 in epoch [123] of 3, seed 1\n")
        self.assertIn("epoch 1 of 3, 2 islands", done.stderr)

    def test_effort_rules_and_a_time_limit_cuts(self) -> None:
        report = self.islands(2, "--epochs", "1", "--time-limit", "200")
        self.assertEqual((report["effort"], report["time_limit_s"]), (1, 200))
        done = self.run_for("place", "A.kgraph", "-o", "out.sol", "--islands", "2", "--report", "-",
                            "-q")
        self.assertEqual(done.code, 0, done.stderr)
        report = done.json()
        self.assertEqual((report["effort"], report["stopped_by"]), (5, "time_limit"))

    def test_an_interrupt_leaves_the_best_so_far(self) -> None:
        out = self.folder / "out.sol"
        process = subprocess.Popen([PROGRAM, "place", "A.kgraph", "-o", out.name, "--islands", "4",
                                    "--effort", "9"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        wait_until("placement", out.exists)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 130, stderr)
        self.assertIn("best placement so far is written", stderr)
        self.assertEqual(self.run_here("score", "A.kgraph", "out.sol").code, 0)

    def test_what_cannot_be_is_refused(self) -> None:
        place = ("place", "small.kgraph", "-o", "out.sol")
        for options, part in (
                (("--islands", "0"), "--islands: expected a whole number from 1 to 1000"),
                (("--islands", "2", "--epochs", "0"), "--epochs: expected a whole number from 1"),
                (("--epochs", "2"), "--epochs: needs --islands"),
                (("--engine", "local"), "--engine: needs --islands"),
                (("--islands", "2", "--engine", "bsub"),
                 "--engine: expected local, parallel or slurm, found 'bsub'")):
            self.assert_fails(self.run_here(*place, *options), 2, part)
        self.assertNotIn("out.sol", self.names())

    def test_stages_of_a_plan_are_placed_by_islands(self) -> None:
        self.write("plan.json", '{"tensor": 4, "data": 1, "pipeline": 10, "micro_batches": 30}')
        done = self.run_here("place", "T-18B", "--plan", "plan.json", "--hardware", "palm_wafer",
                             "-o", "stages.json", "--islands", "2", "--epochs", "2", "--effort",
                             "1", "--animation", "a.png", "--report", "-", "-q")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("place", done.stdout)
        self.assertEqual(done.json()["islands"]["islands"], 2)
        self.assertLessEqual({"stages.json", "a.png"}, self.names())
        simulated = self.run_here("simulate", "T-18B", "--plan", "plan.json", "--placement",
                                  "stages.json", "--report", "-")
        self.assertEqual(simulated.code, 0, simulated.stderr)

    def test_infeasible_is_infeasible_on_all_islands(self) -> None:
        self.write("tight.kgraph", TIGHT_CASE)
        done = self.run_here("place", "tight.kgraph", "-o", "out.sol", "--islands", "3", "-q")
        self.assert_fails(done, 3, "k")
        self.assertNotIn("out.sol", self.names())


if __name__ == "__main__":
    unittest.main()
