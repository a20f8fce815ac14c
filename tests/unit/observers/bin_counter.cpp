// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/bin_counter.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <vector>

namespace {

using namespace ctq;
using observers::bin_counter;

/// The bin of an element is its value; elements outside have no bin.
struct identity {
  std::size_t bins;

  std::size_t operator()(float x) const {
    return x >= 0.0F && x < static_cast<float>(bins) ? static_cast<std::size_t>(x) : bins;
  }
  template <kernels::vectorized Isa>
  kernels::batch<Isa, std::int32_t> at(kernels::batch<Isa, float> x) const {
    std::int32_t out[kernels::batch<Isa, float>::size];
    float in[kernels::batch<Isa, float>::size];
    x.store_unaligned(in);
    for (std::size_t i = 0; i < std::size(in); ++i)
      out[i] = static_cast<std::int32_t>((*this)(in[i]));
    return kernels::batch<Isa, std::int32_t>::load_unaligned(out);
  }
};

std::vector<std::uint32_t> counts(const bin_counter& c) {
  std::vector<std::uint32_t> all;
  for (std::size_t i = 0; i < c.size(); ++i) all.push_back(c[i]);
  return all;
}

TEST_CASE("each element is counted once, for any number of elements") {
  std::mt19937 random(1);
  constexpr std::size_t bins = 10;
  bin_counter c(bins);
  for (const std::size_t n : {0U, 1U, 63U, 64U, 79U, 80U, 81U, 127U, 128U, 200U, 1000U}) {
    std::vector<float> data(n);
    std::vector<std::uint32_t> wanted(bins);
    for (float& x : data) {
      x = static_cast<float>(random() % 14U) - 2.0F;
      if (identity{bins}(x) < bins) ++wanted[identity{bins}(x)];
    }
    c.count(data, identity{bins});
    CHECK(counts(c) == wanted);
    c.count<isa::scalar>(data, identity{bins});
    CHECK(counts(c) == wanted);
  }
}

TEST_CASE("equal elements in one bin are all counted") {
  bin_counter c(3);
  c.count(std::vector<float>(100'003, 1.0F), identity{3});
  CHECK(counts(c) == std::vector<std::uint32_t>{0, 100'003, 0});
}

TEST_CASE("counts can be added to numbers") {
  bin_counter c(70);
  std::vector<float> data;
  for (int i = 0; i < 70; ++i) data.resize(data.size() + static_cast<std::size_t>(i), float(i));
  c.count(data, identity{70});
  std::vector<float> sum(70, 0.5F);
  c.add_to(sum);
  c.add_to<isa::scalar>(sum);
  for (std::size_t i = 0; i < 70; ++i) CHECK(sum[i] == 0.5F + 2.0F * static_cast<float>(i));
}

TEST_CASE("each count starts from zero") {
  bin_counter c(2);
  c.count(std::vector<float>(1000, 1.0F), identity{2});
  c.count(std::vector<float>{0.0F}, identity{2});
  CHECK(counts(c) == std::vector<std::uint32_t>{1, 0});
}

}  // namespace
