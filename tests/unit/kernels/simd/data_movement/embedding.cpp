// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/data_movement/embedding.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "ctq/core/isa.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

struct table {
  samples::fenced<float> floats, scale, zero_point;
  samples::fenced<std::uint8_t> integers;

  table(const embedding_shape& s, unsigned seed)
      : floats(samples::plain_floats(s.bits == 32 ? count(s.rows) * count(s.width) : 0, seed)),
        scale(samples::plain_floats(count(s.rows), seed + 1)),
        zero_point(samples::plain_floats(count(s.rows), seed + 2)),
        integers(samples::integers<std::uint8_t>(
            s.bits == 32 ? 0 : count(s.rows) * static_cast<std::size_t>(bytes_of_row(s)),
            seed + 3)) {}

  [[nodiscard]] embedding_table view(const embedding_shape& s) const {
    if (s.bits == 32) return {.rows = floats.data()};
    return {integers.data(), scale.data(), zero_point.data()};
  }

 private:
  static std::size_t count(int n) { return static_cast<std::size_t>(n); }
};

/// Mostly rows of the table, sometimes others.
template <class Index>
std::vector<Index> indices(samples::generator& random, int count, int rows) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  for (Index& i : all)
    i = static_cast<Index>(random.between(0, 30) == 0 ? random.between(-3, rows + 3)
                                                      : random.between(0, rows - 1));
  return all;
}

/// Mostly in order, sometimes not.
template <class Index>
std::vector<Index> offsets(samples::generator& random, int count, int indices) {
  std::vector<Index> all{0};
  while (static_cast<int>(all.size()) < count)
    all.push_back(static_cast<Index>(random.between(static_cast<int>(all.back()), indices)));
  if (random.between(0, 20) == 0) all.back() = static_cast<Index>(random.between(-2, indices + 2));
  return all;
}

template <class Index>
void check(samples::generator& random, unsigned seed) {
  constexpr int bits[] = {32, 8, 4};
  embedding_shape s{.indices = random.between(0, 12),
                    .rows = random.between(1, 9),
                    .width = random.between(1, 150),
                    .bits = bits[random.between(0, 2)],
                    .is_signed = random.between(0, 1)};
  if (s.bits != 8) s.is_signed = 0;
  CAPTURE(s.width);
  CAPTURE(s.bits);
  const table t(s, seed);
  const samples::fenced index(indices<Index>(random, s.indices, s.rows));
  std::vector<float> expected(static_cast<std::size_t>(s.indices) *
                              static_cast<std::size_t>(s.width));
  samples::guarded<float> out(expected.size());
  reference::embedding(s, index.data(), t.view(s), expected.data());
  simd::embedding<isa::native>(s, index.data(), t.view(s), out.data());
  CHECK(out.holds(expected));

  s.has_offsets = random.between(0, 2);
  s.bags = s.has_offsets > 0 ? random.between(1, 6) : s.indices < 2 ? 1 : s.indices / 2;
  if (s.has_offsets == 0 && s.indices % s.bags != 0) s.bags = 1;
  s.mode = static_cast<bag_mode>(random.between(0, 2));
  s.padding_index = random.between(-1, s.rows - 1);
  const samples::fenced starts(
      offsets<Index>(random, s.bags + (s.has_offsets == 2 ? 1 : 0), s.indices));
  const Index* const begins = s.has_offsets > 0 ? starts.data() : nullptr;
  std::vector<float> bags(static_cast<std::size_t>(s.bags) * static_cast<std::size_t>(s.width));
  samples::guarded<float> out_of_bags(bags.size());
  reference::embedding_bag(s, index.data(), begins, t.view(s), bags.data());
  simd::embedding_bag<isa::native>(s, index.data(), begins, t.view(s), out_of_bags.data());
  CHECK(out_of_bags.holds(bags));
}

}  // namespace

TEST_CASE("an embedding gives rows of floats, or dequantized ones of 8 and 4 bits") {
  const std::int64_t index[] = {2, 0, 5};
  const float rows[] = {0, 1, 2, 3, 4, 5};
  float out[6];
  embedding_shape s{.indices = 3, .rows = 3, .width = 2};
  reference::embedding(s, index, {.rows = rows}, out);
  CHECK(out[0] == 4);
  CHECK(out[3] == 1);
  CHECK(std::isnan(out[4]));
  const std::uint8_t bytes[] = {0, 10, 20, 30, 40, 50};
  const float scale[] = {0.5F, 1, 2}, zero_point[] = {4, 0, 0.5F};
  s.bits = 8;
  reference::embedding(s, index, {bytes, scale, zero_point}, out);
  CHECK(out[0] == 79);
  CHECK(out[3] == 3);
  const std::uint8_t with_sign[] = {0, 10, 20, 30, 0x80, 0xFF};
  s.is_signed = 1;
  reference::embedding(s, index, {with_sign, scale, zero_point}, out);
  CHECK(out[0] == -257);
  CHECK(out[1] == -3);
  s.is_signed = 0;
  const std::uint8_t halves[] = {0x21, 0x43, 0xF5};
  s.bits = 4;
  reference::embedding(s, index, {halves, scale, zero_point}, out);
  CHECK(out[0] == 9);
  CHECK(out[1] == 29);
  CHECK(out[2] == -1.5F);
}

TEST_CASE("an embedding bag gives sums, means or largest elements, without the padding") {
  const std::int32_t index[] = {0, 1, 2, 1, 1};
  const std::int32_t offsets[] = {0, 3, 3};
  const float rows[] = {1, 10, 3};
  float out[3];
  embedding_shape s{
      .indices = 5, .rows = 3, .width = 1, .bags = 3, .mode = bag_mode::sum, .has_offsets = 1};
  reference::embedding_bag(s, index, offsets, {.rows = rows}, out);
  CHECK(out[0] == 14);
  CHECK(out[1] == 0);
  CHECK(out[2] == 20);
  s.mode = bag_mode::mean;
  s.padding_index = 1;
  reference::embedding_bag(s, index, offsets, {.rows = rows}, out);
  CHECK(out[0] == 2);
  CHECK(out[2] == 0);
  s.mode = bag_mode::max;
  reference::embedding_bag(s, index, offsets, {.rows = rows}, out);
  CHECK(out[0] == 3);
  const std::int32_t wrong[] = {0, 6, 3};
  reference::embedding_bag(s, index, wrong, {.rows = rows}, out);
  CHECK(std::isnan(out[0]));
  CHECK(std::isnan(out[1]));
  CHECK(out[2] == 0);
}

TEST_CASE("simd embeddings give the bits of the reference") {
  samples::for_each_seed(samples::seeds(200, 2), [](samples::generator& random, unsigned seed) {
    check<std::int64_t>(random, seed);
    check<std::int32_t>(random, seed + 9);
  });
}
