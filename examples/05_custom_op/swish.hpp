// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <ctq/core.hpp>
#include <ctq/kernels/reference/dequantize.hpp>
#include <ctq/kernels/reference/quantize.hpp>
#include <string_view>

// Two user-defined ops. Only their float implementation is required: models, patterns, calibration
// and both executors use it, also on integers.

namespace my {

// [swish]
/// As for built-in ops: PyTorch's names and defaults, members of four bytes.
struct swish_options {
  float beta = 1.0F;
};

/// x / (1 + exp(-beta * x))
struct op_swish : ctq::function_op<op_swish, swish_options> {
  static constexpr std::string_view name = "my.swish";

  /// The float implementation. No product is an operand of an add, so that compilers cannot
  /// contract them.
  static float apply(float x, const swish_options& o) { return x / (1.0F + std::exp(-o.beta * x)); }

  /// An optional integer kernel, for a device that has an instruction for it; by default convert
  /// creates a table of 256 entries. It must give the bytes of dequantize, apply, quantize. The tag
  /// selects the instruction set: run(ctq::isa::avx512, …) would be another overload.
  template <class Q>
  static void run(ctq::isa::scalar, ctq::tensor_ref<const Q> x, ctq::tensor_ref<Q> y,
                  const swish_options& o) {
    namespace formula = ctq::kernels::reference;
    const ctq::kernels::quantizer steps = ctq::kernels::quantizer_of(y.qparams);
    for (std::size_t i = 0; i < x.size(); ++i)
      y[i] = formula::quantize<Q>(apply(formula::dequantize(x[i], x.qparams), o), steps);
  }
};
inline constexpr op_swish swish{};
// [swish]

/// swish(x) + other: the fused op. Its options are those of the root node, the swish.
struct op_add_swish : ctq::binary_op<op_add_swish, swish_options> {
  static constexpr std::string_view name = "my.add_swish";

  static float apply(float x, float other, const swish_options& o) {
    return op_swish::apply(x, o) + other;
  }
};
inline constexpr op_add_swish add_swish{};

}  // namespace my
