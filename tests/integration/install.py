#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program outside the tree uses ctq in each of the ways that docs/howto/install.md names.

    install.py WAY SOURCE_ROOT COMPILER [FLAG]...

WAY: pkg-config, meson or cmake use an installed ctq; subproject uses the source tree. A suffix
-gcc or -clang, also after -plain, only names the test. The program has two translation units.
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


def install(root, prefix, build, environment):
    run("meson", "setup", build, root, "--prefix", prefix, "-Dtests=false",
        "-Dbenchmarks=disabled", "-Dexamples=disabled", "-Dtools=disabled",
        "--wrap-mode=nofallback", env=environment)
    run("meson", "install", "-C", build)


def with_pkg_config(consumer, build, environment, compiler, flags):
    cflags = output("pkg-config", "--cflags", "ctq", env=environment).split()
    build.mkdir()
    run(compiler, "-std=c++20", "-O1", *flags, *cflags, consumer / "main.cpp",
        consumer / "other.cpp", "-o", build / "consumer")
    run(build / "consumer")


def with_meson(consumer, build, environment, compiler, flags):
    args = [f"-Dcpp_args={','.join(flags)}"] if flags else []
    run("meson", "setup", build, consumer, *args, env=environment)
    run("meson", "test", "-C", build, "--print-errorlogs")


def with_cmake(consumer, build, environment, compiler, flags):
    run("cmake", "-S", consumer, "-B", build, f"-DCMAKE_PREFIX_PATH={environment['PREFIX']}",
        f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CXX_FLAGS={' '.join(flags)}")
    run("cmake", "--build", build)
    run(build / "consumer")


def as_subproject(root, consumer, build):
    """Nothing of ctq is built: its options are off in a subproject."""
    (consumer / "subprojects").mkdir()
    (consumer / "subprojects" / "ctq").symlink_to(root)
    run("meson", "setup", build, consumer, "--force-fallback-for=ctq")
    targets = json.loads(output("meson", "introspect", build, "--targets"))
    names = [t["name"] for t in targets]
    assert names == ["consumer"], f"a subproject builds {names}"
    run("meson", "test", "-C", build, "--print-errorlogs")


def main(way, root, compiler, *flags):
    root = Path(root)
    way = way.removesuffix("-gcc").removesuffix("-clang").removesuffix("-plain")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        os.chdir(folder)  # CMake writes into the directory that it is called from
        consumer = shutil.copytree(root / "tests/integration/consumer", folder / "consumer")
        os.environ["CXX"] = compiler
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
