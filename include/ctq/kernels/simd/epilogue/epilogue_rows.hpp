// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/quantizer.hpp"
#include "ctq/kernels/simd/arch/rows512.hpp"
#include "ctq/kernels/simd/widths.hpp"
#include "ctq/kernels/xsimd.hpp"

// Rows of outputs as registers of bytes, and the corresponding elements of other tensors.

namespace ctq::kernels::simd {

/// Up to one register of outputs, contiguous from `index` on. Only the first `count` exist: nothing
/// after them is read or written.
template <vectorized Isa>
class row_part {
 public:
  static constexpr int rows = 1;
  static constexpr int lanes = static_cast<int>(batch<Isa, std::uint8_t>::size);

  [[gnu::always_inline]] row_part(std::ptrdiff_t index, int count) noexcept
      : index_(index), count_(count) {}

  /// Loads the corresponding elements of a tensor of the output's shape; zero where no output
  /// exists.
  template <quantized Q>
  [[nodiscard, gnu::always_inline]] batch<Isa, Q> load(const Q* tensor) const noexcept {
    if (count_ >= lanes) return batch<Isa, Q>::load_unaligned(tensor + index_);
    Q buffer[lanes]{};
    std::memcpy(buffer, tensor + index_, static_cast<std::size_t>(count_));
    return batch<Isa, Q>::load_unaligned(buffer);
  }
  template <quantized Q>
  [[gnu::always_inline]] void store(const batch<Isa, Q>& q, Q* tensor) const noexcept {
    if (count_ >= lanes) return q.store_unaligned(tensor + index_);
    Q buffer[lanes];
    q.store_unaligned(buffer);
    std::memcpy(tensor + index_, buffer, static_cast<std::size_t>(count_));
  }
  /// f(lane, index) for each output that exists.
  template <class F>
  [[gnu::always_inline]] void for_each(const F& f) const noexcept {
    for (int i = 0; i < lanes && i < count_; ++i) f(i, index_ + i);
  }

 private:
  std::ptrdiff_t index_;
  int count_;
};

/// Outputs of one or several rows in one zmm register.
template <class Isa, int Width>
class row_block {
 public:
  static constexpr int rows = rows512<Width>::rows;

  [[gnu::always_inline]] row_block(std::ptrdiff_t index, std::ptrdiff_t stride, int count,
                                   int used) noexcept
      : index_(index), places_{stride, count, used} {}

  template <quantized Q>
  [[nodiscard, gnu::always_inline]] batch<Isa, Q> load(const Q* tensor) const noexcept {
    return batch<Isa, Q>(places_.load(tensor + index_));
  }
  template <quantized Q>
  [[gnu::always_inline]] void store(const batch<Isa, Q>& q, Q* tensor) const noexcept {
    places_.store(tensor + index_, static_cast<typename batch<Isa, Q>::register_type>(q));
  }
  template <class F>
  [[gnu::always_inline]] void for_each(const F& f) const noexcept {
    for (int row = 0; row < rows && row < places_.used; ++row) {
      for (int i = 0; i < Width && i < places_.count; ++i) {
        f(row * Width + i, index_ + row * places_.stride + i);
      }
    }
  }

 private:
  std::ptrdiff_t index_;
  rows512<Width> places_;
};

/// The instruction set, Isa or a narrower one, with the widest register that a row of Bytes fills;
/// the narrowest one if it fills none.
template <vectorized Isa, int Bytes>
[[nodiscard]] constexpr auto row_isa() {
  constexpr int size = static_cast<int>(batch<Isa, std::uint8_t>::size);
  if constexpr (size <= Bytes || std::is_same_v<half_width<Isa>, Isa>) {
    return std::type_identity<Isa>{};
  } else {
    return row_isa<half_width<Isa>, Bytes>();
  }
}

/// Calls f(instruction set tag, output part, buffer part) for rows of Width outputs. The rows are
/// contiguous in the buffer and `stride` apart in the output, where only the first `count` of each
/// row exist.
template <vectorized Isa, int Width, class F>
[[gnu::always_inline]] inline void for_row_parts(int rows, std::ptrdiff_t index,
                                                 std::ptrdiff_t stride, int count,
                                                 const F& f) noexcept {
  if constexpr (isa::includes<Isa, isa::avx512> && Width >= 16) {
    using block = row_block<Isa, Width>;
    const auto part = [&](int row, int used) __attribute__((always_inline)) {
      f(Isa{}, block(index + row * stride, stride, count, used),
        block(std::ptrdiff_t{row} * Width, Width, Width, used));
    };
    int row = 0;
    for (; row + block::rows <= rows; row += block::rows) part(row, block::rows);
    if (row < rows) part(row, rows - row);
  } else {
    using row_isa = typename decltype(simd::row_isa<Isa, Width>())::type;
    using part = row_part<row_isa>;
    for (int row = 0; row < rows; ++row) {
      for (int i = 0; i < Width && i < count; i += part::lanes) {
        f(row_isa{}, part(index + row * stride + i, count - i),
          part(std::ptrdiff_t{row} * Width + i, Width - i));
      }
    }
  }
}

}  // namespace ctq::kernels::simd
