// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/pad.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;
using run_op::counted;
using run_op::floats;

namespace {

result<value> run(const tensor& in, const list& amounts, const char* mode = "constant",
                  const value& filler = none{}) {
  return run_op::run(implementation::pads, fn::pad, {.positional = {in, amounts, mode, filler}});
}

std::vector<float> row(const list& amounts, const char* mode) {
  return floats(run(tensor{{1, 1, 4}, {1, 2, 3, 4}}, amounts, mode)).data;
}

}  // namespace

TEST_CASE("each mode continues a row in its own way") {
  CHECK(row({2, 3}, "constant") == std::vector<float>{0, 0, 1, 2, 3, 4, 0, 0, 0});
  CHECK(row({2, 3}, "reflect") == std::vector<float>{3, 2, 1, 2, 3, 4, 3, 2, 1});
  CHECK(row({2, 3}, "replicate") == std::vector<float>{1, 1, 1, 2, 3, 4, 4, 4, 4});
  CHECK(row({2, 3}, "circular") == std::vector<float>{3, 4, 1, 2, 3, 4, 1, 2, 3});
}

TEST_CASE("a constant is 0 or what the call says, and negative amounts cut off") {
  CHECK(floats(run(counted({2}), {1, 0}, "constant", -2.5)).data ==
        std::vector<float>{-2.5F, 0, 1});
  CHECK(row({-1, -2}, "constant") == std::vector<float>{2});
  CHECK(row({-1, 1}, "constant") == std::vector<float>{2, 3, 4, 0});
  CHECK(row({-4, 0}, "constant").empty());
  CHECK(cause(run(counted({1, 1, 4}), {-3, -2})) == "the padding leaves nothing of the input");
}

TEST_CASE("amounts begin with the last axis, two an axis") {
  const tensor in{{2, 2}, {1, 2, 3, 4}};
  const tensor out = floats(run(in, {0, 1, 1, 0}));
  CHECK(out.shape == extents{3, 3});
  CHECK(out.data == std::vector<float>{0, 0, 0, 1, 2, 0, 3, 4, 0});
  CHECK(cause(run(in, {1})) == "padding needs two numbers per axis");
  CHECK(cause(run(in, {1, 1, 1, 1, 1, 1})) == "padding needs two numbers per axis");
}

TEST_CASE("a reflection is less than the row, a circle at most all of it") {
  CHECK(row({3, 3}, "reflect").size() == 10);
  CHECK(cause(run(counted({1, 1, 4}), {4, 0}, "reflect")) ==
        "the padding is larger than the input");
  CHECK(row({4, 4}, "circular") == std::vector<float>{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4});
  CHECK(cause(run(counted({1, 1, 4}), {0, 5}, "circular")) ==
        "the padding is larger than the input");
  CHECK(row({9, 0}, "replicate").size() == 13);
  CHECK(cause(run(counted({1, 1, 4}), {1, 1}, "mirror")) == "unknown padding mode mirror");
}

TEST_CASE("the modules pad the last axes, by one amount or by two for each") {
  const tensor in{{1, 1, 2, 2}, {1, 2, 3, 4}};
  const auto padded = [&](const auto& op, const value& padding) {
    return floats(run_op::run(implementation::pads, op,
                              {.positional = {in}, .attributes = {{"padding", padding}}}));
  };
  CHECK(padded(nn::zero_pad2d, 1).shape == extents{1, 1, 4, 4});
  CHECK(padded(nn::replication_pad2d, list{1, 0, 0, 1}).data ==
        std::vector<float>{1, 1, 2, 3, 3, 4, 3, 3, 4});
  CHECK(padded(nn::reflection_pad2d, list{1, 0, 0, 0}).data ==
        std::vector<float>{2, 1, 2, 4, 3, 4});
  CHECK(padded(nn::replication_pad3d, 1).shape == extents{1, 3, 4, 4});
}
