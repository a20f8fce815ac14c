#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are no specs: nasty.py CTQ

Whatever it is given, ctq check, show and diff end by themselves with 1 or 2, and take less than
200 MB. No time is judged: machines differ.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

MEGABYTES = 200
LIMIT = 4 << 20  # longer files are refused
ACTIVATION = {"input_dtype": "torch.quint8", "output_dtype": "torch.quint8"}
WRONG = {"pattern": "torch.nn.Linear", "observation_type": "OUTPUT_SHARE_OBSERVER_WITH_INPUT"}


def spec(configs, **more):
    return json.dumps({"name": "npu", **more, "configs": configs}).encode()


def filled(before, piece, after):
    """Just below the size at which files are refused."""
    return before + piece * ((LIMIT - len(before) - len(after)) // len(piece)) + after


def trees(count):
    """Patterns that only their last element tells apart."""
    ops = ["torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Conv3d", "torch.nn.Linear"]
    for i in range(count):
        yield {"pattern_complex_format": ["torch.cat", *(
            ops[i >> 2 * k & 3] for k in range(7))], "dtype_configs": [ACTIVATION]}


def files():
    good = spec([{"pattern": "torch.nn.ReLU", "dtype_configs": [ACTIVATION]}])
    yield "empty", b""
    yield "truncated", good[:len(good) // 2]
    yield "every byte", bytes(range(256)) * 100
    yield "invalid utf-8", good.replace(b"npu", b"\xff\xfe\xc0\x80")
    yield "nan", good.replace(b'"npu"', b"NaN")
    yield "infinite number", good.replace(b'"npu"', b"1e999999999")
    yield "long number", good.replace(b'"npu"', b"1" * 1000000)
    yield "duplicate keys", b'{"name": "a", "name": "b", "configs": [], "configs": []}'
    yield "10000 levels", b"[" * 10000 + b"]" * 10000
    yield "levels without end", b"[" * LIMIT
    yield "objects without end", b'{"a":' * (LIMIT // 5)
    yield "50 MB", b" " * (50 << 20)
    yield "50 MB of a spec", filled(b'{"name": "npu", "configs": [', b"{}, ", b"{}]}") * 13
    yield "one byte too many", filled(good, b" ", b"") + b" " * 200
    yield "zeros", filled(b"[", b"0,", b"0]")
    yield "empty arrays", filled(b"[", b"[],", b"0]")
    yield "one string", filled(b'"', b"a", b'"')
    yield "escapes", filled(b'{"name": "', b"\\u0041", b'", "configs": [0]}')
    yield "unknown keys", filled(b'{"name": "npu", "configs": [{', b'"patern":1,', b'"a":1}]}')
    yield "unknown keys of the file", filled(b"{", b'"config":1,', b'"name": "npu"}')
    yield "repeated keys", filled(b'{"name": "npu", "configs": [{', b'"pattern":1,', b'"a":1}]}')
    yield "unknown ops", filled(b'{"name": "npu", "configs": [{"pattern": [',
                                b'"torch.nn.Conv9d",', b'"a"]}]}')
    row = b'{"name": "npu", "configs": [{"pattern": "relu", '
    yield "unknown dtypes", filled(row + b'"dtype_configs": [', b'{"input_dtype": "quint9"},',
                                   b"{}]}]}")
    yield "empty configs", filled(b'{"name": "npu", "configs": [', b"{},", b"0]}")
    yield "declared ops", spec([0], ops=[f"my.op{i}" for i in range(250000)])
    yield "the same op", filled(b'{"name": "npu", "configs": [0], "ops": [', b'"a",', b'"a"]}')
    yield "1024 declared ops", spec([{"pattern": ["my.op1023"] * 63} for _ in range(4096)],
                                    ops=[f"my.op{i}" for i in range(1024)])
    yield "4096 trees of one op", spec(list(trees(4095)) + [WRONG])
    yield "4096 equal patterns", spec([{"pattern": "relu"}] * 4096)
    yield "4096 overlapping patterns", spec(
        [{"pattern_complex_format": ["torch.cat", *["MatchAllNode"] * 60, f"my.op{i % 1000}"]}
         for i in range(4095)] + [WRONG], ops=[f"my.op{i}" for i in range(1000)])
    yield "4096 times 64 dtype configs", spec(
        [{"pattern": ["relu"] * (1 + i % 64), "dtype_configs": [{}] * (1 + i % 64)}
         for i in range(4096)] + [0])
    yield "4096 lists of dtype configs", spec(
        [{"pattern": "relu", "dtype_configs": [{"input_dtype": {"quant_min_lower_bound": i}}] * 15}
         for i in range(4096)])
    yield "paths", filled(row + b'"extra_inputs_getter": [', b"[9,9],", b"[1]]}]}")
    yield "mapping rows", filled(b'{"": null, "object_type": [', b'["a",null],', b'["relu",0]]}')
    yield "mapping regexes", filled(b'{"": null, "module_name_regex": [', b'["((((",null],', b"0]}")
    for name, regex in [("alternatives", "a|" * 127 + "a"), ("stars", "(a*)*" * 51),
                        ("groups", "(" * 128 + ")" * 128), ("questions", "(a?)?" * 51)]:
        yield f"mapping regexes, {name}", json.dumps(
            {"": None, "module_name_regex": [[regex, None]] * 2047 + [["(", None]]}).encode()
    yield "mapping nested regex", filled(b'{"": null, "module_name_regex": [["', b"(", b'", null]]}')


@contextlib.contextmanager
def as_file(folder, content):
    path = Path(folder, "nasty.json")
    path.write_bytes(content)
    yield path
    path.unlink()


# Standard input is a pipe that a child process fills, so that its memory is not ours.
MEASURE = """\
import os, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                      stdin=subprocess.DEVNULL, timeout=120)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
      resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime)
"""


def measure(*command):
    done = subprocess.run([sys.executable, "-c", MEASURE, *map(str, command)], capture_output=True,
                          text=True, check=True)
    code, megabytes, seconds = done.stdout.split()
    return int(code), int(megabytes), float(seconds)


def judge(name, what, path, commands):
    for command in commands:
        code, megabytes, seconds = measure(*command, *path)
        print(f"{name} ({what}) {command[1]}: {code}, {megabytes} MB, {seconds:.2f} s", flush=True)
        if code not in (1, 2) or megabytes > MEGABYTES:
            yield f"{name}: {command[1]} exits with {code} and takes {megabytes} MB"


def main(ctq):
    checks = [[ctq, "check"]]
    readers = [[ctq, "check"], [ctq, "show"], [ctq, "diff", "x86"]]
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files():
            with as_file(folder, content) as path:
                problems += judge(name, f"{len(content)} bytes", [path], checks)
        pipe = Path(folder, "pipe.json")
        os.mkfifo(pipe)
        for name, path in [("a folder", folder), ("nothing", Path(folder, "nothing.json")),
                           ("a pipe", pipe), ("an endless device", "/dev/zero"),
                           ("an empty device", "/dev/null"), ("no name", "")]:
            problems += judge(name, "no file", [path], readers)
        problems += judge("no file", "no file", [], checks)
        secret = Path(folder, "secret.json")
        secret.write_text("{}")
        secret.chmod(0)
        problems += judge("an unreadable file", "2 bytes", [secret], checks)
    print(*problems, sep="\n")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
