#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes one object file of code that is compiled for one instruction set, so that nothing of it can
run on a machine without: ctq-isolate LIBRARY OUTPUT OBJCOPY COMPILER...

LIBRARY: a static library, or an object file. Functions that several translation units may have
(inline ones, templates, those of the standard library too) are symbols of which the linker keeps
any one, for all callers. Here they become local; ctq::dispatched_code_of alone stays visible,
and in the library ctq-kernels the names in ctq::kernel_library.
"""

import pathlib
import struct
import subprocess
import sys

VISIBLE = ["_ZN3ctq18dispatched_code_ofI*", "_ZN3ctq14kernel_library*"]
SYMTAB, WEAK, GNU_UNIQUE, COMMON = 2, 2, 10, 0xFFF2


def sections(elf):
    """Name, type, offset and size of the sections of a 64-bit little-endian object file."""
    if elf[:6] != b"\x7fELF\x02\x01":
        sys.exit("ctq-isolate: no 64-bit little-endian ELF file")
    start, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    first = struct.unpack_from("<IIQQQQII", elf, start)
    count, names = count or first[5], names if names != 0xFFFF else first[6]  # many sections
    headers = [struct.unpack_from("<IIQQQQ", elf, start + i * size) for i in range(count)]
    for name, kind, _, _, offset, length in headers:
        at = headers[names][4] + name
        yield text_at(elf, at), kind, offset, length


def text_at(elf, at):
    return elf[at:elf.index(b"\0", at)].decode()


def main(library, output, objcopy, *compiler):
    # Groups are what makes copies one: without them, local symbols of equal names stay apart.
    subprocess.run([*compiler, "-r", "-nostdlib", "-Wl,--force-group-allocation",
                    "-Wl,--whole-archive", library, "-Wl,--no-whole-archive", "-o", output],
                   check=True)
    elf = bytearray(pathlib.Path(output).read_bytes())
    visible = list(VISIBLE)
    parts = list(sections(elf))
    strings = next((offset for name, _, offset, _ in parts if name == ".strtab"), 0)
    for name, kind, offset, length in parts:
        if name in (".init_array", ".ctors"):
            sys.exit(f"ctq-isolate: {library} has code that runs when the program starts, before "
                     "an instruction set is chosen (a global variable with a constructor, "
                     "<iostream>): make it constexpr, or move it to a file that is compiled once")
        if kind == SYMTAB:
            # g++ makes static variables of templates unique symbols, which objcopy (2.40) leaves.
            for symbol in range(offset, offset + length, 24):
                if elf[symbol + 4] >> 4 == GNU_UNIQUE:
                    elf[symbol + 4] = WEAK << 4 | elf[symbol + 4] & 15
                # Only the last link gives a common symbol its place, and a local one never has
                # any. C++ has none of its own, but clang's -fsanitize=address does: a flag.
                text, _, _, section = struct.unpack_from("<IBBH", elf, symbol)
                if section == COMMON:
                    visible.append(text_at(elf, strings + text))
    pathlib.Path(output).write_bytes(elf)
    subprocess.run([objcopy, "--wildcard", *(f"--keep-global-symbol={name}" for name in visible),
                    output], check=True)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, subprocess.CalledProcessError) as problem:
        sys.exit(f"ctq-isolate: {problem}")
