"""Device traces: spans of the 47 of a Wormhole (published/ of the reference data) against what was
measured, and what simulate says of traces. Traces that are not there are skipped by name."""

import json
import os
import unittest
from pathlib import Path

from program import SOURCES, ProgramTest

TRACES = (Path(os.environ.get("WAFERLOOM_SHARED", SOURCES.parent / "shared")) / "published" /
          "wormhole_traces")


def event(kind: str, cycle: int, **more: object) -> dict:
    return {"proc": "BRISC", "noc": "NOC_0", "sx": 1, "sy": 1, "type": kind, "timestamp": cycle,
            **more}


# A read of the tile to the east, which waits for 2,048 bytes: 33 units of 64 at 28.1 bytes a cycle.
READ = [event("READ", 500, dx=2, dy=1, num_bytes=2048), event("READ_BARRIER_END", 900),
        event("SEMAPHORE_INC", 905)]


class TracesTest(ProgramTest):
    def span(self, *arguments: object) -> dict:
        done = self.run_here("simulate", "--messages", *map(str, arguments), "-q", "--report",
                             "r.json")
        self.assertEqual(done.code, 0, done.stderr)
        return json.loads((self.folder / "r.json").read_text())

    def test_measured_spans(self) -> None:
        if not TRACES.is_dir():
            print("SKIPPED traces: published/wormhole_traces are not beside the project")
            self.skipTest("no traces")
        measured = json.loads((TRACES / "measured.json").read_text())["traces"]
        # As docs/simulator.md has it: mean, worst, those of BLOCK and those of DRAM, in per cent.
        for times, wanted in (("recorded", (2.06, -8.06, 2.82, -8.06, 1.27, -4.32)),
                              ("shifted", (2.54, -10.98, 2.82, -8.06, 2.24, -10.98))):
            errors = {}
            for name, facts in measured.items():
                report = self.span(TRACES / name, "--issue-times", times)
                self.assertEqual(report["trace_events"], facts["events"])
                self.assertEqual(report["recorded_cycles"], facts["span_cycles"] + 20)
                errors[name] = 100 * (report["span_cycles"] / facts["span_cycles"] - 1)
            self.assertEqual(len(errors), 47)
            found = []
            for kind in ("", "_BLOCK_TO", "DRAM"):
                of = [error for name, error in errors.items() if kind in name]
                found += [sum(map(abs, of)) / len(of), max(of, key=abs)]
            for got, want in zip(found, wanted):
                self.assertAlmostEqual(got, want, delta=0.006)

    def test_a_read_alone(self) -> None:
        self.write("t.json", json.dumps(READ))
        report = self.span("t.json")
        self.assertEqual(report["reads"], 1)
        self.assertEqual(report["barriers"], 1)
        # 70 of the request, ten hops around the row, 32 units behind the first at 2.28 cycles;
        # hops are of whole steps of two cycles: ten each on the way of the data, nine on that of
        # the request.
        self.assertLess(abs(report["programs"][0]["waited_cycles"] - (70 + 99 + 75)), 5)
        # The semaphore comes when the trace says so.
        self.assertEqual(report["span_cycles"], 405)
        shifted = self.span("t.json", "--issue-times", "shifted")
        self.assertEqual(shifted["span_cycles"],
                         shifted["programs"][0]["waited_cycles"] + 5)

    def test_what_the_machine_has_is_what_counts(self) -> None:
        self.write("t.json", json.dumps(READ[:2]))
        known = self.span("t.json")["span_cycles"]
        self.assertLess(known + 50, self.span("t.json", "--set", "noc.tile_bytes_per_s=14e9")
                        ["span_cycles"])
        # Steps are of two cycles.
        slow = self.span("t.json", "--set", "noc.request_ps=100000")["span_cycles"]
        self.assertLessEqual(abs(slow - known - 30), 2)

    def test_refusals(self) -> None:
        self.write("t.json", json.dumps(READ))
        self.write("far.json", json.dumps([event("READ", 1, dx=12, dy=1, num_bytes=1)]))
        self.write("bad.json", '[{"timestamp": 4,\n "type": "READ", "proc": 7}]')
        self.write("set.json", '{"mesh": [2, 1], "messages": [{"id": 1, "src": [0, 0], '
                               '"dst": [1, 0], "flits": 1}]}')
        for arguments, says in (
                (["t.json", "--hardware", "wse2"], "machine wse2 has none"),
                (["far.json"], "tile (12, 1) is beyond the 10x12 tiles of machine wormhole"),
                (["bad.json"], "bad.json:2:26: expected proc"),
                (["t.json", "--network", "packet"], "a device trace runs on the networks of"),
                (["set.json", "--hardware", "wormhole"], "are of device traces")):
            with self.subTest(arguments):
                done = self.run_here("simulate", "--messages", *arguments)
                self.assert_fails(done, 2, says)


if __name__ == "__main__":
    unittest.main()
