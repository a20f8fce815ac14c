# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which rows are tensors of integers, as far as types are known."""

import torch


class IntegerTypes:
    """measured: the Measured of the graph. untyped: the inputs whose type is not given, as nodes. run_original: what
    the original model gives of tensors."""

    def __init__(self, graph, measured, untyped, run_original):
        self.graph = graph
        self.measured = measured
        self.untyped = untyped
        self.run_original = run_original

    def gives_integers(self, node):
        """Whether PyTorch has a tensor of integers; of an input whose type is not given, whether the model takes
        neither floats nor a mask."""
        values = self.measured.if_known() if node.op not in ("get_attr", "output") else None
        value = None if values is None else self.measured[node]
        if not isinstance(value, torch.Tensor) or value.dtype in (torch.bool, torch.uint8) or (
                value.is_floating_point() or value.is_complex()):
            return False
        return node.op != "placeholder" or node not in self.untyped or not self.takes_mask(node)

    def takes_mask(self, node):
        """Whether the model runs if this input is of bool."""
        inputs = [value.to(torch.bool) if n is node else value for n, value in
                  ((n, self.measured[n]) for n in self.graph.nodes if n.op == "placeholder")]
        try:
            self.run_original(inputs)
        except Exception:  # of any type: the model's own code ran
            return False
        return True
