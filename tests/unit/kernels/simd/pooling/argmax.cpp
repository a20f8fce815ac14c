// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/pooling/argmax.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ctq/core/isa.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

std::vector<std::int64_t> indices(const reduction_shape& s, const std::vector<float>& x) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(reference::axes_of(s, false).elements()));
  reference::argmax(s, x.data(), out.data());
  return out;
}

}  // namespace

// PyTorch 1.13's answers.
TEST_CASE("the index is that of the first of equal elements, and of the first NaN") {
  using list = std::vector<std::int64_t>;
  const std::vector<float> x = {1, not_a_number, 3, not_a_number, 2, 2, 1, 0};  // [2, 4]
  constexpr auto largest = reduction_rule::max, smallest = reduction_rule::min;
  CHECK(indices({largest, {2, 4}, 2}, x) == list{1, 0});
  CHECK(indices({smallest, {2, 4}, 2}, x) == list{1, 3});
  CHECK(indices({largest, {2, 4}, 1}, x) == list{1, 0, 0, 0});
  CHECK(indices({largest, {2, 4}, 3}, x) == list{1});
  CHECK(indices({largest, {3}, 1}, {-0.0F, 0.0F, -0.0F}) == list{0});
}

TEST_CASE("simd argmax gives the indices of the reference") {
  samples::for_each_seed(samples::seeds(400), [](samples::generator& random, unsigned seed) {
    reduction_shape s{.rule = random.between(0, 1) == 0 ? reduction_rule::max : reduction_rule::min,
                      .in = {},
                      .axes = 0};
    s.in.rank = random.between(1, 4);
    for (int a = 0; a < s.in.rank; ++a)
      s.in[a] = random.between(1, random.between(0, 2) == 0 ? 70 : 4);
    s.axes = random.between(0, 2) == 0 ? random.between(0, (1 << s.in.rank) - 1)
                                       : 1 << random.between(0, s.in.rank - 1);
    std::vector<float> values = samples::plain_floats(numel(s.in), seed);
    // Few values, so that many are equal.
    if (random.between(0, 1) == 0)
      for (float& v : values) v = v > 1 ? 1.0F : v < -1 ? -1.0F : 0.0F;
    for (int k = random.between(-4, 3); k > 0; --k)
      values[static_cast<std::size_t>(random.between(0, static_cast<int>(values.size()) - 1))] =
          not_a_number;
    const samples::fenced in(values);
    const std::vector<std::int64_t> expected = indices(s, values);
    const samples::guarded<std::int64_t> out(expected.size());
    simd::argmax<isa::native>(s, in.data(), out.data());
    CHECK(out.holds(expected));
  });
}
