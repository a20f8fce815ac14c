# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The weights, scales and zero points of a model that PyTorch has trained for quantization."""

import copy
import operator

import torch
import torch.ao.quantization.quantize_fx as quantize_fx
from torch.ao.quantization import FakeQuantizeBase, ObserverBase
from torch.fx import Node

from fx_export.errors import NotExpressible

try:
    from torch.ao.nn.intrinsic.modules.fused import _FusedModule as FUSED
except ImportError:
    from torch.nn.intrinsic.modules.fused import _FusedModule as FUSED


def is_norm(module):
    return isinstance(module, torch.nn.modules.batchnorm._BatchNorm)


class TrainedModel:
    """prepared: what prepare_qat_fx and training made of a model, before convert_fx. backend: the BackendConfig that
    prepare_qat_fx was given, or None."""

    def __init__(self, prepared, backend=None):
        if not isinstance(prepared, torch.fx.GraphModule):
            raise NotExpressible("the trained model is not one that prepare_qat_fx returns")
        self.prepared = prepared
        copied = copy.deepcopy(prepared).eval()
        self.reference = quantize_fx.convert_to_reference_fx(copied, backend_config=backend)

    def paths(self, graph, model):
        """By path of a module in the trained model: its path in the float model, if it is another one."""
        norms = {}  # of a layer: the batch norm that reads it
        for node in graph.nodes:
            if node.op == "call_module" and is_norm(model.get_submodule(node.target)):
                norms[str(node.args[0].target)] = node.target
        paths = {}
        for path, module in self.prepared.named_modules():
            if isinstance(getattr(module, "bn", None), torch.nn.Module) and path in norms:
                paths[f"{path}.bn"] = norms[path]  # of a layer in training
            elif isinstance(module, FUSED) and isinstance(module, torch.nn.Sequential):
                for index, part in enumerate(module):
                    paths[f"{path}.{index}"] = norms[path] if is_norm(part) else path
        return paths

    def weights(self, graph, model):
        """The state_dict of the float model, with the trained tensors."""
        paths = self.paths(graph, model)
        rounding = tuple(f"{path}." for path, module in self.prepared.named_modules()
                         if path and isinstance(module, (FakeQuantizeBase, ObserverBase)))
        found = {}
        for name, tensor in self.prepared.state_dict().items():
            if not name.startswith(rounding):
                path, _, own = name.rpartition(".")
                found[f"{paths.get(path, path)}.{own}" if path else own] = tensor
        for name, tensor in model.state_dict().items():
            if name not in found or found[name].shape != tensor.shape:
                raise NotExpressible(f"the trained model has no {name} of this shape")
        return {name: found[name] for name in model.state_dict()}

    def qparams(self):
        """Scales and zero points by the name of the value and by the path of the layer."""
        called, tensors = set(), {}
        names = {}  # by node
        for node in self.reference.graph.nodes:
            names[node] = [node.name]
            if node.op == "call_module" and node.target not in called:
                called.add(node.target)
                names[node].append(node.target)
        for node in self.reference.graph.nodes:
            if node.op == "call_function" and node.target is torch.quantize_per_tensor:
                steps = [self.constant(a) for a in node.args[1:3]]
                for name in names[node.args[0]]:
                    self.add(tensors, f"{name}.output", *steps)
        for path, module in self.reference.named_modules():
            if hasattr(module, "weight_scale") and module.weight_qscheme is not None:
                self.add(tensors, f"{path.removesuffix('.0')}.weight", module.weight_scale,
                         module.weight_zero_point)
        return tensors

    def constant(self, argument):
        """The value of an argument of a node."""
        if isinstance(argument, Node):
            return operator.attrgetter(argument.target)(self.reference)
        return argument

    @staticmethod
    def add(tensors, name, scale, zero_point):
        """Adds a scale and a zero point to tensors. Raises NotExpressible if tensors has other ones of this name."""
        for key, value in ((f"{name}_scale", torch.as_tensor(scale).detach().to(torch.float32)),
                           (f"{name}_zero_point", torch.as_tensor(zero_point).to(torch.int32))):
            known = tensors.setdefault(key, value)
            if not torch.equal(known, value):
                raise NotExpressible(f"{key} has two values")
