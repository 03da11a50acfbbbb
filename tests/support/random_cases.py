"""Random contest cases and solutions, as text, for property tests. Seeded; standard library only.

Cases are described by plain values so that a test can also spoil them on purpose.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

FORMAL_KEYS = {"conv": "H W C K R S T U", "dblock": "h w f", "cblock": "h w f", "shapes": ""}
CONVOLUTIONS = {"conv": 1, "dblock": 3, "cblock": 4}


@dataclass
class RandomKernel:
    """A kernel's type and its formal parameters in the order of solution files, or its options as
    written."""

    kind: str
    formal: tuple[int, ...]
    options: str = ""


@dataclass
class RandomCase:
    """A case that can be written; kernel i has the id i + 1 and the name k<i + 1>."""

    width: int
    height: int
    memory_limit: int
    weights: tuple[str, str, str]  # wdeltat, wlength, wadapter
    kernels: list[RandomKernel] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)  # (producer, consumer) by position
    edge_weights: dict[int, str] = field(default_factory=dict)  # by position in edges

    def text(self) -> str:
        """The case as a .kgraph file, with an input and an output node around it."""
        time, distance, adapter = self.weights
        lines = [
            "(*", "test=random", f"width={self.width}", f"height={self.height}",
            f"wdeltat={time}", f"wlength={distance}", f"wadapter={adapter}",
            f"memlimit={self.memory_limit}", "*)", "(* Node Definitions *)",
            "input[0] n=[1 1 1] name='k0'",
        ]
        for number, kernel in enumerate(self.kernels, 1):
            keys = FORMAL_KEYS[kernel.kind].split()
            values = " ".join(f"{key}={value}" for key, value in zip(keys, kernel.formal))
            if kernel.kind == "shapes":
                values = f"options=[{kernel.options}]"
            lines.append(f"{kernel.kind}[{number}] {values} name='k{number}'")
        last = len(self.kernels) + 1
        lines += [f"output[{last}] n=[1 1 1] name='k{last}'", "(* Connectivity *)"]
        lines.append(f"input[0]:_ -> {self.node(0)}:x, shape:[1][1][1]")
        for index, (a, b) in enumerate(self.edges):
            weight = self.edge_weights.get(index)
            tail = "" if weight is None else f", weight={weight}"
            lines.append(f"{self.node(a)}:y -> {self.node(b)}:x, shape:[1][1][1]{tail}")
        lines.append(f"{self.node(last - 2)}:y -> output[{last}]:_, shape:[1][1][1]")
        return "\n".join(lines) + "\n"

    def node(self, position: int) -> str:
        """A kernel as an edge names it."""
        return f"{self.kernels[position].kind}[{position + 1}]"


def random_weight(rng: random.Random) -> str:
    """A weight: zero, whole or with up to six decimals."""
    style = rng.randrange(4)
    if style == 0:
        return "0"
    if style == 1:
        return str(rng.choice([1, 1, 4, 10, 40, 100, 400]))
    places = rng.randint(1, 6)
    return f"{rng.randrange(0, 50)}.{rng.randrange(10**places):0{places}d}"


def random_edges(rng: random.Random, count: int) -> list[tuple[int, int]]:
    """Edges from earlier to later kernels: chains, branches, joins and parallel edges."""
    edges = [(i, i + 1) for i in range(count - 1) if rng.random() < 0.8]
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        if count >= 2:
            a, b = sorted(rng.sample(range(count), 2))
            edges.append((a, b))
    rng.shuffle(edges)
    return edges


def random_conv(rng: random.Random, image: int, features: int) -> RandomKernel:
    """A convolution with sizes up to the given ones and any strides."""
    size = [rng.randint(1, image), rng.randint(1, image)]
    channels = [rng.randint(1, features), rng.randint(1, features)]
    fields = [rng.choice([1, 1, 2, 3, 5, 7]), rng.choice([1, 1, 2, 3, 5, 7])]
    stride = rng.choice([1, 1, 2, 3])
    other = stride if rng.random() < 0.6 else rng.choice([1, 2, 3, 5])
    return RandomKernel("conv", (*size, *channels, *fields, stride, other))


def random_shapes(rng: random.Random, side: int, most: int = 30) -> RandomKernel:
    """A list of shapes with sides up to the given one, some with memory or a signature."""
    options = []
    for _ in range(rng.choice([count for count in (1, 2, 4, 30) if count <= most])):
        time = rng.choice([str(rng.randint(1, 9000)), f"{rng.randint(0, 99)}.{rng.randint(1, 99)}"])
        option = f"{rng.randint(1, side)}x{rng.randint(1, side)}:{time}"
        if rng.random() < 0.4:
            option += f":{rng.choice([0, 1, 50, 500, 30000])}"
        if rng.random() < 0.5:
            option += "@" + ",".join(str(rng.randint(1, 2)) for _ in range(3))
        options.append(option)
    return RandomKernel("shapes", (), " ".join(options))


def random_edge_weights(rng: random.Random, edges: int) -> dict[int, str]:
    """Weights of some edges: none, whole ones, or decimals of any length."""
    style = rng.randrange(4)
    if style == 0:
        return {}
    weights = {}
    for index in range(edges):
        if rng.random() < 0.6:
            whole = rng.choice([0, 1, 2, 7, 1000])
            places = rng.randint(1, 6)
            decimal = f"{whole}.{rng.randrange(10**places):0{places}d}"
            weights[index] = decimal if style == 1 else str(whole)
    return weights


def random_block(rng: random.Random, kind: str, image: int, features: int) -> RandomKernel:
    """A block; F need not be a multiple of 4 but leaves room for cuts of F/4."""
    size = (rng.randint(1, image), rng.randint(1, image), rng.randint(4, max(4, features)))
    return RandomKernel(kind, size)


def network_case(rng: random.Random, count: int, side: int) -> RandomCase:
    """A case like the contest's: `count` kernels in a chain with a few skips and branches, on
    side × side tiles, placeable in many ways."""
    weights = rng.choice([("1", "1", "0"), ("1", "4", "100"), ("1", "10", "40.5")])
    case = RandomCase(side, side, 24576, weights)
    for _ in range(count):
        image = rng.choice([7, 14, 28, 56])
        kind = rng.choices(["conv", "dblock", "cblock"], [3, 2, 1])[0]
        if kind == "conv":
            channels = (rng.choice([16, 32, 64, 128]), rng.choice([16, 32, 64, 128]))
            stride, extent = rng.choice([1, 1, 2]), rng.choice([1, 3])
            formal = (image, image, *channels, extent, extent, stride, stride)
            case.kernels.append(RandomKernel("conv", formal))
        else:
            case.kernels.append(RandomKernel(kind, (image, image, rng.choice([64, 128, 256]))))
    case.edges = [(i, i + 1) for i in range(count - 1)]
    for _ in range(count // 6):
        start = rng.randrange(max(1, count - 3))
        case.edges.append((start, min(count - 1, start + rng.choice([2, 3]))))
    return case
