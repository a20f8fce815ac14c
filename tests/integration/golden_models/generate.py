#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The golden models as constants: generate.py GOLDEN CTQ EMBED DATA OUTPUT...

`golden --write-fx` writes them, `ctq import` makes headers of them, embed.py of their mappings.
Each OUTPUT is a source that registers its share of the models, and for the rest the reason why
they are none in C++. What belongs to a model lies beside the first of them.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

GOLDEN, CTQ, EMBED, DATA, *OUTPUTS = (Path(a).resolve() for a in sys.argv[1:])
FOLDER = OUTPUTS[0].parent
BACKENDS = {"native", "fbgemm", "qnnpack", "onednn", "x86", "executorch", "tensorrt"}


def import_model(case):
    """Writes the two headers of a case; gives its registration."""
    name = case["name"]
    if "reason" in case:
        return None, case["reason"]
    if case["backend"] not in BACKENDS:
        return None, f"its backend {case['backend']} is no type of ctq"
    space = "golden_" + re.sub(r"\W", "_", name)
    done = subprocess.run([CTQ, "import", "--fx", f"{name}.json", "-o", f"{name}.hpp", "--name",
                           "model", "--namespace", space],
                          cwd=FOLDER, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip().removeprefix(f"{name}.json: error: ")
    subprocess.run([sys.executable, EMBED, f"{name}.mapping.json", f"{name}.mapping.hpp",
                    f"{space}_json"], cwd=FOLDER, check=True)
    code = f'#include "{name}.hpp"\n#include "{name}.mapping.hpp"\n'
    code += f"namespace {space} {{\n"
    code += f"struct mapping : ctq::mapping_from_json<{space}_json> {{}};\n}}\n"
    return code, f"golden_models::check<{space}::model, ctq::{case['backend']}, {space}::mapping>"


def text(words):
    return json.dumps(words)  # an ASCII string is the same in C++


def main():
    subprocess.run([GOLDEN, DATA, "--write-fx", FOLDER], check=True)
    cases = json.loads((FOLDER / "cases.json").read_text())
    for part, output in enumerate(OUTPUTS):
        before, entries = "", ""
        for case in cases[part::len(OUTPUTS)]:
            code, words = import_model(case)
            before += code or ""
            entry = f"{words}, {{}}" if code else f"nullptr, {text(words)}"
            entries += f"    {{{text(case['name'])}, {entry}}},\n"
        output.write_text(
            f'#include "golden_model.hpp"\n{before}'
            f"static const golden_models::registration models{{\n{entries}}};\n")


main()
