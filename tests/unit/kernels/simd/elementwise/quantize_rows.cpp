// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/quantize_rows.hpp"

#include <doctest/doctest.h>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

static_assert(reference::row_qparams(127.0F) == qparams{1.0F, 0, -127, 127});
static_assert(reference::row_qparams(0.0F).scale > 0.0F);

namespace {

void check(const channels_shape& shape, const std::vector<float>& in) {
  CAPTURE(shape.rows);
  CAPTURE(shape.channels);
  const auto rows = static_cast<std::size_t>(shape.rows);
  std::vector<std::int8_t> expected(in.size());
  std::vector<float> scales(rows);
  reference::quantize_rows(shape, in.data(), expected.data(), scales.data());
  const samples::fenced<float> numbers(in);
  samples::guarded<std::int8_t> out(in.size());
  samples::guarded<float> scale(rows);
  simd::quantize_rows<isa::native>(shape, numbers.data(), out.data(), scale.data());
  CHECK(out.holds(expected));
  CHECK(scale.holds(scales));
}

}  // namespace

TEST_CASE("the largest magnitude of a row becomes 127") {
  const std::vector<float> in = {1.0F, -2.0F, 0.5F, 0.0F, 0.0F, 0.0F};
  std::vector<std::int8_t> out(6);
  std::vector<float> scale(2);
  reference::quantize_rows({2, 3}, in.data(), out.data(), scale.data());
  CHECK(out == std::vector<std::int8_t>{64, -127, 32, 0, 0, 0});  // 63.5 and 31.75 to even
  CHECK(scale[0] == 2.0F / 127.0F);
}

TEST_CASE("simd quantize_rows gives the bits of the reference") {
  for (const int n : samples::lengths()) {
    const auto count = 3 * static_cast<std::size_t>(n);
    const auto seed = static_cast<unsigned>(n) + 5U;
    check({3, n}, samples::floats(count, seed));
    check({3, n}, samples::plain_floats(count, seed));
  }
}

TEST_CASE("simd quantize_rows gives the bits of the reference for rows of any size") {
  samples::for_each_seed(samples::seeds(300), [](samples::generator& random, unsigned seed) {
    const channels_shape shape{random.between(0, 3), random.between(0, 150)};
    const auto count = static_cast<std::size_t>(shape.rows * shape.channels);
    check(shape, seed % 2 == 0 ? samples::floats(count, seed) : samples::plain_floats(count, seed));
  });
}
