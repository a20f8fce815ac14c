// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/convolution/pad.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;
using isa_t = isa::native;
using dense = simd::int8_dot<isa_t>;
using depthwise = simd::depthwise_dot<isa_t>;
using floating = simd::float_dot<isa_t>;
using simd::copy_slack_bytes;
using simd::method;

namespace {

constexpr conv2d_shape window{1, 6, 7, 8, 4, 3, 3};
constexpr conv2d_shape with_border{1, 6, 7, 8, 4, 3, 3, 1, 1, 1, 1};

// Floats that need no border are read where they lie, integers where Dot takes them as they are.
static_assert(!simd::input_copy_of<floating, method::dense, float>(window).needed);
static_assert(simd::input_copy_of<floating, method::dense, float>(with_border).needed);
static_assert(simd::input_copy_of<floating, method::dense, float>(with_border).elements ==
              8 * 9 * 8);
static_assert(simd::input_copy_of<dense, method::dense, std::int8_t>(window).needed !=
              (std::is_same_v<dense::element, std::int8_t> && 24 % dense::k_group == 0));

template <class T>
std::vector<T> numbers(std::size_t n, unsigned seed) {
  samples::generator random(seed);
  std::vector<T> out(n);
  for (T& x : out) x = static_cast<T>(random() & 0xFF);
  return out;
}

template <class Dot, class In>
void check_convert() {
  for (const int count : samples::lengths()) {
    const auto n = static_cast<std::size_t>(count);
    const auto values = numbers<In>(n, 1 + static_cast<unsigned>(count));
    const samples::fenced<In> in(values);
    const samples::guarded<typename Dot::element> out(n);
    simd::convert<Dot>(in.data(), count, out.data());
    std::vector<typename Dot::element> expected;
    for (const In x : values)
      expected.push_back(static_cast<typename Dot::element>(x + Dot::template offset<In>));
    CHECK(out.holds(expected));
  }
}

/// A pixel of the image, or of its border.
template <class In>
In at(const conv2d_shape& s, const std::vector<In>& in, int y, int x, int c, In border) {
  if (y < 0 || y >= s.in_h || x < 0 || x >= s.in_w) return border;
  return in[static_cast<std::size_t>((y * s.in_w + x) * s.in_channels + c)];
}

template <class Dot, class In>
void check_border(const conv2d_shape& s, int zero_point) {
  using element = typename Dot::element;
  const auto values = numbers<In>(static_cast<std::size_t>(s.in_h * s.in_w * s.in_channels), 3);
  const samples::fenced<In> in(values);
  constexpr auto offset = Dot::template offset<In>;
  const auto border = static_cast<element>(zero_point + offset);
  std::vector<element> expected;
  for (int y = -s.padding_h; y < s.in_h + s.padding_h; ++y)
    for (int x = -s.padding_w; x < s.in_w + s.padding_w; ++x)
      for (int c = 0; c < s.in_channels; ++c)
        expected.push_back(
            static_cast<element>(at(s, values, y, x, c, static_cast<In>(zero_point)) + offset));
  expected.resize(expected.size() + copy_slack_bytes / sizeof(element), border);
  const samples::guarded<element> out(expected.size());
  simd::copy_image<Dot>(s, in.data(), zero_point, out.data());
  CHECK(out.holds(expected));
}

/// That a core finds what each output pixel reads, wherever that lies.
template <class Dot, method By, class In, class Shape>
void check_input(const Shape& shape, int zero_point) {
  const conv2d_shape s = shape;
  using element = typename simd::elements_of<Dot, By, In>::element;
  constexpr int offset = static_cast<int>(simd::elements_of<Dot, By, In>::template offset<In>);
  const auto values = numbers<In>(static_cast<std::size_t>(s.in_h * s.in_w * s.in_channels), 5);
  const samples::fenced<In> in(values);
  const simd::input_copy copy = simd::input_copy_of<Dot, By, In>(s);
  const std::size_t bytes = copy.elements * sizeof(element) + copy_slack_bytes;
  const samples::guarded<std::byte> workspace(copy.needed ? bytes : 0);
  std::vector<element> aligned(bytes / sizeof(element));
  const element* const image = simd::input_of<Dot, By>(
      shape, in.data(), zero_point, reinterpret_cast<std::byte*>(aligned.data()));
  CHECK((image == aligned.data()) == copy.needed);
  const simd::strides by = simd::strides_of(s);
  int wrong = 0;
  for (int y = 0; y < s.out_h(); ++y)
    for (int x = 0; x < s.out_w(); ++x)
      for (int ky = 0; ky < s.kernel_h; ++ky)
        for (int kx = 0; kx < s.kernel_w; ++kx)
          for (int c = 0; c < s.in_channels; ++c) {
            const int from_y = y * s.stride_h + ky * s.dilation_h - s.padding_h;
            const int from_x = x * s.stride_w + kx * s.dilation_w - s.padding_w;
            const In wanted = at(s, values, from_y, from_x, c, static_cast<In>(zero_point));
            wrong += image[y * by.y + x * by.x + ky * by.row + kx * by.tap + c] !=
                     static_cast<element>(wanted + offset);
          }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("activations are converted at every length, and not one more") {
  check_convert<dense, std::uint8_t>();
  check_convert<dense, std::int8_t>();
  check_convert<depthwise, std::uint8_t>();
  check_convert<depthwise, std::int8_t>();
  check_convert<floating, float>();
}

TEST_CASE("an image is copied into a border of its zero point, and as much of it follows") {
  for (const auto& [h, w] : {std::pair{1, 1}, {0, 2}, {2, 0}, {0, 0}, {3, 5}}) {
    for (const int channels : {1, 3, 16, 33, 64}) {
      const conv2d_shape s{.batch = 1,
                           .in_h = 3,
                           .in_w = 5,
                           .in_channels = channels,
                           .out_channels = 1,
                           .kernel_h = 1,
                           .kernel_w = 1,
                           .padding_h = h,
                           .padding_w = w};
      check_border<dense, std::uint8_t>(s, 255);
      check_border<dense, std::int8_t>(s, -128);
      check_border<floating, float>(s, 0);
    }
  }
  check_border<dense, std::uint8_t>({1, 0, 5, 3, 1, 1, 1, 1, 1, 2, 1}, 7);  // a border of nothing
  check_border<dense, std::uint8_t>({1, 2, 2, 0, 1, 1, 1, 1, 1, 2, 1}, 7);
}

TEST_CASE("the pixels that a 1x1 convolution with a stride reads are brought together") {
  for (const auto& [stride_h, stride_w] : {std::pair{2, 2}, {3, 1}, {1, 4}, {5, 5}}) {
    const conv2d_shape s{1, 5, 7, 3, 1, 1, 1, stride_h, stride_w};
    const auto values = numbers<std::uint8_t>(5 * 7 * 3, 9);
    const samples::fenced<std::uint8_t> in(values);
    std::vector<std::uint8_t> expected;
    for (int y = 0; y < 5; y += stride_h)
      for (int x = 0; x < 7; x += stride_w)
        for (int c = 0; c < 3; ++c) expected.push_back(at<std::uint8_t>(s, values, y, x, c, 0));
    expected.resize(expected.size() + copy_slack_bytes);
    const samples::guarded<std::uint8_t> out(expected.size());
    simd::gather_pixels(s, in.data(), out.data());
    CHECK(out.holds(expected));
  }
}

TEST_CASE("a core reads the input or its copy by the same strides") {
  for (const conv2d_shape& s :
       {window, with_border, conv2d_shape{1, 4, 5, 5, 4, 3, 3, 1, 1, 1, 0},
        conv2d_shape{1, 7, 9, 3, 4, 3, 2, 2, 3, 0, 1, 2, 1}, conv2d_shape{1, 2, 2, 33, 4, 1, 1}}) {
    check_input<dense, method::dense, std::uint8_t>(s, 200);
    check_input<dense, method::dense, std::int8_t>(s, -7);
    check_input<floating, method::dense, float>(s, 0);
  }
  check_input<dense, method::dense, std::int8_t>(
      std::integral_constant<conv2d_shape, with_border>{}, 5);
  const conv2d_shape each{1, 6, 5, 20, 20, 4, 4, 1, 1, 2, 1, 1, 1, 20};
  check_input<depthwise, method::depthwise, std::uint8_t>(each, 77);
  check_input<depthwise, method::depthwise, std::int8_t>(each, 77);
}
