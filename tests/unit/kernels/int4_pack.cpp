// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/int4_pack.hpp"

#include <doctest/doctest.h>

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

// Groups of ten are padded to two lines of eight values, the last one of five to one.
static_assert(simd::int4_layout<dot>{25, 1, 10}.groups() == 3);
static_assert(simd::int4_layout<dot>{25, 1, 10}.length(2) == 5);
static_assert(simd::int4_layout<dot>{25, 1, 10}.all_lines() == 5);

TEST_CASE("four-bit weights are packed as zero points, scales and lines of eight values") {
  constexpr linear_shape s{1, 9, 1};
  const std::vector<std::uint8_t> values = {0x21, 0x43, 0x65, 0x87, 0x09};
  const float scale = 0.75F;
  const std::uint8_t zero_point = 11;
  std::vector<std::byte> packed(simd::linear_weight_int4_packed_bytes<isa_t>(s, 9));
  simd::pack_linear_weight_int4<isa_t>(s, {9, values.data(), &scale, &zero_point}, packed.data());

  constexpr std::size_t vec_bytes = simd::int4_layout<dot>::vec_bytes;
  CHECK(packed[0] == std::byte{11});
  float packed_scale;
  std::memcpy(&packed_scale, packed.data() + vec_bytes, sizeof packed_scale);
  CHECK(packed_scale == scale);
  const std::byte* const line = packed.data() + 2 * vec_bytes;
  CHECK(line[0] == std::byte{0x51});  // the first value and the fifth
  CHECK(line[3] == std::byte{0x84});
  CHECK(line[vec_bytes] == std::byte{0x09});
  CHECK(line[vec_bytes + 1] == std::byte{});
}

TEST_CASE("activations are copied group by group, with zeros to the end of a line and their sums") {
  const simd::int4_layout<dot> layout{11, 1, 9};
  const std::vector<std::int8_t> in = {1, 2, 3, 4, 5, 6, 7, 8, -9, 100, -128};
  std::vector<std::byte> row(layout.row_bytes(), std::byte{0x55});
  simd::copy_row(layout, in.data(), row.data());
  std::vector<std::int8_t> copied(24);
  std::memcpy(copied.data(), row.data(), copied.size());
  CHECK(copied == std::vector<std::int8_t>{1, 2, 3, 4, 5,   6,    7, 8, -9, 0, 0, 0,
                                           0, 0, 0, 0, 100, -128, 0, 0, 0,  0, 0, 0});
  std::int32_t sums[2];
  std::memcpy(sums, row.data() + layout.row_sums(), sizeof sums);
  CHECK(sums[0] == 27);
  CHECK(sums[1] == -28);
}
