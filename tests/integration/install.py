#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program outside the tree uses ctq in each of the ways that docs/howto/install.md names.

    install.py WAY SOURCE_ROOT COMPILER [FLAG]...

WAY: pkg-config, meson or cmake use an installed ctq; subproject uses the source tree. A suffix
-gcc or -clang, also after -plain, only names the test. The program has two translation units.

    install.py kernels SOURCE_ROOT COMPILER...

The same program with the library ctq-kernels, in each of these ways with each compiler, and what a
linker says when headers and library are of different releases.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command, **options):
    print("+", *command, flush=True)
    return subprocess.run(list(map(str, command)), check=True, **options)


def output(*command, **options):
    return run(*command, stdout=subprocess.PIPE, text=True, **options).stdout


def install(root, prefix, build, environment, *options):
    run("meson", "setup", build, root, "--prefix", prefix, "-Dtests=false",
        "-Dbenchmarks=disabled", "-Dexamples=disabled", "-Dtools=disabled",
        "--wrap-mode=nofallback", *options, env=environment)
    run("meson", "install", "-C", build)


def with_pkg_config(consumer, build, environment, compiler, flags):
    cflags = output("pkg-config", "--cflags", "ctq", env=environment).split()
    build.mkdir()
    run(compiler, "-std=c++20", "-O1", *flags, *cflags, consumer / "main.cpp",
        consumer / "other.cpp", "-o", build / "consumer")
    run(build / "consumer")


def with_meson(consumer, build, environment, compiler, flags):
    args = [f"-Dcpp_args={' '.join(flags)}"] if flags else []
    run("meson", "setup", build, consumer, *args, env=environment)
    run("meson", "test", "-C", build, "--print-errorlogs")


def with_cmake(consumer, build, environment, compiler, flags):
    run("cmake", "-S", consumer, "-B", build, f"-DCMAKE_PREFIX_PATH={environment['PREFIX']}",
        f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CXX_FLAGS={' '.join(flags)}")
    said = subprocess.run(["cmake", "--build", build], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(said.stdout)
    said.check_returncode()
    assert flags or "define CTQ_BASELINE_IS_INTENDED" in said.stdout, \
        "nothing says that the program is compiled for the oldest machines"
    run(build / "consumer")
    components(build.parent / "components", environment["PREFIX"])


def components(folder, prefix):
    """find_package says which component is not there, unless it is optional."""
    folder.mkdir()
    for asked, wanted in (("COMPONENTS bogus", "ctq has no component bogus; its only one is kernels"),
                          ("COMPONENTS kernels", "without the option kernels_library"),
                          ("OPTIONAL_COMPONENTS kernels bogus", "")):
        (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.20)\nproject(it CXX)\n"
                                               f"find_package(ctq REQUIRED {asked})\n")
        done = subprocess.run(["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
                              check=False, text=True, capture_output=True)
        said = " ".join(done.stderr.split())
        assert (done.returncode == 0) == (wanted == "") and wanted in said, f"{asked}: {done.stderr}"


def as_subproject(root, consumer, build):
    """Nothing of ctq is built: its options are off in a subproject."""
    (consumer / "subprojects").mkdir()
    (consumer / "subprojects" / "ctq").symlink_to(root)
    run("meson", "setup", build, consumer, "--force-fallback-for=ctq")
    targets = json.loads(output("meson", "introspect", build, "--targets"))
    names = [t["name"] for t in targets]
    assert names == ["consumer"], f"a subproject builds {names}"
    run("meson", "test", "-C", build, "--print-errorlogs")


def with_kernels(root, consumer, folder, compilers):
    """Optimized as little as it may be, and portable code alone, since that compiles fast."""
    prefix = folder / "prefix"
    paths = [prefix / "share/pkgconfig", prefix / "lib/pkgconfig"]
    environment = {**os.environ, "PREFIX": str(prefix),
                   "PKG_CONFIG_PATH": ":".join(map(str, paths))}
    install(root, prefix, folder / "ctq-build", environment, "--libdir=lib", "-Doptimization=1",
            "-Dkernels_library=enabled", "-Dkernels_isas=scalar")
    plain = ["-fno-exceptions", "-fno-rtti"]
    for compiler in compilers:
        os.environ["CXX"] = environment["CXX"] = compiler
        build = folder / ("meson-" + Path(compiler).name)
        run("meson", "setup", build, consumer, "-Dpackage=ctq-kernels", env=environment)
        run("meson", "test", "-C", build, "--print-errorlogs")

        build = folder / ("cmake-" + Path(compiler).name)
        run("cmake", "-S", consumer, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_COMPILER={compiler}", "-DCTQ_TARGET=ctq::kernels")
        run("cmake", "--build", build)
        run(build / "consumer")

        def flags(which):
            return output("pkg-config", which, "ctq-kernels", env=environment).split()
        units = []
        for name in ("main", "other"):
            units.append(folder / f"{name}.o")
            run(compiler, "-std=c++20", "-O1", *plain, *flags("--cflags"), "-c",
                consumer / f"{name}.cpp", "-o", units[-1])
        run(compiler, *units, *flags("--libs"), "-o", folder / "consumer-pkg-config")
        run(folder / "consumer-pkg-config")
        symbols = output("nm", "-C", *units)
        assert "ctq::kernels::simd" not in symbols, "a program compiles no kernel"

    # Headers of another release.
    version = prefix / "include/ctq/core/version.hpp"
    version.write_text(version.read_text().replace('"0.', '"9.'))
    run(compiler, "-std=c++20", *flags("--cflags"), "-c", consumer / "other.cpp", "-o", units[1])
    done = subprocess.run([compiler, *units, *flags("--libs"), "-o", "other"], text=True,
                          capture_output=True, check=False)
    print(done.stderr)
    assert done.returncode != 0 and "ctq::compiled_kernels::of_release<9, " in done.stderr


def main(way, root, compiler, *flags):
    root = Path(root)
    way = way.removesuffix("-gcc").removesuffix("-clang").removesuffix("-plain")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        os.chdir(folder)  # CMake writes into the directory that it is called from
        consumer = shutil.copytree(root / "tests/integration/consumer", folder / "consumer")
        os.environ["CXX"] = compiler
        if way == "kernels":
            return with_kernels(root, consumer, folder, [compiler, *flags])
        if way == "subproject":
            return as_subproject(root, consumer, folder / "build")
        prefix = folder / "prefix"
        environment = {**os.environ, "PREFIX": str(prefix),
                       "PKG_CONFIG_PATH": str(prefix / "share/pkgconfig")}
        install(root, prefix, folder / "ctq-build", environment)
        use = {"pkg-config": with_pkg_config, "meson": with_meson, "cmake": with_cmake}[way]
        use(consumer, folder / "build", environment, compiler, flags)


if __name__ == "__main__":
    main(*sys.argv[1:])
