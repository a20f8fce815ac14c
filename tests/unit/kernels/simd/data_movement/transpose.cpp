// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/data_movement/transpose.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

template <class T>
void check(const transpose_shape& shape) {
  CAPTURE(shape.batch);
  CAPTURE(shape.channels);
  CAPTURE(shape.pixels);
  const auto size = static_cast<std::size_t>(shape.batch * shape.channels * shape.pixels);
  std::vector<T> in(size), expected(size);
  for (std::size_t i = 0; i < size; ++i) in[i] = static_cast<T>(i % 251);
  const samples::fenced<T> planes(in);
  samples::guarded<T> out(size), back(size);
  reference::to_nhwc(shape, in.data(), expected.data());
  simd::to_nhwc<isa::native>(shape, planes.data(), out.data());
  CHECK(out.holds(expected));
  simd::to_nchw<isa::native>(shape, out.data(), back.data());
  CHECK(back.holds(in));
}

}  // namespace

TEST_CASE("to_nhwc makes the channels of a pixel contiguous") {
  const std::vector<int> in = {1, 2, 3, 4, 5, 6};  // two channels of three pixels
  std::vector<int> out(6);
  reference::to_nhwc({.batch = 1, .channels = 2, .pixels = 3}, in.data(), out.data());
  CHECK(out == std::vector<int>{1, 4, 2, 5, 3, 6});
  std::vector<int> back(6);
  reference::to_nchw({.batch = 1, .channels = 2, .pixels = 3}, out.data(), back.data());
  CHECK(back == in);
}

TEST_CASE_TEMPLATE("simd to_nhwc and to_nchw equal the reference", T, std::uint8_t, std::int8_t,
                   float) {
  for (const int batch : {0, 1, 3}) {
    for (const int channels : {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 16, 17, 31, 32, 33, 50, 64}) {
      for (const int pixels : {0, 1, 2, 3, 4, 5, 7, 9, 15, 16, 17, 18, 25, 31, 49, 64, 100}) {
        check<T>({.batch = batch, .channels = channels, .pixels = pixels});
      }
    }
  }
}

TEST_CASE_TEMPLATE("simd transposes images of any size", T, std::uint8_t, std::int8_t, float) {
  samples::for_each_seed(samples::seeds(100), [](samples::generator& random, unsigned) {
    check<T>({.batch = random.between(1, 2),
              .channels = random.between(1, 70),
              .pixels = random.between(1, 70)});
  });
}
