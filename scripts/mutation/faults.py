"""The single faults that can be put into a source. Each kind is a generator over its tokens."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mutation.tokens import Source

OTHER_SIGN = {
    "+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
    "==": "!=", "!=": "==", "&&": "||", "||": "&&",
}
OTHER_RELATIONS = {"<": ("<=", ">"), "<=": ("<", ">"), ">": (">=", "<"), ">=": (">", "<")}
OTHER_EXTREME = {"min": "max", "max": "min", "min_element": "max_element",
                 "max_element": "min_element"}
# Tighter binds first. A part of a sum ends at what binds less tightly than + or -.
PRECEDENCE = {"*": 1, "/": 1, "%": 1, "+": 2, "-": 2}
INTEGER = re.compile(r"(\d[\d']*)([uUlLzZ]*)")
DECIMAL = re.compile(r"((?:\d[\d']*)?\.?\d*(?:[eE][+-]?\d+)?)([fFlL]?)")
# Arguments of these may be exchanged without effect.
COMMUTATIVE = {"min", "max", "minmax", "hypot", "gcd", "lcm", "swap", "plus", "multiplies"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>="}
EMPTY_RESULTS = ("{}", "0", "0.0", "nullptr", "std::nullopt", '""')
STATEMENT_STARTS = {";", "{", "}"}


@dataclass(frozen=True, order=True)
class Fault:
    """One replacement in one file: text[start:end] becomes `replacement`."""

    file: str
    start: int
    end: int
    replacement: str
    kind: str
    line: int = 0

    def apply(self, text: str) -> str:
        return text[:self.start] + self.replacement + text[self.end:]

    def lines(self, text: str) -> tuple[str, str]:
        """The changed lines before and after."""
        first = text.rfind("\n", 0, self.start) + 1
        last = text.find("\n", self.end)
        last = len(text) if last < 0 else last
        return text[first:last], text[first:self.start] + self.replacement + text[self.end:last]


Edit = tuple[int, int, str]  # start and end in the text, and what stands there then


def operators(source: Source) -> Iterator[Edit]:
    """Another operator of the same kind."""
    for index, token in enumerate(source.tokens):
        if not token.is_code or token.kind != "sign" or not source.is_binary(index):
            continue
        others = OTHER_RELATIONS.get(token.text) or filter(None, [OTHER_SIGN.get(token.text)])
        for other in others:
            yield token.start, token.end, other


def extremes(source: Source) -> Iterator[Edit]:
    """std::min for std::max and the other way round."""
    for index, token in enumerate(source.tokens):
        is_std = source[index - 1] == "::" and source[index - 2] == "std"
        if token.is_code and is_std and token.text in OTHER_EXTREME:
            yield token.start, token.end, OTHER_EXTREME[token.text]


def constants(source: Source) -> Iterator[Edit]:
    """A number that is 0, one more, one less, twice or half of what it was."""
    for token in source.tokens:
        if not token.is_code or token.kind != "number":
            continue
        for other in other_numbers(token.text):
            yield token.start, token.end, other


def other_numbers(text: str) -> list[str]:
    whole, decimal = INTEGER.fullmatch(text), DECIMAL.fullmatch(text)
    if whole:
        digits = whole[1].replace("'", "")
        value = int(digits, 8 if digits.startswith("0") and digits != "0" else 10)
        values = [0, value + 1, value - 1, 2 * value, value // 2]
        found = [f"{each}{whole[2]}" for each in values if each != value]
    elif decimal and decimal[1] not in ("", "."):
        value = float(decimal[1].replace("'", ""))
        values = [0.0, value + 1, value - 1, 2 * value, value / 2]
        found = [f"{each!r}{decimal[2]}" for each in values if each != value]
    else:
        return []  # hexadecimal: a mask or a mark, not a quantity
    return [f"({each})" if each.startswith("-") else each for each in dict.fromkeys(found)]


def loops(source: Source) -> Iterator[Edit]:
    """A counting loop that starts or ends one step off."""
    for index, token in enumerate(source.tokens):
        if token != "for" or source[index + 1] != "(":
            continue
        closing = source[index + 1].partner
        first = source.end_of_statement(index + 2)
        second = source.end_of_statement(first + 1)
        if second > closing:
            continue  # over a range
        for at in range(index + 2, second):
            is_relation = source[at].text in OTHER_RELATIONS and source.is_binary(at)
            if first < at and is_relation and source[at].is_code:
                end = source[last_of(source, at, {"&&", "||", ";"})].end
                yield end, end, " + 1"
                yield end, end, " - 1"
            if at < first and source[at] == "=":
                end = source[last_of(source, at, {",", ";"})].end
                yield end, end, " + 1"


def terms(source: Source) -> Iterator[Edit]:
    """A sum without one of its terms, a product without one of its factors."""
    for index, token in enumerate(source.tokens):
        if token.text not in PRECEDENCE or not token.is_code or not source.is_binary(index):
            continue
        first, last = operand(source, index, -1), operand(source, index, 1)
        yield source[index - 1].end, source[last].end, ""
        before = source[first - 1]
        is_first = before.text not in PRECEDENCE or PRECEDENCE[before.text] > PRECEDENCE[token.text]
        if token.text in ("+", "*") and is_first:
            yield source[first].start, source[index + 1].start, ""


def operand(source: Source, index: int, step: int) -> int:
    """The outermost token of what an operator takes on one side."""
    own = PRECEDENCE[source[index].text]
    at = index
    while True:
        following = source[at + step]
        partner = following.partner
        if partner is not None:
            if (partner - at) * step < 0:
                return at  # the bracket that all is in
            at = partner
            continue
        is_binary = following.kind == "sign" and source.is_spaced(at + step)
        if is_binary and at != index:
            binds = PRECEDENCE.get(following.text)
            # On the right, 2 - 3 + 4 ends at +; a product within a sum goes on.
            if binds is None or binds >= own:
                return at
        elif following.text in (",", ";", ":", "?", "return", "case", ""):
            return at
        at += step


def statements(source: Source) -> Iterator[Edit]:
    """No assignment or call where one was; declarations and jumps stay."""
    for index, token in enumerate(source.tokens):
        if not token.is_code or not starts_statement(source, index):
            continue
        end = source.end_of_statement(index)
        if end < len(source) and is_droppable(source, index, end):
            yield token.start, source[end].start, ""


def starts_statement(source: Source, index: int) -> bool:
    before = source[index - 1]
    if before.text in STATEMENT_STARTS or before == "else":
        return True
    if before != ")" or before.partner is None:
        return False
    return source[before.partner - 1].text in ("if", "for", "while", "constexpr")


def is_droppable(source: Source, first: int, end: int) -> bool:
    """An assignment to something known, an increment, or a call."""
    if source[first].text in ("++", "--"):
        return True
    at, is_call = first, False
    while at < end:
        token = source[at]
        if token.text in ASSIGNMENTS:
            return at > first and source[at + 1].text not in ("default", "delete")
        names = token.kind == "name" or token.text in (".", "->", "::")
        brackets = token.text in ("(", "[") and at > first and token.partner is not None
        adjoining = token.kind == "name" and source[at - 1].kind == "name" and at > first
        if adjoining or not (names or brackets):
            return False
        is_call = token == "("
        at = token.partner + 1 if brackets else at + 1
    return is_call and source[first].text not in ("return", "throw", "if", "for", "while", "switch")


def arguments(source: Source) -> Iterator[Edit]:
    """Two neighbours in a call or in a list of values, exchanged."""
    for index, token in enumerate(source.tokens):
        if not token.is_code or token.text not in ("(", "{") or token.partner is None:
            continue
        before = source[index - 1]
        is_call = before.kind == "name" or (before == ">" and before.partner is not None)
        if not is_call or before.text in COMMUTATIVE or before.text in ("for", "if", "switch"):
            continue
        parts = source.split(index)
        if any(is_declaration(source, first, last) for first, last in parts):
            continue
        for (first, middle), (begin, last) in zip(parts, parts[1:]):
            one, other = source.slice(first, middle), source.slice(begin, last)
            between = source.text[source[middle].end:source[begin].start]
            if one != other:
                yield source[first].start, source[last].end, other + between + one


def is_declaration(source: Source, first: int, last: int) -> bool:
    """Whether a part of a bracket declares a parameter: two names in a row, or a type alone."""
    if source[first] == "const" or source[last].text in ("&", "&&", "*"):
        return True
    at = first
    while at < last:
        token, following = source[at], source[at + 1]
        if following.kind == "name" and (token.kind == "name" or (
                token.text in ("&", "*", "&&", ">") and not source.is_spaced(at))):
            if token.text not in ("new", "return", "not") and (token.kind == "name" or at > first):
                return True
        at = token.partner if token.partner is not None and token.partner > at else at + 1
    return False


def conditions(source: Source) -> Iterator[Edit]:
    """The other branch of an if or of a conditional expression's question."""
    for index, token in enumerate(source.tokens):
        if token != "if" or source[index + 1] != "(" or not token.is_code:
            continue
        closing = source[index + 1].partner
        first = index + 2
        semicolon = source.end_of_statement(first)
        if semicolon < closing:
            first = semicolon + 1  # if (declaration; condition)
        elif any(source[at] == "=" for at in range(first, closing)):
            continue  # if (declaration)
        yield source[first].start, source[closing - 1].end, f"!({source.slice(first, closing - 1)})"


def results(source: Source) -> Iterator[Edit]:
    """A constant instead of what a function returns."""
    other_result = {"true": ("false",), "false": ("true",), **dict.fromkeys(EMPTY_RESULTS, ())}
    for index, token in enumerate(source.tokens):
        end = source.end_of_statement(index)
        if token != "return" or not token.is_code or end == index + 1 or end >= len(source):
            continue
        value = source.slice(index + 1, end - 1)
        for other in other_result.get(value, ("{}",)):
            yield source[index + 1].start, source[end - 1].end, other


def last_of(source: Source, index: int, stops: set[str]) -> int:
    """The last token before one of `stops`, or before the bracket that all is in."""
    while source[index + 1].text not in stops:
        partner = source[index + 1].partner
        if partner is not None and partner <= index:
            return index
        index = partner if partner is not None else index + 1
    return index


KINDS = {
    "operator": operators, "extreme": extremes, "constant": constants, "loop": loops,
    "term": terms, "statement": statements, "arguments": arguments, "condition": conditions,
    "result": results,
}


def faults_in(file: str, text: str) -> list[Fault]:
    """All faults of a source, in its order; where two kinds say the same, the first has it."""
    source = Source(text)
    found: dict[Edit, Fault] = {}
    for kind, edits in KINDS.items():
        for start, end, replacement in edits(source):
            if text[start:end] != replacement:
                fault = Fault(file, start, end, replacement, kind, source.line(start))
                found.setdefault((start, end, replacement), fault)
    return sorted(found.values())
