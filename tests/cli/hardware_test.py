"""waferloom hardware: presets, summaries, whole files, pictures, errors."""

import json
import unittest

from program import SOURCES, ProgramTest

# 6 x 4 tiles of which 2 are dead, so 22 at work.
SMALL = """{"columns": 6, "rows": 4, "sram_bytes_per_tile": 1000,
 "peak_flop_per_s_per_tile": {"fp16": 2000000000000},
 "dead": [{"x": 1, "y": 1, "width": 2, "height": 1}],
 "dram_ports": [{"side": "west", "position": 0, "last": 3, "bytes_per_s": 100000000000}]}
"""


def example() -> str:
    """The file with every key in docs/formats.md."""
    lines = (SOURCES / "docs" / "formats.md").read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("([cli.md](cli.md#hardware)). A mesh"))
    block = []
    for line in lines[begin + 2:]:
        if not line.startswith("    "):
            break
        block.append(line[4:])
    return "\n".join(block) + "\n"


class HardwareTest(ProgramTest):
    def presets(self) -> list[str]:
        return [one["name"] for one in self.run_here("hardware", "--report", "-").json()["machines"]]

    def test_presets_are_listed_and_each_can_be_read(self) -> None:
        done = self.run_here("hardware")
        self.assertEqual((done.code, done.stderr), (0, ""))
        names = self.presets()
        self.assertIn("palm_wafer", names)
        for name in names:
            self.assertIn(f"\n{name} ", done.stdout)
            shown = self.run_here("hardware", name)
            self.assertEqual(shown.code, 0, shown.stderr)
            self.assertTrue(shown.stdout.startswith(f"{name}: "), shown.stdout)
            self.assertTrue(all(len(line) <= 100 for line in shown.stdout.splitlines()))

    def test_the_whole_file_goes_to_stdout_for_a_dash(self) -> None:
        done = self.run_here("hardware", "palm_wafer", "-o", "-")
        self.assertEqual((done.code, done.stderr), (0, ""))
        self.assertEqual(done.stdout, self.run_here("hardware", "palm_wafer", "--json").stdout)
        self.assertEqual(done.stdout,
                         self.run_here("hardware", "palm_wafer", "-o", "-", "--json").stdout)
        both = self.run_here("hardware", "palm_wafer", "-o", "-", "--report", "-")
        self.assertEqual(both.code, 2)
        self.assertEqual(both.json()["error"]["message"],
                         "expected one of -o - and --report - on stdout")

    def test_reports_are_of_their_schema(self) -> None:
        self.assert_valid("machines", self.run_here("hardware", "--report", "-").stdout)
        self.assert_valid("machines", self.run_here("hardware", "wse2", "--report", "-").stdout)

    def test_a_summary_has_totals_of_the_tiles_at_work_and_what_is_left_to_defaults(self) -> None:
        self.write("own.json", SMALL)
        done = self.run_here("hardware", "own.json")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("own.json: mesh of 6x4 tiles\n", done.stdout)
        self.assertIn("22 at work, 2 dead in 1 rectangle\n", done.stdout)
        self.assertIn("1 kB a tile, 22 kB in all\n", done.stdout)
        self.assertIn("2 TFLOP/s a tile, 44 TFLOP/s in all\n", done.stdout)
        self.assertIn("4 west: 100 GB/s each, 400 GB/s in all, response 0 ns\n", done.stdout)
        defaults = done.stdout.split("by default:\n")[1]
        self.assertIn("  lanes_max ", defaults)
        self.assertNotIn("sram_bytes_per_tile", defaults)
        machine = self.run_here("hardware", "own.json", "--report", "-").json()["machines"][0]
        self.assertEqual((machine["tiles"], machine["dead_tiles"]), (22, 2))
        self.assertEqual(machine["sram_bytes"], 22_000)

    def test_a_whole_file_reads_back_as_the_same_hardware(self) -> None:
        for name in self.presets():
            done = self.run_here("hardware", name, "--json")
            self.assertEqual(done.code, 0, done.stderr)
            self.assert_valid("machine", done.stdout)
            written = self.run_here("hardware", name, "-o", "whole.json", "-q")
            self.assertEqual(written.code, 0, written.stderr)
            self.assertEqual((self.folder / "whole.json").read_text(), done.stdout)
            again = self.run_here("hardware", "whole.json", "--json")
            self.assertEqual(again.stdout, done.stdout)
            self.assertIn("The file has every key.", self.run_here("hardware", "whole.json").stdout)

    def test_the_documented_example_is_what_the_command_writes(self) -> None:
        text = example()
        done = self.run_here("hardware", "-", "--json", stdin=text)
        self.assertEqual(done.code, 0, done.stderr)
        self.assertEqual(done.stdout, text)
        self.assert_valid("machine", text)
        given = json.loads(text)["fabric"]
        schema = self.run_here("schema", "hardware").json()
        # An earlier name of a key is read and not written, others are written where they say
        # something.
        self.assertEqual(set(given), set(schema["properties"]) - {
            "schema", "name", "tile_cycles", "networks", "noc", "passing", "column_link",
            "achievable_percent_by_type"})
        self.assertNotIn("null", text)
        for lists in ("host_ports", "dram_ports", "dead", "dead_links", "sources", "host_port_of"):
            self.assertTrue(given[lists], lists)

    def test_a_whole_file_simulates_as_the_preset(self) -> None:
        self.run_here("hardware", "palm_wafer", "-o", "whole.json", "-q")
        self.write("plan.json", '{"tensor": 2, "pipeline": 2, "micro_batches": 2}')
        runs = [self.run_here("simulate", "T-1.7B", "--plan", "plan.json", "--hardware", name,
                              "--allow-infeasible", "--report", "-") for name in ("palm_wafer", "whole.json")]
        self.assertEqual(runs[0].code, 0, runs[0].stderr)
        of_preset, of_whole = (run.findings() for run in runs)
        for figure in of_preset["assumptions"]:  # the whole file gives what the preset leaves out
            if figure["source"] == "default":
                figure["source"] = "given"
        self.assertEqual(of_preset, of_whole)

    def test_pictures_show_the_mesh(self) -> None:
        self.write("own.json", SMALL)
        for ending, signature in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF-")):
            done = self.run_here("hardware", "own.json", "--draw", f"own.{ending}", "-q")
            self.assertEqual(done.code, 0, done.stderr)
            self.assertTrue((self.folder / f"own.{ending}").read_bytes().startswith(signature))
        self.assertIn("DRAM ports", (self.folder / "own.svg").read_text())
        for name, part in (("a100_cluster", "groups of"), ("sn40l_16", "ring"),
                           ("gaudi2", "Priced, not simulated: 8 of its chips are joined as fully-connected")):
            done = self.run_here("hardware", name, "--draw", "chips.svg", "-q")
            self.assertEqual(done.code, 0, done.stderr)
            self.assertIn(part, (self.folder / "chips.svg").read_text())

    def test_what_is_simulated_of_a_network_is_told(self) -> None:
        report = self.run_here("hardware", "--report", "-").json()
        known = {one["name"]: one["simulated_dimensions"] for one in report["chips"]}
        self.assertEqual((known["a100"], known["sn40l_16"], known["gaudi2"]), ([0, 1], [0], []))
        self.assertIn("priced, not simulated", self.run_here("hardware", "gaudi2").stdout)
        self.assertRegex(self.run_here("hardware").stdout, r"\ngaudi2 +fully-connected 8 +none ")

    def test_wrong_hardware_is_told(self) -> None:
        self.assert_fails(self.run_here("hardware", "wse4"), 2, "did you mean 'wse1'?",
                          "`waferloom hardware` lists the presets")
        self.write("own.json", SMALL.replace('"last": 3', '"last": 4'))
        self.assert_fails(self.run_here("hardware", "own.json", "-o", "out.json"), 2,
                          "own.json:4:57: expected last on the west side")
        self.assertNotIn("out.json", self.names())

    def test_what_does_not_go_together_is_refused(self) -> None:
        self.assert_fails(self.run_here("hardware", "--json"), 2, "--json: needs HARDWARE")
        self.assert_fails(self.run_here("hardware", "-o", "a.json"), 2, "--output: needs HARDWARE")
        done = self.run_here("hardware", "wse1", "--json", "--report", "-")
        self.assertEqual(done.code, 2)
        self.assertIn("--json and --report -", done.stderr)
        self.write("own.json", SMALL)
        self.assert_fails(self.run_here("hardware", "own.json", "-o", "own.json"), 2, "also an input")
        self.assert_fails(self.run_here("hardware", "wse1", "--draw", "a.gif"), 2, "--draw")


if __name__ == "__main__":
    unittest.main()
