"""docs/tutorial.md: its commands run in their order, and the program prints what the page says.

    tutorial_test.py [--slow]

The search of step 6 takes a minute: it runs with --slow (`scripts/check.sh --deep`) alone.
"""

import re
import sys
import unittest
from pathlib import Path

from program import ProgramTest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"


def commands(page: str) -> list[str]:
    """The indented lines that begin with waferloom or echo, put together where they go on."""
    joined = page.replace("\\\n", " ")
    return re.findall(r"(?m)^    ((?:waferloom|echo) .*)$", joined)


SUMMARIES = PAGE.with_name("summaries.md")
GLOSSARY = PAGE.with_name("glossary.md")


def rates(page: str) -> list[str]:
    """The samples a second of the table of steps, in its order."""
    return re.findall(r"(?m)^\| \d \|[^|]*\| (\d+\.\d+) \|", page)


class TutorialTest(ProgramTest):
    with_slow = False

    def test_every_command_runs_and_prints_what_the_page_says(self) -> None:
        page = PAGE.read_text()
        told = []
        block = re.search(r"prints\n\n((?:    .*\n)+)", page).group(1)
        for command in commands(page):
            if command.startswith("echo"):
                text, name = re.fullmatch(r"echo '(.*)' > (\S+)", command).groups()
                self.write(name, text)
                continue
            if " optimize " in command and not self.with_slow:
                continue
            done = self.run_here(*command.split()[1:], "-q")
            self.assertEqual(done.code, 0, f"{command}: {done.stderr}")
            told.append((command, done.stdout))
        runs = [text for command, text in told if command.startswith("waferloom simulate")]
        self.assertIn(re.sub("(?m)^    ", "", block), runs[1])
        # The page of the summaries has the busiest link of this run.
        busiest = re.search(r"(?m)^  busiest .* (\d+\.\d %) of the time", runs[1]).group(1)
        self.assertIn(f"`T.links.png` the busiest\nlink has {busiest}, the bound, a DRAM port",
                      SUMMARIES.read_text())
        best = [text for command, text in told if " optimize " in command]
        self.assertEqual(len(best), int(self.with_slow))
        found = [re.search(r"(\d+\.\d+) samples/s", text).group(1)
                 for text in (runs[0], runs[1], runs[4], *best)]
        said = rates(page)
        self.assertEqual(len(said), 4)
        for rate, of_page in zip(found, said):
            self.assertAlmostEqual(float(rate), float(of_page), delta=0.00501)
        if best:
            self.assertIn("gain      14.8 %", best[0])
            # Over the placed plan.
            self.assertEqual(f"{100 * (float(found[3]) / float(found[1]) - 1):.0f}", "15")
        self.assertIn("13.336 samples/s", runs[2])
        self.assertIn("bound     compute: stage s19", runs[2])
        self.assertRegex(page, r"(?m)^\| `\"zero\": 3` \|.*\| 12\.61 \|")
        self.assertIn("T-18B: 12.606 samples/s", runs[3])

    def test_every_line_of_a_summary_is_explained(self) -> None:
        page = SUMMARIES.read_text()
        self.write("plan.json", '{"tensor": 8, "data": 2, "pipeline": 20, "micro_batches": 4}')
        for command in ("simulate T-18B --plan plan.json", "simulate small.kgraph small.sol",
                        "place small.kgraph -o a.sol --effort 1", "plan llama_68m -o p.json",
                        "optimize small.kgraph -o best --effort 1"):
            done = self.run_here(*command.split(), "-q")
            self.assertEqual(done.code, 0, f"{command}: {done.stderr}")
            names = re.findall(r"(?m)^  ([a-z]+(?: by)?)  ", done.stdout.split("\n\n")[0])
            self.assertGreater(len(names), 3, done.stdout)
            for name in names:
                self.assertIn(f"`{name}`", page, command)

    def test_words_and_papers_are_explained(self) -> None:
        page = GLOSSARY.read_text()
        for word in ("1F1B", "ZeRO", "TP", "DP", "PP", "adapter", "unit of time"):
            self.assertRegex(page, rf"(?im)^\|? ?\**[^|]*\b{word}\b", word)
        for paper in ("GigaPlacer", "PALM", "AMPeD", "DFModel", "Centimani"):
            self.assertIn(paper, page)
        advice = SUMMARIES.read_text()
        self.assertIn("A lower total need not be faster", advice)
        self.assertRegex(advice, r"(?m)^\| `schedule` \|")


if __name__ == "__main__":
    TutorialTest.with_slow = "--slow" in sys.argv
    unittest.main(argv=[word for word in sys.argv if word != "--slow"])
