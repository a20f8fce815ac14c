#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A file as a constant of a C++ program.

    ctq-embed INPUT HEADER [NAME]
    ctq-embed --bytes INPUT HEADER [NAME]
    ctq-embed --object INPUT HEADER SOURCE [NAME]

The first is for specs: HEADER has inline constexpr ctq::embedded_file NAME, whose name is that of
INPUT without folders and whose text is its bytes. The others are for saved models and need nothing of
ctq: HEADER has a function NAME() that returns the bytes as std::span<const std::byte>, aligned to 64.
With --bytes they are a constexpr array, NAME_bytes, which costs the compiler about a second for each
megabyte. With --object they are not seen by the compiler: SOURCE, a C++ file to be compiled with the
program, tells the assembler to read INPUT. NAME is by default made of the name of the file: npu.json
is npu_json.
"""

import re
import sys
from pathlib import Path

# Compilers take pieces of any size, but MSVC and some editors do not.
PIECE = 8192

NOTE = "// {file}, as ctq-embed wrote it: change that file instead.\n"

HEADER = NOTE + """\
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


BYTES = NOTE + """\
#pragma once

#include <cstddef>
#include <span>

alignas(64) inline constexpr unsigned char {name}_bytes[] = {{
{values}}};
inline std::span<const std::byte> {name}() noexcept {{
  return std::as_bytes(std::span({name}_bytes)).first({size});
}}
"""

OBJECT = NOTE + """\
#pragma once

#include <cstddef>
#include <span>

extern "C" {{
[[gnu::visibility("hidden")]] extern const std::byte {name}_begin[];
[[gnu::visibility("hidden")]] extern const std::byte {name}_end[];
}}
inline std::span<const std::byte> {name}() noexcept {{ return {{{name}_begin, {name}_end}}; }}
"""

ASSEMBLY = NOTE + """\
__asm__(
    ".pushsection .rodata.{name}, \\"a\\"\\n"
    ".balign 64\\n"
    ".global {name}_begin, {name}_end\\n"
    ".hidden {name}_begin, {name}_end\\n"
    "{name}_begin:\\n"
    ".incbin {path}\\n"
    "{name}_end:\\n"
    ".byte 0\\n"
    ".popsection\\n");
"""


KEYWORDS = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t
class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default
delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable
namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires
return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try
typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq""".split()


def name_of(source, name):
    if not name:
        name = re.sub(r"[\W_]+", "_", source.name, flags=re.ASCII)
        name = "_" + name if name[:1].isdigit() else name
    if not re.fullmatch(r"[A-Za-z_]\w*", name, flags=re.ASCII) or name in KEYWORDS:
        sys.exit(f"ctq-embed: {name!r} is no name for a constant: letters, digits and _, not a word of C++")
    if re.search(r"__|^_[A-Z]", name):
        sys.exit(f"ctq-embed: {name!r} is reserved in C++: two underscores, or one before a capital")
    return name


def comment(text):
    """One line of a // comment, never continued by a backslash."""
    return re.sub(r"[^ -\[\]-~]", "?", text)


def spec_header(source, target, name=None):
    source = Path(source)
    name = name_of(source, name)
    pieces = b"\n".join(map(literal, pieces_of(source.read_bytes()))) or b'""'
    file = source.name.replace("\\", "\\\\").replace('"', '\\"')
    before, after = HEADER.format(file=file, name=name, pieces="\0").encode().split(b"\0")
    Path(target).write_bytes(before + pieces + after)


def bytes_header(source, target, name=None):
    source = Path(source)
    data = source.read_bytes()
    # An array has an element.
    lines = [",".join(map(str, data[at:at + 32] or b"\0")) for at in range(0, len(data) or 1, 32)]
    Path(target).write_text(BYTES.format(file=comment(source.name), name=name_of(source, name),
                                         values=",\n".join(lines), size=len(data)))


def object_files(source, target, code, name=None):
    source = Path(source)
    source.open("rb").close()  # the assembler reads it later
    name, file = name_of(source, name), comment(source.name)
    path = str(source.resolve())
    if not path.isprintable():
        sys.exit(f"ctq-embed: {path!r}: an assembler reads no file with such a name")
    # A string of the assembler, in a string of C++.
    for _ in range(2):
        path = '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
    Path(target).write_text(OBJECT.format(file=file, name=name))
    Path(code).write_text(ASSEMBLY.format(file=file, name=name, path=path[1:-1]))


# By option: what writes the files, and how many names of files it takes.
FORMS = {"--bytes": (bytes_header, 2), "--object": (object_files, 3)}


def main(arguments):
    form, files = spec_header, 2
    if arguments in (["--help"], ["-h"]):
        print(__doc__)
        return
    if arguments and arguments[0] in FORMS:
        form, files = FORMS[arguments[0]]
        arguments = arguments[1:]
    if not files <= len(arguments) <= files + 1:
        sys.exit(__doc__)
    try:
        form(*arguments)
    except OSError as e:
        sys.exit(f"ctq-embed: {e.filename}: {e.strerror}")


if __name__ == "__main__":
    main(sys.argv[1:])
