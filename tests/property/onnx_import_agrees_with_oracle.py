#!/usr/bin/env python3
"""ONNX models become cases whose kernels do what tests/interchange/onnx_oracle.py counts.

    onnx_import_agrees_with_oracle.py PROGRAM [--cases N] [--seed N]

Demanded of convolutional networks drawn at random: multiply-adds and parameters are the oracle's,
the kernels of the case do as many together, there is a kernel for each product, and every edge
leads from an earlier kernel to a later one.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "interchange"))
import onnx_oracle  # noqa: E402

KERNEL = re.compile(r"^conv\[(\d+)\] W=(\d+) H=(\d+) R=(\d+) S=(\d+) C=(\d+) K=(\d+) T=(\d+) U=(\d+)")
EDGE = re.compile(r"^conv\[(\d+)\]:y -> conv\[(\d+)\]:x")


def fault(program: Path, folder: Path, seed: int) -> str:
    """What is wrong with a draw; empty if nothing is."""
    model = onnx_oracle.random_model(seed)
    data = model.encoded()
    (folder / "m.onnx").write_bytes(data)
    done = subprocess.run([program, "import", "m.onnx", "-o", "m.kgraph", "--report", "-", "-q"],
                          cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr.strip()
    found, expected = json.loads(done.stdout), onnx_oracle.counts(data)
    for key, value in expected.items():
        if found[key] != value:
            return f"{key}: {found[key]}, by the oracle {value}"
    lines = (folder / "m.kgraph").read_text().splitlines()
    kernels = [[int(value) for value in match.groups()] for line in lines
               if (match := KERNEL.match(line))]
    work = sum(Fraction(w * h * r * s * c * k, t * u) for _, w, h, r, s, c, k, t, u in kernels)
    if work != expected["multiply_adds"]:
        return f"the kernels do {work}, by the oracle {expected['multiply_adds']}"
    products = sum(node.count(b"\x22\x04Conv") + node.count(b"\x22\x0dConvTranspose") +
                   node.count(b"\x22\x04Gemm") for node in model.nodes)
    if len(kernels) != products:
        return f"{len(kernels)} kernels of {products} products"
    for line in lines:
        if (match := EDGE.match(line)) and int(match[1]) >= int(match[2]):
            return f"an edge leads back: {line}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--cases", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for draw in range(arguments.seed, arguments.seed + arguments.cases):
            if wrong := fault(arguments.program.resolve(), Path(folder), draw):
                failures.append(f"draw {draw}: {wrong}")
    print(f"{arguments.cases} models, {len(failures)} wrong")
    for failure in failures[:20]:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
