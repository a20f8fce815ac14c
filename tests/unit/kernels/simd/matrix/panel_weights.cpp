// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/panel_weights.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "ctq/kernels/simd/convolution/conv2d.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

using dot = simd::int8_dot<isa::native>;
constexpr bool widens = simd::widens_weights<dot>;

constexpr conv2d_shape pixels(int n) {
  return {.batch = 1,
          .in_h = 1,
          .in_w = n,
          .in_channels = 33,
          .out_channels = 40,
          .kernel_h = 1,
          .kernel_w = 1};
}

static_assert(!simd::widens_weights<simd::float_dot<isa::native>>);
static_assert(!simd::widens_weights<simd::int8_dot<isa::scalar>>);

// One tile reads the packed weights; from two tiles on a workspace holds the widened ones.
static_assert(simd::wide_panel_bytes<dot>(pixels(dot::tile_rows)) == 0);
static_assert((simd::wide_panel_bytes<dot>(pixels(dot::tile_rows + 1)) > 0) == widens);
static_assert(simd::wide_panel_bytes<dot>(pixels(100)) % 64 == 0);

// Weights that are widened when used are packed in half the bytes.
static_assert(!widens ||
              2 * simd::block_layout<dot>::weight_bytes == simd::block_layout<dot>::vec_bytes);

/// A panel's weights in the order in which they are read.
template <class Dot, class Weights>
std::vector<typename Dot::weight> weights_of(Weights weights, int steps) {
  std::vector<typename Dot::weight> all;
  for (int step = 0; step < steps; ++step) {
    typename Dot::vec x[2];
    weights.next(x);
    using number =
        std::conditional_t<simd::widens_weights<Dot>, std::int16_t, typename Dot::weight>;
    number numbers[2 * Dot::lanes * Dot::k_group];
    static_assert(sizeof numbers == sizeof x);
    std::memcpy(numbers, x, sizeof x);
    for (const number n : numbers) all.push_back(static_cast<typename Dot::weight>(n));
  }
  return all;
}

template <class Dot>
void check_order() {
  using layout = simd::block_layout<Dot>;
  constexpr std::size_t steps = 3;
  std::vector<typename Dot::weight> packed(2 * steps * Dot::lanes * Dot::k_group);
  for (std::size_t i = 0; i < packed.size(); ++i) {
    packed[i] = static_cast<typename Dot::weight>(static_cast<std::int8_t>(37 * i + 129));
  }
  const simd::packed_weights<Dot> direct{reinterpret_cast<const std::byte*>(packed.data())};
  CHECK(weights_of<Dot>(direct, steps) == packed);
  if constexpr (simd::widens_weights<Dot>) {
    std::vector<std::byte> wide(2 * steps * layout::vec_bytes);
    CHECK(weights_of<Dot>(simd::widening_weights<Dot>{direct, wide.data()}, steps) == packed);
    CHECK(weights_of<Dot>(simd::widened_weights<Dot>{wide.data()}, steps) == packed);
  }
}

}  // namespace

TEST_CASE("weights are the same when read packed, while being widened and after that") {
  check_order<dot>();
}
