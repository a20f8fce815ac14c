// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/resize.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;
using run_op::check_near;
using run_op::counted;
using run_op::floats;
using run_op::some;

namespace {

template <class Op>
result<value> run(const Op& op, python_call c) {
  return run_op::run(implementation::resizes, op, std::move(c));
}

result<value> resized(const tensor& in, std::vector<named_value> keywords) {
  return run(fn::interpolate, {.positional = {in}, .keywords = std::move(keywords)});
}

/// A point of an axis of n elements between two of them, in double.
double at(const std::vector<double>& row, double place) {
  const double last = static_cast<double>(row.size()) - 1;
  place = std::clamp(place, 0.0, last);
  const double a = std::floor(place), b = std::fmin(a + 1, last);
  return row[static_cast<std::size_t>(a)] * (1 - (place - a)) +
         row[static_cast<std::size_t>(b)] * (place - a);
}

/// Centres of pixels lie at i + 0.5; with align_corners, the corners' centres lie on each other.
double place_of(int i, int n, int out, bool aligned) {
  if (aligned) return out > 1 ? i * (n - 1.0) / (out - 1.0) : 0;
  return (i + 0.5) * n / out - 0.5;
}

}  // namespace

TEST_CASE("linear interpolation is a weighted sum of the two nearest elements of an axis") {
  for (const bool aligned : {false, true})
    for (int n = 1; n <= 5; ++n)
      for (int out = 1; out <= 9; ++out) {
        const tensor in = some({1, 2, n}, n);
        std::vector<double> wanted;
        for (int c = 0; c < 2; ++c) {
          const std::vector<double> row(in.data.begin() + c * n, in.data.begin() + (c + 1) * n);
          for (int i = 0; i < out; ++i) wanted.push_back(at(row, place_of(i, n, out, aligned)));
        }
        check_near(
            floats(resized(in, {{"size", out}, {"mode", "linear"}, {"align_corners", aligned}})),
            {1, 2, out}, wanted);
      }
}

TEST_CASE("bilinear interpolation is linear along one axis after the other") {
  const tensor in = some({2, 1, 3, 4}, 2);
  std::vector<double> wanted;
  for (int n = 0; n < 2; ++n)
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 2; ++x) {
        std::vector<double> column;
        for (int h = 0; h < 3; ++h) {
          const auto begin = in.data.begin() + (n * 3 + h) * 4;
          column.push_back(at({begin, begin + 4}, place_of(x, 4, 2, false)));
        }
        wanted.push_back(at(column, place_of(y, 3, 5, false)));
      }
  check_near(floats(resized(in, {{"size", list{5, 2}}, {"mode", "bilinear"}})), {2, 1, 5, 2},
             wanted);
}

TEST_CASE("nearest takes the element that a pixel begins in, nearest-exact the one of its centre") {
  for (int n = 1; n <= 6; ++n)
    for (int out = 1; out <= 9; ++out) {
      const tensor in = counted({1, 1, n});
      std::vector<float> begins, centres;
      for (int i = 0; i < out; ++i) {
        begins.push_back(static_cast<float>(i * n / out));
        centres.push_back(static_cast<float>((2 * i + 1) * n / (2 * out)));
      }
      CAPTURE(n);
      CAPTURE(out);
      // Where a quotient is a whole number, float32 may fall on either side of it, as PyTorch's
      // does.
      if (out % n == 0 || n % out == 0) {
        CHECK(floats(resized(in, {{"size", out}})).data == begins);
      } else {
        check_near(floats(resized(in, {{"size", out}})), {1, 1, out},
                   {begins.begin(), begins.end()}, 0.5);
      }
      if (out % 2 == 0 && out % n == 0)
        CHECK(floats(resized(in, {{"size", out}, {"mode", "nearest-exact"}})).data == centres);
    }
  CHECK(floats(resized(counted({1, 1, 4}), {{"size", 2}, {"mode", "nearest-exact"}})).data ==
        std::vector<float>{1, 3});
  CHECK(floats(resized(counted({1, 1, 4}), {{"size", 2}})).data == std::vector<float>{0, 2});
}

TEST_CASE("area is the mean of the pixels that an output pixel covers") {
  const tensor in = counted({1, 1, 2, 4});
  check_near(floats(resized(in, {{"size", list{1, 2}}, {"mode", "area"}})), {1, 1, 1, 2},
             {(0 + 1 + 4 + 5) / 4.0, (2 + 3 + 6 + 7) / 4.0});
}

TEST_CASE("a scale factor is used as it is given, unless it is to be computed again") {
  // 5 * 1.3 = 6.5: six elements, 1 / 1.3 apart or, computed again, 5 / 6 apart.
  const tensor in = some({1, 1, 5}, 3);
  const std::vector<double> row(in.data.begin(), in.data.end());
  std::vector<double> given, computed;
  for (int i = 0; i < 6; ++i) {
    given.push_back(at(row, (i + 0.5) / 1.3 - 0.5));
    computed.push_back(at(row, (i + 0.5) * 5 / 6 - 0.5));
  }
  const std::vector<named_value> keywords{{"scale_factor", 1.3}, {"mode", "linear"}};
  check_near(floats(resized(in, keywords)), {1, 1, 6}, given);
  auto again = keywords;
  again.push_back({"recompute_scale_factor", true});
  check_near(floats(resized(in, again)), {1, 1, 6}, computed);
  CHECK(floats(resized(some({1, 1, 4, 2}), {{"scale_factor", list{0.5, 2}}})).shape ==
        extents{1, 1, 2, 4});
}

// PyTorch 1.13's answers.
TEST_CASE("bicubic and trilinear interpolation are PyTorch's") {
  const auto answer = [](const tensor& in, list size, const char* mode, bool aligned) {
    return floats(
        resized(in, {{"size", std::move(size)}, {"mode", mode}, {"align_corners", aligned}}));
  };
  const tensor image = some({1, 1, 3, 4}, 2), volume = some({1, 1, 2, 2, 3}, 3);
  check_near(answer(image, {2, 5}, "bicubic", false), {1, 1, 2, 5},
             {0.158893272, 0.0339941606, -0.131406263, -0.296806842, -0.421705812, -1.04429436,
              -1.16919351, -1.33459377, -1.49999475, -1.62489355});
  check_near(answer(image, {2, 5}, "bicubic", true), {1, 1, 2, 5},
             {0.289999992, 0.16575782, 0.0110000018, -0.14375782, -0.268000007, -1.19799995,
              -1.32224214, -1.477, -1.63175786, -1.75600004});
  check_near(answer(volume, {3, 2, 4}, "trilinear", false), {1, 1, 3, 2, 4},
             {1.43599999,   1.31974995,    1.18025005,   1.06400001,   0.878000021,  0.761749983,
              0.622249961,  0.505999982,   0.878000021,  0.761749983,  0.622250021,  0.505999982,
              0.319999993,  0.203749999,   0.0642499849, -0.052000016, 0.319999993,  0.203749985,
              0.0642499998, -0.0520000011, -0.238000005, -0.354249984, -0.493749976, -0.610000014});
  check_near(answer(volume, {3, 2, 4}, "trilinear", true), {1, 1, 3, 2, 4},
             {1.43599999,   1.31200004,    1.18799996,   1.06400001,   0.878000021,  0.754000008,
              0.629999995,  0.505999982,   0.878000021,  0.754000008,  0.629999995,  0.505999982,
              0.319999993,  0.195999995,   0.071999982,  -0.052000016, 0.319999993,  0.195999995,
              0.0719999969, -0.0520000011, -0.238000005, -0.361999989, -0.486000001, -0.610000014});
}

TEST_CASE("what interpolate cannot do is an error") {
  const tensor row = some({1, 1, 4}), image = some({1, 1, 4, 4});
  CHECK(cause(resized(row, {})) == "needs either size or scale_factor");
  CHECK(cause(resized(row, {{"size", 2}, {"scale_factor", 2}})) ==
        "needs either size or scale_factor");
  CHECK(cause(resized(row, {{"size", 2}, {"mode", "bilinear"}})) ==
        "unknown mode bilinear for these axes");
  CHECK(cause(resized(row, {{"size", 2}, {"mode", "bicubic"}})) ==
        "unknown mode bicubic for these axes");
  for (const double factor : {0.0, -1.0, 0.2, 1e30, std::nan("")})
    CHECK(cause(resized(row, {{"scale_factor", factor}})) == "the output has no pixels");
  CHECK(cause(resized(row, {{"size", 0}})) == "the output has no pixels");
  CHECK(cause(resized(filled({1, 1, 0}), {{"size", 2}})) ==
        "the input needs 1 to 3 axes of pixels");
  CHECK(cause(resized(filled({4, 4}), {{"size", 2}})) == "the input needs 1 to 3 axes of pixels");
  CHECK(cause(resized(image, {{"size", 2}, {"mode", "bilinear"}, {"antialias", true}})) ==
        "has no antialias");
}

TEST_CASE("pixel_shuffle puts channel c*r*r + y*r + x at pixel (y, x) of a block of r by r") {
  constexpr int r = 3, c = 2, h = 2, w = 4;
  const tensor in = counted({2, c * r * r, h, w});
  const tensor out = floats(run(fn::pixel_shuffle, {.positional = {in, r}}));
  REQUIRE(out.shape == extents{2, c, h * r, w * r});
  bool right = true;
  for (int n = 0; n < 2; ++n)
    for (int k = 0; k < c; ++k)
      for (int y = 0; y < h * r; ++y)
        for (int x = 0; x < w * r; ++x) {
          const int channel = k * r * r + y % r * r + x % r;
          const int from = ((n * c * r * r + channel) * h + y / r) * w + x / r;
          const int to = ((n * c + k) * h * r + y) * w * r + x;
          right = right && out.data[static_cast<std::size_t>(to)] == static_cast<float>(from);
        }
  CHECK(right);
  const tensor back = floats(
      run(nn::pixel_unshuffle, {.positional = {out}, .attributes = {{"downscale_factor", r}}}));
  CHECK(back.shape == in.shape);
  CHECK(back.data == in.data);
  for (const int wrong : {0, -1, 5, 1 << 20}) {
    CHECK_FALSE(run(fn::pixel_shuffle, {.positional = {in, wrong}}).has_value());
    CHECK_FALSE(run(fn::pixel_unshuffle, {.positional = {out, wrong}}).has_value());
  }
}
