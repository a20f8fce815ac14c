// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/histogram.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "every_isa.hpp"

namespace {

using namespace ctq;
using observers::extrema;
using observers::histogram;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

static_assert(histogram_range_is_truncated(semantics::torch_1_13));
static_assert(histogram_ignores_infinity(semantics::torch_2_1));

std::vector<float> bins(const histogram& h) { return {h.bins().begin(), h.bins().end()}; }

float sum(const histogram& h) { return std::accumulate(h.bins().begin(), h.bins().end(), 0.0F); }

TEST_CASE("nothing observed gives scale 1") {
  histogram h({});
  h.observe({});
  CHECK(!h.observed());
  CHECK(std::isnan(h.search().min));
  CHECK(*h.calculate_qparams() == qparams{1.0F, 0, 0, 255});
}

TEST_CASE("1.13 truncates the histogram range to integers, 2.1 drops no values") {
  const std::vector<float> data{-1.5F, -0.5F, 0.25F, 0.75F, 1.75F};
  histogram h({.bins = 4});
  h.observe(data);
  CHECK(sum(h) == 5.0F);
  histogram old({.bins = 4}, semantics::torch_1_13);
  old.observe(data);
  CHECK(old.seen() == extrema{-1.5F, 1.75F, false});
  CHECK(bins(old) == std::vector<float>{0, 1, 1, 1});  // of [-1, 1]
}

TEST_CASE("the histogram restarts while all values are equal") {
  for (const auto s : {semantics::torch_2_1, semantics::torch_1_13}) {
    histogram h({.bins = 4}, s);
    h.observe(std::vector<float>(3));
    CHECK(bins(h) == std::vector<float>{0, 0, 3, 0});
    CHECK(*h.calculate_qparams() == qparams{0x1p-23F, 0, 0, 255});
    h.observe(std::vector<float>{-1.0F, 3.0F});
    CHECK(h.seen() == extrema{-1.0F, 3.0F, false});
    CHECK(sum(h) == 2.0F);
  }
}

TEST_CASE("a tiny range is no reason to restart") {
  for (const auto s : {semantics::torch_2_1, semantics::torch_1_13}) {
    histogram h({.bins = 4}, s);
    h.observe(std::vector<float>{0.0F, 5e-7F});
    h.observe(std::vector<float>{0.0F, 1.0F});
    CHECK(sum(h) == 4.0F);
  }
}

TEST_CASE("a histogram grows in fixed memory and keeps its counts") {
  for (const auto s : {semantics::torch_2_1, semantics::torch_1_13}) {
    histogram h({.bins = 4, .upsample_rate = 2}, s);
    h.observe(std::vector<float>{0, 1, 2, 4});
    CHECK(bins(h) == std::vector<float>{1, 1, 1, 1});
    h.observe(std::vector<float>{1, 1});
    CHECK(bins(h) == std::vector<float>{1, 3, 1, 1});
    h.observe(std::vector<float>{8});
    CHECK(h.seen() == extrema{0.0F, 8.0F, false});
    CHECK(bins(h) == std::vector<float>{4, 2, 0, 1});
  }
}

TEST_CASE("huge growth keeps all counts") {
  for (const auto s : {semantics::torch_2_1, semantics::torch_1_13}) {
    histogram h({}, s);
    h.observe(std::vector<float>{0.0F, 1e-5F});
    h.observe(std::vector<float>{0.0F, 1e3F});
    REQUIRE(h.calculate_qparams());
    CHECK(sum(h) == doctest::Approx(4.0));
  }
}

TEST_CASE("2.1 grows over ranges of which all parts together overflow float32") {
  histogram huge({});
  histogram of_ones({});
  for (const float x : {1.0F, 3.0F, -2.5F}) {
    const std::vector<float> data{x, -0.5F, 0.25F};
    of_ones.observe(data);
    std::vector<float> scaled = data;
    for (float& v : scaled) v *= 0x1p110F;
    huge.observe(scaled);
  }
  REQUIRE(huge.calculate_qparams());
  CHECK(bins(huge) == bins(of_ones));
  CHECK(huge.seen().max == of_ones.seen().max * 0x1p110F);
}

TEST_CASE(
    "if rounding puts the end of the old range after that of the new one, 1.13 fails, 2.1 does "
    "not") {
  constexpr float least = std::numeric_limits<float>::denorm_min();
  for (const auto s : {semantics::torch_2_1, semantics::torch_1_13}) {
    histogram h({.bins = 2, .upsample_rate = 2}, s);
    h.observe(std::vector<float>{0.0F, 6 * least});
    h.observe(std::vector<float>{-2 * least});
    const auto steps = h.calculate_qparams();
    REQUIRE(bool(steps) == !histogram_growth_fails_past_the_end(s));
    if (!steps) CHECK(steps.error().cause.find("by rounding error") == 0);
  }
}

TEST_CASE("every instruction set gives the same histogram") {
  std::mt19937 random(5);
  for (const auto s : {semantics::torch_2_1, semantics::torch_1_13}) {
    histogram wanted({}, s);
    std::vector<std::vector<float>> batches;
    for (const float width : {1.0F, 3.0F, 0.1F, 50.0F}) {
      std::vector<float>& x = batches.emplace_back(20'000);
      for (float& v : x) v = (static_cast<float>(random() >> 8U) * 0x1p-24F - 0.3F) * width;
      wanted.observe<isa::scalar>(x);
    }
    for_each_isa([&](auto tag) {
      histogram h({}, s);
      for (const auto& x : batches) h.observe<decltype(tag)>(x);
      CHECK(bins(h) == bins(wanted));
      CHECK(h.seen() == wanted.seen());
    });
  }
}

TEST_CASE("NaN is an error from then on") {
  for (const auto s : {semantics::torch_2_1, semantics::torch_1_13}) {
    histogram h({}, s);
    h.observe(std::vector<float>{0.0F, nan});
    h.observe(std::vector<float>{0.0F, 1.0F});
    CHECK(h.observed());
    CHECK(h.calculate_qparams().error().cause == "the observed values include NaN");
  }
}

TEST_CASE("a range that grows as that of a mask does is an error") {
  histogram h({});
  h.observe(std::vector<float>{0.0F, 1.0F});
  h.observe(std::vector<float>{0.0F, std::numeric_limits<float>::lowest()});
  CHECK(h.calculate_qparams().error().cause ==
        "the observed range grew too much for a histogram: give the op that reads the values no "
        "qconfig");
}

TEST_CASE("2.1 ignores infinity, 1.13 fails on it") {
  const std::vector<float> data{-inf, 0.0F, 1.0F, inf};
  histogram h({.bins = 4});
  h.observe(data);
  CHECK(h.seen() == extrema{0.0F, 1.0F, false});
  CHECK(bins(h) == std::vector<float>{1, 0, 0, 1});
  h.observe(std::vector<float>{inf});
  CHECK(sum(h) == 2.0F);
  histogram old({.bins = 4}, semantics::torch_1_13);
  old.observe(data);
  CHECK(!old.calculate_qparams());
}

TEST_CASE("ranges on which PyTorch fails are errors") {
  const std::vector<float> large{-1e20F, 1e20F};
  histogram old({}, semantics::torch_1_13);
  old.observe(large);
  CHECK(!old.calculate_qparams());
  histogram h({});
  h.observe(large);
  CHECK(h.calculate_qparams());
  histogram too_wide({});
  too_wide.observe(std::vector<float>{-3e38F, 3e38F});
  CHECK(!too_wide.calculate_qparams());
  CHECK(!histogram({.bins = 0}).calculate_qparams());
  CHECK(!histogram({.bins = (1 << 24) + 1}).calculate_qparams());
  CHECK(!histogram({.qscheme = qscheme::per_channel_affine}).calculate_qparams());
}

TEST_CASE("an outlier does not determine the scale") {
  std::mt19937 random(1);
  std::vector<float> data(5000);
  for (float& x : data) {
    x = 0.0F;
    for (int i = 0; i < 12; ++i) x += static_cast<float>(random() >> 8U) * 0x1p-24F;
    x -= 6.0F;  // nearly normal
  }
  data.push_back(40.0F);
  histogram h({});
  h.observe(data);
  const auto [min, max] = h.search();
  CHECK(min < -2.0F);
  CHECK(max < 40.0F);
  CHECK(h.seen().max == 40.0F);
  // Few bins, so that one integer more or less makes a difference.
  for (const int few : {100, 256, 300, 600}) {
    histogram coarse({.bins = few});
    coarse.observe(data);
    const auto of_8_bits =
        observers::histogram_search(coarse.bins(), h.seen().min, 40.0F, 256.0).best();
    CHECK(coarse.search().min == of_8_bits.min);
    CHECK(coarse.search().max == of_8_bits.max);
  }
  CHECK(h.calculate_qparams()->scale == doctest::Approx((max - min) / 255.0F));
}

TEST_CASE("the best range does not depend on the unit; 1.13 loses half of one beyond float32") {
  std::vector<float> data(10'000);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<float>(i) / static_cast<float>(data.size() / 2) - 1.0F;
  histogram of_ones({});
  of_ones.observe(data);
  const auto wanted = of_ones.search();
  CHECK(wanted.min < -0.99F);
  CHECK(wanted.max > 0.99F);
  for (const int exponent : {-120, -60, -31, -30, 38, 39, 54, 60, 100, 126}) {
    CAPTURE(exponent);
    std::vector<float> scaled = data;
    for (float& x : scaled) x = std::ldexp(x, exponent);
    histogram h({});
    h.observe(scaled);
    CHECK(h.search().min == std::ldexp(wanted.min, exponent));
    CHECK(h.search().max == std::ldexp(wanted.max, exponent));
    histogram old({}, semantics::torch_1_13);
    if (exponent != 54) continue;
    old.observe(scaled);
    CHECK(old.search().max - old.search().min < std::ldexp(1.5F, exponent));
  }
}

TEST_CASE("infinite values alone leave no range, and are remembered") {
  histogram h({});
  CHECK(!h.ignored_infinity());
  h.observe(std::vector<float>{inf, -inf});
  CHECK(!h.observed());
  CHECK(h.ignored_infinity());
}

// Numbers of PyTorch 1.13.
TEST_CASE("reduce_range of symmetric quint8 keeps the zero point, as no other observer does") {
  std::vector<float> data;
  for (int i = -40; i <= 80; ++i) data.push_back(static_cast<float>(i) / 40);
  observer_args args{.qscheme = qscheme::per_tensor_symmetric, .reduce_range = true};
  histogram h(args, semantics::torch_1_13);
  h.observe(data);
  CHECK(*h.calculate_qparams() == qparams{0x1.01d3a8p-5F, 128, 0, 127});
  args.quant_min = 0, args.quant_max = 255;
  histogram custom(args, semantics::torch_1_13);
  custom.observe(data);
  CHECK(*custom.calculate_qparams() == qparams{0x1.01d3a8p-5F, 63, 0, 127});
  CHECK(!observers::calculate_qparams(args, {-1.0F, 2.0F, false}));
}

TEST_CASE("one that was moved from still is a histogram") {
  histogram h({});
  h.observe(std::vector<float>{0.0F, 1.0F});
  const histogram other = std::move(h);
  CHECK(bins(h) == bins(other));  // NOLINT(bugprone-use-after-move)
  CHECK(h.search().max == other.search().max);
}

TEST_CASE("the search ignores quant_min and quant_max, the scale does not") {
  std::vector<float> data(1000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i * i) * 1e-6F;
  histogram wide({});
  histogram narrow({.reduce_range = true});
  wide.observe(data);
  narrow.observe(data);
  CHECK(wide.search().max == narrow.search().max);
  CHECK(narrow.calculate_qparams()->scale > 2.0F * wide.calculate_qparams()->scale);
  CHECK(narrow.calculate_qparams()->quant_max == 127);
}

}  // namespace
