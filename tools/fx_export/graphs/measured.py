# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of all nodes for an example of the inputs."""

import torch

from fx_export.errors import NotExpressible
from fx_export.graphs.evaluation import compute_apart, values_of


class SizesUnknown(NotExpressible):
    """The values of the nodes of a graph cannot be computed."""


class Measured:
    """The values of the nodes of a graph for an example of its inputs, computed when they are first asked
    for. They tell shapes, types, and which tensors share memory.

    inputs: functions, each of which gives a list of tensors; the first that the model takes counts. None: nothing
    is known of them."""

    def __init__(self, graph, model, inputs):
        self.copies = {}  # by node: the same node of a graph that stays as it is
        self.graph = torch.fx.Graph()
        self.graph.graph_copy(graph, self.copies)
        self.model = model
        self.inputs = list(inputs or ())
        self.changed_modules = {}  # by path: those that are called in the place of others
        self.values = None
        self.why = None  # why they cannot be computed

    def __getitem__(self, node):
        values = self.all()
        if node not in values:  # it was added since
            values[node] = compute_apart(self.model, node, self.__getitem__, self.changed_modules)
        return values[node]

    def all(self):
        """The values by node. Raises SizesUnknown if they cannot be computed."""
        if self.values is None and self.why is None:
            self.why = SizesUnknown("the shapes of the inputs are not known")
            for inputs in self.inputs:
                try:
                    found = values_of(self.graph, self.model, inputs())
                    self.values = {node: found[copied] for node, copied in self.copies.items()}
                    self.why = None
                    break
                except Exception as e:  # of any type: the model's own modules ran
                    self.why = SizesUnknown(f"sizes cannot be computed: {e}")
        if self.values is None:
            raise self.why
        return self.values

    def if_known(self):
        """The values of all nodes of the first graph, if they can be computed."""
        try:
            return self.all()
        except SizesUnknown:
            return None
