// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/core/machine.hpp"
#include "ctq/kernels/simd/arch/requantize_rows512.hpp"
#include "ctq/kernels/simd/matrix/tile_arch.hpp"

#if defined(__AMX_TILE__) && defined(__AMX_INT8__) && defined(__AVX512F__) && \
    defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

// Matrix products of AMX tiles.

namespace ctq::kernels::simd {

/// The eight tiles of AMX. Inline assembly, since the intrinsics of g++ 12 are macros that paste
/// their operands into register names, which excludes template arguments, and do not declare the
/// memory they access. Volatile assembly preserves the order of tile operations.
template <>
struct int8_tile<isa::amx> : tile_format {
  using bounds = row_bounds512;
  template <int N>
  using requantizer = row_requantizer512<N>;

  /// ldtilecfg takes 74 ns: once per layer, not per block. The first object asks the system for
  /// permission to use AMX; without it ldtilecfg terminates the process. Models ask when they are
  /// constructed, and report an error if it is denied.
  [[gnu::always_inline]] explicit int8_tile(const tile_sizes& sizes) noexcept {
    static const bool permitted = isa::ask_for_amx();
    static_cast<void>(permitted);
    struct alignas(64) {
      std::uint8_t palette = 1;
      std::uint8_t start_row = 0;
      std::uint8_t reserved[14]{};
      std::uint16_t row_bytes[16]{};
      std::uint8_t rows[16]{};
    } config;
    static_assert(sizeof config == 64);
    for (int i = 0; i < 8; ++i) {
      config.rows[i] = sizes.rows[i];
      config.row_bytes[i] = sizes.row_bytes[i];
    }
    __asm__ volatile("ldtilecfg %0" : : "m"(config));
  }
  int8_tile(const int8_tile&) = delete;
  int8_tile& operator=(const int8_tile&) = delete;
  /// Tiles in use add 8 KB to the state saved at each context switch.
  [[gnu::always_inline]] ~int8_tile() { __asm__ volatile("tilerelease" : : : "memory"); }

  template <int T>
  [[gnu::always_inline]] void load(const void* p, std::ptrdiff_t stride) noexcept {
    __asm__ volatile("tileloadd (%1,%2,1), %%tmm%c0" : : "i"(T), "r"(p), "r"(stride) : "memory");
  }
  template <int T>
  [[gnu::always_inline]] void stream(const void* p, std::ptrdiff_t stride) noexcept {
    __asm__ volatile("tileloaddt1 (%1,%2,1), %%tmm%c0" : : "i"(T), "r"(p), "r"(stride) : "memory");
  }
  template <int T>
  [[gnu::always_inline]] void store(void* p, std::ptrdiff_t stride) noexcept {
    __asm__ volatile("tilestored %%tmm%c0, (%1,%2,1)" : : "i"(T), "r"(p), "r"(stride) : "memory");
  }
  template <int C, int A, int B, class In>
  [[gnu::always_inline]] void dot() noexcept {
    if constexpr (std::is_signed_v<In>) {
      __asm__ volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
    } else {
      __asm__ volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
    }
  }
};

}  // namespace ctq::kernels::simd

#endif
