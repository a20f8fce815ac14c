// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "ctq/kernels/reference/layer_norm.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/elementwise/row_lanes.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

namespace norm_rows {

/// sums[k] = Σ f(k, x[k][i]) over i.
template <vectorized Isa, int Rows, class F>
[[gnu::always_inline]] inline void sum(const float* const (&x)[Rows], int count, F f,
                                       float (&sums)[Rows]) noexcept {
  using row = row_lanes<Isa>;
  using floats = typename row::floats;
  constexpr int lanes = row::lanes, width = row::width, registers = row::registers;
  row partial[Rows];
  unroll<Rows>([&](auto k) __attribute__((always_inline)) { partial[k] = row(0.0F); });
  const int whole = count / lanes * lanes;
  for (int i = 0; i < whole; i += lanes)
    unroll<Rows, registers>([&](auto k, auto r) __attribute__((always_inline)) {
      partial[k].part[r] += f(k, floats::load_unaligned(x[k] + i + r * width));
    });
  unroll<Rows>([&](auto k) __attribute__((always_inline)) {
    if (whole < count) {
      alignas(64) float rest[lanes]{};
      std::copy_n(x[k] + whole, count - whole, rest);
      unroll<registers>([&](auto r) __attribute__((always_inline)) {
        f(k, floats::load_unaligned(rest + r * width)).store_unaligned(rest + r * width);
      });
      std::fill_n(rest + (count - whole), lanes - (count - whole), 0.0F);
      unroll<registers>([&](auto r) __attribute__((always_inline)) {
        partial[k].part[r] += floats::load_unaligned(rest + r * width);
      });
    }
    sums[k] = partial[k].sum();
  });
}

/// What begins at p: a register, or a float.
template <class T>
[[nodiscard, gnu::always_inline]] inline T loaded(const float* p) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    return *p;
  } else {
    return T::load_unaligned(p);
  }
}

/// difference * factor + bias, in two roundings.
template <vectorized Isa, class T>
[[nodiscard, gnu::always_inline]] inline T scaled(T difference, T factor, T bias) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    return no_contract(difference * factor) + bias;
  } else {
    return rounded<Isa>(difference * factor) + bias;
  }
}

/// Calls f(i, T{}) for i = 0 … count - 1, a register (T) at a time, then one by one (T: float).
template <vectorized Isa, class F>
[[gnu::always_inline]] inline void for_each(int count, F f) noexcept {
  using floats = batch<Isa, float>;
  constexpr int width = static_cast<int>(floats::size);
  int i = 0;
  for (; i + width <= count; i += width) f(i, std::type_identity<floats>{});
  for (; i < count; ++i) f(i, std::type_identity<float>{});
}

/// What a row's elements have subtracted: first its first element, then the mean of the
/// differences.
struct center {
  float origin, mean;

  template <class T>
  [[nodiscard, gnu::always_inline]] T operator()(T x) const noexcept {
    return (x - T(origin)) - T(mean);
  }
};

/// Rows of known means: y = center(x) * (weight * inverse) + bias.
///   at  the first element of the first row in the tensor
template <vectorized Isa, int Rows>
[[gnu::always_inline]] inline void scale(layer_norm_shape s, std::ptrdiff_t at,
                                         const float* const (&x)[Rows],
                                         const center (&centers)[Rows],
                                         const float (&inverse)[Rows], const float* weight,
                                         const float* bias, float* const (&y)[Rows]) noexcept {
  const auto put = [&]<class T>(int k, int i, T factor, T added) __attribute__((always_inline)) {
    const T result = scaled<Isa>(centers[k](loaded<T>(x[k] + i)), factor, added);
    float* const to = y[k] + i;
    if constexpr (std::is_same_v<T, float>) {
      *to = result;
    } else {
      result.store_unaligned(to);
    }
  };
  if (weight != nullptr && bias != nullptr && s.pixels == 1 && s.channels == s.count) {
    return for_each<Isa>(
        s.count, [&]<class T>(int i, std::type_identity<T>) __attribute__((always_inline)) {
          const T of_all = loaded<T>(weight + i), added = loaded<T>(bias + i);
          unroll<Rows>([&](auto k) __attribute__((always_inline)) {
            put(k, i, T(of_all * T(inverse[k])), added);
          });
        });
  }
  const bool affine = weight != nullptr || bias != nullptr;
  for (int k = 0; k < Rows; ++k)
    for (int i = 0; i < s.count;) {
      const std::ptrdiff_t c = (at + std::ptrdiff_t{k} * s.count + i) / s.pixels % s.channels;
      const int run = affine ? std::min(s.pixels, s.count - i) : s.count;
      const float factor = weight == nullptr ? inverse[k] : weight[c] * inverse[k];
      const float added = bias == nullptr ? 0.0F : bias[c];
      for_each<Isa>(
          run, [&]<class T>(int j, std::type_identity<T>)
                   __attribute__((always_inline)) { put(k, i + j, T(factor), T(added)); });
      i += run;
    }
}

/// Rows first … first + Rows - 1.
template <vectorized Isa, int Rows>
[[gnu::always_inline]] inline void normalize(layer_norm_shape s, std::ptrdiff_t first,
                                             const float* in, const float* weight,
                                             const float* bias, float* out) noexcept {
  using floats = batch<Isa, float>;
  const float* x[Rows];
  float* y[Rows];
  unroll<Rows>([&](auto k) __attribute__((always_inline)) {
    x[k] = in + (first + k) * s.count;
    y[k] = out + (first + k) * s.count;
  });
  const auto count = static_cast<float>(s.count);
  center centers[Rows];
  float sums[Rows];
  unroll<Rows>([&](auto k) __attribute__((always_inline)) { centers[k] = {*x[k], 0.0F}; });
  sum<Isa>(
      x, s.count,
      [&](int k, floats v) __attribute__((always_inline)) { return v - floats(centers[k].origin); },
      sums);
  unroll<Rows>([&](auto k) __attribute__((always_inline)) { centers[k].mean = sums[k] / count; });
  sum<Isa>(
      x, s.count,
      [&](int k, floats v) __attribute__((always_inline)) {
        const floats difference = centers[k](v);
        return rounded<Isa>(difference * difference);
      },
      sums);
  float inverse[Rows];
  unroll<Rows>([&](auto k) __attribute__((always_inline)) {
    inverse[k] = reference::inverse_deviation(sums[k] / count, s);
  });
  scale<Isa>(s, first * s.count, x, centers, inverse, weight, bias, y);
}

}  // namespace norm_rows

/// As reference::layer_norm, bit for bit but for the bits of NaN.
template <class Isa>
[[gnu::noinline]] void layer_norm(const layer_norm_shape& s, const float* in, const float* weight,
                                  const float* bias, float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::layer_norm(s, in, weight, bias, out);
  } else if (s.count > 0) {
    for_rows_together<Isa>(
        s.rows, [&](auto rows, std::ptrdiff_t first) __attribute__((always_inline)) {
          norm_rows::normalize<Isa, rows>(s, first, in, weight, bias, out);
        });
  }
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
