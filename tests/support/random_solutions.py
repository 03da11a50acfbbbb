"""Random solutions of cases, legal where that is easy, and ways to spoil them. Seeded."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import random_cases as cases  # noqa: E402
import score_oracle as oracle  # noqa: E402


@dataclass
class Lines:
    """The lines of a solution in the making: one entry a line, so that it can be spoilt."""

    kinds: list[str] = field(default_factory=list)
    formals: list[list[int]] = field(default_factory=list)
    executions: list[list[int]] = field(default_factory=list)
    places: list[list[int]] = field(default_factory=list)  # x, y, rotated
    definition_names: list[str] = field(default_factory=list)
    place_names: list[str] = field(default_factory=list)

    def text(self, rng: random.Random) -> str:
        """The solution file, its lines in any order."""
        lines = [
            f"{name} = {kind}( {' '.join(map(str, formal + execution))} )"
            for name, kind, formal, execution in zip(
                self.definition_names, self.kinds, self.formals, self.executions
            )
        ]
        lines += [
            f"{name} : place({x} {y} {'R90' if rotated else 'R0'})"
            for name, (x, y, rotated) in zip(self.place_names, self.places)
        ]
        if rng.random() < 0.2:  # as CometPlacer writes
            lines += [f"{name} : name('{name})" for name in self.place_names]
            lines.append(f"kmap = union( {' '.join(self.place_names)} )")
        if rng.random() < 0.5:
            rng.shuffle(lines)
        return "\n".join(lines) + "\n"


def random_execution(rng: random.Random, kernel: oracle.Kernel) -> list[int]:
    """Execution parameters within limits where there are any, mostly small."""
    return [
        rng.randint(1, max(1, min(int(limit), rng.choice([1, 2, 3, 8, 40]))))
        for limit in kernel.limits()
    ]


def fair_execution(rng: random.Random, kernel: oracle.Kernel, case: oracle.Case) -> list[int]:
    """The first of a few random executions that meets the memory limit and fits on the wafer."""
    values: list[int] = []
    for _ in range(8):
        values = random_execution(rng, kernel)
        if any(value > limit for value, limit in zip(values, kernel.limits())):
            return values  # F/4 < 1: nothing is legal
        execution = as_execution(values)
        fits = max(kernel.width(execution), kernel.height(execution)) <= case.width
        if fits and kernel.memory(execution) <= case.memory_limit:
            return values
    return values


def as_execution(values: list[int]) -> oracle.Execution:
    """The parameters of a line as the oracle names them."""
    if len(values) == 1:
        return oracle.Execution(0, 0, (), (), values[0])
    parts = (len(values) - 2) // 2
    return oracle.Execution(
        values[0], values[1], tuple(values[2 : 2 + parts]), tuple(values[2 + parts :])
    )


def random_solution(rng: random.Random, case: cases.RandomCase, known: oracle.Case) -> Lines:
    """Kernels laid out in shelves, which is legal wherever they fit and meet the memory limit."""
    lines = Lines()
    x = y = shelf = 0
    for name, kernel in known.kernels.items():
        values = fair_execution(rng, kernel, known)
        rotated = rng.random() < 0.4
        tiles = oracle.rectangle(
            kernel, as_execution(values), oracle.Place(name, 0, 0, rotated)
        )
        if x + tiles.width > case.width:
            x, y, shelf = 0, y + shelf, 0
        lines.kinds.append(kernel.kind)
        lines.formals.append(list(kernel.formal))
        lines.executions.append(values)
        lines.places.append([x, y, int(rotated)])
        lines.definition_names.append(name)
        lines.place_names.append(name)
        x, shelf = x + tiles.width + rng.choice([0, 0, 1, 5]), max(shelf, tiles.height)
    return lines


# --- Spoiling ---------------------------------------------------------------------------------


def spoil_place(rng: random.Random, lines: Lines) -> None:
    """Moves a kernel anywhere, also off the wafer and onto others."""
    place = rng.choice(lines.places)
    reach = rng.choice([3, 30, 1000, 10**11])
    place[rng.randrange(2)] += rng.randint(-reach, reach)


def spoil_rotation(rng: random.Random, lines: Lines) -> None:
    """Turns a kernel where it lies."""
    place = rng.choice(lines.places)
    place[2] = 1 - place[2]


def spoil_execution(rng: random.Random, lines: Lines) -> None:
    """Changes an execution parameter, also to nonsense."""
    values = rng.choice(lines.executions)
    for _ in range(rng.choice([1, 1, 3])):
        values[rng.randrange(len(values))] = rng.choice([0, -1, -7, 1, 2, 5, 100, 3000, 10**12])


def spoil_formal(rng: random.Random, lines: Lines) -> None:
    """Changes a formal parameter, where there is one."""
    values = rng.choice(lines.formals)
    if not values:
        return
    values[rng.randrange(len(values))] += rng.choice([1, 2, 50])


def spoil_kind(rng: random.Random, lines: Lines) -> None:
    """Gives a kernel another type, with as many parameters as that one has."""
    index = rng.randrange(len(lines.kinds))
    kind = rng.choice([k for k in cases.CONVOLUTIONS if k != lines.kinds[index]])
    lines.kinds[index] = kind
    lines.formals[index] = [4] * oracle.FORMALS[kind]
    lines.executions[index] = [1] * (2 + 2 * oracle.CONVOLUTIONS[kind])


def spoil_missing(rng: random.Random, lines: Lines) -> None:
    """Drops a parameter or a place line."""
    if rng.random() < 0.5:
        index = rng.randrange(len(lines.kinds))
        for part in (lines.kinds, lines.formals, lines.executions, lines.definition_names):
            del part[index]
    else:
        index = rng.randrange(len(lines.places))
        del lines.places[index], lines.place_names[index]


def spoil_duplicate(rng: random.Random, lines: Lines) -> None:
    """Repeats a parameter or a place line, perhaps with other numbers, perhaps twice."""
    for _ in range(rng.choice([1, 1, 2])):
        if rng.random() < 0.5:
            index = rng.randrange(len(lines.kinds))
            lines.kinds.append(lines.kinds[index])
            lines.formals.append(list(lines.formals[index]))
            lines.executions.append(list(lines.executions[index]))
            lines.definition_names.append(lines.definition_names[index])
        else:
            index = rng.randrange(len(lines.places))
            lines.places.append([rng.randint(0, 50), rng.randint(0, 50), rng.randrange(2)])
            lines.place_names.append(lines.place_names[index])


def spoil_name(rng: random.Random, lines: Lines) -> None:
    """Renames a line to a name that is no kernel's, or to that of an input node."""
    names = rng.choice([lines.definition_names, lines.place_names])
    names[rng.randrange(len(names))] = rng.choice(["stranger", "k0", "k999"])


SPOILERS = [
    spoil_place, spoil_place, spoil_rotation, spoil_execution, spoil_execution, spoil_formal,
    spoil_kind, spoil_missing, spoil_duplicate, spoil_name,
]


def spoil(rng: random.Random, lines: Lines) -> None:
    """Breaks one to three rules, perhaps."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        if lines.places and lines.kinds:
            rng.choice(SPOILERS)(rng, lines)
