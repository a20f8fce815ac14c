// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/ops/arithmetic.hpp"
#include "ctq/ops/attention.hpp"
#include "ctq/ops/broadcast.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/broadcasting.hpp"

// Comparisons and ops that read masks, in float. A mask, which is bool in PyTorch, is 1 where the
// condition holds and 0 elsewhere; it may also be a parameter or a buffer.

namespace ctq {

struct masked_fill_options {
  float value{};
  flag unless = false;  // where the mask is 0, as torch.where(mask, x, value) has it
};

struct where_options {
  shape shape_of_other{};  // of the last tensor: the shape rule finds it
};

struct full_like_options {
  float fill_value{};
};

}  // namespace ctq

// clang-format off
#define CTQ_COMPARISON(OP, identifier) \
  OP(op, binary_op, identifier, "_operator." #identifier, no_options, op_##identifier) \
  OP(fn, binary_op, identifier, "torch." #identifier, no_options, fn_##identifier) \
  OP(method, binary_method, identifier, #identifier, no_options, method_##identifier)

#define CTQ_MASKS(OP) \
  CTQ_COMPARISON(OP, eq) \
  CTQ_COMPARISON(OP, ne) \
  CTQ_COMPARISON(OP, lt) \
  CTQ_COMPARISON(OP, le) \
  CTQ_COMPARISON(OP, gt) \
  CTQ_COMPARISON(OP, ge) \
  OP(op, binary_op, and_, "_operator.and_", no_options, mask_and) \
  OP(op, binary_op, or_, "_operator.or_", no_options, mask_or) \
  OP(op, function_op, invert, "_operator.invert", no_options, mask_not) \
  OP(fn, binary_op, logical_and, "torch.logical_and", no_options, logical_and) \
  OP(fn, binary_op, logical_or, "torch.logical_or", no_options, logical_or) \
  CTQ_FUNCTION_AND_METHOD(OP, logical_not, no_options, logical_not) \
  OP(method, binary_method, masked_fill, "masked_fill", masked_fill_options, masked_fill) \
  OP(method, binary_method, masked_fill_, "masked_fill_", masked_fill_options, masked_fill_in_place) \
  OP(fn, binary_op, masked_fill, "torch.masked_fill", masked_fill_options, masked_fill) \
  OP(fn, ternary_op, where, "torch.where", where_options, where) \
  OP(fn, function_op, full_like, "torch.full_like", full_like_options, full_like) \
  OP(fn, function_op, zeros_like, "torch.zeros_like", no_options, zeros_like) \
  OP(fn, function_op, ones_like, "torch.ones_like", no_options, ones_like)
// clang-format on

CTQ_MASKS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

constexpr bool equal(float x, float y) noexcept { return x == y; }
constexpr bool not_equal(float x, float y) noexcept { return x != y; }
constexpr bool less(float x, float y) noexcept { return x < y; }
constexpr bool less_equal(float x, float y) noexcept { return x <= y; }
constexpr bool greater(float x, float y) noexcept { return x > y; }
constexpr bool greater_equal(float x, float y) noexcept { return x >= y; }
constexpr bool both(float x, float y) noexcept { return x != 0.0F && y != 0.0F; }
constexpr bool either(float x, float y) noexcept { return x != 0.0F || y != 0.0F; }
constexpr float logical_not(float x) noexcept { return x == 0.0F ? 1.0F : 0.0F; }
constexpr float filled(float, const full_like_options& o) noexcept { return o.fill_value; }
constexpr float zero(float) noexcept { return 0.0F; }
constexpr float one(float) noexcept { return 1.0F; }

/// Compares two tensors, or a tensor and a number.
template <auto Holds, class Isa>
[[gnu::noinline]] void compare(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto mask = [](float left, float right) { return Holds(left, right) ? 1.0F : 0.0F; };
  const auto number = a.as<scalar_operand>();
  const std::size_t n = x.out.size();
  if (number.position == 2)
    for (std::size_t i = 0; i < n; ++i) x.out[i] = mask(x.in[0][i], number.value);
  else if (number.position == 1)
    for (std::size_t i = 0; i < n; ++i) x.out[i] = mask(number.value, x.in[0][i]);
  else
    for_each_broadcast(
        x.out.shape,
        [&](std::size_t i, std::size_t left, std::size_t right) {
          x.out[i] = mask(x.in[0][left], x.in[1][right]);
        },
        x.in[0].shape, x.in[1].shape);
}

template <class Isa>
[[gnu::noinline]] void masked_fill(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<masked_fill_options>();
  const bool unless = o.unless;
  for_each_broadcast(
      x.out.shape,
      [&](std::size_t i, std::size_t from, std::size_t mask) {
        x.out[i] = (x.in[1][mask] != 0.0F) == unless ? x.in[0][from] : o.value;
      },
      x.in[0].shape, x.in[1].shape);
}

template <class Isa>
[[gnu::noinline]] void where(const op_arguments<float>& x, const attributes& a) noexcept {
  for_each_broadcast(
      x.out.shape,
      [&](std::size_t i, std::size_t mask, std::size_t then, std::size_t otherwise) {
        x.out[i] = x.in[0][mask] != 0.0F ? x.in[1][then] : x.in[2][otherwise];
      },
      x.in[0].shape, x.in[1].shape, a.as<where_options>().shape_of_other);
}

}  // namespace functions

/// The mask has the shape of both, broadcast.
template <auto Holds>
constexpr op_descriptor comparison(op_id itself) {
  return {.infer_shape = &two_shapes,
          .gives_integers = integers_if::never_but_a_mask,
          .functions = {.tensors = 2, .apply = &functions::compare<Holds, isa::native>},
          .schedule = {.how = schedule_as::function, .with_number = itself}};
}
#define CTQ_COMPARISON_FORMS(identifier, holds)             \
  inline constexpr op_descriptor op_##identifier =          \
      comparison<functions::holds>(&op::info_##identifier); \
  inline constexpr op_descriptor fn_##identifier =          \
      comparison<functions::holds>(&fn::info_##identifier); \
  inline constexpr op_descriptor method_##identifier =      \
      comparison<functions::holds>(&method::info_##identifier);
CTQ_COMPARISON_FORMS(eq, equal)
CTQ_COMPARISON_FORMS(ne, not_equal)
CTQ_COMPARISON_FORMS(lt, less)
CTQ_COMPARISON_FORMS(le, less_equal)
CTQ_COMPARISON_FORMS(gt, greater)
CTQ_COMPARISON_FORMS(ge, greater_equal)
#undef CTQ_COMPARISON_FORMS

inline constexpr op_descriptor logical_and = comparison<functions::both>(nullptr);
inline constexpr op_descriptor logical_or = comparison<functions::either>(nullptr);
inline constexpr op_descriptor logical_not = keeping_integers(
    float_activation(elementwise<functions::logical_not>), integers_if::never_but_a_mask);
constexpr op_descriptor bitwise(op_descriptor d) {
  d.is_bitwise = true;
  return d;
}
inline constexpr op_descriptor mask_and = bitwise(logical_and);
inline constexpr op_descriptor mask_or = bitwise(logical_or);
inline constexpr op_descriptor mask_not = bitwise(logical_not);
inline constexpr op_descriptor full_like =
    keeping_integers_with<&has_integer<full_like_options, &full_like_options::fill_value>>(
        float_activation(elementwise<functions::filled, full_like_options>));
inline constexpr op_descriptor zeros_like =
    keeping_integers(float_activation(elementwise<functions::zero>));
inline constexpr op_descriptor ones_like =
    keeping_integers(float_activation(elementwise<functions::one>));

/// A mask that broadcasts to the tensor.
constexpr shape masked_fill_rule(ctq::view<shape> in, attributes&, diagnostic& d) {
  if (!shape_rules::needs(d, in, 2, 0)) return {};
  const shape out = shape_rules::broadcast(in[0], in[1], d);
  if (d.any() || out == in[0]) return out;
  shape_rules::complain(d, "mask has more elements than the tensor");
  shape_rules::show_input(d, in[0]);
  shape_rules::show_input(d, in[1]);
  return {};
}
inline constexpr op_descriptor masked_fill =
    keeping_integers_with<&has_integer<masked_fill_options, &masked_fill_options::value>>(
        {.first_non_tensor = 1,
         .end_non_tensors = 3,
         .infer_shape = &masked_fill_rule,
         .functions = {.tensors = 2, .apply = &functions::masked_fill<isa::native>},
         .schedule = {.how = schedule_as::function}},
        integers_if::first_is);
inline constexpr op_descriptor masked_fill_in_place = in_place(masked_fill);

constexpr shape where_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 3, 0)) return {};
  a = attributes{where_options{in[2]}};
  const shape both = shape_rules::broadcast(in[1], in[2], d);
  return d.any() ? shape{} : shape_rules::broadcast(in[0], both, d);
}
inline constexpr op_descriptor where{
    .infer_shape = &where_rule,
    .gives_integers = integers_if::all_but_first_are,
    .functions = {.tensors = 3, .apply = &functions::where<isa::native>},
    .schedule = {.how = schedule_as::function}};

}  // namespace ctq::descriptors

CTQ_MASKS(CTQ_DESCRIBE_OP)
