# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are split: into parts of given sizes, torch.tensor_split and its like."""

import itertools

from fx_export.decompositions.table import decomposes, is_tensor, rank_of, size_of, Undecomposed


@decomposes("split")
def split(x, sizes, dim=0):
    """Splits into more parts than ctq has axes."""
    return None if isinstance(sizes, int) or len(sizes) <= 6 else split_with_sizes(x, sizes, dim)


@decomposes("split_with_sizes", "unsafe_split_with_sizes")
def split_with_sizes(x, split_sizes, dim=0):
    starts = itertools.accumulate([0, *split_sizes])
    return tuple(x.narrow(dim, start, size) for start, size in zip(starts, split_sizes))


@decomposes("unsafe_split")
def unsafe_split(x, split_size, dim=0):
    count = size_of(x)[dim]
    return split_with_sizes(x, [min(split_size, count - start) for start in range(0, count, split_size)], dim)


@decomposes("unsafe_chunk")
def unsafe_chunk(x, chunks, dim=0):
    return unsafe_split(x, -(-size_of(x)[dim] // chunks), dim)


@decomposes("tensor_split")
def tensor_split(x, sections, dim=0, **_):
    if is_tensor(sections):
        raise Undecomposed("sections that are a tensor")
    count = size_of(x)[dim]
    if isinstance(sections, int):
        long = count % sections
        ends = [i * (count // sections) + min(i, long) for i in range(sections + 1)]
    else:
        ends = [0, *(slice(i).indices(count)[1] for i in sections), count]
    return tuple(x.narrow(dim, begin, max(end - begin, 0)) for begin, end in zip(ends, ends[1:]))


@decomposes("hsplit")
def hsplit(x, sections):
    return tensor_split(x, sections, 0 if rank_of(x) == 1 else 1)


@decomposes("vsplit")
def vsplit(x, sections):
    return tensor_split(x, sections, 0)


@decomposes("dsplit")
def dsplit(x, sections):
    return tensor_split(x, sections, 2)
