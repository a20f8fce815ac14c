#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network as a library, in a project outside the tree that uses an installed ctq.

    library.py [--all] WAY SOURCE_ROOT CTQ COMPILER [FLAG]...

WAY: header says what the class costs those who include it; pkg-config compiles the library for one
machine; cmake, meson, and subproject, which is Meson with the source tree, compile it for one
instruction set and, with --all, for several, of which one is chosen when the network is loaded. A
suffix such as -clang only names the test. CTQ is the command that writes the library. The programs
are those of examples/07_library.
"""

import json
import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from install import install, output, run

# Lines after the preprocessor, without blank ones; <span> alone has 11 500 with g++ 12.
MOST_LINES = 13000
ISAS = {"x86_64": ["sse2", "avx2", "avx512"], "aarch64": ["neon", "dotprod"]}[platform.machine()]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-O0"]


def check_header(folder, compiler, flags):
    """It includes nothing of ctq and no more of the standard library than it needs."""
    (folder / "one.cpp").write_text('#include "net.hpp"\n#include "net.hpp"\n')
    with_header = [compiler, "-std=c++20", *STRICT, *flags, "-I", folder / "net", folder / "one.cpp"]
    run(*with_header, "-fsyntax-only")
    lines = output(*with_header, "-E").splitlines()
    assert not any("ctq/" in line for line in lines if line.startswith("#")), "includes ctq"
    count = sum(1 for line in lines if line.strip() and not line.startswith("#"))
    print(f"net.hpp: {count} lines")
    assert count <= MOST_LINES, f"net.hpp has {count} lines after the preprocessor"
    assert "template" not in (folder / "net/net.hpp").read_text(), "shows a template"


def check_name(folder, root, ctq, compiler, flags):
    """A network may have the name of a parameter in the class that is written."""
    run(ctq, "import", "--fx", folder / "net.json", "--library", folder / "other", "--name", "other", "--backend",
        "x86")
    run(compiler, "-std=c++20", *STRICT, *flags, "-DCTQ_LIBRARY_DISPATCH", "-isystem", root / "include",
        folder / "other/other.cpp", "-fsyntax-only")


def build_with_cmake(folder, prefix, compiler, flags):
    build = folder / "build"
    run("cmake", "-S", folder, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CXX_FLAGS={' '.join([*STRICT, *flags])}",
        "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=", f"-DCTQ_LIBRARY_ISAS={';'.join(ISAS)}")
    said = output("cmake", "--build", build, stderr=subprocess.STDOUT)
    print(said)
    assert "CTQ_BASELINE_IS_INTENDED" not in said, "a library that dispatches has code for all"
    return build


MESON = """\
project('digits', 'cpp', default_options: ['cpp_std=c++20', 'warning_level=3', 'werror=true'])
ctq_library_isas = {isas}
isa = 'of the project'
flags = isa
code = isa
subdir('net')
assert(isa == 'of the project' and flags == isa and code == isa, 'net has variables of its own')
calibrate = executable('calibrate', 'calibrate.cpp', include_directories: 'net',
  dependencies: dependency('ctq'))
file = custom_target('net.int8.safetensors', input: 'net.safetensors',
  output: 'net.int8.safetensors', command: [calibrate, '@INPUT@', '@OUTPUT@'])
net_int8 = custom_target('net_int8', input: file, output: ['net_int8.hpp', 'net_int8.cpp'],
  command: [find_program(dependency('ctq').get_variable('embed')), '--object', '@INPUT@',
    '@OUTPUT0@', '@OUTPUT1@', 'net_int8'])
executable('program', 'main.cpp', dependencies: net_dep)
executable('embedded', 'main.cpp', net_int8, cpp_args: '-DEMBEDDED', dependencies: net_dep)
"""


def build_with_meson(folder, prefix, compiler, flags):
    (folder / "meson.build").write_text(MESON.format(isas=ISAS))
    build = folder / "build"
    run("meson", "setup", build, folder, *([f"-Dcpp_args={' '.join(flags)}"] if flags else []))
    run("ninja", "-C", build)
    return build


def build_with_pkg_config(folder, prefix, compiler, flags):
    """For one machine: net.cpp is compiled as it is."""
    cflags = output("pkg-config", "--cflags", "ctq").replace("-I", "-isystem").split()
    build = folder / "build"
    build.mkdir()

    def compiled(program, *sources):
        run(compiler, "-std=c++20", *STRICT, *flags, *cflags, f"-I{folder / 'net'}", f"-I{build}",
            *sources, "-o", build / program)

    compiled("calibrate", folder / "calibrate.cpp")
    run(build / "calibrate", folder / "net.safetensors", build / "net.int8.safetensors")
    run(prefix / "bin/ctq-embed", "--bytes", build / "net.int8.safetensors", build / "net_int8.hpp",
        "net_int8")
    run(compiler, "-std=c++20", *STRICT, *flags, *cflags, "-c", folder / "net/net.cpp", "-o",
        build / "net.o")
    compiled("program", folder / "main.cpp", build / "net.o")
    compiled("embedded", "-DEMBEDDED", folder / "main.cpp", build / "net.o")
    return build


BUILD = {"cmake": build_with_cmake, "meson": build_with_meson, "subproject": build_with_meson,
         "pkg-config": build_with_pkg_config}


def answer(program, *arguments, **variables):
    environment = {k: v for k, v in os.environ.items() if k != "CTQ_ISA"}
    done = subprocess.run([program, *arguments], env={**environment, **variables}, text=True,
                          capture_output=True, check=False)
    print("+", variables, program, *arguments, done.stdout, done.stderr, flush=True)
    return done.returncode, done.stdout.split(), done.stderr


def tensors_of(path):
    data = path.read_bytes()
    size, = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + size])
    return header.pop("__metadata__", {}), header, data[8 + size:]


def checksum_of(metadata, tensors, data):
    """As include/ctq/io/quantized_file.hpp computes it."""
    state = 0

    def add_word(word):
        nonlocal state
        state = (state ^ word) * 0x9E3779B97F4A7C15 % 2**64
        state ^= state >> 32

    def add(content):
        add_word(len(content))
        whole = len(content) // 8 * 8
        for word in struct.iter_unpack("<Q", content[:whole]):
            add_word(word[0])
        add_word(int.from_bytes(content[whole:], "little"))

    for name, t in sorted(tensors.items()):
        add(name.encode())
        add(t["dtype"].encode())
        for extent in t["shape"]:
            add(struct.pack("<q", extent))
        begin, end = t["data_offsets"]
        add(data[begin:end])
    for key in sorted(metadata):
        if key != "ctq.checksum":
            add(key.encode())
            add(metadata[key].encode())
    return f"{state:016x}"


def of_another_plan(path, target):
    metadata, tensors, data = tensors_of(path)
    assert checksum_of(metadata, tensors, data) == metadata["ctq.checksum"]
    metadata["ctq.steps"] = "another\n" + metadata["ctq.steps"]
    metadata["ctq.checksum"] = checksum_of(metadata, tensors, data)
    header = json.dumps({"__metadata__": metadata, **tensors}).encode()
    header += b" " * (-len(header) % 8)
    target.write_bytes(struct.pack("<Q", len(header)) + header + data)


def in_float(weights):
    """The network of net.json on the image of main.cpp: conv 3x3, relu, max pool 2x2, linear."""
    _, tensors, data = tensors_of(weights)

    def values(name):
        begin, end = tensors[name]["data_offsets"]
        return [v for v, in struct.iter_unpack("<f", data[begin:end])]

    image = [i * 37 % 101 / 50 - 1 for i in range(144)]
    kernel, bias = values("conv.weight"), values("conv.bias")

    def conv(c, y, x):
        taps = ((i, j) for i in range(3) for j in range(3)
                if 0 <= y + i - 1 < 12 and 0 <= x + j - 1 < 12)
        return bias[c] + sum(kernel[c * 9 + i * 3 + j] * image[(y + i - 1) * 12 + x + j - 1]
                             for i, j in taps)

    pooled = [max(0, *(conv(c, 2 * y + i, 2 * x + j) for i in (0, 1) for j in (0, 1)))
              for c in range(8) for y in range(6) for x in range(6)]
    rows = values("fc.weight")
    return [b + sum(w * p for w, p in zip(rows[288 * o:288 * (o + 1)], pooled))
            for o, b in enumerate(values("fc.bias"))]


def check_programs(folder, build, dispatched):
    program, file = build / "program", build / "net.int8.safetensors"
    code, words, errors = answer(program, file)
    assert code == 0 and not errors and len(words) == 11, "the program prints what it computes"
    isa, logits = words[0], words[1:]
    wanted = in_float(folder / "net.safetensors")
    spread = max(wanted) - min(wanted)
    assert all(abs(float(got) - want) < spread / 20 for got, want in zip(logits, wanted)), wanted
    assert answer(build / "embedded") == (0, words, ""), "the file is part of the program"
    if dispatched:
        assert isa in ISAS, isa
        for name in ISAS:
            code, words, errors = answer(program, file, CTQ_ISA=name)
            there = (code, words, errors) == (0, [name, *logits], "")
            assert there or f'"{name}" is no instruction set' in errors, name
        code, _, errors = answer(program, file, CTQ_ISA="avx1024")
        assert code == 1 and "CTQ_ISA" in errors and ISAS[0] in errors, errors
        symbols = output("nm", "-C", program)
        assert "dispatched_code_of" in symbols, "the program has the code"
    wrong = build / "wrong.safetensors"
    content = file.read_bytes()
    of_another_plan(file, wrong)
    cases = [(wrong.read_bytes(), "the file is of another plan: line 1 is \"another\" in the file"),
             (content[:-1], "wrong.safetensors"), (content[:4], "wrong.safetensors"), (b"", "wrong"),
             (content[:-1] + bytes([content[-1] ^ 1]), "was changed or damaged"),
             ((folder / "net.safetensors").read_bytes(), "no int8 model")]
    for damaged, why in cases:
        wrong.write_bytes(damaged)
        code, words, errors = answer(program, wrong)
        assert (code, words) == (1, []) and why in errors and len(errors.splitlines()) == 1, why
    code, _, errors = answer(program, build / "none.safetensors")
    assert code == 1 and "none.safetensors" in errors, "no file"


def main(way, root, ctq, compiler, *flags):
    if way == "--all":
        return main(root, ctq, compiler, *flags)
    if "--all" not in sys.argv:
        del ISAS[1:]
    root, ctq = Path(root).resolve(), Path(ctq).resolve()
    way = way.removesuffix("-gcc").removesuffix("-clang")
    with tempfile.TemporaryDirectory() as temporary:
        temporary = Path(temporary)
        folder = shutil.copytree(root / "examples/07_library", temporary / "project")
        run(ctq, "import", "--fx", folder / "net.json", "--library", folder / "net", "--backend",
            "x86")
        if way == "header":
            check_header(folder, compiler, flags)
            return check_name(folder, root, ctq, compiler, flags)
        prefix = temporary / ("prefix" if way == "pkg-config" else "a prefix")
        os.environ.update(CXX=compiler, PKG_CONFIG_PATH=str(prefix / "share/pkgconfig"))
        os.chdir(temporary)
        if way == "subproject":
            (folder / "subprojects").mkdir()
            (folder / "subprojects/ctq").symlink_to(root)
        else:
            install(root, prefix, temporary / "ctq-build", os.environ)
        build = BUILD[way](folder, prefix, compiler, flags)
        return check_programs(folder, build, way != "pkg-config")


if __name__ == "__main__":
    main(*sys.argv[1:])
