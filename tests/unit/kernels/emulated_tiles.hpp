// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/reference/requantize.hpp"
#include "ctq/kernels/simd/arch/requantize_rows512.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "ctq/kernels/simd/matrix/tile_arch.hpp"
#include "ctq/kernels/xsimd.hpp"
#include "plain_loops.hpp"

// AMX tiles in plain C++, including the constraints on tile sizes, so that kernels on tiles can be
// tested on machines without AMX.

namespace emulation {

using namespace ctq;
using namespace ctq::kernels;
using namespace ctq::kernels::simd;

/// row_requantizer512 without registers.
template <int N>
struct row_requantizer {
  const float* multipliers;
  int channels;

  row_requantizer(const float* from, int used) : multipliers(from), channels(used) {}

  template <class Out>
  void operator()(const std::int32_t* sums, const output_range& to, Out* out) const {
    for (int i = 0; i < N * tile_format::lanes; ++i) {
      const int channel = tile_format::column(N, i / tile_format::lanes, i % tile_format::lanes);
      if (channel >= channels) continue;
      out[channel] = static_cast<Out>(reference::requantize(sums[i], multipliers[i], to));
    }
  }
};

class tiles : public tile_format {
 public:
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
  using bounds = row_bounds512;
  template <int N>
  using requantizer = row_requantizer512<N>;
#else
  using bounds = output_range;
  template <int N>
  using requantizer = row_requantizer<N>;
#endif

  explicit tiles(const tile_sizes& sizes) : sizes_(sizes) {
    for (int t = 0; t < 8; ++t) {
      require(sizes.rows[t] >= 1 && sizes.rows[t] <= rows);
      require(sizes.row_bytes[t] >= 4 && sizes.row_bytes[t] <= row_bytes);
      require(sizes.row_bytes[t] % 4 == 0);
    }
  }

  template <int T>
  void load(const void* p, std::ptrdiff_t stride) {
    load_tile(T, p, stride);
  }
  template <int T>
  void stream(const void* p, std::ptrdiff_t stride) {
    load_tile(T, p, stride);
  }
  template <int T>
  void store(void* p, std::ptrdiff_t stride) const {
    store_tile(T, p, stride);
  }
  template <int C, int A, int B, class In>
  void dot() {
    multiply<In>(C, A, B);
  }

 private:
  static void require(bool legal) {
    if (!legal) std::abort();
  }

  /// Rows and bytes past the size of the tile become zero.
  [[gnu::noinline]] void load_tile(int t, const void* p, std::ptrdiff_t stride) {
    std::memset(bytes_[t], 0, sizeof bytes_[t]);
    for (int row = 0; row < sizes_.rows[t]; ++row) {
      std::memcpy(bytes_[t][row], static_cast<const char*>(p) + row * stride, sizes_.row_bytes[t]);
    }
  }
  [[gnu::noinline]] void store_tile(int t, void* p, std::ptrdiff_t stride) const {
    for (int row = 0; row < sizes_.rows[t]; ++row) {
      std::memcpy(static_cast<char*>(p) + row * stride, bytes_[t][row], sizes_.row_bytes[t]);
    }
  }
  template <class In>
  void multiply(int c, int a, int b) {
    // Size mismatches for which tdpbusd faults.
    require(c != a && c != b && a != b);
    require(sizes_.rows[c] == sizes_.rows[a] && sizes_.row_bytes[c] == sizes_.row_bytes[b] &&
            sizes_.row_bytes[a] == 4 * sizes_.rows[b]);
    multiply_tiles<In>(sizes_.rows[c], sizes_.row_bytes[c] / 4, sizes_.rows[b], bytes_[c],
                       bytes_[a], bytes_[b]);
  }

  tile_sizes sizes_;
  tile_row bytes_[8][rows]{};
};

/// isa::native with AMX tiles or these. Layers too small for tiles use scalar dot products, which
/// compile fastest.
struct with_tiles : isa::native {};
using tiles_of_native =
    std::conditional_t<has_tiles<isa::native>, int8_tile<isa::native>, emulation::tiles>;
static_assert(tile_arch<tiles>);

}  // namespace emulation

namespace ctq::kernels {

namespace simd {

template <>
struct int8_tile<emulation::with_tiles> : emulation::tiles_of_native {
  using emulation::tiles_of_native::tiles_of_native;
};
template <>
struct int8_dot<emulation::with_tiles> : int32_scalar_dot<emulation::with_tiles> {};

}  // namespace simd

}  // namespace ctq::kernels
