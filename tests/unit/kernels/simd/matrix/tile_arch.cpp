// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/tile_arch.hpp"

#include <doctest/doctest.h>

#include "kernels/emulated_tiles.hpp"
#include "kernels/layer_case.hpp"

using namespace ctq;
using namespace ctq::kernels;
using simd::tile_format;

// The tiles are AMX if the target has it, else emulated.
using tiles = simd::int8_tile<emulation::with_tiles>;

static_assert(simd::has_tiles<emulation::with_tiles>);
static_assert(simd::has_tiles<isa::native> == isa::includes<isa::native, isa::amx>);
static_assert(!simd::has_tiles<isa::avx512vnni>);

namespace {

constexpr int rows = 5;
constexpr int width = 12;  // bytes of k

/// Accumulators in tile 0, activations in 4, weights in 6.
constexpr simd::tile_sizes sizes{{rows, 1, 1, 1, rows, 1, width / 4, 1},
                                 {64, 64, 64, 64, width, 64, 64, 64}};

template <class In>
void check_dot() {
  samples::generator random(3);
  const auto in = samples::integers<In>(rows * width, samples::values::random, random);
  const auto weight = samples::integers<std::int8_t>(width * 16, samples::values::random, random);
  std::int32_t sums[rows][20];  // 20: rows that are further apart than they are long
  for (auto& row : sums) std::fill(std::begin(row), std::end(row), 77);
  std::int32_t start[16];
  for (std::int32_t& x : start) x = static_cast<int>(random() % 100000) - 50000;
  {
    tiles t(sizes);
    t.template load<0>(start, 0);
    t.template load<4>(in.data(), width);
    t.template stream<6>(weight.data(), 64);
    t.template dot<0, 4, 6, In>();
    t.template dot<0, 4, 6, In>();
    t.template store<0>(sums, sizeof sums[0]);
  }
  for (std::size_t m = 0; m < rows; ++m) {
    for (std::size_t n = 0; n < 16; ++n) {
      int sum = 0;
      for (std::size_t k = 0; k < width; ++k) {
        sum += in[m * width + k] * weight[k / 4 * 64 + n * 4 + k % 4];
      }
      CHECK(sums[m][n] == start[n] + 2 * sum);
    }
    CHECK(sums[m][16] == 77);
  }
}

template <int N, class Out>
void check_requantizer(int channels) {
  CAPTURE(channels);
  constexpr int count = N * tile_format::lanes;
  samples::generator random(static_cast<unsigned>(channels));
  const samples::epilogue e = samples::random_epilogue<Out>(count, 100, random);
  struct alignas(64) {
    float multiplier[count];
    std::int32_t sums[count];
  } packed;
  std::vector<Out> expected(static_cast<std::size_t>(channels));
  for (int i = 0; i < count; ++i) {
    const auto channel = static_cast<std::size_t>(
        tile_format::column(N, i / tile_format::lanes, i % tile_format::lanes));
    packed.multiplier[i] = e.multiplier[channel];
    packed.sums[i] = static_cast<int>(random() % 100000) - 50000;
    if (channel < expected.size()) {
      expected[channel] =
          static_cast<Out>(reference::requantize(packed.sums[i], packed.multiplier[i], e.to));
    }
  }
  samples::guarded<Out> out(expected.size());
  const tiles::requantizer<N> requantize(packed.multiplier, channels);
  requantize(packed.sums, tiles::bounds(e.to), out.data());
  CHECK(out.holds(expected));
}

}  // namespace

TEST_CASE("tiles multiply signed and unsigned bytes and access no memory outside their sizes") {
  check_dot<std::uint8_t>();
  check_dot<std::int8_t>();
}

TEST_CASE("rows of accumulators become outputs in channel order") {
  for (int channels : {1, 7, 15, 16}) {
    check_requantizer<1, std::uint8_t>(channels);
    check_requantizer<2, std::int8_t>(16 + channels);
    check_requantizer<4, std::uint8_t>(48 + channels);
    check_requantizer<4, std::int8_t>(channels);
  }
}
