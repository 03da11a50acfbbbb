#!/usr/bin/env python3
"""Inference of ResNet-50 and BERT-base on a Grayskull (PALM, Table V).

One constant, the achieved part of the peak rates, is fitted so that the geometric mean of ours over
published is 1, or is the whole peak if that is still below; nothing is fitted by network. Beside ours stands a model that knows nothing but one
part of the peak, fitted alike. The paper tells neither batch nor mapping: ours are judged as they
stand here, others are shown at the same constant.
"""

import copy
import json
import math
import pathlib
import sys

from study import (ROOT, JsonFiles, arguments_parser, fabric_of, finish, parse, print_table, report, signed,
                   write_tables)

PUBLISHED = {"resnet50": 22431, "bert_base": 2830}  # samples/s
NAMES = {"resnet50": "ResNet-50, int8", "bert_base": "BERT-base, fp16"}
CORES = 120
MOST_ERROR = 20.0  # per cent
OURS = (
    "ResNet-50: int8 throughout, sums and rectifiers at the rate of matrix products; images of "
    "224 x 224",
    "ResNet-50: one image at a time, 10 stages of 12 cores; images are cut by rows in the first "
    "half (conv1 to stage3), behind it by output channels; neighbours exchange rows at borders",
    "BERT-base: 128 tokens; embeddings are looked up on the host; no answer head but its pooler",
    "BERT-base: 4 stages of 30 cores, two replicas of 15, micro-batches of 32 sequences",
    "inputs come and outputs leave over PCIe; filling and draining left out, as in the paper",
)


def operators(program, model):
    return report(program, "workload", model)["operators"]


def by_rows_or_channels(found, cores):
    """Degrees of ResNet's operators: whichever of activations and weights is larger is divided."""
    degrees = {}
    for operator in found:
        early = operator["name"].startswith(("conv1", "stage2", "stage3"))
        if operator["kind"] == "linear" or (operator["kind"] == "conv2" and not early):
            degrees[operator["name"]] = {"out": cores}
        elif operator["kind"] == "pool" and not early:
            degrees[operator["name"]] = {"in": cores}
        else:
            degrees[operator["name"]] = {"rows": cores}
    return degrees


class Mapping:
    """A network's plan, the bytes of an element and whether what is not kept in SRAM streams."""

    def __init__(self, model, name, data_type, element_bytes, streams=True, **plan):
        self.model, self.name, self.streams = model, name, streams
        self.element_bytes = element_bytes
        self.plan = {"schedule": "inference", "micro_batches": 60, "data_type": data_type,
                     "leave_out": ["embedding"] if model == "bert_base" else [], **plan}


def judged(program):
    cut = by_rows_or_channels(operators(program, "resnet50"), 12)
    return [Mapping("resnet50", "10 stages x 12 cores", "int8", 1, tensor=12, pipeline=10,
                    degrees=cut),
            Mapping("bert_base", "4 stages x 2 replicas x 15 cores", "fp16", 2, tensor=15, data=2,
                    pipeline=4, micro_batch=32)]


def others():
    return [Mapping("resnet50", "12 stages x 10 replicas", "int8", 1, data=10, pipeline=12),
            Mapping("resnet50", "12 stages x 10 cores, by channels", "int8", 1, tensor=10,
                    pipeline=12),
            Mapping("bert_base", "12 stages x 10 cores", "fp16", 2, tensor=10, pipeline=12),
            Mapping("bert_base", "12 stages x 10 cores, DRAM ignored", "fp16", 2, False, tensor=10,
                    pipeline=12),
            Mapping("bert_base", "12 stages x 10 cores, 8 bits stored", "fp16", 1, tensor=10,
                    pipeline=12)]


class Chip:
    """Runs mappings with any part of the peak."""

    def __init__(self, program, files, hardware):
        self.program, self.files, self.hardware = program, files, hardware

    def run(self, mapping, percent):
        hardware = copy.deepcopy(self.hardware)
        hardware["element_bytes"] = mapping.element_bytes
        hardware["achievable_percent"] = round(percent, 6)
        words = [] if mapping.streams else ["--no-dram"]
        return report(self.program, "simulate", mapping.model,
                      "--plan", self.files.write("plan", mapping.plan),
                      "--hardware", self.files.write("hardware", hardware), *words)

    def rate(self, mapping, percent):
        return self.run(mapping, percent)["plan"]["samples_per_s"]

    def fitted(self, mappings):
        """The percentage of the peak at which the geometric mean of ours over published is 1: rates
        grow with it. None if there is none."""
        def off(percent):
            return sum(math.log(self.rate(one, percent) / PUBLISHED[one.model]) for one in mappings)
        low, high = 1.0, 100.0
        if off(high) < 0:
            return None
        while high - low > 1e-3:
            middle = (low + high) / 2
            low, high = (middle, high) if off(middle) < 0 else (low, middle)
        return round(high, 3)


def constant_part(chip, mappings):
    """Of the model of one constant: rate = part · peak / FLOP."""
    parts = [PUBLISHED[one.model] / chip.run(one, 100)["plan"]["ideal_samples_per_s"]
             for one in mappings]
    return math.prod(parts) ** (1 / len(parts))


def error(rate, model):
    return 100 * (rate / PUBLISHED[model] - 1)


def row(chip, mapping, percent, constant, needs=""):
    found = chip.run(mapping, percent)
    plan = found["plan"]
    ours = plan["samples_per_s"]
    bare = constant * plan["ideal_samples_per_s"] / (percent / 100)
    return {"network": NAMES[mapping.model], "mapping": mapping.name,
            "judged": "yes" if needs else "", "published": PUBLISHED[mapping.model], "ours": ours,
            "error %": error(ours, mapping.model), "alone needs %": needs,
            "bound": found["bound"], "constant": bare,
            "constant error %": error(bare, mapping.model)}


def memory_row(chip, mapping, percent):
    """What of a network stays in SRAM, and what the memory behind the edge carries."""
    plan = chip.run(mapping, percent)["plan"]
    memories = [stage["memory"] for stage in plan["stages"]]
    resident = sum(memory["sram_use"] == "resident" for memory in memories)
    sram = CORES * chip.hardware["sram_bytes_per_tile"]
    weights = sum(memory["weights_bytes"] for memory in memories)
    activations = sum(memory["activations_bytes"] + memory["working_bytes"] for memory in memories)
    streamed = sum(operator["forward"]["read"] + operator["forward"]["written"]
                   for memory in memories for operator in memory["operators"])
    samples = plan["data"] * plan["micro_batch"]
    return {"network": NAMES[mapping.model], "mapping": mapping.name, "weights MB": weights / 1e6,
            "activations MB": activations / 1e6, "SRAM MB": sram / 1e6,
            "stages in SRAM": f"{resident} of {len(memories)}",
            "streamed MB a sample": streamed / samples / 1e6 if mapping.streams else 0.0,
            "fits": "yes" if plan["memory"]["fits"] else "no"}


def print_assumed(chip, mapping):
    print("\nAssumed, for the paper says nothing of it:")
    for line in OURS:
        print(f"- {line}")
    for figure in chip.run(mapping, 100)["assumptions"]:
        if "assumed" in figure["source"]:
            print(f"- hardware, {figure['key']}: {figure['source']}")


def draw(plt, rows):
    shown = [row for row in rows if row["judged"]]
    figure, axes = plt.subplots(figsize=(4.5, 3))
    for i, name in enumerate(("ours", "constant")):
        axes.bar([x + 0.4 * i for x in range(len(shown))],
                 [row[name] / row["published"] for row in shown], 0.35, label=name)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xticks([x + 0.2 for x in range(len(shown))], [row["network"] for row in shown])
    axes.set_ylabel("samples/s over published")
    axes.legend()
    return figure


def page_table(rows):
    """The table of docs/studies.md."""
    return [["network", "mapping", "judged", "published", "ours", "error %", "bound by",
             "constant model", "its error %"]] + [
        [row["network"], row["mapping"], row["judged"], f"{row['published']:,}",
         f"{row['ours']:,.0f}", signed(row["error %"], ".1f"), row["bound"],
         f"{row['constant']:,.0f}", signed(row["constant error %"], ".1f")] for row in rows]


def page_figures(rows, memory, percent, constant):
    """Single figures of docs/studies.md."""
    judged_rows = [row for row in rows if row["judged"]]
    return {"percent": percent, "constant_percent": 100 * constant,
            "mean": math.prod(row["ours"] / row["published"] for row in judged_rows)
                    ** (1 / len(judged_rows)),
            "resnet_weights_mb": memory[0]["weights MB"],
            "resnet_activations_mb": memory[0]["activations MB"],
            "bert_weights_mb": memory[1]["weights MB"] / 2,
            "bert_weights_mb_8_bit": memory[-1]["weights MB"], "sram_mb": memory[0]["SRAM MB"]}


def main():
    parser = arguments_parser(__doc__, "scripts/study_table_v.py --csv table_v.csv")
    parser.add_argument("--hardware", type=pathlib.Path, metavar="FILE",
                        default=ROOT / "model/presets/grayskull.json")
    arguments = parse(parser)
    hardware = fabric_of(json.loads(arguments.hardware.read_text(encoding="utf-8")))
    mine = judged(arguments.program)
    with JsonFiles() as files:
        chip = Chip(arguments.program, files, hardware)
        percent = chip.fitted(mine)
        if percent is None:
            percent = 100.0
            print("Even at the peak the geometric mean of ours is below the published rates.")
        constant = constant_part(chip, mine)
        rows = [row(chip, one, percent, constant, chip.fitted([one]) or "above 100")
                for one in mine]
        rows += [row(chip, one, percent, constant) for one in others()]
        memory = [memory_row(chip, one, percent) for one in [*mine, *others()]]
        print(f"achieved: {percent} % of the peak; constant model: {100 * constant:.2f} %\n")
        print_table(memory)
        print_assumed(chip, mine[1])
        print()
    worst = [max(abs(cell[name]) for cell in rows if cell["judged"])
             for name in ("error %", "constant error %")]
    write_tables(arguments, {"rates": page_table(rows)},
                 page_figures(rows, memory, percent, constant))
    return finish(arguments, rows, [
        (f"both networks are within {MOST_ERROR:.0f} % with one constant", worst[0] <= MOST_ERROR,
         f"{worst[0]:.2f} % at most"),
        ("the mapping explains more than the constant alone", worst[0] < worst[1],
         f"{worst[0]:.2f} % at most, the constant {worst[1]:.2f} %"),
        ("ResNet-50 stays in SRAM, BERT-base in fp16 does not",
         memory[0]["stages in SRAM"] == "10 of 10" and
         memory[1]["weights MB"] / mine[1].plan["data"] > memory[1]["SRAM MB"],
         f"weights of {memory[0]['weights MB']:.1f} MB with their copies, and of "
         f"{memory[1]['weights MB'] / mine[1].plan['data']:.1f} MB once"),
    ], lambda plt: draw(plt, rows))


if __name__ == "__main__":
    sys.exit(main())
