"""scripts/bench.py takes medians over runs of stand-in benchmark programs."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "bench.py"

# Answers run n (counted in a file) with the n-th of its values, in microseconds.
MICRO = """#!{python}
import json, pathlib, sys
count = pathlib.Path({count!r})
run = int(count.read_text())
count.write_text(str(run + 1))
assert "--benchmark_filter=fr.nt" in sys.argv
print(json.dumps({{"benchmarks": [
    {{"name": "front/633", "cpu_time": {values}[run], "time_unit": "us"}}]}}))
"""

PROGRAM = """#!{python}
import pathlib, sys
assert sys.argv[1:4] == ["bench", "--cases", "A,K"], sys.argv
assert sys.argv[6:] == ["--effort", "1"], sys.argv
pathlib.Path(sys.argv[5]).write_text("case,total,stopped_by\\nA,7.5,effort\\nK,3,effort\\n")
"""


# Writes what it is asked for; of the case on wide hardware it takes 0.2 s of the processor to route.
ROUTER = """#!{python}
import json, pathlib, sys, time
verb, rest = sys.argv[1], sys.argv[2:]
with open({log!r}, "a") as log:
    print(verb, *(word for word in rest if "/" not in word), file=log)
if verb == "hardware":
    print(json.dumps({{"fabric": {{"columns": 633, "rows": 633, "host_ports": [{{"last": 632}}]}}}}))
    sys.exit()
files = [pathlib.Path(word) for word in rest if "/" in word]
for path in files:
    if path != files[-1] or verb == "simulate":
        assert path.exists(), path
if verb == "route" and "--hardware" in rest:
    wide = json.loads(files[2].read_text())
    assert (wide["columns"], wide["rows"], wide["host_ports"][0]["last"]) == (2500, 2500, 2499)
    while time.process_time() < 0.2:
        pass
if verb != "simulate" and "--bound" not in rest:
    files[-1].write_text("")
sys.exit(7 if verb == {fails!r} else 0)
"""


class BenchTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name)

    def program(self, path: str, text: str) -> None:
        target = self.build / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        target.chmod(0o755)

    def bench(self, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, SCRIPT, "--build", self.build, *options],
                              capture_output=True, text=True, check=False)

    def test_prints_and_writes_the_median(self) -> None:
        count = self.build / "count"
        count.write_text("0", encoding="utf-8")
        self.program("tests/bench/bench_kernels", MICRO.format(
            python=sys.executable, count=str(count), values=[900.0, 2.5, 4.0]))
        written = self.build / "medians.json"
        done = self.bench("--runs", "3", "--filter", "fr.nt", "--json", str(written))
        self.assertEqual((done.returncode, done.stdout),
                         (0, "bench_kernels/front/633  4 us\n"), done.stderr)
        self.assertEqual(json.loads(written.read_text(encoding="utf-8")),
                         {"runs": 3, "medians": {"bench_kernels/front/633": {"ns": 4000.0}}})

    def test_takes_the_numbers_of_the_cases(self) -> None:
        self.program("waferloom", PROGRAM.format(python=sys.executable))
        done = self.bench("--runs", "2", "--cases", "A,K", "--", "--effort", "1")
        self.assertEqual((done.returncode, done.stdout),
                         (0, "case A  total 7.5\ncase K  total 3\n"), done.stderr)

    def test_measures_how_time_limits_are_kept(self) -> None:
        for code, ends in ((0, 0), (5, 0), (3, 1)):
            self.program("waferloom",
                         "#!/bin/sh\nverb=$1\nwhile [ $# -gt 1 ]; do shift; done\n"
                         f"[ $1 = 0.5 ] || exit 99\n[ $verb = place ] && exit {code}\n"
                         "[ $verb = plan ] || [ $verb = optimize ]\n")
            done = self.bench("--runs", "1", "--time-limit", "0.5")
            self.assertEqual(done.returncode, ends, done.stderr)
            if ends == 0:
                lines = done.stdout.splitlines()
                self.assertEqual(len(lines), 5)
                self.assertRegex(lines[3], r"^limit 0.5 s, plan t_1t on wse2_dfmodel +\d")
                self.assertRegex(lines[0], r"^limit 0.5 s, 2 blocks on 32000x32000 +\d")

    def test_measures_routes_of_placements_made_once(self) -> None:
        log = self.build / "log"
        self.program("waferloom", ROUTER.format(python=sys.executable, log=str(log), fails=""))
        written = self.build / "medians.json"
        done = self.bench("--runs", "2", "--routes", "--json", str(written))
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 10)
        self.assertRegex(lines[0], r"^route A +[\d.]+ m?s  cpu [\d.]+ m?s  peak [\d.]+ MB$")
        self.assertRegex(lines[1], r"^bound of A +\d")
        self.assertRegex(lines[2], r"^simulate A on its routes +\d")
        verbs = [line.split()[0] for line in log.read_text(encoding="utf-8").splitlines()]
        self.assertEqual([verbs.count(verb) for verb in ("cases", "place", "route", "simulate")],
                         [4, 4, 16, 4])
        taken = json.loads(written.read_text(encoding="utf-8"))["medians"]
        self.assertGreaterEqual(taken["route 1500 kernels in rows"]["cpu_ns"], 0.2e9)

    def test_a_router_that_fails_is_an_error(self) -> None:
        log = self.build / "log"
        self.program("waferloom", ROUTER.format(python=sys.executable, log=str(log), fails="route"))
        done = self.bench("--routes")
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit 7", done.stderr)

    def test_a_failing_benchmark_is_an_error(self) -> None:
        self.program("tests/bench/bench_kernels", "#!/bin/sh\necho broken >&2\nexit 3\n")
        done = self.bench()
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit 3", done.stderr)
        self.assertIn("broken", done.stderr)

    def test_says_if_there_is_nothing_to_measure(self) -> None:
        self.assertEqual(self.bench().returncode, 2)

    def test_bad_options_are_usage_errors(self) -> None:
        self.assertEqual(self.bench("--runs", "0").returncode, 2)
        self.assertEqual(self.bench("--filter", "(").returncode, 2)


if __name__ == "__main__":
    unittest.main()
