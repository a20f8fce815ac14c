# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The inputs of a model: their shapes, types and names, and examples that the model is run with."""

import itertools

import torch

from fx_export.inputs.item_names import packed


class ExampleInputs:
    """What is known of the inputs of a model.

    shapes: None if they are not known. dtypes: of each input its type, or None. names: of each input that is an item
    of an argument its name, as packed() takes them, or None."""

    def __init__(self, shapes, dtypes=None, names=None):
        self.shapes = shapes
        self.names = None if shapes is None else names or [None] * len(shapes)
        self.given_dtypes = dtypes or [None] * len(shapes or ())
        self.dtypes = self.given_dtypes  # tracing with sizes finds those that are not given

    def guessed_dtypes(self):
        """The types of all inputs; of one whose type is not given, all that may be."""
        guesses = [[dtype] if dtype is not None else [torch.float32, torch.int64, torch.bool]
                   for dtype in self.dtypes]
        return itertools.islice(itertools.product(*guesses), 81)

    def filled(self, dtypes):
        """Functions that give inputs of zeros, of ones and, for integers, of 2 and 3: some models take no others. Then
        the same with lists of integers that begin with 0, as the offsets of bags do."""
        def full(number):
            return [torch.full(s, number, dtype=d) for s, d in zip(self.shapes, dtypes)]
        plain = [lambda number=number: full(number) for number in range(4 if torch.int64 in dtypes else 2)]
        if not any(map(is_list, full(0))):
            return plain
        return plain + [lambda number=number: with_offsets(full(number)) for number in (1, 2)]

    def examples(self):
        """Those functions for each guess of the types; None if the shapes are not known."""
        if self.shapes is None:
            return None
        return [inputs for dtypes in self.guessed_dtypes() for inputs in self.filled(dtypes)]

    def random(self):
        """Random inputs for each guess of the types, with several ranges of integers; then the same with lists of
        integers in ascending order, which offsets of bags have."""
        generator = torch.Generator().manual_seed(0)
        for dtypes, bounds in itertools.product(self.guessed_dtypes(), ((1, 4), (0, 2), (1, 3), (1, 2))):
            random = [torch.randn(s, generator=generator) if d == torch.float32 else
                      torch.randint(*((0, 2) if d == torch.bool else bounds), s, generator=generator).to(d)
                      for s, d in zip(self.shapes, dtypes)]
            yield random
            if any(map(is_list, random)):
                yield with_offsets(random)

    def arguments(self, inputs):
        """The arguments of forward() that have these inputs."""
        return packed(self.names, inputs)


def is_list(x):
    """Whether a tensor is a list of several integers."""
    return x.dtype == torch.int64 and x.dim() == 1 and len(x) > 1


def with_offsets(inputs):
    """The inputs with lists of integers in ascending order, from 0 on."""
    return [torch.cat([x.new_zeros(1), x.sort().values[1:]]) if is_list(x) else x for x in inputs]
