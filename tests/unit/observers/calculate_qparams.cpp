// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/calculate_qparams.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace ctq;
using observers::calculate_qparams;
using observers::extrema;
using observers::is_symmetric;
using observers::problem_with;
using observers::to_int32;

static_assert(is_symmetric(qscheme::per_tensor_symmetric));
static_assert(is_symmetric(qscheme::per_channel_symmetric));
static_assert(!is_symmetric(qscheme::per_channel_affine_float_qparams));

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

qparams of(const observer_args& args, float min, float max, semantics s = {}) {
  const auto q = calculate_qparams(args, extrema{min, max, false}, s);
  REQUIRE_MESSAGE(q.has_value(), q.error().message());
  return *q;
}

std::string error_of(const observer_args& args, const extrema& seen) {
  const auto q = calculate_qparams(args, seen);
  REQUIRE(!q);
  return q.error().message();
}

TEST_CASE("nothing observed gives scale 1 and zero point 0") {
  const auto q = calculate_qparams({}, extrema{});
  REQUIRE(q);
  CHECK(*q == qparams{1.0F, 0, 0, 255});
}

TEST_CASE("affine: the range, extended to zero, maps to all integers") {
  CHECK(of({}, -1.0F, 1.55F) == qparams{2.55F / 255.0F, 100, 0, 255});
  CHECK(of({.dtype = qint8}, -1.0F, 1.55F) == qparams{2.55F / 255.0F, -28, -128, 127});
}

TEST_CASE("affine: with values of one sign the zero point is a bound") {
  CHECK(of({}, 2.5F, 2.5F) == qparams{2.5F / 255.0F, 0, 0, 255});
  CHECK(of({}, -0.75F, -0.5F) == qparams{0.75F / 255.0F, 255, 0, 255});
  CHECK(of({.dtype = qint8}, -0.75F, -0.5F).zero_point == 127);
}

TEST_CASE("a tensor of zeros gives eps and quant_min") {
  CHECK(of({}, 0.0F, 0.0F) == qparams{0x1p-23F, 0, 0, 255});
  CHECK(of({.dtype = qint8, .eps = 0x1p-12F}, 0.0F, 0.0F) == qparams{0x1p-12F, -128, -128, 127});
}

TEST_CASE("symmetric: the divisor is half of quant_max - quant_min, the zero point in the middle") {
  constexpr auto symmetric = qscheme::per_tensor_symmetric;
  CHECK(of({.dtype = qint8, .qscheme = symmetric}, -1.0F, 2.55F) ==
        qparams{2.55F / 127.5F, 0, -128, 127});
  CHECK(of({.dtype = qint8, .qscheme = symmetric, .quant_min = -127, .quant_max = 127}, -2.54F,
           1.0F) == qparams{2.54F / 127.0F, 0, -127, 127});
  CHECK(of({.dtype = quint8, .qscheme = symmetric}, -1.0F, 2.55F).zero_point == 128);
  CHECK(of({.dtype = quint8, .qscheme = symmetric, .quant_min = 0, .quant_max = 127}, -1.0F, 1.0F)
            .zero_point == 63);
  CHECK(of({.dtype = qint32, .qscheme = symmetric}, -1e10F, 1.0F).scale == 1e10F / 0x1p31F);
}

TEST_CASE("reduce_range halves the range of integers, rounding down") {
  CHECK(of({.reduce_range = true}, 0.0F, 1.27F) == qparams{1.27F / 127.0F, 0, 0, 127});
  CHECK(of({.dtype = qint8, .reduce_range = true}, 0.0F, 1.27F) ==
        qparams{1.27F / 127.0F, -64, -64, 63});
  const observer_args odd{
      .dtype = qint8, .reduce_range = true, .quant_min = -127, .quant_max = 127};
  CHECK(of(odd, 0.0F, 1.0F).quant_min == -64);
}

TEST_CASE("a custom range is used; reduce_range does not apply to it") {
  CHECK(of({.quant_min = 0, .quant_max = 15}, 0.0F, 3.0F) == qparams{3.0F / 15.0F, 0, 0, 15});
  CHECK(of({.quant_max = 15}, 0.0F, 3.0F).quant_max == 255);
}

TEST_CASE("zero points are rounded to even and clamped") {
  CHECK(of({}, -0.5F, 254.5F).zero_point == 0);  // scale 1: rne(-0.5) is 0
  CHECK(of({}, -1.5F, 253.5F).zero_point == 2);
}

TEST_CASE("a zero point beyond int32 wraps as in PyTorch") {
  CHECK(of({.dtype = qint32}, -2.4e37F, 1.7e37F).zero_point == 0);
  CHECK(to_int32(3e9F) == INT32_MIN);
  CHECK(to_int32(nan) == INT32_MIN);
  CHECK(to_int32(-0x1p31F) == INT32_MIN);
  CHECK(to_int32(0x1.fffffep30F) == 2147483520);
}

TEST_CASE("a range too wide for float32 is an error, or infinite as in PyTorch 1.13") {
  CHECK(error_of({}, {-3e38F, 3e38F, false}).find("too wide for float32") != std::string::npos);
  CHECK(error_of({}, {0.0F, inf, false}).find("too wide") != std::string::npos);
  CHECK(of({}, -3e38F, 3e38F, semantics::torch_1_13) == qparams{inf, 0, 0, 255});
}

TEST_CASE("NaN is an error") {
  CHECK(error_of({}, {0.0F, 1.0F, true}) == "calibration data: the observed values include NaN");
  CHECK(!calculate_qparams({}, extrema{nan, 1.0F, false}));
}

TEST_CASE("inconsistent arguments are errors") {
  constexpr auto symmetric = qscheme::per_tensor_symmetric;
  const extrema seen{0.0F, 1.0F, false};
  CHECK(error_of({.dtype = f32}, seen) == "observer arguments: float32 is not a quantized dtype");
  CHECK(error_of({.quant_min = 5, .quant_max = 5}, seen).find("not below") != std::string::npos);
  CHECK(error_of({.quant_min = 5, .quant_max = 9}, seen).find("zero is outside") !=
        std::string::npos);
  CHECK(error_of({.quant_min = -128, .quant_max = 127}, seen) ==
        "observer arguments: the range [-128, 127] exceeds that of quint8");
  CHECK(error_of({.quant_min = 0, .quant_max = 256}, seen) ==
        "observer arguments: the range [0, 256] exceeds that of quint8");
  CHECK(error_of({.qscheme = qscheme::per_channel_affine}, seen) ==
        "qscheme: per_channel_affine needs a per-channel observer");
  CHECK(error_of({.qscheme = symmetric, .reduce_range = true}, seen).find("128") !=
        std::string::npos);
  CHECK(error_of({.eps = 0.0F}, {0.0F, 0.0F, false}).find("eps") != std::string::npos);
  CHECK(problem_with(observer_args{}).empty());
}

TEST_CASE("per channel: each has its own parameters") {
  const std::vector<extrema> seen{{-1.0F, 1.55F, false}, {0.0F, 0.0F, false}, {-5.1F, 0.0F, false}};
  const observer_args args{.qscheme = qscheme::per_channel_affine, .ch_axis = 1};
  const auto q = calculate_qparams(args, seen);
  REQUIRE(q);
  CHECK(q->scale == std::vector<float>{2.55F / 255.0F, 0x1p-23F, 5.1F / 255.0F});
  CHECK(q->zero_point == std::vector<std::int32_t>{100, 0, 255});
  CHECK(q->float_zero_point.empty());
  CHECK(q->axis == 1);
  CHECK(q->quant_max == 255);
}

TEST_CASE("per channel: the error names the channel") {
  const std::vector<extrema> seen{{-1.0F, 1.0F, false}, {0.0F, 0.0F, true}};
  const auto q = calculate_qparams(per_channel_observer_args{}, seen);
  REQUIRE(!q);
  CHECK(q.error().place == "calibration data, channel 1");
  CHECK(calculate_qparams(observer_args{}, seen).error().cause ==
        "per_tensor_affine needs a per-tensor observer");
}

TEST_CASE("per channel: nothing observed gives one scale 1") {
  const auto q = calculate_qparams(per_channel_observer_args{}, std::vector<extrema>{});
  REQUIRE(q);
  CHECK(q->scale == std::vector{1.0F});
  CHECK(q->zero_point == std::vector{0});
}

TEST_CASE("float qparams: the range need not include zero, the zero point is a float") {
  const std::vector<extrema> seen{{1.0F, 4.0F, false}, {2.0F, 2.0F, false}};
  const observer_args args{.dtype = quint4x2, .qscheme = qscheme::per_channel_affine_float_qparams};
  const auto q = calculate_qparams(args, seen);
  REQUIRE(q);
  CHECK(q->scale == std::vector{0.2F, 1.0F});  // too small a range gives 1
  CHECK(q->float_zero_point == std::vector{-5.0F, -2.0F});
  CHECK(q->zero_point.empty());
}

}  // namespace
