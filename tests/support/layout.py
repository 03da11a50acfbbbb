"""Whether what people read on stdout fits 80 columns, and numbers below 10^9 have no exponent."""

import re

COLUMNS = 80
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?e[+-]\d+(?![\w.])")
# What is for programs: JSON, tables, cases, solutions.
FOR_PROGRAMS = re.compile(r"\s*(\{|\[|\(\*|[^\s,]+,[^\s,]+,|k\w* ?[=:]|\|)")


def faults_of_layout(text: str) -> list[str]:
    """The lines that are too long or have such numbers; none where the text is for programs."""
    if FOR_PROGRAMS.match(text):
        return []
    return [line for line in text.splitlines()
            if len(line) > COLUMNS or
            any(1e-9 <= abs(float(number)) < 1e9 for number in NUMBER.findall(line))]
