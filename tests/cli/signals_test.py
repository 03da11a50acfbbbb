"""SIGINT and SIGTERM: the best so far is written; 5 if there is none."""

import fcntl
import json
import re
import signal
import struct
import subprocess
import termios
import unittest

from program import PATIENCE_S, PROGRAM, SMALL_CASE, ProgramTest, run, wait_until

ONE_KERNEL = """(* width=3 height=2 wdeltat=1 wlength=0 wadapter=0 memlimit=24576 *)
conv[1] W=1 H=1 R=1 S=1 C=1 K=1 T=1 U=1
"""

# What a command tells once it is in the middle of its work, which takes seconds, and its words.
LONG_RUNS = (
    ("choosing stages", ("plan", "resnet50", "--way", "pipeline", "--hardware", "wse2",
                         "-o", "plan.json", "--case", "stages.kgraph")),
    ("pricing operators", ("plan", "resnet50", "--way", "all", "--inference", "--hardware", "wse2")),
    ("trying a batch of 2", ("plan", "gpt3_175b", "--way", "streaming", "--hardware", "wse2",
                             "-o", "plan.json")),
    ("trying numbers of requests", ("plan", "llama3_8b", "--serve", "--hardware", "wse2",
                                    "-o", "plan.json", "--csv", "levels.csv")),
    ("computing  simulation", ("validate", "--csv", "rows.csv")),
    ("simulating  all-to-all", ("collective", "all-to-all", "--tiles", "0,0,40x40")),
)


def unread_bytes(pipe) -> int:
    """How much of what was written into a pipe has not been read."""
    return struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, b"\0\0\0\0"))[0]


class SignalsTest(ProgramTest):
    def start(self, *arguments: str) -> subprocess.Popen:
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def start_reading(self, *arguments: str) -> subprocess.Popen:
        """Starts a command that has read the beginning of its stdin and waits for the rest."""
        process = self.start(*arguments)
        process.stdin.write(SMALL_CASE[:50])
        process.stdin.flush()
        wait_until("reader of stdin", lambda: unread_bytes(process.stdin) == 0)
        return process

    def test_the_best_so_far_is_written(self) -> None:
        self.write("C.kgraph", run("cases", "C").stdout)
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            out = self.folder / f"{code}.sol"
            process = self.start("place", "C.kgraph", "-o", out.name, "--time-limit", str(PATIENCE_S),
                                 "--svg", "out.svg", "--report", "-")
            wait_until("placement", out.exists)
            process.send_signal(number)
            stdout, stderr = process.communicate(timeout=PATIENCE_S)
            self.assertEqual(process.returncode, code, stderr)
            self.assertIn("best placement so far is written", stderr)
            self.assert_valid("place", stdout)
            report = json.loads(stdout)
            self.assertEqual(report["stopped_by"], "interrupted")
            judged = self.run_here("score", "C.kgraph", out.name, "--report", "-")
            self.assertEqual(judged.code, 0)
            self.assertEqual(judged.json()["total"], report["score"]["total"])
            self.assertTrue((self.folder / "out.svg").exists())

    def interrupted_plan(self, number: int) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of a plan that gets a signal when its first candidate has
        been simulated."""
        process = self.start("plan", "T-18B", "--batch", "128", "-o", "plan.json", "-v")
        for line in process.stderr:
            if re.search(r"simulated [1-9]\d* of", line):
                break
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=PATIENCE_S)
        return process.returncode, stdout, stderr

    def test_the_best_plan_so_far_is_written(self) -> None:
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for _ in range(10):  # 0: the signal came behind the last
                ended, stdout, stderr = self.interrupted_plan(number)
                if ended != 0:
                    break
            self.assertEqual(ended, code, stderr)
            self.assertIn("the best so far is written", stderr)
            self.assertRegex(stdout, r"ranked .* \d+ simulated, \d+ left out \(interrupted\)")
            self.assertTrue(stdout.splitlines()[0].endswith(" tokens/s, interrupted"), stdout)
            self.assertRegex(stdout, r"promise +[\d.]+ samples/s by PALM's formulas")
            again = self.run_here("simulate", "T-18B", "--plan", "plan.json", "--no-dram")
            self.assertEqual(again.code, 0)
            (self.folder / "plan.json").unlink()

    def signalled_at(self, line: str, *arguments: str) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of a command that gets SIGINT when it tells a line."""
        process = self.start(*arguments, "-v")
        told = ""
        for text in process.stderr:
            told += text
            if line in text:
                break
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE_S)
        return process.returncode, stdout, told + stderr

    def test_each_way_of_a_wafer_ends_at_a_signal_without_files(self) -> None:
        for line, arguments in LONG_RUNS:
            with self.subTest(arguments=arguments):
                before = self.names()
                code, stdout, stderr = self.signalled_at(line, *arguments, "--report", "out.json")
                self.assertEqual(code, 130, stderr)
                self.assertEqual(stdout, "")
                self.assertEqual(stderr.splitlines()[-1],
                                 "waferloom: error: interrupted by SIGINT")
                self.assertEqual(self.names(), before)

    def test_each_way_of_a_wafer_ends_at_the_time_limit_without_files(self) -> None:
        for _, arguments in LONG_RUNS:
            with self.subTest(arguments=arguments):
                before = self.names()
                ended = self.run_here(*arguments, "--time-limit", "0.1", "--report", "-")
                self.assertEqual(ended.code, 5, ended.stderr)
                self.assert_valid("error", ended.stdout)
                self.assertEqual(ended.json()["error"]["class"], "time_limit")
                self.assertEqual(self.names(), before)

    def test_ways_that_are_planned_are_kept_and_the_others_left_out(self) -> None:
        code, stdout, stderr = self.signalled_at("planning the way cut", "plan", "gpt3_175b",
                                                 "--way", "all", "--hardware", "wse2")
        self.assertEqual(code, 130, stderr)
        self.assertTrue(stdout.splitlines()[0].endswith(" by streaming, interrupted"), stdout)
        self.assertIn("not possible: left out: a signal came first", stdout)
        self.assertIn("the best so far is written", stderr)

    def test_an_interrupted_search_of_a_wafers_plans_writes_its_folder(self) -> None:
        code, stdout, stderr = self.signalled_at(" routing ", "optimize", "llama_68m",
                                                 "--hardware", "wse2", "-o", "found")
        self.assertEqual(code, 130, stderr)
        self.assertTrue(stdout.splitlines()[0].endswith(", interrupted"), stdout)
        report = json.loads((self.folder / "found" / "report.json").read_text())
        self.assertEqual(report["ended_by"], "interrupted")
        self.assertTrue((self.folder / "found" / "plan.json").exists())

    def test_nothing_legal_yet_is_5(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start_reading("place", "-", "-o", "out.sol", "--report", "-")
            process.send_signal(number)
            stdout, stderr = process.communicate(timeout=PATIENCE_S)
            self.assertEqual(process.returncode, 5, stderr)
            self.assert_valid("error", stdout)
            error = json.loads(stdout)["error"]
            self.assertEqual((error["class"], error["exit_code"]), ("interrupted", 5))
            self.assertNotIn("out.sol", self.names())

    def test_commands_without_a_best_so_far(self) -> None:
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.start_reading("score", "-", "small.sol")
            process.send_signal(number)
            process.communicate(timeout=PATIENCE_S)
            self.assertEqual(process.returncode, code)

    def test_a_time_limit_covers_reading(self) -> None:
        process = self.start_reading("place", "-", "-o", "out.sol", "--time-limit", "0.3",
                                     "--report", "-")
        self.assertEqual(process.wait(timeout=PATIENCE_S), 5)
        stdout = process.stdout.read()
        self.assert_valid("error", stdout)
        self.assertEqual(json.loads(stdout)["error"]["class"], "time_limit")
        process.communicate()

    def test_an_interrupted_bench_prints_what_is_done(self) -> None:
        self.case.unlink()
        # The first case has an optimum that is proved at once; the signal cuts the second.
        self.write("A1.kgraph", ONE_KERNEL)
        self.write("C.kgraph", run("cases", "C").stdout)
        process = self.start("bench", "--from", ".", "--time-limit", str(PATIENCE_S), "--solutions", ".",
                             "--csv", "bench.csv")
        wait_until("solution", (self.folder / "A1.sol").exists)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 130, stderr)
        self.assertRegex(stdout, r"(?m)^A1 ")
        self.assertNotRegex(stdout, r"(?m)^C ")
        self.assertEqual(len((self.folder / "bench.csv").read_text().splitlines()), 2)


if __name__ == "__main__":
    unittest.main()
