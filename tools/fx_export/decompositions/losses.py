# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses: F.l1_loss, F.mse_loss and their modules."""

from fx_export.decompositions.table import decomposes, decomposes_module, Undecomposed
from fx_export.decompositions.views import mean_of


@decomposes("F.l1_loss")
def l1_loss(x, target, *reduction, **named):
    return reduced(x.sub(target).abs(), *reduction, **named)


@decomposes("F.mse_loss")
def mse_loss(x, target, *reduction, **named):
    return reduced(x.sub(target).pow(2), *reduction, **named)


def reduced(x, size_average=None, reduce=None, reduction="mean"):
    if size_average is not None or reduce is not None or reduction not in ("mean", "sum", "none"):
        raise Undecomposed(f"reduction={reduction}")
    return x if reduction == "none" else x.sum() if reduction == "sum" else mean_of(x)


@decomposes_module("L1Loss")
def l1_loss_module(module, x, y):
    return l1_loss(x, y, reduction=module.reduction)


@decomposes_module("MSELoss")
def mse_loss_module(module, x, y):
    return mse_loss(x, y, reduction=module.reduction)
