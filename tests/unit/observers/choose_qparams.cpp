// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/choose_qparams.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace {

using ctq::qint8;
using ctq::quant_range;
using ctq::quint8;
using ctq::range_of;
using ctq::observers::choose_qparams;
using ctq::observers::dynamic_qparams;
using ctq::observers::reduced;

static_assert(reduced(range_of(quint8)) == quant_range{0, 127});
static_assert(reduced(range_of(qint8)) == quant_range{-64, 63});

constexpr quant_range u8 = range_of(quint8);
constexpr quant_range s8 = range_of(qint8);

TEST_CASE("the scale is computed in double") {
  CHECK(choose_qparams(-1.0F, 2.0F, u8) == dynamic_qparams{3.0 / 255, 85});
  CHECK(choose_qparams(-1.0F, 2.0F, s8) == dynamic_qparams{3.0 / 255, -43});
}

TEST_CASE("the range is extended to zero") {
  CHECK(choose_qparams(1.0F, 2.0F, u8) == dynamic_qparams{2.0 / 255, 0});
  CHECK(choose_qparams(-2.0F, -1.0F, u8) == dynamic_qparams{2.0 / 255, 255});
}

TEST_CASE("zeros get scale 0.1") {
  CHECK(choose_qparams(0.0F, 0.0F, u8) == dynamic_qparams{0.1, 0});
  CHECK(choose_qparams(0.0F, 0.0F, s8) == dynamic_qparams{0.1, 127});  // errs less than at -128
}

TEST_CASE("scales are at least 6.1e-5") {
  constexpr auto smallest = static_cast<double>(6.1e-5F);
  CHECK(choose_qparams(0.0F, 1e-4F, u8) == dynamic_qparams{smallest, 0});
  CHECK(choose_qparams(-1e-4F, 0.0F, u8) == dynamic_qparams{smallest, 255});
  CHECK(choose_qparams(-1e-4F, 1e-4F, u8).scale == smallest);
}

TEST_CASE("preserve_sparsity gives values of both signs a zero point in the middle") {
  CHECK(choose_qparams(-1.28F, 1.0F, s8, true).zero_point == 0);
  CHECK(choose_qparams(-1.28F, 1.0F, s8, true).scale == static_cast<double>(1.28F + 1.27F) / 255);
  CHECK(choose_qparams(-1.0F, -0.5F, s8, true).zero_point == 127);  // one-sided: affine
}

TEST_CASE("infinite ranges give no undefined behaviour") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const auto in_range = [](dynamic_qparams q) { return q.zero_point >= 0 && q.zero_point <= 255; };
  CHECK(in_range(choose_qparams(-inf, inf, u8)));
  CHECK(in_range(choose_qparams(0.0F, inf, u8)));
  CHECK(in_range(choose_qparams(std::numeric_limits<float>::quiet_NaN(), 1.0F, u8)));
}

}  // namespace
