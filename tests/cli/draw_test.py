"""waferloom draw: formats, colours, the fabric, illegal placements."""

import json
import unittest
import xml.etree.ElementTree as ElementTree

from program import SMALL_CASE, SMALL_SOLUTION, ProgramTest

SIGNATURES = {"svg": b"<?xml", "png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-"}


class DrawTest(ProgramTest):
    def test_formats_follow_the_name(self) -> None:
        for ending, signature in SIGNATURES.items():
            for name in (f"out.{ending}", f"out2.{ending.upper()}"):
                done = self.run_here("draw", "small.kgraph", "small.sol", "-o", name, "--report",
                                     "-")
                self.assertEqual(done.code, 0, done.stderr)
                self.assert_valid("draw", done.stdout)
                picture = (self.folder / name).read_bytes()
                self.assertTrue(picture.startswith(signature), picture[:10])
                self.assertEqual(done.json()["bytes"], len(picture))
                self.assertEqual(done.json()["format"], ending)

    def test_where_the_picture_went_is_told(self) -> None:
        for arguments, kind in ((("small.kgraph", "small.sol"), "floorplan"),
                                (("--fabric", "9x9"), "fabric")):
            draw = ("draw", *arguments, "-o", "out.svg")
            done = self.run_here(*draw)
            self.assertEqual((done.code, done.stdout), (0, ""))
            self.assertEqual(done.stderr, f"{kind} written to out.svg\n")
            self.assertEqual(self.run_here(*draw, "-q").stderr, "")

    def test_colours(self) -> None:
        pictures = []
        for colour in ("type", "slack", "load"):
            done = self.run_here("draw", "small.kgraph", "small.sol", "-o", "out.svg", "--colour",
                                 colour)
            self.assertEqual(done.code, 0, done.stderr)
            pictures.append((self.folder / "out.svg").read_text())
            ElementTree.fromstring(pictures[-1].encode())
        self.assertEqual(len(set(pictures)), 3)
        self.assert_fails(self.run_here("draw", "small.kgraph", "small.sol", "-o", "x.svg",
                                        "--colour", "slak"), 2, "did you mean 'slack'")

    def test_fabric(self) -> None:
        done = self.run_here("draw", "--fabric", "633x633", "-o", "out.svg", "--dead",
                             "10,20,3x4", "--dead", "0,0,1x1", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("draw", done.stdout)
        self.assertEqual(done.json()["picture"], "fabric")
        size = (self.folder / "out.svg").stat().st_size
        self.assertLessEqual(size, 1_000_000)
        self.run_here("draw", "--fabric", "633x633", "-o", "plain.svg")
        self.assertNotEqual((self.folder / "plain.svg").read_bytes(),
                            (self.folder / "out.svg").read_bytes())

    def test_illegal_placements_are_drawn_with_a_warning(self) -> None:
        self.write("small.sol", SMALL_SOLUTION.replace("place(6 0", "place(4 0"))
        done = self.run_here("draw", "small.kgraph", "small.sol", "-o", "out.svg", "--report", "-")
        self.assertEqual(done.code, 0)
        self.assertFalse(done.json()["legal"])
        self.assertIn("warning: small.sol: illegal", done.stderr)
        self.assertNotIn("more)", done.stderr)
        self.assertIn("out.svg", self.names())

    def test_the_warning_counts_further_violations(self) -> None:
        self.write("small.sol", SMALL_SOLUTION.replace("place(6 0", "place(4 0")
                   .replace("place(12 0", "place(36 0"))
        done = self.run_here("draw", "small.kgraph", "small.sol", "-o", "out.svg", "--report", "-")
        self.assertIn(" (and 1 more)\n", done.stderr)
        self.assert_valid("draw", done.stdout)
        self.assertEqual(len(done.json()["warnings"]), 1)

    def test_a_kernel_so_far_off_that_it_is_not_seen_cannot_be_drawn(self) -> None:
        # The wafer has 40 x 30 tiles: a kernel at row 59 is drawn, at row 60 it is out of sight.
        for row, code in (("59", 0), ("60", 4), ("999999999999", 4)):
            self.write("small.sol", SMALL_SOLUTION.replace("place(0 0", f"place(0 {row}"))
            done = self.run_here("draw", "small.kgraph", "small.sol", "-o", "out.svg")
            self.assertEqual(done.code, code, done.stderr)
            self.assertIn(f"kernel 'k1' of 6x8 tiles at (0, {row}) is not wholly on the wafer",
                          done.stderr)
            self.assertEqual("out.svg" in self.names(), code == 0)
            (self.folder / "out.svg").unlink(missing_ok=True)

    def test_what_has_no_place_cannot_be_drawn(self) -> None:
        self.write("small.sol", SMALL_SOLUTION.replace("k3 : place(12 0 R0)\n", ""))
        done = self.run_here("draw", "small.kgraph", "small.sol", "-o", "out.svg")
        self.assert_fails(done, 4, "small.sol: cannot be drawn", "k3")
        self.assertNotIn("out.svg", self.names())

    def place_network(self) -> tuple[str, ...]:
        """Places the stages of a network and answers what draws them."""
        self.write("plan.json", json.dumps({"tensor": 4, "pipeline": 10, "micro_batches": 30}))
        plan = ("--plan", "plan.json", "--hardware", "palm_wafer")
        done = self.run_here("place", "T-18B", *plan, "-o", "T.json", "--effort", "1", "--draw",
                             "placed.svg", "--report", "r.json")
        self.assertEqual(done.code, 0, done.stderr)
        return ("draw", "T-18B", "T.json", *plan)

    def test_stages_of_a_network_are_drawn_as_place_draws_them(self) -> None:
        done = self.run_here(*self.place_network(), "-o", "drawn.svg", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("draw", done.stdout)
        self.assertTrue(done.json()["legal"])
        pictures = []
        for name in ("placed.svg", "drawn.svg"):
            root = ElementTree.parse(self.folder / name).getroot()
            texts = [e.text for e in root.iter() if e.tag.endswith("}text")]
            self.assertIn("T-18B on palm_wafer", texts)
            self.assertIn("embedding–layer.4", texts)
            self.assertIn("DRAM ports", texts)
            # But for the line that names the files, which only draw reads the placement from.
            pictures.append([e.attrib for e in root.iter() if " between them" not in (e.text or "")])
        self.assertEqual(*pictures)

    def test_stages_with_the_same_kinds_of_operators_are_of_one_kind(self) -> None:
        # Some stages begin with a sum and end with a convolution, others the other way round.
        self.write("plan.json", json.dumps({"pipeline": 20}))
        done = self.run_here("place", "resnet50", "--plan", "plan.json", "-o", "p.json", "--effort",
                             "1", "--draw", "p.svg")
        self.assertEqual(done.code, 0, done.stderr)
        texts = [e.text for e in ElementTree.parse(self.folder / "p.svg").getroot().iter()]
        self.assertIn("conv2, add", texts)
        self.assertNotIn("add, conv2", texts)

    def test_illegal_places_of_stages_are_drawn_with_a_warning(self) -> None:
        draw = self.place_network()
        placed = json.loads((self.folder / "T.json").read_text())
        placed["stages"][1] = {**placed["stages"][0], "name": "s1"}
        self.write("T.json", json.dumps(placed))
        done = self.run_here(*draw, "-o", "out.svg", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertFalse(done.json()["legal"])
        self.assertIn("warning: T.json: illegal: kernels 's0' and 's1' share", done.stderr)
        placed["stages"][1]["x"] = 1000  # the wafer has 20 columns
        self.write("T.json", json.dumps(placed))
        self.assert_fails(self.run_here(*draw, "-o", "x.svg"), 4, "T.json: cannot be drawn", "'s1'")
        placed["stages"][1]["width"] += 1
        self.write("T.json", json.dumps(placed))
        self.assert_fails(self.run_here(*draw, "-o", "x.svg"), 2, "T.json: s1 has", "expected tensor")
        placed["stages"].pop()
        self.write("T.json", json.dumps(placed))
        self.assert_fails(self.run_here(*draw, "-o", "x.svg"), 2, "T.json: expected 10 stages")

    def test_files_without_positions_say_which_ones_have_them(self) -> None:
        self.place_network()
        done = self.run_here("simulate", "T-18B", "--plan", "plan.json", "--placement", "T.json",
                             "--hardware", "palm_wafer", "--report", "s.json", "-q")
        self.assertEqual(done.code, 0, done.stderr)
        for arguments, part in (
            (("T.json",), "a placement of stages, give the network and the plan too"),
            (("T-18B", "T.json"), "draw WORKLOAD PLACEMENT --plan PLAN"),
            (("r.json",), "a report of place, which has no positions"),
            (("s.json",), "--heatmap"),
            (("T-18B", "r.json", "--plan", "plan.json"), "a report of place"),
            (("small.kgraph", "small.sol", "--hardware", "wse2"), "--hardware: needs --plan"),
            (("--fabric", "9x9", "--plan", "plan.json"), "--plan: goes without --fabric"),
        ):
            done = self.run_here("draw", *arguments, "-o", "out.svg")
            self.assert_fails(done, 2, part)
            self.assertNotIn("out.svg", self.names())

    def test_a_cut_without_a_placement_is_drawn_on_its_machine(self) -> None:
        self.place_network()
        done = self.run_here("draw", "T-18B", "--plan", "plan.json", "-o", "cut.svg")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertRegex((self.folder / "cut.svg").read_text(), r">regions<(?s:.)*>10<")
        done = self.run_here("draw", "T-18B", "--plan", "plan.json", "--colour", "load", "-o", "x.svg")
        self.assert_fails(done, 2, "--colour: not of a cut plan, which is drawn on its machine")

    def test_bad_usage(self) -> None:
        solution = ("small.kgraph", "small.sol")
        for arguments, part in (
            ((*solution, "-o", "out.gif"), ".svg, .png or .pdf"),
            ((*solution, "-o", "out"), ".svg, .png or .pdf"),
            ((*solution,), "--output"),
            (("-o", "out.svg"), "either CASE and SOL or --fabric"),
            ((*solution, "--fabric", "9x9", "-o", "out.svg"), "either CASE and SOL or --fabric"),
            ((*solution, "--dead", "1,1,1x1", "-o", "out.svg"), "needs --fabric"),
            (("--fabric", "9x9", "--colour", "type", "-o", "out.svg"), "needs CASE and SOL"),
            *(((("--fabric", bad, "-o", "out.svg")), "--fabric: expected") for bad in
              ("9", "0x9", "9x", "x9", "-1x9", "9x9x9", "9x1.5", "9x32001", "99999999999999x1")),
            *((("--fabric", "9x9", "--dead", bad, "-o", "out.svg"), "--dead:") for bad in
              ("1,1", "1,1,0x1", "9,0,1x1", "0,0,1x10", "a,b,cxd")),
        ):
            done = self.run_here("draw", *arguments)
            self.assert_fails(done, 2, part)
            self.assertNotIn("out.svg", self.names())


if __name__ == "__main__":
    unittest.main()
