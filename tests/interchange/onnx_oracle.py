"""What an ONNX model computes and holds, counted without a line of the importer's.

counts(bytes) has the multiply-adds of convolutions and products of matrices, and the parameters: it
decodes protobuf by hand, carries sizes through the operators of convolutional networks and small
transformers, and adds up. random_model(seed) draws a convolutional network of branches, groups,
dilations, strides, transposed convolutions and pools.
"""

from __future__ import annotations

import random
import struct
import sys
from collections.abc import Iterator
from math import prod
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from example_onnx import Model  # noqa: E402

REALS = {1, 10, 11, 16}


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message by their numbers."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = read_varint(data, at)
            yield key >> 3, value
            continue
        size = {1: 8, 5: 4}.get(kind)
        if size is None:
            size, at = read_varint(data, at)
        yield key >> 3, data[at:at + size]
        at += size


def all_of(data: bytes, number: int) -> list:
    return [value for field, value in fields(data) if field == number]


def first(data: bytes, number: int, otherwise: object = None) -> object:
    found = all_of(data, number)
    return found[0] if found else otherwise


def signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def whole_numbers(data: bytes, number: int) -> list[int]:
    """A repeated number, packed or not."""
    found = []
    for value in all_of(data, number):
        if isinstance(value, int):
            found.append(signed(value))
            continue
        at = 0
        while at < len(value):
            item, at = read_varint(value, at)
            found.append(signed(item))
    return found


class Attributes(dict):
    def __init__(self, node: bytes) -> None:
        super().__init__()
        for data in all_of(node, 5):
            name = first(data, 1).decode()
            kind = first(data, 20, 0)
            if kind == 7 or (kind == 0 and all_of(data, 8)):
                self[name] = whole_numbers(data, 8)
            elif kind == 4:
                self[name] = first(data, 5)
            elif kind == 3:
                self[name] = first(data, 4, b"").decode()
            else:
                self[name] = signed(first(data, 3, 0))


def numbers_of(tensor: bytes) -> list[int] | None:
    """The 64-bit numbers of a tensor."""
    if first(tensor, 2) != 7:
        return None
    raw = first(tensor, 9)
    if raw is not None:
        return list(struct.unpack(f"<{len(raw) // 8}q", raw))
    return whole_numbers(tensor, 7)


class Counter:
    """Walks over the nodes of a model once."""

    def __init__(self, data: bytes) -> None:
        graph = first(data, 7)
        self.sizes: dict[str, list[int]] = {}
        self.numbers: dict[str, list[int]] = {}
        self.weights: dict[str, int] = {}
        self.used: set[str] = set()
        self.multiply_adds = 0
        for tensor in all_of(graph, 5):
            name = first(tensor, 8).decode()
            self.sizes[name] = whole_numbers(tensor, 1)
            numbers = numbers_of(tensor)
            if numbers is not None:
                self.numbers[name] = numbers
            if first(tensor, 2) in REALS and self.sizes[name]:
                self.weights[name] = prod(self.sizes[name])
        for value in all_of(graph, 11):
            name = first(value, 1).decode()
            shape = first(first(first(value, 2), 1), 2)
            self.sizes.setdefault(name, [first(size, 1) for size in all_of(shape, 1)])
        for node in all_of(graph, 1):
            self.walk(node)

    def walk(self, node: bytes) -> None:
        op = first(node, 4).decode()
        inputs = [name.decode() for name in all_of(node, 1)]
        outputs = [name.decode() for name in all_of(node, 2)]
        attributes = Attributes(node)
        learned = inputs[:3] if op == "BatchNormalization" else inputs
        if op not in ("Resize", "Reshape"):
            self.used |= set(learned) & self.weights.keys()
        if op == "Constant":
            self.sizes[outputs[0]] = whole_numbers(attributes["value"], 1)
            self.numbers[outputs[0]] = numbers_of(attributes["value"]) or []
            return
        rule = getattr(self, f"of_{op}", None)
        if rule is not None:
            made = rule(inputs, attributes)
        elif all_of(node, 7):
            made = self.sizes[inputs[0]]
        else:
            made = self.combined(inputs)
        for index, output in enumerate(outputs):
            self.sizes[output] = made[index] if op == "Split" else made

    def combined(self, inputs: list[str]) -> list[int]:
        """Number by number; BatchNormalization's vectors lie along the channels."""
        sizes = [self.sizes[name] for name in inputs if name]
        longest = max(sizes, key=len)
        made = list(longest)
        for other in sizes:
            for place, size in enumerate(reversed(other), start=1):
                if len(other) > 1 or len(longest) == 1:
                    made[-place] = max(made[-place], size)
        return made

    @staticmethod
    def places(size: int, attributes: Attributes, field: int, way: int, ways: int) -> int:
        stride = attributes.get("strides", [1] * ways)[way]
        dilation = attributes.get("dilations", [1] * ways)[way]
        pads = attributes.get("pads", [0] * 2 * ways)
        spare = size + pads[way] + pads[way + ways] - (field - 1) * dilation - 1
        if attributes.get("ceil_mode", 0) and spare % stride and \
                (spare // stride + 1) * stride < size + pads[way]:
            return spare // stride + 2
        return spare // stride + 1

    def windows(self, image: list[int], field: list[int], attributes: Attributes) -> list[int]:
        return [self.places(size, attributes, field[way], way, len(field))
                for way, size in enumerate(image)]

    def of_Conv(self, inputs: list[str], attributes: Attributes) -> list[int]:
        samples, _, *image = self.sizes[inputs[0]]
        out, inside, *field = self.sizes[inputs[1]]
        made = self.windows(image, field, attributes)
        self.multiply_adds += samples * prod(made) * prod(field) * inside * out
        return [samples, out, *made]

    def of_ConvTranspose(self, inputs: list[str], attributes: Attributes) -> list[int]:
        samples, inside, *image = self.sizes[inputs[0]]
        _, out, *field = self.sizes[inputs[1]]
        ways = len(field)
        self.multiply_adds += samples * prod(image) * prod(field) * inside * out
        pads = attributes.get("pads", [0] * 2 * ways)
        made = [attributes.get("strides", [1] * ways)[way] * (size - 1) + field[way] - pads[way] -
                pads[way + ways] + attributes.get("output_padding", [0] * ways)[way]
                for way, size in enumerate(image)]
        return [samples, out * attributes.get("group", 1), *made]

    def of_MaxPool(self, inputs: list[str], attributes: Attributes) -> list[int]:
        samples, channels, *image = self.sizes[inputs[0]]
        return [samples, channels, *self.windows(image, attributes["kernel_shape"], attributes)]

    of_AveragePool = of_MaxPool

    def of_GlobalAveragePool(self, inputs: list[str], _: Attributes) -> list[int]:
        return [*self.sizes[inputs[0]][:2], *[1] * (len(self.sizes[inputs[0]]) - 2)]

    def of_Gemm(self, inputs: list[str], attributes: Attributes) -> list[int]:
        left, right = (self.sizes[name] for name in inputs[:2])
        rows, inner = left[::-1] if attributes.get("transA", 0) else left
        out = right[0 if attributes.get("transB", 0) else 1]
        self.multiply_adds += rows * inner * out
        return [rows, out]

    def of_MatMul(self, inputs: list[str], _: Attributes) -> list[int]:
        left, right = (self.sizes[name] for name in inputs[:2])
        depth = max(len(left), len(right))
        outer = [max(pair) for pair in zip([1] * (depth - len(left)) + left[:-2],
                                           [1] * (depth - len(right)) + right[:-2])]
        made = [*outer, left[-2], right[-1]]
        self.multiply_adds += prod(made) * left[-1]
        return made

    def of_Flatten(self, inputs: list[str], attributes: Attributes) -> list[int]:
        sizes, axis = self.sizes[inputs[0]], attributes.get("axis", 1)
        return [prod(sizes[:axis]), prod(sizes[axis:])]

    def of_Reshape(self, inputs: list[str], _: Attributes) -> list[int]:
        sizes = self.sizes[inputs[0]]
        made = [sizes[place] if size == 0 else size
                for place, size in enumerate(self.numbers[inputs[1]])]
        known = prod(size for size in made if size >= 0)
        return [prod(sizes) // known if size < 0 else size for size in made]

    def of_Transpose(self, inputs: list[str], attributes: Attributes) -> list[int]:
        sizes = self.sizes[inputs[0]]
        return [sizes[place] for place in attributes.get("perm", range(len(sizes))[::-1])]

    def of_Concat(self, inputs: list[str], attributes: Attributes) -> list[int]:
        made = list(self.sizes[inputs[0]])
        made[attributes["axis"]] = sum(self.sizes[name][attributes["axis"]] for name in inputs)
        return made

    def of_Split(self, inputs: list[str], attributes: Attributes) -> list[list[int]]:
        parts = []
        for size in self.numbers[inputs[1]]:
            made = list(self.sizes[inputs[0]])
            made[attributes["axis"]] = size
            parts.append(made)
        return parts

    def of_DepthToSpace(self, inputs: list[str], attributes: Attributes) -> list[int]:
        samples, channels, height, width = self.sizes[inputs[0]]
        block = attributes["blocksize"]
        return [samples, channels // block ** 2, height * block, width * block]


def counts(data: bytes) -> dict[str, int]:
    counter = Counter(data)
    return {"multiply_adds": counter.multiply_adds,
            "parameters": sum(counter.weights[name] for name in counter.used)}


def random_conv(model: Model, rng: random.Random, name: str, value: str, inside: int) -> int:
    """A convolution of some kind behind a value; answers its channels."""
    groups = rng.choice([1, 1, 2 if inside % 2 == 0 else 1, inside])
    out = rng.choice([2, 3, 4]) * groups if groups < inside else inside * rng.choice([1, 2])
    field = rng.choice([1, 3, 5])
    dilation = rng.choice([1, 2])
    pad = (field - 1) * dilation // 2
    inputs = [value, model.weight(f"{name}.w", out, inside // groups, field, field)]
    if rng.random() < 0.5:
        inputs.append(model.weight(f"{name}.b", out))
    model.add("Conv", inputs, name, [name], group=groups, kernel_shape=[field, field],
              strides=[rng.choice([1, 1, 2])] * 2, pads=[pad] * 4, dilations=[dilation] * 2)
    return out


def random_model(seed: int) -> Model:
    """A chain of convolutions with branches, sums, gates and pools."""
    rng = random.Random(seed)
    model = Model(f"random_{seed}", opset=rng.choice([11, 13, 17]))
    inside = rng.choice([1, 3, 4, 6])
    value = model.input("image", [1, inside, rng.choice([17, 32, 45]), rng.choice([16, 33])])
    for index in range(rng.randint(2, 12)):
        name = f"n{index}"
        kind = rng.choice(["conv", "conv", "norm", "pool", "sum", "gate", "concat", "split", "up",
                           "shuffle"])
        if kind == "conv":
            inside = random_conv(model, rng, name, value, inside)
            value = model.add(rng.choice(["Relu", "HardSwish", "Sigmoid"]), [name])
        elif kind == "norm":
            value = model.add("BatchNormalization", [value] + [
                model.weight(f"{name}.{part}", inside) for part in ("s", "b", "m", "v")])
        elif kind == "pool":
            value = model.pool(value, rng.choice(["MaxPool", "AveragePool"]), 3, 2, 1)
        elif kind == "sum":
            made = model.conv(name, value, inside, inside, bias=False)
            value = model.add("Add", [made, value])
        elif kind == "gate":
            made = model.add("GlobalAveragePool", [value])
            made = model.conv(name, made, inside, inside, 1)
            value = model.add("Mul", [value, model.add("Sigmoid", [made])])
        elif kind == "concat":
            sides = [model.conv(f"{name}.{side}", value, side + 2, inside) for side in range(3)]
            value = model.add("Concat", [*sides, value], axis=1)
            inside += 2 + 3 + 4
        elif kind == "split" and inside > 1:
            parts = model.constant([1, inside - 1])
            model.add("Split", [value, parts], name, [f"{name}.a", f"{name}.b"], axis=1)
            value, inside = f"{name}.b", inside - 1
        elif kind == "up":
            made = model.add("ConvTranspose", [value, model.weight(f"{name}.w", inside, 2, 3, 3)],
                             name, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4,
                             output_padding=[1, 1])
            value, inside = made, 2
        elif inside % 4 == 0:
            value, inside = model.add("DepthToSpace", [value], blocksize=2), inside // 4
    value = model.conv("last", value, 5, inside)
    value = model.add("Flatten", [model.add("GlobalAveragePool", [value])])
    model.output(model.gemm("fc", value, 7, 5))
    return model
