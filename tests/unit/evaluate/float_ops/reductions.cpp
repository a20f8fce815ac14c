// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/reductions.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;
using run_op::check_near;
using run_op::counted;
using run_op::floats;
using run_op::some;

namespace {

template <class Op>
result<value> run(const Op& op, const tensor& in, std::vector<named_value> keywords = {}) {
  return run_op::run(implementation::reductions, op,
                     {.positional = {in}, .keywords = std::move(keywords)});
}

/// exp(x) / Σ exp of the elements whose key is the same.
template <class Key>
std::vector<double> softmax_by(const tensor& x, Key key, bool logarithm) {
  std::vector<double> out;
  for (std::size_t i = 0; i < x.data.size(); ++i) {
    double total = 0;
    for (std::size_t j = 0; j < x.data.size(); ++j)
      if (key(i) == key(j)) total += std::exp(static_cast<double>(x.data[j]));
    const double share = std::exp(static_cast<double>(x.data[i])) / total;
    out.push_back(logarithm ? std::log(share) : share);
  }
  return out;
}

}  // namespace

TEST_CASE("sums and means go over the axes of the call, over all if it names none") {
  const tensor in = counted({2, 3, 2});
  CHECK(floats(run(fn::sum, in)).shape == extents{});
  CHECK(floats(run(fn::sum, in)).data == std::vector<float>{66});
  CHECK(floats(run(fn::mean, in, {{"dim", list{0, 2}}})).data ==
        std::vector<float>{3.5F, 5.5F, 7.5F});
  CHECK(floats(run(fn::sum, in, {{"dim", -2}, {"keepdim", true}})).shape == extents{2, 1, 2});
  CHECK(floats(run(fn::sum, in, {{"dim", 1}})).data == std::vector<float>{6, 9, 24, 27});
  CHECK(floats(run(fn::sum, in, {{"dim", list{}}})).data == std::vector<float>{66});
  CHECK_FALSE(run(fn::sum, in, {{"dim", 3}}).has_value());
}

TEST_CASE("nothing sums to 0, and the mean of nothing is not a number") {
  CHECK(floats(run(fn::sum, filled({0, 2}), {{"dim", 0}})).data == std::vector<float>{0, 0});
  CHECK(std::isnan(floats(run(fn::mean, filled({0}))).data[0]));
  CHECK(floats(run(fn::sum, filled({0, 2}), {{"dim", 1}})).shape == extents{0});
}

TEST_CASE("the largest and the smallest elements along axes; NaN, if there is one") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const tensor in{{2, 3}, {1, 5, -2, 4, nan, 0}};
  CHECK(floats(run(fn::amax, in, {{"dim", 0}})).data[0] == 4);
  CHECK(std::isnan(floats(run(fn::amin, in, {{"dim", 0}})).data[1]));
  CHECK(floats(run(fn::amin, in, {{"dim", 0}})).data[2] == -2);
  CHECK(floats(run(fn::amax, in, {{"dim", -1}, {"keepdim", true}})).shape == extents{2, 1});
  CHECK(floats(run(fn::amin, counted({2, 3, 2}), {{"dim", list{0, 2}}})).data ==
        std::vector<float>{0, 2, 4});
  CHECK(floats(run(fn::amax, counted({2, 3, 2}))).data == std::vector<float>{11});
  CHECK(cause(run(fn::amax, filled({0, 2}))) == "an empty tensor has no maximum and no minimum");
}

TEST_CASE("the indices of the largest and the smallest elements") {
  const tensor in{{2, 3}, {1, 5, -2, 4, 5, 0}};
  const auto indices = [&](auto op, std::vector<named_value> keywords = {}) {
    const auto y = run(op, in, std::move(keywords));
    REQUIRE(y);
    REQUIRE(y->template is<index_tensor>());
    return *y->template get_if<index_tensor>();
  };
  using integers = std::vector<std::int64_t>;
  CHECK(indices(fn::argmax).shape == extents{});
  CHECK(indices(fn::argmax).data == integers{1});
  CHECK(indices(fn::argmin, {{"keepdim", true}}).shape == extents{1, 1});
  CHECK(indices(fn::argmin).data == integers{2});
  CHECK(indices(method::argmax, {{"dim", 0}}).data == integers{1, 0, 1});
  CHECK(indices(method::argmin, {{"dim", -1}, {"keepdim", true}}).shape == extents{2, 1});
  CHECK(cause(run(fn::argmax, counted({2, 3, 2}), {{"dim", list{0, 1}}})) ==
        "dim is one axis, or none for all");
  CHECK(cause(run(fn::argmin, filled({0, 2}))) == "an empty tensor has no maximum and no minimum");
}

TEST_CASE("max and min give the values and their indices along an axis") {
  const tensor in{{2, 3}, {1, 5, -2, 4, 5, 0}};
  const auto y = run(fn::max, in, {{"dim", 1}});
  REQUIRE(y);
  REQUIRE(y->is<list>());
  const list& both = *y->get_if<list>();
  REQUIRE(both.size() == 2);
  CHECK(both[0].get_if<tensor>()->data == std::vector<float>{5, 5});
  CHECK(both[1].get_if<index_tensor>()->data == std::vector<std::int64_t>{1, 1});
  const auto least = run(method::min, in, {{"dim", 0}, {"keepdim", true}});
  REQUIRE(least);
  CHECK((*least->get_if<list>())[0].get_if<tensor>()->data == std::vector<float>{1, 5, -2});
  CHECK((*least->get_if<list>())[1].get_if<index_tensor>()->shape == extents{1, 3});
  CHECK(cause(run(fn::max, in)) == "has one axis, dim; amax and amin have the extremes of all");
}

TEST_CASE("sums of more axes than PyTorch's tensors have are an error") {
  CHECK(cause(run(fn::sum, filled(extents(65, 1)))) == "has more axes than PyTorch's tensors");
}

TEST_CASE("softmax is a share of the exponentials along its axis") {
  const tensor in = some({2, 3, 4}, 3);
  const auto along_1 = [](std::size_t i) { return i / 12 * 4 + i % 4; };
  const auto along_2 = [](std::size_t i) { return i / 4; };
  check_near(floats(run(fn::softmax, in, {{"dim", 1}})), in.shape, softmax_by(in, along_1, false));
  check_near(floats(run(fn::softmax, in, {{"dim", -1}})), in.shape, softmax_by(in, along_2, false));
  check_near(floats(run(fn::log_softmax, in, {{"dim", 2}})), in.shape,
             softmax_by(in, along_2, true));
}

TEST_CASE("without an axis softmax takes PyTorch's: 0 of 0, 1 or 3 axes, else 1") {
  for (int axes = 1; axes <= 4; ++axes) {
    const tensor in = some(extents(static_cast<std::size_t>(axes), 2), axes);
    const int dim = axes == 1 || axes == 3 ? 0 : 1;
    CHECK(floats(run(fn::softmax, in)).data == floats(run(fn::softmax, in, {{"dim", dim}})).data);
  }
  CHECK(floats(run(fn::softmax, tensor{{}, {5}})).data == std::vector<float>{1});
}

TEST_CASE("softmax of large numbers neither overflows nor vanishes") {
  const float inf = std::numeric_limits<float>::infinity();
  const tensor in{{4}, {1e30F, 1e30F, -1e30F, -inf}};
  CHECK(floats(run(fn::softmax, in)).data == std::vector<float>{0.5F, 0.5F, 0, 0});
  CHECK(floats(run(fn::log_softmax, tensor{{2}, {1000, 0}})).data == std::vector<float>{0, -1000});
  CHECK(floats(run(fn::softmax, filled({0, 3}), {{"dim", 0}})).shape == extents{0, 3});
}
