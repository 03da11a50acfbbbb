"""Progress on stderr: a rewritten line on a terminal, plain lines elsewhere, NO_COLOR."""

import os
import pty
import subprocess
import unittest

from program import PROGRAM, ProgramTest


class ProgressTest(ProgramTest):
    def on_a_terminal(self, *arguments: str, **environment: str) -> str:
        """What the program sends to a terminal of 80 columns, stdout and stderr."""
        leader, follower = pty.openpty()
        variables = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        variables.update({"TERM": "xterm"}, **environment)
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, env=variables,
                                   stdin=subprocess.DEVNULL, stdout=follower, stderr=follower)
        os.close(follower)
        sent = b""
        try:
            while chunk := os.read(leader, 65536):
                sent += chunk
        except OSError:  # how Linux says that the other end is closed
            pass
        process.wait()
        os.close(leader)
        return sent.decode()

    def place(self, *more: str, **environment: str) -> str:
        return self.on_a_terminal("place", "small.kgraph", "-o", "out.sol", "--effort",
                                         "1", *more, **environment)

    def test_a_terminal_shows_one_line_that_is_taken_away(self) -> None:
        progress, summary = self.place().split("small.kgraph: placed in", maxsplit=1)
        self.assertIn("\r", progress)
        self.assertNotIn("\n", progress)
        self.assertTrue(progress.endswith("\r\033[K\r"), progress[-20:])
        self.assertNotIn("\033", summary)
        for shown in progress.replace("\033[K", "").split("\r"):
            self.assertLess(len(shown), 80)

    def test_a_long_name_gives_way_from_its_left(self) -> None:
        folder = self.folder / ("long" * 20)
        folder.mkdir()
        case = f"{folder.name}/small.kgraph"
        self.case.rename(self.folder / case)
        sent = self.on_a_terminal("place", case, "-o", "out.sol", "--effort", "1")
        shown = sent.split("placed in")[0].replace("\033[K", "").split("\r")
        self.assertTrue(any(line.endswith("/small.kgraph") and "  ..." in line
                            and "placing 3 kernels" in line and len(line) == 79
                            for line in shown), shown)

    def test_no_color_and_dumb_terminals_get_no_escape_sequence(self) -> None:
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            sent = self.place(**environment)
            self.assertNotIn("\033", sent)
            last = sent.split("small.kgraph: placed in")[0].split("\r")
            self.assertEqual(last[-2].strip() + last[-1], "")  # blanked out

    def test_quiet_sends_nothing(self) -> None:
        self.assertTrue(self.place("-q").startswith("small.kgraph: placed in"))

    def test_errors_are_coloured_only_where_wanted(self) -> None:
        arguments = ("score", "missing.kgraph", "small.sol")
        self.assertIn("\033[1;31merror:\033[0m", self.on_a_terminal(*arguments))
        self.assertNotIn("\033", self.on_a_terminal(*arguments, NO_COLOR="1"))

    def test_verbose_shows_every_improvement(self) -> None:
        done = self.run_here("place", "small.kgraph", "-o", "out.sol", "--effort", "1", "-v",
                             "--report", "-")
        totals = [str(note["total"]) for note in done.json()["improvements"]]
        lines = [line for line in done.stderr.splitlines() if "  total " in line]
        self.assertEqual([line.split("  total ")[1].split()[0] for line in lines], totals)

    def test_plain_lines_keep_to_80_columns_unless_verbose(self) -> None:
        folder = self.folder / ("long" * 20)
        folder.mkdir()
        case = f"{folder.name}/small.kgraph"
        self.case.rename(self.folder / case)
        words = ("place", case, "-o", "out.sol", "--effort", "1")
        first = self.run_here(*words).stderr.splitlines()[0]
        self.assertRegex(first, r"^ +[0-9.]+ s  placing 3 kernels  \.\.\..*long/small\.kgraph$")
        self.assertEqual(len(first), 80)
        whole = self.run_here(*words, "-v").stderr.splitlines()[0]
        self.assertTrue(whole.endswith(f"placing 3 kernels  {case}"), whole)

    def test_plain_lines_elsewhere(self) -> None:
        done = self.run_here("place", "small.kgraph", "-o", "out.sol", "--time-limit", "2.5")
        seconds = []
        for line in done.stderr.splitlines():
            self.assertRegex(line, r"^ *[0-9.]+ of 2\.5 s  [a-z].*  small\.kgraph$")
            seconds.append(float(line.split()[0]))
        for earlier, later in zip(seconds, seconds[1:]):  # at most one a second
            self.assertGreaterEqual(later - earlier, 0.9)


if __name__ == "__main__":
    unittest.main()
