"""waferloom place WORKLOAD --plan, and simulate with the placement that it writes."""

import json
import unittest

from program import ProgramTest

PLAN = {"tensor": 4, "data": 1, "pipeline": 10, "micro_batches": 30}


class PlacePlanTest(ProgramTest):
    def test_a_placement_for_other_hardware_is_doubted(self) -> None:
        self.write("plan.json", '{"tensor": 8, "pipeline": 4, "micro_batches": 4}')
        own = json.loads(self.run_here("hardware", "palm_wafer", "--json").stdout)["fabric"]
        self.write("own.json", json.dumps({**own, "name": "own", "rows": 18}))
        words = ("T-18B", "--plan", "plan.json")
        self.run_here("place", *words, "--hardware", "own.json", "-o", "t.json", "--effort", "1")
        self.assertEqual(json.loads((self.folder / "t.json").read_text())["hardware"], "own")
        doubt = ("t.json: placed on the hardware 'own', not on 'palm_wafer', which is taken; "
                 "--hardware says which")
        draw = ("draw", "T-18B", "t.json", "--plan", "plan.json", "-o", "t.svg")
        simulate = ("simulate", *words, "--placement", "t.json")
        for command in (draw, simulate):
            self.assertIn(doubt, self.run_here(*command, "--report", "-").json()["warnings"])
            done = self.run_here(*command, "--hardware", "own.json", "--report", "-")
            self.assertNotIn(doubt, done.json()["warnings"])

    def place(self, *more: str, plan: dict | None = None):
        self.write("plan.json", json.dumps({**PLAN, **(plan or {})}))
        return self.run_here("place", "T-18B", "--plan", "plan.json", "--hardware", "palm_wafer",
                             "-o", "placement.json", *more)

    def stages(self) -> list:
        return json.loads((self.folder / "placement.json").read_text())["stages"]

    def test_stages_are_placed_and_the_placement_is_simulated(self) -> None:
        done = self.place("--effort", "1", "--draw", "p.svg", "--report", "report.json")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("place", (self.folder / "report.json").read_text())
        self.assertIn("<svg", (self.folder / "p.svg").read_text())
        stages = self.stages()
        self.assertEqual([stage["name"] for stage in stages], [f"s{i}" for i in range(10)])
        for stage in stages:
            self.assertEqual(stage["width"] * stage["height"], 4)
            self.assertIn(stage["rotation"], (0, 90))
        done = self.run_here("simulate", "T-18B", "--plan", "plan.json", "--hardware", "palm_wafer",
                             "--placement", "placement.json", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("simulate", done.stdout)
        simulated = done.json()["plan"]
        self.assertIsNone(simulated["layout"])
        for placed, stage in zip(stages, simulated["stages"]):
            for key in ("name", "x", "y", "width", "height"):
                self.assertEqual(placed[key], stage[key])

    def priced(self, plan: dict, name: str = "routes.json"):
        """Places under the prices of the routes that the plan's own layout has."""
        self.write("plan.json", json.dumps(plan))
        words = ("T-18B", "--plan", "plan.json", "--hardware", "palm_wafer")
        done = self.run_here("route", *words, "-o", "routes.json")
        self.assertEqual(done.code, 0, done.stderr)
        return self.run_here("place", *words, "-o", "placement.json", "--effort", "1", "--prices",
                             name)

    def test_stages_are_placed_under_the_prices_of_their_tensors(self) -> None:
        for more in ({}, {"pipeline": 5, "schedule": "interleaved:2"}):
            with self.subTest(plan=more):
                done = self.priced({**PLAN, **more})
                self.assertEqual(done.code, 0, done.stderr)
                self.assertRegex(done.stdout, r"(?m)^  priced +[0-9.]+, with edges that weigh as")
                self.assertEqual(len(self.stages()), more.get("pipeline", 10))

    def test_prices_of_another_network_are_refused(self) -> None:
        self.write("other.json", json.dumps({
            "schema": "waferloom/routes/1", "hardware": "palm_wafer", "columns": 20, "rows": 16,
            "tensors": [{"name": "k1 -> k2", "bytes": 1, "price": 0.5, "lanes": []}]}))
        self.assert_fails(self.priced(PLAN, "other.json"), 2, "other.json:",
                          "expected tensors between stages of this plan, found k1 -> k2")

    def test_same_bytes_at_any_number_of_threads(self) -> None:
        texts = set()
        for threads in ("1", "2", "4"):
            self.assertEqual(self.place("--effort", "1", "--threads", threads).code, 0)
            texts.add((self.folder / "placement.json").read_text())
        self.assertEqual(len(texts), 1)

    def test_stages_lie_otherwise_where_memory_takes_no_time(self) -> None:
        wide = {"tensor": 16, "pipeline": 20, "leave_out": ["embedding", "head"]}
        self.assertEqual(self.place("--effort", "1", plan=wide).code, 0)
        self.assertEqual({stage["width"] for stage in self.stages()}, {2})
        self.assertEqual(self.place("--effort", "1", "--no-dram", plan=wide).code, 0)
        self.assertEqual({stage["width"] for stage in self.stages()}, {4})
        self.assert_fails(self.run_here("place", "A", "--no-dram", "-o", "a.sol"), 2,
                          "--no-dram: needs --plan")

    def test_stages_lie_where_the_plan_binds_them(self) -> None:
        tiles = {"x": 7, "y": 5, "width": 1, "height": 4}
        bound = {"tensor": 4, "leave_out": ["embedding", "head"],
                 "stages": [{"to": "layer.20"}, {"to": "layer.40", "tiles": tiles}]}
        self.write("plan.json", json.dumps(bound))
        words = ("place", "T-18B", "--plan", "plan.json", "--hardware", "palm_wafer", "--effort",
                 "1", "-o", "placement.json")
        done = self.run_here(*words)
        self.assertEqual(done.code, 0, done.stderr)
        self.assertEqual(self.stages()[1], {"name": "s1", **tiles, "rotation": 0})
        # Constraints go by stages' names, beside what the plan binds.
        self.write("c.json", json.dumps({"regions": [
            {"kernels": ["s0"], "rule": "inside",
             "rectangle": {"x": 14, "y": 12, "width": 4, "height": 4}}]}))
        done = self.run_here(*words, "--constraints", "c.json")
        self.assertEqual(done.code, 0, done.stderr)
        first, second = self.stages()
        self.assertEqual(second, {"name": "s1", **tiles, "rotation": 0})
        self.assertTrue(14 <= first["x"] and first["x"] + first["width"] <= 18, first)
        self.assertTrue(12 <= first["y"] and first["y"] + first["height"] <= 16, first)
        self.write("c.json", json.dumps({"fixed": [
            {"kernel": "s1", "x": 0, "y": 0, "orientation": "R0"}]}))
        self.assert_fails(self.run_here(*words, "--constraints", "c.json"), 2, "found s1 among")
        bound["stages"][1]["tiles"] = {**tiles, "height": 3}
        self.write("plan.json", json.dumps(bound))
        self.assert_fails(self.run_here(*words), 2, "s1 has 3 tiles", "tensor times data, 4")

    def test_a_wafer_file_and_a_placement_to_start_from(self) -> None:
        self.write("w.json", json.dumps({"width": 20, "height": 16, "dead": [
            {"x": 0, "y": 0, "width": 20, "height": 12}]}))
        done = self.place("--effort", "1", "--wafer", "w.json")
        self.assertEqual(done.code, 0, done.stderr)
        first = self.stages()
        self.assertTrue(all(stage["y"] >= 12 for stage in first))
        (self.folder / "start.json").write_text((self.folder / "placement.json").read_text())
        done = self.place("--effort", "1", "--wafer", "w.json", "--start", "start.json")
        self.assertEqual(done.code, 0, done.stderr)
        self.write("start.json", json.dumps({"stages": []}))
        self.assert_fails(self.place("--start", "start.json"), 2, "expected stages of this plan")

    def test_what_cannot_be_placed_is_told(self) -> None:
        self.assert_fails(self.place(plan={"tensor": 17, "data": 19}), 2,
                          "plan.json:1:12: no rectangle of 323 tiles fits the mesh")
        self.assert_fails(self.place(plan={"tensor": 64}), 3,
                          "need 640 tiles together, and the wafer has 320 that work")
        self.write("w.json", json.dumps({"width": 20, "height": 15}))
        self.assert_fails(self.place("--wafer", "w.json"), 2, "a wafer of 20 x 16 tiles")
        self.assertFalse((self.folder / "placement.json").exists())

    def test_placements_that_do_not_fit_the_plan_are_told(self) -> None:
        self.place("--effort", "1")
        stages = self.stages()
        simulate = ("simulate", "T-18B", "--plan", "plan.json", "--hardware", "palm_wafer",
                    "--placement", "other.json")
        for change, message in (({"name": "s1"}, "a name that no other stage has"),
                                ({"x": 30}, "not within the mesh"),
                                ({"width": 3}, "tiles, expected tensor times data, 4"),
                                ({"rotation": 45}, "rotation as 0 or 90")):
            self.write("other.json", json.dumps({"stages": [{**stages[0], **change}, *stages[1:]]}))
            self.assert_fails(self.run_here(*simulate), 2, message)
        self.write("other.json", json.dumps({"stages": stages[1:]}))
        self.assert_fails(self.run_here(*simulate), 2, "expected 10 stages, found 9")


if __name__ == "__main__":
    unittest.main()
