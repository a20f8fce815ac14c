# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces a model: with the tracer that needs no sizes if that gives a graph that computes values, else with sizes."""

import functools
import operator

import torch
import torch.ao.quantization.quantize_fx as quantize_fx

from fx_export.errors import NotExpressible
from fx_export.graphs.in_place_calls import changes_constants
from fx_export.graphs.measured import Measured
from fx_export.graphs.modules import attribute_of, copy_of
from fx_export.graphs.node_kinds import FACTORIES, MORE_FACTORIES
from fx_export.inputs.item_names import check_names
from fx_export.tracing.failures import untraceable
from fx_export.tracing.input_tracer import InputTracer
from fx_export.tracing.sized_tracer import SizedTracer


class ModelTrace:
    """A trace of a model.

    inputs: an ExampleInputs; a trace with sizes finds the types that are not given. custom: a CustomConfig. user_ops:
    names of functions that stay calls."""

    def __init__(self, original, inputs, custom, user_ops):
        self.original = original  # stays as it is, but that run() swaps FloatFunctional and nn.SyncBatchNorm
        self.model = original  # after run() the copy that was traced: tracing and the model's own code change it
        self.inputs = inputs
        self.custom = custom
        self.user_ops = user_ops
        self.paths, self.classes = [], []  # of modules that are not traced into

    def run(self):
        """Returns the graph, and by name of a node the path and the class of the module that calls it."""
        check_modules(self.original)
        check_names(self.inputs.names or (), self.original.forward)
        quantize_fx._swap_ff_with_fxff(self.original)
        swap_sync_norms(self.original)
        self.paths, self.classes = self.custom.leaves(self.original)
        tracer = self.traced_without_sizes()
        if tracer is None or (self.inputs.shapes is not None and changes_constants(tracer.graph, self.model)):
            tracer = self.traced_with_factories(tracer is not None)
        elif self.inputs.shapes is not None and not self.gives_values(tracer.graph):
            traced = self.model
            try:
                tracer = self.traced_with_sizes()
            except NotExpressible:  # check_values() says what is wrong
                self.model = traced
        return tracer.graph, tracer.node_name_to_scope

    def traced_without_sizes(self):
        """The tracer that has traced the model, or None if that needs sizes, which are known."""
        self.model = copy_of(self.original)
        tracer = InputTracer(self.original, self.paths, self.classes, self.user_ops, self.inputs.names)
        try:
            tracer.trace(self.model)
        except Exception as e:  # of any type: the model's own code ran
            if self.inputs.shapes is None:
                raise NotExpressible(untraceable(e, self.model)) from e
            return None
        return tracer

    def gives_values(self, graph):
        """Whether a graph can be computed: nn.AvgPool2d(x.shape[2:]) that forward() creates holds proxies in the
        place of numbers."""
        return Measured(graph, self.model, self.inputs.examples()).if_known() is not None

    def traced_with_factories(self, changes_made_tensors):
        """The tracer of a model that may write into tensors that it made: calls of torch.zeros and its like are nodes
        then. changes_made_tensors: whether it is known that it does."""
        tracer = None if changes_made_tensors else self.traced_with_sizes()
        for factories in (FACTORIES, FACTORIES + MORE_FACTORIES):
            if tracer is not None and not changes_constants(tracer.graph, self.model):
                break
            tracer = self.traced_with_sizes(factories)
        return tracer

    def traced_with_sizes(self, factories=()):
        """The tracer of the model with tensors of the shapes of the inputs. Of an input whose type is not given it
        tries float32, int64, and bool."""
        furthest, why = -1, None
        for dtypes in self.inputs.guessed_dtypes():
            traced = []
            for inputs in self.inputs.filled(dtypes):
                self.model = copy_of(self.original)
                tracer = SizedTracer(self.original, self.paths, self.classes, self.user_ops, self.inputs.names,
                                     inputs(), factories)
                try:
                    traced.append((tracer.trace(self.model), self.model))
                except Exception as e:
                    if len(tracer.values) > furthest:
                        furthest, why = len(tracer.values), e
                    elif len(tracer.values) < furthest:
                        break
                if len(traced) == 2 or isinstance(why, (NotExpressible, torch.fx.proxy.TraceError)):
                    break
            if isinstance(why, (NotExpressible, torch.fx.proxy.TraceError)):
                break
            if len(traced) < 2:
                continue
            if not is_same_graph(*traced):
                raise NotExpressible("torch.fx cannot trace this: sizes, or constants, are other ones in "
                                     "a second trace; values of tensors, or random numbers, decide them")
            self.inputs.dtypes = dtypes
            for node in reversed(tracer.graph.nodes):  # items of tuples that nothing reads
                if node.target is operator.getitem and not node.users:
                    tracer.graph.erase_node(node)
            return tracer
        raise why if isinstance(why, NotExpressible) else NotExpressible(
            untraceable(why, self.original)) from why


def check_modules(model):
    """Raises NotExpressible if a module cannot be traced."""
    for path, module in model.named_modules():
        if isinstance(module, torch.jit.ScriptModule):
            raise NotExpressible(f"{path or 'the model'} is a ScriptModule, without the Python code that torch.fx "
                                 "traces; give the nn.Module that torch.jit was given")
        if any(map(torch.nn.parameter.is_lazy, (*module._parameters.values(), *module._buffers.values()))):
            raise NotExpressible(f"{path or 'the model'} has uninitialized parameters; run the model once before "
                                 "it is exported")


def swap_sync_norms(model):
    """nn.SyncBatchNorm in evaluation mode is nn.BatchNorm1d, 2d or 3d: which, its first input says."""
    for module in model.modules():
        if type(module) is torch.nn.SyncBatchNorm:
            module.__class__ = torch.nn.BatchNorm2d
            module._check_input_dim = functools.partial(take_rank, module)


def take_rank(norm, x):
    """Gives a norm the class for the rank of its first input."""
    norm.__class__ = {4: torch.nn.BatchNorm2d, 5: torch.nn.BatchNorm3d}.get(x.dim(), torch.nn.BatchNorm1d)
    del norm._check_input_dim


def is_same_graph(a, b):
    """Whether two graphs, each with its model, have the same calls and the same constants, whatever their names."""
    def lines(graph):
        number = {node: at for at, node in enumerate(graph.nodes)}
        return [(n.op, n.op == "get_attr" or n.target,
                 str(torch.fx.node.map_arg((n.args, n.kwargs), number.get))) for n in graph.nodes]

    def constants(graph, model):
        return [attribute_of(model, n.target) for n in graph.nodes if n.op == "get_attr"]
    return lines(a[0]) == lines(b[0]) and all(map(torch.equal, constants(*a), constants(*b)))
