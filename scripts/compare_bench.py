#!/usr/bin/env python3
"""Compares two runs of a benchmark case by case, and fails if the second is worse.

BASE and NEW are CSV files or JSON reports of `waferloom bench`, or JSON files of scripts/bench.py.
Each case counts with its median over the seeds, the lower one of two; a run without a placement
counts as the highest. Prints the ratio NEW / BASE of every case (below 1 is better), their
geometric mean, the best and the worst.

Exit codes: 0 if the geometric mean worsened by at most the tolerance; 1 if it worsened by more, or
if NEW lacks a case of BASE or has no placement for it; 2 for a bad command line or a bad file.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median_low

EXAMPLES = """examples:
  waferloom bench --effort 3 --seeds 5 --csv base.csv     before a change
  waferloom bench --effort 3 --seeds 5 --csv new.csv      and after it
  scripts/compare_bench.py base.csv new.csv
  scripts/compare_bench.py base.csv new.csv --tolerance 0.1
  scripts/compare_bench.py base.csv some.csv --common     some.csv has fewer cases
  scripts/compare_bench.py base.csv new.csv --quantity wall_s --tolerance 20
  scripts/compare_bench.py old.json new.json --quantity ns    of scripts/bench.py
"""

COLUMNS = 80
NO_PLACEMENT = math.inf


class BadInput(Exception):
    """A file that cannot be compared; the message begins with its name."""


@dataclass
class Results:
    """What one file holds: by case the values of its runs, and the seeds that they ran with."""

    values: dict[str, list[float]] = field(default_factory=dict)
    seeds: dict[str, set[str]] = field(default_factory=dict)

    def add(self, case: str, value: float, seed: str) -> None:
        self.values.setdefault(case, []).append(value)
        self.seeds.setdefault(case, set()).add(seed)

    def median(self, case: str) -> float:
        return median_low(self.values[case])


def number(text: object, where: str) -> float:
    """A finite number of at least 0, written as a number or as text."""
    try:
        value = float(text) if isinstance(text, (int, float, str)) else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise BadInput(f"{where}: expected a number of at least 0, found {text!r}")
    return value


def read_csv(name: str, text: str, quantity: str) -> Results:
    """The table that `waferloom bench --csv` writes."""
    table = csv.DictReader(text.splitlines())
    columns = table.fieldnames or []
    for column in ("case", quantity):
        if column not in columns:
            raise BadInput(f"{name}: expected a column '{column}', found {listed(columns)}")
    results = Results()
    for row in table:
        where = f"{name}:{table.line_num}: {quantity}"
        failed = bool(row.get("failure"))
        value = NO_PLACEMENT if failed else number(row[quantity], where)
        results.add(row["case"], value, row.get("seed") or "")
    return results


def read_report(name: str, report: dict, quantity: str) -> Results:
    """The report that `waferloom bench --report` writes."""
    results = Results()
    for row in report["rows"]:
        failed = row["failure"] is not None
        if not failed and quantity not in row:
            raise BadInput(f"{name}: expected rows with '{quantity}', found {listed(list(row))}")
        where = f"{name}: {row['case']}: {quantity}"
        value = NO_PLACEMENT if failed else number(row[quantity], where)
        results.add(row["case"], value, str(row["seed"]))
    return results


def read_medians(name: str, medians: dict, quantity: str) -> Results:
    """The medians that scripts/bench.py writes; other things are left out."""
    results = Results()
    known = sorted({key for quantities in medians.values() for key in quantities})
    for case, quantities in medians.items():
        if quantity in quantities:
            where = f"{name}: {case}: {quantity}"
            results.add(case, number(quantities[quantity], where), "")
    if not results.values:
        raise BadInput(f"{name}: expected the quantity '{quantity}' (see --quantity), "
                       f"found {listed(known)}")
    return results


def read_json(name: str, text: str, quantity: str) -> Results:
    """A report or medians."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"{name}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from error
    try:
        if isinstance(content, dict) and content.get("schema") == "waferloom/bench/1":
            return read_report(name, content, quantity)
        if isinstance(content, dict) and isinstance(content.get("medians"), dict):
            return read_medians(name, content["medians"], quantity)
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{name}: not of the form of a bench report: {error!r}") from error
    raise BadInput(f"{name}: expected a report of `waferloom bench` or medians of scripts/bench.py")


def read_results(path: Path, quantity: str) -> Results:
    """Any of the files; JSON begins with a brace."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not UTF-8 text") from error
    is_json = text.lstrip().startswith("{")
    results = (read_json if is_json else read_csv)(str(path), text, quantity)
    if not results.values:
        raise BadInput(f"{path}: expected results, found none")
    return results


def listed(words: list[str]) -> str:
    return ", ".join(words) if words else "none"


def ratio(base: float, new: float) -> float:
    """new / base; 1 where both are 0."""
    if base == 0:
        return 1.0 if new == 0 else math.inf
    return new / base


def geometric_mean(ratios: list[float]) -> float:
    """Also of ratios that are 0 or infinite, of which the infinite ones win."""
    if math.inf in ratios:
        return math.inf
    if 0.0 in ratios:
        return 0.0
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


def told(value: float) -> str:
    return "none" if value == NO_PLACEMENT else f"{value:.10g}"


def told_ratio(value: float) -> str:
    """With four places, or up to six where it would look like 1 and can be told from it."""
    for places in (4, 5, 6):
        text = f"{value:.{places}f}"
        if float(text) != 1:
            return text
    return f"{value:.4f}"


def shortened(name: str, width: int) -> str:
    return name if len(name) <= width else name[:width - 3] + "..."


def table(lines: list[tuple[str, str, str, str]]) -> str:
    """Aligned columns, the first to the left and shortened where a line would be too long."""
    widths = [max(len(line[i]) for line in lines) for i in range(4)]
    widths[0] = min(widths[0], COLUMNS - sum(widths[1:]) - 6)
    text = ""
    for name, *cells in lines:
        row = [f"{shortened(name, widths[0]):<{widths[0]}}"]
        row += [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:])]
        text += "  ".join(row).rstrip() + "\n"
    return text


@dataclass
class Comparison:
    """The cases that are compared, by name with their ratios, and the others."""

    ratios: dict[str, float]
    lost: list[str]  # placed in BASE, not in NEW
    gained: list[str]  # the other way round
    only_base: list[str]
    only_new: list[str]


def compare(base: Results, new: Results) -> Comparison:
    """Cases in the order of BASE."""
    result = Comparison({}, [], [], [case for case in base.values if case not in new.values],
                        [case for case in new.values if case not in base.values])
    for case in base.values:
        if case not in new.values:
            continue
        before, after = base.median(case), new.median(case)
        if before == NO_PLACEMENT:
            if after != NO_PLACEMENT:
                result.gained.append(case)
        elif after == NO_PLACEMENT:
            result.lost.append(case)
        else:
            result.ratios[case] = ratio(before, after)
    return result


def print_comparison(base: Results, new: Results, result: Comparison, quantity: str) -> None:
    """The table and what sums it up."""
    lines = [("case", "base", "new", "ratio")]
    for case in base.values:
        if case in new.values:
            shown = told_ratio(result.ratios[case]) if case in result.ratios else ""
            lines.append((case, told(base.median(case)), told(new.median(case)), shown))
    print(table(lines))
    ratios = result.ratios
    if not ratios:
        return
    worst, best = max(ratios, key=ratios.__getitem__), min(ratios, key=ratios.__getitem__)
    better = sum(value < 1 for value in ratios.values())
    worse = sum(value > 1 for value in ratios.values())
    print(f"Median {quantity} of {len(ratios)} cases, NEW over BASE:")
    print(f"  geometric mean  {told_ratio(geometric_mean(list(ratios.values())))}")
    print(f"  worst           {told_ratio(ratios[worst])}  {shortened(worst, 50)}")
    print(f"  best            {told_ratio(ratios[best])}  {shortened(best, 50)}")
    print(f"  better {better}, equal {len(ratios) - better - worse}, worse {worse}")


def print_doubts(base: Results, new: Results, result: Comparison) -> None:
    """What makes the comparison less than it seems."""
    differing = [case for case in base.values
                 if case in new.values and base.seeds[case] != new.seeds[case]]
    for cases, text in ((result.only_base, "only in BASE"), (result.only_new, "only in NEW"),
                        (result.gained, "placed in NEW alone"),
                        (result.lost, "placed in BASE alone"), (differing, "seeds differ")):
        if cases:
            print(f"compare_bench.py: {text}: {listed(cases)}", file=sys.stderr)


def failures(result: Comparison, tolerance: float, common: bool) -> list[str]:
    """Why NEW is worse."""
    wrong = []
    mean = geometric_mean(list(result.ratios.values())) if result.ratios else 1.0
    if mean > 1 + tolerance / 100:
        wrong.append(f"the geometric mean worsened by {100 * (mean - 1):.3g} %, "
                     f"more than {tolerance:g} %")
    if result.lost:
        wrong.append("cases without a placement in NEW")
    if result.only_base and not common:
        wrong.append("cases of BASE missing in NEW (--common leaves them out)")
    return wrong


def percentage(text: str) -> float:
    """A tolerance."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise argparse.ArgumentTypeError(f"expected a percentage of at least 0, found {text!r}")
    return value


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path, metavar="BASE", help="results before")
    parser.add_argument("new", type=Path, metavar="NEW", help="results after")
    parser.add_argument("--tolerance", type=percentage, default=0.5, metavar="PERCENT",
                        help="how far the geometric mean may worsen (default: 0.5)")
    parser.add_argument("--quantity", default="total", metavar="NAME",
                        help="the column or quantity to compare (default: total)")
    parser.add_argument("--common", action="store_true",
                        help="leave out cases that NEW lacks, do not fail for them")
    return parser.parse_args()


def main() -> int:
    chosen = arguments()
    try:
        base = read_results(chosen.base, chosen.quantity)
        new = read_results(chosen.new, chosen.quantity)
        result = compare(base, new)
        if not result.ratios and not result.lost:
            raise BadInput(f"{chosen.new}: expected a case that {chosen.base} has a value for")
    except BadInput as error:
        print(f"compare_bench.py: {error}", file=sys.stderr)
        return 2
    print_comparison(base, new, result, chosen.quantity)
    print_doubts(base, new, result)
    wrong = failures(result, chosen.tolerance, chosen.common)
    for text in wrong:
        print(f"compare_bench.py: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
