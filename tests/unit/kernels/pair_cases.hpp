// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "samples.hpp"

// Operands for the tests of kernels with two inputs, and the comparison with the reference:
//   kernel(shape, a, a_q, b, b_q, out_q, out, relu)    on integers
//   kernel(shape, a, b, out, relu)                     on floats

namespace samples {

/// All lengths, out of place and in place of either operand; all combinations of scales, and equal
/// scales.
template <class Q, class Reference, class Kernel>
void check_pairs(Reference reference, Kernel kernel) {
  const auto qs = qparams<Q>();
  const std::size_t mixed = qs.size() * qs.size();
  for (std::size_t k = 0; k < mixed + qs.size(); ++k) {
    const ctq::qparams& a_q = qs[k % qs.size()];
    const ctq::qparams& b_q = k < mixed ? qs[k / qs.size()] : a_q;
    const ctq::qparams& out_q = k < mixed ? qs[(k * 5 + k / 7) % qs.size()] : a_q;
    for (const int n : lengths()) {
      CAPTURE(k);
      CAPTURE(n);
      const ctq::elementwise_shape shape{n};
      const bool relu = n % 2 == 0;
      const auto count = static_cast<std::size_t>(n);
      const auto a = integers<Q>(count, 11U + static_cast<unsigned>(n));
      const auto b = integers<Q>(count, 12U + static_cast<unsigned>(k));
      std::vector<Q> expected(count);
      reference(shape, a.data(), a_q, b.data(), b_q, out_q, expected.data(), relu);
      const guarded<Q> out(count), onto_a(a), onto_b(b);
      kernel(shape, a.data(), a_q, b.data(), b_q, out_q, out.data(), relu);
      kernel(shape, onto_a.data(), a_q, b.data(), b_q, out_q, onto_a.data(), relu);
      kernel(shape, a.data(), a_q, onto_b.data(), b_q, out_q, onto_b.data(), relu);
      CHECK(out.holds(expected));
      CHECK(onto_a.holds(expected));
      CHECK(onto_b.holds(expected));
    }
  }
}

/// Random lengths, scales, zero points and ranges.
template <class Q, class Reference, class Kernel>
void check_random_pairs(Reference reference, Kernel kernel) {
  for_each_seed(seeds(300), [&](generator& random, unsigned seed) {
    const auto count = static_cast<std::size_t>(random() % 300);
    const ctq::elementwise_shape shape{static_cast<int>(count)};
    const fenced<Q> a(integers<Q>(count, seed)), b(integers<Q>(count, ~seed));
    const ctq::qparams a_q = random_qparams<Q>(random);
    const ctq::qparams b_q = random_qparams<Q>(random);
    const ctq::qparams out_q = random_qparams<Q>(random);
    const bool relu = random() % 2 == 0;
    std::vector<Q> expected(count);
    reference(shape, a.data(), a_q, b.data(), b_q, out_q, expected.data(), relu);
    const guarded<Q> out(count);
    kernel(shape, a.data(), a_q, b.data(), b_q, out_q, out.data(), relu);
    CHECK(out.holds(expected));
  });
}

/// Floats, including NaN and infinity.
template <class Reference, class Kernel>
void check_float_pairs(Reference reference, Kernel kernel) {
  for (const int n : lengths()) {
    for (const bool relu : {false, true}) {
      CAPTURE(n);
      const ctq::elementwise_shape shape{n};
      const auto count = static_cast<std::size_t>(n);
      const auto a = floats(count, 21U + static_cast<unsigned>(n));
      const auto b = plain_floats(count, 22U + static_cast<unsigned>(n));
      std::vector<float> expected(count);
      reference(shape, a.data(), b.data(), expected.data(), relu);
      const guarded<float> out(count), onto_a(a);
      kernel(shape, a.data(), b.data(), out.data(), relu);
      kernel(shape, onto_a.data(), b.data(), onto_a.data(), relu);
      CHECK(out.holds(expected));
      CHECK(onto_a.holds(expected));
    }
  }
}

/// All pairs of bytes: a[i], b[i] = i / 256, i % 256.
template <class Q>
struct all_pairs {
  std::vector<Q> a = std::vector<Q>(65536), b = std::vector<Q>(65536);
  all_pairs() {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<Q>(i / 256);
      b[i] = static_cast<Q>(i % 256);
    }
  }
};

}  // namespace samples
