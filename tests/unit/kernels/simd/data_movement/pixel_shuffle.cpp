// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/data_movement/pixel_shuffle.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "ctq/core/isa.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("channels become pixels") {
  // One pixel of 2 channels of 2 x 2, in PyTorch's order: (c, i, j).
  const std::uint8_t in[] = {1, 2, 3, 4, 5, 6, 7, 8};
  pixel_shuffle_shape s{.batch = 1, .in_h = 1, .in_w = 1, .channels = 2, .factor = 2};
  std::uint8_t out[8];
  reference::pixel_shuffle(s, in, out);
  CHECK(std::vector<int>(out, out + 8) == std::vector<int>{1, 5, 2, 6, 3, 7, 4, 8});
  s.gathers = 1;
  std::uint8_t back[8];
  reference::pixel_shuffle(s, out, back);
  CHECK(std::vector<int>(back, back + 8) == std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8});
}

namespace {

template <class T>
void check(samples::generator& random, unsigned seed) {
  const pixel_shuffle_shape s{.batch = random.between(1, 2),
                              .in_h = random.between(1, 4),
                              .in_w = random.between(1, 5),
                              .channels = random.between(1, 40),
                              .factor = random.between(1, 5),
                              .gathers = random.between(0, 1)};
  const auto count =
      static_cast<std::size_t>(s.batch * s.in_h * s.in_w * s.channels * s.factor * s.factor);
  const auto values = [&] {
    if constexpr (std::is_same_v<T, float>) {
      return samples::plain_floats(count, seed);
    } else {
      return samples::integers<T>(count, seed);
    }
  };
  const samples::fenced in(values());
  std::vector<T> expected(count);
  reference::pixel_shuffle(s, in.data(), expected.data());
  const samples::guarded<T> out(count);
  simd::pixel_shuffle<isa::native>(s, in.data(), out.data());
  CHECK(out.holds(expected));
}

}  // namespace

TEST_CASE("pixels and channels of any number equal the reference") {
  samples::for_each_seed(samples::seeds(300), [](samples::generator& random, unsigned seed) {
    check<std::int8_t>(random, seed);
    check<std::uint8_t>(random, seed);
    check<float>(random, seed);
  });
}
