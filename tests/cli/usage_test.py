"""Help, versions, options, and what is wrong on a command line."""

import re
import unittest

from program import ProgramTest, run

COMMANDS = ("place", "score", "simulate", "draw", "bench", "cases", "workload")


class HelpTest(ProgramTest):
    def test_help_is_a_result(self) -> None:
        for arguments in (["--help"], ["-h"], ["kgraph=x", "-h"],
                          *([command, "--help"] for command in COMMANDS),
                          *([command, "-h"] for command in COMMANDS)):
            done = self.run_here(*arguments)
            self.assertEqual((done.code, done.stderr), (0, ""), arguments)
            self.assertTrue(done.stdout.startswith("Usage: waferloom "))
            self.assertIn("\nExamples:\n  waferloom ", done.stdout)

    def test_help_fits_80_columns(self) -> None:
        verbs = re.findall(r"(?m)^  (\w+(?: \w+)?)  +\S",
                           run("--help").stdout.split("\nCommands:\n")[1].split("\n\n")[0])
        self.assertLess(len(COMMANDS) + 5, len(verbs))
        for arguments in ([], ["kgraph=x"], *(verb.split() for verb in verbs)):
            for line in self.run_here(*arguments, "--help").stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)
                self.assertEqual(line, line.rstrip())

    def test_paragraphs_of_a_description_begin_and_go_on_at_the_margin(self) -> None:
        text = self.run_here("simulate", "--help").stdout
        description = text[text.index("Runs samples"):text.index("\nOperands:")]
        self.assertGreater(description.count("\n\n"), 1)
        self.assertNotIn("\n ", description)

    def test_help_of_each_command_names_the_common_options(self) -> None:
        idle = {"score": {"--seed", "--threads", "--effort"},
                "simulate": {"--seed", "--threads", "--effort"},
                "draw": {"--seed", "--threads", "--effort", "--verbose"},
                "workload": {"--seed", "--threads", "--time-limit", "--effort", "--quiet", "--verbose"},
                "cases": {"--threads", "--time-limit", "--effort", "--verbose"}}
        for command in COMMANDS:
            text = self.run_here(command, "--help").stdout
            for option in ("--seed", "--threads", "--time-limit", "--effort", "--report",
                           "--quiet", "--verbose", "--help", "--version"):
                listed = re.search(rf"(?m)^ +(-., )?{option}\b", text) is not None
                self.assertEqual(listed,
                                 option not in idle.get(command, set()), (command, option))

    def test_help_is_found_in_every_way(self) -> None:
        for command in (*COMMANDS, "kgraph=FILE"):
            text = self.run_here(command, "--help").stdout
            for form in (("help", command), ("--help", command), ("-h", command)):
                self.assertEqual(self.run_here(*form).stdout, text)
        self.assertEqual(run("help").stdout, run("--help").stdout)
        self.assert_fails(run("help", "plcae"), 2, "did you mean 'place'?")

    def test_version_names_the_libraries(self) -> None:
        for arguments in ([], *([command] for command in COMMANDS)):
            done = self.run_here(*arguments, "--version")
            self.assertEqual((done.code, done.stderr), (0, ""))
            for name in ("waferloom ", "Boost ", "Cairo ", "nlohmann_json ", "OpenSSL ", "SQLite ",
                         "zlib "):
                self.assertIn(name, done.stdout)
            self.assertRegex(done.stdout, "oneTBB [0-9]|std::thread")


MILLION = 1_000_000

RANGES: dict[str, dict[str, tuple[int, int]]] = {
    "simulate": {"--samples": (1, MILLION), "--top": (1, 100_000), "--injection-queues": (1, 16)},
    "plan": {"--batch": (1, MILLION), "--top": (1, 1000)},
    "optimize": {"--batch": (1, MILLION), "--top": (1, 10_000), "--samples": (1, MILLION)},
    "bench": {"--seeds": (1, 1000)},
    "workload": {"--samples": (1, MILLION), "--data": (1, MILLION), "--tensor": (1, MILLION)},
    "collective": {"--bytes": (1, 10**15), "--count": (1, 1000), "--strategy": (1, 2),
                   "--adapters": (1, MILLION)},
    "model amped": {"--nodes": (1, 10**8), "--node-chips": (1, 10**8), "--tokens": (1, 10**18),
                    "--top": (1, MILLION), "--micro-batches": (1, 10**9), "--bubble-ratio": (0, 1),
                    "--zero-overhead": (0, 100), "--zero": (0, 3), "--experts": (2, MILLION),
                    "--experts-active": (1, MILLION), "--experts-every": (1, MILLION),
                    "--expert-ways": (1, MILLION)},
    "model dfmodel": {"--tensor": (1, MILLION), "--partitions": (1, 4096),
                      "--micro-batch": (1, MILLION), "--batch": (1, 10**12)},
    "model systems": {"--batch": (1, 10**9)},
    "model centimani": {"--chips": (1, 10**8), "--stages": (1, 10**8)},
    "model serving": {"--prompt": (1, 10**8), "--context": (0, 10**8), "--samples": (1, MILLION),
                      "--acceptance": (0, 1), "--window": (1, 20)},
    "sweep exec": {"--memory": (1, 10**9)},
    "sweep submit": {"--tasks": (1, MILLION), "--at-once": (1, MILLION), "--memory": (1, 10**9)},
}
REQUIRED = {"plan": ("--hardware=wse2", "-oplan.json"), "optimize": ("-ofolder",),
            "collective": ("--tiles=0,0,2x2",), "model amped": ("--batch=1",),
            "sweep exec": ("--task=0/1",), "sweep submit": ("--engine=slurm",)}


class OptionsTest(ProgramTest):
    def score(self, *more: str):
        return self.run_here("score", "small.kgraph", "small.sol", *more)

    def test_common_options_are_taken_by_every_command(self) -> None:
        common = ("--seed", "3", "--threads", "1", "--time-limit", "20", "--effort", "1", "-q")
        for arguments in (["score", "small.kgraph", "small.sol"],
                          ["place", "small.kgraph", "-o", "out.sol"],
                          ["simulate", "small.kgraph", "small.sol"],
                          ["draw", "small.kgraph", "small.sol", "-o", "out.svg"],
                          ["bench", "--cases", "K"],
                          ["cases", "K"],
                          ["workload", "bert_base"],
                          ["kgraph=small.kgraph", "output=out.sol"]):
            done = self.run_here(*arguments, *common, "--report", "report.json")
            self.assertEqual((done.code, done.stderr), (0, ""), arguments)
            self.assertTrue((self.folder / "report.json").stat().st_size > 0)

    def test_spellings(self) -> None:
        self.assertEqual(self.score("--seed=3", "--report=-").json()["total"], 4632)
        self.assertEqual(self.run_here("place", "small.kgraph", "-oout.sol", "-q", "--effort",
                                       "1").code, 0)

    def test_nothing_is_abbreviated_or_guessed(self) -> None:
        for bad in ("--rep", "--repor", "--sed", "--qui"):
            self.assert_fails(self.score(bad, "1"), 2, f"unknown option '{bad}'")
        self.assert_fails(self.score("--reprot", "-"), 2, "did you mean '--report'?")
        self.assert_fails(self.score("--time", "3"), 2, "did you mean '--time-limit'?")

    def test_bad_values(self) -> None:
        for option, values in {
            "--seed": ("-1", "x", "1.5", "18446744073709551616", "+1", " 1",
                       "1e-3", "1e30", "1.5e0", "2e19", "e3"),
            "--threads": ("0", "-1", "1025"),
            "--effort": ("0", "10", "five"),
            "--time-limit": ("0", "-1", "soon", "1e-7", "2e6", "1e", "inf", "nan", "1000001", "0.0000001"),
        }.items():
            for value in values:
                self.assert_fails(self.score(option, value), 2, f"{option}: expected", "found '")

    def test_bounds_of_values_are_taken(self) -> None:
        for option, value in (("--seed", "18446744073709551615"), ("--seed", "0"),
                              ("--effort", "9"), ("--threads", "1024"), ("--effort", "0.5e1"),
                              ("--time-limit", "1e3"),
                              ("--time-limit", "1000000")):
            self.assertEqual(self.score(option, value).code, 0, option)

    def test_whole_numbers_with_an_exponent_are_exact(self) -> None:
        # 2^64 - 1 and 2^63 + 1, which no double holds, and 1500.
        for text, seed in (("18446744073709551.615e3", 18446744073709551615),
                           ("922337203685477580.9E+1", 9223372036854775809), ("1.5e3", 1500)):
            done = self.run_here("place", "small.kgraph", "-o", "out.sol", "-q", "--effort", "1",
                                 "--seed", text, "--report", "-")
            self.assertEqual(done.json()["seed"], seed)

    def test_ranges_of_each_command(self) -> None:
        # Values are checked before files are opened, so the ends of a range show as a missing file.
        for command, options in RANGES.items():
            for option, (least, most) in options.items():
                words = [*command.split(), "none.json", *REQUIRED.get(command, ())]
                for value in (least, most):
                    with self.subTest(command, option=option, value=value):
                        done = self.run_here(*words, f"{option}={value}")
                        self.assertNotIn(f"{option}: expected a", done.stderr)
                for value in (least - 1, most + 1 + most // 1000):
                    with self.subTest(command, option=option, value=value):
                        self.assert_fails(self.run_here(*words, f"{option}={value}"), 2,
                                          f"{option}: expected", f", found '{value}'")

    def test_missing_doubled_and_clashing(self) -> None:
        self.assert_fails(self.score("--seed"), 2, "--seed: expected a value")
        self.assert_fails(self.score("--report="), 2, "--report: expected a value")
        self.assert_fails(self.score("--seed", "1", "--seed", "2"), 2, "more than once")
        self.assert_fails(self.score("-q", "-v"), 2, "--quiet and --verbose")
        self.assert_fails(self.score("extra"), 2,
                          "expected CASE and SOL, found also the operand 'extra'")
        self.assert_fails(self.run_here("score", "small.kgraph"), 2, "expected SOL")
        self.assert_fails(self.run_here("place", "small.kgraph"), 2, "expected --output SOL")
        self.assert_fails(self.run_here("place"), 2, "expected CASE and --output SOL")
        self.assert_fails(self.run_here("place", "small.kgraph", "small.sol"), 2,
                          "expected CASE and --output SOL, found also the operand 'small.sol'")

    def test_commands(self) -> None:
        self.assert_fails(run(), 2, "expected a command")
        self.assert_fails(run("plcae", "x"), 2, "did you mean 'place'?")
        self.assert_fails(run("A.kgraph"), 2, "A.kgraph",
                          "(plan, place, score, route, simulate, optimize, draw, bench, cases, workload, "
                          "import, hardware, collective, validate, schema, model or sweep)")
        self.assert_fails(run("--seed", "3"), 2, "expected a command")
        self.assertIn("See: waferloom kgraph=FILE --help", run("kgraph=x", "widht=3").stderr)
        self.assertIn("See: waferloom score --help", self.score("--nope").stderr)

    def test_an_empty_operand_is_no_operand(self) -> None:
        self.assert_fails(self.run_here("simulate", "small.kgraph", "", "--placement", "p.sol"), 2,
                          "SOL: expected a value")
        self.assert_fails(self.run_here("score", "", "small.sol"), 2, "CASE: expected a value")

    def test_whole_numbers_may_have_exponents(self) -> None:
        done = self.run_here("bench", "A", "--effort", "1e0", "--threads", "2e0", "--report", "-")
        self.assertEqual(done.json()["threads"], 2)

    def test_usage_errors_are_json_if_a_report_goes_to_stdout(self) -> None:
        for arguments in (["score", "--report", "-"], ["score", "--nope", "--report=-"],
                          ["socre", "--report", "-"]):
            done = run(*arguments)
            self.assertEqual(done.code, 2)
            self.assert_valid("error", done.stdout)
            self.assertEqual(done.json()["error"]["class"], "usage")
            self.assertNotEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
