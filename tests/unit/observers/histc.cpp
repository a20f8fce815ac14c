// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/histc.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "ctq/observers/bin_counter.hpp"
#include "every_isa.hpp"

namespace {

using namespace ctq;
using observers::bin_counter;
using observers::histc_rule;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float largest = std::numeric_limits<float>::max();
constexpr float denormal = std::numeric_limits<float>::denorm_min();

using counts = std::vector<std::uint32_t>;

/// torch.histc, as documented.
counts by_hand(const std::vector<float>& data, std::size_t bins, float lo, float hi) {
  counts c(bins);
  for (const float x : data) {
    if (!(x >= lo && x <= hi)) continue;
    const float position = (x - lo) / (hi - lo) * static_cast<float>(bins);
    const auto bin = static_cast<std::size_t>(position);
    ++c[bin < bins ? bin : bins - 1];
  }
  return c;
}

template <class Isa>
counts counted(const std::vector<float>& data, std::size_t bins, float lo, float hi) {
  bin_counter counter(bins);
  counter.count<Isa>(data, histc_rule::of(bins, lo, hi, observers::aminmax(data)));
  counts c;
  for (std::size_t i = 0; i < bins; ++i) c.push_back(counter[i]);
  return c;
}

counts quarters(const std::vector<float>& data, float lo, float hi) {
  return counted<isa::native>(data, 4, lo, hi);
}

void same_everywhere(const std::vector<float>& data, std::size_t bins, float lo, float hi) {
  CAPTURE(bins);
  CAPTURE(lo);
  CAPTURE(hi);
  const counts wanted = by_hand(data, bins, lo, hi);
  for_each_isa([&](auto tag) {
    CAPTURE(decltype(tag)::name);
    CHECK(counted<decltype(tag)>(data, bins, lo, hi) == wanted);
  });
}

TEST_CASE("values are counted in equal parts, the upper end in the last one") {
  CHECK(quarters({0, 1, 2, 3, 4}, 0, 4) == counts{1, 1, 1, 2});
  CHECK(quarters({0, 1, 2, 3, 4}, 1, 3) == counts{1, 0, 1, 1});
}

TEST_CASE("an empty range selects that of the data, widened by 1 if that is empty") {
  CHECK(quarters({0, 1, 2, 3, 4}, 7, 7) == counts{1, 1, 1, 2});
  CHECK(quarters({5, 5}, 0, 0) == counts{0, 0, 2, 0});
}

TEST_CASE("NaN, infinity and values outside the range are ignored") {
  CHECK(quarters({nan, inf, -inf, -1, 5, 2, largest, -largest}, 0, 4) == counts{0, 0, 1, 0});
}

TEST_CASE("every instruction set counts values next to bin edges equally") {
  for (const std::size_t bins : {1U, 3U, 7U, 100U, 2048U})
    for (const float hi : {1.0F, 0.1F, 3.0F, 1e-38F, 1e-44F, 1e30F})
      for (const float lo : {0.0F, -hi, -0.37F * hi}) {
        std::vector<float> data{lo, hi, std::nextafter(hi, inf), std::nextafter(lo, -inf)};
        for (std::size_t i = 0; i <= bins; ++i) {
          const float edge = lo + (hi - lo) * (static_cast<float>(i) / static_cast<float>(bins));
          for (const float x : {edge, std::nextafter(edge, -inf), std::nextafter(edge, inf)})
            data.push_back(x);
        }
        same_everywhere(data, bins, lo, hi);
      }
}

TEST_CASE("every instruction set counts random bits equally") {
  std::mt19937 random(7);
  std::vector<float> data(20'000);
  for (float& x : data) x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
  for (const float hi : {1.0F, 1e-40F, 1e38F}) same_everywhere(data, 2048, -hi, hi);
  same_everywhere(data, 2048, 0.0F, denormal);
}

}  // namespace
