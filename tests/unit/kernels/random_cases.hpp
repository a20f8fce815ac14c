// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include "ctq/core/kernel_signature.hpp"
#include "samples.hpp"

namespace samples {

/// A kernel of one operand beside the reference, both called with (shape, in, qparams, out): any
/// length, and scale, zero point and range of a Q. make(count, seed, qparams) gives the input.
template <class Q, class Out, class Make, class Reference, class Kernel>
void check_random(Make make, Reference reference, Kernel kernel) {
  for_random_cases(300, [&](generator& random, unsigned seed) {
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

}  // namespace samples
