#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the system has no packages, Meson gets the dependencies from their repositories.

    wraps.py SOURCE_ROOT COMPILER

Without a network: local repositories with the upstream layout and tag are made of the headers that
are installed here, and copies of the wraps are pointed to them. What is checked is what ctq brings
along, the wraps and their Meson files. Google Benchmark is a library, and its sources are not
installed: it is configured with a source that only stands for them, and is not built.
"""

import configparser
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Wrap -> what its repository holds, and where that is installed.
SYSTEM = Path("/usr/include")
REPOSITORIES = {
    "boost-hana": {"include/boost/hana": SYSTEM / "boost/hana",
                   "include/boost/hana.hpp": SYSTEM / "boost/hana.hpp"},
    "boost-mp11": {"include/boost/mp11": SYSTEM / "boost/mp11",
                   "include/boost/mp11.hpp": SYSTEM / "boost/mp11.hpp"},
    "xsimd": {"include/xsimd": SYSTEM / "xsimd"},
    "doctest": {"doctest": SYSTEM / "doctest"},
    "google-benchmark": {"include/benchmark": SYSTEM / "benchmark"},
    "cli11": {"include/CLI": SYSTEM / "CLI"},
    "fmt": {"include/fmt": SYSTEM / "fmt"},
    "protozero": {"include/protozero": SYSTEM / "protozero"},
}
# Sources that need all of the others.
COMPILED = ["examples_03_backend_spec.cpp.o", "simd_elementwise_quantize.cpp.o",
            "ctq.p/main.cpp.o", "bench/libonnxruntime.a.p/onnxruntime.cpp.o"]


def run(*command, **options):
    print("+", *command, flush=True)
    return subprocess.run(list(map(str, command)), check=True, text=True, **options)


def output(*command, **options):
    return run(*command, stdout=subprocess.PIPE, **options).stdout


def copy_tree(root, to):
    """What git tracks, and what it would; not the builds."""
    listed = output("git", "-C", root, "ls-files", "-co", "--exclude-standard").splitlines()
    for name in listed:
        if (root / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, to / name)


def make_repository(folder, content, tag):
    for name, source in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, folder / name)
    if "include/benchmark" in content:
        (folder / "src").mkdir()
        (folder / "src/stand_in.cc").write_text('#include "benchmark/benchmark.h"\n')
    git = ["git", "-C", folder, "-c", "user.name=test", "-c", "user.email=test@localhost"]
    run("git", "init", "-q", folder)
    run(*git, "add", "--all")
    run(*git, "commit", "-q", "-m", tag)
    run(*git, "tag", tag)


def redirect(wrap, repository):
    """Makes the repository that the wrap names, here, and lets the wrap name that one."""
    parsed = configparser.ConfigParser(interpolation=None)
    parsed.read(wrap)
    make_repository(repository, REPOSITORIES[wrap.stem], parsed["wrap-git"]["revision"])
    url = parsed["wrap-git"]["url"]
    wrap.write_text(wrap.read_text().replace(url, repository.as_uri()))


def main(root, compiler):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        os.chdir(folder)  # CMake writes into the directory that it is called from
        copy_tree(Path(root), folder / "ctq")
        wraps = sorted((folder / "ctq/subprojects").glob("*.wrap"))
        assert {w.stem for w in wraps} == set(REPOSITORIES), wraps
        for wrap in wraps:
            redirect(wrap, folder / "upstream" / wrap.stem)

        environment = {**os.environ, "CXX": compiler, "GIT_ALLOW_PROTOCOL": "file"}
        build = folder / "build"
        run("meson", "setup", build, folder / "ctq", "-Dboost=wrap", "-Dexamples=disabled",
            "-Doptimization=0", "-Dort_dir=.", "-Dtest_isas=native", "-Dtest_levels=O3",
            "--force-fallback-for=" + ",".join(REPOSITORIES), env=environment)
        project = json.loads(output("meson", "introspect", build, "--projectinfo"))
        used = {s["name"] for s in project["subprojects"]}
        assert used == set(REPOSITORIES), f"subprojects in use: {used}"

        targets = [line.split(":")[0] for line
                   in output("ninja", "-C", build, "-t", "targets", "all").splitlines()]
        objects = [t for t in targets if t.endswith(tuple(COMPILED))]
        assert len(objects) == len(COMPILED), objects
        run("ninja", "-C", build, *objects)
        read = output("ninja", "-C", build, "-t", "deps", *objects)
        for name in set(REPOSITORIES) - {"google-benchmark"}:
            assert f"subprojects/{name}/" in read, f"{name} was not read from its subproject"


if __name__ == "__main__":
    main(*sys.argv[1:])
