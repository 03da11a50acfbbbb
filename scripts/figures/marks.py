"""The marks of a page: comments that say what makes the figures behind them.

    <!-- figures, 6 s
    plan = waferloom plan T-18B --batch 128 -o planned.json
    `plan` finds {plan.best.samples_per_s:.2f} samples a second
    -->

Seconds are what the commands take together, on one core. Lines are commands, which run in a folder
of their own, in their order, and templates. A template is a text that stands once on the page, with
an expression of Python in place of each figure. Names in it are the reports of the commands that
have a name. Behind the last colon of a figure stands its format (of str.format) and how far it may be
off: `:.2f`, `:,.0f ± 2 %`, `:.1f ± 0.2`. The line `prints` says that all that the last command
prints stands behind the mark, up to `<!-- end of figures -->`; `prints ± 1 %` that its figures may be
off. A page that is written has − for a minus.

    <!-- figures held by tests/sim/x_test.cpp -->
    <!-- figures not held: why nothing makes them again -->

stand before other tables.
"""

import re
from dataclasses import dataclass, field

from figures.commands import STARTS

COMMANDS = (*STARTS, "cat ")  # a study writes its tables into files
MARK = re.compile(r"<!-- figures\b(.*?)-->", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
END = "<!-- end of figures -->"
NUMBER = r"[-\N{MINUS SIGN}]?\d[\d,]*(?:\.\d+)?"
FIGURE = re.compile(r"\{([^{}]+)\}")
SPEC = re.compile(r":(?P<form>[,.\dfdges]*)\s*(?:±\s*(?P<off>[\d.]+)\s*(?P<share>%?))?$")


class MarkError(ValueError):
    """A mark that is not as it has to be; names its line."""


@dataclass(frozen=True)
class Tolerance:
    """How far a figure of the page may be off, absolutely or as a share of the program's."""

    off: float = 0.0
    is_share: bool = False

    def admits(self, page: str, now: str) -> bool:
        if page == now:
            return True
        if self.off == 0 or not re.fullmatch(NUMBER, page) or not re.fullmatch(NUMBER, now):
            return False
        there, here = number(page), number(now)
        return abs(there - here) <= self.off * (abs(here) if self.is_share else 1)


def number(text: str) -> float:
    return float(text.replace(",", "").replace("\N{MINUS SIGN}", "-"))


def tolerance(off: str | None, share: str | None) -> Tolerance:
    return Tolerance(float(off or 0) / (100 if share else 1), bool(share))


@dataclass(frozen=True)
class Command:
    text: str
    name: str = ""


@dataclass(frozen=True)
class Figure:
    """An expression and how its value is written."""

    expression: str
    form: str
    tolerance: Tolerance

    def text(self, value: object) -> str:
        return format(value, self.form).replace("-", "\N{MINUS SIGN}") \
            if isinstance(value, (int, float)) else str(value)


@dataclass(frozen=True)
class Template:
    """A text of the page with figures in it."""

    text: str
    figures: tuple[Figure, ...]
    pattern: re.Pattern[str]


@dataclass
class Mark:
    line: int
    end: int  # where the page goes on behind it
    seconds: float
    held_by: str = ""
    reason: str = ""
    commands: list[Command] = field(default_factory=list)
    templates: list[Template] = field(default_factory=list)
    prints: Tolerance | None = None


def figure(text: str) -> Figure:
    spec = SPEC.search(text)
    if spec is None:
        return Figure(text, "", Tolerance())
    return Figure(text[:spec.start()], spec["form"], tolerance(spec["off"], spec["share"]))


def template(text: str) -> Template:
    """The pattern takes any white space for white space, and any number or short text for a figure."""
    pieces = FIGURE.split(text)
    found = [figure(piece) for piece in pieces[1::2]]
    pattern = ""
    for at, piece in enumerate(pieces):
        if at % 2 == 0:
            pattern += r"\s+".join(re.escape(word) for word in re.split(r"\s+", piece))
        else:
            is_text = found[at // 2].form in ("", "s")
            pattern += r"([^\s|][^|]{0,79}?)" if is_text else rf"({NUMBER})"
    return Template(text, tuple(found), re.compile(rf"(?<![\w.,]){pattern}(?![\w]|[.,]\d)"))


def parsed(head: str, body: str, line: int, end: int) -> Mark:
    held, reason = re.fullmatch(r" held by (\S+)", head), re.fullmatch(r" not held: (\S.*)", head)
    if held or reason:
        whole = " ".join(body.split())
        return Mark(line, end, 0, held[1] if held else "", f"{reason[1]} {whole}" if reason else "")
    seconds = re.fullmatch(r", ([\d.]+) s", head)
    if not seconds:
        raise MarkError(f"line {line}: expected `figures, N s`, `figures held by FILE` or "
                        f"`figures not held: WHY`, found `figures{head}`")
    mark = Mark(line, end, float(seconds[1]))
    for text in re.sub(r"\\\n\s*", "", body).splitlines():
        add_line(mark, text.strip())
    if not mark.commands or not (mark.templates or mark.prints):
        raise MarkError(f"line {line}: expected a command and what it prints")
    return mark


def add_line(mark: Mark, text: str) -> None:
    prints = re.fullmatch(r"prints(?: ± ([\d.]+) ?(%?))?", text)
    named = re.fullmatch(r"([a-z_]\w*) = (.+)", text)
    if prints:
        mark.prints = tolerance(prints[1], prints[2])
    elif named and named[2].startswith(COMMANDS):
        mark.commands.append(Command(named[2], named[1]))
    elif text.startswith(COMMANDS):
        mark.commands.append(Command(text))
    elif FIGURE.search(text):
        mark.templates.append(template(text))
    elif text:
        raise MarkError(f"line {mark.line}: expected a command, `prints` or a text with figures in "
                        f"braces, found '{text}'")


def marks_of(page: str) -> list[Mark]:
    found = []
    for match in MARK.finditer(page):
        head, _, body = match[1].partition("\n")
        line = page.count("\n", 0, match.start()) + 1
        found.append(parsed(head.rstrip(), body.strip(), line, match.end()))
    return found


def bare(page: str) -> str:
    """The page with blanks in place of comments, so that places stay."""
    return COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), page)


def unmarked(page: str) -> list[int]:
    """Lines where a table or a fenced text begins that is full of numbers and has no mark before it."""
    found = []
    shown = re.compile(r"(?m)^(?:```\n(?:.*\n)*?```$|(?:\|.*\|\n)+)")
    marked = [(match.end(), match.start()) for match in MARK.finditer(page)]
    for match in shown.finditer(page):
        if is_full_of_numbers(match[0]) and not any(
                page[end:match.start()].strip() == "" for end, _ in marked if end <= match.start()):
            found.append(page.count("\n", 0, match.start()) + 1)
    return found


def is_full_of_numbers(shown: str) -> bool:
    """At least six cells, and more than a third of all behind the heading, are numbers, with a unit or
    a word between two of them. A table of two columns is a list of names."""
    lines = shown.strip().splitlines()
    if lines[0].startswith("|"):
        if lines[0].count("|") < 4:
            return False
        cells = [cell.strip() for line in lines[2:] for cell in line.strip("|").split("|")]
    else:
        cells = [word for line in lines[1:-1] for word in line.split()]
    numbers = sum(bool(re.match(r"[-\N{MINUS SIGN}+]?\d", cell)) and
                  sum(map(str.isalpha, cell)) <= 2 for cell in cells)
    return numbers >= 6 and 3 * numbers > len(cells)
