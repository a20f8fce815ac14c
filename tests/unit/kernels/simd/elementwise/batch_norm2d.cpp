// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/batch_norm2d.hpp"

#include <doctest/doctest.h>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

void check(const channels_shape& shape, bool relu, unsigned seed) {
  CAPTURE(shape.rows);
  CAPTURE(shape.channels);
  const auto per_channel = static_cast<std::size_t>(shape.channels);
  const auto size = static_cast<std::size_t>(shape.rows) * per_channel;
  const auto numbers = samples::floats(size, seed);
  const samples::fenced in(numbers);
  const samples::fenced scale(samples::plain_floats(per_channel, seed + 1));
  const samples::fenced shift(samples::plain_floats(per_channel, seed + 2));
  std::vector<float> expected(size);
  reference::batch_norm2d(shape, in.data(), scale.data(), shift.data(), relu, expected.data());
  samples::guarded<float> out(size), same(numbers);
  simd::batch_norm2d<isa::native>(shape, in.data(), scale.data(), shift.data(), relu, out.data());
  CHECK(out.holds(expected));
  simd::batch_norm2d<isa::native>(shape, same.data(), scale.data(), shift.data(), relu,
                                  same.data());
  CHECK(same.holds(expected));
}

}  // namespace

TEST_CASE("batch_norm2d scales and shifts each channel, rounding once") {
  const std::vector<float> in = {1.0F, 2.0F, -1.0F, 0x1.000002p0F};
  const std::vector<float> scale = {2.0F, 0x1.000002p0F};
  const std::vector<float> shift = {0.5F, -0x1.000004p0F};
  std::vector<float> out(4);
  reference::batch_norm2d({.rows = 2, .channels = 2}, in.data(), scale.data(), shift.data(), false,
                          out.data());
  CHECK(out[0] == 2.5F);
  CHECK(out[2] == -1.5F);
  CHECK(out[3] == 0x1p-46F);  // (1 + 2⁻²³)² - (1 + 2⁻²²); a rounded product would give 0
  reference::batch_norm2d({.rows = 2, .channels = 2}, in.data(), scale.data(), shift.data(), true,
                          out.data());
  CHECK(out[2] == 0.0F);
}

TEST_CASE("simd batch_norm2d gives the bits of the reference") {
  unsigned seed = 31;
  for (int channels = 0; channels <= 70; ++channels) {
    for (const int rows : {0, 1, 3}) {
      for (const bool relu : {false, true}) check({rows, channels}, relu, seed++);
    }
  }
}

TEST_CASE("simd batch_norm2d gives the bits of the reference for any number of channels") {
  samples::for_each_seed(samples::seeds(100), [](samples::generator& random, unsigned seed) {
    const channels_shape shape{random.between(0, 4), random.between(0, 150)};
    check(shape, seed % 2 == 0, seed);
  });
}
