#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Broken specs, one mistake a file: what is said of them, and that all outlets say the same.

    run.py check CTQ                              ctq check says the first line that expected.txt has
    run.py compile EMBED -- COMPILER [FLAG]...    so does the compiler, of the same text embedded
    run.py write CTQ                              writes expected.txt anew, to be read before it stays

expected.txt has one line a file, in the order of their names.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
EXPECTED = HERE / "expected.txt"
FILES = sorted(HERE.glob("*.json"))

# All files of one program: a compiler starts once, not 70 times.
PREAMBLE = """\
#include "ctq/json/custom_config/from_json.hpp"
#include "ctq/json/mapping_from_json.hpp"
#include "ctq/json/spec_from_json.hpp"
#include "ctq/spec/validate.hpp"
"""
CASE = """\
#include "{name}.json.hpp"
struct {name} : ctq::spec_from_json<{name}_json> {{}};
ctq::checked_backend<{name}, ctq::strictness::warnings> checked_{name};
"""
MAPPING = """\
#include "{name}.json.hpp"
struct {name} : ctq::mapping_from_json<{name}_json> {{}};
ctq::checked_mapping<{name}> checked_{name};
"""
CUSTOM = """\
#include "{name}.json.hpp"
ctq::checked_custom_config<ctq::{kind}_custom_config_from_json<{name}_json>> checked_{name};
"""


def first_line(ctq, file):
    done = subprocess.run([Path(ctq).resolve(), "check", file.name], cwd=HERE, capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout.partition("\n")[0]


def expected():
    lines = EXPECTED.read_text().splitlines()
    assert [line.partition(":")[0] for line in lines] == [f.name for f in FILES], \
        "expected.txt is not about these files, in this order"
    return lines


def check(ctq):
    for file, wanted in zip(FILES, expected()):
        code, said = first_line(ctq, file)
        if (code, said) != (1, wanted):
            yield f"{file.name}: exit code {code}\n  wanted {wanted}\n  got    {said}"


def rules(explain):
    """Every rule that ctq explain lists is broken by some file."""
    broken = {line.rpartition("[")[2].rstrip("]") for line in expected()}
    for rule in re.findall(r"^([a-z]\S*)", explain, re.MULTILINE):
        if rule not in broken:
            yield f"no file breaks {rule}"


def squeezed(text):
    """Messages are cut into lines at spaces, and inside very long words."""
    return re.sub(r"\s", "", text)


def messages(output):
    """What ctq::rejected<line<9>{"npu.json:"}, ...> says, error by error."""
    for line in output.splitlines():
        parts = re.findall(r'line<\d+>\{"(.*?)"\}', line)
        if parts:
            yield squeezed("".join(parts))


def case_of(file):
    """A custom config, a QConfigMapping or a backend, by the name of its file."""
    of = (CUSTOM if file.stem.startswith("custom_") else
          MAPPING if file.stem.startswith("mapping_") else CASE)
    kind = "convert" if file.stem.startswith("custom_convert_") else "prepare"
    return of.format(name=file.stem, kind=kind)


def compile_all(embed, compiler):
    specs = list(zip(FILES, expected()))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "specs.cpp")
        for file, _ in specs:
            subprocess.run([sys.executable, embed, file, Path(folder, file.name + ".hpp")],
                           check=True)
        source.write_text(PREAMBLE + "".join(case_of(f) for f, _ in specs))
        limit = ["-ferror-limit=0"] if "clang" in compiler[0] else []
        done = subprocess.run([*compiler, "-std=c++20", "-fsyntax-only", *limit, "-I", folder,
                               source], capture_output=True, text=True, check=False)
    said = set(messages(done.stderr))
    for file, wanted in specs:
        if squeezed(wanted) not in said:
            near = [m for m in said if m.startswith(file.name)]
            yield f"{file.name}:\n  wanted {squeezed(wanted)}\n  got    {near or 'nothing'}"
    foreign = [line for line in done.stderr.splitlines()
               if re.search(r"\berror: ", line) and "ctq" not in line]
    yield from foreign[:5]


def main(command, *arguments):
    if command == "write":
        EXPECTED.write_text("".join(first_line(arguments[0], f)[1] + "\n" for f in FILES))
        return []
    if command == "check":
        explain = subprocess.run([arguments[0], "explain"], capture_output=True, text=True,
                                 check=True).stdout
        return [*check(arguments[0]), *rules(explain)]
    return list(compile_all(arguments[0], list(arguments[2:])))


if __name__ == "__main__":
    problems = main(*sys.argv[1:])
    print(*problems, sep="\n")
    sys.exit(bool(problems))
