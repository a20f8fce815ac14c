// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/dequantize_apply_quantize.hpp"

#include <doctest/doctest.h>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

static_assert(simd::scaled_fits_int32(1.0F, quantizer_of({1.0F, 0, 0, 255})));
static_assert(!simd::scaled_fits_int32(1.0F, quantizer_of({0x1p-30F, 0, 0, 255})));

namespace {

/// x * y * z of three tensors, with or without clamping before rounding.
template <class Isa, class R>
void multiply(bool fits, elementwise_shape shape, const quantizer& to, R* out,
              const simd::quantized_operand<std::uint8_t>& x,
              const simd::quantized_operand<std::int8_t>& y,
              const simd::quantized_operand<std::uint8_t>& z) {
  const auto op = [](const auto& a, const auto& b, const auto& c) { return a * b * c; };
  const auto element = simd::dequantize_apply_quantize_at(out, to, op, x, y, z);
  if constexpr (vectorized<Isa>) {
    simd::dequantize_apply_quantize<Isa>(shape, fits, out, to, op, x, y, z);
  } else {
    for (int i = 0; i < shape.count; ++i) element(i);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("any number of operands, of either type, are combined as floats", R,
                   std::uint8_t, std::int8_t) {
  constexpr int lo = std::numeric_limits<R>::lowest();
  const qparams x_q{0.05F, 117, 0, 255}, y_q{0.03F, 5, -128, 127}, z_q{0.5F, 3, 0, 255};
  const quantizer to = quantizer_of({0.21F, lo + 90, lo + 2, lo + 250});
  for (const int n : samples::lengths()) {
    CAPTURE(n);
    const auto count = static_cast<std::size_t>(n);
    const auto x = samples::integers<std::uint8_t>(count, 1U + static_cast<unsigned>(n));
    const auto y = samples::integers<std::int8_t>(count, 2U + static_cast<unsigned>(n));
    const auto z = samples::integers<std::uint8_t>(count, 3U + static_cast<unsigned>(n));
    std::vector<R> expected;
    for (std::size_t i = 0; i < count; ++i) {
      expected.push_back(reference::quantize<R>(reference::dequantize(x[i], x_q) *
                                                    reference::dequantize(y[i], y_q) *
                                                    reference::dequantize(z[i], z_q),
                                                to));
    }
    for (const bool fits : {true, false}) {
      const samples::guarded<R> out(count);
      multiply<isa::native>(fits, {n}, to, out.data(), {x.data(), x_q}, {y.data(), y_q},
                            {z.data(), z_q});
      CHECK(out.holds(expected));
    }
  }
}
