// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/pooling/pooling_max.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include "kernels/pool_shapes.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

template <class T>
void compare(const pool_shape& shape, const std::vector<T>& numbers) {
  CAPTURE(shape.channels);
  CAPTURE(shape.in_h);
  CAPTURE(shape.kernel_h);
  CAPTURE(shape.stride_h);
  CAPTURE(shape.padding_h);
  CAPTURE(shape.dilation_h);
  const samples::fenced in(numbers);
  std::vector<T> expected(samples::out_size(shape));
  reference::pooling_max(shape, in.data(), expected.data());
  samples::guarded<T> out(expected.size());
  simd::pooling_max<isa::native>(shape, in.data(), out.data());
  CHECK(out.holds(expected));
}

using samples::in_size;

}  // namespace

TEST_CASE("padding is never the maximum") {
  const std::vector<std::int8_t> in = {-5, -6, -7, -8};
  std::vector<std::int8_t> out(4);
  reference::pooling_max({.batch = 1,
                          .in_h = 2,
                          .in_w = 2,
                          .channels = 1,
                          .out_h = 2,
                          .out_w = 2,
                          .kernel_h = 3,
                          .kernel_w = 3,
                          .stride_h = 2,
                          .stride_w = 2,
                          .padding_h = 1,
                          .padding_w = 1},
                         in.data(), out.data());
  CHECK(out[0] == -5);
}

TEST_CASE("the maximum of each channel, NaN if there is one") {
  const std::vector<float> in = {1, 8, 2, 7, 3, 6, std::nanf(""), 5};  // 2 x 2 pixels, 2 channels
  std::vector<float> out(2);
  reference::pooling_max({.batch = 1,
                          .in_h = 2,
                          .in_w = 2,
                          .channels = 2,
                          .out_h = 1,
                          .out_w = 1,
                          .kernel_h = 2,
                          .kernel_w = 2},
                         in.data(), out.data());
  CHECK(std::isnan(out[0]));
  CHECK(out[1] == 8);
}

TEST_CASE("a window of only padding gives the lowest value") {
  const pool_shape shape{.batch = 1,
                         .in_h = 1,
                         .in_w = 1,
                         .channels = 1,
                         .out_h = 1,
                         .out_w = 1,
                         .kernel_h = 2,
                         .kernel_w = 2,
                         .padding_h = 1,
                         .padding_w = 1,
                         .dilation_h = 2,
                         .dilation_w = 2};
  const float x = 3.0F;
  float y = 0.0F;
  reference::pooling_max(shape, &x, &y);
  CHECK(y == -std::numeric_limits<float>::infinity());
}

TEST_CASE_TEMPLATE("simd pooling_max gives the bytes of the reference", T, std::uint8_t,
                   std::int8_t, float) {
  for (const int channels : {0, 1, 3, 4, 6, 7, 8, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 130}) {
    for (const pool_shape& shape : samples::pool_shapes(channels, true)) {
      if constexpr (std::is_same_v<T, float>) {
        compare<T>(shape, samples::floats(in_size(shape), 41U));
      } else {
        compare<T>(shape, samples::integers<T>(in_size(shape), 42U));
      }
    }
  }
}

TEST_CASE_TEMPLATE("simd pooling_max gives the bytes of the reference for random windows", T,
                   std::uint8_t, std::int8_t, float) {
  samples::for_each_seed(samples::seeds(100), [](samples::generator& random, unsigned seed) {
    const pool_shape shape = samples::random_pool(random, true);
    if constexpr (std::is_same_v<T, float>) {
      compare<T>(shape, samples::floats(in_size(shape), seed));
    } else {
      compare<T>(shape, samples::integers<T>(in_size(shape), seed));
    }
  });
}
