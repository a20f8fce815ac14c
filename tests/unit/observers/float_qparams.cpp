// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/float_qparams.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

using namespace ctq;
using namespace ctq::observers;

namespace {

using bytes = std::vector<std::uint8_t>;

static_assert(packed_size(0) == 0 && packed_size(7) == 4 && packed_size(8) == 4);
static_assert([] {
  std::array<std::uint8_t, 2> packed{};
  pack_quint4x2(std::array<std::uint8_t, 3>{1, 2, 15}, packed);
  std::array<std::uint8_t, 3> back{};
  unpack_quint4x2(packed, back);
  return packed == std::array<std::uint8_t, 2>{0x21, 0x0F} &&
         back == std::array<std::uint8_t, 3>{1, 2, 15};
}());

TEST_CASE("each row has its own scale and float zero point") {
  const per_channel_qparams p{{1.0F, 0.5F}, {}, {0.5F, -2.25F}, 0, 15, 0};
  const std::vector<float> w{1.0F, 2.0F, 2.0F, 100.0F};
  bytes q(4);
  quantize(w, shape(2, 2), p, q);
  CHECK(q == bytes{2, 2, 2, 15});  // 1.5 and 2.5 go to even; 1.75; saturated
  std::vector<float> dq(4);
  dequantize(q, shape(2, 2), p, dq);
  CHECK(dq == std::vector{1.5F, 1.5F, 2.125F, 8.625F});
}

TEST_CASE("a scale of 0 divides by 1, NaN counts as 0") {
  const per_channel_qparams p{{0.0F}, {}, {3.0F}, 0, 255, 0};
  bytes q(3);
  quantize(std::vector{4.0F, std::numeric_limits<float>::quiet_NaN(), -1e30F}, shape(1, 3), p, q);
  CHECK(q == bytes{7, 3, 0});
}

}  // namespace
