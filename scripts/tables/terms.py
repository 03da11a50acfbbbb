"""The terms of tables that are not plain English, and the pages that explain them.

A term is a regular expression. It is linked at its first place in a table, outside of code.
"""

import re

GLOSSARY = "glossary.md"

TERMS: list[tuple[str, str]] = [
    (r"micro-batch(es)?", GLOSSARY),
    (r"replicas?", GLOSSARY),
    (r"all-reduces?", "collectives.md"),
    (r"ZeRO", GLOSSARY),
    (r"bubble", GLOSSARY),
    (r"model FLOP utilisation", GLOSSARY),
    (r"adapters?", GLOSSARY),
    (r"unit of time|units of time", GLOSSARY),
    (r"roofline", GLOSSARY),
    (r"roof", GLOSSARY),
    (r"recomputation", GLOSSARY),
    (r"fair network", "simulator.md"),
    (r"lanes?", "router.md"),
    (r"colours?", "router.md"),
    (r"planned routes", "router.md"),
    (r"latent attention", "workloads.md"),
    (r"spare rows?", "adr/0011-spare-rows.md"),
    (r"h, w, c|h, w|R0|R90", "notation.md"),
    (r"strided|contiguous", "plans.md"),
    (r"flits?", "simulator.md"),
    (r"sharding", "dfmodel_system.md#sharding"),
    (r"exact number", "reports.md#exact-numbers"),
]

_SKIPPED = r"`[^`]*`|\[[^\]]*\]\([^)]*\)"
_FOUND = re.compile("|".join([f"(?P<skipped>{_SKIPPED})"] + [
    rf"(?P<t{at}>(?<![\w-])(?:{pattern})(?![\w-]))" for at, (pattern, _) in enumerate(TERMS)]))


def linked(text: str, page: str, seen: set[str], most: int) -> str:
    """`text` with links on terms that `seen`, to which they are added, does not have, as long as it
    has at most so many characters. `page` is the name of the page that it stands on."""
    made, end = "", 0
    for found in _FOUND.finditer(text):
        made += text[end:found.start()]
        end = found.end()
        made += found[0]
        if found["skipped"]:
            continue
        term = str(found.lastgroup)
        target = TERMS[int(term[1:])][1]
        if target.startswith(page + "#"):
            target = target.removeprefix(page)
        link = f"[{found[0]}]({target})"
        if term in seen or target == page or len(made) - len(found[0]) + len(link) + len(text) - end > most:
            continue
        seen.add(term)
        made = made.removesuffix(found[0]) + link
    return made + text[end:]
