// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/embeddings/quantize_rows.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "ctq/backends/default_observers.hpp"

using namespace ctq;

namespace {

const std::vector<float> table = {-1, 0, 1.5F, 2, 4, 6};

result<quantized_rows> rows_of(int bits, const observer_record& record) {
  return quantize_rows(table, {.rows = 2, .width = 3, .bits = bits}, record, {});
}

}  // namespace

TEST_CASE("each row of a table has a scale and a float zero point") {
  const auto bytes = rows_of(8, default_float_qparams_observer::value);
  REQUIRE(bytes);
  CHECK(bytes->rows == std::vector<std::uint8_t>{0, 102, 255, 0, 127, 255});
  CHECK(bytes->scale == std::vector<float>{2.5F / 255, 4.0F / 255});
  CHECK(bytes->zero_point[1] == doctest::Approx(-127.5));
  const auto halves = rows_of(4, default_float_qparams_observer_4bit::value);
  REQUIRE(halves);
  CHECK(halves->rows.size() == 4);
  CHECK(halves->rows[0] == (0 | 6 << 4));
  CHECK(halves->rows[1] == 15);
}

TEST_CASE("an observer without float zero points cannot quantize a table") {
  const auto wrong = rows_of(8, default_observer::value);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message() ==
        "weight: each row needs a scale and a float zero point: ask for "
        "per_channel_affine_float_qparams with ch_axis 0");
}
