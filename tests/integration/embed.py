#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files as constants of a program, as text, as bytes and as an object: embed.py SOURCE_ROOT COMPILER...

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
static void write(std::span<const std::byte> bytes) {{
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  std::fputs(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64 == 0 ? "|" : "unaligned", stdout);
}}
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
        embed = root / "tools/embed/embed.py"
        run(embed, folder / name, folder / f"{names[-1]}.hpp", names[-1])
        run(embed, "--bytes", folder / name, folder / f"b{i}.hpp", f"bytes_{i}")
        run(embed, "--object", folder / name, folder / f"o{i}.hpp", folder / f"o{i}.cpp",
            f"object_{i}")
    includes = "#include <cstdint>\n" + "\n".join(
        f'#include "{name}.hpp"\n#include "b{i}.hpp"\n#include "o{i}.hpp"\n#include "o{i}.cpp"'
        for i, name in enumerate(names))
    writes = "\n".join(f"  std::fwrite({n}.text.data(), 1, {n}.text.size(), stdout);\n"
                       f'  std::fputs("|", stdout);\n'
                       f"  std::fwrite({n}.name.data(), 1, {n}.name.size(), stdout);\n"
                       f"  write(bytes_{i}());\n  write(object_{i}());"
                       for i, n in enumerate(names))
    (folder / "main.cpp").write_text(PROGRAM.format(includes=includes, writes=writes))
    wanted = b"".join(content + b"|" + name.encode() + (content + b"|") * 2
                      for name, content in FILES.items())
    for compiler in compilers:
        run(compiler, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
            f"-I{root / 'include'}", folder / "main.cpp", "-o", folder / "program")
        got = run(folder / "program", stdout=subprocess.PIPE).stdout
        assert got == wanted, f"{compiler} makes other bytes"


def rejected(folder):
    """No code comes of names."""
    file = folder / "plain.json"
    asked = subprocess.run([root / "tools/embed/embed.py", "--help"], check=False, capture_output=True, text=True)
    assert asked.returncode == 0 and "ctq-embed INPUT HEADER [NAME]" in asked.stdout, asked
    for arguments in ([file, folder / "x.hpp", "x; int y"], [file, folder / "x.hpp", "class"],
                      [file, folder / "x.hpp", "2nd"], [".", folder / "x.hpp"],
                      ["--bytes", file, folder / "x.hpp", "a b"],
                      ["--bytes", file, folder / "x.hpp", "a__b"], [file, folder / "x.hpp", "_A"],
                      ["--object", folder / "none", folder / "x.hpp", folder / "x.cpp", "x"],
                      [file, folder / "none" / "x.hpp"], ["--object", file, folder / "x.hpp"], [file],
                      ["--object", folder / "line\nend", folder / "x.hpp", folder / "x.cpp", "x"]):
        done = subprocess.run([root / "tools/embed/embed.py", *arguments], check=False,
                              capture_output=True, text=True)
        assert done.returncode != 0 and "ctq-embed" in done.stderr, f"{arguments}: {done.stderr}"
        assert not (folder / "x.hpp").exists(), arguments


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
    rejected(Path(scratch))
    as_subproject(Path(scratch))
