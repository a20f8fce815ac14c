// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/kernels/quantizer.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/conversions.hpp"
#include "ctq/kernels/simd/arch/convert_neon.hpp"
#include "ctq/kernels/simd/arch/convert_x86.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/xsimd.hpp"

// Register conversions between 8-bit integers, 32-bit integers and floats, and the quantize and
// dequantize formulas on registers. The arch headers use intrinsics because xsimd widens element by
// element (13 to 17 times slower) and has no narrowing integer conversions.

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

template <class Isa>
inline constexpr int float_lanes = static_cast<int>(batch<Isa, float>::size);

/// The same bits as a register of another type.
template <class To, class From>
[[nodiscard, gnu::always_inline]] inline To bits_as(From x) noexcept {
  using from = typename From::register_type;
  return To(std::bit_cast<typename To::register_type>(static_cast<from>(x)));
}

/// Loads float_lanes bytes and widens them to int32.
template <vectorized Isa, quantized Q>
[[nodiscard, gnu::always_inline]] inline batch<Isa, std::int32_t> widen(const Q* in) noexcept {
  return conversions<xsimd_arch<Isa>>::widen(in);
}

template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> to_float(
    batch<Isa, std::int32_t> x) noexcept {
  return xsimd::to_float(x);
}

/// Rounds to the nearest integer, ties to even. Preserves -0 and NaN.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> nearest(batch<Isa, float> x) noexcept {
  return xsimd::nearbyint(x);
}

/// Narrows float_lanes integers to Q and stores them.
/// Requires  x is in the range of Q
template <vectorized Isa, quantized Q>
[[gnu::always_inline]] inline void narrow_store(batch<Isa, std::int32_t> x, Q* out) noexcept {
  conversions<xsimd_arch<Isa>>::narrow_store(x, out);
}

/// Narrows the four registers part(0), part(n), part(2n), part(3n), where n = float_lanes, to one
/// register of bytes.
/// Requires  all integers are in the range of Q
template <vectorized Isa, quantized Q, class Part>
[[nodiscard, gnu::always_inline]] inline batch<Isa, Q> narrow(Part part) noexcept {
  constexpr int n = float_lanes<Isa>;
  return conversions<xsimd_arch<Isa>>::template narrow<Q>(part(0), part(n), part(2 * n),
                                                          part(3 * n));
}

/// reference::dequantize on a register of bytes. Yields four registers of floats, whose lane order
/// is that of conversions::biased.
template <vectorized Isa>
struct byte_dequantizer {
  using floats = batch<Isa, float>;

  floats zero, scale;  // zero: 2^23 + zero point, so that both are exact as floats

  template <quantized Q>
  [[gnu::always_inline]] byte_dequantizer(const qparams& p, std::type_identity<Q>) noexcept
      : zero(static_cast<float>(0x800000 + p.zero_point + (std::is_signed_v<Q> ? 128 : 0))),
        scale(p.scale) {}

  /// Loads a register of bytes as uint8; int8 values are offset by 128.
  template <quantized Q>
  [[nodiscard, gnu::always_inline]] static batch<Isa, std::uint8_t> load(const Q* in) noexcept {
    const auto x =
        batch<Isa, std::uint8_t>::load_unaligned(reinterpret_cast<const std::uint8_t*>(in));
    return std::is_signed_v<Q> ? x ^ batch<Isa, std::uint8_t>(std::uint8_t{128}) : x;
  }
  template <int Part>
  [[nodiscard, gnu::always_inline]] floats part(const batch<Isa, std::uint8_t>& x) const noexcept {
    return (floats(conversions<xsimd_arch<Isa>>::template biased<Part>(x)) - zero) * scale;
  }
};

/// Converts four registers of scaled floats to one register of bytes: rounds, adds the zero point,
/// clamps.
/// Requires  |x| < 2^31, except for the overload with a fallback, which detects violations
template <vectorized Isa>
struct float_narrower {
  using floats = batch<Isa, float>;
  using convert = conversions<xsimd_arch<Isa>>;

  typename convert::range range;

  [[gnu::always_inline]] explicit float_narrower(const output_range& to) noexcept : range(to) {}

  /// part(0) … part(3), in the lane order of byte_dequantizer.
  template <quantized Q, class Part>
  [[nodiscard, gnu::always_inline]] batch<Isa, Q> bytes(Part part) const noexcept {
    const auto x = words([&](auto k) __attribute__((always_inline)) { return part(k); });
    return convert::template bytes<Q>(x.low, x.high, range);
  }
  /// part(0), part(n), part(2n), part(3n), where n = float_lanes, in this order.
  template <quantized Q, class Part>
  [[nodiscard, gnu::always_inline]] batch<Isa, Q> bytes_in_order(Part part) const noexcept {
    const auto x = words_in_order(part);
    return convert::ordered(convert::template bytes<Q>(x.low, x.high, range));
  }
  /// As above, but returns otherwise() if a value may be NaN or exceed 2^31 in magnitude.
  template <quantized Q, class Part, class Otherwise>
  [[nodiscard, gnu::always_inline]] batch<Isa, Q> bytes_in_order(
      Part part, Otherwise otherwise) const noexcept {
    const auto x = words_in_order(part);
    if (convert::may_overflow(x.low, x.high)) [[unlikely]]
      return otherwise();
    return convert::ordered(convert::template bytes<Q>(x.low, x.high, range));
  }

 private:
  template <class Part>
  [[nodiscard, gnu::always_inline]] static auto words(Part part) noexcept {
    const auto rounded = [&](auto k) __attribute__((always_inline)) {
      return convert::round(part(k));
    };
    constexpr std::integral_constant<int, 0> a;
    constexpr std::integral_constant<int, 1> b;
    constexpr std::integral_constant<int, 2> c;
    constexpr std::integral_constant<int, 3> d;
    struct both {
      decltype(convert::narrow16(rounded(a), rounded(b))) low, high;
    };
    return both{convert::narrow16(rounded(a), rounded(b)),
                convert::narrow16(rounded(c), rounded(d))};
  }
  template <class Part>
  [[nodiscard, gnu::always_inline]] static auto words_in_order(Part part) noexcept {
    return words([&](auto k) __attribute__((always_inline)) { return part(k * float_lanes<Isa>); });
  }
};

/// reference::dequantize on registers.
template <vectorized Isa>
struct dequantizer_lanes {
  batch<Isa, std::int32_t> zero_point;
  batch<Isa, float> scale;

  [[gnu::always_inline]] explicit dequantizer_lanes(const qparams& p) noexcept
      : zero_point(p.zero_point), scale(p.scale) {}

  template <quantized Q>
  [[nodiscard, gnu::always_inline]] batch<Isa, float> operator()(const Q* in) const noexcept {
    return to_float<Isa>(widen<Isa>(in) - zero_point) * scale;
  }
};

/// reference::quantize on registers.
///
/// Requires  2⁻¹²⁶ <= scale <= 2¹¹⁸: 1 / scale and all dequantized 8-bit values are finite, so that
///          only nan_safe has to handle NaN
template <vectorized Isa>
struct quantizer_lanes {
  using floats = batch<Isa, float>;
  using integers = batch<Isa, std::int32_t>;

  floats inverse, low, high;
  integers zero_point;

  [[gnu::always_inline]] explicit quantizer_lanes(const quantizer& q) noexcept
      : inverse(q.inverse), low(q.low), high(q.high), zero_point(q.zero_point) {}

  /// A separate quantizer in each lane.
  [[gnu::always_inline]] quantizer_lanes(const float* scale, const std::int32_t* zero_points,
                                         std::int32_t quant_min, std::int32_t quant_max) noexcept
      : inverse(divide<Isa>(floats(1.0F), floats::load_unaligned(scale))),
        low(to_float<Isa>(integers(quant_min) - integers::load_unaligned(zero_points))),
        high(to_float<Isa>(integers(quant_max) - integers::load_unaligned(zero_points))),
        zero_point(integers::load_unaligned(zero_points)) {}

  // The bounds are integers, so clamping before rounding equals clamping after it.
  [[nodiscard, gnu::always_inline]] integers operator()(floats x) const noexcept {
    const floats q = xsimd::min(xsimd::max(x * inverse, low), high);
    return integers(conversions<xsimd_arch<Isa>>::round(q)) + zero_point;
  }
  /// As operator(), but maps NaN to the zero point. For values that are not computed from quantized
  /// ones.
  [[nodiscard, gnu::always_inline]] integers nan_safe(floats x) const noexcept {
    floats q = x * inverse;
    q = xsimd::select(q == q, xsimd::max(q, low), floats(0.0F));
    q = xsimd::min(q, high);
    return integers(conversions<xsimd_arch<Isa>>::round(q)) + zero_point;
  }
};

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
