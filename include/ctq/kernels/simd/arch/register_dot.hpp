// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/core/unroll.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"

// The int8 dot products for any register width: of pairs of 16-bit integers (every x86), and of
// four bytes (VNNI, ARM).

namespace ctq::kernels::simd {

/// Vector registers that the compiler may use.
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int vector_registers = 32;
#else
inline constexpr int vector_registers = 16;
#endif

/// Makes the compiler compute x here, and issue no later load before that: otherwise clang 19
/// hoists loads and spills accumulators (5x5, 240 channels @14, Zen 4: 30 instead of 13.5 us; g++
/// 12, which does not, 13.5).
template <class Vec>
[[gnu::always_inline]] inline void compute_now([[maybe_unused]] Vec& x) {
#if defined(__clang__) && defined(__aarch64__)
  __asm__ volatile("" : "+w"(x) : : "memory");
#elif defined(__clang__)
  __asm__ volatile("" : "+v"(x) : : "memory");
#endif
}

/// Common base. A block of N vecs holds N * lanes channels. Packing within 128 bits makes four
/// lanes of each vec adjacent, so column() assigns channels accordingly.
template <class Isa, class Register>
struct register_dot : Register {
  using typename Register::vec;
  static constexpr int depthwise_rows = 2;

  /// The channel of a lane of a vec, relative to its block of `vectors` vecs.
  [[nodiscard]] static constexpr int column(int vectors, int vector, int lane) {
    return lane / 4 * 4 * vectors + vector * 4 + lane % 4;
  }

  using bounds = typename Register::bounds;
  /// Recomputed for each tile: g++ would keep these registers live through the inner loop and spill
  /// accumulators instead (33x130x127: 3.9 instead of 2.9 us).
  [[gnu::always_inline]] static bounds store_constants(output_range to) {
    __asm__ volatile("" : "+r"(to.zero_point), "+r"(to.lo), "+r"(to.hi));
    return bounds(to);
  }

  /// Requantizes a block and stores its first `count` channels.
  template <int N, class Out>
  [[gnu::always_inline]] static void store(const vec (&acc)[N], const float* multiplier,
                                           const bounds& to, Out* out, int count) {
    const auto scaled = [&](int i) __attribute__((always_inline)) {
      return Register::scale(acc[i], multiplier + i * Register::lanes);
    };
    const auto words = [&](int i) __attribute__((always_inline)) {
      return Register::narrow(scaled(i), scaled(i + 1));
    };
    if constexpr (N == 1) {
      Register::store(Register::finish(Register::narrow(scaled(0)), to), out, count);
    } else if constexpr (N == 2) {
      Register::store(Register::finish(words(0), to), out, count);
    } else {
      static_assert(N == 4);
      Register::write(Register::template finish_or_saturate<Out>(words(0), words(2), to), out,
                      count);
    }
  }

  /// The same for the pixels of a tile, `stride` apart, with a compile-time number of channels that
  /// fits in one vec: four pixels share the instructions that clamp and narrow to bytes (3x3, 8 to
  /// 16 channels @14 on AVX512-VNNI: 1.2 instead of 1.3 us).
  template <int M, class Out, int Count>
  [[gnu::always_inline]] static void store_tile(const vec (&acc)[M][1], const float* multiplier,
                                                const bounds& to, Out* out, std::ptrdiff_t stride,
                                                std::integral_constant<int, Count> count)  //
      requires(Register::lanes > 4) {
    constexpr int lanes = Register::lanes;
    constexpr int fours = M / 4;
    unroll<fours>([&](auto i) __attribute__((always_inline)) {
      constexpr int first = 4 * i;
      const auto words = [&](int m) __attribute__((always_inline)) {
        return Register::narrow(Register::scale(acc[m][0], multiplier),
                                Register::scale(acc[m + 1][0], multiplier));
      };
      const auto pixels =
          Register::in_order(Register::template finish<Out>(words(first), words(first + 2), to));
      if (count == lanes && stride == lanes) return Register::save(out + first * stride, pixels);
      alignas(64) Out kept[4][lanes];
      Register::save(kept, pixels);
      unroll<4>([&](auto j) __attribute__((always_inline)) {
        std::memcpy(out + (first + j) * stride, kept[j], Count);
      });
    });
    unroll<M - 4 * fours>([&](auto i) __attribute__((always_inline)) {
      constexpr int m = 4 * fours + i;
      store(acc[m], multiplier, to, out + m * stride, count);
    });
  }

  /// store in two calls, for kernels that do not have all accumulators at once: `half` narrows half
  /// of the vecs of a block to one register, store_halves stores both registers.
  template <int N>
  [[nodiscard, gnu::always_inline]] static vec half(const vec (&acc)[N], const float* multiplier) {
    const vec first = Register::scale(acc[0], multiplier);
    if constexpr (N == 1) {
      return first;
    } else {
      static_assert(N == 2);
      return Register::narrow(first, Register::scale(acc[1], multiplier + Register::lanes));
    }
  }
  template <int N, class Out>
  [[gnu::always_inline]] static void store_halves(vec first, vec second, const bounds& to,
                                                  Out* out) {
    if constexpr (N == 1) {
      Register::store(Register::finish(Register::narrow(first, second), to), out,
                      2 * Register::lanes);
    } else {
      Register::write(Register::template finish_or_saturate<Out>(first, second, to), out,
                      4 * Register::lanes);
    }
  }
};

/// vpmaddwd on activations and weights widened to 16 bits: exact, unlike vpmaddubsw, whose sums of
/// two products saturate.
template <class Isa, class Register>
struct int16_dot : register_dot<Isa, Register> {
  using typename Register::vec;
  using element = std::int16_t;
  using weight = std::int16_t;
  static constexpr int k_group = 2;

  template <class In>
  static constexpr int offset = 0;

  template <class In>
  [[gnu::always_inline]] static vec elements(const In* in) {
    return Register::widen(in);
  }
  [[gnu::always_inline]] static vec dot(vec acc, vec a, vec b) {
    return Register::add_products(acc, a, b);
  }
  /// One half of what interleave gives.
  template <int Half>
  [[gnu::always_inline]] static void interleave_half(const vec (&a)[2], vec (&out)[1]) {
    out[0] = Half == 0 ? Register::zip_low16(a[0], a[1]) : Register::zip_high16(a[0], a[1]);
  }
  /// In: two taps. Out: adjacent taps for each channel, in the order of column(2, ...).
  [[gnu::always_inline]] static void interleave(vec (&a)[2]) {
    const vec low = Register::zip_low16(a[0], a[1]);
    a[1] = Register::zip_high16(a[0], a[1]);
    a[0] = low;
  }
};

/// The same with weights packed as bytes.
template <class Isa, class Register>
struct int16_dot_of_bytes : int16_dot<Isa, Register> {
  using weight = std::int8_t;

  [[gnu::always_inline]] static typename Register::vec widened(const void* p) {
    return Register::widen(static_cast<const std::int8_t*>(p));
  }
};

/// Four bytes per lane, for any instruction that accumulates their products with int8 weights.
template <class Isa, class Register>
struct byte_dot : register_dot<Isa, Register> {
  using typename Register::vec;
  using weight = std::int8_t;
  static constexpr int k_group = 4;

  /// One half of what interleave gives.
  template <int Half>
  [[gnu::always_inline]] static void interleave_half(const vec (&a)[4], vec (&out)[2]) {
    const vec zip01 = Half == 0 ? Register::zip_low8(a[0], a[1]) : Register::zip_high8(a[0], a[1]);
    const vec zip23 = Half == 0 ? Register::zip_low8(a[2], a[3]) : Register::zip_high8(a[2], a[3]);
    out[0] = Register::zip_low16(zip01, zip23);
    out[1] = Register::zip_high16(zip01, zip23);
  }
  /// In: four taps. Out: adjacent taps for each channel, in the order of column(4, ...).
  [[gnu::always_inline]] static void interleave(vec (&a)[4]) {
    vec low[2], high[2];
    interleave_half<0>(a, low);
    interleave_half<1>(a, high);
    a[0] = low[0], a[1] = low[1], a[2] = high[0], a[3] = high[1];
  }
  /// In: two taps. Out: in each lane of register i the taps of two channels, those of registers 2i
  /// and 2i + 1 of interleave.
  [[gnu::always_inline]] static void interleave_pairs(vec (&a)[2]) {
    const vec low = Register::zip_low8(a[0], a[1]);
    a[1] = Register::zip_halves16(Register::zip_high8(a[0], a[1]));
    a[0] = Register::zip_halves16(low);
  }
};

/// uint8 activations times int8 weights: vpdpbusd and equivalents. int8 activations are offset by
/// 128 when copied to the workspace, which the bias compensates.
template <class Isa, class Register, class Vnni>
struct vnni_dot : byte_dot<Isa, Register> {
  using typename Register::vec;
  using element = std::uint8_t;

  /// Added to an activation of type In to make it an element.
  template <class In>
  static constexpr int offset = std::is_signed_v<In> ? 128 : 0;

  [[gnu::always_inline]] static vec elements(const std::int8_t* in) {
    return Register::flip_signs(Register::load(in));
  }
  [[gnu::always_inline]] static vec dot(vec acc, vec a, vec b) { return Vnni::dpbusd(acc, a, b); }
};

}  // namespace ctq::kernels::simd
