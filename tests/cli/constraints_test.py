"""Wafer and constraints files, lists of shapes and weights of edges through the commands."""

import json
import random
import subprocess
import unittest

from program import PATIENCE_S, SMALL_CASE, SMALL_TOTAL, ProgramTest, run, schema_fault


WAFER = {"schema": "waferloom/wafer/1", "width": 40, "height": 30, "memory_limit": 24576,
         "dead": [{"x": 20, "y": 5, "width": 100, "height": 3},
                  {"x": -9, "y": 20, "width": 12, "height": 4}]}
CONSTRAINTS = {
    "fixed": [{"kernel": "k1", "x": 0, "y": 0, "orientation": "R0", "execution": [2, 2, 1, 2]},
              "k2 : place(6 0 R0)", "k2 = conv( 8 8 8 8 3 3 1 1 2 2 1 2 )"],
    "regions": [{"kernels": "*", "rectangle": {"x": 0, "y": 0, "width": 18, "height": 8},
                 "rule": "inside"},
                {"kernels": ["k3"], "rectangle": {"x": 0, "y": 0, "width": 12, "height": 30},
                 "rule": "outside"},
                {"kernels": ["k1", "k3"], "rectangle": {"x": 20, "y": 2, "width": 3, "height": 3},
                 "rule": "prefer", "weight": 2.5}]}
# k1's centre (3, 4) is 17 tiles from the preferred region, k3's (15, 4) is 5.
PREFERENCE = 2.5 * (17 + 5)


class ConstraintsTest(ProgramTest):
    def write_json(self, name: str, value) -> None:
        self.write(name, json.dumps(value))

    def score(self, *options: str, code: int = 0) -> dict:
        done = self.run_here("score", "small.kgraph", "small.sol", *options, "--report", "-")
        self.assertEqual(done.code, code, done.stderr)
        self.assert_valid("score", done.stdout)
        return done.json()

    def test_schemas_accept_the_examples(self) -> None:
        for schema, value in (("wafer", WAFER), ("constraints", CONSTRAINTS)):
            self.assertEqual(schema_fault(schema, json.dumps(value)), "")

    def test_a_wafer_with_dead_tiles(self) -> None:
        self.write_json("wafer.json", WAFER)
        self.assertEqual(self.score("--wafer", "wafer.json")["total"], SMALL_TOTAL)
        self.write_json("wafer.json", WAFER | {"dead": [{"x": 5, "y": 7, "width": 2, "height": 9}]})
        report = self.score("--wafer", "wafer.json", code=3)
        found = [(v["kind"], v["kernels"], v["rectangle"]) for v in report["violations"]]
        tile = {"y": 7, "width": 1, "height": 1}
        self.assertEqual(found, [("dead_tiles", ["k1"], {"x": 5} | tile),
                                 ("dead_tiles", ["k2"], {"x": 6} | tile)])
        self.assertEqual((report["time"], report["total"]), (4608, None))
        self.write_json("wafer.json", {"width": 17, "height": 30, "memory_limit": 1})
        kinds = [v["kind"] for v in self.score("--wafer", "wafer.json", code=4)["violations"]]
        self.assertEqual(kinds, ["memory"] * 3 + ["out_of_bounds"])

    def test_what_does_not_fit_between_scattered_dead_tiles_is_told_at_once(self) -> None:
        # Far more clear rectangles than are kept, the largest of a few hundred tiles; the first
        # kernel of case A needs more than a thousand.
        draw = random.Random(1)
        dead = [{"x": x, "y": y, "width": 1, "height": 1}
                for x, y in draw.sample([(x, y) for x in range(633) for y in range(633)], 10_000)]
        self.write_json("wafer.json", {"width": 633, "height": 633, "dead": dead})
        self.write("A.kgraph", run("cases", "A").stdout)
        done = self.run_here("place", "A.kgraph", "-o", "A.sol", "--wafer", "wafer.json",
                             timeout=PATIENCE_S)
        self.assert_fails(done, 3, "kernel k1 has no shape that fits between the dead tiles",
                          "the largest clear rectangle has", "its smallest shape needs")
        self.assertNotIn("A.sol", self.names())

    def test_constraints_that_hold(self) -> None:
        self.write_json("c.json", CONSTRAINTS)
        report = self.score("--constraints", "c.json")
        self.assertEqual((report["preference"], report["total"]),
                         (PREFERENCE, SMALL_TOTAL + PREFERENCE))
        done = self.run_here("score", "small.kgraph", "small.sol", "--constraints", "c.json")
        self.assertIn("preference", done.stdout)
        self.assertNotIn("preference", self.run_here("score", "small.kgraph", "small.sol").stdout)

    def test_constraints_that_are_broken(self) -> None:
        self.write_json("c.json", {
            "fixed": ["k1 : place(0 1 R0)",
                      {"kernel": "k2", "x": 6, "y": 0, "execution": [2, 2, 1, 3]}],
            "regions": [CONSTRAINTS["regions"][0] | {"rule": "outside", "kernels": ["k3"]},
                        CONSTRAINTS["regions"][1] | {"rule": "inside"}]})
        found = [(v["kind"], v["kernels"][0])
                 for v in self.score("--constraints", "c.json", code=4)["violations"]]
        self.assertEqual(found, [("fixed", "k1"), ("fixed", "k2"), ("inside", "k3"),
                                 ("outside", "k3")])

    def test_weights_and_shapes(self) -> None:
        case = SMALL_CASE.replace("-> conv[2]:x, shape:[8][8][8]", "-> conv[2]:x, weight=2.25")
        self.write("small.kgraph", case)
        self.assertEqual(self.score()["distance"], 6 * 2.25 + 6)
        conv = "conv[3] W=8 H=8 R=1 S=1 C=8 K=4 T=1 U=1"
        shapes = "shapes[3] options=[12x30:5000 6x8:12.5:99 6x8:1@2,2,9]"
        case = SMALL_CASE.replace(conv, shapes).replace("conv[3]", "shapes[3]")
        self.write("small.kgraph", case)
        for option, adapter in ((2, 0), (3, 1)):
            self.write("small.sol", "k1 = conv( 8 8 4 8 3 3 1 1 2 2 1 2 )\n"
                       "k2 = conv( 8 8 8 8 3 3 1 1 2 2 1 2 )\n"
                       f"k3 = shapes( {option} )\nk1 : place(0 0 R0)\nk2 : place(6 0 R0)\n"
                       "k3 : place(12 0 R0)\n")
            report = self.score()
            self.assertEqual((report["time"], report["adapter"]), (4608, adapter))

    def test_bad_files_are_told_with_their_place(self) -> None:
        self.write("old.sol", "what was there before")
        region = '{"regions": [{"kernels": ["k1"], "rectangle": 5, "rule": "inside"}]}'
        rectangle = '{"x": 0, "y": 0, "width": 1, "height": 1}'
        for option, text, message in (
            ("--wafer", "", "x.json:1:1: expected a JSON value, found the end of the file"),
            ("--wafer", "[1]", "x.json:1:1: expected a wafer as an object"),
            ("--wafer", '{"width": 5}', "x.json:1:1: expected the key 'height'"),
            ("--wafer", '{\n "width": 5,\n "height": 5.5}', "x.json:3:12: expected height as a "
             "whole number from 1 to 32000, found '5.5'"),
            ("--wafer", '{"width": 5, "width": 5}', "x.json:1:14: expected each key once"),
            ("--wafer", '{"width": 5, "hieght": 5}', "x.json:1:14: expected one of the keys"),
            ("--wafer", '{"width": 5, "height": 5, "dead": [{"x": 0}]}', "x.json:1:36: expected "
             "the key 'y'"),
            ("--wafer", '{"width": 5, "height": 5,\n"dead": [{"x": 5, "y": 0, "width": 1, "height": '
             '1}]}', "x.json:2:16: expected dead tiles on the mesh of 5x5, found x from 5 to 5"),
            ("--wafer", '{"width": 5, "height": 5,}', "x.json:1:26: expected a key"),
            ("--wafer", '{"width": 5, "height": 05}', "x.json:1:25: expected a number without"),
            ("--wafer", '{"schema": "waferloom/score/1"}', "x.json:1:12: expected the schema"),
            ("--wafer", "[" * 99, "x.json:1:18: expected a value nested at most 16 deep"),
            ("--constraints", region.replace("k1", "k9").replace("5", rectangle), "x.json:1:27: "
             "expected the name of a kernel of the case, found 'k9'"),
            ("--constraints", region, "x.json:1:47: expected rectangle as an object with x, y"),
            ("--constraints", '{"fixed": ["k1 = conv( 8 8 4 8 3 3 1 1 2 2 1 2 )"]}',
             "x.json:1:12: expected a place for 'k1' too"),
            ("--constraints", '{"fixed": ["k1 : place(0 0)"]}', "x.json:1:12: expected R0 or R90"),
            ("--constraints", '{"fixed": [{"kernel": "k1", "x": 40, "y": 0}]}', "x.json:1:34: "
             "expected x of 'k1' on the wafer of 40x30 as a whole number from 0 to 39, found '40'"),
            ("--constraints", '{"fixed": [{"kernel": "k1", "x": 39, "y": -1}]}', "x.json:1:43: "
             "expected y of 'k1' on the wafer of 40x30 as a whole number from 0 to 29, found '-1'"),
            ("--constraints", '{"fixed": ["k1 : place(0 30 R0)"]}', "x.json:1:12: "
             "expected a place on the wafer for 'k1', found (0, 30)"),
            ("--constraints", '{"fixed": [{"kernel": "k1", "x": 0, "y": 0, "execution": [9, 1, 1, '
             '1]}]}', "x.json:1:58: expected execution parameters within the limits of 'k1'"),
            ("--constraints", '{"fixed": ["k1 : place(0 0 R0)", "k1 : place(1 0 R0)"]}',
             "x.json:1:34: expected a kernel that is fixed once, found 'k1' again"),
        ):
            with self.subTest(text):
                self.write("x.json", text)
                before = self.names()
                for command in (("score", "small.kgraph", "small.sol"),
                                ("place", "small.kgraph", "-o", "old.sol", "-q")):
                    done = self.run_here(*command, option, "x.json")
                    self.assert_fails(done, 2, message)
                    self.assertEqual(done.stderr.count("\n"), 1)
                self.assertEqual(self.names(), before)
                self.assertEqual((self.folder / "old.sol").read_text(), "what was there before")

    def test_one_input_on_stdin(self) -> None:
        done = self.run_here("score", "small.kgraph", "small.sol", "--wafer", "-",
                             stdin=json.dumps(WAFER))
        self.assertEqual(done.code, 0, done.stderr)
        done = self.run_here("score", "-", "small.sol", "--wafer", "-")
        self.assert_fails(done, 2, "at most one input on standard input")

    def test_start_is_read_and_checked(self) -> None:
        done = self.run_here("place", "small.kgraph", "-o", "out.sol", "--start", "small.sol",
                             "--effort", "1")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("start: 3 of 3 kernels from small.sol", done.stderr)
        self.write("part.sol", "k2 = conv( 8 8 8 8 3 3 1 1 2 2 1 2 )\nk2 : place(6 0 R0)\n"
                   "k1 : place(0 0 R0)\nother : place(0 0 R0)\n")
        done = self.run_here("place", "small.kgraph", "-o", "out.sol", "--start", "part.sol",
                             "--effort", "1")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("start: 1 of 3 kernels from part.sol; the rest is made legal", done.stderr)
        self.write("none.sol", "k9 : place(0 0 R0)\n")
        done = self.run_here("place", "small.kgraph", "-o", "new.sol", "--start", "none.sol")
        self.assert_fails(done, 2, "none.sol: expected a solution of this case to start from")
        done = self.run_here("place", "small.kgraph", "-o", "small.sol", "--start", "small.sol")
        self.assert_fails(done, 2)

    def test_fixed_kernels_stay_where_they_are(self) -> None:
        # A corner where no start lays a kernel of its own accord.
        self.write_json("corner.json", {"fixed": ["k1 : place(29 3 R90)"]})
        done = self.run_here("place", "small.kgraph", "-o", "corner.sol", "--constraints",
                             "corner.json", "--effort", "1")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("k1 : place(29 3 R90)", (self.folder / "corner.sol").read_text())
        done = self.run_here("place", "small.kgraph", "-o", "other.sol", "--constraints",
                             "corner.json", "--effort", "1", "--strategy", "rows")
        self.assert_fails(done, 3, "knows dead tiles, fixed kernels and regions")
        self.assertFalse((self.folder / "other.sol").exists())

    def test_pictures(self) -> None:
        self.write_json("wafer.json", WAFER)
        self.write_json("c.json", CONSTRAINTS)
        for name in ("a.svg", "a.png"):
            done = self.run_here("draw", "small.kgraph", "small.sol", "-o", name, "--wafer",
                                 "wafer.json", "--constraints", "c.json")
            self.assertEqual(done.code, 0, done.stderr)
            self.assertNotIn("warning", done.stderr)
        picture = (self.folder / "a.svg").read_text()
        for text in ("dead tiles", "fixed kernels", "region to lie in", "preferred region"):
            self.assertIn(text, picture)
        done = self.run_here("draw", "--fabric", "9x9", "-o", "b.svg", "--wafer", "wafer.json")
        self.assert_fails(done, 2, "--wafer: needs CASE and SOL")


if __name__ == "__main__":
    unittest.main()
