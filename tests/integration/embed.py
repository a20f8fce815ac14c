#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files as constants of a program: embed.py SOURCE_ROOT COMPILER...

Whatever bytes a file has, the program has the same, with every compiler and without a warning; and
another project gets a generator for it from the subproject, as tools/embed/meson.build says.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

root, *compilers = sys.argv[1:]
root = Path(root)

FILES = {
    "plain.json": b'{"name": "npu"}\n',
    "empty.json": b"",
    "every byte.json": bytes(range(256)),
    "raw string.json": b'R"ctq(")ctq" and )ctq" again',
    "line ends.json": b"a\r\nb\rc\n\\\n\\n ??/ ",
    "2nd.json": "é ü 漢 \U0001f600 ".encode() * 3000,
    "digits.json": b"\x001234567\x00" * 2000,
    'quote".json': b"[]",
}

PROGRAM = """\
#include <cstdio>
{includes}
int main() {{
{writes}
}}
"""


def run(*command, **options):
    print("+", *command, flush=True)
    return subprocess.run(list(map(str, command)), check=True, **options)


def every_byte(folder):
    names = []
    for i, (name, content) in enumerate(FILES.items()):
        (folder / name).write_bytes(content)
        names.append(f"file_{i}")
        run(root / "tools/embed/embed.py", folder / name, folder / f"{names[-1]}.hpp", names[-1])
    includes = "\n".join(f'#include "{name}.hpp"' for name in names)
    writes = "\n".join(f"  std::fwrite({n}.text.data(), 1, {n}.text.size(), stdout);\n"
                       f'  std::fputs("|", stdout);\n'
                       f"  std::fwrite({n}.name.data(), 1, {n}.name.size(), stdout);"
                       for n in names)
    (folder / "main.cpp").write_text(PROGRAM.format(includes=includes, writes=writes))
    wanted = b"".join(content + b"|" + name.encode() for name, content in FILES.items())
    for compiler in compilers:
        run(compiler, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
            f"-I{root / 'include'}", folder / "main.cpp", "-o", folder / "program")
        got = run(folder / "program", stdout=subprocess.PIPE).stdout
        assert got == wanted, f"{compiler} makes other bytes"


def as_subproject(folder):
    project = shutil.copytree(root / "tests/integration/embedding", folder / "embedding")
    (project / "subprojects").mkdir()
    (project / "subprojects/ctq").symlink_to(root)
    os.environ["CXX"] = compilers[0]
    run("meson", "setup", folder / "build", project)
    run("meson", "test", "-C", folder / "build", "--print-errorlogs")
    # The default name of the constant is made of the file's.
    run(root / "tools/embed/embed.py", folder / "2nd.json", folder / "second.hpp")
    assert "ctq::embedded_file _2nd_json{" in (folder / "second.hpp").read_text()


with tempfile.TemporaryDirectory() as scratch:
    every_byte(Path(scratch))
    as_subproject(Path(scratch))
