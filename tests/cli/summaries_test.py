"""docs/summaries.md explains every column and line of the verbs that README names."""

import re
import unittest

from program import SOURCES, ProgramTest

PAGE = (SOURCES / "docs" / "summaries.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text below a heading, up to the next of its level."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def explained(text: str) -> str:
    """All that stands in backticks."""
    return " ".join(re.findall(r"`([^`]*)`", text))


class SummariesTest(ProgramTest):
    def check(self, title: str, words: list[str]) -> None:
        self.assertGreater(len(words), 2, title)
        told = explained(section(title))
        for word in words:
            self.assertIn(word, told, f"{word!r} of {title}")

    def test_columns_and_lines_are_explained(self) -> None:
        table = self.run_here("workload", "T-18B", "--tensor", "8", "--data", "2").stdout
        self.check("`workload`", table.split("\n\n")[1].splitlines()[0].split())
        lines = self.run_here("hardware", "palm_wafer").stdout.split("Not in the file")[0]
        self.check("`hardware`", re.findall(r"(?m)^  (\S.*?)  ", lines))
        text = self.run_here("model", "dfmodel", "gpt3_175b").stdout
        self.check("`model dfmodel`", re.findall(r"(?m)^  ([a-zA-Z]\w+)  ", text))
        for first in ("part ", "mapping "):
            heading = next(line for line in text.splitlines() if line.startswith(first))
            self.check("`model dfmodel`", [word for word in heading.split() if word != "ns"])
        heading = self.run_here("bench", "K", "--effort", "1").stdout.splitlines()[0]
        self.check("`bench` and `scripts/ablation.py`", heading.split()[1:])
        heading = self.run_here("bench", "K", "--effort", "1", "--seeds", "2").stdout
        self.check("`bench` and `scripts/ablation.py`", heading.splitlines()[0].split()[1:])
        text = self.run_here("validate", "--model", "serving").stdout
        self.check("`validate`", ["expected", "ours", "error %", "judged", "(within %)"])
        self.assertIn("expected", text)

    def test_colours_of_the_timeline_are_explained(self) -> None:
        self.run_here("simulate", "small.kgraph", "small.sol", "--timeline", "t.svg")
        told = section("The timeline's colours")
        parts = re.findall(r">(computes|waits for [a-z ]+)<", (self.folder / "t.svg").read_text())
        self.assertEqual(len(parts), 5)
        for part in parts:
            self.assertIn(part, told)

    def test_every_line_of_a_summary_is_explained(self) -> None:
        self.write("plan.json", '{"tensor": 8, "data": 2, "pipeline": 20, "micro_batches": 4}')
        for command in ("simulate T-18B --plan plan.json", "simulate small.kgraph small.sol",
                        "place small.kgraph -o a.sol --effort 1", "plan llama_68m -o p.json",
                        "optimize small.kgraph -o best --effort 1"):
            done = self.run_here(*command.split(), "-q")
            self.assertEqual(done.code, 0, f"{command}: {done.stderr}")
            names = re.findall(r"(?m)^  ([a-z]+(?: by)?)  ", done.stdout.split("\n\n")[0])
            self.assertGreater(len(names), 3, done.stdout)
            for name in names:
                self.assertIn(f"`{name}`", PAGE, command)

    def test_words_and_papers_are_explained(self) -> None:
        page = (SOURCES / "docs" / "glossary.md").read_text(encoding="utf-8")
        for word in ("1F1B", "ZeRO", "TP", "DP", "PP", "adapter", "unit of time"):
            self.assertRegex(page, rf"(?im)^\|? ?\**[^|]*\b{word}\b", word)
        for paper in ("GigaPlacer", "PALM", "AMPeD", "DFModel", "Centimani"):
            self.assertIn(paper, page)
        self.assertIn("A lower total need not be faster", PAGE)
        self.assertRegex(PAGE, r"(?m)^\| `schedule` \|")


if __name__ == "__main__":
    unittest.main()
