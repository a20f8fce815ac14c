# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proxies: what the model's code computes with while it is traced."""

import operator

import torch

from fx_export.graphs.node_kinds import IS_IN_PLACE

# Attributes and methods of a tensor that its shape and type decide.
FACTS = ("shape", "ndim", "dtype", "device", "layout", "is_cuda", "is_sparse", "is_quantized", "size",
         "dim", "ndimension", "numel", "nelement", "is_floating_point", "is_complex", "is_contiguous",
         "stride", "element_size", "get_device", "requires_grad", "is_leaf")
VALUE_OF_DATA = ("item(), tolist(), int(x) and float(x) give values of a tensor to Python, and values that depend on "
                 "data are not known when a model is compiled; compute with the tensor itself, x / y.max() instead of "
                 "x / y.max().item()")


class ValueOfData(torch.fx.proxy.TraceError):
    """Python asks for the value of a tensor that inputs decide."""

    def __init__(self):
        super().__init__(VALUE_OF_DATA)


class InPlaceProxy(torch.fx.Proxy):
    """Marks y += x, which torch.fx records as y = y + x, though it changes what shares elements with y."""


def mark_in_place(name, call):
    """Makes a method of InPlaceProxy that calls a function of operator, and marks its node."""
    def of_proxy(self, other):
        result = call(self, other)
        if isinstance(result, torch.fx.Proxy):
            result.node.meta[IS_IN_PLACE] = True
        return result
    setattr(InPlaceProxy, name, of_proxy)


for _name in "add sub mul truediv floordiv mod pow and_ or_ xor".split():
    mark_in_place(f"__i{_name.strip('_')}__", getattr(operator, _name))


class SizedProxy(InPlaceProxy):
    """A tensor, or a tuple of tensors, whose size is known while it is traced."""

    def __getattr__(self, name):
        value = self.tracer.value_of(self)
        if isinstance(value, torch.Tensor) and name in FACTS:
            return getattr(value, name)
        if name == "type":
            return lambda *args: (self.tracer.create_proxy("call_method", "type", (self, *args), {}) if args else
                                  value.type())
        if isinstance(getattr(value, name, None), torch.Tensor):  # x.T, x.max(1).values
            return self.tracer.create_proxy("call_function", getattr, (self, name), {})
        return super().__getattr__(name)

    def item(self):
        return self.tracer.number(self) if self.tracer.is_decided(self) else self.tracer.value_of_data(self, "item")

    def tolist(self):
        return (self.tracer.value_of(self).tolist() if self.tracer.is_decided(self) else
                self.tracer.value_of_data(self, "tolist"))

    def __float__(self):
        return float(self.tracer.number(self))

    def __int__(self):
        return int(self.tracer.number(self))

    def __index__(self):
        return operator.index(self.tracer.number(self))

    def __bool__(self):
        return bool(self.tracer.number(self)) if self.tracer.is_decided(self) else super().__bool__()

    def __abs__(self):
        return torch.abs(self)

    def __setitem__(self, index, value):
        self.tracer.create_proxy("call_function", operator.setitem, (self, index, value), {})

    def __len__(self):
        return len(self.tracer.value_of(self))

    def __iter__(self):
        return (self[i] for i in range(len(self)))
