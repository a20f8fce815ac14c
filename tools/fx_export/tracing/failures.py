# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The message about a model that torch.fx cannot trace."""

import os
import re
import traceback
from pathlib import Path

import torch

from fx_export.tracing.proxies import ValueOfData


def untraceable(error, model):
    """Says which line of a model torch.fx cannot trace, and why. error: what was raised."""
    # The code of PyTorch and of this package.
    others = tuple(f"{folder}{os.sep}" for folder in (Path(torch.__file__).parent, Path(__file__).parents[1]))
    lines = [frame for frame in traceback.extract_tb(error.__traceback__)
             if not frame.filename.startswith(others)]
    place = f"{lines[-1].filename}:{lines[-1].lineno}: {lines[-1].line}\n" if lines else ""
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    if "SizedProxy" in reason and re.search(r"\.(item|tolist)\(", place):
        error = ValueOfData()
        reason = str(error)
    if isinstance(error, KeyError):
        reason = f"there is no key {reason}"
    if "pack_padded_sequence" in place:
        reason = "rows have no packed sequences; call the layer with the padded tensor, and mask what it gives"
    if re.search(r"int64|\blong(tensor)?\b", reason, re.IGNORECASE):
        reason += "; for an input of integers, add its type: --input 1,64:int64"
    is_condition = isinstance(error, torch.fx.proxy.TraceError) and not isinstance(error, ValueOfData)
    advice = ("\nValues of traced tensors are not known while it traces: write conditions so that they "
              "need none" if is_condition else "")
    hooked = next((path for path, module in model.named_modules() if module._forward_hooks), None)
    if hooked is not None:
        advice += f"\n{hooked} has a forward hook, which torch.fx does not call; write in forward() what it does"
    return f"{place}torch.fx cannot trace this: {reason}{advice}"
