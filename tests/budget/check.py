#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What plans and specs cost the compiler: check.py SOURCE_ROOT -- COMPILER [FLAG]...

Compiles the plan of residual networks of 20, 200 and 1000 nodes, the last also with the largest of
PyTorch's backends, under the compiler's default limits: the memory must stay under 200 MB, under 150
up to 200 nodes; no symbol may have 200 characters, nor more in a larger network. Then that backend:
as a type that is checked (150 MB), from a JSON file, and there and back (450 MB). Time is printed,
not judged.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

LONGEST_SYMBOL = 199
NETWORKS = [(20, "x86", 150), (200, "x86", 150), (1000, "x86", 200), (1000, "native", 200)]
root, _, *compiler = sys.argv[1:]
include = Path(root, "include")


def network(nodes):
    """conv, bn, relu, conv, bn, add, relu again and again: the rows of ctq::model."""
    rows, last = ['"x"_n = nn::placeholder({1, 8, 14, 14})'], "x"
    conv = "{.out_channels = 8, .kernel_size = 3, .padding = 1}"
    for block in range((nodes - 2) // 7):
        b = f"layer{block}"
        rows += [f'"{b}.conv1"_n = nn::conv2d("{last}"_n, {conv})',
                 f'"{b}.bn1"_n = nn::batch_norm2d("{b}.conv1"_n)',
                 f'"{b}.relu1"_n = nn::relu("{b}.bn1"_n)',
                 f'"{b}.conv2"_n = nn::conv2d("{b}.relu1"_n, {conv})',
                 f'"{b}.bn2"_n = nn::batch_norm2d("{b}.conv2"_n)',
                 f'"{b}.add"_n = op::add("{b}.bn2"_n, "{last}"_n)',
                 f'"{b}.relu2"_n = nn::relu("{b}.add"_n)']
        last = f"{b}.relu2"
    rows.append(f'"out"_n = nn::output("{last}"_n)')
    return rows


def source(nodes, backend):
    return f"""
#include "ctq/backends/{backend}.hpp"
#include "ctq/passes/plan.hpp"
using namespace ctq;
using namespace ctq::literals;
inline constexpr auto net = model({", ".join(network(nodes))});
struct int8 : qconfig_mapping<global<qconfig<histogram_observer<>,
                                             per_channel_min_max_observer<>>>> {{}};
using p = plan<net, {backend}, int8>;
static_assert(p::int8_schedule.count > 0);
const void* used() {{ return sizeof(p) > 0 ? &p::int8_schedule : nullptr; }}
"""


SPECS = {
    "native": (150, """
#include "ctq/backends/native.hpp"
#include "ctq/spec/validate.hpp"
ctq::checked_backend<ctq::native> checked;
"""),
    "native.json": (350, """
#include "native.json.hpp"
#include "ctq/json/spec_from_json.hpp"
struct spec : ctq::spec_from_json<native_json> {};
ctq::checked_backend<spec> checked;
"""),
    "native.json and back": (450, """
#include "native.json.hpp"
#include "ctq/backends/native.hpp"
#include "ctq/json/spec_from_json.hpp"
#include "ctq/json/to_json.hpp"
struct spec : ctq::spec_from_json<native_json> {};
ctq::checked_backend<spec> checked;
static_assert(ctq::same_text(ctq::to_json<spec>(), native_json.text));
static_assert(ctq::backend_v<spec> == ctq::backend_v<ctq::native>);
"""),
}


def cost(name, text, folder):
    """User seconds, megabytes and the longest symbol of one compilation."""
    file, obj = Path(folder, "file.cpp"), Path(folder, "file.o")
    file.write_text(text)
    command = [*compiler, "-std=c++20", "-O1", "-I", include, "-I", folder, "-c", file, "-o", obj]
    measure = ("import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); "
               "use = resource.getrusage(resource.RUSAGE_CHILDREN); "
               "print(use.ru_utime, use.ru_maxrss); sys.exit(code)")
    # Meson has malloc fill memory, which then counts although the compiler does not use it.
    plain = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}
    done = subprocess.run([sys.executable, "-c", measure, *command], text=True, env=plain,
                          capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{name} does not compile:\n{done.stderr[:4000]}")
    seconds, kilobytes = map(float, done.stdout.split())
    symbols = subprocess.run(["nm", obj], text=True, capture_output=True, check=True).stdout.split()
    megabytes, symbol = kilobytes / 1024, max(map(len, symbols))
    print(f"{name}: {seconds:.2f} s user, {megabytes:.0f} MB, longest symbol {symbol}")
    return megabytes, symbol


with tempfile.TemporaryDirectory() as temporary:
    costs = [(backend, limit, *cost(f"{nodes} nodes, {backend}", source(nodes, backend), temporary))
             for nodes, backend, limit in NETWORKS]
    table = Path(root, "tests/golden/data/torch_2_1/backend_configs/native.json")
    subprocess.run([sys.executable, Path(root, "tools/embed/embed.py"), table,
                    Path(temporary, "native.json.hpp")], check=True)
    specs_fit = all(cost(name, text, temporary)[0] <= limit for name, (limit, text) in SPECS.items())
smallest = {backend: symbol for backend, _, _, symbol in reversed(costs)}
no_longer = all(symbol <= min(LONGEST_SYMBOL, smallest[backend]) for backend, _, _, symbol in costs)
networks_fit = all(megabytes <= limit for _, limit, megabytes, _ in costs)
sys.exit(not (no_longer and specs_fit and networks_fit))
