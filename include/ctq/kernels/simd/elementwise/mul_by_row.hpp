// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/simd/elementwise/binary_mul.hpp"
#include "ctq/kernels/simd/elementwise/broadcast_blocks.hpp"

// The product of a tensor and a row of factors that all rows of the tensor have in common, such as
// one for each channel of an image: the factors are dequantized once.

namespace ctq::kernels::simd {

/// The factors of as many rows as fill whole registers of bytes.
template <vectorized Isa, quantized Q>
class row_factors {
  using floats = batch<Isa, float>;

 public:
  static constexpr int register_bytes = static_cast<int>(batch<Isa, std::uint8_t>::size);

  /// How many rows of `row` elements fill whole registers.
  [[nodiscard]] static int rows_of(int row) noexcept {
    return register_bytes / std::gcd(row, register_bytes);
  }
  [[nodiscard]] static bool has_room(int row) noexcept { return rows_of(row) * row <= most; }

  /// Requires  has_room(row)
  explicit row_factors(int row) noexcept : row_(row), rows_(rows_of(row)) {}

  [[nodiscard]] int rows() const noexcept { return rows_; }
  [[nodiscard]] int count() const noexcept { return rows_ * row_; }

  /// Dequantizes a row.
  void set(const Q* row, const qparams& q) noexcept {
    std::memcpy(bytes_, row, static_cast<std::size_t>(row_));
    repeat(bytes_, row_, count());
    const byte_dequantizer<Isa> from(q, std::type_identity<Q>{});
    for (int i = 0; i < count(); i += register_bytes) {
      const auto x = from.load(bytes_ + i);
      unroll<4>([&](auto k) __attribute__((always_inline)) {
        from.template part<k>(x).store_aligned(values_ + i + k * float_lanes<Isa>);
      });
    }
  }
  /// The factors of `rows()` rows.
  [[nodiscard]] const Q* bytes() const noexcept { return bytes_; }
  /// A quarter of the register of factors that starts at i, dequantized, in the order of
  /// byte_dequantizer.
  template <int Part>
  [[nodiscard, gnu::always_inline]] floats part(int i) const noexcept {
    return floats::load_aligned(values_ + i + Part * float_lanes<Isa>);
  }

 private:
  static constexpr int most = 2048;

  int row_, rows_;
  alignas(64) float values_[most];
  alignas(64) Q bytes_[most];
};

/// Whether one tensor is a row that all rows of the other one are multiplied with, and there are
/// enough of these for row_factors to pay.
template <vectorized Isa, quantized Q>
[[nodiscard]] inline bool is_mul_by_row(const broadcast_shape& s, int row_tensor) noexcept {
  const auto& row = s.stride[row_tensor];
  const auto& all = s.stride[1 - row_tensor];
  if (row[3] != 1 || row[2] != 0 || all[3] != 1 || all[2] != s.extent[3]) return false;
  using factors = row_factors<Isa, Q>;
  return s.extent[2] >= 2 * factors::rows_of(s.extent[3]) && factors::has_room(s.extent[3]);
}

/// As binary_mul_broadcast, byte for byte. The row is tensor number `row_tensor` of the shape.
/// Requires  is_mul_by_row, product_fits_int32
template <vectorized Isa, quantized Q>
inline void mul_by_row(const broadcast_shape& s, const Q* all, const qparams& all_q, const Q* row,
                       const qparams& row_q, int row_tensor, const qparams& out_q, Q* out,
                       bool relu) noexcept {
  const quantizer to = relu ? with_relu(quantizer_of(out_q)) : quantizer_of(out_q);
  const float_narrower<Isa> narrower(output_range_of(to));
  const byte_dequantizer<Isa> from(all_q, std::type_identity<Q>{});
  const batch<Isa, float> inverse(to.inverse);
  row_factors<Isa, Q> factors(s.extent[3]);
  const Q* last = nullptr;
  for_leading_axes(s, [&](std::ptrdiff_t in_a, std::ptrdiff_t in_b) {
    const Q* x = all + (row_tensor == 1 ? in_a : in_b);
    const Q* const y = row + (row_tensor == 1 ? in_b : in_a);
    if (y != last) factors.set(y, row_q);
    last = y;
    int rows = s.extent[2];
    for (; rows >= factors.rows(); rows -= factors.rows()) {
      for (int at = 0; at < factors.count(); at += factors.register_bytes) {
        const auto bytes = from.load(x + at);
        narrower
            .template bytes<Q>([&](auto k) __attribute__((always_inline)) {
              return from.template part<k>(bytes) * factors.template part<k>(at) * inverse;
            })
            .store_unaligned(out + at);
      }
      x += factors.count();
      out += factors.count();
    }
    const int rest = rows * s.extent[3];
    binary_mul<Isa>(elementwise_shape{rest}, x, all_q, factors.bytes(), row_q, out_q, out, relu);
    out += rest;
  });
}

}  // namespace ctq::kernels::simd
