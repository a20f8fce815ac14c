// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/quantize.hpp"
#include "samples.hpp"

// Random operands for the tests of kernels of one tensor, and the comparison with the reference.

namespace samples {

/// Compares a kernel of one operand with the reference, both called with (shape, in, qparams, out),
/// for random lengths, scales, zero points and ranges of Q. make(count, seed, qparams) returns the
/// input.
template <class Q, class Out, class Make, class Reference, class Kernel>
void check_random(Make make, Reference reference, Kernel kernel) {
  for_each_seed(seeds(300), [&](generator& random, unsigned seed) {
    const auto count = static_cast<std::size_t>(random() % 300);
    const ctq::elementwise_shape shape{static_cast<int>(count)};
    const ctq::qparams q = random_qparams<Q>(random);
    const fenced in(make(count, ~seed, q));
    std::vector<Out> expected(count);
    reference(shape, in.data(), q, expected.data());
    const guarded<Out> out(count);
    kernel(shape, in.data(), q, out.data());
    CHECK(out.holds(expected));
  });
}

/// A tensor with per-channel parameters along an axis: in half of the cases the last one.
struct channels_of_axis {
  ctq::kernels::reference::axis_shape shape;
  std::vector<float> scale;
  std::vector<std::int32_t> zero_point;
  std::int32_t lo, hi;

  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(shape.outer * shape.channels * shape.inner);
  }
};

template <class Q>
channels_of_axis random_channels(generator& random) {
  const bool last = random.between(0, 1) == 0;
  const ctq::qparams of_all = random_qparams<Q>(random);
  channels_of_axis x{{}, {}, {}, of_all.quant_min, of_all.quant_max};
  x.shape.outer = random.between(0, 4);
  x.shape.channels = random.between(1, last ? 150 : 6);
  x.shape.inner = last ? 1 : random.between(0, 70);
  const bool one_zero_point = random.between(0, 1) == 0;
  for (int c = 0; c < x.shape.channels; ++c) {
    x.scale.push_back(random_qparams<Q>(random).scale);
    x.zero_point.push_back(one_zero_point && c > 0 ? x.zero_point[0] : random.between(x.lo, x.hi));
  }
  return x;
}

/// Compares a kernel of such a tensor: kernel(shape, in, scale, zero_point, lo, hi, out)
template <class Q, class Out, class Reference, class Kernel>
void check_random_channels(Reference reference, Kernel kernel) {
  for_each_seed(seeds(300), [&](generator& random, unsigned seed) {
    const channels_of_axis x = random_channels<Q>(random);
    const fenced in(random.between(0, 1) == 0 ? plain_floats(x.count(), seed)
                                              : floats(x.count(), seed, x.scale[0]));
    std::vector<Out> expected(x.count());
    const guarded<Out> out(x.count());
    const auto run = [&](const auto& each, Out* to) {
      each(x.shape, in.data(), x.scale.data(), x.zero_point.data(), x.lo, x.hi, to);
    };
    run(reference, expected.data());
    run(kernel, out.data());
    CHECK(out.holds(expected));
  });
}

/// Compares a kernel that converts integers to another scale, zero point and range:
///   kernel(shape, in, from, to, out)
template <class Q, class Reference, class Kernel>
void check_random_steps(Reference reference, Kernel kernel) {
  for_each_seed(seeds(300), [&](generator& random, unsigned seed) {
    const ctq::qparams from = random_qparams<Q>(random);
    const ctq::qparams to = random_qparams<Q>(random);
    const ctq::elementwise_shape shape{random.between(0, 299)};
    const auto count = static_cast<std::size_t>(shape.count);
    const fenced<Q> in(integers<Q>(count, seed));
    std::vector<Q> expected(count);
    reference(shape, in.data(), from, to, expected.data());
    const guarded<Q> out(count);
    kernel(shape, in.data(), from, to, out.data());
    CHECK(out.holds(expected));
  });
}

}  // namespace samples
