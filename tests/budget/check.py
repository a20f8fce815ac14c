#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan costs the compiler: check.py INCLUDE_DIRECTORY -- COMPILER [FLAG]...

Compiles the plan of residual networks of 20, 200 and 1000 nodes under the compiler's default limits.
With 200 nodes the memory must stay under 200 MB; no symbol may have more than 400 characters, nor
more in a larger network. Time, and the memory of 1000 nodes, are printed, not judged.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

LONGEST_SYMBOL = 400
MEGABYTES = 200
include, _, *compiler = sys.argv[1:]


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


def source(nodes):
    return f"""
#include "ctq/backends/x86.hpp"
#include "ctq/passes/plan.hpp"
using namespace ctq;
using namespace ctq::literals;
inline constexpr auto net = model({", ".join(network(nodes))});
struct int8 : qconfig_mapping<global<qconfig<histogram_observer<>,
                                             per_channel_min_max_observer<>>>> {{}};
using p = plan<net, x86, int8>;
static_assert(p::int8_schedule.count > 0);
const void* used() {{ return sizeof(p) > 0 ? &p::int8_schedule : nullptr; }}
"""


def cost(nodes, folder):
    """User seconds, megabytes and the longest symbol of one compilation."""
    file, obj = Path(folder, "net.cpp"), Path(folder, "net.o")
    file.write_text(source(nodes))
    command = [*compiler, "-std=c++20", "-O1", "-I", include, "-c", file, "-o", obj]
    measure = ("import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); "
               "use = resource.getrusage(resource.RUSAGE_CHILDREN); "
               "print(use.ru_utime, use.ru_maxrss); sys.exit(code)")
    done = subprocess.run([sys.executable, "-c", measure, *command], text=True,
                          capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{nodes} nodes do not compile:\n{done.stderr[:4000]}")
    seconds, kilobytes = map(float, done.stdout.split())
    symbols = subprocess.run(["nm", obj], text=True, capture_output=True, check=True).stdout.split()
    return seconds, kilobytes / 1024, max(map(len, symbols))


with tempfile.TemporaryDirectory() as temporary:
    costs = {nodes: cost(nodes, temporary) for nodes in (20, 200, 1000)}
for nodes, (seconds, megabytes, symbol) in costs.items():
    print(f"{nodes:5} nodes: {seconds:.2f} s user, {megabytes:.0f} MB, longest symbol {symbol}")
no_longer = all(symbol <= min(LONGEST_SYMBOL, costs[20][2]) for _, _, symbol in costs.values())
sys.exit(not (no_longer and costs[200][1] <= MEGABYTES))
