#!/usr/bin/env python3
"""The best way to use a machine: networks by machines by what they are for, as a table.

    scripts/tables/bench_ways.py build/release/waferloom [--for train,infer,serve] [--write docs/ways_table.md]

Runs `plan NETWORK --for PURPOSE` of each, and prints the winner, its rate, what bounds it, how much of the
peak it is, and how long the table took. --write puts the rows between the marks of a page, in place of those
that are there.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

NETWORKS = ("resnet50", "unet", "bert_base", "bert_large", "gpt2_small", "cerebras_gpt_111m", "llama_68m",
            "llama3_8b", "qwen2_72b", "t_18b", "t_145b", "gpt3_175b")
MACHINES = (("wse2",), ("wse3",), ("palm_wafer",), ("grayskull",), ("dojo_d1", "--data-type", "bf16"),
            ("wormhole72",), ("a100", "--chips", "64"), ("sn40l_16",))
PURPOSES = ("train", "infer", "serve")
HEAD = ("| network | machine | for | samples/s | way | how | of peak | bound by | s |\n"
        "|---|---|---|---|---|---|---|---|---|\n")
BEGIN, END = "<!-- rows of scripts/tables/bench_ways.py -->\n", "<!-- end of rows -->\n"
INFEASIBLE = 3


def significant(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def row(program: str, network: str, machine: tuple[str, ...], purpose: str) -> str:
    """A row of the table; why there is none where no way is possible."""
    hardware, *options = machine
    begin = time.monotonic()
    done = subprocess.run([program, "plan", network, "--for", purpose, "--hardware", hardware, *options,
                           "--report", "-", "-q"], capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    cells = [network, hardware, purpose]
    if done.returncode == INFEASIBLE:
        return "| " + " | ".join([*cells, "none", "", "", "", "", f"{seconds:.1f}"]) + " |\n"
    if done.returncode != 0:
        sys.exit(f"{' '.join(done.args)}: exit {done.returncode}\n{done.stderr.strip()}")
    best = json.loads(done.stdout)["ways"][0]
    bound = best["bottleneck"]
    cells += [significant(best["samples_per_s"]), best["way"] + (", priced" if best["is_priced"] else ""),
              best["how"], f"{100 * best['share_of_peak']:.1f} %", bound["name"] if bound else "",
              f"{seconds:.1f}"]
    return "| " + " | ".join(cells) + " |\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="waferloom")
    parser.add_argument("--for", dest="purposes", default=",".join(PURPOSES), help="purposes, by commas")
    parser.add_argument("--networks", default=",".join(NETWORKS), help="networks, by commas")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="page whose rows are replaced")
    asked = parser.parse_args()
    text = HEAD
    for network in asked.networks.split(","):
        for machine in MACHINES:
            for purpose in asked.purposes.split(","):
                text += (line := row(asked.program, network, machine, purpose))
                print(line, end="", file=sys.stderr, flush=True)
    if asked.write is None:
        print(text, end="")
        return
    page = asked.write.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    asked.write.write_text(before + BEGIN + text + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
