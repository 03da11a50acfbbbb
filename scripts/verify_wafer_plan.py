#!/usr/bin/env python3
"""Judges a pipelined plan of a wafer, written from the words of docs/wafer_plans.md.

    verify_wafer_plan.py PLAN WORKLOAD HARDWARE [--case CASE --solution SOL]

prints {legal, faults[], stages, tiles, most_bytes, imbalance} as JSON. PLAN is what `waferloom plan
--way pipeline -o` writes; WORKLOAD and HARDWARE are files, presets from model/presets/. With a case
and a solution of it the placed rectangles are judged, too. Exit codes: 0 legal, 4 faults, 2 bad
input. Nothing is shared with the program: all bytes are derived here from the sizes of operators.

What is asked of a plan:
  * Its stages have all operators of the network, each once and in order.
  * Every product is one that its operator asks for; copies of its weights cover all rows, and have
    room side by side on the stage's rectangle, or on a head's part of it.
  * Weights, blocks under way, tensors inside of the stage, three samples of its inputs and the
    program fit a tile's memory, and are no more than the plan says.
  * In training (`batch`), weights have gradients and the optimizer's states beside them, and a stage
    keeps the inputs of its products, and what they give to a normalisation, for two samples of each
    stage from it on, or for all of a replica's. A batch takes the cycles of all stages and their
    edges for its first sample, the period for each other one of a replica, and what updates add
    behind the first stage's last gradient: stages behind it are done sooner.
  * All replicas together have no more tiles than the wafer, the stages' times are at most the
    period, and `imbalance` is what the times say.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


ELEMENT_BYTES = {"fp32": 4, "fp16": 2, "bf16": 2, "fp8": 1, "int8": 1}
WAITING_SAMPLES = 3


def parts(extent: int, tiles: int) -> int:
    return -(-extent // tiles)


@dataclass
class Operator:
    name: str
    sizes: dict[str, Any]
    after: list[int] = field(default_factory=list)

    @property
    def kind(self) -> str:
        return str(self.sizes["kind"])


def expand(entries: list[dict[str, Any]], prefix: str, before: list[int],
           found: list[Operator]) -> list[int]:
    """Appends a list of operators; what its last comes out of."""
    ends: dict[str, list[int]] = {"input": before}
    last = before
    for entry in entries:
        after = [end for name in entry["after"] for end in ends[name]] if "after" in entry else last
        times = int(entry.get("repeat", 1))
        for turn in range(1, times + 1):
            name = prefix + entry["name"] + (f".{turn}" if "repeat" in entry else "")
            if "operators" in entry:
                after = expand(entry["operators"], name + ".", after, found)
            else:
                found.append(Operator(name, entry, sorted(set(after))))
                after = [len(found) - 1]
        ends[entry["name"]] = last = after
    return last


def image_out(sizes: dict[str, Any]) -> tuple[int, int]:
    height, width = (
        (int(sizes["image"][i]) + 2 * int(sizes.get("padding", 0)) - int(sizes["filter"][i]))
        // int(sizes.get("stride", 1)) + 1 for i in range(2))
    return height, width


def output(sizes: dict[str, Any]) -> int:
    """Elements that an operator hands on."""
    kind = sizes["kind"]
    if kind == "linear":
        return int(sizes.get("rows", 1)) * int(sizes["out"])
    if kind in ("conv2", "pool"):
        height, width = image_out(sizes)
        return height * width * int(sizes["out"] if kind == "conv2" else sizes["channels"])
    if kind == "add":
        return int(sizes["elements"])
    return int(sizes["sequence"]) * (1 if kind == "head" else int(sizes["hidden"]))


def network_input(sizes: dict[str, Any]) -> int:
    kind = sizes["kind"]
    if kind == "linear":
        return int(sizes.get("rows", 1)) * int(sizes["in"])
    if kind in ("conv2", "pool"):
        return (int(sizes["image"][0]) * int(sizes["image"][1])
                * int(sizes["in"] if kind == "conv2" else sizes["channels"]))
    if kind == "embedding":
        return int(sizes["sequence"])
    return output(sizes)


def kept_elements(sizes: dict[str, Any]) -> int:
    """What backward needs at least of a product: its input, and that of a normalisation behind it."""
    if sizes["kind"] == "transformer":
        return int(sizes["sequence"]) * int(sizes["hidden"])
    if sizes["kind"] not in ("linear", "conv2"):
        return 0
    return network_input(sizes) + (output(sizes) if sizes.get("normalised") else 0)


def matrix_numbers(sizes: dict[str, Any]) -> int:
    """Numbers of an operator's matrices, each once."""
    if sizes["kind"] == "transformer":
        return sum(k * n for _, k, n in wanted_products(sizes, 1)[:4])
    if sizes["kind"] in ("linear", "conv2"):
        return sum(k * n for _, k, n in wanted_products(sizes, 1))
    return 0


def head_size(sizes: dict[str, Any]) -> int:
    return int(sizes.get("head_size", int(sizes["hidden"]) // int(sizes["heads"])))


def layer_sizes(sizes: dict[str, Any]) -> tuple[int, int, int, int, int, int]:
    """Hidden, heads, key-value heads, features of keys, feed-forward out, feed-forward in."""
    hidden, heads = int(sizes["hidden"]), int(sizes["heads"])
    kv_heads = int(sizes.get("key_value_heads", heads))
    forward = int(sizes.get("feed_forward", 4 * hidden))
    return (hidden, heads, kv_heads, kv_heads * head_size(sizes), forward,
            forward * (2 if sizes.get("gated") else 1))


def wanted_products(sizes: dict[str, Any], block: int) -> list[tuple[int, int, int]]:
    kind = sizes["kind"]
    if kind == "linear":
        return [(int(sizes.get("rows", 1)), int(sizes["in"]), int(sizes["out"]))]
    if kind == "conv2":
        height, width = image_out(sizes)
        window = int(sizes["filter"][0]) * int(sizes["filter"][1]) * int(sizes["in"])
        return [(height * width, window, int(sizes["out"]))]
    if kind == "head":
        return [(block, int(sizes["hidden"]), int(sizes["vocabulary"]))]
    if kind != "transformer":
        return []
    hidden, heads, kv_heads, narrow, forward, inner = layer_sizes(sizes)
    queries, sequence = block * (heads // kv_heads), int(sizes["sequence"])
    size = head_size(sizes)
    return [(block, hidden, heads * size + 2 * narrow), (block, heads * size, hidden),
            (block, hidden, inner), (block, forward, hidden), (queries, size, sequence),
            (queries, sequence, size)]


def product_elements(product: dict[str, Any]) -> tuple[int, int]:
    """Of a tile: of the weights, and of all else."""
    m, k, n = int(product["rows_a_copy"]), int(product["k"]), int(product["n"])
    rows, columns = int(product["part"]["rows"]), int(product["part"]["columns"])
    way = product["algorithm"]
    if way == "weight-stationary":
        own_k, own_n = parts(k, rows), parts(n, columns)
        return own_k * own_n, 2 * own_k + 2 * own_n
    if way == "summa":
        steps = max(rows, columns)
        a = parts(m, rows) * parts(k, steps)
        b = parts(k, steps) * parts(n, columns)
        c = parts(m, rows) * parts(n, columns)
        weights = parts(k * n, rows * columns)
        return weights, parts(steps, columns) * a + parts(steps, rows) * b + a + b + c - weights
    side = min(rows, columns)
    a, b, c = (parts(x, side) * parts(y, side) for x, y in ((m, k), (k, n), (m, n)))
    weights = parts(k * n, side * side)
    return weights, 2 * (a + b) + c - weights


class Judge:
    def __init__(self, plan: dict[str, Any], operators: list[Operator], hardware: dict[str, Any],
                 narrow: dict[str, Any] | None = None):
        self.plan = plan
        self.narrow = narrow  # how the network keeps matrices of layers
        self.operators = operators
        self.hardware = hardware
        self.element = ELEMENT_BYTES[plan["data_type"]]
        self.sram = int(hardware["sram_bytes_per_tile"])
        self.program = int(hardware.get("program_bytes_per_tile", 0))
        self.faults: list[str] = []
        self.most_bytes = 0
        self.last = [max((j for j, op in enumerate(operators) if i in op.after),
                         default=len(operators)) for i in range(len(operators))]

    def fault(self, text: str) -> None:
        self.faults.append(text)

    def judge(self) -> None:
        names = [op["name"] for stage in self.plan["stages"] for op in stage["operators"]]
        if names != [op.name for op in self.operators]:
            self.fault("the stages do not have all operators, each once and in order")
            return
        begin = 0
        for place, stage in enumerate(self.plan["stages"]):
            self.judge_stage(stage, place, begin)
            begin += len(stage["operators"])
        tiles = sum(int(s["rows"]) * int(s["columns"]) for s in self.plan["stages"])
        tiles *= int(self.plan["replicas"])
        there = int(self.hardware["columns"]) * int(self.hardware["rows"])
        if tiles != int(self.plan["tiles_used"]) or tiles > there:
            self.fault(f"{tiles} tiles, said {self.plan['tiles_used']}, there are {there}")
        times = [int(s["cycles"]) for s in self.plan["stages"]]
        if max(times) > int(self.plan["period_cycles"]):
            self.fault("a stage takes longer than the period")
        if int(self.plan.get("batch", 0)) > 0:
            self.judge_batch()
        imbalance = 1 - sum(times) / len(times) / max(times)
        if abs(imbalance - float(self.plan["imbalance"])) > 1e-9:
            self.fault(f"imbalance is {imbalance}, said {self.plan['imbalance']}")

    def batch_of_replica(self) -> int:
        return parts(int(self.plan["batch"]), int(self.plan["replicas"]))

    def judge_batch(self) -> None:
        first = sum(int(s["cycles"]) + int(s["edge_cycles"]) for s in self.plan["stages"])
        update = sooner = 0
        for stage in self.plan["stages"]:
            update = max(update, int(stage["shapes"][0]["update_cycles"]) - sooner)
            sooner += 2 * int(stage["cycles"]) // 3  # backward of the stages before
        cycles = first + (self.batch_of_replica() - 1) * int(self.plan["period_cycles"]) + update
        if cycles != int(self.plan["batch_cycles"]):
            self.fault(f"a batch takes {cycles} cycles, said {self.plan['batch_cycles']}")
        rate = int(self.plan["batch"]) / cycles * float(self.hardware["clock_hz"])
        if abs(rate / float(self.plan["samples_per_s"]) - 1) > 1e-9:
            self.fault(f"{rate} samples a second, said {self.plan['samples_per_s']}")

    def training_bytes(self, place: int, begin: int, end: int, tiles: int) -> tuple[int, int]:
        """Of a tile: what samples under way keep at least, and the optimizer's states."""
        samples = min(2 * (len(self.plan["stages"]) - place), self.batch_of_replica())
        own = self.operators[begin:end]
        kept = sum(kept_elements(op.sizes) for op in own)
        numbers = sum(matrix_numbers(op.sizes) for op in own)
        return parts(samples * kept * self.element, tiles), parts(12 * numbers, tiles)

    def judge_stage(self, stage: dict[str, Any], place: int, begin: int) -> None:
        tiles = int(stage["rows"]) * int(stage["columns"])
        end = begin + len(stage["operators"])
        weights = scratch = live = 0
        for i in range(begin, end):
            own, under_way = self.operator_bytes(stage, i, stage["operators"][i - begin])
            weights += own
            scratch = max(scratch, under_way)
            live = max(live, sum(output(self.operators[j].sizes) for j in range(begin, i + 1)
                                 if j == i or self.last[j] >= i))
        outside = {j for i in range(begin, end) for j in self.operators[i].after if j < begin}
        inputs = sum(output(self.operators[j].sizes) for j in outside)
        inputs += sum(network_input(self.operators[i].sizes) for i in range(begin, end)
                      if not self.operators[i].after)
        activations = (scratch + parts(live * self.element, tiles)
                       + parts(WAITING_SAMPLES * inputs * self.element, tiles))
        said = stage["bytes_per_tile"]
        states = 0
        if int(self.plan.get("batch", 0)) > 0:
            kept, optimizer = self.training_bytes(place, begin, end, tiles)
            activations += kept
            states = weights + optimizer
        for what, derived in (("weights", weights), ("activations", activations),
                              ("states", states), ("program", self.program)):
            if derived > int(said[what]):
                self.fault(f"stage {stage['name']}: {derived} bytes of {what}, said {said[what]}")
        whole = weights + activations + states + self.program
        self.most_bytes = max(self.most_bytes, whole, sum(int(x) for x in said.values()))
        if whole > self.sram or sum(int(x) for x in said.values()) > self.sram:
            self.fault(f"stage {stage['name']}: {whole} bytes on a tile of {self.sram}")

    def matrix_bytes(self, numbers: int) -> int:
        """Of numbers of a layer's matrix, with their scales of 16 bits."""
        if self.narrow is None:
            return numbers * self.element
        group = int(self.narrow.get("group", 0))
        scales = parts(numbers, group) if group else 0
        return parts(numbers * int(self.narrow["bits"]), 8) + 2 * scales

    def operator_bytes(self, stage: dict[str, Any], at: int,
                       said: dict[str, Any]) -> tuple[int, int]:
        """Bytes of weights that stay, and of blocks under way."""
        sizes, kind = self.operators[at].sizes, self.operators[at].kind
        tiles = int(stage["rows"]) * int(stage["columns"])
        block = int(said["block_tokens"] or 0)
        products = said["products"]
        wanted = wanted_products(sizes, block)
        if [(p["m"], p["k"], p["n"]) for p in products] != wanted:
            self.fault(f"{said['name']}: products are not those of its sizes")
            return 0, 0
        for product in products:
            self.check_copies(stage, said["name"], product)
        elements = [product_elements(product) for product in products]
        if kind == "embedding":
            columns = parts(int(sizes["hidden"]), int(stage["columns"]))
            rows = int(sizes["vocabulary"]) + int(sizes.get("positions", 0))
            return (parts(rows, int(stage["rows"])) * columns * self.element,
                    block * columns * self.element)
        if kind == "head":
            wide = int(sizes["vocabulary"]) + int(sizes["hidden"])
            return (elements[0][0] * self.element,
                    elements[0][1] * self.element + parts(block * wide * self.element, tiles))
        if kind != "transformer":
            kept = sum(self.matrix_bytes(own) if kind in ("linear", "conv2") else own * self.element
                       for own, _ in elements)
            return (kept, max((rest for _, rest in elements), default=0) * self.element)
        return self.layer_bytes(stage, sizes, block, products, elements)

    def layer_bytes(self, stage: dict[str, Any], sizes: dict[str, Any], block: int,
                    products: list[dict[str, Any]],
                    elements: list[tuple[int, int]]) -> tuple[int, int]:
        hidden, heads, kv_heads, narrow, forward, inner = layer_sizes(sizes)
        tiles = int(stage["rows"]) * int(stage["columns"])
        scores = products[4]
        within = scores["within"]
        part_tiles = int(within["rows"]) * int(within["columns"])
        turns = int(scores["turns"])
        beside = ((int(stage["rows"]) // int(within["rows"]))
                  * (int(stage["columns"]) // int(within["columns"])))
        if turns * beside < kv_heads:
            self.fault(f"stage {stage['name']}: {kv_heads} heads in {turns} turns of {beside}")
        kept = turns * (elements[4][0] + elements[5][0])  # keys and values of the whole sample
        attention = (kept + max(elements[4][1], elements[5][1])) * self.element
        attention += parts(2 * int(scores["m"]) * int(sizes["sequence"]) * self.element, part_tiles)
        under_way = max([attention] + [rest * self.element for _, rest in elements[:4]])
        wide = max(inner + forward, hidden + 2 * heads * head_size(sizes) + 2 * narrow) + hidden
        return (sum(self.matrix_bytes(own) for own, _ in elements[:4]),
                under_way + parts(block * wide * self.element, tiles))

    def check_copies(self, stage: dict[str, Any], name: str, product: dict[str, Any]) -> None:
        copies = parts(int(product["m"]), int(product["rows_a_copy"]))
        sides = (int(product["within"]["rows"]), int(product["within"]["columns"]))
        part = (int(product["part"]["rows"]), int(product["part"]["columns"]))
        room = max((sides[0] // rows) * (sides[1] // columns)
                   for rows, columns in (part, part[::-1]))
        if room < copies:
            self.fault(f"{name}: room for {room} copies of {copies}")
        if sides[0] > int(stage["rows"]) or sides[1] > int(stage["columns"]):
            self.fault(f"{name}: lies beyond its stage")

    def judge_placed(self, case: str, solution: str) -> None:
        """Judges the rectangles that the placer chose: memory, three samples of the inputs."""
        options = {}
        pattern = re.compile(r"shapes\[\s*(\d+)\s*\]\s*options=\[([^\]]*)\]\s*name='([^']*)'")
        ids = {}
        for number, shapes, name in pattern.findall(case):
            ids[number] = name
            options[name] = shapes.split()
        inputs = {name: 0 for name in options}
        edge = re.compile(r"(\w+)\[\s*\d+\s*\]:\w+ -> (\w+)\[\s*(\d+)\s*\]:\w+, "
                          r"shape:\[(\d+)\]\[(\d+)\]\[(\d+)\]")
        for _, consumer, number, *sides in edge.findall(case):
            if consumer == "shapes":
                inputs[ids[number]] += int(sides[0]) * int(sides[1]) * int(sides[2])
        chosen = dict(re.findall(r"(\S+) = shapes\(\s*(\d+)\s*\)", solution))
        if set(chosen) != set(options):
            self.fault("the solution does not have all kernels of the case")
            return
        for name, option in chosen.items():
            size, _, words = options[name][int(option) - 1].split(":")
            width, height = (int(side) for side in size.split("x"))
            waiting = parts(WAITING_SAMPLES * inputs[name] * self.element, width * height)
            whole = int(words) * int(self.hardware.get("element_bytes", 2)) + waiting + self.program
            self.most_bytes = max(self.most_bytes, whole)
            if whole > self.sram:
                self.fault(f"placed {name}: {whole} bytes on a tile of {self.sram}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plan", type=Path)
    parser.add_argument("workload", type=Path)
    parser.add_argument("hardware", type=Path)
    parser.add_argument("--case", type=Path)
    parser.add_argument("--solution", type=Path)
    given = parser.parse_args()
    try:
        plan, workload, hardware = (json.loads(path.read_text(encoding="utf-8"))
                                    for path in (given.plan, given.workload, given.hardware))
        operators: list[Operator] = []
        expand(workload["operators"], "", [], operators)
        judge = Judge(plan, operators, hardware.get("fabric", hardware), workload.get("weights"))
        judge.judge()
        if given.case and given.solution:
            judge.judge_placed(given.case.read_text(encoding="utf-8"),
                               given.solution.read_text(encoding="utf-8"))
    except (OSError, KeyError, ValueError) as error:
        print(f"verify_wafer_plan.py: {error!r}", file=sys.stderr)
        return 2
    print(json.dumps({"legal": not judge.faults, "faults": judge.faults,
                      "stages": len(plan["stages"]), "tiles": plan["tiles_used"],
                      "most_bytes": judge.most_bytes, "imbalance": plan["imbalance"]}, indent=2))
    return 4 if judge.faults else 0


if __name__ == "__main__":
    sys.exit(main())
