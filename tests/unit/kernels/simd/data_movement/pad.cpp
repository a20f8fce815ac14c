// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/data_movement/pad.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "ctq/core/isa.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

/// A row of 1, 2, 3, 4 with elements more before and after it.
std::vector<float> row(padding_rule rule, int before, int after) {
  const float in[] = {1, 2, 3, 4};
  std::vector<float> out(static_cast<std::size_t>(4 + before + after));
  pad_shape s{rule, std::bit_cast<int>(9.0F), {1, 1, 1, 1, 1, 4}, {}, {1, 1, 1, 1, 1, 4}};
  s.before[5] = before;
  s.out[5] += before + after;
  reference::pad(s, in, out.data());
  return out;
}

}  // namespace

TEST_CASE("an axis is padded by a value, by its reflection, by its ends, by itself, or cropped") {
  using v = std::vector<float>;
  CHECK(row(padding_rule::constant, 2, 1) == v{9, 9, 1, 2, 3, 4, 9});
  CHECK(row(padding_rule::reflect, 2, 3) == v{3, 2, 1, 2, 3, 4, 3, 2, 1});
  CHECK(row(padding_rule::replicate, 1, 2) == v{1, 1, 2, 3, 4, 4, 4});
  CHECK(row(padding_rule::circular, 1, 2) == v{4, 1, 2, 3, 4, 1, 2});
  CHECK(row(padding_rule::constant, -1, -2) == v{2});
}

TEST_CASE("the value is quantized as the integers are") {
  const std::uint8_t in[] = {5};
  std::uint8_t out[2];
  const pad_shape s{padding_rule::constant,
                    std::bit_cast<int>(1.3F),
                    {1, 1, 1, 1, 1, 1},
                    {0, 0, 0, 0, 0, 1},
                    {1, 1, 1, 1, 1, 2}};
  const qparams q{0.5F, 10, 0, 255};
  reference::pad(s, in, q, q, out);
  CHECK(out[0] == 13);
  CHECK(out[1] == 5);
}

namespace {

template <class T>
void check(samples::generator& random, unsigned seed) {
  pad_shape s{.rule = static_cast<padding_rule>(random.between(0, 3)),
              .value_bits = std::bit_cast<int>(0.7F),
              .in = {},
              .before = {},
              .out = {}};
  const int rank = random.between(1, 6);
  std::size_t in_count = 1, out_count = 1;
  for (int a = 0; a < pad_shape::axes; ++a) {
    s.in[a] = a + rank < pad_shape::axes ? 1 : random.between(1, a == 5 ? 20 : 4);
    const int most = s.rule == padding_rule::reflect    ? s.in[a] - 1
                     : s.rule == padding_rule::circular ? s.in[a]
                                                        : 4;
    const bool padded = random.between(0, 1) == 0;
    s.before[a] = padded ? random.between(1 - s.in[a], most) : 0;
    const int after =
        padded ? random.between(1 - s.in[a] - (s.before[a] < 0 ? s.before[a] : 0), most) : 0;
    s.out[a] = s.in[a] + s.before[a] + after;
    in_count *= static_cast<std::size_t>(s.in[a]);
    out_count *= static_cast<std::size_t>(s.out[a]);
  }
  std::vector<T> expected(out_count);
  const samples::guarded<T> out(out_count);
  if constexpr (std::is_same_v<T, float>) {
    const samples::fenced in(samples::plain_floats(in_count, seed));
    reference::pad(s, in.data(), expected.data());
    simd::pad<isa::native>(s, in.data(), out.data());
    CHECK(out.holds(expected));
  } else {
    const samples::fenced in(samples::integers<T>(in_count, seed));
    const int low = std::numeric_limits<T>::lowest();
    const qparams q{0.03F, low + 100, low, low + 255};
    reference::pad(s, in.data(), q, q, expected.data());
    simd::pad<isa::native>(s, in.data(), q, q, out.data());
    CHECK(out.holds(expected));
  }
}

}  // namespace

TEST_CASE("pads of any axes equal the reference") {
  samples::for_each_seed(samples::seeds(400), [](samples::generator& random, unsigned seed) {
    check<std::int8_t>(random, seed);
    check<std::uint8_t>(random, seed);
    check<float>(random, seed);
  });
}
