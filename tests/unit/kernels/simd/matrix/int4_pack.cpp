// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/int4_pack.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

using namespace ctq;
using namespace ctq::kernels;
using isa_t = isa::native;
using dot = simd::int4_dot<isa_t>;

static_assert(simd::linear_weight_int4_packed_bytes<isa_t>({1, 64, 0}, 32) == 0);
static_assert(simd::linear_weight_int4_packed_bytes<isa_t>({1, 0, 8}, 32) == 0);
// Half a byte a weight, and at most five bytes a group.
static_assert(simd::linear_weight_int4_packed_bytes<isa_t>({1, 256, 64}, 32) <=
              64 * 256 / 2 + 64 * 8 * 6);

// Groups of ten are padded to three lines of four values, the last one of three to one.
static_assert(simd::int4_layout<dot>{23, 1, 10}.groups() == 3);
static_assert(simd::int4_layout<dot>{23, 1, 10}.length(2) == 3);
static_assert(simd::int4_layout<dot>{23, 1, 10}.all_lines() == 7);

TEST_CASE("four-bit weights are packed as zero points, scales and lines of four values") {
  // A line holds channels 0 and dot::lanes: here the first and the last.
  constexpr linear_shape s{1, 5, dot::lanes + 1};
  constexpr auto channels = static_cast<std::size_t>(s.out_features);
  std::vector<std::uint8_t> values(channels * 3, 0x55);
  const std::uint8_t first[] = {0x21, 0x43, 0x05}, last[] = {0xA9, 0xCB, 0x0D};
  std::copy(first, first + 3, values.begin());
  std::copy(last, last + 3, values.end() - 3);
  std::vector<float> scale(channels, 1.0F);
  std::vector<std::uint8_t> zero_point(channels, 8);
  scale.front() = 0.75F;
  scale.back() = 0.25F;
  zero_point.front() = 11;
  zero_point.back() = 6;
  std::vector<std::byte> packed(simd::linear_weight_int4_packed_bytes<isa_t>(s, 5));
  simd::pack_linear_weight_int4<isa_t>(s, {5, values.data(), scale.data(), zero_point.data()},
                                       packed.data());

  using layout = simd::int4_layout<dot>;
  CHECK(packed[0] == std::byte{0x6B});
  float scales[2 * dot::lanes];
  std::memcpy(scales, packed.data() + layout::zero_point_bytes(1), sizeof scales);
  CHECK(scales[0] == 0.75F);
  CHECK(scales[dot::lanes] == 0.25F);
  const std::byte* const line = packed.data() + layout::header_bytes(1);
  CHECK(line[0] == std::byte{0x91});  // the first value of both
  CHECK(line[3] == std::byte{0xC4});
  CHECK(line[layout::vec_bytes] == std::byte{0xD5});
  CHECK(line[layout::vec_bytes + 1] == std::byte{});
}

namespace {

/// Of a row of eleven.
std::vector<std::int8_t> copied(int group_size, std::vector<std::int32_t>& sums) {
  const simd::int4_layout<dot> layout{11, 1, group_size};
  const std::vector<std::int8_t> in = {1, 2, 3, 4, 5, 6, 7, 8, -9, 100, -128};
  std::vector<std::byte> row(layout.row_bytes(), std::byte{0x55});
  simd::copy_activations(layout, in.data(), row.data());
  sums.resize(static_cast<std::size_t>(layout.groups()));
  std::memcpy(sums.data(), row.data() + layout.sums_at(), sums.size() * sizeof(std::int32_t));
  std::vector<std::int8_t> out(16);
  std::memcpy(out.data(), row.data(), out.size());
  return out;
}

}  // namespace

TEST_CASE("activations are copied group by group, with zeros to the end of a line and their sums") {
  std::vector<std::int32_t> sums;
  CHECK(copied(9, sums) == std::vector<std::int8_t>{1, 2, 3, 4, 5, 6, 7, 8, -9, 0, 0, 0,  //
                                                    100, -128, 0, 0});
  CHECK(sums == std::vector<std::int32_t>{27, -28});
  CHECK(copied(8, sums) ==
        std::vector<std::int8_t>{1, 2, 3, 4, 5, 6, 7, 8, -9, 100, -128, 0, 0, 0, 0, 0});
  CHECK(sums == std::vector<std::int32_t>{36, -37});
}
