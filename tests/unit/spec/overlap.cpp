// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/overlap.hpp"

#include <doctest/doctest.h>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

constexpr auto conv_relu = pattern<nn::conv2d, nn::relu>::value;
constexpr auto any_relu = pattern<nested<nn::relu, match_all>>::value;
constexpr auto relu = pattern<nn::relu>::value;
constexpr auto left = pattern<nested<op::add, nn::conv2d, match_all>>::value;
constexpr auto right = pattern<nested<op::add, match_all, nn::conv2d>>::value;
constexpr auto both = pattern<nested<op::add, nn::conv2d, nn::conv2d>>::value;
constexpr auto linear_left = pattern<nested<op::add, nn::linear, match_all>>::value;

// The general one matches wherever the special one does, not the reverse.
static_assert(covers(any_relu, conv_relu) && !covers(conv_relu, any_relu));
static_assert(covers(relu, conv_relu) && !covers(conv_relu, relu));
static_assert(covers(left, both) && covers(right, both));
static_assert(!covers(left, right) && !covers(left, linear_left));
static_assert(covers(left, left));
static_assert(!covers(pattern<fn::relu>::value, relu));

// add(conv, conv) is both.
static_assert(can_overlap(left, right) && can_overlap(right, linear_left));
static_assert(!can_overlap(left, linear_left));
static_assert(can_overlap(relu, conv_relu));
static_assert(!can_overlap(pattern<nn::linear, nn::relu>::value, conv_relu));

TEST_CASE("other arities never meet") {
  CHECK_FALSE(can_overlap(pattern<nested<op::add, nn::conv2d>>::value, left));
}

}  // namespace
