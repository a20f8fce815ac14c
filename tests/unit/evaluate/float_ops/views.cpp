// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/views.hpp"

#include <doctest/doctest.h>

#include <cstddef>
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
  return run_op::run(implementation::views, op, {.positional = std::move(given)});
}

const tensor six = counted({1, 2, 3});

}  // namespace

TEST_CASE("a reshape keeps the elements, and one extent may be left open") {
  CHECK(floats(run(fn::reshape, {six, list{3, 2}})).data == six.data);
  CHECK(floats(run(method::view, {six, 3, -1})).shape == extents{3, 2});
  CHECK(floats(run(method::view, {six, list{-1}})).shape == extents{6});
  CHECK(floats(run(fn::reshape, {counted({}), list{}})).shape == extents{});
  CHECK(floats(run(fn::reshape, {filled({0, 4}), list{-1, 4}})).shape == extents{0, 4});
  CHECK(cause(run(fn::reshape, {six, list{4, -1}})) == "no size for -1 gives 6 elements");
  CHECK(cause(run(fn::reshape, {six, list{4}})) == "6 elements do not make 4");
  CHECK(cause(run(fn::reshape, {six, list{-1, -1}})) == "only one extent may be -1");
  CHECK(cause(run(fn::reshape, {six, list{-2, -3}})) == "only one extent may be -1");
  CHECK(cause(run(fn::reshape, {filled({0, 4}), list{-1, 0}})) ==
        "no size for -1 gives 0 elements");
}

TEST_CASE("flatten joins the axes from start to end") {
  const tensor in = counted({2, 3, 4, 5});
  CHECK(floats(run(fn::flatten, {in})).shape == extents{120});
  CHECK(floats(run(nn::flatten, {in})).shape == extents{2, 60});
  CHECK(floats(run(fn::flatten, {in, 1, -2})).shape == extents{2, 12, 5});
  CHECK(floats(run(fn::flatten, {in, 2, 2})).shape == in.shape);
  CHECK(floats(run(fn::flatten, {counted({})})).shape == extents{1});
  CHECK_FALSE(run(fn::flatten, {in, 2, 1}).has_value());
}

TEST_CASE("axes are permuted, each once") {
  const tensor in = counted({2, 3, 4});
  const tensor out = floats(run(method::permute, {in, 2, 0, -2}));
  REQUIRE(out.shape == extents{4, 2, 3});
  bool right = true;
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t c = 0; c < 3; ++c)
        right = right && out.data[(a * 2 + b) * 3 + c] == in.data[(b * 3 + c) * 4 + a];
  CHECK(right);
  CHECK(floats(run(fn::transpose, {counted({2, 3}), 0, 1})).data ==
        std::vector<float>{0, 3, 1, 4, 2, 5});
  CHECK_FALSE(run(fn::permute, {in, list{0, 1, 1}}).has_value());
  CHECK_FALSE(run(fn::permute, {in, list{0, 1}}).has_value());
}

TEST_CASE("squeeze takes axes of one element away, unsqueeze adds one") {
  const tensor in = filled({1, 2, 1, 3});
  CHECK(floats(run(fn::squeeze, {in})).shape == extents{2, 3});
  CHECK(floats(run(fn::squeeze, {in, 2})).shape == extents{1, 2, 3});
  CHECK(floats(run(fn::squeeze, {in, 1})).shape == in.shape);
  CHECK(floats(run(fn::unsqueeze, {in, 0})).shape == extents{1, 1, 2, 1, 3});
  CHECK(floats(run(fn::unsqueeze, {in, -1})).shape == extents{1, 2, 1, 3, 1});
  CHECK_FALSE(run(fn::unsqueeze, {in, 5}).has_value());
}

TEST_CASE("narrow takes a part of an axis that lies in it") {
  const tensor in = counted({2, 4});
  CHECK(floats(run(fn::narrow, {in, 1, 1, 2})).data == std::vector<float>{1, 2, 5, 6});
  CHECK(floats(run(fn::narrow, {in, 1, -2, 2})).data == std::vector<float>{2, 3, 6, 7});
  CHECK(floats(run(fn::narrow, {in, 0, 2, 0})).shape == extents{0, 4});
  CHECK_FALSE(run(fn::narrow, {in, 1, 3, 2}).has_value());
  CHECK_FALSE(run(fn::narrow, {in, 1, 0, -1}).has_value());
}

TEST_CASE("size and dim say the shape, integers stay integers") {
  CHECK(as_integer(*run(method::size, {six, -1})) == 3);
  CHECK(run(method::size, {six})->get_if<list>()->size() == 3);
  CHECK(as_integer(*run(method::dim, {six})) == 3);
  const auto indices = run(fn::reshape, {index_tensor{{4}, {1, 2, 3, 4}}, list{2, 2}});
  REQUIRE(cause(indices) == "");
  CHECK(indices->get_if<index_tensor>()->shape == extents{2, 2});
  CHECK(cause(run(fn::flatten, {5})) == "input is not a tensor");
}

TEST_CASE("a matrix is transposed, and an axis becomes several") {
  const tensor turned = floats(run(fn::t, {counted({2, 3})}));
  CHECK(turned.shape == extents{3, 2});
  CHECK(turned.data == std::vector<float>{0, 3, 1, 4, 2, 5});
  CHECK(floats(run(method::t, {counted({3})})).shape == extents{3});
  CHECK(cause(run(fn::t, {six})) == "requires a matrix");
  CHECK(floats(run(method::unflatten, {six, -1, list{-1, 3}})).shape == extents{1, 2, 1, 3});
  CHECK(floats(run(method::unflatten, {counted({6}), 0, list{3, 2}})).data == six.data);
  CHECK(cause(run(method::unflatten, {six, 2, list{2}})) == "3 elements do not make 2");
}

TEST_CASE("a tensor takes the shape of another one") {
  CHECK(floats(run(method::view_as, {six, counted({3, 2})})).shape == extents{3, 2});
  CHECK(cause(run(method::reshape_as, {six, counted({4})})) == "other has not as many elements");
  const tensor wide = floats(run(method::expand_as, {counted({2, 1}), counted({2, 3})}));
  CHECK(wide.data == std::vector<float>{0, 0, 0, 1, 1, 1});
  CHECK(cause(run(method::expand_as, {six, counted({3})})) == "cannot be expanded to that shape");
}

TEST_CASE("floats become integers, towards zero") {
  const auto integers = [](const result<value>& y) { return y->get_if<index_tensor>()->data; };
  CHECK(integers(run(method::long_, {tensor{{3}, {1.75F, -1.75F, 2}}})) ==
        std::vector<std::int64_t>{1, -1, 2});
  CHECK(integers(run(method::int_, {index_tensor{{1}, {1LL << 40}}})) ==
        std::vector<std::int64_t>{1LL << 40});
  CHECK(cause(run(method::long_, {tensor{{1}, {0x1p63F}}})) ==
        "a number is not finite, or too large");
}

TEST_CASE("integers become floats") {
  CHECK(floats(run(method::float_, {index_tensor{{2}, {3, -4}}})).data ==
        std::vector<float>{3, -4});
  CHECK(floats(run(method::float_, {six})).data == six.data);
}
