# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of this example, with random weights. net.json and net.safetensors are made with

    ../../tools/export_fx.py net:Net --input 1,3,32,32 -o net.json
"""

import torch
from torch import nn


class Block(nn.Module):
    """Two convolutions beside a shortcut."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, groups=outputs)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride=stride)
        self.relu2 = nn.ReLU()

    def forward(self, x):
        y = self.conv2(self.relu1(self.bn1(self.conv1(x))))
        return self.relu2(y + self.shortcut(x))


class Net(nn.Module):
    def __init__(self):
        torch.manual_seed(1)
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.act = nn.Hardswish()
        self.block = Block(8, 16, stride=2)
        self.pool = nn.AvgPool2d(2)
        self.head = nn.Linear(16 * 4 * 4, 10)

    def forward(self, x):
        x = self.block(self.act(self.stem(x)))
        return self.head(torch.flatten(self.pool(x), 1))
