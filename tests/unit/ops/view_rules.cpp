// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/view_rules.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

/// What a shape rule says: the shape, or its complaint.
struct answer {
  ctq::shape shape{};
  static_text<200> problem{};
};
template <class Op, class... Shape>
constexpr answer ask(const Op& op, const typename Op::options& o, const Shape&... in) {
  const shape shapes[] = {in...};
  attributes a{o};
  diagnostic d;
  answer found{.shape = op.id()->descriptor->infer_shape({shapes, sizeof...(in)}, a, d)};
  found.problem.append(d.message());
  return found;
}
template <class Op, class... Shape>
constexpr shape shape_of(const Op& op, const typename Op::options& o, const Shape&... in) {
  const answer a = ask(op, o, in...);
  return a.problem.count == 0 ? a.shape : shape{};
}
template <class Op, class... Shape>
constexpr bool complains(std::string_view what, const Op& op, const typename Op::options& o,
                         const Shape&... in) {
  return ask(op, o, in...).problem.view().starts_with(what);
}

constexpr shape x{2, 3, 4};

static_assert(shape_of(method::view, {.shape = {6, -1}}, x) == shape{6, 4});
static_assert(shape_of(fn::reshape, {.shape = {2, 1, 3, 2, 1, 2}}, x).rank == 6);
static_assert(complains("the elements do not fit [5, -1]", method::view, {.shape = {5, -1}}, x));
static_assert(complains("the elements do not fit [-1, -1]", method::view, {.shape = {-1, -1}}, x));
static_assert(shape_of(fn::squeeze, {}, shape{1, 3, 1}) == shape{3});
static_assert(shape_of(fn::squeeze, {.dim = {-1}}, shape{1, 3, 1}) == shape{1, 3});
static_assert(complains("dim 3 of 3 axes", fn::squeeze, {.dim = {3}}, x));
static_assert(shape_of(fn::unsqueeze, {.dim = -1}, x) == shape{2, 3, 4, 1});
static_assert(complains("has more than 6 axes", fn::unsqueeze, {.dim = 0},
                        shape{1, 1, 1, 1, 1, 1}));
static_assert(shape_of(fn::permute, {.dims = {2, 0, -2}}, x) == shape{4, 2, 3});
static_assert(complains("dims must name each axis once", fn::permute, {.dims = {0, 1, 1}}, x));
static_assert(shape_of(fn::transpose, {.dim0 = 0, .dim1 = -1}, x) == shape{4, 3, 2});
static_assert(shape_of(method::expand, {.shape = {5, -1, 3}}, shape{2, 1}) == shape{5, 2, 3});
static_assert(complains("cannot be expanded to [5, 3]", method::expand, {.shape = {5, 3}},
                        shape{2, 3}));
static_assert(shape_of(fn::t, {}, shape{2, 3}) == shape{3, 2});
static_assert(shape_of(method::t, {}, shape{2}) == shape{2});
static_assert(complains("requires a matrix", fn::t, {}, x));
static_assert(shape_of(nn::unflatten, {.dim = -1, .unflattened_size = {2, -1}}, x) ==
              shape{2, 3, 2, 2});
static_assert(shape_of(method::unflatten, {.dim = 0, .unflattened_size = {1, 2}}, x) ==
              shape{1, 2, 3, 4});
static_assert(complains("the elements do not fit [3]", nn::unflatten,
                        {.dim = 2, .unflattened_size = {3}}, x));
static_assert(complains("has more than 6 axes then", nn::unflatten,
                        {.dim = 2, .unflattened_size = {2, 2, 1, 1, 1}}, x));
static_assert(shape_of(method::repeat, {.repeats = {2, 1, 3, 2}}, x) == shape{2, 2, 9, 8});
static_assert(complains("repeats needs a number for each axis", method::repeat, {.repeats = {2, 1}},
                        x));
static_assert(complains("cannot be repeated 0 times", method::repeat, {.repeats = {2, 0, 1}}, x));
static_assert(shape_of(fn::repeat_interleave, {.repeats = 2}, x) == shape{48});
static_assert(shape_of(fn::repeat_interleave, {.repeats = 2, .dim = {-1}}, x) == shape{2, 3, 8});
static_assert(complains("dim is one axis", fn::repeat_interleave, {.repeats = 2, .dim = {0, 1}},
                        x));
static_assert(shape_of(fn::narrow, {.dim = 2, .start = -3, .length = 2}, x) == shape{2, 3, 2});
static_assert(complains("start and length reach outside dim 1", fn::narrow,
                        {.dim = 1, .start = 2, .length = 2}, x));
// What is cut keeps its shape; unbound parts are counted by a first axis.
static_assert(shape_of(fn::chunk, {.chunks = 2, .dim = -1}, x) == x);
static_assert(complains("chunks is 0", fn::chunk, {.chunks = 0}, x));
static_assert(shape_of(fn::split, {.split_size_or_sections = {1, 2}, .dim = 1}, x) == x);
static_assert(complains("sections [1, 3] do not fit\ndim 1", fn::split,
                        {.split_size_or_sections = {1, 3}, .dim = 1}, x));
static_assert(complains("sections [0] do not fit\ndim 0", fn::split, {.split_size_or_sections = 0},
                        x));
static_assert(complains("sections [] do not fit\ndim 0", fn::split, {}, x));
static_assert(shape_of(fn::unbind, {.dim = 1}, x) == shape{3, 2, 4});
static_assert(shape_of(op::getitem, {.index = {index::slice(), -1}}, x) == shape{2, 4});
static_assert(shape_of(op::getitem,
                       {.index = {index::ellipsis, index::slice(1, 4, 2), index::new_axis}},
                       x) == shape{2, 3, 2, 1});
static_assert(complains("an index is outside the input, or\nselects nothing", op::getitem,
                        {.index = {2}}, x));
static_assert(
    complains("the output has more than 6 axes", op::getitem,
              {.index = {index::new_axis, index::new_axis, index::new_axis, index::new_axis}}, x));
static_assert(complains("an index is outside the input", op::getitem,
                        {.index = {index::slice(1, 1)}}, x));

static_assert(shape_of(fn::matmul, {}, shape{2, 5, 3}, x) == shape{2, 5, 4});
static_assert(shape_of(fn::matmul, {}, shape{5, 3}, x) == shape{2, 5, 4});
static_assert(complains("the rows of one matrix do not fit the\nother", fn::matmul, {}, x, x));
static_assert(shape_of(fn::matmul, {}, x, shape{4}) == shape{2, 3});
static_assert(shape_of(fn::matmul, {}, shape{3}, x) == shape{2, 4});
static_assert(shape_of(fn::matmul, {}, shape{3}, shape{3}) == shape{});
static_assert(
    complains("the rows of one matrix do not fit the\nother\nthe input is [2, 3, 4]\nthe "
              "input is [3]",
              fn::matmul, {}, x, shape{3}));
static_assert(complains("requires inputs of 1 axis or more", fn::matmul, {}, x, shape{}));
static_assert(complains("the matrices do not broadcast", fn::matmul, {}, shape{3, 5, 3}, x));
static_assert(complains("broadcasts some axes of the matrices;\nexpand them before", fn::matmul, {},
                        shape{2, 1, 5, 3}, shape{1, 7, 3, 4}));
static_assert(complains("needs two batches of as many matrices", fn::bmm, {}, shape{1, 5, 3}, x));

static_assert(shape_of(nn::layer_norm, {}, x) == x);
static_assert(complains("normalized_shape is [3]", nn::layer_norm, {.normalized_shape = {3}}, x));
static_assert(complains("num_groups 2 does not divide\nthe channels", nn::group_norm,
                        {.num_groups = 2}, x));
static_assert(complains("requires an input of 2 axes or more", nn::group_norm, {.num_groups = 1},
                        shape{4}));
static_assert(complains("no kernel has running statistics", nn::instance_norm1d,
                        {.track_running_stats = true}, x));
static_assert(shape_of(nn::softmax, {.dim = -3}, x) == x);
static_assert(complains("dim 3 of 3 axes", nn::softmax, {.dim = 3}, x));

TEST_CASE("a view says where its elements lie") {
  attributes a{getitem_options{.index = {1, index::slice(0, 4, 2)}}};
  const shape in[] = {x};
  diagnostic d;
  const shape out = op::getitem.id()->descriptor->infer_shape({in, 1}, a, d);
  const strided_view v = descriptors::indexed(a, contiguous_view(x, layout::nchw));
  CHECK(v.shape == out);
  CHECK(v.offset == 12);
  CHECK(v.stride[0] == 8);
  CHECK(v.stride[1] == 1);
}

}  // namespace
