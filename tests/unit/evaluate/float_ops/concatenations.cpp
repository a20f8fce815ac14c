// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/concatenations.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;
using run_op::counted;
using run_op::floats;

namespace {

template <class Op>
result<value> run(const Op& op, const list& tensors, int dim = 0) {
  return run_op::run(implementation::concatenations, op, {.positional = {tensors, dim}});
}

const tensor a = counted({2, 3}), b{{2, 1}, {10, 20}}, c{{1, 3}, {7, 8, 9}};

}  // namespace

TEST_CASE("cat concatenates along an axis, counted from either end") {
  for (const int dim : {1, -1}) {
    const tensor wide = floats(run(fn::cat, {a, b}, dim));
    CHECK(wide.shape == extents{2, 4});
    CHECK(wide.data == std::vector<float>{0, 1, 2, 10, 3, 4, 5, 20});
  }
  CHECK(floats(run(fn::cat, {c, a, c})).data ==
        std::vector<float>{7, 8, 9, 0, 1, 2, 3, 4, 5, 7, 8, 9});
  CHECK(floats(run(fn::cat, {a, filled({2, 0})}, 1)).data == a.data);
}

TEST_CASE("cat leaves out empty tensors of one axis, whatever the others are") {
  CHECK(floats(run(fn::cat, {filled({0}), a, filled({0})})).data == a.data);
  CHECK(floats(run(fn::cat, {filled({0}), filled({0})})).shape == extents{0});
}

TEST_CASE("stack concatenates along a new axis") {
  const tensor rows = floats(run(fn::stack, {c, c}));
  CHECK(rows.shape == extents{2, 1, 3});
  const tensor last = floats(run(fn::stack, {tensor{{2}, {1, 2}}, tensor{{2}, {3, 4}}}, -1));
  CHECK(last.shape == extents{2, 2});
  CHECK(last.data == std::vector<float>{1, 3, 2, 4});
  CHECK(floats(run(fn::stack, {tensor{{}, {5}}, tensor{{}, {6}}})).data ==
        std::vector<float>{5, 6});
}

TEST_CASE("integers are joined as integers, and nothing else with them") {
  const index_tensor i{{2}, {1, 2}};
  const auto y = run(fn::cat, {i, i});
  REQUIRE(cause(y) == "");
  CHECK(y->get_if<index_tensor>()->data == std::vector<std::int64_t>{1, 2, 1, 2});
  CHECK_FALSE(run(fn::cat, {i, c}).has_value());
}

TEST_CASE("what does not fit is an error") {
  CHECK(cause(run(fn::cat, {a, b})) == "the tensors have different extents");
  CHECK(cause(run(fn::cat, {a, counted({3})})) == "the tensors have different axes");
  CHECK(cause(run(fn::cat, {counted({}), counted({})})) == "cannot join scalars");
  CHECK(cause(run(fn::stack, {a, b})) == "the tensors have different extents");
  CHECK_FALSE(run(fn::cat, {}).has_value());
  CHECK_FALSE(run(fn::cat, {a, a}, 2).has_value());
  CHECK_FALSE(run(fn::stack, {a, a}, 3).has_value());
}
