// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstring>

#include "ctq/kernels/reference/conv2d.hpp"
#include "ctq/kernels/simd/matrix/tile_arch.hpp"

// The inner loops of the reference and of emulated tiles: plain_loops.cpp compiles them once,
// optimized. In tests of kernels that are not they would take most of the time.

namespace ctq::kernels::reference {

template <class In>
using image_sum = std::uint32_t(const conv2d_shape&, const In*, const std::int8_t*, std::int32_t,
                                int, int, int);

extern template image_sum<std::uint8_t> sum_of_products<std::uint8_t>;
extern template image_sum<std::int8_t> sum_of_products<std::int8_t>;

}  // namespace ctq::kernels::reference

namespace emulation {

using tile_row = unsigned char[ctq::kernels::simd::tile_format::row_bytes];

/// c += a · b, as tdpbusd and tdpbssd do it: rows of c and a, columns of c and b, groups of four
/// bytes in a row of a.
template <class In>
void multiply_tiles(int rows, int columns, int groups, tile_row* c, const tile_row* a,
                    const tile_row* b) {
  for (int row = 0; row < rows; ++row) {
    std::uint32_t sums[ctq::kernels::simd::tile_format::lanes];
    std::memcpy(sums, c[row], sizeof sums);
    for (int group = 0; group < groups; ++group) {
      for (int column = 0; column < columns; ++column) {
        for (int k = 0; k < 4; ++k) {
          const auto x = static_cast<In>(a[row][group * 4 + k]);
          const auto y = static_cast<std::int8_t>(b[group][column * 4 + k]);
          sums[column] += static_cast<std::uint32_t>(x * y);
        }
      }
    }
    std::memcpy(c[row], sums, sizeof sums);
  }
}

using tile_product = void(int, int, int, tile_row*, const tile_row*, const tile_row*);

extern template tile_product multiply_tiles<std::uint8_t>;
extern template tile_product multiply_tiles<std::int8_t>;

}  // namespace emulation
