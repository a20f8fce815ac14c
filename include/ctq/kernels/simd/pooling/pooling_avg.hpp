// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "ctq/kernels/reference/pooling_avg.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"
#include "ctq/kernels/simd/widths.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// Sum of the taps of a window, one channel per lane; int32 for integers. `in` points to the first
/// tap.
template <class Isa, class T>
[[nodiscard, gnu::always_inline]] inline auto sum_of(const pool_window& w, const T* in) noexcept {
  using sums = std::conditional_t<quantized<T>, std::int32_t, float>;
  batch<Isa, sums> sum(sums{});
  for_each_tap(
      w, [&](std::ptrdiff_t tap) __attribute__((always_inline)) {
        if constexpr (quantized<T>) {
          sum += widen<Isa>(in + tap);
        } else {
          sum += batch<Isa, T>::load_unaligned(in + tap);
        }
      });
  return sum;
}

template <class Isa, quantized Q>
[[gnu::always_inline]] inline void avg_window(const pool_shape& shape, const pool_window& w,
                                              const Q* in, const qparams& in_q,
                                              const qparams& out_q, Q* out) noexcept {
  constexpr int n = float_lanes<Isa>;
  if (shape.channels < n) {
    reference::avg_window(shape, w, in, in_q, out_q, out);
    return;
  }
  const quantizer_lanes<Isa> mean(reference::mean_of(reference::divisor_of(shape, w), in_q, out_q));
  const batch<Isa, std::int32_t> zero(w.taps() * in_q.zero_point);
  for (int i = 0; i < shape.channels; i += n) {
    const int c = i < shape.channels - n ? i : shape.channels - n;
    const auto sum = sum_of<Isa>(w, in + w.in + c) - zero;
    narrow_store<Isa>(mean.nan_safe(to_float<Isa>(sum)), out + w.out + c);
  }
}

/// Sums of the taps of a window for a register of channels, which are bytes: lane i of part[j] is
/// the sum of channel 4i + j, plus 128 a tap if they are signed.
template <vectorized Isa>
struct byte_sums {
  using words = batch<Isa, std::uint32_t>;

  words part[4];

  template <quantized Q>
  [[gnu::always_inline]] byte_sums(const pool_window& w, const Q* in) noexcept
      : part{words(0U), words(0U), words(0U), words(0U)} {
    constexpr int most = 65535 / 255;  // bytes in a sum of 16 bits
    const words low_bytes(0x00ff00ffU), low_half(0xffffU);
    words even(0U), odd(0U);  // sums of 16 bits, two in a lane
    const auto flush = [&]() __attribute__((always_inline)) {
      part[0] += even & low_half;
      part[1] += odd & low_half;
      part[2] += even >> 16;
      part[3] += odd >> 16;
      even = odd = words(0U);
    };
    int count = 0;
    for_each_tap(
        w, [&](std::ptrdiff_t tap) __attribute__((always_inline)) {
          const words x = bits_as<words>(byte_dequantizer<Isa>::load(in + tap));
          even += x & low_bytes;
          odd += (x >> 8) & low_bytes;
          if (++count == most) [[unlikely]] {
            flush();
            count = 0;
          }
        });
    flush();
  }
};

/// The means of one window, channel by channel in registers of bytes.
/// Requires  at least as many channels as a register has bytes
template <vectorized Isa, quantized Q>
[[gnu::always_inline]] inline void avg_bytes(const pool_shape& shape, const pool_window& w,
                                             const Q* in, const qparams& in_q,
                                             const quantizer& mean, Q* out) noexcept {
  using bytes = batch<Isa, std::uint8_t>;
  using words = batch<Isa, std::uint32_t>;
  using integers = batch<Isa, std::int32_t>;
  constexpr int n = static_cast<int>(bytes::size);
  constexpr int offset = std::is_signed_v<Q> ? 128 : 0;
  const quantizer_lanes<Isa> lanes(mean);
  const bool finite = mean.inverse < __builtin_huge_valf();
  const integers zero(w.taps() * (in_q.zero_point + offset));
  for (int i = 0; i < shape.channels; i += n) {
    const int c = i < shape.channels - n ? i : shape.channels - n;
    const byte_sums<Isa> sums(w, in + w.in + c);
    const auto channel = [&](int j) __attribute__((always_inline)) {
      const auto sum = to_float<Isa>(bits_as<integers>(sums.part[j]) - zero);
      const words q = bits_as<words>(finite ? lanes(sum) : lanes.nan_safe(sum));
      return std::is_signed_v<Q> ? q & words(0xffU) : q;
    };
    const words all = (channel(0) | channel(1) << 8) | (channel(2) << 16 | channel(3) << 24);
    bits_as<bytes>(all).store_unaligned(reinterpret_cast<std::uint8_t*>(out + w.out + c));
  }
}

template <class Isa>
[[gnu::always_inline]] inline void avg_window(const pool_shape& shape, const pool_window& w,
                                              const float* in, float* out) noexcept {
  constexpr int n = float_lanes<Isa>;
  if (shape.channels < n) {
    reference::avg_window(shape, w, in, out);
    return;
  }
  const batch<Isa, float> pixels(static_cast<float>(reference::divisor_of(shape, w)));
  for (int i = 0; i < shape.channels; i += n) {
    const int c = i < shape.channels - n ? i : shape.channels - n;
    divide<Isa>(sum_of<Isa>(w, in + w.in + c), pixels).store_unaligned(out + w.out + c);
  }
}

/// As reference::pooling_avg on integers, byte for byte.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void pooling_avg(pool_shape shape, const Q* in, const qparams& in_q,
                                               const qparams& out_q, Q* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::pooling_avg(shape, in, in_q, out_q, out);
  } else if (shape.channels >= 16) {  // bytes of the narrowest register
    with_width<Isa, Q>(
        shape.channels, [&](auto width) __attribute__((always_inline)) {
          int divisor = 0;
          quantizer mean{};
          for_each_window(
              shape, [&](const pool_window& w) __attribute__((always_inline)) {
                if (const int n = reference::divisor_of(shape, w); n != divisor) {
                  divisor = n;
                  mean = reference::mean_of(n, in_q, out_q);
                }
                avg_bytes<decltype(width)>(shape, w, in, in_q, mean, out);
              });
        });
  } else {
    with_width<Isa, float>(
        shape.channels, [&](auto width) __attribute__((always_inline)) {
          for_each_window(
              shape, [&](const pool_window& w) __attribute__((always_inline)) {
                avg_window<decltype(width)>(shape, w, in, in_q, out_q, out);
              });
        });
  }
}

/// As reference::pooling_avg on floats, bit for bit.
template <class Isa>
[[gnu::always_inline]] inline void pooling_avg(pool_shape shape, const float* in,
                                               float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::pooling_avg(shape, in, out);
  } else {
    with_width<Isa, float>(
        shape.channels, [&](auto width) __attribute__((always_inline)) {
          for_each_window(
              shape, [&](const pool_window& w) __attribute__((always_inline)) {
                avg_window<decltype(width)>(shape, w, in, out);
              });
        });
  }
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
