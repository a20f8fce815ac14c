// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "ctq/kernels/reference/epilogue.hpp"
#include "ctq/kernels/simd/epilogue/epilogue.hpp"
#include "layer_case.hpp"

// Layers with an epilogue, compared with the separate ops. Shapes are constants: run-time shapes
// would compile too many tiles.

namespace epilogue_cases {

using namespace ctq;
using namespace ctq::kernels;

template <conv2d_shape S>
using constant = std::integral_constant<conv2d_shape, S>;
template <linear_shape S>
using layer = std::integral_constant<conv2d_shape, simd::as_conv2d(S)>;

/// A layer with random operands, and the reference result.
template <class In>
class random_layer {
 public:
  random_layer(const conv2d_shape& shape, unsigned seed)
      : s(shape),
        random(seed),
        in_(samples::integers<In>(samples::in_elements(s), samples::values::random, random)),
        weight_(samples::integers<std::int8_t>(
            static_cast<std::size_t>(s.out_channels * samples::terms(s)), samples::values::random,
            random)),
        sums_(samples::random_epilogue<In>(s.out_channels, samples::terms(s), random)),
        in_zero_point_(std::numeric_limits<In>::lowest() + static_cast<int>(random() % 256)) {}

  [[nodiscard]] const output_range& range() const { return sums_.to; }
  [[nodiscard]] float multiplier(std::size_t output) const {
    return sums_.multiplier[output % sums_.multiplier.size()];
  }

  /// With requantization only, or with an epilogue.
  [[nodiscard]] std::vector<In> requantized() const {
    std::vector<In> out(samples::out_elements(s));
    reference::conv2d(s, in_.data(), weight_.data(), sums_.bias.data(), sums_.multiplier.data(),
                      sums_.to, in_zero_point_, out.data());
    return out;
  }
  template <class Epilogue>
  [[nodiscard]] std::vector<typename Epilogue::output> expected(const Epilogue& e) const {
    std::vector<typename Epilogue::output> out(samples::out_elements(s));
    reference::conv2d(s, in_.data(), weight_.data(), sums_.bias.data(), sums_.multiplier.data(), e,
                      in_zero_point_, out.data());
    return out;
  }

  /// Whether the kernel for the compile-time shape gives the same result.
  template <class Isa, class Shape, bool InRegisters = true, class Epilogue>
  [[nodiscard]] bool gives(const Epilogue& e,
                           const std::vector<typename Epilogue::output>& wanted) const {
    const samples::aligned_bytes packed(simd::conv2d_packed_bytes<Isa>(s, samples::dtype_of<In>));
    const samples::aligned_bytes workspace(
        simd::conv2d_workspace_bytes<Isa>(s, samples::dtype_of<In>));
    simd::pack<Isa, In>(s,
                        simd::unpacked{weight_.data(), sums_.bias.data(), sums_.multiplier.data()},
                        packed.data());
    samples::guarded<typename Epilogue::output> out(wanted.size());
    if constexpr (InRegisters) {
      simd::conv2d_in_registers<Isa>(Shape{}, in_.data(), packed.data(), e, in_zero_point_,
                                     out.data(), workspace.data());
    } else {
      simd::conv2d<Isa>(Shape{}, in_.data(), packed.data(), e, in_zero_point_, out.data(),
                        workspace.data());
    }
    return out.holds(wanted);
  }

  conv2d_shape s;
  samples::generator random;

 private:
  samples::fenced<In> in_;
  std::vector<std::int8_t> weight_;
  samples::epilogue sums_;
  std::int32_t in_zero_point_;
};

/// The separate ops: requantize, add, table lookup.
template <class Isa, class Shape, class Q, bool InRegisters = true>
void check_stages(unsigned seed) {
  CAPTURE(seed);
  random_layer<Q> x(Shape::value, seed);
  const std::size_t n = samples::out_elements(x.s);
  const elementwise_shape count{static_cast<int>(n)};
  const samples::fenced<Q> skip(samples::integers<Q>(n, seed));
  const samples::fenced<Q> table(samples::integers<Q>(256, ~seed));
  const qparams from = samples::random_qparams<Q>(x.random);
  const qparams skip_q = samples::random_qparams<Q>(x.random);
  const qparams to = samples::random_qparams<Q>(x.random);
  const bool relu = seed % 2 == 0;

  std::vector<Q> expected = x.requantized();
  reference::binary_add(count, expected.data(), from, skip.data(), skip_q, to, expected.data(),
                        relu);
  for (Q& q : expected) q = table.data()[static_cast<std::uint8_t>(q)];

  const epilogue e{requantize_per_channel<Q>{x.range()},
                   residual_add<Q>{skip.data(), from, skip_q, to, relu},
                   lookup_table<Q>{table.data()}};
  CHECK((x.expected(e) == expected));
  CHECK(x.template gives<Isa, Shape, InRegisters>(e, expected));
}

/// Accumulators stored as int32.
template <class Isa, class Shape, class In>
void check_wide(unsigned seed) {
  CAPTURE(seed);
  random_layer<In> x(Shape::value, seed);
  const epilogue sums{store_accumulators{}};
  const std::vector<std::int32_t> kept = x.expected(sums);
  CHECK(x.template gives<Isa, Shape>(sums, kept));
}

/// Input and output types differ in signedness.
template <class Isa, class Shape, class In>
void check_other_sign(unsigned seed) {
  CAPTURE(seed);
  using out = std::conditional_t<std::is_signed_v<In>, std::uint8_t, std::int8_t>;
  random_layer<In> x(Shape::value, seed);
  const std::vector<std::int32_t> sums = x.expected(epilogue{store_accumulators{}});
  const output_range to = samples::random_epilogue<out>(1, 1, x.random).to;
  const epilogue e{requantize_per_channel<out>{to}};
  std::vector<out> expected(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i)
    expected[i] = static_cast<out>(reference::requantize(sums[i], x.multiplier(i), to));
  CHECK((x.expected(e) == expected));
  CHECK(x.template gives<Isa, Shape>(e, expected));
}

/// All of these for many seeds; at least three each for dense layers, depthwise layers and tiles.
template <class Shape, class Check>
void many(Check check) {
  CAPTURE(samples::describe(Shape::value));
  samples::for_each_seed(samples::seeds(8, 3),
                         [&](samples::generator&, unsigned seed) { check(seed); });
}

}  // namespace epilogue_cases
