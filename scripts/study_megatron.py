#!/usr/bin/env python3
"""Simulates the rows of Narayanan et al. (SC'21), Table 1, on a cluster of A100 GPUs, and holds them
against their published throughput.

One constant, the achieved part of the GPUs' peak rate, is fitted on two rows (--fit); nothing is
fitted by row. Published are sequences a second by the full formula, 96 B s l h^2 (1 + s / 6h +
V / 16lh) operations a batch. Beside ours stands a model that knows nothing but one rate of all GPUs,
fitted on the same rows. Micro-batches of 1, no interleaving, full recomputation.

Shares of a batch's time come from three runs of each row: with all links; without those between
nodes, which move tensors between stages (PP) and gradients between replicas (DP: what follows the
pipeline's last backward, the optimizer's pass over memory included); without any (no TP either: what
is left is computing, and the bubble in which an average GPU does not). Their closed forms know the
published sizes alone, and what docs/workloads.md counts besides matrix products.
"""

import copy
import json
import math
import pathlib
import sys

from study import (ROOT, JsonFiles, arguments_parser, fabric, finish, parse, print_table, report, signed,
                   write_tables)

STATES = 12  # bytes a parameter, of Adam
PARTS = ("bubble", "TP", "PP", "DP")
SEQUENCE, VOCABULARY, BYTES = 2048, 51200, 2
# Of shares: simulated steps take whole bytes and picoseconds, and the first tokens' way from port to
# GPU counts as TP.
MOST_MEAN_ERROR, MOST_SHARE_ERROR = 0.08, 1e-7


def sequences_per_s(row):
    """As published: operations a second of all GPUs over those of a sequence by the full formula."""
    layers, h = row["layers"], row["hidden"]
    flop = 96 * SEQUENCE * layers * h * h * (1 + SEQUENCE / (6 * h) + VOCABULARY / (16 * layers * h))
    gpus = row["tensor"] * row["pipeline"] * row["data"]
    return gpus * 1e12 * row["tflops_per_gpu"] / flop


class Cluster:
    """Runs rows on a hardware file and variants of it."""

    def __init__(self, program, hardware, files):
        self.program, self.hardware, self.files = program, hardware, files

    def variant(self, **changes):
        """The same cluster with other figures."""
        hardware = copy.deepcopy(self.hardware)
        for key, value in changes.items():
            hardware[key] = value
        return Cluster(self.program, hardware, self.files)

    def reaching(self, percent):
        return self.variant(achievable_percent=round(percent, 6))

    def without(self, *links):
        return self.variant(**{link: {"bytes_per_s": None, "latency_ps": 0} for link in links})

    def times_links(self, factor):
        return self.variant(**{link: {**self.hardware[link],
                                      "bytes_per_s": factor * self.hardware[link]["bytes_per_s"]}
                               for link in ("link", "group_link")})

    def run(self, row, batches=1):
        """Times of a batch in seconds, and sequences a second."""
        plan = {"tensor": row["tensor"], "data": row["data"], "pipeline": row["pipeline"], "recompute": "full",
                "micro_batches": batches * row["global_batch"] // row["data"]}
        found = report(self.program, "simulate", row["workload"],
                       "--plan", self.files.write("plan", plan),
                       "--hardware", self.files.write("hardware", self.hardware),
                       "--network", "analytic")
        plan = found["plan"]
        layers = [sum(name.startswith("layer") for name in stage["operators"])
                  for stage in plan["stages"]]
        if layers != [row["layers"] // row["pipeline"]] * row["pipeline"]:
            sys.exit(f"{row['model']}: layers are not cut evenly: {layers}")
        computing = sum(stage["compute_ps"] for stage in found["stages"]) / row["pipeline"]
        return {"batch": plan["batch_ps"] / 1e12, "pipeline": found["makespan_ps"] / 1e12,
                "compute": computing / 1e12, "rate": plan["samples_per_s"]}


def fitted(cluster, rows):
    """The percentage of the peak with which the geometric mean of ours over published is 1 on some
    rows, by secants: a batch's time goes nearly with 1 / percentage."""
    def off(percent):
        ratios = [cluster.reaching(percent).run(row)["rate"] / sequences_per_s(row)
                  for row in rows]
        return sum(map(math.log, ratios))
    before, percent = 40.0, 60.0
    last, now = off(before), off(percent)
    while abs(percent - before) > 1e-5:
        after = percent - now * (percent - before) / (now - last)
        if not 1 <= after <= 100:
            sys.exit("no part of the peak fits these rows")
        before, last, percent = percent, now, after
        now = off(percent)
    return round(percent, 4)


def all_reduce(link, members, size):
    """A ring's all-reduce; two links from GPU to GPU."""
    step = size / members / link["bytes_per_s"] + 2e-12 * link["latency_ps"]
    return 2 * (members - 1) * step


def computing(hardware, row):
    """Seconds of computing on a sample, forward and backward: of a layer, which goes forward twice,
    of the embedding and of the head. Matrix products are those of the full formula; besides, every
    pass takes 5 operations an element of a normalisation and of softmax, 8 of the activation, 1 of a
    sum and of a bias (docs/workloads.md)."""
    h = row["hidden"]
    rate = (row["tensor"] * hardware["peak_flop_per_s_per_tile"]["fp16"]
            * hardware["achievable_percent"] / 100)
    normalisations, activation, sums, biases = 2 * 5, 8 * 4, 2, 3 + 1 + 4 + 1
    elements = ((normalisations + activation + sums + biases) * SEQUENCE * h
                + 5 * row["heads"] * SEQUENCE ** 2)
    layer = 96 * SEQUENCE * h * h * (1 + SEQUENCE / (6 * h)) + 3 * elements
    logits = SEQUENCE * VOCABULARY
    head = 6 * h * logits + 2 * (5 * SEQUENCE * h + 5 * logits)
    return layer / rate, 2 * SEQUENCE * h / rate, head / rate


def data_part(hardware, row):
    """Seconds of the first stage's update: a ring for the gradients of each operator, then Adam's
    pass over memory, weights, gradients and states in, weights and states out."""
    t, p, h = row["tensor"], row["pipeline"], row["hidden"]
    layers, layer = row["layers"] / p, 12 * h * h + 13 * h
    embedding = (VOCABULARY + SEQUENCE) * h

    def ring(parameters):
        return all_reduce(hardware["group_link"], row["data"], parameters / t * BYTES)

    rings = layers * ring(layer) + ring(embedding)
    parameters = layers * layer + embedding
    if p == 1:  # the head's gradients go on their own; of it only its normalisation is kept besides
        rings += ring(VOCABULARY * h)
        parameters += 2 * h
    return rings + (parameters / t * (3 * BYTES + 2 * STATES)
                    / hardware["dram_bytes_per_s_per_tile"])


def closed_forms(hardware, row):
    """Seconds of the parts of a batch. The last stage, which has the head too, sets the pace; what
    moves between stages is hidden behind it but while the pipeline fills and drains. It begins when
    the first tokens are there."""
    t, p, l, h = row["tensor"], row["pipeline"], row["layers"], row["hidden"]
    m = row["global_batch"] // row["data"]
    layer, embedding, head = computing(hardware, row)
    all_stages = l * layer + embedding + head
    slowest = l / p * layer + head + (embedding if p == 1 else 0)
    port = hardware["host_ports"][0]
    replicas = hardware["columns"] // t  # of a node, which has one port
    wait = 1e-12 * port["response_ps"] + replicas * SEQUENCE * BYTES / port["bytes_per_s"]
    link, between = hardware["link"], hardware["group_link"]
    tensor = SEQUENCE * h * BYTES
    in_layer = 3 * all_reduce(link, t, 2 * tensor)
    sum_embedding = all_reduce(link, t, tensor)
    at_head = sum_embedding + all_reduce(link, t, 2 * SEQUENCE * BYTES)
    last = l / p * in_layer + at_head + (sum_embedding if p == 1 else 0)
    return {"compute": m * all_stages / p,
            "bubble": wait + all_stages + (m - 1) * slowest - m * all_stages / p,
            "TP": l * in_layer + at_head + sum_embedding + (m - 1) * last,
            "PP": 2 * (p - 1) * (tensor / t / between["bytes_per_s"]
                                 + 2e-12 * between["latency_ps"]),
            "DP": data_part(hardware, row)}


def measured_parts(cluster, row, whole):
    """The same seconds, from runs."""
    inside = cluster.without("group_link").run(row)["pipeline"]
    alone = cluster.without("link", "group_link").run(row)
    return {"bubble": alone["pipeline"] - alone["compute"], "TP": inside - alone["pipeline"],
            "PP": whole["pipeline"] - inside, "DP": whole["batch"] - whole["pipeline"]}


def deviation(ours, closed):
    """Relative, of shares; TP of a GPU alone is the tokens' way from the port, and PP of a stage
    alone nothing."""
    if max(ours, closed) < 1e-8:
        return 0.0
    return ours / closed - 1 if closed > 0 else math.inf


def shares_of(cluster, row, whole):
    closed = closed_forms(cluster.hardware, row)
    total = sum(closed.values())
    ours = measured_parts(cluster, row, whole)
    cells = {"row": row["model"]}
    for part in PARTS:
        share = ours[part] / whole["batch"]
        cells[f"{part} %"] = 100 * share
        cells[f"{part} off %"] = 100 * deviation(share, closed[part] / total)
    return cells


def moves(cluster, row, whole):
    """Sequences a second with other links and micro-batches, over those without."""
    return {"row": row["model"],
            "links x 2": cluster.times_links(2).run(row)["rate"] / whole["rate"],
            "micro-batches x 2": cluster.run(row, batches=2)["rate"] / whole["rate"]}


def mean_error(cells, name, fit, judged):
    errors = [abs(cell[name]) for cell in cells if cell["row"] in judged and cell["row"] not in fit]
    return sum(errors) / len(errors) / 100


def page_tables(cells, shares):
    """Those of docs/plans.md."""
    rates = [["row", "published", "ours", "error %", "constant model", "error %"]] + [
        [cell["row"] + (" (fitted)" if cell["fitted"] else ""), f"{cell['published']:.1f}",
         f"{cell['ours']:.1f}", signed(cell["error %"], ".1f"), f"{cell['constant']:.1f}",
         signed(cell["constant error %"], ".1f")] for cell in cells]
    parts = [["row", *PARTS]] + [
        [cell["row"], *(share_text(cell[f"{part} %"]) for part in PARTS)] for cell in shares]
    return {"rates": rates, "shares": parts}


def share_text(percent):
    """Three digits, two where there is next to nothing."""
    if percent < 5e-5:
        return "0"
    return f"{percent:#.3g}" if percent >= 0.1 else f"{percent:.2g}"


def draw(plt, cells):
    figure, axes = plt.subplots(figsize=(7, 4))
    places = range(len(cells))
    names = ("published", "ours", "constant")
    for i, name in enumerate(names):
        axes.bar([x + 0.27 * (i - 1) for x in places], [cell[name] for cell in cells], 0.25,
                 label=name)
    axes.set_xticks(list(places), [cell["row"] for cell in cells])
    axes.set_ylabel("sequences/s")
    axes.legend()
    return figure


def study(arguments, rows, cluster):
    fit = arguments.fit.split(",")
    fit_rows = [row for row in rows if row["model"] in fit]
    if len(fit_rows) != 2:
        sys.exit("--fit: expected two rows of the table, such as 18.4B,1008B")
    percent = fitted(cluster, fit_rows)
    cluster = cluster.reaching(percent)
    constant = math.sqrt(math.prod(row["tflops_per_gpu"] for row in fit_rows))
    cells, shares, moved = [], [], []
    for row in rows:
        whole = cluster.run(row)
        published = sequences_per_s(row)
        bare = published * constant / row["tflops_per_gpu"]
        cells.append({"row": row["model"], "fitted": "yes" if row["model"] in fit else "",
                      "published": published, "ours": whole["rate"],
                      "error %": 100 * (whole["rate"] / published - 1), "constant": bare,
                      "constant error %": 100 * (bare / published - 1)})
        shares.append(shares_of(cluster, row, whole))
        moved.append(moves(cluster, row, whole))
    print(f"achieved: {percent} % of the peak, fitted on {' and '.join(fit)}; "
          f"constant model: {constant:.4g} TFLOP/s a GPU\n")
    return cells, shares, moved, {"fit": fit, "percent": percent, "constant": constant}


def main():
    parser = arguments_parser(__doc__, "scripts/study_megatron.py --csv rows.csv --plot rows.png")
    parser.add_argument("--published", type=pathlib.Path, metavar="FILE",
                        default=ROOT / "optimize/validation/megatron.json",
                        help="the table's rows in the form of the default")
    parser.add_argument("--hardware", metavar="NAME|FILE", default="a100_cluster",
                        help="a preset or a file of chips behind switches")
    parser.add_argument("--fit", default="18.4B,1008B", metavar="ROW,ROW",
                        help="rows on which the constant is fitted: the ends of those judged")
    parser.add_argument("--rows", metavar="ROW,…", help="these and the fitted ones alone")
    arguments = parse(parser)
    rows = json.loads(arguments.published.read_text(encoding="utf-8"))["rows"]
    judged = {row["model"] for row in rows if row["use"] != "shown"}
    if arguments.rows:
        wanted = arguments.rows.split(",") + arguments.fit.split(",")
        rows = [row for row in rows if row["model"] in wanted]
    hardware = fabric(arguments.program, arguments.hardware)
    with JsonFiles() as files:
        cells, shares, moved, fitting = study(arguments, rows,
                                              Cluster(arguments.program, hardware, files))
    print_table(shares)
    print()
    print_table(moved)
    print()
    ours = mean_error(cells, "error %", fitting["fit"], judged)
    bare = mean_error(cells, "constant error %", fitting["fit"], judged)
    worst = max(abs(cell[f"{part} off %"]) / 100 for cell in shares for part in PARTS)
    links = min(cell["links x 2"] for cell in moved)
    batches = [cell["micro-batches x 2"] for cell in moved]
    write_tables(arguments, page_tables(cells, shares), {
        **fitting, "mean_error_percent": 100 * ours, "constant_mean_error_percent": 100 * bare,
        "links_percent": [100 * (cell["links x 2"] - 1) for cell in moved],
        "batches_percent": [100 * (factor - 1) for factor in batches]})
    return finish(arguments, cells, [
        (f"the other rows from 18B to 1T are within {100 * MOST_MEAN_ERROR:.0f} % in mean",
         ours <= MOST_MEAN_ERROR, f"{100 * ours:.2f} % (the constant alone: {100 * bare:.2f} %)"),
        (f"every share is within {100 * MOST_SHARE_ERROR:g} % of its closed form",
         worst <= MOST_SHARE_ERROR, f"{100 * worst:.2g} % at most"),
        ("links twice as fast make every row faster", links > 1, f"x {links:.4f} at least"),
        ("twice the micro-batches make every row faster", min(batches) > 1,
         f"x {min(batches):.4f} to {max(batches):.4f}"),
    ], lambda plt: draw(plt, cells))


if __name__ == "__main__":
    sys.exit(main())
