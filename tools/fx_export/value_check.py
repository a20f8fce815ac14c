# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what a graph gives with what its model gives: code that computes with values of tensors may be traced to
something else."""

import sys

import torch

from fx_export.errors import NotExpressible
from fx_export.graphs.evaluation import compute_apart, outputs_of
from fx_export.tracing.records import is_record, items_of


def check_values(graph, model, changed_modules, inputs, run_original):
    """Raises NotExpressible if a graph does not give what the original model gives of random inputs.

    model: whose attributes and modules the graph names. changed_modules: those in the place of others, by path.
    inputs: an ExampleInputs. run_original: what the original model gives of tensors."""
    if inputs.shapes is None:
        return
    failure = None
    for tensors in inputs.random():
        try:
            wanted = run_original([x.clone() for x in tensors])
        except Exception:  # of any type: the model's own code ran
            continue
        try:
            got = outputs_of(graph, model, tensors, changed_modules)
        except Exception as e:
            failure = e
            continue
        if are_close(wanted, got):
            return
        random = random_node(graph, model, tensors, changed_modules)
        if random is not None:
            raise NotExpressible(f"node {random.name} takes random numbers; F.dropout does so unless it is "
                                 "given training=self.training")
        raise NotExpressible("what torch.fx traces of this model gives other values: code of its own "
                             "decides by values of tensors, or by types (isinstance), takes random numbers, "
                             "or changes parts of tensors in place; or export_fx.py writes a call wrongly")
    if failure is not None:
        raise NotExpressible("what torch.fx traces of this model does not run, though the model does: "
                             f"{failure}; code of its own decides by types or values of tensors")
    print("export_fx.py: the model did not run with random inputs; its graph was not compared with it",
          file=sys.stderr)


def are_close(a, b):
    """Whether two models give the same, tensors in tuples and dicts, but for the order of sums."""
    if isinstance(a, torch.Tensor):
        if a.is_complex() or not isinstance(b, torch.Tensor) or a.shape != b.shape:
            return isinstance(b, torch.Tensor) and a.shape == b.shape
        if a.is_floating_point() != b.is_floating_point():
            return False
        a, b = a.double(), b.double()
        size = float(a[a.isfinite()].abs().max()) if a.isfinite().any() else 0.0
        return torch.allclose(a, b, 1e-3, 1e-4 * size + 1e-6, equal_nan=True)
    if is_record(a):
        a = items_of(a)
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(are_close(a[k], b[k]) for k in a)
    if isinstance(a, (tuple, list)):
        return isinstance(b, (tuple, list)) and len(a) == len(b) and all(map(are_close, a, b))
    return True


def random_node(graph, model, inputs, changed_modules=()):
    """The first node that gives other values when it is called again, or None."""
    values, inputs = {}, iter(inputs)
    for node in graph.nodes:
        if node.op == "output":
            return None
        if node.op == "placeholder":
            values[node] = next(inputs)
            continue
        first, second = (compute_apart(model, node, values.__getitem__, changed_modules) for _ in range(2))
        if isinstance(first, torch.Tensor) and (
                first.shape != second.shape or not torch.isclose(first, second, 0, 0, equal_nan=True).all()):
            return node
        values[node] = first
    return None
