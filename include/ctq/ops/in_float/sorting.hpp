// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/along_axes.hpp"

// torch.topk and torch.sort: elements along an axis in order, and their indices, which PyTorch's
// backends leave in float.

namespace ctq {

struct topk_options {
  int k{};
  int dim = -1;
  flag largest = true;
  flag sorted = true;  // they always are
};

struct sort_options {
  int dim = -1;
  flag descending = false;
  flag stable = false;  // it always is
};

}  // namespace ctq

// clang-format off
#define CTQ_SORTING(OP) \
  CTQ_FUNCTION_AND_METHOD(OP, topk, topk_options, topk) \
  CTQ_FUNCTION_AND_METHOD(OP, sort, sort_options, sort)
// clang-format on

CTQ_SORTING(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

/// The elements that come first in order, of those seen so far, as a heap in the memory of the
/// outputs, with the last one at its root.
struct first_elements {
  float *values, *indices;
  std::size_t stride;
  bool largest;
  std::size_t count = 0;

  /// NaN is above all numbers; of equal elements the earlier one comes first.
  [[nodiscard]] bool precedes(float x, float index, std::size_t other) const noexcept {
    const float y = values[other * stride];
    const bool x_above = x > y || (x != x && y == y), y_above = y > x || (y != y && x == x);
    if (x_above == y_above) return index < indices[other * stride];
    return x_above == largest;
  }

  /// Writes an element to this place of the heap, or further down, to where it belongs.
  void sink(std::size_t at, float x, float index) noexcept {
    for (std::size_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
      if (below + 1 < count && precedes(values[below * stride], indices[below * stride], below + 1))
        ++below;
      if (!precedes(x, index, below)) break;
      set(at, values[below * stride], indices[below * stride]);
      at = below;
    }
    set(at, x, index);
  }

  void set(std::size_t at, float x, float index) noexcept {
    values[at * stride] = x;
    indices[at * stride] = index;
  }

  void order() noexcept {
    while (count > 1) {
      const std::size_t last = --count;
      const float x = values[last * stride], index = indices[last * stride];
      set(last, values[0], indices[0]);
      sink(0, x, index);
    }
  }
};

/// The first k in order of each row along an axis; the indices follow all values.
inline void first_in_order(const op_arguments<float>& x, int dim, std::size_t k,
                           bool largest) noexcept {
  const std::size_t all = x.out.size();
  along_axis(x.in[0], dim, [&](strided_elements e, std::size_t before, std::size_t after) {
    float* const values = x.out.data + before * k * e.stride + after;
    first_elements kept{values, values + all, e.stride, largest, k};
    for (std::size_t i = 0; i < k; ++i) kept.set(i, e[i], static_cast<float>(i));
    for (std::size_t i = k / 2; i-- > 0;)
      kept.sink(i, values[i * e.stride], values[all + i * e.stride]);
    for (std::size_t i = k; i < e.count; ++i)
      if (kept.precedes(e[i], static_cast<float>(i), 0)) kept.sink(0, e[i], static_cast<float>(i));
    kept.order();
  });
}

template <class Isa>
[[gnu::noinline]] void topk(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<topk_options>();
  first_in_order(x, o.dim, static_cast<std::size_t>(o.k), o.largest);
}
template <class Isa>
[[gnu::noinline]] void sort(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<sort_options>();
  first_in_order(x, o.dim, static_cast<std::size_t>(x.out.shape[o.dim]), o.descending);
}

}  // namespace functions

/// Whether an int can count the values and indices together.
constexpr bool can_count_indices(const shape& out, diagnostic& d) {
  const bool fits = numel(out) <= INT32_MAX / 2;
  if (!fits) shape_rules::wrong_input(d, out, "more than 2^30 - 1 elements to sort");
  return fits;
}

constexpr shape topk_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<topk_options>();
  if (!shape_rules::settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  shape out = in[0];
  if (o.k < 1 || o.k > out[o.dim])
    return shape_rules::wrong_input(d, in[0], "k is ", o.k, " of ", out[o.dim], " elements");
  a = attributes{o};
  out[o.dim] = o.k;
  return can_count_indices(out, d) ? out : shape{};
}
constexpr shape sort_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<sort_options>();
  if (!shape_rules::settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  a = attributes{o};
  return can_count_indices(in[0], d) ? in[0] : shape{};
}

/// Values and indices have one shape.
constexpr strided_view sorted_item(const attributes&, const strided_view& whole, int item) {
  if (item < 0) item += 2;
  if (item != 0 && item != 1) return {};
  strided_view part = whole;
  part.offset += item * static_cast<int>(numel(whole.shape));
  return part;
}
constexpr kernel_signature::sizes values_and_indices(attributes, shape, shape out) {
  return of_elements(2 * static_cast<std::int64_t>(numel(out)));
}

/// A tuple of both.
constexpr op_descriptor in_sorted_order(op_descriptor::shape_rule rule,
                                        op_functions::function<float> apply) {
  return {.returns_tuple = true,
          .infer_shape = rule,
          .tuple_item = &sorted_item,
          .returns_indices = true,
          .gives_integers = integers_if::all_are,
          .functions = {.tensors = 1, .apply = apply},
          .schedule = {.how = schedule_as::function, .sizes = &values_and_indices}};
}
inline constexpr op_descriptor topk =
    in_sorted_order(&topk_shape_rule, &functions::topk<isa::native>);
inline constexpr op_descriptor sort =
    in_sorted_order(&sort_shape_rule, &functions::sort<isa::native>);

}  // namespace ctq::descriptors

CTQ_SORTING(CTQ_DESCRIBE_OP)
