// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/tanh.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("tanh is within 2e-7 of the exact one, and keeps NaN") {
  for (int i = -4000; i <= 4000; ++i) {
    const float x = 0.0031F * static_cast<float>(i);
    float y = 0.0F;
    reference::tanh({1}, &x, &y);
    CHECK(std::fabs(static_cast<double>(y) - std::tanh(static_cast<double>(x))) < 2e-7);
  }
  const float odd = std::nanf("");
  float y = 0.0F;
  reference::tanh({1}, &odd, &y);
  CHECK(y != y);
}

TEST_CASE("simd tanh gives the bits of the reference, also in place") {
  for (const int n : samples::lengths()) {
    CAPTURE(n);
    const auto count = static_cast<std::size_t>(n);
    const auto in = samples::floats(count, 31U + static_cast<unsigned>(n));
    std::vector<float> expected(count);
    reference::tanh({n}, in.data(), expected.data());
    samples::guarded<float> out(count), both(in);
    simd::tanh<isa::native>({n}, in.data(), out.data());
    simd::tanh<isa::native>({n}, both.data(), both.data());
    CHECK(out.holds(expected));
    CHECK(both.holds(expected));
  }
}
