#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The words of specs for libFuzzer: make_dictionary.py SOURCE_ROOT OUTPUT

Keys and values of the JSON Schemas, and the names of the ops of PyTorch's native backend.
"""

import json
import re
import sys
from pathlib import Path

root, output = map(Path, sys.argv[1:])
native = root / "tests/golden/data/torch_2_1/backend_configs/native.json"
words = set(re.findall(r'"(torch\.[\w.]+|_operator\.\w+)"', native.read_text()))


def collect(schema):
    if isinstance(schema, dict):
        words.update(schema.get("properties", {}))
        words.update(word for word in schema.get("enum", ()) if isinstance(word, str))
        for value in schema.values():
            collect(value)
    elif isinstance(schema, list):
        for value in schema:
            collect(value)


for name in ("backend_config", "qconfig_mapping", "custom_config"):
    collect(json.loads((root / f"tools/schema/{name}.schema.json").read_text()))
observer = (root / "include/ctq/spec/observer.hpp").read_text()
words.update(re.findall(r'"(\w+(?:Observer|Quantize))"', observer))
lines = [f'"\\"{word}\\""' for word in sorted(words)]
lines += ['"MatchAllNode"', '"sequential_wrapper2"', '": null"', '": true"', '"1e39"', '"-127"']
output.write_text("\n".join(lines) + "\n")
