#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of networks.py, compiled and in run-time graphs, against PyTorch's numbers.

Each is traced, imported as a constant, compiled with the library of compiled kernels, calibrated, and
run. Its bytes are those of the scalar interpreter. Its signal-to-noise ratio against the float model,
the mean over seeds of weights and inputs, is at most half a decibel below that of PyTorch's reference
model (convert_to_reference_fx), and so is that of the run-time graph.

Without PyTorch the test is skipped; without torchvision its networks are.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PYTHON = "/usr/bin/python3"  # the one that has Debian's PyTorch
HERE = Path(__file__).resolve().parent
SEEDS = 3
ALLOWED_DECIBELS = 0.5
FLOAT_DECIBELS = 80.0  # two float models differ by rounding alone
# Those that fewer than all machines can build.
LIST = """
import networks
try:
    import torchvision
except ImportError:
    torchvision = None
for name in networks.NETWORKS:
    if torchvision or name not in networks.OF_TORCHVISION:
        print(name)
"""
SOURCE = """#include "compiled.hpp"
#include "{name}.hpp"
int main(int count, char** stems) {{ return networks::report<network::model>(count, stems); }}
"""
HEAD = """| network | ctq, dB | PyTorch, dB | compiled in, s | memory, MB | run, int8, ms | evaluator, int8, ms | float, ms |
|---|---|---|---|---|---|---|---|
"""
BEGIN, END = "<!-- tests/networks/run.py --markdown -->\n", "<!-- end -->\n"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--traced", required=True, help="the program of traced.cpp")
    parser.add_argument("--exporter", required=True, help="tools/export_fx.py")
    parser.add_argument("--ctq", required=True, help="the command-line tool")
    parser.add_argument("--compile", required=True, nargs="+", metavar="WORD",
                        help="compiler and options, in one argument or several")
    parser.add_argument("--link", required=True, nargs="+", metavar="FILE",
                        help="the interpreter of oracle.cpp and the library ctq-kernels")
    parser.add_argument("--only", action="append", metavar="NAME", help="not all networks")
    parser.add_argument("--keep", metavar="DIR", help="where to keep files; what is there is not made again")
    parser.add_argument("--markdown", metavar="PAGE", help="write the results into this page")
    return parser.parse_args()


def measured(command, **options):
    """Runs a command; its seconds of processor time and the most memory of a process, in MB."""
    with subprocess.Popen(command, **options) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def lines_of(command):
    """What a program prints: a JSON object in each line."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def build(options, folder, name):
    """The program of a network, and what it cost."""
    subprocess.run([PYTHON, HERE / "torch_answers.py", options.exporter, folder, name, str(SEEDS)],
                   check=True)
    subprocess.run([options.ctq, "import", "--fx", f"{name}.json", "-o", f"{name}.hpp", "--name",
                    "model", "--namespace", "network"], cwd=folder, check=True)
    (folder / f"{name}.cpp").write_text(SOURCE.format(name=name))
    seconds, megabytes = measured([*options.compile, f"-I{HERE}", "-c", f"{name}.cpp", "-o", f"{name}.o"],
                                  cwd=folder, env=os.environ | {"CCACHE_DISABLE": "1"})
    subprocess.run([*options.compile, f"{name}.o", *options.link, "-o", name], cwd=folder, check=True)
    return {"seconds": seconds, "megabytes": megabytes}


def judge(options, folder, name):
    """All numbers of a network, and what is wrong with them."""
    cost = folder / f"{name}.cost.json"
    if not cost.exists():
        cost.write_text(json.dumps(build(options, folder, name)))
    stems = [str(folder / f"{name}.{seed}") for seed in range(SEEDS)]
    compiled = lines_of([folder / name, *stems])
    evaluated = lines_of([options.traced, folder / f"{name}.json", *stems])

    def mean(rows, key):
        return statistics.fmean(row[key] for row in rows)

    found = json.loads(cost.read_text()) | {
        "ctq": mean(compiled, "ctq"), "evaluator": mean(evaluated, "ctq"),
        "torch": mean(compiled, "torch"), "float": min(row["float"] for row in evaluated),
        "ms": min(row["ms"] for row in compiled),
        "evaluator_ms": min(row["ms"] for row in evaluated),
        "float_ms": min(row["float_ms"] for row in evaluated)}
    wrong = []
    trace = HERE / "traces" / f"{name}.json"
    if trace.exists() and trace.read_text() != (folder / trace.name).read_text():
        wrong.append(f"{trace} is not what {options.exporter} writes")
    if len(compiled) != SEEDS or not all(row["equal"] for row in compiled):
        wrong.append("its bytes are not the interpreter's")
    for what in "ctq", "evaluator":
        if not found[what] >= found["torch"] - ALLOWED_DECIBELS:
            wrong.append(f"{what}: {found[what]:.2f} dB, PyTorch {found['torch']:.2f} dB")
    if not found["float"] >= FLOAT_DECIBELS:
        wrong.append(f"the float model is {found['float']:.1f} dB from PyTorch's")
    return found, wrong


def row_of(name, r):
    return (f"| {name} | {r['ctq']:.1f} | {r['torch']:.1f} | {r['seconds']:.0f} | "
            f"{r['megabytes']:.0f} | {r['ms']:.3g} | {r['evaluator_ms']:.3g} | {r['float_ms']:.3g} |\n")


def write_page(page, results):
    before, rest = page.read_text().split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    table = HEAD + "".join(row_of(name, r) for name, r in results.items())
    page.write_text(before + BEGIN + table + END + after)


def main():
    options = arguments()
    if len(options.compile) == 1:
        options.compile = options.compile[0].split()
    listed = subprocess.run([PYTHON, "-W", "ignore", "-c", LIST], cwd=HERE, capture_output=True,
                            text=True, check=False)
    if listed.returncode != 0:
        sys.exit(77)
    results, failed = {}, []
    for name in listed.stdout.split():
        if options.only and name not in options.only:
            continue
        folder = Path(options.keep or tempfile.mkdtemp())
        folder.mkdir(parents=True, exist_ok=True)
        try:
            results[name], wrong = judge(options, folder, name)
            print(row_of(name, results[name]), end="", flush=True)
        except (subprocess.CalledProcessError, ValueError) as error:
            wrong = [str(error)]
        finally:
            if not options.keep:
                shutil.rmtree(folder)
        for words in wrong:
            print(f"{name}: {words}", flush=True)
            failed.append(name)
    if failed or not results:
        sys.exit(f"wrong: {' '.join(dict.fromkeys(failed)) or 'no network was run'}")
    if options.markdown:
        write_page(Path(options.markdown), results)


main()
