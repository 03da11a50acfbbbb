"""What the studies share: running the program, tables on stdout, CSV files, plots, claims.

A study is a script `study_NAME.py` that runs waferloom on many inputs, prints a table, says which of
its claims hold, and may write a CSV file and a picture. Python's standard library is enough for all
but the picture, which needs matplotlib (`scripts/install_dependencies.sh studies`).
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/waferloom"


def arguments_parser(description, example):
    """A parser with what every study takes: --program, --csv and --plot."""
    parser = argparse.ArgumentParser(
        description=description, epilog=f"example:\n  {example}", allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=PROGRAM)
    parser.add_argument("--csv", type=pathlib.Path, metavar="FILE", help="write the table as CSV")
    parser.add_argument("--plot", type=pathlib.Path, metavar="FILE",
                        help="draw it, .png, .svg or .pdf; needs matplotlib")
    return parser


def add_page(parser, page):
    """--check and --write, of a study whose table stands on a page of docs/."""
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs" / page)
    parser.add_argument("--check", action="store_true",
                        help="compare the page's table with this run's")
    parser.add_argument("--write", action="store_true", help="put this run's table on the page")


def parse(parser):
    """The arguments, the program looked for."""
    arguments = parser.parse_args()
    if not arguments.program.exists():
        sys.exit(f"{arguments.program} does not exist; build it or name it with --program")
    return arguments


def run(program, *words):
    """What one run of the program prints; ends the study where that fails."""
    command = [str(program), *map(str, words), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr.strip()}")
    return done.stdout


def report(program, *words):
    """The JSON report of one run of the program; ends the study where that fails."""
    return json.loads(run(program, *words, "--report", "-"))


class JsonFiles:
    """Throw-away files for plans and hardware: with JsonFiles() as files: files.write("p", {…})."""

    def __enter__(self):
        self._holder = tempfile.TemporaryDirectory()
        return self

    def __exit__(self, *_):
        self._holder.cleanup()

    def path(self, name):
        return pathlib.Path(self._holder.name) / f"{name}.json"

    def write(self, name, value):
        path = self.path(name)
        path.write_text(json.dumps(value), encoding="utf-8")
        return path


def text(value):
    """A cell: four significant digits of a float."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def print_table(rows):
    """Rows are dicts with the same keys: the first column to the left, the others to the right."""
    columns = list(rows[0])
    widths = {c: max(len(c), *(len(text(row[c])) for row in rows)) for c in columns}
    for row in [dict(zip(columns, columns)), *rows]:
        cells = [text(row[columns[0]]).ljust(widths[columns[0]])]
        cells += [text(row[c]).rjust(widths[c]) for c in columns[1:]]
        print("  ".join(cells).rstrip())


def write_csv(rows, path):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def pyplot():
    """matplotlib.pyplot without a display, with the fonts and sizes of all studies."""
    try:
        import matplotlib
    except ImportError:
        sys.exit("--plot needs matplotlib: scripts/install_dependencies.sh studies")
    matplotlib.use("Agg")
    # Same input, same bytes.
    matplotlib.rcParams.update({"svg.hashsalt": "waferloom", "font.size": 9, "axes.grid": True,
                                "grid.alpha": 0.3, "figure.dpi": 100})
    from matplotlib import pyplot as plt
    return plt


def save(figure, path):
    """Writes a figure without the date that SVG and PDF would hold."""
    dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {"Software": None}}
    figure.tight_layout()
    figure.savefig(path, metadata=dated.get(path.suffix))


def markdown(rows):
    """Rows of cells that are texts, the first is the heading."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def version(program):
    """"waferloom 0.1.0"."""
    return subprocess.run([str(program), "--version"], capture_output=True, text=True,
                          check=True).stdout.splitlines()[0]


def on_page(arguments, name, table):
    """Compares or replaces what stands on the page between the markers of this name: the table and
    the version that made it. Answers the exit code: 4 where the figures differ; another version that
    makes the same figures is no difference."""
    if not (arguments.check or arguments.write):
        return 0
    begin, end = f"<!-- made by {name} --write; do not edit -->\n", f"<!-- end of {name} -->\n"
    page = arguments.page.read_text(encoding="utf-8")
    if page.count(begin) != 1 or page.count(end) != 1:
        sys.exit(f"{arguments.page}: expected one pair of the markers of {name}")
    before, _, rest = page.partition(begin)
    old, _, after = rest.partition(end)
    if arguments.write:
        made = f"{begin}\n{table}\n\nMade by {version(arguments.program)}.\n\n{end}"
        arguments.page.write_text(before + made + after, encoding="utf-8")
        return 0
    if old.partition("\n\nMade by ")[0].strip() == table:
        return 0
    print(f"\n{arguments.page} says otherwise of {name}; --write puts this there:\n\n{table}")
    return 4


def claims(found):
    """Prints (claim, whether it holds, by how much) each on a line; answers the exit code: 0 if all
    hold, 4 if not."""
    print()
    for claim, holds, measured in found:
        print(f"{'holds' if holds else 'FAILS'}  {claim}: {measured}")
    return 0 if all(holds for _, holds, _ in found) else 4


def finish(arguments, rows, found, draw):
    """Table, files and claims; draw(plt) answers a figure. Answers the exit code."""
    print_table(rows)
    if arguments.csv:
        write_csv(rows, arguments.csv)
    if arguments.plot:
        save(draw(pyplot()), arguments.plot)
    return claims(found)
