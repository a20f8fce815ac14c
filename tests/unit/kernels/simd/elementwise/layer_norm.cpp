// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/layer_norm.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "ctq/core/isa.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

void check(const layer_norm_shape& s, bool affine, unsigned seed) {
  CAPTURE(s.rows);
  CAPTURE(s.count);
  CAPTURE(s.channels);
  CAPTURE(s.pixels);
  const auto size = static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.count);
  const auto channels = static_cast<std::size_t>(s.channels);
  const samples::fenced in(samples::plain_floats(size, seed));
  const samples::fenced weight(samples::plain_floats(channels, seed + 1));
  const samples::fenced bias(samples::plain_floats(channels, seed + 2));
  const float* const w = affine ? weight.data() : nullptr;
  const float* const b = affine ? bias.data() : nullptr;
  std::vector<float> expected(size);
  samples::guarded<float> out(size);
  reference::layer_norm(s, in.data(), w, b, expected.data());
  simd::layer_norm<isa::native>(s, in.data(), w, b, out.data());
  CHECK(out.holds(expected));
  samples::guarded<float> both(std::vector<float>(in.data(), in.data() + size));
  simd::layer_norm<isa::native>(s, both.data(), w, b, both.data());
  CHECK(both.holds(expected));
}

}  // namespace

TEST_CASE("layer_norm gives rows of mean 0 and variance 1, then weight and bias of each channel") {
  const std::vector<float> in = {1, 2, 3, 4, 10, 10, 10, 10};
  std::vector<float> out(8);
  reference::layer_norm({.rows = 1, .count = 4, .channels = 4}, in.data(), nullptr, nullptr,
                        out.data());
  CHECK(out[0] == doctest::Approx(-1.34164079));
  CHECK(out[3] == doctest::Approx(1.34164079));
  const std::vector<float> weight = {1, 2}, bias = {0.5F, -0.5F};
  const layer_norm_shape groups{.rows = 2, .count = 4, .channels = 2, .pixels = 2, .eps = 1e-5F};
  reference::layer_norm(groups, in.data(), weight.data(), bias.data(), out.data());
  CHECK(out[1] == doctest::Approx(0.5 - 0.44721360).epsilon(1e-5));
  CHECK(out[2] == doctest::Approx(2 * 0.44721360 - 0.5).epsilon(1e-5));
  CHECK(out[4] == 0.5F);
}

TEST_CASE("simd layer_norm gives the bits of the reference") {
  samples::for_each_seed(samples::seeds(150), [](samples::generator& random, unsigned seed) {
    const int count = random.between(1, 70);
    const bool affine = random.between(0, 1) == 1;
    check({.rows = random.between(1, 9), .count = count, .channels = count, .eps = 1e-5F}, affine,
          seed);
    const int pixels = random.between(1, 20), channels = random.between(1, 4);
    const int groups = random.between(1, 3);
    check({.rows = groups * random.between(1, 2),
           .count = channels * pixels,
           .channels = channels * groups,
           .pixels = pixels,
           .eps = 1e-3F},
          affine, seed + 5);
  });
  for (const int count : {384, 385, 1000})
    check({.rows = 7, .count = count, .channels = count, .eps = 1e-5F}, true, 1);
}
