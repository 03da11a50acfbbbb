"""C++ sources as tokens, and which of them are code that a fault may be put into.

No parser: the sources are formatted by clang-format, so a binary operator has white space on both
sides, and a template's bracket has none before it. What this misreads does not compile, and a
fault that does not compile is drawn again.
"""

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<space>\s+|\\\n)
      | (?P<comment>//(?:[^\\\n]|\\.|\\\n)*|/\*.*?\*/)
      | (?P<text>(?:u8|[LuU])?R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"
               | (?:u8|[LuU])?"(?:[^"\\\n]|\\.)*")
      | (?P<character>(?:u8|[LuU])?'(?:[^'\\\n]|\\.)+')
      | (?P<number>\.?[0-9](?:[eEpP][+-]|'(?=[0-9a-fA-F])|[0-9A-Za-z_.])*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign><=>|<<=|>>=|\.\.\.|->\*|\+\+|--|->|::|<<|[-+*/%&|^<>=!]=|&&|\|\||.)
    """, re.VERBOSE | re.DOTALL)
DIRECTIVE = re.compile(r"[ \t]*#(?:[^\\\n]|\\\n|\\.)*")

OPERAND_STARTS = {"(", "-", "!", "*", "&", "+", "~", "::", "++", "--"}
OPENING = {"(": ")", "[": "]", "{": "}"}
UNTOUCHED_CALLS = {"static_assert", "assert", "alignas", "sizeof", "decltype", "noexcept"}


@dataclass(eq=False)
class Token:
    """Equals its text, so that `token == "("` reads as it should."""

    kind: str  # text, character, number, name or sign; white space and comments are left out
    text: str
    start: int
    end: int
    partner: int | None = None  # index of the bracket that closes or opens with this one
    is_code: bool = True  # a fault may go here

    def __eq__(self, other: object) -> bool:
        return self.text == other if isinstance(other, str) else self is other


class Source:
    """A file's tokens; brackets know their partners, template brackets too."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(tokens_of(text))
        pair_brackets(self.tokens)
        self._pair_templates()
        self._leave_out()

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, index: int) -> Token:
        """The token there; one without text beyond either end."""
        if 0 <= index < len(self.tokens):
            return self.tokens[index]
        at = len(self.text) if index >= 0 else 0
        return Token("sign", "", at, at, is_code=False)

    def slice(self, first: int, last: int) -> str:
        """Text from one token to another, both included."""
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def is_spaced(self, index: int) -> bool:
        """White space on both sides, as around a binary operator."""
        token = self.tokens[index]
        return (self.text[token.start - 1:token.start].isspace()
                and self.text[token.end:token.end + 1].isspace())

    def is_binary(self, index: int) -> bool:
        """Whether a sign stands between two operands."""
        before, after = self[index - 1], self[index + 1]
        ends_operand = before.kind != "sign" or before in (")", "]", "}")
        begins_operand = after.kind != "sign" or after.text in OPERAND_STARTS
        is_keyword = before in ("return", "case", "operator", "co_return", "throw")
        return self.is_spaced(index) and ends_operand and begins_operand and not is_keyword

    def end_of_statement(self, index: int) -> int:
        """Index of the semicolon that ends the statement which `index` is in; beyond the last
        token where a bracket closes before."""
        while index < len(self) and self[index] != ";":
            partner = self[index].partner
            if partner is not None and partner < index:
                return len(self)
            index = index + 1 if partner is None else partner + 1
        return index

    def split(self, opening: int) -> list[tuple[int, int]]:
        """First and last token of each part between the commas of a bracket."""
        closing = self[opening].partner
        parts, first, index = [], opening + 1, opening + 1
        while index < closing:
            if self[index] == ",":
                parts.append((first, index - 1))
                first = index + 1
            partner = self[index].partner
            index = partner + 1 if partner is not None and partner > index else index + 1
        parts.append((first, closing - 1))
        return [] if any(last < begin for begin, last in parts) else parts

    def _pair_templates(self) -> None:
        for index, token in enumerate(self.tokens):
            if token != "<" or self[index - 1].kind != "name" or self.is_spaced(index):
                continue
            if self[index - 1] == "operator":
                continue
            depth, at = 0, index
            while at < len(self):
                partner = self[at].partner
                if self[at] == "<":
                    depth += 1
                elif self[at] == ">":
                    depth -= 1
                elif partner is not None and partner > at:
                    at = partner
                elif self[at] in (";", "{", "}", ")", "]", ""):
                    break
                if depth == 0:
                    token.partner, self[at].partner = at, index
                    break
                at += 1

    def _leave_out(self) -> None:
        """Marks what is no code: texts and what is made into one with them, throws, assertions."""
        for index, token in enumerate(self.tokens):
            if token == "throw":
                self._mark(index, self.end_of_statement(index))
            elif token.kind == "name" and token.text in UNTOUCHED_CALLS and self[index + 1] == "(":
                self._mark(index, self[index + 1].partner or index)
            elif token in ("template", "using", "namespace") and not token.partner:
                self._mark_until(index, ("{", ";", ">") if token == "template" else ("{", ";"))
            elif token == "<" and token.partner:
                self._mark(index, token.partner)
            elif token.kind == "text":
                self._mark(self._edge(index, -1), self._edge(index, 1))

    def _edge(self, index: int, step: int) -> int:
        """The last token of the part of an expression that a text is in."""
        stops = {",", ";", "(", ")", "[", "]", "{", "}", "return", "=", "+=", "?", ":", "<<",
                 "==", "!=", "&&", "||", ""}
        while self[index + step].text not in stops or self._jumps(index + step, step):
            index += step
            if self._jumps(index, step):
                index = self[index].partner
        return index

    def _jumps(self, index: int, step: int) -> bool:
        partner = self[index].partner
        return partner is not None and (partner - index) * step > 0

    def _mark(self, first: int, last: int) -> None:
        for token in self.tokens[first:last + 1]:
            token.is_code = False

    def _mark_until(self, index: int, ends: tuple[str, ...]) -> None:
        while index < len(self) and self[index].text not in ends:
            self.tokens[index].is_code = False
            index += 1


def tokens_of(text: str):
    """Tokens without white space, comments and lines of the preprocessor."""
    at, is_line_start = 0, True
    while at < len(text):
        directive = DIRECTIVE.match(text, at) if is_line_start else None
        found = directive or TOKEN.match(text, at)
        if directive is None and found.lastgroup not in ("space", "comment"):
            yield Token(found.lastgroup, found.group(), found.start(), found.end())
        at = found.end()
        is_line_start = found.group().isspace() and "\n" in found.group()


def pair_brackets(tokens: list[Token]) -> None:
    open_at: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in OPENING:
            open_at.append(index)
        elif token.text in OPENING.values() and open_at:
            if OPENING[tokens[open_at[-1]].text] == token.text:
                token.partner = open_at.pop()
                tokens[token.partner].partner = index
