"""What no regular expression alone can say of a script's text."""

import re

_NAME = r'[\w.#+\[\] "-]+'
_ASSIGNMENT = re.compile(
    rf"(?:^|\b(?:local|then|do|else|repeat|end)\b|;)\s*({_NAME}(?:, {_NAME})+) =(?!=)", re.MULTILINE
)
_CALL = re.compile(r"\b(?!(?:and|or|not|function)\b)\w+\s*\(|[\])]\s*\(")
_GOES_ON = re.compile(r"(?:[-,+*/.=<>~]|\b(?:and|or|not))\s*$|^\s*$")


def from_calls(lua: str) -> list[str]:
    """Return the left sides of the assignments to several names whose right sides call in more than one place."""
    assignments = _ASSIGNMENT.finditer(lua)
    return [found[1] for found in assignments if sum(map(bool, map(_CALL.search, _values(lua[found.end() :])))) > 1]


def _values(rest: str) -> list[str]:
    """Return the expressions that a text begins with, up to the line in which they end."""
    values, depth = [""], 0
    for line in rest.splitlines():
        for letter in line:
            depth += (letter in "([{") - (letter in ")]}")
            values[-1] += letter
            if letter == "," and depth == 0:
                values.append("")
        if depth == 0 and not _GOES_ON.search(line):
            break
    return values
