#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of PyTorch's dynamic LSTM of `bench ops`: hidden 256, 100 steps, batch 1, one thread."""

import os
import time

import torch

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
torch.set_num_threads(1)
torch.manual_seed(1)
STEPS, WIDTH, ROUNDS = 100, 256, 60

lstm = torch.nn.LSTM(WIDTH, WIDTH).eval()
dynamic = torch.quantization.quantize_dynamic(lstm, {torch.nn.LSTM})
if not isinstance(dynamic, torch.nn.quantized.dynamic.LSTM):  # a root is not replaced
    dynamic = torch.quantization.quantize_dynamic(torch.nn.Sequential(lstm), {torch.nn.LSTM})[0]
x = torch.randn(STEPS, 1, WIDTH)
seconds = []
with torch.no_grad():
    for _ in range(ROUNDS):
        start = time.perf_counter()
        dynamic(x)
        seconds.append(time.perf_counter() - start)
seconds.sort()
print(f"dynamic LSTM of PyTorch {torch.__version__}, {torch.backends.quantized.engine}: "
      f"{seconds[len(seconds) // 2] * 1e6:.0f} us, median")
