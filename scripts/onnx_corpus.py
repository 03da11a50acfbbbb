#!/usr/bin/env python3
"""How many models of a folder import whole, and what the others lack.

    scripts/onnx_corpus.py build/release/waferloom [FOLDER]

FOLDER holds .onnx files, by default those of Debian's libonnx-testdata. Symbolic sizes are taken to be 3. Prints the
table of docs/import.md, and exits with 1 if a model ends in anything else than a result or a message.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

CORPUS = Path("/usr/share/libonnx-testdata/data")
REASONS = (("operators that are known", "have an operator that nobody knows"),
           ("whose sizes follow", "have sizes that depend on numbers of an input"),
           ("of which kernels are made, found none", "have no convolution and no product of matrices"),
           ("found none that computes", "compute nothing from their inputs"))
NAMES = re.compile(r"'([A-Za-z0-9_.:]+)', \d+ nodes? \(")
SYMBOLS = re.compile(r"for example --bind (\S+)")


def imported(program: Path, model: Path, output: Path) -> tuple[int, str]:
    """Exit code and message, once symbolic sizes have numbers."""
    command = [program, "import", model, "-o", output, "-q"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if (asked := SYMBOLS.search(done.stderr)) is not None:
        command += ["--bind", asked[1].replace("=1", "=3")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.strip()


def reason_of(message: str) -> str:
    for part, reason in REASONS:
        if part in message:
            return reason
    return message


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", default=CORPUS)
    arguments = parser.parse_args()
    models = sorted(arguments.folder.rglob("*.onnx"))
    crashed = 0
    print(f"{len(models)} models\n\n| import into | whole | the others |\n|---|---|---|")
    unknown: Counter[str] = Counter()
    for ending in ("json", "kgraph"):
        reasons: Counter[str] = Counter()
        whole = 0
        with tempfile.TemporaryDirectory() as folder:
            for model in models:
                code, message = imported(arguments.program, model, Path(folder, f"out.{ending}"))
                whole += code == 0
                if code not in (0, 2) or len(message.splitlines()) > 1:
                    crashed += 1
                    print(f"{model}: exit code {code}: {message}", file=sys.stderr)
                if code == 2:
                    reasons[reason_of(message)] += 1
                    if ending == "json":
                        unknown.update(NAMES.findall(message))
        others = "; ".join(f"{count} {reason}" for reason, count in reasons.most_common())
        print(f"| `.{ending}` | {whole} | {others} |")
    print("\nUnknown, with the models that have them: " +
          ", ".join(f"{name} {count}" for name, count in sorted(unknown.items())))
    return 1 if crashed else 0


if __name__ == "__main__":
    sys.exit(main())
