// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "any_shape.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/kernels/reference/conv2d.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "plain_loops.hpp"
#include "samples.hpp"

// Operands for the tests of conv2d and linear, and the comparison with the reference.

namespace samples {

/// Workspace of exactly the size that the kernel asks for: aligned to 64, with arbitrary contents.
class aligned_bytes {
 public:
  explicit aligned_bytes(std::size_t n) : bytes_((n + 63) / 64 * 64) {}
  [[nodiscard]] std::byte* data() const { return reinterpret_cast<std::byte*>(bytes_.data()); }

 private:
  fenced_bytes bytes_;
};

enum class values { random, extreme };

/// Bias and requantization parameters of a layer with `outputs` channels.
struct epilogue {
  std::vector<std::int32_t> bias;
  std::vector<float> multiplier;
  ctq::kernels::output_range to;
};

/// Multipliers that produce ties, that saturate, and that spread accumulators of `terms` products
/// over the output range; biases from small ones to ones for which the accumulator wraps; zero
/// points and bounds at both ends.
template <class Out>
epilogue random_epilogue(int outputs, int terms, generator& random) {
  constexpr int lowest = std::numeric_limits<Out>::lowest();
  const auto up_to = [&](unsigned n) { return static_cast<int>(random() % n); };
  epilogue e;
  for (int i = 0; i < outputs; ++i) {
    const float spread = 1.0F / (40.0F * std::sqrt(static_cast<float>(terms + 1)));
    const float multipliers[] = {0.5F, 0.25F, 0.9F, spread, spread, 0x1p-30F};
    e.multiplier.push_back(multipliers[up_to(6)]);
    const std::int32_t biases[] = {up_to(2000) - 1000, up_to(200000) - 100000, 1,
                                   std::numeric_limits<std::int32_t>::max() - up_to(1000)};
    e.bias.push_back(biases[up_to(16) == 0 ? 3 : up_to(3)]);
  }
  const int zero_points[] = {0, 255, 128, up_to(256)};
  e.to.zero_point = lowest + zero_points[up_to(4)];
  const bool relu = up_to(3) == 0;
  e.to.lo = relu ? e.to.zero_point : lowest + up_to(2) * up_to(20);
  e.to.hi = std::max(e.to.lo, lowest + 255 - up_to(2) * up_to(20));
  return e;
}

/// Integers of the full range, or only its bounds.
template <class Q>
std::vector<Q> integers(std::size_t n, values kind, generator& random) {
  std::vector<Q> out(n);
  for (Q& q : out) {
    q = static_cast<Q>(random() & 0xFF);
    if (kind == values::extreme) {
      q = random() % 4 == 0 ? std::numeric_limits<Q>::lowest() : std::numeric_limits<Q>::max();
    }
  }
  return out;
}

/// In (-2, 2). Integer values keep every sum exact, so that results with and without fma are equal.
inline std::vector<float> reals(std::size_t n, bool whole, generator& random) {
  std::vector<float> out(n);
  for (float& x : out) {
    const auto bits = static_cast<std::int32_t>(random());
    x = whole ? static_cast<float>(bits % 8) : static_cast<float>(bits >> 8) * 0x1p-22F;
  }
  return out;
}

/// The same bits, or both NaN: the NaN payload of an fma differs between machines.
inline bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

inline bool same(const std::vector<float>& a, const float* b) {
  return std::equal(a.begin(), a.end(), b, [](float x, float y) { return same(x, y); });
}

using namespace ctq;

inline std::size_t size(int a, int b) { return static_cast<std::size_t>(a * b); }

inline std::string describe(const conv2d_shape& s) {
  const auto words = std::bit_cast<std::array<int, sizeof(s) / sizeof(int)>>(s);
  std::string text;
  for (int w : words) text += std::to_string(w) + " ";
  return text;
}

inline std::size_t in_elements(const conv2d_shape& s) {
  return static_cast<std::size_t>(s.batch * s.in_h * s.in_w * s.in_channels);
}
inline std::size_t out_elements(const conv2d_shape& s) {
  return static_cast<std::size_t>(s.batch * s.out_h() * s.out_w() * s.out_channels);
}
inline int terms(const conv2d_shape& s) { return s.kernel_h * s.kernel_w * s.in_group(); }

template <class T>
constexpr dtype dtype_of = std::is_same_v<T, float>         ? f32
                           : std::is_same_v<T, std::int8_t> ? qint8
                                                            : quint8;

/// shape: what the kernel gets for the layer `s`, its shape, a constant of it, or formed_shape_of
template <class Isa, class In, class Out, class Shape>
bool layer_equals_reference(const conv2d_shape& s, const Shape& shape, values kind, unsigned seed) {
  generator random(seed);
  const auto weights = static_cast<std::size_t>(s.out_channels * terms(s));
  const fenced<In> in(integers<In>(in_elements(s), kind, random));
  const auto weight = integers<std::int8_t>(weights, kind, random);
  const epilogue e = random_epilogue<Out>(s.out_channels, terms(s), random);
  const int zero_point = std::numeric_limits<In>::lowest() + static_cast<int>(random() % 256);

  std::vector<Out> expected(out_elements(s));
  kernels::reference::conv2d(s, in.data(), weight.data(), e.bias.data(), e.multiplier.data(), e.to,
                             zero_point, expected.data());

  const aligned_bytes packed(kernels::simd::conv2d_packed_bytes<Isa>(s, dtype_of<In>));
  const aligned_bytes workspace(kernels::simd::conv2d_workspace_bytes<Isa>(s, dtype_of<In>));
  kernels::simd::pack<Isa, In>(
      s, kernels::simd::unpacked{weight.data(), e.bias.data(), e.multiplier.data()}, packed.data());
  guarded<Out> out(expected.size());
  kernels::simd::conv2d<Isa>(shape, in.data(), packed.data(), e.to, zero_point, out.data(),
                             workspace.data());
  return out.holds(expected);
}

/// Shape: conv2d_shape or a constant of it.
template <class Isa, class In, class Out, class Shape>
bool conv2d_equals_reference(const Shape& shape, values kind, unsigned seed) {
  return layer_equals_reference<Isa, In, Out>(shape, shape, kind, seed);
}

/// Shape: linear_shape or a constant of it.
template <class Isa, class In, class Out, class Shape>
bool linear_equals_reference(const Shape& shape, values kind, unsigned seed) {
  return conv2d_equals_reference<Isa, In, Out>(kernels::simd::as_conv2d(shape), kind, seed);
}

}  // namespace samples
