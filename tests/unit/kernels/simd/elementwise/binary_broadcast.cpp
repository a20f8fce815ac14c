// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/binary_broadcast.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ctq/ops/broadcast.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

struct pair_of_shapes {
  shape a, b;
};

constexpr int channels[] = {1, 2, 3, 16, 24, 40, 96, 130};

/// Shapes that broadcast: each axis of each tensor may be 1, or not there.
pair_of_shapes random_shapes(samples::generator& random) {
  const auto axes = random.between(1, 4);
  shape all, a, b;
  all.rank = a.rank = b.rank = axes;
  for (int i = 0; i < axes; ++i) {
    const bool of_channels = axes == 4 ? i == 1 : i == axes - 1;
    all[i] = of_channels ? channels[random.between(0, 7)] : random.between(1, axes == 1 ? 300 : 7);
    a[i] = random.between(0, 3) == 0 ? 1 : all[i];
    b[i] = random.between(0, 1) == 0 ? 1 : all[i];
  }
  while (b.rank > 1 && b[0] == 1 && random.between(0, 1) == 0) {
    for (int i = 1; i < b.rank; ++i) b[i - 1] = b[i];
    b[--b.rank] = 0;
  }
  return random.between(0, 1) == 0 ? pair_of_shapes{a, b} : pair_of_shapes{b, a};
}

/// Those of networks, and rows that are longer than a block.
constexpr pair_of_shapes fixed_shapes[] = {{{1, 40, 14, 14}, {1, 40, 1, 1}},
                                           {{1, 576, 1, 1}, {1, 576, 7, 7}},
                                           {{2, 3, 60, 70}, {1}},
                                           {{1}, {9000}},
                                           {{2, 9000}, {2, 1}},
                                           {{3, 1}, {1, 8200}},
                                           {{1, 16, 30, 30}, {1, 1, 30, 30}}};

broadcast_shape sizes_of(const pair_of_shapes& s, layout order) {
  diagnostic d;
  const shape out = shape_rules::broadcast(s.a, s.b, d);
  REQUIRE(!d.any());
  return broadcast_sizes(s.a, s.b, out, order);
}

std::size_t count_of(const broadcast_shape& s) {
  std::size_t n = 1;
  for (const int extent : s.extent) n *= static_cast<std::size_t>(extent);
  return n;
}

/// check(shapes, sizes, seed): fixed shapes and random ones.
template <class Check>
void for_shapes(Check check) {
  unsigned number = 0;
  for (const pair_of_shapes& s : fixed_shapes) {
    CAPTURE(number);
    check(s, sizes_of(s, layout::nhwc), ++number);
    check(s, sizes_of(s, layout::nchw), ++number);
  }
  samples::for_each_seed(samples::seeds(60, 4), [&](samples::generator& random, unsigned seed) {
    const pair_of_shapes s = random_shapes(random);
    const bool nhwc = random.between(0, 1) == 0 && !(s.a.rank == 3 || s.b.rank == 3);
    check(s, sizes_of(s, nhwc ? layout::nhwc : layout::nchw), seed);
  });
}

/// Both kernels on integers: kernel(shape, a, a_q, b, b_q, out_q, out, relu).
template <class Q, class Reference, class Kernel>
void check_integers(Reference reference, Kernel kernel) {
  for_shapes([&](const pair_of_shapes& s, const broadcast_shape& sizes, unsigned seed) {
    samples::generator random(seed);
    const samples::fenced<Q> a(samples::integers<Q>(numel(s.a), seed));
    const samples::fenced<Q> b(samples::integers<Q>(numel(s.b), ~seed));
    const qparams a_q = samples::random_qparams<Q>(random);
    const qparams b_q = samples::random_qparams<Q>(random);
    const qparams out_q = samples::random_qparams<Q>(random);
    const bool relu = seed % 2 == 0;
    std::vector<Q> expected(count_of(sizes));
    reference(sizes, a.data(), a_q, b.data(), b_q, out_q, expected.data(), relu);
    const samples::guarded<Q> out(expected.size());
    kernel(sizes, a.data(), a_q, b.data(), b_q, out_q, out.data(), relu);
    CHECK(out.holds(expected));
  });
}

/// Both kernels on floats; also NaN and infinity, but not their payload.
template <class Reference, class Kernel>
void check_floats(Reference reference, Kernel kernel) {
  for_shapes([&](const pair_of_shapes& s, const broadcast_shape& sizes, unsigned seed) {
    const samples::fenced a(samples::floats(numel(s.a), seed));
    const samples::fenced b(samples::plain_floats(numel(s.b), ~seed));
    const bool relu = seed % 2 == 0;
    std::vector<float> expected(count_of(sizes));
    reference(sizes, a.data(), b.data(), expected.data(), relu);
    const samples::guarded<float> out(expected.size());
    kernel(sizes, a.data(), b.data(), out.data(), relu);
    CHECK(out.holds(expected));
  });
}

/// The forms of a kernel as types. Not inlined: g++ 12 takes constants of the tests for extents.
#define CTQ_FORMS(name)                                                                    \
  struct name {                                                                            \
    [[gnu::noinline]] static void reference(auto... x) { kernels::reference::name(x...); } \
    static void simd(auto... x) { kernels::simd::name<isa::native>(x...); }                \
  };
CTQ_FORMS(binary_add_broadcast)
CTQ_FORMS(binary_mul_broadcast)
CTQ_FORMS(binary_sub)
CTQ_FORMS(binary_div)
#undef CTQ_FORMS

}  // namespace

TEST_CASE("a factor for each channel") {
  const std::vector<std::uint8_t> x = {10, 20, 30, 40}, factor = {1, 2};  // 2 pixels, 2 channels
  std::vector<std::uint8_t> out(4);
  const qparams q{1.0F, 0, 0, 255}, shifted{1.0F, 5, 0, 255};
  const broadcast_shape sizes = sizes_of({{1, 2, 1, 2}, {1, 2, 1, 1}}, layout::nhwc);
  binary_mul_broadcast::reference(sizes, x.data(), q, factor.data(), q, shifted, out.data(), false);
  CHECK(out == std::vector<std::uint8_t>{15, 45, 35, 85});
  binary_add_broadcast::reference(sizes, x.data(), q, factor.data(), q, q, out.data(), false);
  CHECK(out == std::vector<std::uint8_t>{11, 22, 31, 42});
  binary_sub::reference(sizes, x.data(), q, factor.data(), q, shifted, out.data(), false);
  CHECK(out == std::vector<std::uint8_t>{14, 23, 34, 43});
  binary_div::reference(sizes, x.data(), q, factor.data(), q, q, out.data(), false);
  CHECK(out == std::vector<std::uint8_t>{10, 10, 30, 20});
}

TEST_CASE("by zero: an end of the range, or the zero point") {
  const std::vector<std::uint8_t> x = {9, 10, 11}, zero = {0};
  std::vector<std::uint8_t> out(3);
  const qparams from{1.0F, 10, 0, 255}, q{1.0F, 0, 0, 255}, to{1.0F, 100, 20, 200};
  const broadcast_shape sizes = sizes_of({{3}, {1}}, layout::nchw);
  binary_div::reference(sizes, x.data(), from, zero.data(), q, to, out.data(), false);
  CHECK(out == std::vector<std::uint8_t>{20, 100, 200});
}

TEST_CASE_TEMPLATE("simd kernels of broadcast tensors give what the reference gives", Kernel,
                   binary_add_broadcast, binary_mul_broadcast, binary_sub, binary_div) {
  constexpr auto by_reference = [](auto... x) { Kernel::reference(x...); };
  constexpr auto by_simd = [](auto... x) { Kernel::simd(x...); };
  check_integers<std::uint8_t>(by_reference, by_simd);
  check_integers<std::int8_t>(by_reference, by_simd);
  check_floats(by_reference, by_simd);
}
