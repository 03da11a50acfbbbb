#!/usr/bin/env python3
"""Rates of serving and streaming on a wafer with dead tiles, beside the share that lives.

    scripts/dead_wafer_table.py build/release/waferloom [--model llama3_8b] [--hardware wse3]

Prints the table of docs/wafer_plans.md. Scattered tiles are drawn with a fixed seed.
"""

import argparse
import json
import random
import subprocess
import tempfile
import time
from pathlib import Path

PRESETS = Path(__file__).resolve().parent.parent / "model" / "presets"


def patterns(columns: int, rows: int):
    """Yields (name, rectangles of dead tiles)."""
    def scattered(share):
        draw = random.Random(37)
        tiles = draw.sample(range(columns * rows), int(columns * rows * share))
        return [(tile % columns, tile // columns, 1, 1) for tile in sorted(tiles)]

    yield "whole", []
    yield "one tile, corner", [(0, 0, 1, 1)]
    yield "one tile, middle", [(columns // 2, rows // 2, 1, 1)]
    yield "a corner of 100x100", [(0, 0, 100, 100)]
    yield "a row in the middle", [(0, rows // 2, columns, 1)]
    yield "a column in the middle", [(columns // 2, 0, 1, rows)]
    yield "0.1 % scattered", scattered(0.001)
    yield "1 % scattered", scattered(0.01)
    yield "half", [(0, 0, columns, rows // 2)]
    yield "nine tenths", [(0, 0, columns, rows * 9 // 10)]


def run(command):
    """The report of a command, or its message, and seconds."""
    begun = time.time()
    done = subprocess.run([*command, "--report", "-"], capture_output=True, text=True, check=False)
    seconds = time.time() - begun
    if done.returncode == 0:
        return json.loads(done.stdout), "", seconds
    return None, f"exit {done.returncode}: {done.stderr.strip()}", seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--model", default="llama3_8b")
    parser.add_argument("--hardware", default="wse3")
    arguments = parser.parse_args()
    machine = json.loads((PRESETS / f"{arguments.hardware}.json").read_text())
    columns, rows = machine["columns"], machine["rows"]
    print("| dead | living | serving, tokens/s | decode on | streaming, tokens/s | seconds to plan |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, dead in patterns(columns, rows):
            machine["dead"] = [dict(zip(("x", "y", "width", "height"), tiles)) for tiles in dead]
            path = Path(folder) / "machine.json"
            path.write_text(json.dumps(machine))
            serve, lacks, first = run([arguments.program, "plan", arguments.model, "--serve", "--prompt", "2048",
                                       "--output", "512", "--hardware", str(path)])
            stream, lost, second = run([arguments.program, "plan", arguments.model, "--way", "streaming", "--inference",
                                        "--hardware", str(path)])
            living = 1 - sum(w * h for _, _, w, h in dead) / (columns * rows)
            rate = f"{serve['asked']['user_tokens_per_s']:,.0f}" if serve else lacks
            layout = serve["asked"]["decode"] if serve else None
            regions = f"{layout['regions']} × {layout['rows']}x{layout['columns']}" if serve else "-"
            streamed = f"{stream['best']['tokens_per_s']:,.0f}" if stream else lost
            print(f"| {name} | {100 * living:.2f} % | {rate} | {regions} | {streamed} | {first:.1f}, {second:.1f} |", flush=True)


if __name__ == "__main__":
    main()
