// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <ctq/core.hpp>
#include <ctq/kernels/reference/dequantize.hpp>
#include <ctq/kernels/reference/quantize.hpp>
#include <string_view>

// Two ops that ctq does not have. What they mean on floats is all that has to be said: models,
// patterns, calibration and both executors take it from there, on integers too.

namespace my {

// [swish]
/// As those of ctq's ops: PyTorch's names and defaults, members of four bytes.
struct swish_options {
  float beta = 1.0F;
};

/// x / (1 + exp(-beta * x))
struct op_swish : ctq::function_op<op_swish, swish_options> {
  static constexpr std::string_view name = "my.swish";

  /// Its meaning. No product feeds an add, so no compiler makes one instruction of the two.
  static float apply(float x, const swish_options& o) { return x / (1.0F + std::exp(-o.beta * x)); }

  /// A kernel of its own on integers, for a device that has an instruction for it; left out,
  /// convert makes a table of 256 entries. It has to give the bytes of dequantize, apply, quantize.
  /// Its tag says for which instruction sets it is: run(ctq::isa::avx512, …) would be another
  /// overload.
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

/// swish(x) + other: what the backend makes of the two. Its options are those of the node that
/// gives the fused one its arguments, the swish.
struct op_add_swish : ctq::binary_op<op_add_swish, swish_options> {
  static constexpr std::string_view name = "my.add_swish";

  static float apply(float x, float other, const swish_options& o) {
    return op_swish::apply(x, o) + other;
  }
};
inline constexpr op_add_swish add_swish{};

}  // namespace my
