#!/usr/bin/env python3
"""Layouts of stages, groups of tiles and degrees on PALM's wafer (Figs. 8 to 10, Eq. 6).

20 stages of 16 tiles (four layers of T-145B each), every (TP, DP) with TP · DP = 16, laid out as
strips (mapping1), in an S (mapping2) and as `waferloom place` has them, with neighbouring tiles
(comm1) or others (comm2) as a replica. Micro-batches of one sample, without embedding and head, as
many micro-batches as stages unless --micro-batches says otherwise. On four wafers:

  links      palm_wafer with --no-dram: nothing but tensors and all-reduces is on the mesh
  preset     palm_wafer: weights and activations, far more than the SRAM holds, stream
  standing   the same, 16 tiles wide and 20 high, so that the pipeline goes down and memory is at
             the strips' ends, as the paper has it; a port on either side of every row of groups
  staggered  likewise, ports on the east a row further

No training of these models fits the wafer's memory with 16 replicas; it runs all the same.
"""

import copy
import json
import math
import pathlib
import sys

from study import (ROOT, JsonFiles, arguments_parser, fabric_of, finish, parse, print_table, report, text,
                   write_tables)
from study import run as run_program

MODELS = {"T-18B": 6144, "T-76B": 10240, "T-145B": 12288}
LAYERS = {"T-18B": 40, "T-76B": 60, "T-145B": 80}
STAGES, TILES, SEQUENCE, BYTES = 20, 16, 2048, 2
DEGREES = (1, 2, 4, 8, 16)
LAYOUTS = ("line", "s-shape", "placed")
GROUPS = ("contiguous", "strided")
BATCH = 112  # samples: Eq. 6's optimum of 1.6 for T-145B asks for 112.5
PAPER = {"T-18B": "2, 8", "T-76B": "2, 8", "T-145B": "4, 4"}  # best (TP, DP), Fig. 10


def standing(preset, east):
    """The wafer with as many columns as the preset has rows, a port on either side of every row of
    groups; those on the east so many rows further."""
    wafer = copy.deepcopy(preset)
    wafer["columns"], wafer["rows"] = preset["rows"], preset["columns"]
    wafer["host_ports"][0]["position"] = wafer["columns"] // 2
    for i, port in enumerate(wafer["dram_ports"]):
        port["position"] = i % 5 * 4 + 1 + (east if port["side"] == "east" else 0)
    return wafer


def wafers(preset):
    return {"links": preset, "preset": preset, "standing": standing(preset, 0),
            "staggered": standing(preset, 1)}


def comm_size(tensor, hidden):
    """Eq. 6: elements of a layer and a batch."""
    return 8 * BATCH * SEQUENCE * hidden * tensor / TILES + 24 * hidden**2 / tensor


def eq6_optimum(hidden):
    return math.sqrt(3 * hidden * TILES / (BATCH * SEQUENCE))


class Wafer:
    """Runs plans on one wafer."""

    def __init__(self, options, files, name, hardware):
        self.program, self.effort, self.routing = options.program, options.effort, options.routing
        self.files, self.name = files, name
        self.hardware = files.write(name, hardware)

    def run(self, model, tensor, micro_batches, layout="s-shape", groups="contiguous",
            network="fair"):
        plan = {"tensor": tensor, "data": TILES // tensor, "pipeline": STAGES, "groups": groups,
                "micro_batches": micro_batches, "leave_out": ["embedding", "head"],
                "routing": self.routing}
        words = ["--plan", self.files.write("plan", plan), "--hardware", self.hardware]
        words += ["--no-dram"] if self.name == "links" else []
        if layout == "placed":
            placement = self.files.path("placement")
            run_program(self.program, "place", model, *words, "-o", placement,
                        "--effort", self.effort)
            words += ["--placement", placement]
        else:
            plan["layout"] = layout
            self.files.write("plan", plan)
        return report(self.program, "simulate", model, *words, "--network", network,
                      "--allow-infeasible")

    def row(self, model, groups, tensor, micro_batches):
        cells = {"wafer": self.name, "model": model, "groups": groups, "TP": tensor,
                 "DP": TILES // tensor}
        for layout in LAYOUTS:
            found = self.run(model, tensor, micro_batches, layout, groups)["plan"]
            cells[layout] = found["samples_per_s"]
        cells["S / line"] = cells["s-shape"] / cells["line"]
        cells["placed / line"] = cells["placed"] / cells["line"]
        cells["placed / S"] = cells["placed"] / cells["s-shape"]
        return cells


def exchanges(plan, batch):
    """Seconds that all-reduces of so many samples take on the slowest stage."""
    micro_batches = batch / plan["data"]
    return max(micro_batches * stage["tensor_exchange_ps"] + stage["update_ps"]
               for stage in plan["stages"]) / 1e12


def noc_row(wafer, model, tensor, micro_batches):
    """Eq. 6 beside what all-reduces take of the same batch (Fig. 9), and the rates of Fig. 10."""
    data = TILES // tensor
    found = wafer.run(model, tensor, BATCH // data)["plan"]
    alone = wafer.run(model, tensor, BATCH // data, network="analytic")["plan"]
    steady = wafer.run(model, tensor, micro_batches)["plan"]
    stage = found["stages"][0]
    working = stage["forward_ps"] + stage["backward_ps"]
    size = comm_size(tensor, MODELS[model]) * LAYERS[model] / STAGES * BYTES
    return {"model": model, "TP": tensor, "DP": data, "Eq. 6 GB": size / 1e9,
            "alone ms": 1e3 * exchanges(alone, BATCH), "NoC ms": 1e3 * exchanges(found, BATCH),
            "NoC %": 100 * exchanges(found, BATCH) / (found["batch_ps"] / 1e12),
            "TP %": 100 * stage["tensor_exchange_ps"] / working,
            f"samples/s of {BATCH}": found["samples_per_s"],
            f"samples/s of {micro_batches} DP": steady["samples_per_s"]}


def best(rows, key, least=False):
    row = (min if least else max)(rows, key=lambda row: row[key])
    return f"{row['TP']}, {row['DP']}"


def optima(rows, micro_batches):
    """(TP, DP) by each rule, one line a model."""
    found = []
    for model, hidden in MODELS.items():
        mine = [row for row in rows if row["model"] == model]
        if not mine:
            continue
        found.append({"model": model, "Eq. 6, real TP": eq6_optimum(hidden),
                      "Eq. 6": best(mine, "Eq. 6 GB", least=True),
                      "least alone": best(mine, "alone ms", least=True),
                      "least on links": best(mine, "NoC ms", least=True),
                      f"most samples/s, batch of {BATCH}": best(mine, f"samples/s of {BATCH}"),
                      f"batch of {micro_batches} DP":
                          best(mine, f"samples/s of {micro_batches} DP"),
                      "paper": PAPER[model]})
    return found


def grouping_ratios(rows):
    """Contiguous over strided where they differ."""
    rates = {(row["wafer"], row["model"], row["TP"], row["groups"]): row for row in rows}
    return [rates[wafer, model, tensor, "contiguous"][layout] / row[layout]
            for (wafer, model, tensor, groups), row in rates.items()
            if groups == "strided" and 1 < tensor < TILES for layout in LAYOUTS]


def span(ratios):
    return f"x {min(ratios):.4f} to {max(ratios):.4f}"


def found_claims(rows, optimum):
    def of(key, *names, least=1):
        return [row[key] for row in rows if row["wafer"] in names and row["TP"] >= least]
    groups = grouping_ratios([row for row in rows if row["wafer"] == "links"])
    lines, standing_lines = of("S / line", "links", least=4), of("S / line", "standing")
    placed = of("placed / line", "links", least=4)
    standing_placed, preset_placed = of("placed / line", "standing"), of("placed / line", "preset")
    against_s = of("placed / S", "links", "preset", "standing")
    result = [
        ("contiguous groups beat strided ones (links, 1 < TP < 16)", min(groups) > 1, span(groups)),
        ("S-shape beats the line (links, TP >= 4)", min(lines) > 1, span(lines)),
        ("ours beats the line (links, TP >= 4)", min(placed) > 1, span(placed))]
    if standing_lines:
        result += [
            ("S-shape beats the line (standing)", min(standing_lines) > 1,
             span(standing_lines)),
            ("ours beats the line (standing)", min(standing_placed) > 1, span(standing_placed))]
    if preset_placed:
        result.append(("ours is ahead of the line or at most 1 % behind (preset)",
                       min(preset_placed) >= 0.99, span(preset_placed)))
    result.append(("ours is nowhere slower than S-shape (links, preset, standing)",
                   min(against_s) >= 1, span(against_s)))
    result.append(("rings alone take least where Eq. 6 has its minimum (Fig. 9)",
                   all(row["least alone"] == row["Eq. 6"] for row in optimum),
                   ", ".join(f"{row['model']}: ({row['least alone']})" for row in optimum)))
    return result


def page_tables(rows, noc, optimum, names):
    """Those of docs/studies.md: layouts by wafer, and of T-145B what Eq. 6 leaves open."""
    def line(title, key):
        spans = ([row[key] for row in rows if row["wafer"] == name] for name in names)
        return [title, *(f"{min(span):.4g} to {max(span):.4g}" for span in spans)]
    layouts = [["over all models and degrees", *names], line("S-shape over line", "S / line"),
               line("ours over line", "placed / line"), line("ours over S-shape", "placed / S")]
    exchanges_of = [["T-145B", "Eq. 6, GB a stage", "rings alone, ms", "on shared links, ms",
                     f"samples/s, batch of {BATCH}", f"of {STAGES} · DP"]]
    for row in noc:
        if row["model"] == "T-145B":
            cells = list(row.values())[3:]
            exchanges_of.append([f"({row['TP']}, {row['DP']})", *map(text, cells[:3]),
                                 *map(text, cells[-2:])])
    rules = [["", "Eq. 6, real TP", "Eq. 6", "rings alone", "shared links",
              f"batch of {BATCH}", f"batch of {STAGES} · DP", "paper, Fig. 10"]]
    rules += [[row["model"], f"{row['Eq. 6, real TP']:.2f}", *list(row.values())[2:]]
              for row in optimum]
    return {"layouts": layouts, "exchanges": exchanges_of, "rules": rules}


def page_figures(rows, noc):
    """Single figures of docs/studies.md, in per cent."""
    def groups(wafer):
        found = grouping_ratios([row for row in rows if row["wafer"] == wafer])
        return [100 * (ratio - 1) for ratio in found]
    bare = [row for row in rows if row["wafer"] == "links" and row["groups"] == "contiguous"]
    steady = {model: [row["samples/s of 20 DP"] for row in noc if row["model"] == model]
              for model in MODELS}
    return {"groups": {name: groups(name) for name in ("links", "standing", "preset")},
            "spread": {name: 100 * (spread(rows, name) - 1) for name in ("links", "standing")},
            "strips_ahead": 100 * (1 - min(row["S / line"] for row in bare if row["TP"] <= 2)),
            "preset_behind": 100 * (1 - min(row["placed / line"] for row in rows
                                            if row["wafer"] == "preset")),
            "staggered_behind_line": 100 * (1 - min(row["placed / line"] for row in rows
                                                    if row["wafer"] == "staggered")),
            "staggered_behind_s": 100 * (1 - min(row["placed / S"] for row in rows
                                                 if row["wafer"] == "staggered")),
            "exchange_145": next(row["TP %"] for row in noc
                                 if (row["model"], row["TP"]) == ("T-145B", 8)),
            "exchange_most": max(row["TP %"] for row in noc),
            "steady_gain": [100 * (max(rates) / min(rates) - 1) for rates in steady.values()]}


DIFFERENCES = """
Where this differs from the paper, and why:
- Its gaps of 2 x are not there: the best of all degrees, layouts and groups is x {links:.3f} of
  the worst on links, x {standing_all:.3f} standing. By Table VI a tile computes 16 TFLOP/s and
  sends 1 TB/s, so that all-reduces are {share:.2f} % of a micro-batch of T-145B at TP 8.
- At TP 1 and 2 strips are level with blocks or ahead (links): next to nothing is reduced in the
  pipeline, and strips pass a tensor over 16 lanes, blocks over 4.
- Streams from memory decide by more, and by where ports are, of which the paper says nothing but
  their rate: S over line is x {preset:.2f} on the preset, {standing:.2f} standing,
  {staggered:.2f} staggered (T-145B, TP 8, DP 2). On the preset a strip reaches five ports, a
  block one or two, most over one link between groups; standing all strips find the west port
  first; staggered half of them the east one.
- Ours takes blocks when nothing streams, and 8 x 2 tiles otherwise, more of whose links lead to
  ports. Staggered it may lose to strips, which it does not try (they are more than four times as
  long as wide), and to blocks: what it knows of streams is what the busiest link or port needs.
- All-reduces as Eq. 6 has them, alone on the mesh, take least at its minimum, though its 8 B S H
  / N is not there at TP 1, where nothing is reduced. On links (2, 8) loses to (1, 16): its rings
  of replicas go across the blocks of TP, two over a link.
- The best (TP, DP) by throughput is not Eq. 6's: a batch of {batch} samples is {batch} / DP
  micro-batches, fewer than stages where there are many replicas, and the bubble decides; with
  micro-batches in proportion to DP bubbles are equal, and the fewest all-reduces in the pipeline
  win."""


def spread(rows, wafer):
    """Best over worst rate of a model, the most of all models."""
    rates = [[row[layout] for row in rows if (row["wafer"], row["model"]) == (wafer, model)
              for layout in LAYOUTS] for model in MODELS]
    return max(max(of_model) / min(of_model) for of_model in rates)


def differences(rows, noc):
    def baseline(wafer):
        return next(row["S / line"] for row in rows if (row["wafer"], row["model"], row["TP"]) ==
                    (wafer, "T-145B", 8) and row["groups"] == "contiguous")
    share = next(row["TP %"] for row in noc if row["model"] == "T-145B" and row["TP"] == 8)
    return DIFFERENCES.format(share=share, preset=baseline("preset"), standing=baseline("standing"),
                              staggered=baseline("staggered"), batch=BATCH,
                              links=spread(rows, "links"), standing_all=spread(rows, "standing"))


def draw(plt, rows):
    shown = [name for name in ("links", "standing") if any(row["wafer"] == name for row in rows)]
    models = [model for model in MODELS if any(row["model"] == model for row in rows)]
    figure, axes = plt.subplots(len(shown), len(models), squeeze=False,
                                figsize=(3 * len(models), 2.5 * len(shown)))
    for line, wafer in zip(axes, shown):
        for place, model in zip(line, models):
            for layout, colour in zip(LAYOUTS, ("tab:red", "tab:blue", "tab:green")):
                for groups, style in zip(GROUPS, ("-", ":")):
                    mine = [row for row in rows if (row["wafer"], row["model"], row["groups"]) ==
                            (wafer, model, groups)]
                    place.plot([str(row["TP"]) for row in mine], [row[layout] for row in mine],
                               style, marker="+" if layout == "placed" else "o", markersize=4,
                               fillstyle="none", color=colour, label=f"{layout}, {groups}")
            place.set_title(f"{model}, {wafer}")
        line[0].set_ylabel("samples/s")
    for place in axes[-1]:
        place.set_xlabel("TP (DP = 16 / TP)")
    axes[-1][-1].legend(fontsize=6)
    return figure


def main():
    parser = arguments_parser(
        __doc__, "scripts/study_parallelism.py --csv rates.csv --plot rates.png")
    parser.add_argument("--hardware", type=pathlib.Path, metavar="FILE",
                        default=ROOT / "model/presets/palm_wafer.json")
    parser.add_argument("--models", default=",".join(MODELS), metavar="NAME,…")
    parser.add_argument("--wafers", default="links,preset,standing,staggered", metavar="NAME,…",
                        help="links is always there")
    parser.add_argument("--micro-batches", type=int, default=STAGES, metavar="N",
                        help="of a replica")
    parser.add_argument("--routing", default="xy", metavar="RULE",
                        help="xy, as PALM's, or planned, where ports are chosen, too")
    parser.add_argument("--effort", type=int, default=2, metavar="N", help="of place")
    arguments = parse(parser)
    preset = fabric_of(json.loads(arguments.hardware.read_text(encoding="utf-8")))
    preset.pop("sources", None)
    models = arguments.models.split(",")
    with JsonFiles() as files:
        made = {name: Wafer(arguments, files, name, hardware)
                for name, hardware in wafers(preset).items()
                if name in ["links", *arguments.wafers.split(",")]}
        rows = [wafer.row(model, groups, tensor, arguments.micro_batches)
                for wafer in made.values() for model in models for groups in GROUPS
                for tensor in DEGREES]
        noc = [noc_row(made["links"], model, tensor, arguments.micro_batches)
               for model in models for tensor in DEGREES]
    optimum = optima(noc, arguments.micro_batches)
    print(f"All-reduces of a batch of {BATCH} samples (links, S-shape, contiguous): Eq. 6, each "
          "ring alone on\nthe mesh, on shared links, of the batch's time; TP's of a micro-batch's "
          "time. Then the best\n(TP, DP) by each rule.\n")
    print_table(noc)
    print()
    print_table(optimum)
    print()
    code = finish(arguments, rows, found_claims(rows, optimum), lambda plt: draw(plt, rows))
    if len(made) == 4 and len(models) == len(MODELS):
        write_tables(arguments, page_tables(rows, noc, optimum, list(made)),
                     page_figures(rows, noc))
        print(differences(rows, noc))
    return code


if __name__ == "__main__":
    sys.exit(main())
