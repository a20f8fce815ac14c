// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/ops/op.hpp"

// User-defined ops, one of each kind.

namespace own {

struct swish_options {
  float beta = 1.0F;
};

/// Elementwise on one tensor, with a float implementation only.
struct op_swish : ctq::function_op<op_swish, swish_options> {
  static constexpr std::string_view name = "own.swish";
  static float apply(float x, const swish_options& o) { return x / (1.0F + std::exp(-o.beta * x)); }
};
inline constexpr op_swish swish{};

/// A module without options.
struct op_square : ctq::module_op<op_square> {
  static constexpr std::string_view name = "own.Square";
  static float apply(float x) { return x * x; }
};
inline constexpr op_square square{};

/// With an integer kernel for quint8, which counts its calls.
struct op_negate : ctq::function_op<op_negate> {
  static constexpr std::string_view name = "own.negate";
  static float apply(float x) { return -x; }

  static inline int calls = 0;
  static void run(ctq::tensor_ref<const std::uint8_t> x, ctq::tensor_ref<std::uint8_t> y) {
    ++calls;
    const float inverse = 1.0F / y.qparams.scale;
    const auto low = static_cast<float>(y.qparams.quant_min - y.qparams.zero_point);
    const auto high = static_cast<float>(y.qparams.quant_max - y.qparams.zero_point);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float real = static_cast<float>(x[i] - x.qparams.zero_point) * x.qparams.scale;
      const float steps = ::nearbyintf(-real * inverse);
      const float kept = steps < low ? low : steps > high ? high : steps;
      y[i] = static_cast<std::uint8_t>(static_cast<int>(kept) + y.qparams.zero_point);
    }
  }
};
inline constexpr op_negate negate{};

/// Elementwise on two tensors.
struct op_add_swish : ctq::binary_op<op_add_swish, swish_options> {
  static constexpr std::string_view name = "own.add_swish";
  static float apply(float x, float other, const swish_options& o) {
    return op_swish::apply(x, o) + other;
  }
};
inline constexpr op_add_swish add_swish{};

/// On whole tensors: reverses each row, which depends on the memory layout. Its integer kernel
/// copies the integers, which are also the bytes of the definition if the qparams are equal.
struct op_reverse : ctq::function_op<op_reverse> {
  static constexpr std::string_view name = "own.reverse";

  template <class T>
  static void reverse(ctq::tensor_ref<const T> x, ctq::tensor_ref<T> y) {
    const auto width = static_cast<std::size_t>(x.shape[x.shape.rank - 1]);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i / width * width + width - 1 - i % width];
  }
  static void apply(ctq::tensor_ref<const float> x, ctq::tensor_ref<float> y) { reverse(x, y); }
  template <class Q>
  static void run(ctq::tensor_ref<const Q> x, ctq::tensor_ref<Q> y) {
    reverse(x, y);
  }
};
inline constexpr op_reverse reverse{};

/// Sums over the last axis, which changes the shape; no integer kernel.
struct op_sum : ctq::function_op<op_sum> {
  static constexpr std::string_view name = "own.sum";

  static constexpr ctq::shape infer_shape(ctq::view<ctq::shape> in, const ctq::no_options&,
                                          ctq::diagnostic& problem) {
    ctq::shape out = in[0];
    if (out.rank < 2) problem.line("requires 2 axes or more");
    if (out.rank > 0) --out.rank;
    return out;
  }
  static void apply(ctq::tensor_ref<const float> x, ctq::tensor_ref<float> y) {
    const std::size_t width = x.size() / y.size();
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = 0.0F;
      for (std::size_t k = 0; k < width; ++k) y[i] += x[i * width + k];
    }
  }
};
inline constexpr op_sum sum{};

/// A name without an implementation.
struct op_unknown : ctq::function_op<op_unknown> {
  static constexpr std::string_view name = "own.unknown";
};
inline constexpr op_unknown unknown{};

/// A shape rule without an implementation.
struct op_shaped : ctq::function_op<op_shaped> {
  static constexpr std::string_view name = "own.shaped";
  static constexpr ctq::shape infer_shape(ctq::view<ctq::shape> in, const ctq::no_options&,
                                          ctq::diagnostic&) {
    return in[0];
  }
};
inline constexpr op_shaped shaped{};

}  // namespace own
