"""What the program says to type next: it names what is missing, and its examples work."""

import re
import shlex
import tempfile
import unittest
from pathlib import Path

from program import SMALL_CASE, SMALL_SOLUTION, ProgramTest, Run, run


class AdviceTest(ProgramTest):
    @classmethod
    def setUpClass(cls) -> None:
        """What is advised runs in a folder of all tests, each command once."""
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.advised_folder = Path(holder.name)
        (cls.advised_folder / "small.kgraph").write_text(SMALL_CASE)
        (cls.advised_folder / "small.sol").write_text(SMALL_SOLUTION)
        cls.advised: set[str] = set()

    def run_what_is_advised(self, done: Run) -> None:
        commands = re.findall(r"`waferloom ([^`]+)`", done.stderr)
        self.assertTrue(commands, done.stderr)
        for command in commands:
            if command in self.advised:
                continue
            told = run(*shlex.split(command), "-q", cwd=self.advised_folder)
            self.assertEqual(told.code, 0, f"{command}: {told.stderr}")
            self.advised.add(command)

    def test_a_network_without_a_plan_is_told_what_makes_one_and_how_to_go_on(self) -> None:
        for command in ("simulate", "place"):
            done = self.run_here(command, "llama_68m")
            self.assert_fails(done, 2, "llama_68m is a network: add --plan FILE; for example ")
            self.run_what_is_advised(done)

    def test_verbs_of_cases_name_the_verb_for_networks(self) -> None:
        for command, instead in (("score", "simulate"), ("draw", "place")):
            done = self.run_here(command, "llama_68m")
            self.assert_fails(done, 2, "llama_68m is a network, expected a case (.kgraph)",
                              f"`waferloom {instead} llama_68m --plan plan.json")
            self.run_what_is_advised(done)

    def test_a_case_may_have_the_name_of_a_network(self) -> None:
        self.write("unet", (self.folder / "small.kgraph").read_bytes())
        self.assertEqual(self.run_here("score", "unet", "small.sol").code, 0)

    def test_what_is_missing_comes_with_an_example(self) -> None:
        for command, message in (
            ("place small.kgraph",
             "expected --output SOL; for example `waferloom place A.kgraph -o A.sol "),
            ("score small.kgraph", "expected SOL; for example `waferloom score A.kgraph A.sol`"),
            ("simulate", "expected CASE with SOL, WORKLOAD with --plan, or --messages; for example "
             "`waferloom simulate A.kgraph "),
            ("simulate small.kgraph",
             "expected one solution, as SOL or --placement; for example `waferloom simulate "),
            ("draw -o a.svg",
             "expected either CASE and SOL or --fabric; for example `waferloom draw A.kgraph "),
            ("collective all-reduce",
             "expected --tiles X,Y,WxH; for example `waferloom collective all-reduce --tiles "),
        ):
            self.assert_fails(self.run_here(*command.split()), 2, message)

    def test_the_example_is_of_the_network_that_was_given(self) -> None:
        done = self.run_here("plan", "llama_68m", "--way", "cut")
        self.assert_fails(done, 2, "expected -o PLAN; for example `waferloom plan llama_68m ")
        self.run_what_is_advised(done)
        self.assert_fails(self.run_here("optimize", "llama_68m"), 2,
                          "expected --output FOLDER; for example `waferloom optimize llama_68m ")
        self.assert_fails(self.run_here("model", "amped", "T-18B"), 2,
                          "expected --batch N; for example `waferloom model amped T-18B ")

    def test_the_name_of_a_contest_case_is_told_how_to_become_a_file(self) -> None:
        done = self.run_here("score", "P", "small.sol")
        self.assert_fails(done, 2, "P: cannot be read", "`waferloom cases P -o P.kgraph`")
        self.run_what_is_advised(done)
        self.assertTrue((self.advised_folder / "P.kgraph").exists())
        self.assertNotIn("`", self.run_here("score", "missing.kgraph", "small.sol").stderr)

    def test_plan_takes_palm_wafer_where_no_hardware_is_named(self) -> None:
        plan = ("plan", "llama_68m", "--top", "1", "-q", "-o")
        default = self.run_here(*plan, "a.json")
        named = self.run_here(*plan, "b.json", "--hardware", "palm_wafer")
        self.assertEqual((default.code, named.code), (0, 0), default.stderr)
        self.assertTrue(default.stdout.startswith("Llama 68M on palm_wafer: "))
        self.assertEqual((self.folder / "a.json").read_bytes(), (self.folder / "b.json").read_bytes())


if __name__ == "__main__":
    unittest.main()
