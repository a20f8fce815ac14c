// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/mul_by_row.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ctq/kernels/reference/binary_broadcast.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

/// `images` images of `rows` pixels with `row` channels, and a row of factors for each image or for
/// all of them.
struct images_and_factors {
  int images, rows, row;
  bool for_each;

  [[nodiscard]] std::size_t elements() const {
    return static_cast<std::size_t>(images) * static_cast<std::size_t>(rows) *
           static_cast<std::size_t>(row);
  }
  [[nodiscard]] std::size_t factors() const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(for_each ? images : 1);
  }
  [[nodiscard]] broadcast_shape sizes(int row_tensor) const {
    broadcast_shape s{.extent = {1, images, rows, row}};
    const int all_strides[] = {0, rows * row, row, 1},
              row_strides[] = {0, for_each ? row : 0, 0, 1};
    for (int axis = 0; axis < broadcast_shape::axes; ++axis) {
      s.stride[row_tensor][axis] = row_strides[axis];
      s.stride[1 - row_tensor][axis] = all_strides[axis];
    }
    return s;
  }
};

template <class Isa, class Q>
void check(const images_and_factors& c, unsigned seed) {
  CAPTURE(c.images);
  CAPTURE(c.rows);
  CAPTURE(c.row);
  samples::generator random(seed);
  const samples::fenced<Q> all(samples::integers<Q>(c.elements(), seed));
  const samples::fenced<Q> row(samples::integers<Q>(c.factors(), ~seed));
  const qparams all_q = samples::random_qparams<Q>(random);
  const qparams row_q = samples::random_qparams<Q>(random);
  qparams out_q = samples::random_qparams<Q>(random);
  const bool relu = seed % 2 == 0;
  const bool fits = simd::product_fits_int32(all_q, row_q, quantizer_of(out_q));
  if (!fits) out_q.scale = 256.0F * 256.0F * all_q.scale * row_q.scale;
  std::vector<Q> expected(c.elements());
  reference::binary_mul_broadcast(c.sizes(1), all.data(), all_q, row.data(), row_q, out_q,
                                  expected.data(), relu);
  for (const int row_tensor : {0, 1}) {
    const broadcast_shape sizes = c.sizes(row_tensor);
    if (!simd::is_mul_by_row<Isa, Q>(sizes, row_tensor)) continue;
    const samples::guarded<Q> out(expected.size());
    simd::mul_by_row<Isa>(sizes, all.data(), all_q, row.data(), row_q, row_tensor, out_q,
                          out.data(), relu);
    CHECK(out.holds(expected));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("products with a row are those of the reference", Isa, isa::native) {
  if constexpr (vectorized<Isa>) {
    constexpr int channels[] = {1, 3, 16, 24, 31, 64, 72, 100, 128, 130, 960, 2048};
    samples::for_each_seed(samples::seeds(60, 24), [&](samples::generator& random, unsigned seed) {
      for (const int row : channels) {
        const int images = random.between(1, 3);
        const int most = row > 500 ? 5 : 200;
        const images_and_factors c{images, random.between(1, most), row, random.between(0, 1) == 0};
        check<Isa, std::uint8_t>(c, seed);
        check<Isa, std::int8_t>(c, seed);
      }
    });
  }
}

TEST_CASE_TEMPLATE("a row is used for many rows of the other tensor, if it has room", Isa,
                   isa::native) {
  if constexpr (vectorized<Isa>) {
    using factors = simd::row_factors<Isa, std::uint8_t>;
    constexpr int n = factors::register_bytes;
    const auto is_used = [](const images_and_factors& c, int row_tensor = 1) {
      return simd::is_mul_by_row<Isa, std::uint8_t>(c.sizes(1), row_tensor);
    };
    CHECK(factors::rows_of(n) == 1);
    CHECK(factors::rows_of(n / 2) == 2);
    CHECK(factors::rows_of(3) == n);
    CHECK(is_used({1, 2, n, true}));
    CHECK(!is_used({1, 1, n, true}));
    CHECK(is_used({1, 2 * n, 3, true}));
    CHECK(!is_used({1, 2 * n - 1, 3, true}));
    CHECK(is_used({1, 8, 2048, false}));
    CHECK(!is_used({1, 8, 2048 + n, false}));
    CHECK(!is_used({1, 8, n, true}, 0));
    broadcast_shape equal = images_and_factors{1, 8, n, true}.sizes(1);
    equal.stride[1][2] = n;
    CHECK(!simd::is_mul_by_row<Isa, std::uint8_t>(equal, 1));
  }
}
