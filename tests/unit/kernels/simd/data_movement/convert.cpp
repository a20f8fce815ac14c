// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/data_movement/convert.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "ctq/core/isa.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

template <class In, class Out>
std::vector<Out> converted(const std::vector<In>& in) {
  std::vector<Out> out(in.size());
  reference::convert({static_cast<int>(in.size())}, in.data(), out.data());
  return out;
}

template <class In, class Out>
void check_simd(const std::vector<In>& values) {
  const samples::fenced in(values);
  const samples::guarded<Out> out(values.size());
  simd::convert<isa::native>({static_cast<int>(values.size())}, in.data(), out.data());
  CHECK(out.holds(converted<In, Out>(values)));
}

}  // namespace

TEST_CASE("floats become indices towards zero; what is no index becomes the least one") {
  const float not_a_number = std::numeric_limits<float>::quiet_NaN();
  CHECK(converted<float, std::int64_t>(
            {1.75F, -1.75F, -0x1p63F, 0x1p63F, -0x1.8p63F, not_a_number, 0x1.fffffep62F}) ==
        std::vector<std::int64_t>{1, -1, least, least, least, least, 0x7fffff8000000000});
}

TEST_CASE("indices become the nearest floats, ties to even") {
  CHECK(converted<std::int64_t, float>({16777217, 16777219, -5, least}) ==
        std::vector<float>{16777216, 16777220, -5, -0x1p63F});
  CHECK(converted<std::int32_t, float>({16777217, -3}) == std::vector<float>{16777216, -3});
}

TEST_CASE("simd convert gives the bytes of the reference") {
  samples::for_each_seed(samples::seeds(200), [](samples::generator& random, unsigned seed) {
    const auto count = static_cast<std::size_t>(random.between(0, 70));
    std::vector<float> values = samples::plain_floats(count, seed);
    for (float& v : values) v *= random.between(0, 9) == 0 ? 0x1p62F : 1000.0F;
    check_simd<float, std::int64_t>(values);
    check_simd<std::int32_t, float>(samples::integers<std::int32_t>(count, seed));
    check_simd<std::int64_t, float>(samples::integers<std::int64_t>(count, seed));
  });
}
