// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/convolution_ops.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;
using run_op::floats;
using run_op::some;

namespace {

template <class Op>
result<value> run(const Op& op, std::vector<value> given,
                  std::vector<named_value> attributes = {}) {
  return run_op::run(implementation::convolutions, op,
                     {.positional = std::move(given), .attributes = std::move(attributes)});
}

}  // namespace

TEST_CASE(
    "'same' keeps the extents, with the odd element of padding at the end, 'valid' has none") {
  const tensor in = some({1, 1, 6});
  for (const int kernel : {1, 2, 3, 4, 5})
    for (const int dilation : {1, 2}) {
      const tensor weight = some({1, 1, kernel}, 2);
      const tensor same = floats(
          run(nn::conv1d, {in}, {{"weight", weight}, {"padding", "same"}, {"dilation", dilation}}));
      REQUIRE(same.shape == in.shape);
      const int front = dilation * (kernel - 1) / 2;
      for (int i = 0; i < 6; ++i) {
        double wanted = 0;
        for (int k = 0; k < kernel; ++k) {
          const int from = i + k * dilation - front;
          if (from >= 0 && from < 6)
            wanted += static_cast<double>(in.data[static_cast<std::size_t>(from)]) *
                      static_cast<double>(weight.data[static_cast<std::size_t>(k)]);
        }
        CHECK(static_cast<double>(same.data[static_cast<std::size_t>(i)]) ==
              doctest::Approx(wanted).epsilon(1e-5));
      }
    }
  CHECK(floats(run(nn::conv1d, {in}, {{"weight", some({1, 1, 3})}, {"padding", "valid"}})).shape ==
        extents{1, 1, 4});
  CHECK(cause(run(nn::conv1d, {in}, {{"weight", some({1, 1, 3})}, {"padding", "full"}})) ==
        "unknown padding 'full'");
  CHECK(cause(run(nn::conv1d, {in},
                  {{"weight", some({1, 1, 9})}, {"padding", "same"}, {"dilation", 1 << 28}})) ==
        "the kernel is too large");
}

TEST_CASE("another padding mode is a convolution of the input that is padded that way") {
  const tensor in{{1, 1, 4}, {1, 2, 3, 4}}, sum{{1, 1, 3}, {1, 1, 1}};
  const auto padded = [&](const char* mode) {
    return floats(run(nn::conv1d, {in}, {{"weight", sum}, {"padding", 1}, {"padding_mode", mode}}))
        .data;
  };
  CHECK(padded("zeros") == std::vector<float>{3, 6, 9, 7});
  CHECK(padded("reflect") == std::vector<float>{2 + 1 + 2, 6, 9, 3 + 4 + 3});
  CHECK(padded("replicate") == std::vector<float>{1 + 1 + 2, 6, 9, 3 + 4 + 4});
  CHECK(padded("circular") == std::vector<float>{4 + 1 + 2, 6, 9, 3 + 4 + 1});
}

TEST_CASE("an input without a batch gives an output without one") {
  const tensor weight = some({2, 3, 2, 2}), in = some({3, 4, 5}, 3);
  tensor batch = in;
  batch.shape.insert(batch.shape.begin(), 1);
  const tensor out = floats(run(fn::conv2d, {in, weight}));
  CHECK(out.shape == extents{2, 3, 4});
  CHECK(out.data == floats(run(fn::conv2d, {batch, weight})).data);
  CHECK(floats(run(fn::conv_transpose2d, {in, some({3, 2, 2, 2})})).shape == extents{2, 5, 6});
}

TEST_CASE("one number stands for all axes, and one an axis for itself") {
  const tensor in = some({1, 1, 7, 9}), weight = some({1, 1, 3, 3});
  CHECK(floats(run(fn::conv2d, {in, weight, none{}, 2, 1})).shape == extents{1, 1, 4, 5});
  CHECK(floats(run(fn::conv2d, {in, weight, none{}, list{1, 3}, list{0, 1}})).shape ==
        extents{1, 1, 5, 3});
  CHECK(cause(run(fn::conv2d, {in, weight, none{}, list{1, 2, 3}})) ==
        "stride needs one or 2 numbers");
  CHECK(cause(run(fn::conv2d, {in, some({1, 1, 3})})) == "the weight needs 4 axes");
}

TEST_CASE("output_size says which of the extents that a transposed convolution may have is meant") {
  const tensor in = some({1, 1, 4}), weight = some({1, 1, 3});
  for (const int size : {9, 10})
    CHECK(floats(run(nn::conv_transpose1d, {in, list{size}}, {{"weight", weight}, {"stride", 2}}))
              .shape == extents{1, 1, size});
  for (const int size : {8, 11})
    CHECK(cause(run(nn::conv_transpose1d, {in, list{size}}, {{"weight", weight}, {"stride", 2}})) ==
          "the output padding must be less than the stride or the dilation");
  CHECK(floats(run(fn::conv_transpose1d, {in, weight, none{}, 2, 0, 1})).shape ==
        extents{1, 1, 10});
}
