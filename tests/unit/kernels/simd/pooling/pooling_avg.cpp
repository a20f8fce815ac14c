// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/pooling/pooling_avg.hpp"

#include <doctest/doctest.h>

#include "kernels/pool_shapes.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

using samples::in_size;
using samples::out_size;

template <class Q>
void check(const pool_shape& shape, const qparams& in_q, const qparams& out_q, unsigned seed) {
  CAPTURE(shape.channels);
  CAPTURE(shape.in_h);
  CAPTURE(shape.kernel_h);
  const samples::fenced in(samples::integers<Q>(in_size(shape), seed));
  std::vector<Q> expected(out_size(shape));
  reference::pooling_avg(shape, in.data(), in_q, out_q, expected.data());
  samples::guarded<Q> out(expected.size());
  simd::pooling_avg<isa::native>(shape, in.data(), in_q, out_q, out.data());
  CHECK(out.holds(expected));
}

void check_floats(const pool_shape& shape, unsigned seed) {
  CAPTURE(shape.channels);
  CAPTURE(shape.in_h);
  CAPTURE(shape.kernel_h);
  const samples::fenced in(samples::plain_floats(in_size(shape), seed));
  std::vector<float> expected(out_size(shape));
  reference::pooling_avg(shape, in.data(), expected.data());
  samples::guarded<float> out(expected.size());
  simd::pooling_avg<isa::native>(shape, in.data(), out.data());
  CHECK(out.holds(expected));
}

constexpr int some_channels[] = {0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 70};

/// 4 x 4, one channel, values 1 … 16; kernel 3, stride 2, padding 1, ceil_mode: 3 x 3.
constexpr pool_shape ceil_shape{.batch = 1,
                                .in_h = 4,
                                .in_w = 4,
                                .channels = 1,
                                .out_h = 3,
                                .out_w = 3,
                                .kernel_h = 3,
                                .kernel_w = 3,
                                .stride_h = 2,
                                .stride_w = 2,
                                .padding_h = 1,
                                .padding_w = 1};

}  // namespace

TEST_CASE("the divisor counts padding, but nothing outside of it") {
  std::vector<float> in(16);
  for (std::size_t i = 0; i < 16; ++i) in[i] = static_cast<float>(i + 1);
  std::vector<float> out(9);
  reference::pooling_avg(ceil_shape, in.data(), out.data());
  CHECK(out[0] == (1.0F + 2.0F + 5.0F + 6.0F) / 9.0F);
  CHECK(out[4] == 99.0F / 9.0F);
  CHECK(out[8] == 16.0F / 4.0F);
  CHECK(out[2] == (4.0F + 8.0F) / 6.0F);
}

TEST_CASE("without count_include_pad the divisor counts pixels") {
  std::vector<float> in(16);
  for (std::size_t i = 0; i < 16; ++i) in[i] = static_cast<float>(i + 1);
  std::vector<float> out(9);
  pool_shape shape = ceil_shape;
  shape.divisor = pool_shape::input_pixels;
  reference::pooling_avg(shape, in.data(), out.data());
  CHECK(out[0] == 14.0F / 4.0F);
  CHECK(out[8] == 16.0F);
}

TEST_CASE("the mean of integers is requantized to the output's scale, ties to even") {
  const pool_shape all{
      .batch = 1, .in_h = 2, .in_w = 1, .channels = 3, .out_h = 1, .out_w = 1, .adaptive = 1};
  const std::vector<std::uint8_t> in = {10, 11, 255, 11, 12, 255};
  std::vector<std::uint8_t> out(3);
  reference::pooling_avg(all, in.data(), {0.5F, 10, 0, 255}, {0.5F, 3, 0, 255}, out.data());
  CHECK(out == std::vector<std::uint8_t>{3, 5, 248});  // 0.5 to 0, 1.5 to 2, 245
  reference::pooling_avg(all, in.data(), {0.5F, 10, 0, 255}, {0.25F, 3, 0, 200}, out.data());
  CHECK(out == std::vector<std::uint8_t>{4, 6, 200});
}

TEST_CASE_TEMPLATE("simd pooling_avg on integers gives the bytes of the reference", Q, std::uint8_t,
                   std::int8_t) {
  const auto qs = samples::qparams<Q>();
  std::size_t k = 0;
  for (const int channels : some_channels) {
    for (const pool_shape& shape : samples::pool_shapes(channels, false)) {
      const qparams& in_q = qs[k % qs.size()];
      const qparams& out_q = k % 2 == 0 ? in_q : qs[k / 3 % qs.size()];
      ++k;
      check<Q>(shape, in_q, out_q, 51U + static_cast<unsigned>(channels));
    }
  }
}

TEST_CASE("simd pooling_avg on floats gives the bits of the reference") {
  for (const int channels : some_channels) {
    for (const pool_shape& shape : samples::pool_shapes(channels, false))
      check_floats(shape, 61U + static_cast<unsigned>(channels));
  }
}

TEST_CASE_TEMPLATE("simd pooling_avg equals the reference for random windows", Q, std::uint8_t,
                   std::int8_t) {
  samples::for_each_seed(samples::seeds(100), [](samples::generator& random, unsigned seed) {
    const pool_shape shape = samples::random_pool(random, false);
    const qparams in_q = samples::random_qparams<Q>(random);
    check<Q>(shape, in_q, seed % 2 == 0 ? in_q : samples::random_qparams<Q>(random), seed);
    check_floats(shape, seed);
  });
}

TEST_CASE_TEMPLATE("simd pooling_avg adds up more pixels than sums of 16 bits hold", Q,
                   std::uint8_t, std::int8_t) {
  constexpr int lo = std::numeric_limits<Q>::lowest();
  const qparams in_q{0.05F, lo + 3, lo, lo + 255};
  for (const float scale : {0.05F, 0.0013F, 0x1p-60F}) {
    for (const int columns : {20, 33}) {  // 33: rows of the whole width
      for (const int channels : {40, 80}) {
        const pool_shape shape{.batch = 1,
                               .in_h = 40,
                               .in_w = 33,
                               .channels = channels,
                               .out_h = 2,
                               .out_w = 34 - columns,
                               .kernel_h = 39,
                               .kernel_w = columns};
        check<Q>(shape, in_q, {scale, lo + 10, lo, lo + 255}, 9);
      }
    }
  }
}
