"""What no regular expression alone can say of a script's text."""

import re

_NAME = r'[\w.#+\[\] "-]+'
_ASSIGNMENT = re.compile(
    rf"(?:^|\b(?:then|do|else|repeat|end)\b|;)\s*(local )?({_NAME}(?:, {_NAME})+) =(?!=)", re.MULTILINE
)
_CALL = re.compile(r"\b(?!(?:and|or|not|function)\b)\w+\s*\(|[\])]\s*\(")
_GOES_ON = re.compile(r"(?:[-,+*/.=<>~]|\b(?:and|or|not))\s*$|^\s*$")


def from_calls(lua: str) -> list[str]:
    """Return the left sides of the assignments to several names that may go wrong on Debian's gopher-lua.

    There a call or a new table, as any value but the last and for a local declared before, overwrites the first local
    of the function, too. Values from several calls are refused wherever they go: it is easier to remember.
    """
    found = []
    for assignment in _ASSIGNMENT.finditer(lua):
        names, values = assignment[2].split(", "), _values(lua[assignment.end() :])
        several = sum(bool(_CALL.search(value)) for value in values) > 1
        early = [name for name, value in zip(names, values[:-1], strict=False) if _CALL.search(value) or "{" in value]
        if several or (not assignment[1] and any(name.isidentifier() for name in early)):
            found.append(assignment[2])
    return found


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
