// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/tensor.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "small_net.hpp"

using ctq::tensor;
using ctq::tensor_argument;
using ctq::tensor_view;

static_assert(tensor<float, 1, 3, 8, 8>::size == 192);
static_assert(tensor<float, 2, 3>::extents == ctq::shape{2, 3});
static_assert(std::is_convertible_v<tensor<float, 2, 3>&, tensor_view<const float, 2, 3>>);
static_assert(!std::is_convertible_v<tensor<float, 3, 2>&, tensor_view<const float, 2, 3>>);
static_assert(!std::is_convertible_v<const tensor<float, 2, 3>&, tensor_view<float, 2, 3>>);
static_assert(!std::is_convertible_v<std::span<float, 6>, tensor_view<float, 2, 3>>);
// A view of a temporary tensor would outlive it; the argument of a call does not.
static_assert(!std::is_constructible_v<tensor_view<const float, 2, 3>, tensor<float, 2, 3>>);
static_assert(!std::is_constructible_v<tensor_view<const float, 2, 3>, const tensor<float, 2, 3>>);
static_assert(!std::is_constructible_v<tensor_view<float, 2, 3>, tensor<float, 2, 3>>);
static_assert(std::is_convertible_v<tensor<float, 2, 3>, tensor_argument<float, 2, 3>>);
static_assert(std::is_convertible_v<tensor_view<float, 2, 3>, tensor_argument<float, 2, 3>>);
static_assert(std::is_convertible_v<tensor_view<const float, 2, 3>, tensor_argument<float, 2, 3>>);
static_assert(!std::is_convertible_v<tensor<float, 3, 2>, tensor_argument<float, 2, 3>>);
static_assert(!std::is_copy_constructible_v<tensor_argument<float, 2, 3>>);
static_assert(std::is_constructible_v<tensor_view<float, 2, 3>, std::span<float, 6>>);

namespace {
constexpr auto& schedule = ctq::fused_schedule_v<small::net, ctq::x86>;
}
static_assert(std::is_same_v<ctq::io_types<schedule>::input, tensor<float, 1, 3, 9, 11>>);
static_assert(std::is_same_v<ctq::io_types<schedule>::output_view, tensor_view<float, 1, 7>>);

TEST_CASE("elements are read and written in a loop") {
  tensor<float, 2, 3> t;
  for (float& v : t) v = 2.0F;
  float sum = 0.0F;
  for (const float v : std::as_const(t)) sum += v;
  CHECK(sum == 12.0F);
}

TEST_CASE("data that is not finite is an error with its place") {
  tensor<float, 2, 3> t;
  CHECK(ctq::check_finite(t));
  t[4] = std::numeric_limits<float>::infinity();
  CHECK(ctq::check_finite(t).error().message() == "element 4: is infinite");
  t[1] = std::numeric_limits<float>::quiet_NaN();
  CHECK(ctq::check_finite(t).error().message() == "element 1: is NaN");
}

TEST_CASE("a view reads and writes elements that it does not own") {
  std::vector<float> elements(6, 1.0F);
  const tensor_view<float, 2, 3> view{std::span<float, 6>{elements}};
  view.data()[5] = 2.0F;
  CHECK(elements[5] == 2.0F);
}
