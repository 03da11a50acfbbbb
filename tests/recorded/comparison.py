"""The first difference between a recorded output and a new one, by the kind of output.

JSON is compared by structure, the order of keys aside; CSV cell by cell; pictures by their pixels;
everything else line by line. Numbers are compared as they are written, without any tolerance. What
rules.py has tables for is taken into account.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from pictures import DIGEST, SIGNATURE, pdf_lines, png_difference
from rules import VARIES, Rules

SHOWN = 160  # characters of a value


class Number(str):
    """A number of a JSON text as it is written."""


@dataclass(frozen=True)
class Difference:
    place: str
    recorded: str
    now: str

    def __str__(self) -> str:
        return f"{self.place}: recorded {self.recorded}, now {self.now}"


def parse_json(text: str) -> Any:
    """JSON whose numbers stay texts; ValueError also where an object has a key twice."""
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=Number,
                      object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has a key twice")
    return found


def kind_of(name: str, data: bytes) -> str:
    """json, csv, png, pdf or text. Names have no .gz: content is kept unpacked."""
    name = name.removesuffix(".gz")
    if data.startswith(SIGNATURE):
        return "png"
    if data.startswith(b"%PDF"):
        return "pdf"
    if name.endswith(".csv"):
        return "csv"
    if name.endswith(".json") or (name.endswith("/stdout") and data[:1] in (b"{", b"[")):
        try:
            parse_json(data.decode())
            return "json"
        except ValueError:
            return "text"
    return "text"


def schema_of(value: Any) -> str:
    schema = value.get("schema") if isinstance(value, dict) else None
    return schema if isinstance(schema, str) else ""


def json_text(value: Any, indent: str = "") -> str:
    """Small structures on one line, so that a difference in git is short."""
    if isinstance(value, Number):
        return str(value)
    if not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    line = _one_line(value)
    if len(indent) + len(line) <= 100:
        return line
    deeper = indent + " "
    if isinstance(value, dict):
        items = [f"{json.dumps(key, ensure_ascii=False)}: {json_text(item, deeper)}"
                 for key, item in value.items()]
    else:
        items = [json_text(item, deeper) for item in value]
    left, right = "{}" if isinstance(value, dict) else "[]"
    return left + "\n" + deeper + (",\n" + deeper).join(items) + "\n" + indent + right


def _one_line(value: Any) -> str:
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {_one_line(item)}"
                               for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_one_line, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def scrubbed(name: str, data: bytes, rules: Rules) -> bytes:
    """An output as it is recorded: what varies from run to run is replaced."""
    kind = kind_of(name, data)
    if kind == "json":
        value = parse_json(data.decode())
        return (json_text(_scrubbed_json(name, value, schema_of(value), (), rules)) + "\n").encode()
    if kind == "csv":
        return _csv_text(_scrubbed_rows(name, _rows(data), rules)).encode()
    if kind == "png":
        return data
    coding = "latin-1" if kind == "pdf" or not _is_utf8(data) else "utf-8"
    return rules.scrubbed(name, data.decode(coding)).encode(coding)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
        return True
    except UnicodeDecodeError:
        return False


def _scrubbed_json(name: str, value: Any, schema: str, path: tuple[str, ...], rules: Rules) -> Any:
    if path and value is not None and rules.varying_keys.find(schema, path):
        return VARIES
    if isinstance(value, dict):
        return {key: _scrubbed_json(name, item, schema, (*path, key), rules)
                for key, item in value.items()}
    if isinstance(value, list):
        return [_scrubbed_json(name, item, schema, path, rules) for item in value]
    if isinstance(value, str) and not isinstance(value, Number):
        return rules.scrubbed(name, value)
    return value


def _rows(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


def _csv_text(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _scrubbed_rows(name: str, rows: list[list[str]], rules: Rules) -> list[list[str]]:
    if not rows:
        return rows
    varying = {column for column, title in enumerate(rows[0])
               if rules.varying_keys.find("csv", (title,))}
    return [rows[0]] + [[VARIES if column in varying and cell else rules.scrubbed(name, cell)
                         for column, cell in enumerate(row)] for row in rows[1:]]


def first_difference(name: str, recorded: bytes, now: bytes, rules: Rules) -> Difference | None:
    """Of two outputs that scrubbed() made; the recorded one takes its new names first."""
    kind = kind_of(name, recorded)
    if kind != kind_of(name, now) and not (kind == "text" and b"\n" not in recorded):
        return Difference("kind of file", kind, f"{kind_of(name, now)}: {_shown(now[:60])}")
    if kind == "json":
        old = parse_json(recorded.decode())
        return _json_difference(name, renamed(old, schema_of(old), (), rules),
                                parse_json(now.decode()), "", rules)
    if kind == "csv":
        return _csv_difference(name, _rows(recorded), _rows(now), rules)
    if kind == "png":
        found = png_difference(recorded, now)
        return Difference(*found) if found else None
    if kind == "pdf":
        return _lines_difference(pdf_lines(recorded), pdf_lines(now))
    if recorded.startswith(DIGEST) and now.startswith(DIGEST):
        return _digest_difference(recorded, now)
    return _text_difference(name, recorded, now, rules)


def exercise(name: str, data: bytes, rules: Rules) -> None:
    """Sends a recorded output through all rules, so that they know whether they fit anything."""
    if data.startswith(DIGEST):
        rules.varying_rows(name)
    scrubbed(name, data, rules)
    kind = kind_of(name, data)
    if kind == "json":
        value = parse_json(data.decode())
        renamed(value, schema_of(value), (), rules)
        _reword_all(name, value, rules)
    elif kind == "csv":
        rows = _rows(data)
        for title in rows[0]:
            rules.renames.find("csv", (title,))
        _reword_all(name, rows, rules)
    elif kind == "text" and _is_utf8(data):
        rules.reworded(name, data.decode())


def _reword_all(name: str, value: Any, rules: Rules) -> None:
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _reword_all(name, item, rules)
    if type(value) is str:
        rules.reworded(name, value)


def renamed(value: Any, schema: str, path: tuple[str, ...], rules: Rules) -> Any:
    """A recorded report under the keys that it has now."""
    if isinstance(value, list):
        return [renamed(item, schema, path, rules) for item in value]
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    for key, item in value.items():
        new = rules.renames.find(schema, (*path, key)) or key
        if new in found:
            raise ValueError(f"renames.json: '{key}' becomes '{new}', which is there already")
        found[new] = renamed(item, schema, (*path, key), rules)
    return found


def _json_difference(name: str, old: Any, new: Any, pointer: str, rules: Rules) -> Difference | None:
    if isinstance(old, dict) and isinstance(new, dict):
        return _object_difference(name, old, new, pointer, rules)
    if isinstance(old, list) and isinstance(new, list):
        for index, (one, other) in enumerate(zip(old, new)):
            found = _json_difference(name, one, other, f"{pointer}/{index}", rules)
            if found:
                return found
        if len(old) != len(new):
            return Difference(pointer or "/", f"{len(old)} items", f"{len(new)} items")
        return None
    if new == VARIES or (old == VARIES and isinstance(new, str)):
        return None
    if type(old) is str and type(new) is str:
        words, touched = rules.reworded(name, old)
        if words == new or (touched and words.split() == new.split()):
            return None
    elif type(old) is type(new) and old == new:
        return None
    return Difference(pointer or "/", _shown(_one_line(old)), _shown(_one_line(new)))


def _object_difference(name: str, old: dict[str, Any], new: dict[str, Any], pointer: str,
                       rules: Rules) -> Difference | None:
    fresh = [key for key in new if key not in old]
    for key, item in old.items():
        place = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
        if key not in new:
            hint = f" ({', '.join(fresh[:5])} new beside it)" if fresh else ""
            return Difference(place, _shown(_one_line(item)), "no such key" + hint)
        found = _json_difference(name, item, new[key], place, rules)
        if found:
            return found
    if fresh:
        return Difference(f"{pointer}/{fresh[0]}", "no such key", _shown(_one_line(new[fresh[0]])))
    return None


def _csv_difference(name: str, old: list[list[str]], new: list[list[str]],
                    rules: Rules) -> Difference | None:
    if old:
        old[0] = [rules.renames.find("csv", (title,)) or title for title in old[0]]
    for line, (one, other) in enumerate(zip(old, new), 1):
        for column, (left, right) in enumerate(zip_longest(one, other)):
            if left == VARIES and right is not None:
                continue
            words = rules.reworded(name, left)[0] if left is not None else None
            if words != right:
                title = old[0][column] if column < len(old[0]) else f"column {column + 1}"
                return Difference(f"line {line}, {title}", _shown(words), _shown(right))
    if len(old) != len(new):
        return Difference("lines", str(len(old)), str(len(new)))
    return None


def _text_difference(name: str, recorded: bytes, now: bytes, rules: Rules) -> Difference | None:
    if not (_is_utf8(recorded) and _is_utf8(now)):
        return _bytes_difference(recorded, now)
    words, touched = rules.reworded(name, recorded.decode())
    found = _lines_difference(words.split("\n"), now.decode().split("\n"))
    # Columns and line ends move with the words; then words alone count.
    if found and touched:
        return _words_difference(words, now.decode())
    return found


def _lines_difference(old: list[str], new: list[str]) -> Difference | None:
    for line, (one, other) in enumerate(zip_longest(old, new), 1):
        if one != other:
            return Difference(f"line {line}", *_shown_from_difference(one, other))
    return None


def _shown_from_difference(one: str | None, other: str | None) -> tuple[str, str]:
    """Of long lines what stands before the difference is left out."""
    if one is None or other is None or max(len(one), len(other)) <= SHOWN:
        return _shown(one), _shown(other)
    same = len(os.path.commonprefix([one, other]))
    begin = max(0, same - SHOWN // 2)
    return (f"…{_shown(one[begin:])}", f"…{_shown(other[begin:])}") if begin else (
        _shown(one), _shown(other))


def _digest_difference(recorded: bytes, now: bytes) -> Difference | None:
    """As for lines; where a row of pixels differs, its number."""
    found = _lines_difference(recorded.decode().split("\n"), now.decode().split("\n"))
    for one, other in zip(recorded.decode().split("\n"), now.decode().split("\n")):
        label, _, hashes = one.partition(": ")
        if one == other:
            continue
        if not label.startswith("frame") or not other.startswith(label):
            return found
        for row, (old, new) in enumerate(zip(hashes.split(), other.partition(": ")[2].split())):
            if old != new:
                frame, first = re.findall(r"\d+", label)[:2]
                return Difference(f"frame {frame}, row {int(first) + row} of pixels", old, new)
    return found


def _words_difference(old: str, new: str) -> Difference | None:
    numbered = [(line, word) for line, text in enumerate(old.split("\n"), 1) for word in text.split()]
    for (line, one), other in zip_longest(numbered, new.split(), fillvalue=("end", None)):
        now = other if isinstance(other, str) else None
        if one != now:
            return Difference(f"line {line}", _shown(one), _shown(now))
    return None


def _bytes_difference(old: bytes, new: bytes) -> Difference | None:
    for place, (one, other) in enumerate(zip(old, new)):
        if one != other:
            return Difference(f"byte {place}", f"{one:#04x}", f"{other:#04x}")
    return None if len(old) == len(new) else Difference("bytes", str(len(old)), str(len(new)))


def _shown(value: str | bytes | None) -> str:
    if value is None:
        return "nothing"
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return repr(text) if len(text) <= SHOWN else repr(text[:SHOWN]) + "…"
