# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of edits: edits.txt, whose form mutate.py describes."""

import dataclasses
import hashlib

from build_test import ISA_FLAGS, ROOT, UNIT, includes, units_of

EDITS = ROOT / "tests/mutate/edits.txt"


@dataclasses.dataclass
class Edit:
    """One edit; file is relative to include/ctq, line the line of edits.txt."""
    line: int
    file: str = ""
    old: str = ""
    new: str = ""
    test: str = ""
    isa: str = "native"
    reason: str = ""

    def path(self):
        return ROOT / "include/ctq" / self.file

    def key(self):
        text = "\0".join((self.file, self.old, self.new, self.test, self.isa))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def place(self):
        before = self.path().read_text().partition(self.old)[0]
        return f"{self.file}:{before.count(chr(10)) + 1}"

    def text(self):
        return "\n".join([*("  - " + line for line in self.old.split("\n")),
                          *("  + " + line for line in self.new.split("\n"))])


class ListError(Exception):
    """A mistake in the list of edits or in a patch."""


def read_edits(text):
    edits, edit, file = [], None, ""
    for number, line in enumerate(text.split("\n") + [""], 1):
        if line.startswith("#"):
            continue
        key, _, value = line.partition(" ")
        if not line.strip():
            if edit and edit.old:
                edits.append(edit)
            elif edit:
                raise ListError(f"edits.txt:{edit.line}: an edit without a line that begins with -")
            edit = None
            continue
        if edit is None:
            edit = Edit(number, file)
        if key == "file":
            edit.file = file = value
        elif key == "-":
            edit.old += ("\n" if edit.old else "") + value
        elif key == "+":
            edit.new += ("\n" if edit.new else "") + value
        elif key == "test":
            edit.test, _, isa = value.partition(" ")
            edit.isa = isa or "native"
        elif key == "reason":
            edit.reason = value
        else:
            raise ListError(f"edits.txt:{number}: begins with none of file, -, +, test, reason: {line}")
    for edit in edits:
        edit.test = edit.test or edit.file.removesuffix(".hpp")
    return edits


def problem_of(edit):
    """Why an edit does not fit the sources, or nothing."""
    if not edit.path().is_file():
        return f"include/ctq/{edit.file} does not exist"
    count = edit.path().read_text().count(edit.old)
    if count != 1:
        return f"occurs {count} times, not once, in include/ctq/{edit.file}:\n{edit.text()}"
    if edit.old == edit.new:
        return "changes nothing"
    if edit.isa not in ISA_FLAGS:
        return f"there is no instruction set {edit.isa}"
    source = UNIT / (edit.test + ".cpp")
    if not source.is_file():
        return f"tests/unit/{edit.test}.cpp does not exist"
    if not any(edit.path() in includes(unit) for unit in units_of(edit.test)):
        return f"tests/unit/{edit.test}.cpp does not include ctq/{edit.file}"
    return ""


def checked(edits):
    problems = [f"edits.txt:{edit.line}: {problem}" for edit in edits if (problem := problem_of(edit))]
    keys = set()
    for edit in edits:
        if edit.key() in keys:
            problems.append(f"edits.txt:{edit.line}: occurs twice in the list")
        keys.add(edit.key())
    return problems
