#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes torch_cases.inc, what PyTorch answers to the calls below: make_torch_cases.py > torch_cases.inc

Made with PyTorch 1.13 (Debian python3-torch 1.13.1). The calls are Python, and are read by
torch_cases.hpp too: t(seed, extents…) is a tensor, p() a positive one, i(limit, …) one of integers
in [0, limit). A module is written module(constructor)(arguments); its tensors, which get
deterministic values here, follow as `with`.
"""

import re
import sys
import warnings

import numpy as np
import torch

warnings.filterwarnings("ignore")

CALLS = """
torch.nn.Conv1d(in_channels=4, out_channels=6, kernel_size=3, stride=2, padding=1, dilation=2, groups=2)(t(1, 2, 4, 9))
torch.nn.Conv1d(in_channels=2, out_channels=3, kernel_size=4, padding='same', bias=False)(t(1, 1, 2, 6))
torch.nn.Conv1d(in_channels=2, out_channels=2, kernel_size=3, padding=2, padding_mode='circular')(t(2, 1, 2, 5))
torch.nn.Conv2d(in_channels=3, out_channels=4, kernel_size=3, stride=2, padding=1)(t(1, 2, 3, 5, 6))
torch.nn.Conv2d(in_channels=3, out_channels=4, kernel_size=(2, 3), stride=(1, 2), padding=(0, 2), dilation=(2, 1))(t(1, 1, 3, 5, 6))
torch.nn.Conv2d(in_channels=4, out_channels=4, kernel_size=3, groups=4, bias=False)(t(1, 1, 4, 4, 5))
torch.nn.Conv2d(in_channels=3, out_channels=5, kernel_size=1)(t(1, 2, 3, 2, 3))
torch.nn.Conv2d(in_channels=2, out_channels=3, kernel_size=3)(t(4, 2, 4, 4))
torch.nn.Conv2d(in_channels=2, out_channels=2, kernel_size=3, padding=(1, 2), padding_mode='reflect')(t(1, 1, 2, 4, 4))
torch.nn.Conv2d(in_channels=2, out_channels=2, kernel_size=(3, 2), padding='same', padding_mode='replicate')(t(1, 1, 2, 3, 4))
torch.nn.Conv3d(in_channels=2, out_channels=2, kernel_size=2, padding=1, stride=(1, 2, 2))(t(1, 1, 2, 2, 3, 4))
torch.nn.ConvTranspose1d(in_channels=4, out_channels=6, kernel_size=3, stride=2, padding=1, output_padding=1, groups=2, dilation=2)(t(1, 1, 4, 4))
torch.nn.ConvTranspose2d(in_channels=2, out_channels=3, kernel_size=3, stride=2)(t(1, 1, 2, 2, 3))
torch.nn.ConvTranspose2d(in_channels=2, out_channels=3, kernel_size=3, stride=2, padding=1, bias=False)(t(1, 1, 2, 2, 3), output_size=[4, 6])
torch.nn.ConvTranspose3d(in_channels=2, out_channels=2, kernel_size=2, stride=2, padding=1)(t(1, 1, 2, 2, 2, 3))
torch.nn.functional.conv1d(t(1, 1, 2, 6), t(2, 3, 2, 3), None, 1, 2)
torch.nn.functional.conv2d(t(1, 1, 4, 4, 4), t(2, 2, 2, 3, 3), t(3, 2), (1, 2), padding=1, groups=2)
torch.nn.functional.conv2d(t(1, 1, 2, 4, 4), t(2, 2, 2, 2, 3), padding='valid')
torch.nn.functional.conv3d(t(1, 1, 1, 3, 3, 3), t(2, 2, 1, 2, 2, 2), t(3, 2), dilation=2)
torch.nn.functional.conv_transpose1d(t(1, 1, 2, 3), t(2, 2, 2, 3), t(3, 2), 2)
torch.nn.functional.conv_transpose2d(t(1, 1, 2, 2, 2), t(2, 2, 1, 3, 3), None, 2, 1, 1)
torch.nn.functional.conv_transpose3d(t(1, 1, 2, 1, 2, 2), t(2, 2, 1, 2, 2, 2))
torch.nn.Linear(in_features=11, out_features=4)(t(1, 3, 11))
torch.nn.Linear(in_features=4, out_features=3, bias=False)(t(1, 2, 2, 4))
torch.nn.functional.linear(t(1, 2, 5), t(2, 3, 5), t(3, 3))
torch.nn.functional.linear(t(1, 5), t(2, 3, 5))
torch.addmm(t(1, 3), t(2, 2, 4), t(3, 4, 3), beta=0.5, alpha=2)
torch.matmul(t(1, 2, 3), t(2, 3, 4))
torch.matmul(t(1, 2, 1, 2, 3), t(2, 3, 3, 2))
torch.matmul(t(1, 3), t(2, 2, 3, 2))
torch.matmul(t(1, 2, 2, 3), t(2, 3))
torch.matmul(t(1, 3), t(2, 3))
_operator.matmul(t(1, 2, 3), t(2, 3, 2))
method.matmul(t(1, 2, 3), t(2, 3, 2))
torch.bmm(t(1, 2, 2, 3), t(2, 2, 3, 2))
method.bmm(t(1, 2, 2, 3), t(2, 2, 3, 2))
torch.nn.BatchNorm1d(num_features=3)(t(1, 2, 3, 4))
torch.nn.BatchNorm1d(num_features=3, affine=False)(t(1, 4, 3))
torch.nn.BatchNorm1d(num_features=3, track_running_stats=False)(t(1, 4, 3))
torch.nn.BatchNorm2d(num_features=3, eps=0.01)(t(1, 2, 3, 2, 2))
torch.nn.BatchNorm3d(num_features=2)(t(1, 1, 2, 2, 2, 2))
torch.nn.functional.batch_norm(t(1, 2, 3, 2), t(2, 3), p(3, 3), t(4, 3), t(5, 3))
torch.nn.LayerNorm(normalized_shape=[3, 4])(t(1, 2, 3, 4))
torch.nn.LayerNorm(normalized_shape=4, elementwise_affine=False)(t(1, 3, 4))
torch.nn.functional.layer_norm(t(1, 2, 6), [6], t(2, 6), None, 0.001)
torch.nn.GroupNorm(num_groups=2, num_channels=4)(t(1, 2, 4, 3))
torch.nn.functional.group_norm(t(1, 2, 6, 2, 2), 3, t(2, 6), t(3, 6))
torch.nn.InstanceNorm1d(num_features=3)(t(1, 2, 3, 5))
torch.nn.InstanceNorm1d(num_features=3, affine=True)(t(1, 3, 5))
torch.nn.InstanceNorm2d(num_features=2, affine=True)(t(1, 2, 2, 3, 2))
torch.nn.InstanceNorm2d(num_features=2, affine=True, track_running_stats=True)(t(1, 2, 2, 3, 2))
torch.nn.InstanceNorm3d(num_features=2)(t(1, 1, 2, 2, 2, 2))
torch.nn.functional.instance_norm(t(1, 2, 2, 6), weight=t(2, 2), bias=t(3, 2))
torch.nn.functional.instance_norm(t(1, 2, 2, 3), t(2, 2), p(3, 2), use_input_stats=False)
torch.nn.ReLU()(t(1, 9))
torch.nn.ReLU(inplace=True)(t(1, 9))
torch.nn.functional.relu(t(1, 9), inplace=False)
torch.relu(t(1, 9))
method.relu(t(1, 9))
method.relu_(t(1, 9))
torch.nn.ReLU6()(m(1, 4, 9))
torch.nn.functional.relu6(m(1, 4, 9))
torch.nn.LeakyReLU(negative_slope=0.2)(t(1, 9))
torch.nn.LeakyReLU()(t(1, 9))
torch.nn.functional.leaky_relu(t(1, 9), 0.3)
torch.nn.functional.leaky_relu_(t(1, 9), 0.3)
torch.nn.PReLU()(t(1, 9))
torch.nn.PReLU(num_parameters=3)(t(1, 2, 3, 2))
torch.nn.functional.prelu(t(1, 2, 3, 2), t(2, 3))
torch.nn.ELU(alpha=0.7)(t(1, 9))
torch.nn.functional.elu(t(1, 9))
torch.nn.SELU()(t(1, 9))
torch.nn.functional.selu(t(1, 9))
torch.nn.GELU()(t(1, 9))
torch.nn.GELU(approximate='tanh')(t(1, 9))
torch.nn.functional.gelu(t(1, 9), approximate='none')
torch.nn.SiLU()(t(1, 9))
torch.nn.functional.silu(t(1, 9))
torch.nn.Mish()(t(1, 9))
torch.nn.functional.mish(t(1, 9))
torch.nn.Softplus(beta=2, threshold=3)(t(1, 9))
torch.nn.functional.softplus(m(1, 20, 9))
torch.nn.Hardswish()(m(1, 4, 9))
torch.nn.functional.hardswish(m(1, 4, 9))
torch.nn.Hardsigmoid()(m(1, 4, 9))
torch.nn.functional.hardsigmoid(m(1, 4, 9))
torch.nn.Hardtanh()(t(1, 9))
torch.nn.Hardtanh(min_val=-0.5, max_val=1.5)(t(1, 9))
torch.nn.functional.hardtanh(t(1, 9), -0.5, 0.25)
torch.nn.functional.hardtanh_(t(1, 9), max_val=0.25)
torch.nn.Sigmoid()(m(1, 5, 9))
torch.sigmoid(t(1, 9))
torch.nn.functional.sigmoid(t(1, 9))
method.sigmoid(t(1, 9))
method.sigmoid_(t(1, 9))
torch.nn.LogSigmoid()(m(1, 5, 9))
torch.nn.functional.logsigmoid(t(1, 9))
torch.nn.Tanh()(t(1, 9))
torch.tanh(t(1, 9))
torch.nn.functional.tanh(t(1, 9))
method.tanh(t(1, 9))
method.tanh_(t(1, 9))
torch.nn.Softmax(dim=1)(t(1, 2, 4, 2))
torch.nn.Softmax()(t(1, 2, 4))
torch.nn.functional.softmax(t(1, 2, 4), dim=-1)
torch.softmax(t(1, 2, 4), 0)
method.softmax(t(1, 2, 4), dim=1)
torch.nn.LogSoftmax(dim=1)(t(1, 2, 4))
torch.nn.functional.log_softmax(t(1, 2, 4), 1)
torch.log_softmax(t(1, 2, 4), dim=1)
method.log_softmax(t(1, 2, 4), 1)
torch.clamp(t(1, 9), -0.5, 1)
torch.clamp(t(1, 9), max=0.5)
method.clamp(t(1, 9), min=0.25)
torch.exp(t(1, 9))
method.exp(t(1, 9))
torch.log(p(1, 9))
method.log(p(1, 9))
torch.sqrt(p(1, 9))
method.sqrt(p(1, 9))
torch.rsqrt(p(1, 9))
torch.square(t(1, 9))
torch.abs(t(1, 9))
method.abs(t(1, 9))
torch.neg(t(1, 9))
method.neg(t(1, 9))
_operator.neg(t(1, 9))
torch.nn.MaxPool1d(kernel_size=3, stride=2, padding=1, dilation=2)(t(1, 2, 2, 9))
torch.nn.MaxPool2d(kernel_size=2)(t(1, 1, 2, 5, 4))
torch.nn.MaxPool2d(kernel_size=3, stride=2, padding=1, ceil_mode=True)(t(1, 2, 6, 5))
torch.nn.MaxPool3d(kernel_size=2, stride=1)(t(1, 1, 1, 3, 3, 3))
torch.nn.functional.max_pool1d(t(1, 1, 2, 6), 2)
torch.nn.functional.max_pool2d(t(1, 1, 2, 6, 7), (3, 2), ceil_mode=True, return_indices=False)
torch.nn.functional.max_pool3d(t(1, 1, 1, 4, 3, 3), 2, 1)
torch.nn.AvgPool1d(kernel_size=3, padding=1, count_include_pad=False)(t(1, 1, 2, 7))
torch.nn.AvgPool2d(kernel_size=3, stride=2, padding=1)(t(1, 1, 2, 5, 6))
torch.nn.AvgPool2d(kernel_size=3, stride=2, padding=1, ceil_mode=True, count_include_pad=False)(t(1, 1, 2, 6, 5))
torch.nn.AvgPool2d(kernel_size=3, stride=2, padding=1, ceil_mode=True)(t(1, 1, 2, 6, 5))
torch.nn.AvgPool3d(kernel_size=2, divisor_override=3)(t(1, 1, 1, 4, 3, 2))
torch.nn.functional.avg_pool1d(t(1, 1, 2, 6), 2)
torch.nn.functional.avg_pool2d(t(1, 1, 2, 4, 4), 2, 1, 1)
torch.nn.functional.avg_pool3d(t(1, 1, 1, 3, 3, 3), (2, 2, 1))
torch.nn.AdaptiveAvgPool1d(output_size=3)(t(1, 1, 2, 7))
torch.nn.AdaptiveAvgPool2d(output_size=(2, None))(t(1, 1, 2, 5, 3))
torch.nn.AdaptiveAvgPool2d(output_size=1)(t(1, 2, 3, 2, 2))
torch.nn.AdaptiveAvgPool3d(output_size=2)(t(1, 1, 1, 3, 2, 4))
torch.nn.functional.adaptive_avg_pool1d(t(1, 1, 2, 5), 2)
torch.nn.functional.adaptive_avg_pool2d(t(1, 1, 2, 5, 4), (3, 2))
torch.nn.functional.adaptive_avg_pool3d(t(1, 1, 1, 3, 2, 4), (1, None, 3))
torch.nn.AdaptiveMaxPool1d(output_size=3)(t(1, 1, 2, 7))
torch.nn.AdaptiveMaxPool2d(output_size=2)(t(1, 1, 2, 5, 3))
torch.nn.AdaptiveMaxPool3d(output_size=2)(t(1, 1, 1, 3, 2, 4))
torch.nn.functional.adaptive_max_pool1d(t(1, 1, 2, 5), 2)
torch.nn.functional.adaptive_max_pool2d(t(1, 1, 2, 5, 4), (3, 2))
torch.nn.functional.adaptive_max_pool3d(t(1, 1, 1, 3, 2, 4), (1, 2, 3))
torch.nn.ConstantPad2d(padding=(1, 0, 2, -1), value=0.5)(t(1, 1, 3, 3))
torch.nn.ConstantPad1d(padding=(2, -1), value=-0.25)(t(1, 2, 3, 4))
torch.nn.ConstantPad3d(padding=(1, 0, 0, 2, -1, 1), value=2.0)(t(1, 1, 2, 3, 2, 3))
torch.nn.ZeroPad2d(padding=1)(t(1, 1, 2, 2))
torch.nn.ReflectionPad1d(padding=(2, 1))(t(1, 2, 2, 4))
torch.nn.ReflectionPad3d(padding=(1, 1, 0, 1, 1, 0))(t(1, 1, 1, 2, 3, 3))
torch.nn.ReplicationPad1d(padding=(0, 3))(t(1, 2, 2, 3))
torch.nn.ReplicationPad3d(padding=1)(t(1, 1, 2, 2, 2, 2))
torch.nn.ReflectionPad2d(padding=(1, 2, 0, 1))(t(1, 1, 1, 2, 3))
torch.nn.ReplicationPad2d(padding=1)(t(1, 1, 1, 2, 3))
torch.nn.functional.pad(t(1, 2, 3), (1, 2))
torch.nn.functional.pad(t(1, 1, 2, 3), (1, 0, 0, 2), 'constant', 2.5)
torch.nn.functional.pad(t(1, 1, 1, 3, 3), (2, 1, 1, 2), mode='reflect')
torch.nn.functional.pad(t(1, 1, 2, 3), (2, 1), mode='circular')
torch.nn.functional.interpolate(t(1, 1, 2, 3), scale_factor=2)
torch.nn.functional.interpolate(t(1, 1, 1, 3, 4), size=(5, 3))
torch.nn.functional.interpolate(t(1, 1, 1, 3, 4), scale_factor=1.7)
torch.nn.functional.interpolate(t(1, 1, 1, 3, 4), size=5, mode='nearest-exact')
torch.nn.functional.interpolate(t(1, 1, 2, 4), size=7, mode='linear')
torch.nn.functional.interpolate(t(1, 1, 1, 3, 4), size=(5, 7), mode='bilinear', align_corners=False)
torch.nn.functional.interpolate(t(1, 1, 1, 3, 4), scale_factor=(1.5, 2.0), mode='bilinear')
torch.nn.functional.interpolate(t(1, 1, 1, 5, 4), scale_factor=0.7, mode='bilinear', recompute_scale_factor=True)
torch.nn.functional.interpolate(t(1, 1, 1, 3, 4), size=(5, 2), mode='bilinear', align_corners=True)
torch.nn.functional.interpolate(t(1, 1, 1, 2, 2, 3), size=(3, 3, 4), mode='trilinear', align_corners=False)
torch.nn.functional.interpolate(t(1, 1, 1, 2, 2, 3), size=(3, 3, 4), mode='trilinear', align_corners=True)
torch.nn.functional.interpolate(t(1, 1, 1, 2, 2, 3), size=(3, 3, 4))
torch.nn.functional.interpolate(t(1, 1, 1, 3, 4), size=(5, 7), mode='bicubic', align_corners=False)
torch.nn.functional.interpolate(t(1, 1, 1, 5, 4), size=(3, 6), mode='bicubic', align_corners=True)
torch.nn.functional.interpolate(t(1, 1, 1, 3, 4), scale_factor=1.7, mode='bicubic')
torch.nn.functional.interpolate(t(1, 1, 1, 5, 4), size=(2, 3), mode='area')
torch.nn.Upsample(scale_factor=2)(t(1, 1, 1, 2, 2))
torch.nn.PixelShuffle(upscale_factor=2)(t(1, 1, 8, 2, 3))
torch.nn.functional.pixel_shuffle(t(1, 4, 2, 2), 2)
torch.nn.PixelUnshuffle(downscale_factor=2)(t(1, 1, 2, 4, 2))
torch.nn.functional.pixel_unshuffle(t(1, 1, 1, 2, 4), 2)
_operator.add(t(1, 2, 3), t(2, 3))
_operator.add(t(1, 2, 3), 2)
_operator.add(1.5, t(1, 3))
_operator.add(3, 4)
_operator.add((1, 2), (3,))
_operator.sub(t(1, 2, 1), t(2, 1, 3))
_operator.sub(1, t(1, 3))
_operator.mul(t(1, 2, 3), t(2, 2, 3))
_operator.mul(t(1, 2, 3), -0.1)
_operator.mul(i(9, 1, 4), 3)
_operator.floordiv(t(1, 9), 0.3)
_operator.floordiv(t(1, 9), -2)
_operator.floordiv(-7, 2)
_operator.floordiv(i(90, 1, 4), 7)
_operator.truediv(t(1, 3), 3)
_operator.truediv(1, 4)
_operator.truediv(i(90, 1, 4), 7)
_operator.pow(t(1, 9), 2)
_operator.pow(p(1, 9), 0.3)
torch.add(t(1, 2, 3), t(2, 2, 3))
torch.add(t(1, 2, 3), 2, alpha=0.5)
torch.sub(t(1, 2, 3), t(2, 3), alpha=2)
torch.mul(t(1, 2, 3), t(2, 1, 3))
torch.div(t(1, 4), t(2, 4))
torch.div(t(1, 9), 0.3, rounding_mode='floor')
torch.floor_divide(t(1, 9), 0.7)
torch.pow(t(1, 9), 3)
torch.rsub(t(1, 2, 3), 1.5)
torch.rsub(t(1, 2, 3), t(2, 3), alpha=2)
torch.maximum(t(1, 9), t(2, 9))
torch.minimum(t(1, 9), t(2, 9))
method.add(t(1, 4), t(2, 4), alpha=2)
method.add_(t(1, 4), 1)
method.sub(t(1, 4), 1)
method.mul(t(1, 4), t(2, 4))
method.mul_(t(1, 4), 2)
method.div(t(1, 4), 3)
method.pow(t(1, 4), 2)
method.masked_fill(t(1, 2, 3), mask(2, 3), 7.5)
torch.cat([t(1, 2, 2), t(2, 2, 3)], 1)
torch.cat((t(1, 1, 2, 2), t(2, 2, 2, 2), t(3, 1, 2, 2)))
torch.cat([t(1, 2, 2), t(2, 2, 2)], dim=-2)
torch.cat([i(9, 1, 2), i(9, 2, 3)])
torch.concat([t(1, 2), t(2, 3)])
torch.stack([t(1, 2, 2), t(2, 2, 2)])
torch.stack([t(1, 2, 2), t(2, 2, 2)], dim=-1)
torch.nn.Flatten()(t(1, 2, 2, 3))
torch.nn.Flatten(start_dim=0, end_dim=1)(t(1, 2, 2, 3))
torch.flatten(t(1, 2, 2, 3), 1)
torch.flatten(t(1, 2, 2, 3))
method.flatten(t(1, 2, 2, 3), 1, -1)
torch.reshape(t(1, 2, 6), (3, -1))
method.reshape(t(1, 2, 6), 3, 4)
method.reshape(t(1, 2, 6), (-1, 2))
method.view(t(1, 2, 6), -1, 3)
method.view(i(9, 1, 4), 2, 2)
method.resize_(t(1, 2, 3), 3, 2)
torch.permute(t(1, 2, 3, 2), (2, 0, 1))
method.permute(t(1, 2, 3, 2), 0, -1, 1)
torch.transpose(t(1, 2, 3), 0, 1)
method.transpose(t(1, 2, 3, 2), -1, 1)
torch.squeeze(t(1, 1, 3, 1))
torch.squeeze(t(1, 1, 3, 1), 0)
method.squeeze(t(1, 1, 3, 1), dim=1)
method.squeeze_(t(1, 1, 3, 1))
torch.unsqueeze(t(1, 3), 0)
method.unsqueeze(t(1, 3), -1)
method.unsqueeze_(t(1, 3), 1)
method.repeat(t(1, 2, 2), 2, 1)
method.repeat(t(1, 2), 2, 2)
torch.repeat_interleave(t(1, 2, 2), 2)
torch.repeat_interleave(t(1, 2, 2), i(3, 1, 2), dim=0)
method.repeat_interleave(t(1, 2, 2), 2, dim=1)
torch.narrow(t(1, 3, 4), 1, 1, 2)
method.expand(t(1, 1, 3), 2, -1)
method.expand(t(1, 3), 2, 3)
method.contiguous(t(1, 3))
method.clone(t(1, 3))
method.detach(t(1, 3))
method.detach_(t(1, 3))
method.size(t(1, 2, 3))
method.size(t(1, 2, 3), -1)
method.dim(t(1, 2, 3))
builtins.getattr(t(1, 2, 3), 'shape')
builtins.getattr(t(1, 2, 3), 'ndim')
builtins.getattr(t(1, 2, 3), 'T')
_operator.getitem(t(1, 3, 4), 1)
_operator.getitem(t(1, 3, 4), (slice(None, None, None), slice(1, None, 2)))
_operator.getitem(t(1, 3, 4), (slice(None, None, None), -1))
_operator.getitem(t(1, 3, 4), (..., None, 0))
_operator.getitem(t(1, 3, 4), (None, slice(-2, None, None)))
_operator.getitem(t(1, 3, 4), i(3, 1, 2, 2))
_operator.getitem(t(1, 3, 4), (slice(0, 2, None), i(4, 1, 3)))
_operator.getitem((4, 5, 6), 1)
_operator.getitem((4, 5, 6), slice(1, None, None))
torch.chunk(t(1, 5, 2), 2)
method.chunk(t(1, 2, 4), 2, dim=1)
torch.split(t(1, 5, 2), 2)
method.split(t(1, 2, 5), [1, 4], dim=1)
torch.unbind(t(1, 2, 3))
method.unbind(t(1, 2, 3), 1)
torch.mean(t(1, 2, 3))
torch.mean(t(1, 2, 3, 4), (1, -1))
method.mean(t(1, 2, 3, 4), [2], True)
method.mean(t(1, 2, 3), dim=0, keepdim=False)
torch.sum(t(1, 2, 3), 1)
torch.amax(t(1, 2, 3, 4), dim=(0, 2))
torch.amin(t(1, 2, 3), 1, True)
method.amax(t(1, 2, 3, 4), -1)
torch.argmax(t(1, 2, 3, 4))
torch.argmax(t(1, 2, 3, 4), 1)
method.argmax(t(1, 2, 3, 4), dim=-1, keepdim=True)
torch.argmin(t(1, 2, 3, 4), dim=0)
method.argmin(t(1, 2, 3), keepdim=True)
torch.max(t(1, 2, 3, 4), 1)
method.max(t(1, 2, 3, 4), dim=-1, keepdim=True)
torch.min(t(1, 2, 3, 4), 0, True)
method.min(t(1, 2, 3, 4), dim=2)
method.amin(t(1, 2, 3, 4))
method.sum(t(1, 2, 3))
torch.nn.Identity()(t(1, 3))
torch.nn.Dropout(p=0.3)(t(1, 3))
torch.nn.Dropout1d()(t(1, 2, 3))
torch.nn.Dropout2d()(t(1, 1, 2, 3))
torch.nn.Dropout3d()(t(1, 1, 1, 2, 3))
torch.nn.AlphaDropout()(t(1, 2, 3))
torch.nn.FeatureAlphaDropout(p=0.2)(t(1, 1, 2, 3))
torch.nn.functional.alpha_dropout(t(1, 2, 3))
torch.nn.functional.feature_alpha_dropout(t(1, 1, 2, 3), 0.2, False)
torch.nn.functional.dropout(t(1, 3), 0.5, False)
torch.nn.functional.dropout1d(t(1, 2, 3), training=False)
torch.nn.functional.dropout2d(t(1, 1, 2, 3), training=False)
torch.nn.functional.dropout3d(t(1, 1, 1, 2, 3), training=False)
torch.dropout(t(1, 3), 0.5, False)
torch.nn.Embedding(num_embeddings=5, embedding_dim=3, padding_idx=1)(i(5, 1, 2, 3))
torch.nn.functional.embedding(i(5, 1, 4), t(2, 5, 2))
torch.nn.EmbeddingBag(num_embeddings=5, embedding_dim=3)(i(5, 1, 2, 4))
torch.nn.EmbeddingBag(num_embeddings=7, embedding_dim=3, mode='sum')(i(7, 1, 6), starts(0, 2, 2))
torch.nn.EmbeddingBag(num_embeddings=7, embedding_dim=3, mode='max', include_last_offset=True)(i(7, 1, 6), starts(0, 2, 6))
torch.nn.EmbeddingBag(num_embeddings=4, embedding_dim=2, mode='mean', padding_idx=2)(i(4, 1, 2, 5))
torch.nn.EmbeddingBag(num_embeddings=4, embedding_dim=2, mode='sum')(i(4, 1, 2, 3), per_sample_weights=t(2, 2, 3))
torch.nn.functional.embedding_bag(i(4, 1, 5), t(2, 4, 3), starts(0, 3), mode='sum')
torch.nn.LSTM(input_size=3, hidden_size=2, num_layers=2, bidirectional=True)(t(1, 4, 2, 3))
torch.nn.LSTM(input_size=3, hidden_size=2, batch_first=True, bias=False)(t(1, 2, 3, 3), (t(2, 1, 2, 2), t(3, 1, 2, 2)))
torch.nn.LSTM(input_size=3, hidden_size=2)(t(1, 3, 3))
torch.nn.LSTMCell(input_size=3, hidden_size=2)(t(1, 2, 3), (t(2, 2, 2), t(3, 2, 2)))
torch.nn.LSTMCell(input_size=3, hidden_size=2, bias=False)(t(1, 3))
torch.nn.GRU(input_size=3, hidden_size=2, num_layers=2, bidirectional=True, batch_first=True)(t(1, 2, 3, 3))
torch.nn.GRU(input_size=3, hidden_size=2)(t(1, 3, 3), t(2, 1, 2))
torch.nn.GRUCell(input_size=3, hidden_size=2)(t(1, 2, 3), t(2, 2, 2))
torch.nn.RNN(input_size=3, hidden_size=2, num_layers=2, nonlinearity='relu')(t(1, 3, 2, 3))
torch.nn.RNNCell(input_size=3, hidden_size=2)(t(1, 2, 3), t(2, 2, 2))
torch.nn.RNNCell(input_size=3, hidden_size=2, nonlinearity='relu')(t(1, 2, 3))
""".strip().splitlines()

# Fused modules: what they are made of, and an input.
FUSED = {
    "ConvReLU1d": ("torch.nn.Conv1d(2, 3, 3, padding=1), torch.nn.ReLU()", "t(1, 1, 2, 4)"),
    "ConvReLU2d": ("torch.nn.Conv2d(2, 3, 3, stride=2), torch.nn.ReLU()", "t(1, 1, 2, 5, 5)"),
    "ConvReLU3d": ("torch.nn.Conv3d(2, 2, 2), torch.nn.ReLU()", "t(1, 1, 2, 2, 3, 3)"),
    "ConvBn1d": ("torch.nn.Conv1d(2, 3, 3), torch.nn.BatchNorm1d(3)", "t(1, 1, 2, 4)"),
    "ConvBn2d": ("torch.nn.Conv2d(2, 3, 3), torch.nn.BatchNorm2d(3, eps=0.01)", "t(1, 1, 2, 4, 4)"),
    "ConvBn3d": ("torch.nn.Conv3d(2, 2, 2), torch.nn.BatchNorm3d(2)", "t(1, 1, 2, 2, 3, 3)"),
    "ConvBnReLU1d": ("torch.nn.Conv1d(2, 3, 3), torch.nn.BatchNorm1d(3), torch.nn.ReLU()", "t(1, 1, 2, 4)"),
    "ConvBnReLU2d": ("torch.nn.Conv2d(2, 3, 3), torch.nn.BatchNorm2d(3), torch.nn.ReLU()", "t(1, 1, 2, 4, 4)"),
    "ConvBnReLU3d": ("torch.nn.Conv3d(2, 2, 2), torch.nn.BatchNorm3d(2), torch.nn.ReLU()", "t(1, 1, 2, 2, 3, 3)"),
    "LinearReLU": ("torch.nn.Linear(4, 3), torch.nn.ReLU()", "t(1, 2, 4)"),
    "LinearBn1d": ("torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3)", "t(1, 2, 4)"),
    "BNReLU2d": ("torch.nn.BatchNorm2d(3), torch.nn.ReLU()", "t(1, 1, 3, 2, 2)"),
    "BNReLU3d": ("torch.nn.BatchNorm3d(2), torch.nn.ReLU()", "t(1, 1, 2, 2, 2, 2)"),
}


def m(seed, times, *shape):
    """Every number is exact in float32, or rounded once."""
    count = int(np.prod(shape))
    steps = (np.arange(count, dtype=np.int64) * 7919 + seed * 104729) % 2003 - 1001
    values = steps.astype(np.float32) * np.float32(times) / np.float32(500)
    return torch.from_numpy(values.reshape(shape))


def t(seed, *shape):
    return m(seed, 1, *shape)


def p(seed, *shape):
    return t(seed, *shape).abs() + 0.5


def i(limit, seed, *shape):
    count = int(np.prod(shape))
    return torch.from_numpy(((np.arange(count) * 7919 + seed * 104729) % limit).reshape(shape))


def mask(*shape):
    return i(2, 1, *shape).bool()


def starts(*offsets):
    return torch.tensor(offsets)


class Methods:
    def __getattr__(self, name):
        return lambda x, *args, **kwargs: getattr(x, name)(*args, **kwargs)


def shape_text(tensor):
    return ", ".join(str(e) for e in tensor.shape)


def fill(module):
    """Gives each tensor of the module a value; returns how they are written."""
    written = []
    for seed, (name, tensor) in enumerate(module.state_dict().items(), 100):
        if tensor.dtype == torch.float32:
            make = "p" if name.endswith("running_var") else "t"
            tensor.copy_(globals()[make](seed, *tensor.shape))
            written.append(f"{name}={make}({seed}, {shape_text(tensor)})")
    return written


def answer(result):
    if isinstance(result, torch.Tensor):
        numbers = " ".join(f"{x:.8g}" for x in result.detach().flatten().tolist())
        return f"[{shape_text(result)}] {numbers}".strip()
    if isinstance(result, (tuple, list)):
        return " ".join(answer(r) for r in result)
    return f"{result:.8g}"


def write(call, attributes, result):
    print(f'"{call}\\n"')
    if attributes:
        print(f'"with {", ".join(attributes)}\\n"')
    print(f'"= {answer(result)}",')


def main():
    method = Methods()
    names = dict(globals(), method=method, _operator=__import__("operator"),
                 builtins=__import__("builtins"), nni=torch.ao.nn.intrinsic)
    print("// Written by make_torch_cases.py with PyTorch 1.13.")
    for call in CALLS:
        module = re.fullmatch(r"(torch\.nn\.\w+\(.*?\))(\(.*\))", call)
        if module and not call.startswith("torch.nn.functional"):
            names["module"] = eval(module[1], names).eval()
            attributes = fill(names["module"])
            with torch.no_grad():
                write(call, attributes, eval("module" + module[2], names))
        else:
            write(call, [], eval(call, names))
    for name, (parts, argument) in FUSED.items():
        fused = eval(f"nni.{name}({parts})", names).eval()
        attributes = fill(fused)
        for key in ("stride", "padding"):
            if hasattr(fused[0], key):
                attributes.append(f"0.{key}={getattr(fused[0], key)}")
        if name == "ConvBn2d":
            attributes.append("1.eps=0.01")
        with torch.no_grad():
            write(f"torch.ao.nn.intrinsic.{name}()({argument})", attributes,
                  fused(eval(argument, names)))


if __name__ == "__main__":
    sys.exit(main())
