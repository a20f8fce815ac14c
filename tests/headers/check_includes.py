#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who may include whom, and what every header looks like: check_includes.py INCLUDE_DIRECTORY

The table is that of the layers; a header's layer is its folder, or its own name for the umbrella
ctq/LAYER.hpp. Prints one line a finding, FILE:LINE: what is wrong.
"""

import collections
import pathlib
import re
import sys

# Layer -> the layers it may include besides itself.
MAY_INCLUDE = {
    "core": [],
    "ops": ["core"],
    "spec": ["core", "ops"],
    "json": ["core", "ops", "spec"],
    "backends": ["core", "ops", "spec"],
    "graph": ["core", "ops", "spec"],
    "passes": ["core", "ops", "spec", "graph"],
    "kernels": ["core", "ops"],
    "observers": ["core", "ops", "spec", "kernels"],
    "runtime": ["core", "ops", "spec", "graph", "passes", "kernels", "observers"],
    "evaluate": ["core", "ops", "spec", "graph", "passes", "kernels", "observers", "runtime"],
    "io": ["core", "ops", "spec", "json", "graph", "passes", "kernels", "observers", "runtime",
           "evaluate"],
    "train": ["core", "ops", "spec", "backends", "graph", "passes", "kernels", "observers", "runtime"],
    "inference": ["core", "ops", "spec", "backends", "graph", "passes", "kernels", "runtime", "io"],
    "ctq": ["core", "ops", "spec", "json", "backends", "graph", "passes", "kernels", "observers",
            "runtime", "evaluate", "io"],
}

# Headers that a layer may include although its row does not allow the folder.
EXCEPTIONS = {}

# Costly to parse: the layers that most of the tests need do without.
LIGHT = ["core", "ops", "spec", "json", "backends", "graph", "passes"]
HEAVY_HEADERS = ["string", "vector", "iostream", "ranges", "algorithm", "functional", "regex"]
HEAVY_ALLOWED = ["ctq/core/result.hpp", "ctq/json/backend_file.hpp", "ctq/graph/place_of.hpp"]

# What touches files is in io alone.
FILE_HEADERS = ["fstream", "filesystem", "cstdio", "stdio.h", "zlib.h"]

# All of xsimd comes through one door.
XSIMD_DOOR = "ctq/kernels/xsimd.hpp"

# Tables, whose rows are longer than a line of prose.
TABLES = ["ctq/ops/", "ctq/backends/"]

SPDX = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
LONGEST_HEADER = 300
MOST_HEADERS = 30  # in one folder
LONGEST_LINE = 100

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
DEFINE = re.compile(r"\s*#\s*define\s+(\w+)")


def layer_of(header):
    """ctq/spec/pattern.hpp and ctq/spec.hpp are both of spec."""
    return header.split("/")[1].removesuffix(".hpp")


def includes_of(lines):
    for number, line in enumerate(lines, 1):
        if match := INCLUDE.match(line):
            yield number, match[1], match[2]


def check_includes(header, lines, known):
    layer = layer_of(header)
    for number, quote, name in includes_of(lines):
        if name.startswith("ctq/"):
            if quote != '"':
                yield number, f'write "{name}" in quotes'
            if name not in known:
                yield number, f"there is no {name}"
            allowed = [layer, *MAY_INCLUDE[layer]]
            if layer_of(name) not in allowed and name not in EXCEPTIONS.get(layer, []):
                yield number, f"{layer} must not include {name}"
        elif quote == '"':
            yield number, f'"{name}": own headers are included as "ctq/..."'
        if layer in LIGHT and name in HEAVY_HEADERS and header not in HEAVY_ALLOWED:
            yield number, f"{layer} must stay light, <{name}> is not"
        if layer != "io" and name in FILE_HEADERS:
            yield number, f"<{name}> is for io alone"
        if name.startswith("xsimd/") and header != XSIMD_DOOR:
            yield number, f"xsimd is included by {XSIMD_DOOR} alone"


def check_form(header, lines):
    if lines[:2] != [SPDX, "#pragma once"]:
        yield 1, "the first two lines are the SPDX line and #pragma once"
    if len(lines) > LONGEST_HEADER:
        yield len(lines), f"more than {LONGEST_HEADER} lines: do two ideas live here?"
    in_table = False
    for number, line in enumerate(lines, 1):
        if "clang-format off" in line or "clang-format on" in line:
            in_table = "off" in line and header.startswith(tuple(TABLES))
        if len(line) > LONGEST_LINE and not in_table:
            yield number, f"{len(line)} columns, {LONGEST_LINE} are allowed"
        match = DEFINE.match(line)
        if match and not match[1].startswith("CTQ_"):
            yield number, f"macro {match[1]} has no prefix CTQ_"


def cycles(graph):
    """Depth-first: an edge to a header that is not finished closes a cycle."""
    open_headers, finished = [], set()

    def visit(header):
        if header in open_headers:
            yield open_headers[open_headers.index(header):] + [header]
        elif header not in finished:
            open_headers.append(header)
            for other in graph.get(header, []):
                yield from visit(other)
            finished.add(open_headers.pop())

    for header in graph:
        yield from visit(header)


def main(root):
    headers = {path.relative_to(root).as_posix(): path.read_text().splitlines()
               for path in sorted(root.glob("ctq/**/*.hpp"))}
    findings = []
    for header, lines in headers.items():
        if layer_of(header) not in MAY_INCLUDE:
            findings.append((header, 1, f"the table has no layer {layer_of(header)}"))
            continue
        for number, what in [*check_includes(header, lines, headers), *check_form(header, lines)]:
            findings.append((header, number, what))
    folders = collections.Counter(header.rpartition("/")[0] for header in headers)
    findings += [(folder, 1, f"{count} headers in one folder, {MOST_HEADERS} are allowed")
                 for folder, count in folders.items() if count > MOST_HEADERS]
    graph = {header: [name for _, _, name in includes_of(lines)]
             for header, lines in headers.items()}
    for cycle in cycles(graph):
        findings.append((cycle[0], 1, "includes itself: " + " -> ".join(cycle)))
    for header, number, what in findings:
        print(f"{header}:{number}: {what}")
    print(f"{len(headers)} headers, {len(findings)} findings")
    return 1 if findings or not headers else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
