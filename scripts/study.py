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
    parser.add_argument("--tables", type=pathlib.Path, metavar="FOLDER",
                        help="write the tables of docs/ there, NAME.md, and figures.json")
    return parser


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


def fabric_of(machine):
    """The mesh or cluster of a machine's file, which may be that alone."""
    return {"name": machine.get("name", "unnamed"), **machine.get("fabric", machine)}


def fabric(program, name):
    """The fabric of a machine, every key of it."""
    return fabric_of(json.loads(run(program, "hardware", name, "--json")))


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


def cells(rows):
    """The rows of print_table as cells, the heading first."""
    return [list(rows[0]), *([text(value) for value in row.values()] for row in rows)]


def markdown(rows):
    """Rows of cells that are texts, the first is the heading."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines = [line.replace("|  |", "| |") for line in lines]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def write_tables(arguments, tables, figures=None):
    """What pages of docs/ have of a study, where --tables asks for it: tables as cells that are texts,
    the heading first, and single figures by name (scripts/doc_figures.py)."""
    if arguments.tables is None:
        return
    for name, rows in tables.items():
        path = arguments.tables / f"{name}.md"
        path.write_text(markdown(rows) + "\n", encoding="utf-8")
    path = arguments.tables / "figures.json"
    path.write_text(json.dumps(figures or {}) + "\n", encoding="utf-8")


def signed(value, form):
    """A figure as pages have it, with a long minus."""
    return format(value, form).replace("-", "\N{MINUS SIGN}")


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
