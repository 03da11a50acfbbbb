#!/usr/bin/env python3
"""Writes an ONNX model to try `waferloom import` with: the graph and sizes of a published network.

    example_onnx.py resnet18|alexnet [--batch N] [-o FILE]

Weights have sizes and no numbers, as in files whose data is external. The protobuf encoding is
written here, by the standard's field numbers; no package is needed. Model is also what tests write
their models with.
"""

from __future__ import annotations

import argparse
import struct
import sys
from pathlib import Path

FLOAT, INT64, BOOL = 1, 7, 9


def varint(value: int) -> bytes:
    """A number as protobuf writes it; negative ones in 10 bytes."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def block(field: int, content: bytes | str) -> bytes:
    data = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(data)) + data


def real(field: int, value: float) -> bytes:
    return varint(field << 3 | 5) + struct.pack("<f", value)


def tensor(name: str, sizes: tuple[int, ...] | list[int], kind: int = FLOAT,
           numbers: list[int] | list[float] | None = None) -> bytes:
    """A tensor with the numbers that it holds; without any where they are of no matter."""
    out = b"".join(number(1, size) for size in sizes) + number(2, kind)
    if numbers is not None:
        letter = {FLOAT: "f", INT64: "q", BOOL: "B"}[kind]
        out += block(9, struct.pack(f"<{len(numbers)}{letter}", *numbers))
    return out + block(8, name)


def value_info(name: str, sizes: list[int | str] | None, kind: int = FLOAT) -> bytes:
    """A value with its sizes; those with names are symbolic."""
    shape = b""
    if sizes is not None:
        shape = block(2, b"".join(block(1, number(1, size) if isinstance(size, int)
                                        else block(2, size)) for size in sizes))
    return block(1, name) + block(2, block(1, number(1, kind) + shape))


def attribute(name: str, value: object) -> bytes:
    """An attribute of the type that the value has; bytes are a tensor."""
    out = block(1, name)
    if isinstance(value, bool | int):
        return out + number(3, int(value)) + number(20, 2)
    if isinstance(value, float):
        return out + real(2, value) + number(20, 1)
    if isinstance(value, str):
        return out + block(4, value) + number(20, 3)
    if isinstance(value, bytes):
        return out + block(5, value) + number(20, 4)
    if isinstance(value, Graph):
        return out + block(6, value.encoded) + number(20, 5)
    values = list(value)  # type: ignore[call-overload]
    if values and isinstance(values[0], float):
        return out + b"".join(real(7, item) for item in values) + number(20, 6)
    return out + b"".join(number(8, item) for item in values) + number(20, 7)


class Graph:
    """An encoded graph, for an attribute."""

    def __init__(self, encoded: bytes) -> None:
        self.encoded = encoded


class Model:
    """An ONNX model that grows node by node. Values are their names."""

    def __init__(self, name: str = "main_graph", opset: int = 17) -> None:
        self.name = name
        self.opset = opset
        self.nodes: list[bytes] = []
        self.initializers: list[bytes] = []
        self.inputs: list[bytes] = []
        self.outputs: list[bytes] = []
        self.infos: list[bytes] = []
        self.made = 0

    def input(self, name: str, sizes: list[int | str], kind: int = FLOAT) -> str:
        self.inputs.append(value_info(name, sizes, kind))
        return name

    def output(self, *names: str) -> None:
        self.outputs += [value_info(name, None) for name in names]

    def weight(self, name: str, *sizes: int) -> str:
        self.initializers.append(tensor(name, sizes))
        return name

    def constant(self, numbers: list[int] | list[float] | int | float, name: str = "") -> str:
        """A list of numbers, or a number alone, as a node."""
        flat = numbers if isinstance(numbers, list) else [numbers]
        sizes = [len(flat)] if isinstance(numbers, list) else []
        kind = FLOAT if flat and isinstance(flat[0], float) else INT64
        return self.add("Constant", [], name=name, value=tensor("", sizes, kind, flat))

    def add(self, op: str, inputs: list[str], name: str = "", outputs: int | list[str] = 1,
            domain: str = "", **attributes: object) -> str:
        """Adds a node; answers its first output."""
        self.made += 1
        name = name or f"/{op}_{self.made}"
        made = outputs if isinstance(outputs, list) else [f"{name}_output_{i}"
                                                          for i in range(outputs)]
        node = b"".join(block(1, value) for value in inputs)
        node += b"".join(block(2, value) for value in made) + block(3, name) + block(4, op)
        node += b"".join(block(5, attribute(key, value)) for key, value in attributes.items())
        if domain:
            node += block(7, domain)
        self.nodes.append(node)
        return made[0] if made else ""

    def conv(self, name: str, value: str, out: int, inside: int, field: int = 3, stride: int = 1,
             pad: int | None = None, groups: int = 1, bias: bool = True, **more: object) -> str:
        """A square convolution; `inside` channels in, `out` channels out."""
        pads = field // 2 if pad is None else pad
        inputs = [value, self.weight(f"{name}.weight", out, inside // groups, field, field)]
        if bias:
            inputs.append(self.weight(f"{name}.bias", out))
        return self.add("Conv", inputs, f"/{name}/Conv", group=groups, kernel_shape=[field, field],
                        strides=[stride, stride], pads=[pads] * 4, **{"dilations": [1, 1], **more})

    def gemm(self, name: str, value: str, out: int, inside: int) -> str:
        return self.add("Gemm", [value, self.weight(f"{name}.weight", out, inside),
                                 self.weight(f"{name}.bias", out)], f"/{name}/Gemm", transB=1)

    def linear(self, name: str, value: str, out: int, inside: int, bias: bool = True) -> str:
        """As PyTorch exports a linear layer of more than two sizes."""
        made = self.add("MatMul", [value, self.weight(f"{name}.weight", inside, out)],
                        f"/{name}/MatMul")
        if not bias:
            return made
        return self.add("Add", [self.weight(f"{name}.bias", out), made], f"/{name}/Add")

    def pool(self, value: str, op: str = "MaxPool", field: int = 2, stride: int = 2,
             pad: int = 0) -> str:
        return self.add(op, [value], kernel_shape=[field, field], strides=[stride, stride],
                        pads=[pad] * 4)

    def graph(self) -> bytes:
        return (b"".join(block(1, node) for node in self.nodes) + block(2, self.name) +
                b"".join(block(5, item) for item in self.initializers) +
                b"".join(block(11, item) for item in self.inputs) +
                b"".join(block(12, item) for item in self.outputs) +
                b"".join(block(13, item) for item in self.infos))

    def encoded(self) -> bytes:
        return (number(1, 8) + block(2, "waferloom") + block(7, self.graph()) +
                block(8, block(1, "") + number(2, self.opset)))


def resnet18(batch: int) -> Model:
    """ResNet-18 (He et al., 2016), its batch normalisations folded into the convolutions."""
    model = Model("resnet18")
    value = model.conv("conv1", model.input("input", [batch, 3, 224, 224]), 64, 3, 7, 2)
    value = model.pool(model.add("Relu", [value]), "MaxPool", 3, 2, 1)
    inside = 64
    for layer, out in enumerate((64, 128, 256, 512), start=1):
        for part in range(2):
            name = f"layer{layer}.{part}"
            stride = 2 if out != inside else 1
            made = model.add("Relu", [model.conv(f"{name}.conv1", value, out, inside, 3, stride)])
            made = model.conv(f"{name}.conv2", made, out, out)
            if out != inside:
                value = model.conv(f"{name}.downsample", value, out, inside, 1, stride)
            value = model.add("Relu", [model.add("Add", [made, value])])
            inside = out
    value = model.add("Flatten", [model.add("GlobalAveragePool", [value])])
    model.output(model.gemm("fc", value, 1000, 512))
    return model


def alexnet(batch: int) -> Model:
    """AlexNet (Krizhevsky et al., 2012) with its convolutions in two groups."""
    model = Model("alexnet")
    value = model.input("input", [batch, 3, 224, 224])
    for name, out, inside, field, stride, groups, is_pooled in (
            ("conv1", 96, 3, 11, 4, 1, True), ("conv2", 256, 96, 5, 1, 2, True),
            ("conv3", 384, 256, 3, 1, 1, False), ("conv4", 384, 384, 3, 1, 2, False),
            ("conv5", 256, 384, 3, 1, 2, True)):
        pad = 2 if name == "conv1" else None
        value = model.add("Relu", [model.conv(name, value, out, inside, field, stride, pad, groups)])
        if is_pooled:
            value = model.pool(value, "MaxPool", 3, 2)
    value = model.add("Flatten", [value])
    for name, out, inside in (("fc6", 4096, 9216), ("fc7", 4096, 4096), ("fc8", 1000, 4096)):
        value = model.gemm(name, value, out, inside)
        if name != "fc8":
            value = model.add("Relu", [value])
    model.output(model.add("Softmax", [value], axis=-1))
    return model


MODELS = {"resnet18": resnet18, "alexnet": alexnet}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=MODELS)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, help="by default NAME.onnx")
    arguments = parser.parse_args()
    output = arguments.output or Path(f"{arguments.name}.onnx")
    output.write_bytes(MODELS[arguments.name](arguments.batch).encoded())
    return 0


if __name__ == "__main__":
    sys.exit(main())
