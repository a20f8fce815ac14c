// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/convolution/column_slide.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "ctq/kernels/reference/conv2d.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "kernels/depthwise_shape.hpp"
#include "kernels/layer_case.hpp"

using namespace ctq;
using namespace ctq::kernels;
using samples::depthwise_shape;
using simd::extents;
using dot = simd::depthwise_dot<isa::native>;

namespace {

// Elsewhere no register has the rows of a column.
constexpr bool slides = dot::k_group == 4;

/// One block of channels, all output rows: in strips of Rows or, with a stride, one by one.
template <class Dot, int Rows, extents Known, class In>
void run(const conv2d_shape& s, const In* in, const In* border, const std::byte* block,
         const output_range& to, In* out) {
  const auto range = Dot::store_constants(to);
  for (int y = 0; y < s.out_h(); y += Rows) {
    std::array<int, simd::rows_per_register_of<Dot>> rows{};
    rows.fill(std::min(y, s.out_h() - Rows));
    if (s.stride_h == 1) {
      simd::slide_by_one<Dot, Rows, Known>(s, in, border, rows, block, range, out);
    } else {
      simd::slide_by_two<Dot, Known>(s, in, border, rows, block, range, out);
    }
  }
}

template <class Dot, int Rows, class In>
bool equals_reference(const conv2d_shape& s, samples::values kind, unsigned seed) {
  samples::generator random(seed);
  const samples::fenced<In> in(samples::integers<In>(samples::in_elements(s), kind, random));
  const auto weight =
      samples::integers<std::int8_t>(static_cast<std::size_t>(9 * s.in_channels), kind, random);
  const samples::epilogue e = samples::random_epilogue<In>(s.out_channels, 9, random);
  const int zero_point = std::numeric_limits<In>::lowest() + random.between(0, 255);
  std::vector<In> expected(samples::out_elements(s));
  reference::conv2d(s, in.data(), weight.data(), e.bias.data(), e.multiplier.data(), e.to,
                    zero_point, expected.data());

  const samples::aligned_bytes packed(
      simd::block_layout<Dot>{Dot::k_group, static_cast<std::size_t>(simd::depthwise_steps<Dot>(s))}
          .bytes());
  const simd::unpacked<std::int8_t, std::int32_t> from{
      weight.data(), e.bias.data(), e.multiplier.data(), Dot::template offset<In>};
  const simd::column_blocking<Dot> blocking{3, s.stride_h};
  simd::pack_block<Dot>(
      from, 9, 0, blocking.width, Dot::k_group, blocking.steps(), packed.data(),
      [&](int channel, simd::packed_channel<Dot> to) {
        simd::pack_each(blocking.steps(), to, [&](int step, int j) {
          const simd::kernel_tap tap = blocking.tap_of(step, j, channel);
          return tap.row < 0
                     ? std::int8_t{}
                     : weight[static_cast<std::size_t>(channel * 9 + tap.row * 3 + tap.column)];
        });
      });
  const std::vector<In> border(static_cast<std::size_t>(blocking.width),
                               static_cast<In>(zero_point));
  const samples::guarded<In> out(expected.size()), moving(expected.size());
  run<Dot, Rows, extents::constant>(s, in.data(), border.data(), packed.data(), e.to, out.data());
  run<Dot, Rows, extents::at_run_time>(s, in.data(), border.data(), packed.data(), e.to,
                                       moving.data());
  return out.holds(expected) && moving.holds(expected);
}

template <class Dot, int Rows>
void check_widths(int stride) {
  constexpr int channels = simd::column_blocking<Dot>::width;
  unsigned seed = 1;
  for (const int padding : {0, 1, 2}) {
    for (const int w : {1, 2, 3, 4, 5, 31, 32, 33, 34, 35, 66, 67}) {
      if (w + 2 * padding < 3) continue;
      const conv2d_shape s = depthwise_shape(channels, 5, w, stride, padding);
      CAPTURE(w);
      CAPTURE(padding);
      CHECK(equals_reference<Dot, Rows, std::uint8_t>(s, samples::values::random, seed++));
      CHECK(equals_reference<Dot, Rows, std::int8_t>(s, samples::values::extreme, seed++));
    }
  }
}

template <class Dot>
void check_all() {
  check_widths<Dot, 1>(1);
  check_widths<Dot, 2>(1);
  check_widths<Dot, 1>(2);
}

}  // namespace

TEST_CASE("sliding over a row equals the reference at every width of a strip and of a border") {
  if constexpr (slides) check_all<dot>();
}

TEST_CASE("a row without pixels is left alone") {
  if constexpr (slides) {
    conv2d_shape s = depthwise_shape(simd::column_blocking<dot>::width, 5, 2, 1, 0);
    CHECK(s.out_w() <= 0);
    const samples::aligned_bytes packed(4096);
    const std::vector<std::int8_t> in(samples::in_elements(s));
    samples::guarded<std::int8_t> out(0);
    const auto range = dot::store_constants(output_range{0, -128, 127});
    const std::array<int, simd::rows_per_register_of<dot>> y{};
    simd::slide_by_one<dot, 1, extents::constant>(s, in.data(), in.data(), y, packed.data(), range,
                                                  out.data());
    s.stride_h = s.stride_w = 2;
    simd::slide_by_two<dot, extents::constant>(s, in.data(), in.data(), y, packed.data(), range,
                                               out.data());
    CHECK(out.margin_intact());
  }
}
