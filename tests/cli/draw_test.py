"""waferloom draw: formats, colours, the fabric, illegal placements."""

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
        for colour in ("type", "slack"):
            done = self.run_here("draw", "small.kgraph", "small.sol", "-o", "out.svg", "--colour",
                                 colour)
            self.assertEqual(done.code, 0, done.stderr)
            pictures.append((self.folder / "out.svg").read_text())
            ElementTree.fromstring(pictures[-1].encode())
        self.assertNotEqual(*pictures)
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

    def test_a_kernel_so_far_off_that_no_score_exists_is_drawn_too(self) -> None:
        # 999999.999999 to a place 10^12 tiles off: above the 2^62 units that a distance can have.
        self.write("small.kgraph", SMALL_CASE.replace(
            "-> conv[2]:x, shape:[8][8][8]", "-> conv[2]:x, shape:[8][8][8], weight=999999.999999"))
        self.write("small.sol", SMALL_SOLUTION.replace("place(0 0", "place(0 999999999999"))
        done = self.run_here("draw", "small.kgraph", "small.sol", "-o", "out.svg", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertFalse(done.json()["legal"])
        self.assertIn("kernel 'k1' of 6x8 tiles at (0, 999999999999) is not wholly on the wafer",
                      done.stderr)
        self.assertIn("ILLEGAL · not scored", (self.folder / "out.svg").read_text())

    def test_what_has_no_place_cannot_be_drawn(self) -> None:
        self.write("small.sol", SMALL_SOLUTION.replace("k3 : place(12 0 R0)\n", ""))
        done = self.run_here("draw", "small.kgraph", "small.sol", "-o", "out.svg")
        self.assert_fails(done, 4, "small.sol: cannot be drawn", "k3")
        self.assertNotIn("out.svg", self.names())

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
