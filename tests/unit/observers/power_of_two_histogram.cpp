// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/power_of_two_histogram.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "ctq/observers/histogram.hpp"
#include "every_isa.hpp"

namespace {

using namespace ctq;
using observers::power_of_two_grid;
using observers::power_of_two_histogram;

constexpr float inf = std::numeric_limits<float>::infinity();

std::vector<std::uint64_t> counts(const power_of_two_histogram& h) {
  return {h.counts().begin(), h.counts().end()};
}

using list = std::vector<std::uint64_t>;

TEST_CASE("counts remain exact when the range grows") {
  power_of_two_histogram h({.bins = 4});
  h.observe(std::vector{0.0F, 0.25F, 0.5F, 0.75F});
  CHECK(h.grid() == power_of_two_grid{-2, 0});
  CHECK(counts(h) == list{1, 1, 1, 1});
  h.observe(std::vector{1.5F});
  CHECK(h.grid() == power_of_two_grid{-1, 0});
  CHECK(counts(h) == list{2, 2, 0, 1});
  h.observe(std::vector{-1.0F});
  CHECK(h.grid() == power_of_two_grid{0, -1});
  CHECK(counts(h) == list{1, 4, 1, 0});
  CHECK(h.seen() == observers::extrema{-1.0F, 1.5F, false});
}

TEST_CASE("nothing observed gives scale 1") {
  power_of_two_histogram h({});
  h.observe({});
  CHECK(!h.observed());
  CHECK(std::isnan(h.search().min));
  CHECK(*h.calculate_qparams() == qparams{1.0F, 0, 0, 255});
}

TEST_CASE("a single value is its own range") {
  power_of_two_histogram h({});
  h.observe(std::vector(7, 2.5F));
  CHECK(h.search().min == 2.5F);
  CHECK(*h.calculate_qparams() == qparams{2.5F / 255.0F, 0, 0, 255});
}

TEST_CASE("infinity is ignored, NaN is an error") {
  power_of_two_histogram h({.bins = 4});
  h.observe(std::vector{inf, -inf});
  CHECK(!h.observed());
  h.observe(std::vector{0.0F, inf, 0.75F});
  CHECK(counts(h) == list{1, 0, 0, 1});
  h.observe(std::vector{std::numeric_limits<float>::quiet_NaN()});
  CHECK(h.calculate_qparams().error().cause == "the observed values include NaN");
  CHECK(power_of_two_histogram({.bins = 1}).calculate_qparams().error().cause ==
        "bins must be between 2 and 2²⁴");
}

TEST_CASE("ranges of the smallest and the largest floats have parameters") {
  for (const float x : {1e-45F, 1e-38F, 3e38F}) {
    power_of_two_histogram h({.eps = std::numeric_limits<float>::denorm_min()});
    h.observe(std::vector{0.0F, x / 2, x});
    const auto [min, max] = h.search();
    CHECK(min == 0.0F);
    CHECK(max <= x);
    CHECK(max >= 0.99F * x);
    CHECK(h.calculate_qparams());
  }
}

/// Nearly normal, and one outlier.
std::vector<float> sample() {
  std::mt19937 random(1);
  std::vector<float> data(20'000);
  for (float& x : data) {
    x = -6.0F;
    for (int i = 0; i < 12; ++i) x += static_cast<float>(random() >> 8U) * 0x1p-24F;
  }
  data.push_back(40.0F);
  return data;
}

TEST_CASE("the parameters are close to those of HistogramObserver") {
  power_of_two_histogram h({});
  observers::histogram other({});
  h.observe(sample());
  other.observe(sample());
  const float scale = other.calculate_qparams()->scale;
  CHECK(h.calculate_qparams()->scale == doctest::Approx(scale).epsilon(0.05));
}

TEST_CASE("every instruction set gives the same state") {
  const std::vector<float> data = sample();
  power_of_two_histogram wanted({});
  wanted.observe<isa::scalar>(data);
  for_each_isa([&](auto tag) {
    power_of_two_histogram h({});
    h.observe<decltype(tag)>(data);
    CHECK(h == wanted);
  });
  CHECK(std::accumulate(wanted.counts().begin(), wanted.counts().end(), std::uint64_t{}) ==
        data.size());
}

TEST_CASE("an observer can be merged with itself") {
  power_of_two_histogram h({.bins = 4});
  h.observe(std::vector{0.0F, 0.75F});
  h.merge(h);
  CHECK(counts(h) == list{2, 0, 0, 2});
}

}  // namespace
