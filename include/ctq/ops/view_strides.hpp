// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/attributes.hpp"
#include "ctq/ops/strided_view.hpp"

// The options of views, and where the elements are of views that are a part of their input, or have
// its axes in another order.

namespace ctq {

/// view, reshape, expand. An extent of -1 is inferred; for expand it is that of the input.
struct reshape_options {
  ctq::shape shape{};
};

/// Axes, in the order of the output.
struct permute_options {
  ctq::shape dims{};
};

struct transpose_options {
  int dim0{};
  int dim1{};
};

/// Splits an axis into several. One extent may be -1: it is inferred.
struct unflatten_options {
  int dim{};
  ctq::shape unflattened_size{};
};

/// Axes of one element to remove; none: all of them.
struct squeeze_options {
  ctq::shape dim{};
};

struct unsqueeze_options {
  int dim{};
};

struct narrow_options {
  int dim{};
  int start{};
  int length{};
};

struct getitem_options {
  index_list index{};
};

/// Cuts an axis into this number of parts, of which the last may be smaller.
struct chunk_options {
  int chunks{};
  int dim = 0;
};

struct split_options {
  ctq::shape split_size_or_sections{};  // one number: of all parts but the last; else of each part
  int dim = 0;
};

struct unbind_options {
  int dim = 0;
};

/// How often each axis is repeated; there may be more numbers than axes.
struct repeat_options {
  ctq::shape repeats{};
};

struct repeat_interleave_options {
  int repeats{};
  ctq::shape dim{};  // one axis; none: the axes become one
};

}  // namespace ctq

namespace ctq::descriptors {

constexpr strided_view without_axis(const strided_view& v, int axis) {
  strided_view out{.offset = v.offset};
  for (int a = 0; a < v.shape.rank; ++a) {
    if (a == axis) continue;
    out.stride[out.shape.rank] = v.stride[a];
    out.shape[out.shape.rank++] = v.shape[a];
  }
  return out;
}
/// The view with one more axis, in this place.
constexpr strided_view with_axis(const strided_view& v, int axis, int extent, int stride) {
  strided_view out{.offset = v.offset};
  out.shape.rank = v.shape.rank + 1;
  for (int a = 0; a < out.shape.rank; ++a) {
    const int from = a < axis ? a : a - 1;
    out.shape[a] = a == axis ? extent : v.shape[from];
    out.stride[a] = a == axis ? stride : v.stride[from];
  }
  return out;
}

constexpr strided_view permuted(attributes a, strided_view in) {
  const auto o = a.as<permute_options>();
  strided_view out{.shape = in.shape, .offset = in.offset};
  for (int axis = 0; axis < in.shape.rank; ++axis) {
    out.shape[axis] = in.shape[o.dims[axis]];
    out.stride[axis] = in.stride[o.dims[axis]];
  }
  return out;
}
constexpr strided_view transposed(attributes a, strided_view in) {
  const auto o = a.as<transpose_options>();
  strided_view out = in;
  out.shape[o.dim0] = in.shape[o.dim1];
  out.shape[o.dim1] = in.shape[o.dim0];
  out.stride[o.dim0] = in.stride[o.dim1];
  out.stride[o.dim1] = in.stride[o.dim0];
  return out;
}
/// Transposes a matrix; a vector is unchanged.
constexpr strided_view matrix_transposed(attributes, strided_view in) {
  return in.shape.rank < 2 ? in : transposed(attributes{transpose_options{0, 1}}, in);
}
constexpr strided_view expanded(attributes a, strided_view in) {
  const auto o = a.as<reshape_options>();
  strided_view out{.shape = o.shape, .offset = in.offset};
  const int before = o.shape.rank - in.shape.rank;
  for (int axis = before; axis < o.shape.rank; ++axis)
    out.stride[axis] = in.shape[axis - before] == o.shape[axis] ? in.stride[axis - before] : 0;
  return out;
}
/// Appends an axis, unless it has one element. Without room for it the view has no elements.
constexpr void append_axis(strided_view& v, int extent, int stride) {
  if (extent == 1) return;
  const bool has_room = v.shape.rank < static_cast<int>(max_rank) && v.shape.rank >= 0;
  if (!has_room) {
    v.shape.rank = -1;
    return;
  }
  v.stride[v.shape.rank] = stride;
  v.shape[v.shape.rank++] = extent;
}
/// An axis of n elements that is repeated is two axes, of which the first has a stride of 0.
constexpr strided_view repeated(attributes a, strided_view in) {
  const auto o = a.as<repeat_options>();
  strided_view out{.offset = in.offset};
  const int more = o.repeats.rank - in.shape.rank;
  for (int axis = 0; axis < o.repeats.rank; ++axis) {
    append_axis(out, o.repeats[axis], 0);
    if (axis >= more) append_axis(out, in.shape[axis - more], in.stride[axis - more]);
  }
  return out;
}
/// The same with each element repeated: the second axis has a stride of 0.
constexpr strided_view each_repeated(attributes a, strided_view in) {
  const auto o = a.as<repeat_interleave_options>();
  strided_view out{.offset = in.offset};
  for (int axis = 0; axis < in.shape.rank; ++axis) {
    append_axis(out, in.shape[axis], in.stride[axis]);
    if (o.dim.rank > 0 && axis == o.dim[0]) append_axis(out, o.repeats, 0);
  }
  if (o.dim.rank == 0) append_axis(out, o.repeats, 0);
  return out;
}
constexpr strided_view narrowed(attributes a, strided_view in) {
  const auto o = a.as<narrow_options>();
  in.offset += o.start * in.stride[o.dim];
  in.shape[o.dim] = o.length;
  return in;
}
/// `length` elements of an axis from `start` on, or as many as there are.
constexpr strided_view part_of_axis(strided_view in, int dim, int start, int length) {
  if (start < 0 || start >= in.shape[dim] || length < 1) return {};
  in.offset += start * in.stride[dim];
  in.shape[dim] = length < in.shape[dim] - start ? length : in.shape[dim] - start;
  return in;
}
/// A part of an axis that is cut into parts of one size; the last one may be smaller.
constexpr strided_view equal_part(const strided_view& in, int dim, int length, int item) {
  const int count = (in.shape[dim] - 1) / length + 1;
  if (item < 0) item += count;
  return item < 0 || item >= count ? strided_view{} : part_of_axis(in, dim, item * length, length);
}
constexpr strided_view chunk_item(const attributes& a, const strided_view& in, int item) {
  const auto o = a.as<chunk_options>();
  return equal_part(in, o.dim, (in.shape[o.dim] - 1) / o.chunks + 1, item);
}
constexpr strided_view split_item(const attributes& a, const strided_view& in, int item) {
  const auto o = a.as<split_options>();
  const shape& sizes = o.split_size_or_sections;
  if (sizes.rank == 1) return equal_part(in, o.dim, sizes[0], item);
  if (item < 0) item += sizes.rank;
  if (item < 0 || item >= sizes.rank) return {};
  int start = 0;
  for (int i = 0; i < item; ++i) start += sizes[i];
  return part_of_axis(in, o.dim, start, sizes[item]);
}
/// All elements of a tensor that is cut into parts.
constexpr strided_view uncut(attributes, strided_view in) { return in; }
constexpr strided_view unbound(attributes a, strided_view in) {
  const auto o = a.as<unbind_options>();
  return with_axis(without_axis(in, o.dim), 0, in.shape[o.dim], in.stride[o.dim]);
}
constexpr strided_view indexed(attributes a, strided_view in) {
  const auto o = a.as<getitem_options>();
  strided_view out = in;
  int axis = 0;
  int used = 0;
  for (int i = 0; i < o.index.count; ++i) used += o.index.item[i].is() <= index_item::range ? 1 : 0;
  for (int i = 0; i < o.index.count; ++i) {
    const index_item& index = o.index.item[i];
    switch (index.is()) {
      case index_item::element:
        out.offset += index.start * out.stride[axis];
        out = without_axis(out, axis);
        break;
      case index_item::range:
        out.offset += index.start * out.stride[axis];
        out.shape[axis] = (index.stop - index.start + index.step() - 1) / index.step();
        out.stride[axis++] *= index.step();
        break;
      case index_item::new_axis: out = with_axis(out, axis++, 1, 0); break;
      case index_item::ellipsis: axis += in.shape.rank - used; break;
    }
  }
  return out;
}

}  // namespace ctq::descriptors
