// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/convolution/two_row_dot.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <numeric>
#include <type_traits>
#include <vector>

#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "kernels/depthwise_shape.hpp"

using namespace ctq;
using namespace ctq::kernels;
using samples::depthwise_shape;
using dot = simd::depthwise_dot<isa::native>;
using halved = simd::halved_dot_of<dot>;

namespace {

static_assert(simd::dot_arch<halved>);
constexpr bool has_halves = !std::is_same_v<dot, halved>;

static_assert(simd::rows_per_register_of<dot> == 1);
static_assert(simd::rows_per_register_of<halved> == (has_halves ? 2 : 1));
// Numbers of channels from half a register to a full one.
constexpr int half = simd::column_blocking<halved>::width;
static_assert(simd::by_columns_of_two_rows<dot>(depthwise_shape(half, 9, 9, 1, 1)) == has_halves);
static_assert(simd::by_columns_of_two_rows<dot>(depthwise_shape(2 * half - 1, 9, 9, 2, 2, 5)) ==
              has_halves);
static_assert(!simd::by_columns_of_two_rows<dot>(depthwise_shape(half - 1, 9, 9, 1, 1)));
static_assert(!simd::by_columns_of_two_rows<dot>(depthwise_shape(2 * half, 9, 9, 1, 1)));
static_assert(!simd::by_columns_of_two_rows<dot>(depthwise_shape(half, 9, 9, 3, 1)));

template <class Dot>
void check_rows() {
  std::array<int, 40> out{};
  const std::array<int, 2> both{1, 3};
  if constexpr (simd::rows_per_register_of<Dot> == 2) {
    const auto rows = simd::out_rows_at<Dot>(out.data(), both, 10);
    CHECK(rows.first == out.data() + 10);
    CHECK(rows.second() == out.data() + 30);
    const std::array<int, 2> one{2, 2};
    CHECK(simd::out_rows_at<Dot>(out.data(), one, 10).second() == out.data() + 20);
  } else {
    CHECK(simd::out_rows_at<Dot>(out.data(), std::array{both[1]}, 10) == out.data() + 30);
  }
}

/// Checks that each channel has a lane in either half.
template <class Dot>
void check_lanes() {
  if constexpr (simd::rows_per_register_of<Dot> == 2) {
    std::array<int, half> seen{};
    for (int vector = 0; vector < Dot::k_group; ++vector) {
      for (int lane = 0; lane < Dot::lanes; ++lane) {
        const int channel = Dot::column(Dot::k_group, vector, lane);
        REQUIRE(channel < half);
        CHECK(channel == Dot::column(Dot::k_group, vector, lane % (Dot::lanes / 2)));
        ++seen[static_cast<std::size_t>(channel)];
      }
    }
    for (const int lanes : seen) CHECK(lanes == 2);
  }
}

}  // namespace

TEST_CASE("two pointers move together") {
  std::vector<int> out(40);
  std::iota(out.begin(), out.end(), 0);
  const simd::two_row_pointer<int> rows{out.data() + 10, 20};
  CHECK(*(rows + 3).first == 13);
  CHECK(*(rows + 3).second() == 33);
}

TEST_CASE("one output row or two are stored at once") {
  check_rows<dot>();
  check_rows<halved>();
}

TEST_CASE("each channel has a lane in either half of a register") { check_lanes<halved>(); }
