"""The commands that pages and help show: found here, run by documented_commands_test.py.

Of a page they are the indented lines that begin with one of STARTS, put together where they go on
behind a backslash. A line with brackets, "..." or a word in capitals that no file is called shows
a form (`waferloom place CASE -o SOL [--start SOL]`) and is no command. Of help they are the examples.
"""

import re
from pathlib import Path

from program import run

from figures.commands import ROOT, STARTS

GROUPS = ("model", "sweep")
# Builds and checks run themselves: scripts/test.sh and check.sh are what runs these tests.
BUILDING = re.compile(r"^scripts/(install_dependencies|demo|test|check)\.sh\b")
FORM = re.compile(r"[\[|\]]|\.\.\.|…| (?:CASE|SOL|WORKLOAD|HARDWARE|FOLDER|COMMAND|KIND|PLAN|NAME|FILE|F|SPACE|RUN|PROGRAM)\b|=F\b")


def is_form(command: str) -> bool:
    return bool(FORM.search(re.sub(r"'[^']*'|\| (?:python3|waferloom) .*", "", command)))


def page_commands(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = re.findall(r"(?m)^    (\S.*)$", text)
    commands = [re.sub(r"\s+# .*$", "", line) for line in lines if line.startswith(STARTS)]
    commands = [re.sub(r"  +", " ", command) for command in commands]
    return [command for command in commands
            if not is_form(command) and not BUILDING.match(command) and ": error: " not in command]


def pages() -> dict[str, list[str]]:
    """The commands of each page that shows any, in their order."""
    found = {page.relative_to(ROOT).as_posix(): page_commands(page)
             for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))}
    return {page: commands for page, commands in found.items() if commands}


def names_of_commands() -> list[str]:
    """"place", "model amped", … as the program's own messages list them."""
    words = run("nonsense").stderr.split("(")[1].split(")")[0].replace(" or ", ", ").split(", ")
    found = [word for word in words if word not in GROUPS]
    for group in GROUPS:
        behind = run(group, "nonsense").stderr.split("followed by ")[1].split(", found")[0]
        found += [f"{group} {word}" for word in behind.replace(" or ", ", ").split(", ")]
    return found


def help_examples() -> dict[str, list[str]]:
    """Those of each command's help, and of the program's."""
    found = {}
    for name in ("", *names_of_commands()):
        text = run(*name.split(), "--help").stdout.split("\nExamples:\n")[1]
        found[f"waferloom {name} --help".replace("  ", " ")] = [
            re.sub(r"\s+", " ", line) for line in re.findall(
                r"(?m)^  (waferloom .*)$", re.sub(r" \\\n\s*", " ", text))]
    return found
