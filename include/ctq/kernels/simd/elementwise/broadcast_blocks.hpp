// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "ctq/core/shapes/elementwise_shapes.hpp"

// Two tensors that are broadcast against each other, as blocks of contiguous elements. A tensor
// that is broadcast along the last axes is first repeated in a buffer, if possible once for many
// blocks.

namespace ctq::kernels::simd {

/// The size of a buffer that holds repeated elements.
inline constexpr int broadcast_block_bytes = 8192;

/// Repeats the first `part` elements until there are `count`: twice as many with each copy.
template <class T>
inline void repeat(T* x, int part, int count) noexcept {
  for (int filled = part; filled < count; filled *= 2)
    std::memcpy(x + filled, x,
                static_cast<std::size_t>(std::min(filled, count - filled)) * sizeof(T));
}

/// Calls visit(a, b) for each pair of the first two indices, with the first element of both tensors
/// there.
template <class Visit>
[[gnu::always_inline]] inline void for_leading_axes(const broadcast_shape& s,
                                                    Visit visit) noexcept {
  for (int i = 0; i < s.extent[0]; ++i)
    for (int j = 0; j < s.extent[1]; ++j) {
      const auto start = [&](int tensor) {
        return std::ptrdiff_t{i} * s.stride[tensor][0] + std::ptrdiff_t{j} * s.stride[tensor][1];
      };
      visit(start(0), start(1));
    }
}

/// One of the two tensors, along the last two axes: rows of elements.
template <class T>
class broadcast_rows {
  static constexpr int block = broadcast_block_bytes / static_cast<int>(sizeof(T));

 public:
  /// Elements of a block: whole rows, or a part of one.
  [[nodiscard]] static constexpr int rows_of_block(int row) {
    return row < block ? block / row : 1;
  }
  [[nodiscard]] static constexpr int part_of_row(int row) { return row < block ? row : block; }

  broadcast_rows(const broadcast_shape& s, int tensor) noexcept
      : row_(s.extent[3]), row_stride_(s.stride[tensor][2]), stride_(s.stride[tensor][3]) {}

  /// Rows from `data` on.
  void start(const T* data) noexcept {
    if (data != data_) repeated_ = 0;
    data_ = data;
  }
  /// Elements first … first + count - 1 of each of `rows` rows from `row` on, contiguous. (rows is
  /// 1 unless count is that of a row.)
  [[nodiscard]] const T* block_at(int row, int rows, int first, int count) noexcept {
    const T* const from = data_ + std::ptrdiff_t{row} * row_stride_;
    if (stride_ == 1 && (rows == 1 || row_stride_ == row_)) return from + first;
    if (row_stride_ == 0 && repeated_ >= rows * count) return buffer_;
    repeated_ = row_stride_ == 0 ? rows * count : 0;
    for (int r = 0; r < (row_stride_ == 0 ? 1 : rows); ++r) {
      T* const to = buffer_ + std::ptrdiff_t{r} * count;
      const T* const x = from + std::ptrdiff_t{r} * row_stride_;
      if (stride_ == 1) {
        copy(to, x, count);
      } else {
        std::fill_n(to, count, *x);
      }
    }
    // The other rows are equal to the first.
    repeat(buffer_, count, repeated_);
    return buffer_;
  }

 private:
  static void copy(T* to, const T* from, int count) noexcept {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
  }

  int row_;
  std::ptrdiff_t row_stride_;
  int stride_;
  const T* data_ = nullptr;
  int repeated_ = 0;  // elements in the buffer that all blocks of rows have in common
  alignas(64) T buffer_[block];
};

/// Computes the output block by block: run(shape, a, b, out).
template <class T, class Run>
[[gnu::always_inline]] inline void for_broadcast_blocks(const broadcast_shape& s, const T* a,
                                                        const T* b, T* out, Run run) noexcept {
  broadcast_rows<T> from_a(s, 0), from_b(s, 1);
  const int row = s.extent[3];
  const int at_once = broadcast_rows<T>::rows_of_block(row);
  const int part = broadcast_rows<T>::part_of_row(row);
  for_leading_axes(s, [&](std::ptrdiff_t in_a, std::ptrdiff_t in_b) {
    from_a.start(a + in_a);
    from_b.start(b + in_b);
    for (int k = 0; k < s.extent[2]; k += at_once) {
      const int rows = std::min(at_once, s.extent[2] - k);
      for (int first = 0; first < row; first += part) {
        const int columns = std::min(part, row - first);
        run(elementwise_shape{rows * columns}, from_a.block_at(k, rows, first, columns),
            from_b.block_at(k, rows, first, columns), out);
        out += rows * columns;
      }
    }
  });
}

}  // namespace ctq::kernels::simd
