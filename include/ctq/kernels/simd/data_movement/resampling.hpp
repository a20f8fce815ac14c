// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "ctq/core/no_contract.hpp"
#include "ctq/core/shapes/resampling_shape.hpp"
#include "ctq/kernels/reference/data_movement/resampling.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"
#include "ctq/kernels/simd/widths.hpp"

namespace ctq::kernels::simd {

/// Copies pixels; a row that equals the one before it is copied as a whole.
template <class T>
void copy_nearest(const resampling_shape& s, const T* in, T* out) noexcept {
  const auto pixel = static_cast<std::size_t>(s.channels) * sizeof(T);
  const std::ptrdiff_t row = std::ptrdiff_t{s.out_w} * s.channels;
  const std::ptrdiff_t in_plane = std::ptrdiff_t{s.in_h} * s.in_w * s.channels;
  for (int plane = 0; plane < s.batch * s.out_d; ++plane) {
    const int image = plane / s.out_d, z = plane % s.out_d;
    const int depth = sampling_point_of(z, s.in_d, s.scale_d(), s.sampling).a;
    const T* const from_plane = in + (std::ptrdiff_t{image} * s.in_d + depth) * in_plane;
    int copied = -1;  // the row of the input that the last row of the output shows
    for (int y = 0; y < s.out_h; ++y, out += row) {
      const int from = sampling_point_of(y, s.in_h, s.scale_h(), s.sampling).a;
      if (from == copied) {
        std::memcpy(out, out - row, static_cast<std::size_t>(row) * sizeof(T));
        continue;
      }
      copied = from;
      const T* const line = from_plane + std::ptrdiff_t{from} * s.in_w * s.channels;
      T* to = out;
      for (int x = 0; x < s.out_w; ++x, to += s.channels) {
        const int column = sampling_point_of(x, s.in_w, s.scale_w(), s.sampling).a;
        std::memcpy(to, line + std::ptrdiff_t{column} * s.channels, pixel);
      }
    }
  }
}

/// Vectors of N floats and of N doubles. Specialized, since g++ rejects vector sizes that depend on
/// a template parameter.
template <int N>
struct real_vectors;
template <>
struct real_vectors<4> {
  using floats [[gnu::vector_size(16)]] = float;
  using doubles [[gnu::vector_size(32)]] = double;
};
template <>
struct real_vectors<8> {
  using floats [[gnu::vector_size(32)]] = float;
  using doubles [[gnu::vector_size(64)]] = double;
};

/// The interpolation of float_lanes<half_width<Isa>> channels, of which doubles fill a register.
template <vectorized Isa>
struct resampling_lanes {
  using isa = half_width<Isa>;
  using batch_type = batch<isa, float>;
  static constexpr int lanes = float_lanes<isa>;
  using floats = typename real_vectors<lanes>::floats;
  using doubles = typename real_vectors<lanes>::doubles;

  /// As interpolated: replaces `to` by the interpolation between `to` and b.
  [[gnu::always_inline]] static void interpolate(const sampling_point& p, batch_type& to,
                                                 const batch_type& b) noexcept {
    if (p.a == p.b) return;
    floats x, y;
    static_assert(sizeof x == sizeof to.data && sizeof y == sizeof b.data);
    std::memcpy(&x, &to.data, sizeof x);
    std::memcpy(&y, &b.data, sizeof y);
    const auto weight = static_cast<double>(p.weight);
    doubles first = __builtin_convertvector(x, doubles) * (1.0 - weight);
    doubles second = __builtin_convertvector(y, doubles) * weight;
    keep_product(first);
    keep_product(second);
    x = __builtin_convertvector(first + second, floats);
    std::memcpy(&to.data, &x, sizeof x);
  }
  /// As interpolated, between four pixels: products are exact in double.
  [[gnu::always_inline]] static batch_type weighed(const cubic_point& p,
                                                   const batch_type (&x)[4]) noexcept {
    doubles sum{};
    for (int k = 0; k < 4; ++k) {
      floats each;
      std::memcpy(&each, &x[k].data, sizeof each);
      const doubles product =
          __builtin_convertvector(each, doubles) * static_cast<double>(p.weight[k]);
      sum = k == 0 ? product : sum + product;
    }
    const floats rounded = __builtin_convertvector(sum, floats);
    batch_type out;
    std::memcpy(&out.data, &rounded, sizeof rounded);
    return out;
  }

 private:
  /// As no_contract, of a vector that may be wider than a register.
  [[gnu::always_inline]] static void keep_product(doubles& x) noexcept {
    using part_type = typename batch<Isa, double>::register_type;
    part_type part[sizeof x / sizeof(part_type)];
    static_assert(sizeof part == sizeof x);
    std::memcpy(part, &x, sizeof x);
    for (auto& p : part) p = no_contract(p);
    std::memcpy(&x, part, sizeof x);
  }
};

/// Linear interpolation of resampling_lanes::lanes channels from c on.
///   at(plane, row, column)  the pixel's first element
///   load(element)           a register of floats
template <vectorized Isa, class At, class Load>
[[gnu::always_inline]] inline auto sampled(const sampling_point& z, const sampling_point& y,
                                           const sampling_point& x, int c, At at,
                                           Load load) noexcept {
  using lanes = resampling_lanes<Isa>;
  const auto row = [&](int row, int column) __attribute__((always_inline)) {
    auto value = load(at(z.a, row, column) + c);
    if (z.a != z.b) lanes::interpolate(z, value, load(at(z.b, row, column) + c));
    return value;
  };
  auto left = row(y.a, x.a);
  lanes::interpolate(y, left, row(y.b, x.a));
  auto right = row(y.a, x.b);
  lanes::interpolate(y, right, row(y.b, x.b));
  lanes::interpolate(x, left, right);
  return left;
}
/// The same by cubic interpolation.
template <vectorized Isa, class At, class Load>
[[gnu::always_inline]] inline auto sampled(const cubic_point&, const cubic_point& y,
                                           const cubic_point& x, int c, At at, Load load) noexcept {
  using lanes = resampling_lanes<Isa>;
  typename lanes::batch_type row[4];
  for (int k = 0; k < 4; ++k) {
    const typename lanes::batch_type column[] = {
        load(at(0, y.index[0], x.index[k]) + c), load(at(0, y.index[1], x.index[k]) + c),
        load(at(0, y.index[2], x.index[k]) + c), load(at(0, y.index[3], x.index[k]) + c)};
    row[k] = lanes::weighed(y, column);
  }
  return lanes::weighed(x, row);
}

/// Interpolation, register by register of channels; the last one overlaps the one before.
///   load(element)      a register of floats
///   store(x, element)  of outputs
/// Requires  s.channels >= resampling_lanes<Isa>::lanes
template <vectorized Isa, class Point, class Load, class Store>
[[gnu::always_inline]] inline void resample_lanes(const resampling_shape& s, Load load,
                                                  Store store) noexcept {
  using lanes = resampling_lanes<Isa>;
  reference::for_each_sample<Point>(
      s, [&](const Point& z, const Point& y, const Point& x, std::ptrdiff_t image,
             std::ptrdiff_t pixel) __attribute__((always_inline)) {
        const auto at = [&](int plane, int row, int column) __attribute__((always_inline)) {
          const std::ptrdiff_t line = std::ptrdiff_t{plane} * s.in_h + row;
          return image + (line * s.in_w + column) * s.channels;
        };
        for (int i = 0; i < s.channels; i += lanes::lanes) {
          const int c = i < s.channels - lanes::lanes ? i : s.channels - lanes::lanes;
          store(sampled<Isa>(z, y, x, c, at, load), pixel * s.channels + c);
        }
      });
}
template <vectorized Isa, class Load, class Store>
[[gnu::always_inline]] inline void resample_by_rule(const resampling_shape& s, Load load,
                                                    Store store) noexcept {
  if (s.is_cubic()) return resample_lanes<Isa, cubic_point>(s, load, store);
  resample_lanes<Isa, sampling_point>(s, load, store);
}

/// Whether pixels have enough channels for resample_lanes.
template <class Isa>
[[nodiscard]] bool fills_lanes(const resampling_shape& s) {
  if constexpr (vectorized<Isa>) return s.channels >= resampling_lanes<Isa>::lanes;
  return false;
}

/// As reference::resampling on floats, bit for bit. Registers of 128 bits hold too few doubles:
/// with them the reference is faster.
template <class Isa>
inline void resampling(resampling_shape s, const float* in, float* out) noexcept {
  if (s.is_nearest()) return copy_nearest(s, in, out);
  if constexpr (!std::is_same_v<half_width<Isa>, Isa>) {
    using floats = typename resampling_lanes<Isa>::batch_type;
    if (fills_lanes<Isa>(s))
      return resample_by_rule<Isa>(
          s,
          [&](std::ptrdiff_t i)
              __attribute__((always_inline)) { return floats::load_unaligned(in + i); },
          [&](const floats& x, std::ptrdiff_t i)
              __attribute__((always_inline)) { x.store_unaligned(out + i); });
  }
  reference::resampling(s, in, out);
}

/// As reference::resampling on integers, byte for byte.
template <class Isa, quantized Q>
inline void resampling(resampling_shape s, const Q* in, const qparams& in_q, const qparams& out_q,
                       Q* out) noexcept {
  if (s.is_nearest() && in_q == out_q && same_scale_and_zero_point(in_q, out_q))
    return copy_nearest(s, in, out);
  if constexpr (vectorized<Isa>) {
    using isa = typename resampling_lanes<Isa>::isa;
    if (fills_lanes<Isa>(s)) {
      const dequantizer_lanes<isa> dequantize(in_q);
      const quantizer_lanes<isa> quantize(quantizer_of(out_q));
      return resample_by_rule<Isa>(
          s, [&](std::ptrdiff_t i) __attribute__((always_inline)) { return dequantize(in + i); },
          [&](const batch<isa, float>& x, std::ptrdiff_t i)
              __attribute__((always_inline)) { narrow_store<isa>(quantize(x), out + i); });
    }
  }
  reference::resampling(s, in, in_q, out_q, out);
}

}  // namespace ctq::kernels::simd
