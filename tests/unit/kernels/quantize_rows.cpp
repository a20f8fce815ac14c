// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/quantize_rows.hpp"

#include <doctest/doctest.h>

#include "samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

static_assert(reference::row_qparams(127.0F) == qparams{1.0F, 0, -127, 127});
static_assert(reference::row_qparams(0.0F).scale > 0.0F);

TEST_CASE("the largest number of a row becomes 127") {
  const std::vector<float> in = {1.0F, -2.0F, 0.5F, 0.0F, 0.0F, 0.0F};
  std::vector<std::int8_t> out(6);
  std::vector<float> scale(2);
  reference::quantize_rows({2, 3}, in.data(), out.data(), scale.data());
  CHECK(out == std::vector<std::int8_t>{64, -127, 32, 0, 0, 0});  // 63.5 and 31.75 to even
  CHECK(scale[0] == 2.0F / 127.0F);
}

TEST_CASE("simd quantize_rows gives the bits of the reference") {
  for (const int n : samples::lengths()) {
    for (const bool awkward : {false, true}) {
      CAPTURE(n);
      const auto count = 3 * static_cast<std::size_t>(n);
      const auto seed = static_cast<unsigned>(n) + 5U;
      const auto in = awkward ? samples::floats(count, seed) : samples::plain_floats(count, seed);
      std::vector<std::int8_t> expected(count);
      std::vector<float> scales(3);
      reference::quantize_rows({3, n}, in.data(), expected.data(), scales.data());
      samples::guarded<std::int8_t> out(count);
      samples::guarded<float> scale(3);
      simd::quantize_rows<isa::native>({3, n}, in.data(), out.data(), scale.data());
      CHECK(out.holds(expected));
      CHECK(scale.holds(scales));
    }
  }
}
