// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/arithmetic.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;
using run_op::floats;

namespace {

template <class Op>
result<value> run(const Op& op, std::vector<value> given, std::vector<named_value> keywords = {}) {
  return run_op::run(implementation::arithmetics, op,
                     {.positional = std::move(given), .keywords = std::move(keywords)});
}

std::vector<std::int64_t> integers(const result<value>& y) {
  REQUIRE(cause(y) == "");
  REQUIRE(y->is<index_tensor>());
  return y->get_if<index_tensor>()->data;
}

const tensor column{{2, 1}, {1.0F, 10.0F}};
const tensor row{{3}, {2.0F, 4.0F, -8.0F}};

}  // namespace

TEST_CASE("operands broadcast to one shape, from either side") {
  const tensor sum = floats(run(op::add, {column, row}));
  CHECK(sum.shape == extents{2, 3});
  CHECK(sum.data == std::vector<float>{3, 5, -7, 12, 14, 2});
  CHECK(floats(run(op::sub, {row, column})).data == std::vector<float>{1, 3, -9, -8, -6, -18});
  CHECK(floats(run(op::mul, {row, 0.5})).data == std::vector<float>{1, 2, -4});
  CHECK(floats(run(op::truediv, {1, row})).data == std::vector<float>{0.5F, 0.25F, -0.125F});
  CHECK(cause(run(op::add, {filled({2}), filled({3})})) == "extents 2 and 3 do not broadcast");
  CHECK(floats(run(op::add, {filled({0}), filled({1})})).shape == extents{0});
}

TEST_CASE("alpha multiplies the second operand before it is added or subtracted") {
  CHECK(floats(run(fn::add, {row, row}, {{"alpha", 2}})).data == std::vector<float>{6, 12, -24});
  CHECK(floats(run(fn::sub, {row, row}, {{"alpha", 0.5}})).data == std::vector<float>{1, 2, -4});
}

TEST_CASE("// rounds down as Python's does, of floats and of integers") {
  const float inf = std::numeric_limits<float>::infinity();
  for (int a = -9; a <= 9; ++a)
    for (int b = -4; b <= 4; ++b) {
      if (b == 0) continue;
      const double exact = std::floor(static_cast<double>(a) / b);
      CHECK(static_cast<double>(
                floats(run(op::floordiv, {tensor{{}, {static_cast<float>(a)}}, b})).data[0]) ==
            exact);
      CHECK(integers(run(op::floordiv, {index_tensor{{}, {a}}, b}))[0] == static_cast<int>(exact));
    }
  CHECK(floats(run(op::floordiv, {tensor{{2}, {1.0F, -1.0F}}, 0})).data ==
        std::vector<float>{inf, -inf});
  // 1 / 0.1 in float32 is 10, but 0.1 is a little more than a tenth.
  CHECK(floats(run(op::floordiv, {tensor{{1}, {1.0F}}, 0.1F})).data[0] == 9.0F);
}

TEST_CASE("% has the sign of the divisor, as Python's, of floats and of integers") {
  CHECK(floats(run(op::mod, {tensor{{4}, {7, -7, 6, -0.5F}}, 3})).data ==
        std::vector<float>{1, 2, 0, 2.5F});
  CHECK(integers(run(fn::remainder, {index_tensor{{3}, {7, -7, 6}}, -3})) ==
        std::vector<std::int64_t>{-2, -1, 0});
  CHECK(integers(run(op::mod, {index_tensor{{1}, {std::numeric_limits<std::int64_t>::min()}},
                               -1})) == std::vector<std::int64_t>{0});
  CHECK(*run(op::mod, {-7.5, 2.0})->get_if<double>() == 0.5);
  CHECK_FALSE(run(op::mod, {index_tensor{{1}, {5}}, 0}).has_value());
}

TEST_CASE("integers wrap around and stay integers but for a quotient") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::lowest();
  const index_tensor i{{2}, {most, least}};
  CHECK(integers(run(op::add, {i, 1})) == std::vector<std::int64_t>{least, least + 1});
  CHECK(integers(run(op::sub, {i, 1})) == std::vector<std::int64_t>{most - 1, most});
  CHECK(integers(run(op::mul, {i, 2})) == std::vector<std::int64_t>{-2, 0});
  CHECK(integers(run(op::floordiv, {i, -1})) == std::vector<std::int64_t>{-most, least});
  CHECK(integers(run(op::pow, {index_tensor{{2}, {3, -2}}, 3})) ==
        std::vector<std::int64_t>{27, -8});
  CHECK(floats(run(op::truediv, {index_tensor{{2}, {1, -3}}, 2})).data ==
        std::vector<float>{0.5F, -1.5F});
}

TEST_CASE("squares and cubes are products, as in PyTorch") {
  const tensor x{{3}, {1.1F, -0.7F, 1e-15F}};
  for (const float a : x.data) {
    CHECK(floats(run(op::pow, {tensor{{1}, {a}}, 2})).data == std::vector<float>{a * a});
    CHECK(floats(run(fn::pow, {tensor{{1}, {a}}, 3.0})).data == std::vector<float>{a * a * a});
  }
}

TEST_CASE("a division by integer zero is an error, not a crash") {
  CHECK_FALSE(run(op::floordiv, {index_tensor{{1}, {5}}, 0}).has_value());
  CHECK_FALSE(run(op::floordiv, {5, 0}).has_value());
}

TEST_CASE("of a NaN and a number, the maximum and the minimum are NaN") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const tensor a{{3}, {nan, 1.0F, -2.0F}}, b{{3}, {0.0F, nan, 3.0F}};
  for (const auto& y : {run(fn::maximum, {a, b}), run(fn::minimum, {a, b})}) {
    CHECK(std::isnan(floats(y).data[0]));
    CHECK(std::isnan(floats(y).data[1]));
  }
  CHECK(floats(run(fn::maximum, {a, b})).data[2] == 3.0F);
  CHECK(floats(run(fn::minimum, {a, b})).data[2] == -2.0F);
}

TEST_CASE("where chooses between tensors and numbers, all of which broadcast") {
  const index_tensor mask{{2, 1}, {0, 1}};
  const tensor row{{3}, {1, 2, 3}};
  CHECK(floats(run(fn::where, {mask, row, -1.0})).data == std::vector<float>{-1, -1, -1, 1, 2, 3});
  CHECK(floats(run(fn::where, {mask, -1.0, row})).shape == extents{2, 3});
  CHECK(cause(run(fn::where, {mask, row, filled({2})})) != "");
}

TEST_CASE("masks are not what they were, and of tensors") {
  CHECK(floats(run(op::invert, {tensor{{3}, {0, 1, -2}}})).data == std::vector<float>{1, 0, 0});
  CHECK(cause(run(fn::logical_not, {1})) == "input is not a tensor");
  CHECK(cause(run(method::masked_fill, {filled({3}), 1, 2})) == "mask is not a tensor");
  CHECK(floats(run(fn::logical_and, {tensor{{3}, {0, 1, 2}}, tensor{{3}, {1, 1, 0}}})).data ==
        std::vector<float>{0, 1, 0});
}

TEST_CASE("masked_fill writes the number where the mask is not zero") {
  const index_tensor mask{{3}, {0, 1, 2}};
  CHECK(floats(run(method::masked_fill, {filled({2, 3}, 1.0F), mask, -5})).data ==
        std::vector<float>{1, -5, -5, 1, -5, -5});
}
