#!/usr/bin/env python3
"""Imported configurations have the parameters that tests/interchange/oracle.py counts.

    import_agrees_with_oracle.py PROGRAM [--cases N] [--seed N]

The oracle lists every tensor of a model and adds them up; the importer makes operators of layers
and counts these. Demanded of configs of all families, drawn at random: the same parameters, the
same active ones, the same elements of a token's cache (of networks that have one), and a workload
that the program reads back with the same counts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "interchange"))
import oracle  # noqa: E402


def counts(program: Path, folder: Path, config: dict) -> dict:
    """What the program says of a config, and of the workload that it made of it."""
    file, network = folder / "config.json", folder / "network.json"
    file.write_text(json.dumps(config))
    told = [subprocess.run([program, *words, "--report", "-"], capture_output=True, text=True,
                           check=False)
            for words in (["import", file, "-o", network, "-q"], ["workload", network])]
    for done in told:
        if done.returncode != 0:
            return {"failure": done.stderr.strip()}
    imported, read = json.loads(told[0].stdout), json.loads(told[1].stdout)["total"]
    for key in ("parameters", "active_parameters", "cache_elements"):
        if imported[key] != read[key]:
            return {"failure": f"{key}: imported {imported[key]}, read back {read[key]}"}
    return imported


def difference(found: dict, expected: dict) -> str | None:
    """What is wrong; None if nothing is."""
    if "failure" in found:
        return found["failure"]
    for key in ("parameters", "active_parameters", "cache_elements"):
        if key == "cache_elements" and expected[key] == 0:
            continue  # an encoder, whose layers would have one if they decoded
        if found[key] != expected[key]:
            return f"{key}: {found[key]}, by the oracle {expected[key]}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--cases", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    families: Counter[str] = Counter()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for draw in range(arguments.seed, arguments.seed + arguments.cases):
            config = oracle.random_config(draw)
            families[config["model_type"]] += 1
            wrong = difference(counts(arguments.program.resolve(), Path(folder), config),
                               oracle.counts(config))
            if wrong:
                failures.append(f"draw {draw}, {config['model_type']}: {wrong}")
    print(f"{arguments.cases} configs of {len(families)} families, {len(failures)} wrong")
    for failure in failures[:20]:
        print(failure, file=sys.stderr)
    return 1 if failures or len(families) < min(arguments.cases // 10, 20) else 0


if __name__ == "__main__":
    sys.exit(main())
