#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of the CMake package in projects with flags, folders and targets of many kinds.

    cmake_functions.py SOURCE_ROOT COMPILER...

What ctq_add_library compiles is here a network in name only, which takes a second: code for two
instruction sets that is called through the symbols of ctq::dispatched_code_of.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from install import install, output, run

NET = """\
#include <vector>
#include "net.hpp"
namespace ctq {
template <int Isa> struct dispatched_code_of { [[gnu::weak]] static int get(); };
}
// g++ 12 rejects this with all of -fsanitize=undefined.
inline constexpr int one_kind = 1, other_kind = 2;
constexpr bool differ(const int* a, const int* b) { return a != nullptr && a != b; }
static_assert(differ(&one_kind, &other_kind));
#ifdef __AVX2__
constexpr int isa = 2;
#else
constexpr int isa = 1;
#endif
#ifdef CTQ_LIBRARY_CODE
template <> int ctq::dispatched_code_of<isa>::get() {
  static int calls[8];  // what sanitizers surround
  return static_cast<int>(std::vector<int>(3, ++calls[3]).size()) + isa;
}
#else
int net_run() {
  auto one = &ctq::dispatched_code_of<1>::get, two = &ctq::dispatched_code_of<2>::get;
  __asm__("" : "+r"(one), "+r"(two));
  return (one != nullptr ? one() : 0) + (two != nullptr ? 10 * two() : 0);
}
#endif
"""

PROJECT = """\
cmake_minimum_required(VERSION 3.20)
project(it CXX)
add_subdirectory(net)
find_package(ctq REQUIRED)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE net)
ctq_embed(program "first file.bin" first)
add_executable(again main.cpp)
target_link_libraries(again PRIVATE net)
ctq_embed(again "first file.bin" first)
add_subdirectory(models)
install(TARGETS net EXPORT it)
install(EXPORT it DESTINATION lib)
"""

# The targets belong to another directory.
MODELS = """\
ctq_embed(program second.bin second)
ctq_embed(again second.bin second)
"""

MAIN = """\
#include <cstdio>
#include "first.hpp"
#include "net.hpp"
#include "second.hpp"
int main() { std::printf("%d %zu %zu\\n", net_run(), first().size(), second().size()); }
"""


def project_in(folder):
    files = {"CMakeLists.txt": PROJECT, "main.cpp": MAIN, "first file.bin": "12345", "net/net.cpp": NET,
             "net/net.hpp": "int net_run();\n", "models/CMakeLists.txt": MODELS, "models/second.bin": "123",
             "net/CMakeLists.txt": "find_package(ctq REQUIRED)\nctq_add_library(net net.cpp)\n"}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def build(folder, prefix, compiler, *options):
    shutil.rmtree(folder / "build", ignore_errors=True)
    run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={compiler}", "-DCTQ_LIBRARY_ISAS=sse2;avx2", *options)
    said = output("cmake", "--build", folder / "build", "--parallel", "2")
    assert said.count("Generating first") == 1, f"a file of two targets is made once: {said}"


def check(folder, prefix, compiler, *options):
    build(folder, prefix, compiler, *options)
    for program in ("program", "again"):
        said = output(folder / "build" / program)
        assert said == "54 5 3\n", f"{program}, {options}: {said}"


def check_no_objcopy(folder, prefix, compiler):
    """It is an error of the configuration, not of the build, and none for one machine."""
    command = ["cmake", "-S", folder, "-B", folder / "none", f"-DCMAKE_PREFIX_PATH={prefix}",
               f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_OBJCOPY=NOTFOUND"]
    done = subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True)
    assert done.returncode != 0 and "ctq_add_library needs objcopy" in done.stderr, done.stderr
    run(*command, "-DCTQ_LIBRARY_ISAS=")


def main(root, *compilers):
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        prefix, folder = scratch / "installed in ü", scratch / "project of ö"
        install(Path(root), prefix, scratch / "ctq-build", os.environ)
        project_in(folder)
        check_no_objcopy(folder, prefix, compilers[0])
        for compiler in compilers:
            check(folder, prefix, compiler)
            check(folder, prefix, compiler, "-DCMAKE_CXX_FLAGS=-fsanitize=address,undefined -g")
        check(folder, prefix, compilers[0], "-DCMAKE_CXX_FLAGS=-flto -g")
        check(folder, prefix, compilers[0], "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON", "-DCMAKE_CXX_FLAGS=-g")
        (folder / "models/second.bin").write_text("1234")
        run("cmake", "--build", folder / "build")
        assert output(folder / "build/program") == "54 5 4\n"


if __name__ == "__main__":
    main(*sys.argv[1:])
