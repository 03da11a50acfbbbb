"""`import` of ONNX models: contest cases, and what is no model."""

import json
import os
import resource
import subprocess
import sys
import unittest
from pathlib import Path

from program import SOURCES, ProgramTest, run

sys.path.insert(0, str(SOURCES / "tests" / "interchange"))
import onnx_oracle  # noqa: E402
import onnx_transformers  # noqa: E402
from example_onnx import (INT64, Graph, Model, alexnet, block, number, resnet18,  # noqa: E402
                          tensor, value_info, varint)

MODELS = Path(os.environ.get("WAFERLOOM_SHARED", SOURCES.parent / "shared")) / "data" / "onnx"
# Multiply-adds, parameters, kernels and edges between them.
PUBLISHED = {"resnet18": (1_814_073_344, 11_684_712, 21, 28),
             "alexnet": (654_560_384, 60_965_224, 8, 7),
             "attention_head": (14_680_064, 0, 5, 4),
             "swiglu_256_4096_14336": (45_097_156_608, 176_160_768, 3, 2)}


class OnnxTest(ProgramTest):
    def model(self, model: Model, name: str = "m.onnx") -> Path:
        return self.write(name, model.encoded())

    def imported(self, path: Path, *more: str) -> dict:
        done = self.run_here("import", path, "-o", "m.kgraph", "--report", "-", "-q", *more)
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("import_case", done.stdout)
        return done.json()

    def refused(self, content: bytes, *more: str) -> str:
        (self.folder / "m.kgraph").unlink(missing_ok=True)
        path = self.write("m.onnx", content)
        done = self.run_here("import", path, "-o", "m.kgraph", *more)
        self.assertEqual(done.code, 2, done.stdout[:200])
        self.assertEqual(done.stdout, "")
        lines = done.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertNotIn("m.kgraph", self.names())
        return lines[0]

    def counted(self, facts: dict) -> tuple[int, ...]:
        return tuple(facts[key] for key in ("multiply_adds", "parameters", "kernels", "edges"))


class CaseTest(OnnxTest):
    def test_published_models(self) -> None:
        if not MODELS.is_dir():
            print("SKIPPED import_onnx: data/onnx is not beside the project")
            self.skipTest("no models")
        for name, expected in PUBLISHED.items():
            with self.subTest(name):
                facts = self.imported(MODELS / f"{name}.onnx", "--skip-unsupported")
                self.assertEqual(self.counted(facts), expected)
                self.assertEqual(onnx_oracle.counts((MODELS / f"{name}.onnx").read_bytes()),
                                 {"multiply_adds": expected[0], "parameters": expected[1]})
        done = self.run_here("import", MODELS / "swiglu_256_4096_14336.onnx", "-o", "s.kgraph")
        self.assert_fails(done, 2, "'com.example::Silu', 1 node ('Silu', inputs [256, 14336])")
        notes = self.imported(MODELS / "attention_head.onnx")["notes"]
        self.assertIn("'wQ', 'wK', 'wV' are inputs of the file", notes[0])

    def test_a_model_is_placed_routed_and_simulated(self) -> None:
        """docs/import.md has these commands."""
        for name, model, kernels, edges in (("resnet18", resnet18(1), 21, 28),
                                            ("alexnet", alexnet(1), 8, 7)):
            with self.subTest(name):
                facts = self.imported(self.model(model, f"{name}.onnx"))
                self.assertEqual((facts["kernels"], facts["edges"]), (kernels, edges))
                self.assertEqual(facts["parameters"], PUBLISHED[name][1])
                for words in ("place m.kgraph -o m.sol --effort 1 --draw m.svg",
                              "score m.kgraph m.sol", "route m.kgraph m.sol -o m.json",
                              "simulate m.kgraph m.sol --hardware wse1 --report r.json"):
                    done = self.run_here(*words.split())
                    self.assertEqual(done.code, 0, done.stderr)
                rate = json.loads((self.folder / "r.json").read_text())["samples_per_s"]
                self.assertGreater(rate, 50_000)

    def test_a_case_is_of_one_sample(self) -> None:
        alone = self.imported(self.model(resnet18(1)))
        case = (self.folder / "m.kgraph").read_text()
        many = self.imported(self.model(resnet18(8)))
        self.assertEqual((self.folder / "m.kgraph").read_text(), case)
        self.assertEqual(many["multiply_adds"], 8 * alone["multiply_adds"])
        self.assertEqual(many["batch"], 8)
        self.assertIn("a case is of one sample; the file computes 8 at once", many["notes"])

    def test_symbolic_sizes_are_bound(self) -> None:
        model = Model()
        value = model.input("x", ["batch", 3, "side", "side"])
        model.output(model.conv("c", value, 8, 3))
        path = self.model(model)
        facts = self.imported(path, "--bind", "batch=2,side=10")
        self.assertEqual(facts["multiply_adds"], 2 * 10 * 10 * 9 * 3 * 8)
        self.assertIn("symbolic sizes batch, side, for example --bind batch=1,side=1",
                      self.refused(model.encoded()))
        self.assertIn("(batch, side), found 'width'",
                      self.refused(model.encoded(), "--bind", "batch=1,side=4,width=4"))
        for pairs in ("batch", "batch=", "batch=0", "=3", "batch=1.5", "batch=99999999999999"):
            done = self.run_here("import", path, "-o", "m.kgraph", "--bind", pairs)
            self.assert_fails(done, 2, "--bind: expected NAME=N with N from 1")

    def test_depthwise_mobile_blocks(self) -> None:
        """An inverted residual block with a gate, as MobileNetV3 has it."""
        model = Model()
        value = start = model.input("x", [1, 16, 28, 28])
        value = model.add("HardSwish", [model.conv("expand", value, 64, 16, 1)])
        value = model.add("HardSwish", [model.conv("depth", value, 64, 64, 5, groups=64)])
        gate = model.add("GlobalAveragePool", [value])
        gate = model.add("Relu", [model.conv("squeeze", gate, 16, 64, 1)])
        gate = model.add("HardSigmoid", [model.conv("excite", gate, 64, 16, 1)])
        value = model.conv("project", model.add("Mul", [value, gate]), 16, 64, 1)
        model.output(model.add("Add", [value, start]))
        self.imported(self.model(model))
        text = (self.folder / "m.kgraph").read_text()
        self.assertIn("W=28 H=28 R=5 S=5 C=1 K=64 T=1 U=1 name='/depth/Conv'", text)
        # The input is added behind the last convolution.
        self.assertEqual(text.count("input[0]:_ -> "), 2)

    def test_super_resolution(self) -> None:
        """Transposed convolutions and a shuffle of pixels."""
        model = Model()
        value = model.add("Relu", [model.conv("a", model.input("x", [1, 3, 20, 30]), 16, 3)])
        value = model.add("ConvTranspose", [value, model.weight("up", 16, 12, 4, 4)], "up",
                          kernel_shape=[4, 4], strides=[2, 2], pads=[1, 1, 1, 1])
        value = model.add("DepthToSpace", [value], blocksize=2)
        model.output(model.conv("b", value, 3, 3))
        facts = self.imported(self.model(model))
        self.assertEqual(facts["multiply_adds"],
                         20 * 30 * (9 * 3 * 16 + 16 * 16 * 12) + 80 * 120 * 9 * 3 * 3)
        text = (self.folder / "m.kgraph").read_text()
        self.assertIn("W=30 H=20 R=4 S=4 C=16 K=12 T=1 U=1 name='up'", text)
        self.assertIn("shape:[80][120][3]", text)

    def test_quantised_models(self) -> None:
        model = Model()
        model.input("x", [1, 8, 6, 6], 2)
        for name, sizes in (("w", (4, 8, 3, 3)), ("wz", (1,))):
            model.initializers.append(tensor(name, sizes, 3))
        for name in ("xs", "ws", "ys"):
            model.weight(name)
        for name in ("xz", "yz"):
            model.initializers.append(tensor(name, (), 2))
        model.add("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"], "conv", ["y"])
        model.output("y")
        facts = self.imported(self.model(model))
        self.assertEqual(self.counted(facts), (4 * 4 * 9 * 8 * 4, 9 * 8 * 4, 1, 0))

    def test_the_summary_tells_what_was_left_out(self) -> None:
        model = Model()
        value = model.conv("a", model.input("x", [1, 3, 8, 8]), 4, 3)
        value = model.add("Own", [value], "mine", domain="com.example")
        model.output(model.conv("b", value, 4, 4))
        self.model(model)
        done = self.run_here("import", "m.onnx", "-o", "m.kgraph", "--skip-unsupported")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("m: 2 kernels and 1 edge of 3 nodes", done.stdout)
        self.assertIn("left out  com.example::Own, 1 node", done.stdout)
        self.assertIn("33.33 % of all elements", done.stdout)

    def test_options_of_others_are_refused(self) -> None:
        path = self.model(alexnet(1))
        done = self.run_here("import", path, "-o", "m.kgraph", "--sequence", "8")
        self.assert_fails(done, 2, "--sequence: needs a config.json")
        self.write("config.json", '{"model_type": "gpt2"}')
        done = self.run_here("import", "config.json", "--skip-unsupported")
        self.assert_fails(done, 2, "--skip-unsupported: needs an ONNX model")


class NetworkTest(OnnxTest):
    def network(self, model: Model, *more: str) -> dict:
        """The totals of the network of a model."""
        done = self.run_here("import", self.model(model), "-o", "n.json", "--report", "-", "-q",
                             *more)
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("import", done.stdout)
        self.assert_valid("workload", (self.folder / "n.json").read_text())
        self.notes = done.json()["notes"]
        return self.counted_operators("n.json")

    def counted_operators(self, network: str) -> dict:
        return self.run_here("workload", network, "--report", "-").json()

    def entries(self) -> list[dict]:
        return json.loads((self.folder / "n.json").read_text())["operators"]

    def assert_layers_are_as_in(self, found: dict, preset: str) -> None:
        layer = next(row for row in self.counted_operators(preset)["operators"]
                     if row["kind"] == "transformer")
        layers = [row for row in found["operators"] if row["kind"] == "transformer"]
        self.assertGreater(len(layers), 0)
        for row in layers:
            for key in ("matrix_flop", "element_flop", "parameters", "cache_elements"):
                self.assertEqual(row.get(key), layer.get(key), key)

    def test_a_block_of_gpt2_is_the_presets(self) -> None:
        found = self.network(onnx_transformers.gpt2(1))
        self.assertEqual([row["kind"] for row in found["operators"]], ["transformer"])
        self.assert_layers_are_as_in(found, "gpt2_small")
        self.assertIn("recognised: 1 GELU by tanh, 2 LayerNorm", self.notes)

    def test_a_block_of_llama_is_the_presets(self) -> None:
        found = self.network(onnx_transformers.llama(1))
        self.assertEqual([row["kind"] for row in found["operators"]], ["transformer"])
        self.assert_layers_are_as_in(found, "llama3_8b")
        self.assertIn("recognised: 2 RMSNorm, 1 SiLU, 2 rotary embedding", self.notes)

    def test_the_whole_of_gpt2_is_the_preset(self) -> None:
        found = self.network(onnx_transformers.gpt2(12, vocabulary=50257, symbols=True),
                             "--bind", "batch=1,seq=1024")
        self.assertEqual(found["total"], self.counted_operators("gpt2_small")["total"])
        self.assertEqual([(entry["kind"], entry.get("repeat")) for entry in self.entries()],
                         [("embedding", None), ("transformer", 12), ("head", None)])
        done = self.run_here("plan", "n.json", "--way", "streaming", "--hardware", "wse3", "-q")
        self.assertEqual(done.code, 0, done.stderr)

    def test_bert_qwen_and_gpt_j(self) -> None:
        self.network(onnx_transformers.bert(3), "--bind", "batch=2,seq=64")
        embedding, layers = self.entries()
        self.assertEqual((embedding["vocabulary"], embedding["positions"], embedding["token_types"],
                          embedding["norm"]), (1000, 512, 2, "layer"))
        self.assertEqual((layers["repeat"], layers["heads"], layers["hidden"]), (3, 2, 128))
        self.assertIn("operators are of one sample; the file computes 2 at once", self.notes)
        self.network(onnx_transformers.llama(2, 1024, 16, 8, 3072, 128, 128, head_norm=True))
        (layers,) = self.entries()
        self.assertEqual((layers["head_size"], layers["key_value_heads"], layers["query_key_norm"]),
                         (128, 8, True))
        self.network(onnx_transformers.gpt_j(2))
        (layers,) = self.entries()
        self.assertEqual((layers["parallel"], layers["norms"], layers["biases"]),
                         (True, 1, "feed_forward"))

    def test_counts_are_the_files(self) -> None:
        """Of a model of two layers, which nothing is left out of."""
        for model in (onnx_transformers.gpt2(2, 64, 4, 32), onnx_transformers.gpt_j(2),
                      onnx_transformers.llama(2, 256, 4, 2, 512, 64)):
            total = self.network(model)["total"]
            facts = self.imported(self.model(model))
            self.assertEqual(total["parameters"], facts["parameters"])
            self.assertEqual(total["matrix_flop"], 2 * facts["multiply_adds"])

    def test_a_mixture_of_experts(self) -> None:
        found = self.network(onnx_transformers.llama(1, 256, 4, 2, 512, 64, mixture=(4, 2)))
        (layer,) = self.entries()
        self.assertEqual({key: layer["experts"][key] for key in ("count", "active", "feed_forward")},
                         {"count": 4, "active": 2, "feed_forward": 512})
        attention = 2 * 256 * 256 + 2 * 256 * 128
        self.assertEqual(found["total"]["parameters"],
                         attention + 4 * 3 * 256 * 512 + 4 * 256 + 2 * 256)

    def test_resnet18_is_planned(self) -> None:
        total = self.network(resnet18(1))["total"]
        self.assertEqual((total["matrix_flop"], total["parameters"]),
                         (2 * PUBLISHED["resnet18"][0], PUBLISHED["resnet18"][1]))
        done = self.run_here("plan", "n.json", "--way", "pipeline", "--hardware", "wse2", "-q")
        self.assertEqual(done.code, 0, done.stderr)

    def test_a_model_stands_where_a_workload_may(self) -> None:
        self.model(alexnet(1))
        done = self.run_here("workload", "m.onnx", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertEqual(done.json()["total"]["parameters"], PUBLISHED["alexnet"][1])
        self.assertIn("m.onnx: the file has 60965224 parameters", done.stderr)

    def test_a_network_goes_to_stdout(self) -> None:
        self.model(alexnet(1))
        done = self.run_here("import", "m.onnx", "-o", "-", "-q")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("workload", done.stdout)


class PageTest(unittest.TestCase):
    def test_the_page_has_the_table_of_the_corpus(self) -> None:
        done = subprocess.run([sys.executable, SOURCES / "scripts" / "onnx_corpus.py", "--check"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class LargeTest(OnnxTest):
    """Models of 20,000 nodes, with what made the time grow with the square of them (BM_OnnxLarge)."""

    NODES = 20_000

    def assert_operators(self, model: Model, operators: int) -> None:
        done = self.run_here("import", self.model(model), "-o", "n.json", "-q")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertEqual(len(self.entries()), operators)

    def entries(self) -> list[dict]:
        return json.loads((self.folder / "n.json").read_text())["operators"]

    def test_names_that_are_all_alike(self) -> None:
        model = Model()
        value, matrix = model.input("x", [1, 16, 32]), model.weight("w", 32, 32)
        for i in range(self.NODES):
            value = model.add("MatMul", [value, matrix], "same", [f"v{i}"])
        self.assert_operators(model, self.NODES)
        self.assertEqual(self.entries()[-1]["name"], f"same_{self.NODES}")

    def test_products_with_no_softmax_before_them(self) -> None:
        model = Model()
        value = start = model.input("x", [1, 32, 32])
        for _ in range(self.NODES // 2):
            value = model.add("Relu", [value])
        for _ in range(self.NODES // 2):
            model.add("MatMul", [value, start])
        self.assert_operators(model, self.NODES // 2)

    def test_products_behind_a_wide_sum(self) -> None:
        model = Model()
        start = model.input("x", [1, 4, 4])
        total = model.add("Sum", [model.add("Relu", [start]) for _ in range(self.NODES // 2)])
        for _ in range(self.NODES // 2):
            model.add("MatMul", [total, start])
        self.assert_operators(model, self.NODES // 2)

    def test_casts_and_norms(self) -> None:
        model = Model()
        value = model.input("x", [1, 16, 32])
        scale, shift, matrix = model.weight("s", 32), model.weight("t", 32), model.weight("w", 32, 32)
        for _ in range(self.NODES // 2):
            value = model.add("Cast", [value], to=1)
        for _ in range(self.NODES // 4):
            value = model.add("LayerNormalization", [value, scale, shift])
            value = model.add("MatMul", [value, matrix])
        self.assert_operators(model, self.NODES // 4)


class BadInputTest(OnnxTest):
    def one_conv(self) -> Model:
        model = Model()
        model.output(model.conv("c", model.input("x", [1, 3, 8, 8]), 4, 3))
        return model

    def test_every_truncation_is_told_with_its_byte(self) -> None:
        whole = self.one_conv().encoded()
        for size in range(0, len(whole) - 10, 7):
            self.assertRegex(self.refused(whole[:size]), r"m\.onnx: (byte \d+: |expected an ONNX)")

    def test_what_is_no_model(self) -> None:
        for content, said in (
                (b"", "found an empty file"),
                (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "Git LFS"),
                (b"\x89PNG\r\n\x1a\n" + bytes(100), "byte "),
                (bytes(10_000), "byte 0: expected a field"),
                (number(1, 8), "found no graph"),
                (b"{}", "byte ")):
            with self.subTest(said, content=content[:10]):
                self.assertIn(said, self.refused(content))
        (self.folder / "folder.onnx").mkdir()
        self.assert_fails(self.run_here("import", "folder.onnx", "-o", "m.kgraph"), 2,
                          "folder.onnx: cannot be read: Is a directory")

    def test_graphs_that_cannot_be(self) -> None:
        cycle = Model()
        cycle.add("Relu", ["b"], "a", ["a"])
        cycle.add("Relu", ["a"], "b", ["b"])
        self.assertIn("node 'a' ('Relu'): expected nodes without cycles",
                      self.refused(cycle.encoded()))
        nested = b""
        for _ in range(10_000):
            nested = block(1, block(4, "If") + block(5, block(1, "g") + block(6, nested)))
        self.assertIn("nested at most 60 deep", self.refused(block(7, nested)))
        model = self.one_conv()
        model.add("If", ["x"], "branch", then_branch=Graph(block(2, "g")))
        self.assertIn("'If', 1 node ('branch', inputs [1, 3, 8, 8])", self.refused(model.encoded()))

    def test_sizes_that_nobody_has(self) -> None:
        for sizes in ((10**18, 3, 3, 3), (-1, 3, 3, 3), (500_000, 500_000, 1, 1)):
            model = Model()
            model.initializers.append(tensor("w", sizes))
            model.add("Conv", [model.input("x", [1, 3, 8, 8]), "w"])
            self.assertIn("initialiser 'w': expected", self.refused(model.encoded()))
        model = Model()
        model.output(model.add("Relu", [model.input("x", [10**18, 10**18])]))
        self.assertIn("value 'x': expected at most 2^36 elements", self.refused(model.encoded()))
        model = self.one_conv()
        model.add("Reshape", ["x", model.constant([10**9, 10**9, 10**9])], "r")
        self.assertIn("node 'r' ('Reshape')", self.refused(model.encoded()))
        model = self.one_conv()
        model.initializers.append(tensor("s", (1,), INT64, [10**12]))
        model.add("ConstantOfShape", ["s"], "c")
        facts = self.imported(self.model(model))  # which nobody writes out
        self.assertEqual((facts["nodes"], facts["kernels"], facts["parameters"]), (2, 1, 112))

    def test_large_files_are_refused_and_weights_take_no_memory(self) -> None:
        large = self.folder / "large.onnx"
        with large.open("wb") as file:
            file.truncate(2_000_000_000)
        for command in (("import", large, "-o", "m.kgraph"), ("plan", large, "--way", "cut")):
            self.assert_fails(self.run_here(*command), 2,
                              "large.onnx: cannot be read: larger than 1536 MiB")
        text = self.folder / "large.json"
        with text.open("wb") as file:
            file.write(b"{")
            file.truncate(300_000_000)
        self.assert_fails(self.run_here("plan", text, "--way", "cut"), 2,
                          "large.json: cannot be read: larger than 256 MiB")
        # 300 MB of weights inside of the file.
        size = 300_000_000
        head = b"".join(number(1, part) for part in (8, 3, 3125, 4000)) + number(2, 1)
        head += block(8, "w") + varint(9 << 3 | 2) + varint(size)
        others = block(1, block(1, "x") + block(1, "w") + block(2, "y") + block(4, "Conv"))
        others += block(11, value_info("x", [1, 3, 4000, 4000]))
        tensor_key = varint(5 << 3 | 2) + varint(len(head) + size)
        graph = varint(7 << 3 | 2) + varint(len(others) + len(tensor_key) + len(head) + size)
        path = self.folder / "weights.onnx"
        with path.open("wb") as file:  # zeros that take no room
            file.write(number(1, 8) + graph + others + tensor_key + head)
            file.truncate(file.tell() + size)
        self.assertEqual(self.imported(path)["parameters"], size)
        done = self.run_here("workload", path, "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertEqual(done.json()["total"]["parameters"], size + 8)  # with biases
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        self.assertLess(used, size + 200_000_000)

    def test_a_model_comes_over_stdin(self) -> None:
        done = run("import", "-", "-o", self.folder / "m.kgraph", "-q",
                   stdin=self.one_conv().encoded())
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("test='standard input'", (self.folder / "m.kgraph").read_text())


if __name__ == "__main__":
    unittest.main()
