#!/usr/bin/env python3
"""Rates of serving and streaming on a wafer with dead tiles, beside the share that lives.

    scripts/tables/dead_wafer_table.py build/release/waferloom [--model llama3_8b] [--hardware wse3]

Prints the table of docs/wafer_plans.md. Scattered tiles are drawn with a fixed seed.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

PRESETS = Path(__file__).resolve().parents[2] / "model" / "presets"


def patterns(columns: int, rows: int):
    """Yields (name, rectangles of dead tiles, at most so large a part of all is joined)."""
    def scattered(share):
        draw = random.Random(37)
        tiles = draw.sample(range(columns * rows), int(columns * rows * share))
        return [(tile % columns, tile // columns, 1, 1) for tile in sorted(tiles)]

    middle = rows // 2, columns // 2
    yield "nothing", [], 1.0
    yield "a tile in the corner", [(0, 0, 1, 1)], 1.0
    yield "a tile in the middle", [(middle[1], middle[0], 1, 1)], 1.0
    yield "100×100 in a corner", [(0, 0, 100, 100)], 1.0
    yield "0.1 % scattered", scattered(0.001), 1.0
    yield "1 % scattered", scattered(0.01), 1.0
    yield "a row in the middle", [(0, middle[0], columns, 1)], middle[0] / rows
    yield "a column in the middle", [(middle[1], 0, 1, rows)], middle[1] / columns
    yield "half", [(0, 0, columns, middle[0])], 1.0
    yield "nine tenths", [(0, 0, columns, rows * 9 // 10)], 1.0


def run(command):
    """The report of a command; none where the model does not fit."""
    done = subprocess.run([*command, "--report", "-"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr.strip()}")
    return json.loads(done.stdout) if done.returncode == 0 else None


def living(dead, joined, tiles):
    """The share of tiles that can work, as a cell."""
    if joined < 1:
        return f"{100 * joined:.1f} % joined"
    share = 1 - sum(width * height for _, _, width, height in dead) / tiles
    return f"{100 * share:.2f} %" if dead else "100 %"


def regions(layout):
    """Where decode works, as a cell."""
    spare = layout["spare_rows"]
    behind = f", {spare} spare rows each" if spare > 1 else ", a spare row each" if spare else ""
    return f"{layout['regions']} of {layout['columns']}×{layout['rows']}{behind}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--model", default="llama3_8b")
    parser.add_argument("--hardware", default="wse3")
    arguments = parser.parse_args()
    machine = json.loads((PRESETS / f"{arguments.hardware}.json").read_text())["fabric"]
    columns, rows = machine["columns"], machine["rows"]
    print("| dead | living | serving, tokens/s | decode on | streaming, tokens/s |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, dead, joined in patterns(columns, rows):
            machine["dead"] = [dict(zip(("x", "y", "width", "height"), tiles)) for tiles in dead]
            path = Path(folder) / "machine.json"
            path.write_text(json.dumps(machine))
            plan = [arguments.program, "plan", arguments.model, "--hardware", str(path)]
            regions_file = Path(folder) / "regions.json"
            serve = run([*plan, "--serve", "--prompt", "2048", "--output", "512", "-o",
                         str(regions_file)])
            stream = run([*plan, "--way", "streaming", "--inference"])
            cells = [name, living(dead, joined, columns * rows),
                     f"{serve['asked']['user_tokens_per_s']:,.0f}" if serve else "does not fit",
                     regions(json.loads(regions_file.read_text())["serving"]["decode"]) if serve else "",
                     f"{stream['best']['tokens_per_s']:,.0f}" if stream else "does not fit"]
            print(f"| {' | '.join(cells)} |".replace("|  |", "| |"), flush=True)


if __name__ == "__main__":
    main()
