#!/usr/bin/env python3
"""Tells how long a step takes under weight streaming, written from docs/wafer_plans.md.

    streaming_oracle.py PLAN WORKLOAD HARDWARE

prints {step_s, forward_layer_s, backward_layer_s, activations_per_tile} as JSON. PLAN is what
`waferloom plan --way streaming -o` writes, of which only the batch, its micro-batches, whether it
trains, what is computed again, how many sequences attend at once, the pieces of the head and the
rectangle of tiles are taken; WORKLOAD and HARDWARE are files, presets from model/presets/. Nothing
is shared with the program.

Tokens lie over rows of tiles, features over columns. Of a product out = in · W, W goes past the
tiles row by row. For each of its rows a tile begins an update, and does a vector operation on its
tokens for each of its features; at least the words of the row and of the sums have to go through its
ramp. Sums go from tile to tile along the features' side. A layer takes the longest of its cycles, its
weights through the ports and over the busiest link; backward its gradients out, too. Inference goes
forward alone, and keeps of each token what a layer hands to the next; the head has a token a prompt.

Where the machine's training programs were measured (`programs.training`), a layer that trains takes
the sum of a fixed time, its multiply-adds at a share of the peak, and its weights at a share of the
ports' rate; bytes lie evenly over the tiles.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

RECOMPUTED = {"none": (0, 0), "selective": (0, 1), "full": (1, 1)}  # products and small ops; attention
STEPS = 13  # of a layer's program


def up(extent: float, ways: int) -> int:
    return math.ceil(extent / ways)


class Machine:
    def __init__(self, hardware: dict, data_type: str) -> None:
        self.clock = hardware["clock_hz"]
        self.lanes = hardware["multiply_adds_per_cycle"][data_type]
        self.hop = hardware["hop_cycles"]
        self.ramp = hardware["ramp_cycles"]
        self.element = {"fp32": 4, "fp16": 2, "bf16": 2}[data_type]
        self.cycles = hardware["programs"]["waferllm"][data_type]
        ports = sum(port.get("last", port["position"]) - port["position"] + 1
                    for port in hardware["host_ports"])
        self.training = hardware.get("programs", {}).get("training", {}).get(data_type)
        self.port_bytes = min(ports * 4 * self.clock, hardware.get("host_bytes_per_s", math.inf))

    def cost(self, name: str) -> float:
        return self.cycles.get(name, 1 if name == "issue" else 0)

    def words(self, elements: float) -> int:
        return up(elements * self.element, 4)

    def vectors(self, count: float, length: float) -> float:
        return count * (self.cost("vector") + up(length, self.cost("lanes") or self.lanes) * self.cost("issue"))

    def streamed(self, rows: int, summed: int, kept: int, along: int, across: int) -> float:
        """Cycles of `rows` rows that go past a block: `summed` lies over `along` tiles, over which
        sums travel, `kept` over `across`."""
        own, other = up(summed, along), up(kept, across)
        computing = rows * (self.cost("update") + self.vectors(own, other))
        through_ramp = self.words(own) + (self.words(other) if along > 1 else 0)
        stages = (along - 1) * (self.cost("chain_stage") + 2 * self.ramp + 1)
        ways = (across - 1 + along - 1) * self.hop + 2 * self.ramp
        return (self.cost("start") + 2 * self.cost("phase") + stages + ways
                + max(computing, rows * through_ramp) + through_ramp)


class Layer:
    def __init__(self, workload: dict) -> None:
        layer = next(op for op in workload["operators"] if op["kind"] == "transformer")
        self.count = layer.get("repeat", 1)
        self.narrow = workload.get("weights")
        self.tokens = layer["sequence"]
        self.hidden = layer["hidden"]
        self.heads = layer["heads"]
        self.inner = layer.get("feed_forward", 4 * self.hidden)
        self.gated = layer.get("gated", False)
        self.head = layer.get("head_size", self.hidden // self.heads)
        self.queries = self.heads * self.head
        self.keys = 2 * self.head * layer.get("key_value_heads", self.heads)
        head = next((op for op in workload["operators"] if op["kind"] == "head"), None)
        self.vocabulary = head["vocabulary"] if head else 0
        self.predicted = head["sequence"] if head else 0  # tokens of a sequence, in training

    def matrices(self) -> list[tuple[int, int]]:
        wide = self.inner * (2 if self.gated else 1)
        return [(self.hidden, self.queries + self.keys), (self.queries, self.hidden),
                (self.hidden, wide), (self.inner, self.hidden)]

    def parameters(self) -> int:
        return sum(rows * columns for rows, columns in self.matrices())

    def weight_bytes(self, element: int) -> int:
        """Of all matrices, in the bits that the network names, with scales of two bytes."""
        if self.narrow is None:
            return self.parameters() * element
        group = self.narrow.get("group", 0)
        return (up(self.parameters() * self.narrow["bits"], 8)
                + (2 * up(self.parameters(), group) if group else 0))


class Step:
    def __init__(self, plan: dict, workload: dict, hardware: dict) -> None:
        best = plan["best"]
        self.trains = plan.get("trains", True)
        self.machine = Machine(hardware, plan["data_type"])
        self.layer = Layer(workload)
        self.micro_batches = best.get("micro_batches", 1)
        self.batch = up(best["batch"], self.micro_batches)
        self.pieces = best.get("head_pieces", 1)
        self.recompute = best["recompute"]
        self.at_once = best.get("attention_sequences", self.batch)
        self.rows, self.columns = best["rows"], best["columns"]
        self.tokens = self.batch * self.layer.tokens

    def forward(self, size: tuple[int, int], tokens: int) -> float:
        return self.machine.streamed(size[1], size[0], tokens, self.columns, self.rows)

    def backward(self, size: tuple[int, int], tokens: int) -> float:
        """The gradient of what came in, by the same layout, and that of the matrix, whose sums are
        over tokens."""
        came_in = self.machine.streamed(size[0], size[1], tokens, self.columns, self.rows)
        matrix = self.machine.streamed(size[0], tokens, size[1], self.rows, self.columns)
        return came_in + matrix

    def attention(self) -> float:
        """Sequences have rows of their own, heads parts of these, as square as can be."""
        layer, machine = self.layer, self.machine
        rows = max(1, self.rows // self.at_once)
        best = max(((min(rows // up(layer.heads, across), self.columns // across),
                     rows // up(layer.heads, across), self.columns // across)
                    for across in range(1, min(layer.heads, self.columns) + 1)
                    if rows // up(layer.heads, across) > 0), default=(1, 1, 1))
        high, wide = best[1], best[2]
        turns = up(self.batch, self.at_once) * up(layer.heads, min(layer.heads, (rows // high) * (self.columns // wide)))
        size = layer.head
        scores = machine.streamed(layer.tokens, size, layer.tokens, high, wide)
        values = machine.streamed(layer.tokens, layer.tokens, size, high, wide)
        own = up(layer.tokens, wide) * up(layer.tokens, high)
        softmax = machine.vectors(3 * up(layer.tokens, wide), up(layer.tokens, high))
        return turns * (scores + values + softmax + own * machine.cost("exponential"))

    def small(self) -> float:
        """Norms, sums, the activation, steps of the program."""
        layer, machine = self.layer, self.machine
        own = up(self.tokens, self.rows)
        features = up(layer.hidden, self.columns)
        sums = 2 * machine.vectors(1, up(self.tokens * layer.hidden, self.rows * self.columns))
        inner = own * up(layer.inner, self.columns)
        activation = (machine.vectors(2 if layer.gated else 1, inner)
                      + inner * machine.cost("exponential"))
        return (2 * machine.vectors(2 * own, features) + sums + activation
                + STEPS * machine.cost("step"))

    def seconds(self, cycles: float, coming: float, leaving: float) -> float:
        """The longest of what tiles compute and of bytes that come and leave."""
        machine = self.machine
        links = max(coming, leaving) / 4 / min(self.columns, 2 * self.rows)
        return max(cycles / machine.clock, max(coming, leaving) / machine.port_bytes,
                   links / machine.clock)

    def activations(self) -> int:
        """Bytes of a tile that forward keeps, of all layers (Korthikanti et al., 2022); in inference
        those of a layer's input."""
        layer = self.layer
        if not self.trains:
            return (up(self.tokens, self.rows) * up(layer.hidden, self.columns)
                    * self.machine.element)
        inner = (3 if layer.gated else 2) * layer.inner
        inside = 4 * layer.hidden + 2 * layer.queries + layer.keys + inner
        kept = {"full": layer.hidden, "selective": inside,
                "none": inside + layer.heads * layer.tokens}[self.recompute]
        own = up(self.tokens, self.rows) * up(kept, self.columns)
        if self.machine.training:
            own = up(self.tokens * kept, self.rows * self.columns)
        return layer.count * own * self.machine.element

    def times(self) -> dict[str, float]:
        if not self.trains:
            return self.inference()
        return self.measured() if self.machine.training else self.training()

    def measured(self) -> dict[str, float]:
        layer, machine, figures = self.layer, self.machine, self.machine.training
        again, attention_again = RECOMPUTED[self.recompute]
        rate = (self.rows * self.columns * machine.lanes * machine.clock
                * figures["products_percent"] / 100)
        ports = machine.port_bytes * figures["ports_percent"] / 100 / machine.element
        fixed = figures["layer_seconds"] / 2
        products = layer.parameters() * self.tokens / rate
        attention = 2 * layer.tokens * layer.hidden * self.tokens / rate
        stream = layer.parameters() / ports
        forward = fixed + products + attention + stream
        backward = (fixed + (2 + again) * products + (2 + attention_again) * attention
                    + (1 + again) * stream)
        micro_batch = layer.count * (forward + backward)
        if layer.vocabulary:
            words = layer.vocabulary * layer.hidden
            tokens = up(self.batch * layer.predicted, self.pieces)
            micro_batch += self.pieces * (2 * fixed + 3 * words * tokens / rate + 2 * words / ports)
            micro_batch += 2 * self.tokens * layer.hidden / ports
        return {"step_s": self.micro_batches * micro_batch, "forward_layer_s": forward,
                "backward_layer_s": backward, "activations_per_tile": self.activations()}

    def inference(self) -> dict[str, float]:
        layer, element = self.layer, self.machine.element
        cycles = sum(self.forward(size, self.tokens) for size in layer.matrices())
        forward = self.seconds(cycles + self.attention() + self.small(),
                               layer.weight_bytes(element), 0)
        step = layer.count * forward
        if layer.vocabulary:
            last = self.machine.streamed(layer.vocabulary, layer.hidden, self.batch, self.columns,
                                         self.rows)
            step += self.seconds(last, layer.vocabulary * layer.hidden * element, 0)
            step += self.seconds(0, self.tokens * layer.hidden * element, 0)
        return {"step_s": step, "forward_layer_s": forward, "backward_layer_s": 0.0,
                "activations_per_tile": self.activations()}

    def training(self) -> dict[str, float]:
        layer = self.layer
        products = sum(self.forward(size, self.tokens) for size in layer.matrices())
        behind = sum(self.backward(size, self.tokens) for size in layer.matrices())
        attention, small = self.attention(), self.small()
        again, attention_again = RECOMPUTED[self.recompute]
        weights = layer.parameters() * self.machine.element
        forward = self.seconds(products + attention + small, weights, 0)
        # What is computed again needs its weights once more.
        backward = self.seconds(behind + 2 * (attention + small) + again * (products + small)
                                + attention_again * attention, (1 + again) * weights, weights)
        step = layer.count * (forward + backward)
        table = self.tokens * layer.hidden * self.machine.element
        if layer.vocabulary:
            head = layer.vocabulary * layer.hidden * self.machine.element
            size = (layer.hidden, layer.vocabulary)
            tokens = up(self.batch * layer.predicted, self.pieces)
            step += self.pieces * self.seconds(self.forward(size, tokens), head, 0)
            step += self.pieces * self.seconds(self.backward(size, tokens), head, head)
            step += self.seconds(0, table, 0) + self.seconds(0, 0, table)
        return {"step_s": self.micro_batches * step, "forward_layer_s": forward,
                "backward_layer_s": backward, "activations_per_tile": self.activations()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("plan", "workload", "hardware"):
        parser.add_argument(name, type=Path)
    arguments = parser.parse_args()
    plan, workload, hardware = (json.loads(path.read_text()) for path in
                                (arguments.plan, arguments.workload, arguments.hardware))
    print(json.dumps(Step(plan, workload, hardware.get("fabric", hardware)).times(), indent=2))


if __name__ == "__main__":
    main()
