// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/node_path.hpp"

#include <doctest/doctest.h>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

// (relu, (add, MatchAllNode, (bn, conv)))
constexpr pattern_record tree = pattern<
    nested<nn::relu, nested<op::add, match_all, nested<nn::batch_norm2d, nn::conv2d>>>>::value;

template <int... Index>
constexpr int at = element_at(tree, path<Index...>::value);

static_assert(at<0> == 0);        // the relu
static_assert(at<1, 0> == 1);     // the add
static_assert(at<1, 1> == 2);     // what is added
static_assert(at<1, 2, 0> == 3);  // the batch norm
static_assert(at<1, 2, 1> == 4);  // the conv

// A tuple is no node, nor is what lies outside one.
static_assert(at<1> == -1 && at<1, 2> == -1);
static_assert(at<2> == -1 && at<1, 3> == -1 && at<-1> == -1);
static_assert(at<0, 1> == -1 && at<1, 1, 0> == -1);
static_assert(element_at(tree, node_path{}) == -1);
static_assert(element_at(pattern<nn::linear>::value, path<0>::value) == -1);

TEST_CASE("a path leads to the same element at run time") {
  const node_path to_conv = path<1, 2, 1>::value;
  CHECK(tree.element[element_at(tree, to_conv)].op == nn::conv2d.id());
}

}  // namespace
