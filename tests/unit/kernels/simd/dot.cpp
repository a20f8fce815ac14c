// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/dot.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "ctq/kernels/simd/matrix/panel_weights.hpp"
#include "kernels/generator.hpp"

using namespace ctq;
using namespace ctq::kernels;
using isa_t = isa::native;
using dense = simd::int8_dot<isa_t>;
using depthwise = simd::depthwise_dot<isa_t>;
using floating = simd::float_dot<isa_t>;

// What reads weights that are packed for another dot finds the same channels.
static_assert(simd::reads_what_is_packed_for<simd::narrow_dot_of<dense>, dense>());
static_assert(simd::reads_what_is_packed_for<simd::narrow_dot_of<floating>, floating>());
static_assert(simd::narrow_lanes<dense> <= dense::lanes);

namespace {

/// Each channel of a block has one lane.
template <class Dot>
void check_columns() {
  for (const int vectors : {1, 2, Dot::k_group}) {
    std::vector<int> times(static_cast<std::size_t>(vectors * Dot::lanes));
    for (int v = 0; v < vectors; ++v)
      for (int lane = 0; lane < Dot::lanes; ++lane)
        ++times.at(static_cast<std::size_t>(Dot::column(vectors, v, lane)));
    CHECK(times == std::vector<int>(times.size(), 1));
  }
}

/// Of all numbers that fit, the ends of the range among them.
template <class T>
std::vector<T> numbers(std::size_t n, samples::generator& random) {
  constexpr int lo = std::is_same_v<T, std::uint8_t> ? 0 : -128;
  std::vector<T> out(n);
  for (T& x : out) {
    const int any[] = {lo, lo + 255, random.between(lo, lo + 255)};
    x = static_cast<T>(any[random() % 3]);
  }
  return out;
}

/// acc + Σ_j a[j] * b[lane, j], modulo 2^32, for a that all lanes share.
template <class Dot>
void check_dot() {
  using element = typename Dot::element;
  using weight = typename Dot::weight;
  constexpr auto group = static_cast<std::size_t>(Dot::k_group),
                 lanes = static_cast<std::size_t>(Dot::lanes);
  for (unsigned seed = 1; seed <= 200; ++seed) {
    samples::generator random(seed);
    // Elements are activations plus an offset, uint8 or what fits in int8.
    const auto a = numbers<element>(group, random);
    const auto b = numbers<std::int8_t>(2 * lanes * group, random);
    std::vector<weight> packed(b.begin(), b.end());
    std::vector<std::int32_t> acc(lanes);
    for (std::int32_t& x : acc) x = static_cast<std::int32_t>(random());
    typename Dot::vec weights[2];
    simd::packed_weights<Dot>{reinterpret_cast<const std::byte*>(packed.data())}.next(weights);
    for (std::size_t v = 0; v < 2; ++v) {
      const auto sum = Dot::dot(Dot::load(acc.data()), Dot::broadcast(a.data()), weights[v]);
      std::vector<std::int32_t> got(lanes), wanted(lanes);
      std::memcpy(got.data(), &sum, sizeof sum);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        auto total = static_cast<std::uint32_t>(acc[lane]);
        for (std::size_t j = 0; j < group; ++j)
          total += static_cast<std::uint32_t>(static_cast<int>(a[j]) *
                                              static_cast<int>(b[(v * lanes + lane) * group + j]));
        wanted[lane] = static_cast<std::int32_t>(total);
      }
      CHECK(got == wanted);
    }
  }
}

/// Registers of channels, one a tap, become registers whose lanes have the taps of their channel.
template <class Dot>
void check_interleave() {
  using element = typename Dot::element;
  constexpr auto group = static_cast<std::size_t>(Dot::k_group);
  constexpr std::size_t channels = static_cast<std::size_t>(Dot::lanes) * group;
  static_assert(sizeof(typename Dot::vec) == channels * sizeof(element));
  const auto number = [](std::size_t tap, std::size_t channel) {
    return static_cast<element>((tap * 64 + channel * 5) % 251);
  };
  typename Dot::vec x[group];
  for (std::size_t tap = 0; tap < group; ++tap) {
    element of_tap[channels];
    for (std::size_t c = 0; c < channels; ++c) of_tap[c] = number(tap, c);
    std::memcpy(&x[tap], of_tap, sizeof x[tap]);
  }
  Dot::interleave(x);
  int wrong = 0;
  for (int v = 0; v < Dot::k_group; ++v) {
    element got[channels];
    std::memcpy(got, &x[v], sizeof x[v]);
    for (int lane = 0; lane < Dot::lanes; ++lane)
      for (std::size_t tap = 0; tap < group; ++tap) {
        const auto channel = static_cast<std::size_t>(Dot::column(Dot::k_group, v, lane));
        wrong += got[static_cast<std::size_t>(lane) * group + tap] != number(tap, channel);
      }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("each channel of a block is in one lane") {
  check_columns<dense>();
  check_columns<depthwise>();
  check_columns<floating>();
}

TEST_CASE("a dot product adds all products of a lane, modulo 2^32, at the ends of the range too") {
  check_dot<dense>();
}

TEST_CASE("interleaved registers have all taps of a channel in its lane") {
  check_interleave<depthwise>();
  check_interleave<floating>();
}
