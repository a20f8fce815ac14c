// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/repeats.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;
using run_op::counted;
using run_op::floats;

namespace {

template <class Op>
result<value> run(const Op& op, std::vector<value> given) {
  return run_op::run(implementation::repeats, op, {.positional = std::move(given)});
}

const tensor column{{2, 1}, {5, 6}};

}  // namespace

TEST_CASE("expand sees an axis of one element again and again") {
  const tensor out = floats(run(method::expand, {column, 2, 2, 3}));
  CHECK(out.shape == extents{2, 2, 3});
  CHECK(out.data == std::vector<float>{5, 5, 5, 6, 6, 6, 5, 5, 5, 6, 6, 6});
  CHECK(floats(run(method::expand, {column, -1, 2})).data == std::vector<float>{5, 5, 6, 6});
  CHECK(floats(run(method::expand, {column, 2, 0})).shape == extents{2, 0});
  CHECK(cause(run(method::expand, {column, 3, 1})) ==
        "an axis of more elements cannot be expanded");
  CHECK(cause(run(method::expand, {column, 2})) == "expand needs one size per axis");
  CHECK(cause(run(method::expand, {column, -1, 2, 1})) == "an extent is negative");
}

TEST_CASE("repeat puts copies side by side along every axis") {
  const tensor out = floats(run(method::repeat, {tensor{{2, 2}, {1, 2, 3, 4}}, 2, 3}));
  CHECK(out.shape == extents{4, 6});
  std::vector<float> wanted;
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 6; ++x) wanted.push_back(static_cast<float>(y % 2 * 2 + x % 2 + 1));
  CHECK(out.data == wanted);
  CHECK(floats(run(method::repeat, {tensor{{1}, {7}}, 2, 2})).shape == extents{2, 2});
  CHECK(floats(run(method::repeat, {column, 0, 1})).shape == extents{0, 1});
  CHECK(cause(run(method::repeat, {column, 2})) == "repeats needs one number per axis");
  CHECK(cause(run(method::repeat, {column, -1, 2})) == "repeats must not be negative");
}

TEST_CASE("repeat_interleave repeats each element, all equally often or each its own number") {
  const tensor in = counted({2, 2});
  CHECK(floats(run(fn::repeat_interleave, {in, 2})).data ==
        std::vector<float>{0, 0, 1, 1, 2, 2, 3, 3});
  const tensor rows = floats(run(fn::repeat_interleave, {in, index_tensor{{2}, {0, 2}}, 0}));
  CHECK(rows.shape == extents{2, 2});
  CHECK(rows.data == std::vector<float>{2, 3, 2, 3});
  CHECK(floats(run(fn::repeat_interleave, {in, index_tensor{{1}, {3}}, -1})).shape ==
        extents{2, 6});
  CHECK(floats(run(fn::repeat_interleave, {tensor{{}, {9}}, 2})).data == std::vector<float>{9, 9});
  CHECK(cause(run(fn::repeat_interleave, {in, index_tensor{{3}, {1, 1, 1}}, 0})) ==
        "repeats needs one number, or one per element");
  CHECK(cause(run(fn::repeat_interleave, {in, -1, 0})) == "repeats must not be negative");
}
