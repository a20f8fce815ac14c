// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/scalar_arithmetic.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ctq;

namespace {

quantized_tensor integers_of(float_ops::extents shape, const std::vector<std::int32_t>& q,
                             double scale, std::int32_t zero_point, dtype d = quint8) {
  return {{d, -1, {scale}, {zero_point}, {}}, std::move(shape), q};
}

std::vector<float> reals(const quantized_tensor& t) { return dequantize(t).data; }

}  // namespace

TEST_CASE("multiplying by a number changes the scale, a negative one turns the range around") {
  const auto x = integers_of({3}, {0, 100, 255}, 0.5, 100);
  const auto wider = integer_product(x, 3.0);
  CHECK(wider.int_repr() == x.int_repr());
  CHECK(wider.qparams.scale[0] == 1.5);
  const auto turned = integer_product(x, -2.0);
  CHECK(turned.qparams.zero_point[0] == 155);
  CHECK(reals(turned) == std::vector<float>{100.0F, 0.0F, -155.0F});
  const auto of_int8 = integer_product(integers_of({3}, {-128, 5, 127}, 0.5, 5, qint8), -1.0);
  CHECK(of_int8.qparams.zero_point[0] == -6);
  CHECK(of_int8.int_repr() == std::vector<std::int32_t>{127, -6, -128});
  CHECK(reals(of_int8) == std::vector<float>{66.5F, 0.0F, -61.0F});
  CHECK(reals(integer_product(x, 0.0)) == std::vector<float>{0.0F, 0.0F, 0.0F});
}

TEST_CASE("adding a number moves the zero point, and widens the scale where it cannot") {
  const auto x = integers_of({3}, {0, 100, 255}, 0.5, 100);
  CHECK(reals(integer_sum(x, 10.0)) == std::vector<float>{-40.0F, 10.0F, 87.5F});
  for (const double term : {100.0, -200.0}) {
    const auto y = integer_sum(x, term);
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(static_cast<double>(reals(y)[i]) ==
            doctest::Approx(static_cast<double>(reals(x)[i]) + term).epsilon(0.01));
  }
}

TEST_CASE("the ratio of the scales is PyTorch's to the last bit, which decides ties") {
  // 43, 129 and 215 steps of the input are 42.5, 127.5 and 212.5 of the sum.
  const auto y = integer_sum(integers_of({3}, {40, 126, 212}, 0.024605439975857735, 119), 3.0);
  CHECK(y.qparams.scale[0] == doctest::Approx(0.024894915740279588).epsilon(1e-15));
  CHECK(y.int_repr() == std::vector<std::int32_t>{43, 128, 213});
}

TEST_CASE("relu cuts at the zero point") {
  CHECK(integer_relu(integers_of({2}, {3, 12}, 1.0, 10)).int_repr() ==
        std::vector<std::int32_t>{10, 12});
}
