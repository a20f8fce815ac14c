// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/shape_checks.hpp"
#include "ctq/ops/view_strides.hpp"

// The shapes of views, and what is wrong with their options.

namespace ctq::descriptors {

using shape_rules::settle_axis;
using shape_rules::wrong_input;

constexpr bool has_room_for_axis(diagnostic& d, const shape& in) {
  if (in.rank < static_cast<int>(max_rank)) return true;
  wrong_input(d, in, "has more than ", static_cast<int>(max_rank), " axes");
  return false;
}

constexpr shape reshape_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<reshape_options>();
  int open = -1;
  std::size_t known = 1;
  bool valid = true;
  for (int axis = 0; axis < o.shape.rank; ++axis) {
    const int extent = o.shape[axis];
    if (extent == -1 && open < 0) {
      open = axis;
    } else {
      valid = valid && extent > 0;
      known *= static_cast<std::size_t>(extent);
    }
  }
  const std::size_t elements = numel(in[0]);
  if (valid && open >= 0 && known > 0 && elements % known == 0) {
    o.shape[open] = static_cast<int>(elements / known);
    known = elements;
  }
  if (!valid || known != elements || (open >= 0 && o.shape[open] < 1))
    return wrong_input(d, in[0], "the elements do not fit ", shape_text(o.shape).view());
  a = attributes{o};
  return o.shape;
}

/// Whether a tensor can be repeated this number of times; else reports why not.
constexpr bool is_repeatable(diagnostic& d, const shape& in, int times) {
  if (times >= 1) return true;
  wrong_input(d, in, "cannot be repeated ", times, " times");
  return false;
}
constexpr shape repeat_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  const auto o = a.as<repeat_options>();
  const int more = o.repeats.rank - in[0].rank;
  if (more < 0) return wrong_input(d, in[0], "repeats needs a number for each axis");
  shape out = o.repeats;
  for (int axis = 0; axis < out.rank; ++axis) {
    if (!is_repeatable(d, in[0], out[axis])) return {};
    if (axis >= more) out[axis] *= in[0][axis - more];
  }
  return out;
}
constexpr shape repeat_interleave_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<repeat_interleave_options>();
  if (!is_repeatable(d, in[0], o.repeats)) return {};
  if (o.dim.rank == 0) return {static_cast<int>(numel(in[0])) * o.repeats};
  if (o.dim.rank > 1) return wrong_input(d, in[0], "dim is one axis");
  if (!settle_axis(d, "dim", o.dim[0], in[0].rank)) return {};
  a = attributes{o};
  shape out = in[0];
  out[o.dim[0]] *= o.repeats;
  return out;
}

constexpr shape squeeze_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<squeeze_options>();
  bool goes[max_rank]{};
  for (int i = 0; i < o.dim.rank; ++i) {
    if (!settle_axis(d, "dim", o.dim[i], in[0].rank)) return {};
    goes[o.dim[i]] = true;
  }
  shape out;
  for (int axis = 0; axis < in[0].rank; ++axis)
    if (in[0][axis] != 1 || !(o.dim.rank == 0 || goes[axis])) out[out.rank++] = in[0][axis];
  a = attributes{o};
  return out;
}

constexpr shape unsqueeze_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0) || !has_room_for_axis(d, in[0])) return {};
  auto o = a.as<unsqueeze_options>();
  if (!settle_axis(d, "dim", o.dim, in[0].rank + 1)) return {};
  a = attributes{o};
  return with_axis(strided_view{.shape = in[0]}, o.dim, 1, 0).shape;
}

constexpr shape permute_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<permute_options>();
  bool seen[max_rank]{};
  bool valid = o.dims.rank == in[0].rank;
  for (int i = 0; i < o.dims.rank && valid; ++i) {
    if (!settle_axis(d, "dims", o.dims[i], in[0].rank)) return {};
    valid = !seen[o.dims[i]];
    seen[o.dims[i]] = true;
  }
  if (!valid) return wrong_input(d, in[0], "dims must name each axis once");
  a = attributes{o};
  return permuted(a, {.shape = in[0]}).shape;
}

constexpr shape transpose_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<transpose_options>();
  if (!settle_axis(d, "dim0", o.dim0, in[0].rank) || !settle_axis(d, "dim1", o.dim1, in[0].rank))
    return {};
  a = attributes{o};
  return transposed(a, {.shape = in[0]}).shape;
}

constexpr shape t_shape_rule(view<shape> in, attributes&, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  if (in[0].rank > 2) return wrong_input(d, in[0], "requires a matrix");
  return matrix_transposed({}, {.shape = in[0]}).shape;
}

constexpr shape unflatten_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<unflatten_options>();
  if (!settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  const shape one{in[0][o.dim]};
  attributes parts{reshape_options{o.unflattened_size}};
  o.unflattened_size = reshape_shape_rule({&one, 1}, parts, d);
  if (d.any()) return {};
  if (in[0].rank - 1 + o.unflattened_size.rank > static_cast<int>(max_rank))
    return wrong_input(d, in[0], "has more than ", static_cast<int>(max_rank), " axes then");
  a = attributes{o};
  shape out;
  for (int axis = 0; axis < in[0].rank; ++axis) {
    if (axis != o.dim) {
      out[out.rank++] = in[0][axis];
    } else {
      for (int i = 0; i < o.unflattened_size.rank; ++i) out[out.rank++] = o.unflattened_size[i];
    }
  }
  return out;
}

constexpr shape expand_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<reshape_options>();
  const int before = o.shape.rank - in[0].rank;
  bool valid = before >= 0;
  for (int axis = 0; axis < o.shape.rank && valid; ++axis) {
    const int own = axis < before ? 1 : in[0][axis - before];
    if (o.shape[axis] == -1 && axis >= before) o.shape[axis] = own;
    valid = o.shape[axis] > 0 && (own == 1 || own == o.shape[axis]);
  }
  if (!valid) return wrong_input(d, in[0], "cannot be expanded to ", shape_text(o.shape).view());
  a = attributes{o};
  return o.shape;
}

constexpr shape narrow_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<narrow_options>();
  if (!settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  if (o.start < 0) o.start += in[0][o.dim];
  if (o.start < 0 || o.length < 1 || o.start > in[0][o.dim] - o.length)
    return wrong_input(d, in[0], "start and length reach outside dim ", o.dim);
  a = attributes{o};
  return narrowed(a, {.shape = in[0]}).shape;
}

/// A tensor that is cut into parts keeps its shape; op::getitem selects the parts.
constexpr shape chunk_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<chunk_options>();
  if (!settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  if (o.chunks < 1) shape_rules::complain(d, "chunks is ", o.chunks);
  a = attributes{o};
  return in[0];
}
constexpr shape split_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<split_options>();
  if (!settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  const shape& sizes = o.split_size_or_sections;
  std::int64_t sum = 0;
  bool valid = sizes.rank > 0;
  for (int i = 0; i < sizes.rank; ++i) {
    valid = valid && sizes[i] > 0;
    sum += sizes[i];
  }
  if (!valid || (sizes.rank > 1 && sum != in[0][o.dim]))
    return wrong_input(d, in[0], "sections ", shape_text(sizes).view(), " do not fit\ndim ", o.dim);
  a = attributes{o};
  return in[0];
}
constexpr shape unbind_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<unbind_options>();
  if (!settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  a = attributes{o};
  return unbound(a, {.shape = in[0]}).shape;
}

/// Elements and ends of slices are counted from the start.
constexpr shape getitem_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<getitem_options>();
  int used = 0;
  int added = 0;
  for (int i = 0; i < o.index.count; ++i) {
    used += o.index.item[i].is() <= index_item::range ? 1 : 0;
    added += o.index.item[i].is() == index_item::new_axis  ? 1
             : o.index.item[i].is() == index_item::element ? -1
                                                           : 0;
  }
  if (in[0].rank + added > static_cast<int>(max_rank))
    return wrong_input(d, in[0], "the output has more than ", static_cast<int>(max_rank), " axes");
  bool valid = used <= in[0].rank;
  int axis = 0;
  for (int i = 0; i < o.index.count && valid; ++i) {
    index_item& index = o.index.item[i];
    if (index.is() == index_item::ellipsis) axis += in[0].rank - used;
    if (index.is() > index_item::range) continue;
    const int extent = in[0][axis++];
    const bool is_slice = index.is() == index_item::range;
    const auto clipped = [extent](int place) {
      const int from_start = place < 0 ? place + extent : place;
      return from_start < 0 ? 0 : from_start > extent ? extent : from_start;
    };
    if (is_slice) {
      index.start = clipped(index.start);
      index.stop = clipped(index.stop);
      valid = index.step() >= 1 && index.start < index.stop;
    } else {
      if (index.start < 0) index.start += extent;
      valid = index.start >= 0 && index.start < extent;
    }
  }
  if (!valid) return wrong_input(d, in[0], "an index is outside the input, or\nselects nothing");
  a = attributes{o};
  return indexed(a, {.shape = in[0]}).shape;
}

}  // namespace ctq::descriptors
