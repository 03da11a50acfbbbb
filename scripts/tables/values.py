"""What a value of a JSON Schema may be, in words: "whole number, 1 … 32,000", "text or null"."""

import json
from typing import Any

Schema = dict[str, Any]

SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
LONG = 1_000_000  # numbers beyond it are written with powers of ten, where that is exact
ORDER = ("integer", "number", "string", "boolean", "object", "array", "null")
NAMES = {"integer": "whole number", "number": "number", "string": "text",
         "boolean": "true or false", "null": "null", "object": "object", "array": "list"}
PLURALS = {"whole number": "whole numbers, each", "number": "numbers, each", "text": "texts, each"}


def number_text(value: float) -> str:
    """With commas; beyond a million, and below a thousandth, with powers of ten: 10⁹, 5·10¹²."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value < 0:
        return "−" + number_text(-value)
    if isinstance(value, int) and value <= LONG:
        return f"{value:,}"
    digits, _, power = f"{value:.15e}".partition("e")
    mantissa = f"{float(digits):g}"
    if float(f"{mantissa}e{power}") != value:
        return f"{value:,}"
    if isinstance(value, float) and value >= 1e-3:
        return f"{value:g}"
    raised = "10" + str(int(power)).translate(SUPERSCRIPTS)
    return raised if mantissa == "1" else f"{mantissa}·{raised}"


def range_text(low: float | None, high: float | None, above: float | None = None) -> str:
    """"1 … 8", "0 or more", "above 0"; empty where there is no bound."""
    if above is not None:
        return f"above {number_text(above)}" + ("" if high is None else f", at most {number_text(high)}")
    if low is not None and high is not None:
        return number_text(low) if low == high else f"{number_text(low)} … {number_text(high)}"
    if low is not None:
        return f"{number_text(low)} or more"
    return "" if high is None else f"at most {number_text(high)}"


def words_text(words: list[Any]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def is_exact(schema: Schema) -> bool:
    """Whether it is a number, or the text of one that a double does not hold."""
    forms = schema.get("anyOf", [])
    return len(forms) == 2 and forms[0].get("type") == "number" and "pattern" in forms[1]


def plain_text(schema: Schema) -> str:
    """Of a value that is neither a list nor an object."""
    if "const" in schema:
        word = schema["const"]
        return f"`{word}`" if isinstance(word, str) else json.dumps(word)
    if "enum" in schema:
        return words_text(schema["enum"])
    kinds = schema.get("type", "any value")
    if isinstance(kinds, list):
        return " or ".join(NAMES[kind] for kind in sorted(kinds, key=ORDER.index))
    name = NAMES.get(kinds, kinds)
    bounds = range_text(schema.get("minimum"), schema.get("maximum"), schema.get("exclusiveMinimum"))
    if bounds:
        return f"{name}, {bounds}"
    return name + (", not empty" if schema.get("minLength", 0) > 0 else "")


def plural(item: str) -> str:
    """Of several such values: "whole numbers, each 1 … 8", "texts"."""
    if item.startswith("list of "):
        return "lists" + item.removeprefix("list")
    for name, several in PLURALS.items():
        if item == name or item.startswith(name + ", "):
            return several.removesuffix(", each") if item == name else several + item[len(name) + 1:]
    return item


def list_text(schema: Schema, item: str) -> str:
    """Of a list of such items: "list of 2 whole numbers", "list of texts, at least 1"."""
    low, high = schema.get("minItems") or 0, schema.get("maxItems")
    if low and low == high:
        return f"list of {number_text(low)} {plural(item)}"
    if not low and high is None:
        return f"list of {plural(item)}"
    count = range_text(low or None, high)
    return f"list of {count}: {plural(item)}"
