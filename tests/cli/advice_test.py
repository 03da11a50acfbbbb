"""What the program says to type next: it names what is missing, and its examples work."""

import re
import shlex
import unittest

from program import ProgramTest, Run


class AdviceTest(ProgramTest):
    def run_what_is_advised(self, done: Run) -> None:
        commands = re.findall(r"`waferloom ([^`]+)`", done.stderr)
        self.assertTrue(commands, done.stderr)
        for command in commands:
            told = self.run_here(*shlex.split(command), "-q")
            self.assertEqual(told.code, 0, f"{command}: {told.stderr}")

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
        done = self.run_here("plan", "llama_68m")
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
        self.assertIn("P.kgraph", self.names())
        self.assertNotIn("`", self.run_here("score", "missing.kgraph", "small.sol").stderr)

    def test_plan_takes_palm_wafer_where_no_hardware_is_named(self) -> None:
        default = self.run_here("plan", "llama_68m", "-o", "a.json", "-q")
        named = self.run_here("plan", "llama_68m", "--hardware", "palm_wafer", "-o", "b.json", "-q")
        self.assertEqual((default.code, named.code), (0, 0), default.stderr)
        self.assertTrue(default.stdout.startswith("Llama 68M on palm_wafer: "))
        self.assertEqual((self.folder / "a.json").read_bytes(), (self.folder / "b.json").read_bytes())


if __name__ == "__main__":
    unittest.main()
