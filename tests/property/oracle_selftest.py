#!/usr/bin/env python3
"""The oracles themselves: hand-computed scores, every violation kind by hand, and the exhaustive
search against a search without any pruning. Needs no program."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "support")]
import random_cases as cases  # noqa: E402
import score_oracle as oracle  # noqa: E402
import tiny_optimum as tiny  # noqa: E402

EXAMPLE = """(*
width=633
height=633
memlimit=24576
*)
input[0] n=[56 56 256]
dblock[1] f=256 h=56 w=56
cblock[2] f=512 h=56 w=56
dblock[ 3] f=512 h=28 w=28
input[0]:_ -> dblock[1]:x, shape:[56][56][256]
dblock[1]:y -> cblock[2]:x, shape:[56][56][256]
cblock[2]:y -> dblock[ 3]:x, shape:[28][28][512]
"""
EXAMPLE_SOLUTION = """k1 = dblock( 56 56 256 4 4 8 8 8 8 64 16 )
k1 : place(0 148 R0)
k2 = cblock( 56 56 512 4 4 8 8 8 8 32 32 8 19 )
k2 : place(150 0 R0)
k3 = dblock( 28 28 512 4 4 8 8 8 8 32 8 )
k3 : place(0 0 R90)
"""

# Two equal convolutions on 10 × 10 tiles; with h = w = 2, c = k = 1 each is 3 × 8 tiles.
PAIR = """(* width=10 height=10 wdeltat=0.5 wlength=2 wadapter=10.25 memlimit=54 *)
conv[1] H=4 W=4 C=2 K=2 R=3 S=3 T=1 U=1 name='a'
conv[2] H=4 W=4 C=2 K=2 R=3 S=3 T=1 U=1 name='b'
conv[1]:y -> conv[2]:x, shape:[4][4][2]
"""
A, B = "a = conv( 4 4 2 2 3 3 1 1 2 2 1 1 )\n", "b = conv( 4 4 2 2 3 3 1 1 2 2 1 1 )\n"
AT, BT = "a : place(0 0 R0)\n", "b : place(3 0 R0)\n"


def judge(case: str, solution: str) -> oracle.Judgement:
    return oracle.judge(oracle.read_case(case), oracle.read_solution(solution))


class Performance(unittest.TestCase):
    """Kernel costs against values worked out by hand."""

    def check(self, kind: str, formal: tuple, execution: oracle.Execution, expected: tuple) -> None:
        kernel = oracle.make_kernel("k", kind, formal)
        got = (
            kernel.width(execution), kernel.height(execution), kernel.time(execution),
            kernel.memory(execution),
        )
        self.assertEqual(got, expected)

    def test_convolution(self) -> None:
        execution = oracle.Execution(2, 2, (1,), (1,))
        # time 2·2·2·2·9; memory 2·2·9 + 6/2·6/2·2
        self.check("conv", (4, 4, 2, 2, 3, 3, 1, 1), execution, (3, 8, 144, 54))

    def test_two_strides_divide_by_their_product(self) -> None:
        execution = oracle.Execution(1, 3, (2,), (2,))
        # time 4·2·1·1·3·5 / (2·3); memory 2/2·3/2·15 + 8/3·6/1·3/2 = 22.5 + 24; K / k rounds up
        self.check("conv", (4, 4, 2, 3, 3, 5, 2, 3), execution, (6, 9, 40, 46))

    def test_dblock_keeps_quarters(self) -> None:
        execution = oracle.Execution(1, 1, (1, 1, 1), (1, 1, 1))
        # F/4 = 1.5: the second takes ⌈1.5⌉²·9, and 1.5²·9 + 3·3·1.5 = 33.75 words
        self.check("dblock", (1, 1, 6), execution, (9, 2, 36, 33))

    def test_cblock_halves_the_image(self) -> None:
        execution = oracle.Execution(1, 1, (1, 1, 1, 1), (1, 1, 1, 1))
        # time: conv1 9·4·2, conv2 9·2·2·9/4, conv3 ⌈1.5⌉²·2·8, conv4 9·4·8/4; memory: conv1
        # 4·2 + 9·2, conv2 2·2·9 + 5·5·2, conv3 2·8 + 1.5·1.5·8, conv4 4·8 + 9·8
        self.check("cblock", (3, 3, 8), execution, (12, 2, 81, 104))


class Scores(unittest.TestCase):
    """Whole judgements of legal placements."""

    def test_worked_example_of_the_contest(self) -> None:
        got = judge(EXAMPLE, EXAMPLE_SOLUTION)
        self.assertEqual(got.violations, [])
        self.assertEqual((got.time, got.distance, got.adapter, got.total), (50176, 517, 0, 50693))

    def test_weights_are_exact(self) -> None:
        got = judge(PAIR, A + B + AT + BT)
        self.assertEqual(got.violations, [])
        self.assertEqual((got.time, got.distance, got.adapter, got.total), (144, 3, 0, 78))

    def test_distance_in_half_tiles_and_adapters(self) -> None:
        other = "b = conv( 4 4 2 2 3 3 1 1 1 2 2 2 )\n"  # 6 × 6 tiles, h and c differ
        got = judge(PAIR.replace("54", "60"), A + other + AT + BT)
        # time of b 4·2·1·1·9; centres (1.5, 4) and (6, 3)
        self.assertEqual((got.time, got.distance, got.adapter), (144, Fraction(11, 2), 2))
        self.assertEqual(got.total, Fraction("103.5"))

    def test_parallel_edges_each_count_and_terminals_do_not(self) -> None:
        edge = "conv[1]:y -> conv[2]:x, shape:[4][4][2]\n"
        more = edge + "input[7] n=[1 1 1]\ninput[7]:_ -> conv[1]:x, shape:[1][1][1]\n"
        self.assertEqual(judge(PAIR + more, A + B + AT + BT).distance, 6)

    def test_blocks_show_c1_and_c3(self) -> None:
        kernel = oracle.make_kernel("k", "cblock", (4, 4, 64))
        execution = oracle.Execution(2, 3, (4, 5, 6, 7), (1, 1, 1, 1))
        self.assertEqual(kernel.input_signature(execution), (2, 3, 4))
        self.assertEqual(kernel.output_signature(execution), (2, 3, 6))


class BeyondTheContest(unittest.TestCase):
    """Shapes, weights, dead tiles and constraints, by hand."""

    def test_weights_of_edges_multiply_distances(self) -> None:
        case = PAIR.replace("shape:[4][4][2]", "shape:[4][4][2], weight=1.5")
        got = judge(case, A + B + AT + BT)
        self.assertEqual((got.distance, got.adapter, got.total), (Fraction(9, 2), 0, 81))

    def test_shapes(self) -> None:
        case = "(* width=9 height=9 wadapter=2 memlimit=7 *)\n" + (
            "shapes[1] options=[2x3:1.5:7@1,1,4 4 x 1 : 2] name='a'\n"
            "shapes[2] options=[1x1:1:8 3x2:9@1,2,5] name='b'\nshapes[1]:y -> shapes[2]:x\n"
        )
        places = "a : place(0 0 R0)\nb : place(3 0 R90)\n"
        got = judge(case, "a = shapes( 1 )\nb = shapes( 2 )\n" + places)
        # centres (1, 1.5) and (4, 1.5); w and c differ
        self.assertEqual((got.time, got.distance, got.adapter, got.total), (9, 3, 2, 16))
        self.assertEqual(judge(case, "a = shapes( 2 )\nb = shapes( 2 )\n" + places).adapter, 0)
        wrong = judge(case, "a = shapes( 3 )\nb = shapes( 1 )\n" + places)
        kinds = [(v.kind, v.kernels) for v in wrong.violations]
        self.assertEqual(kinds, [("oversized_parameter", ("a",)), ("memory", ("b",))])

    def under(self, wafer: str | None = None, constraints: str | None = None) -> oracle.Judgement:
        case = oracle.read_case(PAIR)
        if wafer is not None:
            oracle.apply_wafer(case, wafer)
        if constraints is not None:
            oracle.apply_constraints(case, constraints)
        return oracle.judge(case, oracle.read_solution(A + B + AT + BT))

    def test_dead_tiles(self) -> None:
        wafer = '{"width": 10, "height": 10, "dead": [{"x": %d, "y": 0, "width": 99, "height": 1}]}'
        self.assertTrue(self.under(wafer % 6).legal)
        got = self.under(wafer % 2)
        self.assertEqual([(v.kind, v.kernels) for v in got.violations],
                         [("dead_tiles", ("a",)), ("dead_tiles", ("b",))])

    def test_constraints(self) -> None:
        area = '"rectangle": {"x": 5, "y": 0, "width": 5, "height": 2}'
        got = self.under(constraints='{"fixed": ["a : place(0 0 R0)"], "regions": [{"kernels": "*", '
                         '"rule": "prefer", "weight": 0.5, %s}]}' % area)
        # centres (1.5, 4) and (4.5, 4): 3.5 + 2 and 0.5 + 2 tiles away
        self.assertEqual((got.preference, got.total), (4, 82))
        got = self.under(constraints='{"fixed": [{"kernel": "b", "x": 4, "y": 0}], "regions": '
                         '[{"kernels": ["b"], "rule": "outside", %s}, {"kernels": ["a"], "rule": '
                         '"inside", %s}]}' % (area, area))
        self.assertEqual([(v.kind, v.kernels) for v in got.violations],
                         [("fixed", ("b",)), ("outside", ("b",)), ("inside", ("a",))])


class Violations(unittest.TestCase):
    """One solution for each rule, each with exactly the violations expected."""

    def expect(self, solution: str, *wanted: tuple[str, ...], case: str = PAIR) -> oracle.Judgement:
        got = judge(case, solution)
        found = sorted((v.kind, *sorted(v.kernels)) for v in got.violations)
        self.assertEqual(found, sorted(wanted))
        self.assertIsNone(got.total)
        return got

    def test_missing(self) -> None:
        self.expect(A + AT + BT, ("missing_kernel", "b"))
        self.expect(A + B + AT, ("missing_place", "b"))
        self.expect("", *((f"missing_{w}", n) for w in ("kernel", "place") for n in "ab"))

    def test_duplicates_first_counts(self) -> None:
        got = self.expect(A + B + AT + BT + "b : place(0 0 R0)\n", ("duplicate_place", "b"))
        self.assertIsNone(got.time)
        wild = "a = conv( 4 4 2 2 3 3 1 1 9 9 9 9 )\n"
        self.expect(A + wild + B + AT + BT, ("duplicate_kernel", "a"))

    def test_unknown(self) -> None:
        stranger = A.replace("a", "c") + "c : place(0 0 R0)\n"
        got = self.expect(
            A + B + AT + BT + stranger, ("unknown_kernel", "c"), ("unknown_kernel", "c")
        )
        self.assertEqual((got.time, got.distance), (144, 3))

    def test_wrong_type_and_formal(self) -> None:
        block = "b = dblock( 4 4 8 1 1 1 1 1 1 1 1 )\n"
        self.expect(A + block + AT + BT, ("wrong_type", "b"))
        got = self.expect(A + B.replace("3 3 1 1", "3 3 2 1") + AT + BT, ("wrong_formal", "b"))
        self.assertIsNone(got.time)

    def test_parameters_below_one(self) -> None:
        wrong = B.replace("2 2 1 1 )", "0 2 -1 1 )")
        self.expect(A + wrong + AT + BT, ("nonpositive_parameter", "b"))

    def test_parameters_above_what_they_split(self) -> None:
        for values in ("5 1 1 1", "1 5 1 1", "1 1 3 1", "1 1 1 3"):
            wrong = B.replace("2 2 1 1 )", values + " )")
            self.expect(A + wrong + AT + BT, ("oversized_parameter", "b"))

    def test_quarters_limit_the_cuts_of_blocks(self) -> None:
        case = "(* memlimit=1000 *)\ndblock[1] f=6 h=1 w=1\n"
        place = "k1 : place(0 0 R0)\n"
        self.assertTrue(judge(case, "k1 = dblock( 1 1 6 1 1 6 1 1 1 1 6 )\n" + place).legal)
        above = "k1 = dblock( 1 1 6 1 1 6 2 1 1 1 6 )\n"
        self.expect(above + place, ("oversized_parameter", "k1"), case=case)

    def test_memory_at_its_limit(self) -> None:
        self.assertTrue(judge(PAIR, A + B + AT + BT).legal)
        got = self.expect(
            A + B + AT + BT, ("memory", "a"), ("memory", "b"), case=PAIR.replace("54", "53")
        )
        self.assertEqual(got.time, 144)

    def test_out_of_bounds_at_each_border(self) -> None:
        for place in ("8 0 R0", "3 -1 R0", "3 3 R0", "3 8 R90", "-4 0 R0", "10 0 R0"):
            self.expect(A + B + AT + f"b : place({place})\n", ("out_of_bounds", "b"))
        both = (("out_of_bounds", "b"), ("overlap", "a", "b"))
        self.expect(A + B + AT + "b : place(-1 0 R0)\n", *both)
        for place in ("7 2 R0", "3 0 R0", "3 2 R0"):
            self.assertTrue(judge(PAIR, A + B + AT + f"b : place({place})\n").legal)

    def test_overlap_of_one_tile(self) -> None:
        self.expect(A + B + AT + "b : place(2 2 R0)\n", ("overlap", "a", "b"))
        self.expect(A + B + AT + "b : place(2 7 R90)\n", ("overlap", "a", "b"))


class Files(unittest.TestCase):
    """Formats and the command line."""

    def test_decimal_text(self) -> None:
        for value, text in (
            ("0", "0"), ("5/2", "2.5"), ("1/3", "0.333333333333"), ("2/3", "0.666666666667"),
            ("100", "100"), ("1/3000000000000", "0"), ("5/8", "0.625"), ("7/6", "1.166666666667"),
        ):
            self.assertEqual(oracle.decimal_text(Fraction(value)), text)

    def test_numbers_may_have_an_exponent(self) -> None:
        case = oracle.read_case("(* width=2e1 wlength=25e-1 memlimit=2.4576e4 *)\n"
                                "dblock[1] f=8e0 h=4 w=4\n")
        self.assertEqual((case.width, case.memory_limit), (20, 24576))
        self.assertEqual(case.distance_weight, Fraction(5, 2))
        self.assertEqual(oracle.read_solution("a : place(1e1 0 R0)").places[0].x, 10)
        for text in ("(* width=1e-1 *)\nconv[1] H=1", "dblock[1] f=85e-1 h=4 w=4"):
            with self.assertRaises(oracle.BadInput):
                oracle.read_case(text)

    def test_bad_files_are_refused(self) -> None:
        for text in ("", "noise", "conv[1] H=1", PAIR + "conv[1]:y -> conv[9]:x", PAIR + "b[3]"):
            with self.assertRaises(oracle.BadInput):
                oracle.read_case(text)
        for text in ("a = conv( 1 2 )", "a : place(0 0 R180)", "hello", "a = conv( x )"):
            with self.assertRaises(oracle.BadInput):
                oracle.read_solution(text)

    def test_command_line(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            case, solution = Path(name, "a.kgraph"), Path(name, "a.sol")
            case.write_text(PAIR)
            for text, code in ((A + B + AT + BT, 0), (A + B + AT + AT, 4), ("noise", 2)):
                solution.write_text(text)
                script = ROOT / "scripts" / "score_oracle.py"
                done = subprocess.run(
                    [sys.executable, script, case, solution], capture_output=True, check=False
                )
                self.assertEqual(done.returncode, code)


# --- The exhaustive search against one without pruning ----------------------------------------


def every_placing(case: oracle.Case, kernel: oracle.Kernel) -> list[tuple]:
    """All legal (rectangle, time, input, output signature) of one kernel alone, none of whose
    cuts can exceed 4 (micro_case)."""
    ranges = [range(1, min(int(limit), 4) + 1) for limit in kernel.limits()]
    placings = set()
    for values in itertools.product(*ranges):
        parts = len(kernel.convs)
        if kernel.kind == "shapes":
            e = oracle.Execution(0, 0, (), (), values[0])
        else:
            e = oracle.Execution(values[0], values[1], values[2 : 2 + parts], values[2 + parts :])
        sides = (kernel.width(e), kernel.height(e))
        if max(sides) > max(case.width, case.height) or kernel.memory(e) > case.memory_limit:
            continue
        signs = (kernel.time(e), kernel.input_signature(e), kernel.output_signature(e))
        for x, y, rotated in itertools.product(range(case.width), range(case.height), (0, 1)):
            tiles = oracle.rectangle(kernel, e, oracle.Place("", x, y, bool(rotated)))
            if tiles.within(case):
                placings.add((tiles, *signs))
    return list(placings)


def naive_optimum(case: oracle.Case) -> tuple[Fraction | None, Fraction | None]:
    """Least total and least time over all combinations of placings."""
    names = list(case.kernels)
    placings = [every_placing(case, case.kernels[name]) for name in names]
    edges = [
        (names.index(a), names.index(b), weight)
        for (a, b), weight in zip(case.edges, case.edge_weights)
    ]
    scores: set[tuple] = set()

    def extend(chosen: list[tuple], time: Fraction, distance: Fraction, adapter: int) -> None:
        if len(chosen) == len(names):
            scores.add((time, distance, adapter))
            return
        for placing in placings[len(chosen)]:
            if any(placing[0].overlaps(other[0]) for other in chosen):
                continue
            laid, longer, more = [*chosen, placing], distance, adapter
            for a, b, weight in edges:
                if max(a, b) == len(chosen):
                    longer += weight * laid[a][0].distance(laid[b][0])
                    more += oracle.mismatches(laid[a][3], laid[b][2])
            extend(laid, max(time, placing[1]), longer, more)

    extend([], Fraction(0), Fraction(0), 0)
    weights = (case.time_weight, case.distance_weight, case.adapter_weight)
    totals = [sum(w * value for w, value in zip(weights, score)) for score in scores]
    return min(totals, default=None), min((score[0] for score in scores), default=None)


def micro_case(rng: random.Random) -> cases.RandomCase:
    """A case small enough for naive_optimum."""
    count = rng.choice([1, 2, 2, 2, 3, 4])
    sides = {1: (3, 12), 2: (3, 8), 3: (4, 6), 4: (5, 5)}[count]
    weights = tuple(cases.random_weight(rng) for _ in range(3))
    case = cases.RandomCase(rng.randint(*sides), rng.randint(*sides), 10**6, weights)
    for _ in range(count):
        largest = {1: 4, 2: 3, 3: 2, 4: 1}[count]
        if count == 1 and rng.random() < 0.4:
            kind = rng.choice(["dblock", "dblock", "cblock"])
            case.kernels.append(cases.random_block(rng, kind, 2, 4))
        else:
            case.kernels.append(cases.random_conv(rng, largest, largest))
    if rng.random() < 0.3:
        case.kernels[0] = cases.random_shapes(rng, 5, 4)
    case.memory_limit = rng.choice([30, 10**6, 10**6])
    case.edges = cases.random_edges(rng, count)
    case.edge_weights = cases.random_edge_weights(rng, len(case.edges))
    return case


class Exhaustive(unittest.TestCase):
    """tiny_optimum.py against naive_optimum."""

    def test_agrees_with_a_search_without_pruning(self) -> None:
        feasible = 0
        for index in range(150):
            case = oracle.read_case(micro_case(random.Random(index)).text())
            wanted = naive_optimum(case)
            got = tiny.tiny_optimum(case)
            self.assertEqual((got.total, got.time), wanted, f"seed {index}")
            feasible += got.total is not None
        self.assertGreater(feasible, 60)

    def test_four_dominoes_around_a_hole(self) -> None:
        """A packing that no guillotine cut can make: 2 × 3 tiles four times on 5 × 5."""
        text = "(* width=5 height=5 memlimit=1000 *)\n" + "".join(
            f"conv[{i}] H=1 W=1 C=1 K=1 R=1 S=1 T=1 U=1\n" for i in range(4)
        )
        got = tiny.tiny_optimum(oracle.read_case(text))
        self.assertEqual((got.total, got.time), (1, 1))


if __name__ == "__main__":
    unittest.main()
