// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/pooling/reduction.hpp"

#include <doctest/doctest.h>

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

constexpr qparams in_q{0.5F, 3, 0, 255};
constexpr qparams out_q{0.25F, 10, 0, 255};

std::vector<int> reduced(reduction_rule rule, const shape& in, int axes,
                         const std::vector<std::uint8_t>& x) {
  std::vector<std::uint8_t> out(x.size());
  const reduction_shape s{rule, in, axes};
  const bool compares = rule == reduction_rule::max || rule == reduction_rule::min;
  reference::reduction(s, x.data(), in_q, compares ? in_q : out_q, out.data());
  out.resize(static_cast<std::size_t>(reference::axes_of(s, false).elements()));
  return {out.begin(), out.end()};
}

}  // namespace

TEST_CASE("a reduction of integers goes over the axes that it names") {
  const std::vector<std::uint8_t> x = {3, 5, 7, 9, 11, 14};  // [2, 3]: 0 1 2, 3 4 5.5
  using r = reduction_rule;
  CHECK(reduced(r::mean, {2, 3}, 2, x) == std::vector<int>{14, 27});  // 1, 4.167
  CHECK(reduced(r::mean, {2, 3}, 1, x) == std::vector<int>{16, 20, 25});
  CHECK(reduced(r::sum, {2, 3}, 3, x) == std::vector<int>{72});  // 15.5
  CHECK(reduced(r::max, {2, 3}, 2, x) == std::vector<int>{7, 14});
  CHECK(reduced(r::min, {2, 3}, 1, x) == std::vector<int>{3, 5, 7});
  CHECK(reduced(r::max, {2, 1, 3}, 5, x) == std::vector<int>{14});
}

TEST_CASE("on floats a NaN is the maximum and the minimum, and a mean divides the sum") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x = {1, nan, 3, -4, 5, 6.5F};
  float out[3];
  for (const reduction_rule rule : {reduction_rule::max, reduction_rule::min}) {
    reference::reduction({rule, {2, 3}, 1}, x.data(), out);
    CHECK(out[0] == (rule == reduction_rule::max ? 1.0F : -4.0F));
    CHECK(out[1] != out[1]);
    CHECK(out[2] == (rule == reduction_rule::max ? 6.5F : 3.0F));
    reference::reduction({rule, {3, 2}, 2}, x.data(), out);
    CHECK(out[0] != out[0]);
    CHECK(out[2] == (rule == reduction_rule::max ? 6.5F : 5.0F));
  }
  reference::reduction({reduction_rule::mean, {2, 3}, 1}, x.data(), out);
  CHECK(out[0] == -1.5F);
  CHECK(out[2] == 4.75F);
}

TEST_CASE("axes that are adjacent are rows") {
  constexpr auto rows = [](const shape& in, int axes) {
    return simd::reduced_rows_of({reduction_rule::max, in, axes});
  };
  constexpr auto middle = rows({2, 3, 4, 5}, 6);
  static_assert(middle.rows == 2 && middle.count == 12 && middle.stride == 5 && middle.adjacent);
  static_assert(rows({2, 3, 1, 5}, 10).adjacent);
  static_assert(!rows({2, 3, 4, 5}, 10).adjacent);
  static_assert(rows({1, 3, 4}, 5).rows == 3);
}

namespace {

template <class T>
void check(samples::generator& random, unsigned seed) {
  reduction_shape s{.rule = static_cast<reduction_rule>(random.between(0, 3)), .in = {}, .axes = 0};
  s.in.rank = random.between(1, 5);
  for (int a = 0; a < s.in.rank; ++a)
    s.in[a] = random.between(1, a + 1 == s.in.rank ? 70 : random.between(0, 3) == 0 ? 40 : 4);
  s.axes = random.between(0, (1 << s.in.rank) - 1);
  const auto count = numel(s.in);
  const auto results = static_cast<std::size_t>(reference::axes_of(s, false).elements());
  std::vector<T> expected(results);
  const samples::guarded<T> out(results);
  if constexpr (std::is_same_v<T, float>) {
    std::vector<float> values = samples::plain_floats(count, seed);
    if (random.between(0, 3) == 0) values[count / 2] = std::numeric_limits<float>::quiet_NaN();
    const samples::fenced in(values);
    reference::reduction(s, in.data(), expected.data());
    simd::reduction<isa::native>(s, in.data(), out.data());
    CHECK(out.holds(expected));
  } else {
    const samples::fenced in(samples::integers<T>(count, seed));
    const int low = std::numeric_limits<T>::lowest();
    const qparams from{0.5F, low + 100, low, low + 255};
    const bool compares = s.rule == reduction_rule::max || s.rule == reduction_rule::min;
    const qparams to = compares ? from : qparams{0.37F, low + 128, low, low + 255};
    reference::reduction(s, in.data(), from, to, expected.data());
    simd::reduction<isa::native>(s, in.data(), from, to, out.data());
    CHECK(out.holds(expected));
  }
}

}  // namespace

TEST_CASE("reductions along any axes equal the reference") {
  samples::for_each_seed(samples::seeds(300), [](samples::generator& random, unsigned seed) {
    check<std::int8_t>(random, seed);
    check<std::uint8_t>(random, seed);
    check<float>(random, seed);
  });
}
