#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast PyTorch trains the network of this example with the fake quantizes of qat.cpp.

Run as `python3 qat_torch.py`: one thread, batches of 32. It needs PyTorch 1.13, Debian's python3-torch.
The images are random numbers, on which the time does not depend.
"""

import argparse
import time

import torch
from torch.ao.quantization import FakeQuantize, QConfig, QConfigMapping
from torch.ao.quantization.observer import (MovingAverageMinMaxObserver,
                                            MovingAveragePerChannelMinMaxObserver)
from torch.ao.quantization.quantize_fx import prepare_qat_fx
from torch.nn import functional as F

from train import FashionNet


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--steps", type=int, default=30)
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    images, labels = torch.randn(args.batch, 1, 28, 28), torch.randint(10, (args.batch,))
    activation = FakeQuantize.with_args(observer=MovingAverageMinMaxObserver, quant_min=0,
                                        quant_max=255, dtype=torch.quint8)
    weight = FakeQuantize.with_args(observer=MovingAveragePerChannelMinMaxObserver, quant_min=-7,
                                    quant_max=7, dtype=torch.qint8, averaging_constant=1.0,
                                    qscheme=torch.per_channel_symmetric)
    mapping = QConfigMapping().set_global(QConfig(activation=activation, weight=weight))
    model = prepare_qat_fx(FashionNet().train(), mapping, (images,))
    sgd = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)

    def steps(count: int) -> None:
        for _ in range(count):
            loss = F.cross_entropy(model(images), labels)
            sgd.zero_grad()
            loss.backward()
            sgd.step()

    steps(3)
    start = time.perf_counter()
    steps(args.steps)
    speed = args.steps * args.batch / (time.perf_counter() - start)
    print(f"PyTorch {torch.__version__}, one thread: {speed:.0f} training images a second")


if __name__ == "__main__":
    main()
