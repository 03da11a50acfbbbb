"""Networks of convolutions of groups, whose parameters are published, through the program."""

import json
import unittest
from typing import Any

from program import ProgramTest

Entry = dict[str, Any]


class Network:
    """Operators one behind the other; `side` and `channels` are of the image so far."""

    def __init__(self, side: int, channels: int) -> None:
        self.side, self.channels = side, channels
        self.operators: list[Entry] = []

    def last(self) -> str:
        return self.operators[-1]["name"]

    def convolve(self, filter_side: int, out: int, stride: int = 1, groups: int = 1) -> str:
        entry = {"name": f"c{len(self.operators)}", "kind": "conv2", "image": self.side,
                 "filter": filter_side, "stride": stride, "padding": filter_side // 2,
                 "in": self.channels, "out": out, "groups": groups, "normalised": True}
        if self.operators:
            entry["after"] = [self.last()]
        self.operators.append(entry)
        self.side = (self.side + 2 * (filter_side // 2) - filter_side) // stride + 1
        self.channels = out
        return self.last()

    def add(self, others: list[str]) -> None:
        self.operators.append({"name": f"a{len(self.operators)}", "kind": "add", "after": others,
                               "elements": self.side**2 * self.channels})

    def pool(self, filter_side: int, stride: int, padding: int) -> None:
        self.operators.append({"name": f"p{len(self.operators)}", "kind": "pool",
                               "image": self.side, "filter": filter_side, "stride": stride,
                               "padding": padding, "channels": self.channels})
        self.side = (self.side + 2 * padding - filter_side) // stride + 1

    def text(self) -> str:
        """With the classifier behind it."""
        self.pool(self.side, 1, 0)
        classes = {"name": "classes", "kind": "linear", "in": self.channels, "out": 1000}
        return json.dumps({"operators": [*self.operators, classes]})


def mobilenet_v2() -> str:
    """Sandler et al. (2018), Table 2."""
    net = Network(224, 3)
    net.convolve(3, 32, stride=2)
    blocks = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
              (6, 160, 3, 2), (6, 320, 1, 1)]
    for expansion, out, repeats, stride in blocks:
        for at in range(repeats):
            before, channels = net.last(), net.channels
            if expansion > 1:
                net.convolve(1, channels * expansion)
            net.convolve(3, net.channels, stride if at == 0 else 1, groups=net.channels)
            net.convolve(1, out)
            if at > 0:
                net.add([before, net.last()])
    net.convolve(1, 1280)
    return net.text()


def resnext_50() -> str:
    """Xie et al. (2017), Table 1: 32 groups of 4."""
    net = Network(224, 3)
    net.convolve(7, 64, stride=2)
    net.pool(3, 2, 1)
    for stage, repeats in enumerate([3, 4, 6, 3]):
        for at in range(repeats):
            before, side, channels = net.last(), net.side, net.channels
            stride = 2 if at == 0 and stage > 0 else 1
            net.convolve(1, 128 << stage)
            net.convolve(3, 128 << stage, stride, groups=32)
            wide = net.convolve(1, 256 << stage)
            if at == 0:
                other = {**net.operators[-1], "name": f"s{stage}", "after": [before],
                         "image": side, "in": channels, "stride": stride}
                net.operators.append(other)
                before = net.last()
            net.add([before, wide])
    return net.text()


class ConvolutionsTest(ProgramTest):
    def test_parameters_are_the_published_ones(self) -> None:
        for text, published in [(mobilenet_v2(), 3_504_872), (resnext_50(), 25_028_904)]:
            self.write("net.json", text)
            report = self.run_here("workload", "net.json", "--report", "-").json()
            self.assertEqual(report["total"]["parameters"], published)

    def test_every_way_that_takes_images_plans_them(self) -> None:
        self.write("net.json", mobilenet_v2())
        done = self.run_here("plan", "net.json", "--way", "pipeline", "--hardware", "wse2", "-q",
                             "--report", "-")
        best = done.json()
        self.assert_valid("wafer_plan", done.stdout)
        # 3 · 224² numbers of two bytes, and 1,000, through the ports of a WSE-2 at 150 GB/s.
        self.assertLess(best["samples_per_s"], 150e9 / (2 * 3 * 224**2))
        self.assertGreater(best["samples_per_s"], 0.5 * 150e9 / (2 * 3 * 224**2))
        net = Network(56, 16)
        for _ in range(3):
            net.convolve(1, 96)
            net.convolve(3, 96, groups=96)
            net.convolve(1, 16)
        self.write("net.json", net.text())
        done = self.run_here("plan", "net.json", "--hardware", "palm_wafer", "-q", "-o", "p.json",
                             "--report", "-")
        self.assert_valid("planned", done.stdout)
        run = self.run_here("simulate", "net.json", "--plan", "p.json", "-q", "--report", "-")
        planned = done.json()
        best = next(row for row in planned["simulated"] if row["name"] == planned["best"])
        self.assertAlmostEqual(run.json()["samples_per_s"] / best["simulated_per_s"], 1, places=5)

    def test_a_decoder_of_images_is_planned(self) -> None:
        # Twice as large at every step, to 64 x 64 pixels.
        layers = [{"name": f"up{i}", "kind": "conv2", "image": 4 << i, "filter": 4, "stride": 2,
                   "padding": 1, "in": 256 >> i, "out": 128 >> i, "transposed": True}
                  for i in range(4)]
        self.write("decoder.json", json.dumps({"operators": layers}))
        for arguments in (["--way", "pipeline", "--hardware", "wse2"],
                          ["--way", "cut", "--hardware", "palm_wafer", "-o", "p.json"]):
            done = self.run_here("plan", "decoder.json", "-q", *arguments)
            self.assertEqual(done.code, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
