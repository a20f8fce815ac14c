// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/reference/pooling_avg.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/inline_by_flatten.hpp"
#include "ctq/kernels/simd/pooling/pool_of_channels.hpp"
#include "ctq/kernels/simd/pooling/window_groups.hpp"
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

/// Requires  at least as many channels as a register has floats
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void avg_window(const pool_shape& shape, const pool_window& w,
                                              const Q* in, const qparams& in_q,
                                              const qparams& out_q, Q* out) noexcept {
  constexpr int n = float_lanes<Isa>;
  const quantizer_lanes<Isa> mean(reference::mean_of(reference::divisor_of(shape, w), in_q, out_q));
  const batch<Isa, std::int32_t> zero(w.taps() * in_q.zero_point);
  for (int i = 0; i < shape.channels; i += n) {
    const int c = i < shape.channels - n ? i : shape.channels - n;
    const auto sum = sum_of<Isa>(w, in + w.in + c) - zero;
    narrow_store<Isa>(mean.nan_safe(to_float<Isa>(sum)), out + w.out + c);
  }
}

/// Sums of taps for a register of channels, which are bytes; int8 is offset by 128 to uint8. A
/// 16-bit lane has two bytes: `both` sums the lanes, modulo 2^16, `odd` sums their upper bytes, and
/// `quarter` computes the sums of the lower bytes from the two.
template <vectorized Isa>
struct byte_sums {
  using halves = batch<Isa, std::uint16_t>;
  using integers = batch<Isa, std::int32_t>;
  using floats = batch<Isa, float>;
  using convert = conversions<xsimd_arch<Isa>>;
  static constexpr int most_taps = 65535 / 255;

  halves both = halves(std::uint16_t{0}), odd = both;

  template <quantized Q>
  [[gnu::always_inline]] void add(const Q* in) noexcept {
    const halves x = bits_as<halves>(byte_dequantizer<Isa>::load(in));
    both += x;
    odd += x >> 8;
  }
  /// A quarter of the sums, in the order of byte_dequantizer, with `upper` in the upper 16 bits.
  template <int Part>
  [[nodiscard, gnu::always_inline]] integers quarter(std::uint16_t upper) const noexcept {
    return integers(convert::template quarter<Part>(both - (odd << 8), odd, halves(upper)));
  }
  /// The same as floats, plus 2^23.
  template <int Part>
  [[nodiscard, gnu::always_inline]] floats biased() const noexcept {
    return bits_as<floats>(quarter<Part>(0x4B00));
  }
};

/// The means of windows, channel by channel in registers of bytes.
/// Requires  means_fit, at least as many channels as a register has bytes
template <vectorized Isa, quantized Q>
struct byte_means {
  using integers = batch<Isa, std::int32_t>;
  using floats = batch<Isa, float>;
  static constexpr int n = static_cast<int>(batch<Isa, std::uint8_t>::size);

  float_narrower<Isa> narrower;
  int zero_point;  // of a tap

  [[gnu::always_inline]] byte_means(const qparams& in_q, const qparams& out_q) noexcept
      : narrower(output_range_of(quantizer_of(out_q))),
        zero_point(in_q.zero_point + (std::is_signed_v<Q> ? 128 : 0)) {}

  /// The means of `count` windows, whose inputs are `stride` elements apart.
  CTQ_INLINE_BY_FLATTEN void operator()(pool_window w, int count, int channels,
                                        std::ptrdiff_t stride, const Q* in, float inverse,
                                        Q* out) const noexcept {
    if (w.taps() <= byte_sums<Isa>::most_taps) {
      for_each_group<n>(w, count, channels, stride,
                        [&](const window_group& g)
                            CTQ_INLINE_BY_FLATTEN { of_few(w, g, in, floats(inverse), out); });
      return;
    }
    const floats factor(inverse);
    for (; count > 0; --count, w.in += stride, w.out += channels) {
      int c = 0;
      for (; c + 2 * n <= channels; c += 2 * n)
        of_many<2>(*this, w, in + (w.in + c), factor, out + (w.out + c));
      for (; c < channels; c += n) {
        const int from = c < channels - n ? c : channels - n;
        of_many<1>(*this, w, in + (w.in + from), factor, out + (w.out + from));
      }
    }
  }

 private:
  CTQ_INLINE_BY_FLATTEN void of_few(const pool_window& w, const window_group& g, const Q* in,
                                    const floats& inverse, Q* out) const noexcept {
    byte_sums<Isa> sums[registers_of_a_group];
    for_each_tap(
        w, [&](std::ptrdiff_t tap) __attribute__((always_inline)) {
          unroll<registers_of_a_group>([&](auto k) __attribute__((always_inline)) {
            sums[k].add(in + (g.in[k] + tap));
          });
        });
    const floats zero(static_cast<float>(0x800000 + w.taps() * zero_point));
    unroll<registers_of_a_group>([&](auto k) __attribute__((always_inline)) {
      const batch<Isa, Q> q =
          narrower.template bytes<Q>([&](auto part) __attribute__((always_inline)) {
            return (sums[k].template biased<part>() - zero) * inverse;
          });
      q.store_unaligned(out + g.out[k]);
    });
  }
  /// Windows of many taps, for `Registers` registers of channels; two read the same cache lines.
  /// Takes its arguments by value, so that the caller can keep them in registers for windows of few
  /// taps.
  template <int Registers>
  [[gnu::noinline]] static void of_many(byte_means means, pool_window w, const Q* in,
                                        floats inverse, Q* out) noexcept {
    integers part[Registers][4];
    unroll<Registers, 4>([&](auto r, auto k)
                             __attribute__((always_inline)) { part[r][k] = integers(0); });
    byte_sums<Isa> sums[Registers];
    const auto flush = [&]() __attribute__((always_inline)) {
      unroll<Registers, 4>([&](auto r, auto k) __attribute__((always_inline)) {
        part[r][k] += sums[r].template quarter<k>(0);
      });
      unroll<Registers>([&](auto r) __attribute__((always_inline)) { sums[r] = {}; });
    };
    const auto add = [&](const Q*& from) __attribute__((always_inline)) {
      unroll<Registers>([&](auto r) __attribute__((always_inline)) { sums[r].add(from + r * n); });
      from += w.column_stride;
    };
    // Rows that are contiguous are summed as one row.
    const bool joined = w.row_stride == w.columns * w.column_stride;
    const int rows = joined ? 1 : w.rows, columns = joined ? w.rows * w.columns : w.columns;
    int room = byte_sums<Isa>::most_taps;
    for (int z = 0; z < w.planes; ++z)
      for (int y = 0; y < rows; ++y) {
        const Q* from = in + z * w.plane_stride + y * w.row_stride;
        for (int left = columns; left > 0;) {
          const int run = left < room ? left : room;
          int x = 0;
          for (; x + 4 <= run; x += 4)
            unroll<4>([&](auto) __attribute__((always_inline)) { add(from); });
          for (; x < run; ++x) add(from);
          left -= run;
          room -= run;
          if (room > 0) continue;
          flush();
          room = byte_sums<Isa>::most_taps;
        }
      }
    flush();
    const integers zero(w.taps() * means.zero_point);
    unroll<Registers>([&](auto r) __attribute__((always_inline)) {
      const batch<Isa, Q> q =
          means.narrower.template bytes<Q>([&](auto k) __attribute__((always_inline)) {
            return to_float<Isa>(part[r][k] - zero) * inverse;
          });
      q.store_unaligned(out + r * n);
    });
  }
};

/// Whether the sum of a window, divided by the output's scale, fits easily in an int32, so that it
/// can be rounded before it is clamped.
[[nodiscard]] inline bool means_fit(const pool_shape& shape, const qparams& in_q,
                                    const qparams& out_q) noexcept {
  const float pixels = static_cast<float>(shape.in_d) * static_cast<float>(shape.in_h) *
                       static_cast<float>(shape.in_w);
  return 256.0F * pixels * reference::mean_of(1, in_q, out_q).inverse < 0x1p30F;
}

/// All windows. Requires as byte_means.
template <vectorized Isa, quantized Q>
[[gnu::noinline, gnu::flatten]] void means_of_runs(const pool_shape& shape, const Q* in,
                                                   const qparams& in_q, const qparams& out_q,
                                                   Q* out) noexcept {
  const byte_means<Isa, Q> means(in_q, out_q);
  const std::ptrdiff_t stride = stride_of_windows(shape);
  int divisor = 0;
  float inverse = 0.0F;
  for_each_run(shape, [&](const pool_window& w, int count) CTQ_INLINE_BY_FLATTEN {
    if (const int n = reference::divisor_of(shape, w); n != divisor) {
      divisor = n;
      inverse = reference::mean_of(n, in_q, out_q).inverse;
    }
    means(w, count, shape.channels, stride, in, inverse, out);
  });
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
template <class Isa, std::convertible_to<pool_shape> Shape, quantized Q>
[[gnu::always_inline]] inline void pooling_avg(const Shape& known, const Q* in, const qparams& in_q,
                                               const qparams& out_q, Q* out) noexcept {
  const pool_shape shape = known;  // a copy, since stores of bytes may alias a reference
  const auto channels = channels_of(known);
  if constexpr (!vectorized<Isa>) {
    reference::pooling_avg(shape, in, in_q, out_q, out);
  } else if (channels < float_lanes<narrowest_width<Isa>>) {
    reference::pooling_avg(shape, in, in_q, out_q, out);
  } else if (channels >= 16 && means_fit(shape, in_q, out_q)) {  // the narrowest register
    with_width<Isa, Q>(
        channels, [&](auto width) __attribute__((always_inline)) {
          means_of_runs<decltype(width)>(shape, in, in_q, out_q, out);
        });
  } else {  // means_fit is hardly ever false, and few channels fill no wider registers than these
    with_width<half_width<Isa>, float>(
        channels, [&](auto width) __attribute__((always_inline)) {
          for_each_window(
              shape, [&](const pool_window& w) __attribute__((always_inline)) {
                avg_window<decltype(width)>(shape, w, in, in_q, out_q, out);
              });
        });
  }
}

/// As reference::pooling_avg on floats, bit for bit.
template <class Isa, std::convertible_to<pool_shape> Shape>
[[gnu::always_inline]] inline void pooling_avg(const Shape& known, const float* in,
                                               float* out) noexcept {
  const pool_shape shape = known;
  if constexpr (!vectorized<Isa>) {
    reference::pooling_avg(shape, in, out);
  } else {
    with_width<Isa, float>(
        channels_of(known), [&](auto width) __attribute__((always_inline)) {
          for_each_window(
              shape, [&](const pool_window& w) __attribute__((always_inline)) {
                avg_window<decltype(width)>(shape, w, in, out);
              });
        });
  }
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
