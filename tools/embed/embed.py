#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A file as a constant of a C++ program: embed.py INPUT OUTPUT [NAME]

OUTPUT is a header with inline constexpr ctq::embedded_file NAME, whose name is that of INPUT
without folders and whose text is its bytes. NAME is by default made of the name: npu.json is
npu_json.
"""

import re
import sys
from pathlib import Path

# Compilers take pieces of any size, but MSVC and some editors do not.
PIECE = 8192

HEADER = """\
// {file}, as ctq-embed wrote it: change that file instead.
#pragma once
// Disables warnings about long strings.
#pragma GCC system_header

#include "ctq/json/embedded_file.hpp"

inline constexpr char {name}_text[] =
{pieces};
inline constexpr ctq::embedded_file {name}{{"{file}", {{{name}_text, sizeof({name}_text) - 1}}}};
"""


def pieces_of(data):
    """Pieces of at most PIECE bytes that cut no character of UTF-8."""
    at = 0
    while at < len(data):
        end = min(at + PIECE, len(data))
        while end < len(data) and end > at + PIECE - 4 and data[end] & 0xC0 == 0x80:
            end -= 1
        yield data[at:end]
        at = end


def literal(piece):
    """Raw where a raw string means these bytes to every compiler, else in octal, byte by byte."""
    try:
        text = piece.decode()
        raw = not re.search(r'\)ctq"|[^\t\n -~\u00a0-\U0010ffff]', text)
    except UnicodeDecodeError:
        raw = False
    if raw:
        return b'R"ctq(' + piece + b')ctq"'
    return b'"' + b"".join(b"\\%03o" % byte for byte in piece) + b'"'


def main(source, target, name=None):
    source = Path(source)
    name = name or re.sub(r"\W", "_", source.name, flags=re.ASCII)
    if name[0].isdigit():
        name = "_" + name
    pieces = b"\n".join(map(literal, pieces_of(source.read_bytes()))) or b'""'
    file = source.name.replace("\\", "\\\\").replace('"', '\\"')
    before, after = HEADER.format(file=file, name=name, pieces="\0").encode().split(b"\0")
    Path(target).write_bytes(before + pieces + after)


if __name__ == "__main__":
    main(*sys.argv[1:])
