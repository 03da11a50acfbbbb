#!/usr/bin/env python3
"""The least possible cost of a tiny case, by exhaustive search over all legal placements.

    tiny_optimum.py CASE

prints {total, time} as JSON: the least total cost and, apart from it, the least possible time
of any legal placement; null where there is none. Meant for at most 4 kernels on at most 12 × 12
tiles; exact, in integers. Kernel costs come from score_oracle.py.

One file, because each of its sections rests on the one before and on the three rules below.

The search runs over all execution parameters, rotations and positions, but not one by one:

1. Positions. Two rectangles are disjoint exactly if their columns or their rows are. The distance
   is a sum over the axes, so for fixed sizes the best placement is

       min over sets P of pairs:  least column distance with the pairs of P apart in columns
                                + least row distance with the pairs not in P apart in rows,

   each axis on its own, tabulated for all P by trying all positions on that axis (AxisTables).
   On an axis all positions may be moved down together until the smallest is 0: that changes
   neither distances nor which pairs are apart, and no kernel leaves the wafer.
2. Executions. A placement's cost depends on an execution only through width, height, time and
   (h, w, c_in, c_out). Of executions alike in size and signature only the least time is kept:
   exchanging one for it keeps the placement legal and never raises the cost. What no edge looks at
   is not part of the signature: c_in without incoming edges, c_out without outgoing ones, all of it
   where adapters cost nothing. Sizes are never traded against each other, because half a tile of
   parity can make a larger kernel the nearer neighbour. (Only the least time ignores distances;
   there a size is dropped if another is no larger in both extents and no slower, since a rectangle
   can shrink where it stands.)
3. Branch and bound. Kernels are decided one after the other. The bound of a partial choice adds
   the time of the slowest kernel so far (or of any kernel's fastest option), adapters and the
   distance of each pair placed alone on the wafer (no larger than its part of any placement; for
   a kernel not yet decided, the least over its options). Branches whose bound reaches the best
   known cost cannot improve it. Pairs that do not fit on the wafer together, and sizes whose areas
   exceed it, have no placement.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import score_oracle as oracle  # noqa: E402

Signature = tuple[int, int, int, int]
NO_SIGNATURE: Signature = (0, 0, 0, 0)
WeightedEdges = list[tuple[int, int, int]]  # producer, consumer, weight


@dataclass(frozen=True)
class Option:
    """One class of executions of a kernel, already rotated."""

    width: int
    height: int
    time: int  # in units of the Costs that made it
    signature: Signature


@dataclass(frozen=True)
class Costs:
    """Integer prices: a total is counted in units of 1/scale."""

    scale: int
    time_scale: int  # times are integers in units of 1/time_scale
    per_time: int
    per_half_distance: int
    per_adapter: int


def edge_scale(case: oracle.Case) -> int:
    """The least number that makes every weight of an edge whole: a distance is counted in half
    tiles of one over this."""
    return lcm(*(weight.denominator for weight in case.edge_weights))


def make_costs(case: oracle.Case) -> Costs:
    """Prices that make every cost of the case an integer."""
    times = [v.T * v.U for k in case.kernels.values() for v in k.convs]
    times += [o.time.denominator for k in case.kernels.values() for o in k.options]
    time_scale = lcm(*times)
    parts = (
        case.time_weight / time_scale,
        case.distance_weight / 2 / edge_scale(case),
        case.adapter_weight,
    )
    scale = lcm(*(part.denominator for part in parts))
    return Costs(scale, time_scale, *(int(part * scale) for part in parts))


# --- Executions -------------------------------------------------------------------------------


def image_cuts(kernel: oracle.Kernel, longest: int) -> Iterator[tuple[int, int]]:
    """All (h, w) with which a kernel of c = 1 is at most `longest` tiles high."""
    for h in range(1, min(kernel.formal[0], longest // 2) + 1):
        for w in range(1, min(kernel.formal[1], longest // (2 * h)) + 1):
            yield h, w


def feature_cuts(
    conv: oracle.Conv, h: int, w: int, case: oracle.Case, costs: Costs
) -> list[tuple[int, int, int, int]]:
    """All (c, height, width, time) of one convolution that the wafer and the memory allow."""
    longest, cuts = max(case.width, case.height), []
    for c in range(1, min(int(conv.C), longest // (h * w) - 1) + 1):
        for k in range(1, min(int(conv.K), longest // 3) + 1):
            if conv.memory(h, w, c, k) < case.memory_limit + 1:  # floor(memory) ≤ limit
                time = int(conv.time(h, w, c, k) * costs.time_scale)
                cuts.append((c, conv.height(h, w, c), conv.width(k), time))
    return cuts


def unrotated_options(
    case: oracle.Case, kernel: oracle.Kernel, seen: tuple[bool, bool], costs: Costs
) -> dict[tuple[int, int, Signature], int]:
    """Least time for each (width, height, signature); `seen`: has it consumers, producers."""
    shown_out, shown_in = seen
    longest = max(case.width, case.height)
    output = 0 if kernel.kind == "conv" else 2
    best: dict[tuple[int, int, Signature], int] = {}
    for shape in kernel.options:
        if shape.memory > case.memory_limit:
            continue
        signature = NO_SIGNATURE
        if shape.signature is not None and (shown_in or shown_out):
            h, w, c = shape.signature
            signature = (h, w, c * shown_in, c * shown_out)
        key = (shape.width, shape.height, signature)
        time = int(shape.time * costs.time_scale)
        best[key] = min(time, best.get(key, time))
    if kernel.kind == "shapes":
        return best
    for h, w in image_cuts(kernel, longest):
        parts = [feature_cuts(conv, h, w, case, costs) for conv in kernel.convs]
        for chosen in itertools.product(*parts):
            width = sum(part[2] for part in chosen)
            if width > longest:
                continue
            height = max(part[1] for part in chosen)
            time = max(part[3] for part in chosen)
            c_in, c_out = chosen[0][0] * shown_in, chosen[output][0] * shown_out
            signature = (h, w, c_in, c_out) if shown_in or shown_out else NO_SIGNATURE
            key = (width, height, signature)
            if key not in best or time < best[key]:
                best[key] = time
    return best


def kernel_options(case: oracle.Case, name: str, costs: Costs) -> list[Option]:
    """All classes of executions of a kernel that fit on the wafer, in both rotations."""
    priced = costs.per_adapter > 0
    seen = (
        priced and any(a == name for a, _ in case.edges),
        priced and any(b == name for _, b in case.edges),
    )
    options: set[Option] = set()
    for (width, height, signature), time in unrotated_options(
        case, case.kernels[name], seen, costs
    ).items():
        for across, along in ((width, height), (height, width)):
            if across <= case.width and along <= case.height:
                options.add(Option(across, along, time, signature))
    return sorted(options, key=lambda o: (o.time, o.width * o.height, o.width, o.signature))


# --- Positions --------------------------------------------------------------------------------


class AxisTables:
    """For the lengths of up to 4 kernels on one axis: table[P] = least Σ over edges of weight
    times the distance between centres, in half tiles, with at least the pairs of P apart; None where they
    cannot be. Pairs are bits in the order of itertools.combinations."""

    def __init__(self, length: int, count: int, edges: WeightedEdges) -> None:
        self.length = length
        self.pairs = list(itertools.combinations(range(count), 2))
        bit = {pair: 1 << index for index, pair in enumerate(self.pairs)}
        # What placing kernel j after the kernels before it decides: (i, bit of pair, weight).
        self.steps = [
            [
                (i, bit[i, j], sum(weight for *edge, weight in edges if {*edge} == {i, j}))
                for i in range(j)
            ]
            for j in range(count)
        ]
        self.tables: dict[tuple[int, ...], list[int | None]] = {}

    def table(self, lengths: tuple[int, ...]) -> list[int | None]:
        """The table for these lengths, each at most the axis."""
        if lengths not in self.tables:
            self.tables[lengths] = self._spread(self._exact(lengths))
        return self.tables[lengths]

    def _exact(self, lengths: tuple[int, ...]) -> dict[int, int]:
        """Least distance by the exact set of pairs that are apart, over all positions of which
        the smallest is 0."""
        states: list[tuple[tuple[int, ...], int, int]] = [((), 0, 0)]
        for kernel, step in enumerate(self.steps):
            own, last = lengths[kernel], kernel + 1 == len(self.steps)
            grown = []
            for positions, apart, distance in states:
                free = self.length - own if not last or 0 in positions else 0
                for position in range(free + 1):
                    mask, total = apart, distance
                    for other, bit, weight in step:
                        start, long = positions[other], lengths[other]
                        if position >= start + long or start >= position + own:
                            mask |= bit
                        if weight:
                            total += weight * abs(2 * (position - start) + own - long)
                    grown.append(((*positions, position), mask, total))
            states = grown
        best: dict[int, int] = {}
        for _, mask, total in states:
            if best.get(mask, total + 1) > total:
                best[mask] = total
        return best

    def _spread(self, exact: dict[int, int]) -> list[int | None]:
        """From exact sets to at-least sets."""
        table: list[int | None] = [exact.get(mask) for mask in range(1 << len(self.pairs))]
        for index in range(len(self.pairs)):
            for mask in range(len(table)):
                larger = table[mask | 1 << index]
                if larger is not None and (table[mask] is None or larger < table[mask]):
                    table[mask] = larger
        return table


class Positions:
    """Least distance of kernels of given sizes on a wafer."""

    def __init__(self, case: oracle.Case, count: int, edges: WeightedEdges) -> None:
        self.columns = AxisTables(case.width, count, edges)
        self.rows = AxisTables(case.height, count, edges)
        self.known: dict[tuple[tuple[int, ...], tuple[int, ...]], int | None] = {}

    def least(self, widths: tuple[int, ...], heights: tuple[int, ...]) -> int | None:
        """Least Σ of edges' weighted distances in half tiles, None if the kernels do not fit."""
        key = (widths, heights)
        if key not in self.known:
            self.known[key] = self._combine(widths, heights)
        return self.known[key]

    def _combine(self, widths: tuple[int, ...], heights: tuple[int, ...]) -> int | None:
        """The least over all ways to part the pairs between the axes (rule 1)."""
        columns, rows = self.columns.table(widths), self.rows.table(heights)
        sums = [
            across + along
            for across, along in zip(columns, reversed(rows))  # reversed: the complement of P
            if across is not None and along is not None
        ]
        return min(sums, default=None)


# --- Branch and bound -------------------------------------------------------------------------


class Search:
    """Least cost over all choices of one option a kernel."""

    def __init__(
        self, case: oracle.Case, costs: Costs, options: list[list[Option]],
        edges: WeightedEdges,
    ) -> None:
        self.costs = costs
        self.options = options
        self.edges = [(a, b) for a, b, _ in edges]
        self.area = case.width * case.height
        self.positions = Positions(case, len(options), edges)
        self.pairs = {
            (i, j): Positions(case, 2, [(0, 1, w) for a, b, w in edges if {a, b} == {i, j}])
            for i, j in itertools.combinations(range(len(options)), 2)
        }
        self.pair_costs: dict[tuple[int, int, int, int], int | None] = {}
        self.best: int | None = None

    def _multi(self, i: int, j: int) -> int:
        """How many edges join two kernels."""
        return sum(edge in ((i, j), (j, i)) for edge in self.edges)

    def run(self) -> int | None:
        """The least cost in units of Costs, None if nothing fits."""
        if not all(self.options):
            return None
        count = len(self.options)
        least_time = [min(option.time for option in own) for own in self.options]
        least_area = [min(o.width * o.height for o in own) for own in self.options]
        # What kernels i … still cost at least: time as a maximum, area as a sum.
        self.time_from = [max(least_time[i:], default=0) for i in range(count + 1)]
        self.area_from = [sum(least_area[i:]) for i in range(count + 1)]
        self.rest_from = self._rest_bounds()
        self._extend((), 0, 0, 0)
        return self.best

    def _rest_bounds(self) -> list[int]:
        """rest_from[i]: least cost of the edges with an end in kernels i … ."""
        least: dict[tuple[int, int], int] = {}
        for i, j in self.pairs:
            if self._multi(i, j) == 0:
                continue
            costs = (
                self._pair_cost(i, j, a, b) for a in self.options[i] for b in self.options[j]
            )
            least[i, j] = min((cost for cost in costs if cost is not None), default=0)
        return [
            sum(cost for (_, j), cost in least.items() if j >= start)
            for start in range(len(self.options) + 1)
        ]

    def _pair_cost(self, i: int, j: int, a: Option, b: Option) -> int | None:
        """Least price of the edges between two kernels alone on the wafer; None: no room."""
        key = (i, j, id(a), id(b))  # of self.options, which live as long as this
        if key not in self.pair_costs:
            distance = self.pairs[i, j].least((a.width, b.width), (a.height, b.height))
            adapters = 0
            for edge in self.edges:
                if edge == (i, j):
                    adapters += mismatches(a, b)
                elif edge == (j, i):
                    adapters += mismatches(b, a)
            self.pair_costs[key] = None if distance is None else (
                distance * self.costs.per_half_distance + adapters * self.costs.per_adapter
            )
        return self.pair_costs[key]

    def _extend(self, chosen: tuple[Option, ...], time: int, area: int, joined: int) -> None:
        """Tries all options of the next kernel, the most promising first."""
        kernel = len(chosen)
        if kernel == len(self.options):
            self._finish(chosen, time)
            return
        branches = []
        for order, option in enumerate(self.options[kernel]):
            covered = area + option.width * option.height
            if covered + self.area_from[kernel + 1] > self.area:
                continue
            edges = self._join(chosen, kernel, option)
            if edges is None:
                continue
            slowest = max(time, option.time)
            bound = max(slowest, self.time_from[kernel + 1]) * self.costs.per_time
            bound += joined + edges + self.rest_from[kernel + 1]
            if self.best is None or bound < self.best:
                branches.append((bound, order, option, slowest, covered, joined + edges))
        for bound, _, option, slowest, covered, edges in sorted(branches, key=lambda b: b[:2]):
            if self.best is not None and bound >= self.best:
                return
            self._extend((*chosen, option), slowest, covered, edges)

    def _join(self, chosen: tuple[Option, ...], kernel: int, option: Option) -> int | None:
        """Least price of the edges from a new kernel to those chosen; None: no room."""
        price = 0
        for other, placed in enumerate(chosen):
            own = self._pair_cost(other, kernel, placed, option)
            if own is None:
                return None
            price += own
        return price

    def _finish(self, chosen: tuple[Option, ...], time: int) -> None:
        """Prices a full choice."""
        distance = self.positions.least(
            tuple(option.width for option in chosen), tuple(option.height for option in chosen)
        )
        if distance is None:
            return
        adapters = sum(mismatches(chosen[a], chosen[b]) for a, b in self.edges)
        cost = (
            time * self.costs.per_time
            + distance * self.costs.per_half_distance
            + adapters * self.costs.per_adapter
        )
        if self.best is None or cost < self.best:
            self.best = cost


def mismatches(producer: Option, consumer: Option) -> int:
    """Adapter mismatches of an edge between two options, none unless both show a signature."""
    if NO_SIGNATURE in (producer.signature, consumer.signature):
        return 0
    h, w, _, c_out = producer.signature
    other_h, other_w, c_in, _ = consumer.signature
    return (h != other_h) + (w != other_w) + (c_out != c_in)


def undominated(options: list[Option]) -> list[Option]:
    """Options that no other beats in both extents and time; signatures forgotten (rule 2)."""
    kept: list[Option] = []
    for width, height, time in sorted({(o.width, o.height, o.time) for o in options}):
        if not any(o.height <= height and o.time <= time for o in kept):
            kept.append(Option(width, height, time, NO_SIGNATURE))
    return kept


def indexed_edges(case: oracle.Case) -> WeightedEdges:
    """The edges between kernels by position in the case, with their weights in whole units."""
    index = {name: position for position, name in enumerate(case.kernels)}
    scale = edge_scale(case)
    return [
        (index[a], index[b], int(weight * scale))
        for (a, b), weight in zip(case.edges, case.edge_weights)
    ]


def all_options(case: oracle.Case, costs: Costs) -> list[list[Option]]:
    """The options of every kernel; an empty list is a kernel that fits nowhere."""
    return [kernel_options(case, name, costs) for name in case.kernels]


@dataclass(frozen=True)
class Optimum:
    """Least total and least time of a case, None if there is no legal placement."""

    total: Fraction | None
    time: Fraction | None
    single_fits_nowhere: bool  # some kernel has no legal shape at all


def tiny_optimum(case: oracle.Case) -> Optimum:
    """Both optima of a tiny case, exact. Positions are searched axis by axis, which knows nothing
    of dead tiles and constraints: they are refused."""
    if case.dead or case.fixed or case.regions:
        raise ValueError("expected a case without dead tiles and constraints")
    costs = make_costs(case)
    options = all_options(case, costs)
    only_time = Costs(costs.time_scale, costs.time_scale, 1, 0, 0)
    fastest = Search(case, only_time, [undominated(own) for own in options], []).run()
    if fastest is None:
        return Optimum(None, None, not all(options))
    best = Search(case, costs, options, indexed_edges(case)).run()
    assert best is not None
    return Optimum(Fraction(best, costs.scale), Fraction(fastest, costs.time_scale), False)


def main(arguments: list[str]) -> int:
    """Command line: CASE."""
    if len(arguments) != 1:
        print("usage: tiny_optimum.py CASE", file=sys.stderr)
        return 2
    try:
        case = oracle.read_case(Path(arguments[0]).read_text("utf-8"))
    except (oracle.BadInput, OSError, UnicodeDecodeError) as error:
        print(f"tiny_optimum.py: {error}", file=sys.stderr)
        return 2
    optimum = tiny_optimum(case)
    values = {"total": optimum.total, "time": optimum.time}
    print(json.dumps({key: oracle.json_number(value) for key, value in values.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
