// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/fused_steps.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;
using scheduling::layers;

namespace {

struct everywhere
    : qconfig_mapping<global<qconfig<histogram_observer<>, per_channel_min_max_observer<>>>> {};

/// A residual block, whose sum reads the second convolution.
inline constexpr auto block =
    model("x"_n = nn::placeholder({1, 8, 6, 6}),
          "a"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 3, .padding = 1}),
          "b"_n = nn::conv2d("a"_n, {.out_channels = 8, .kernel_size = 3, .padding = 1}),
          "sum"_n = op::add("a"_n, "b"_n), "out"_n = nn::output("sum"_n));

template <class Op>
constexpr auto two_layers_and(const Op& activation) {
  return model("x"_n = nn::placeholder({1, 8, 6, 6}),
               "a"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 1}),
               "b"_n = nn::conv2d("a"_n, {.out_channels = 8, .kernel_size = 1}),
               "act"_n = activation("b"_n), "out"_n = nn::output("act"_n));
}
inline constexpr auto chain = two_layers_and(nn::hardswish);
inline constexpr auto bounded = two_layers_and(nn::relu6);

/// Three clamps: after a layer, after a sum, and after something else.
inline constexpr auto clamped = model(
    "x"_n = nn::placeholder({1, 8, 6, 6}),
    "a"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 1}), "act"_n = nn::relu6("a"_n),
    "b"_n = nn::conv2d("act"_n, {.out_channels = 8, .kernel_size = 1}),
    "sum"_n = op::add("act"_n, "b"_n), "act2"_n = fn::hardtanh("sum"_n),
    "pool"_n = nn::max_pool2d("act2"_n, {.kernel_size = 2}),
    "act3"_n = fn::clamp("pool"_n, {.min = 0.5F}), "out"_n = nn::output("act3"_n));

inline constexpr auto doubled =
    model("x"_n = nn::placeholder({1, 8}), "a"_n = nn::linear("x"_n, {.out_features = 8}),
          "sum"_n = op::add("a"_n, "a"_n), "out"_n = nn::output("sum"_n));

inline constexpr auto twice_read =
    model("x"_n = nn::placeholder({1, 8, 6, 6}),
          "a"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 1}),
          "act"_n = nn::hardswish("a"_n), "sum"_n = op::add("act"_n, "a"_n),
          "out"_n = nn::output("sum"_n));

/// The sum reads what was computed two steps before, which is not at the start of the arena.
inline constexpr auto late = model("x"_n = nn::placeholder({1, 8, 6, 6}),
                                   "p"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 1}),
                                   "a"_n = nn::conv2d("p"_n, {.out_channels = 8, .kernel_size = 1}),
                                   "b"_n = nn::conv2d("a"_n, {.out_channels = 8, .kernel_size = 1}),
                                   "sum"_n = op::add("a"_n, "b"_n), "out"_n = nn::output("sum"_n));

template <const auto& Model>
constexpr auto& alone = stages::schedule_v<plan<Model, x86, everywhere>::lowered>;
template <const auto& Model>
constexpr auto& joint = plan<Model, x86, everywhere>::int8_schedule;

constexpr fused_op as(kernel_id op, bool relu = false, op_id called = nullptr) {
  return scheduling::fused_as(
      {.kernel = op, .in = quint8, .out = quint8, .relu = relu, .called_op = called});
}
static_assert(as(kernel::binary_add) == fused_op::add &&
              as(kernel::binary_add, true) == fused_op::add_relu);
static_assert(as(kernel::elementwise, false, nn::hardswish.id()) == fused_op::table);
static_assert(as(kernel::elementwise, false, op::sub.id()) == fused_op::nothing);
static_assert(as(kernel::binary_mul) == fused_op::nothing);
static_assert(as(kernel::relu) == fused_op::nothing);

}  // namespace

TEST_CASE("a sum whose layer comes right before it is part of the layer") {
  REQUIRE(alone<block>.count == 7);  // quantize, to_nhwc, a, b, sum, to_nchw, dequantize
  REQUIRE(joint<block>.count == 6);
  const step& a = joint<block>.steps[2];
  const step& b = joint<block>.steps[3];
  const step& conv = alone<block>.steps[3];
  const step& sum = alone<block>.steps[4];
  CHECK(a.signature == alone<block>.steps[2].signature);
  CHECK(b.signature.then == fused_op::add);
  CHECK(b.signature.kernel == kernel::conv2d);
  CHECK(b.node == conv.node);
  CHECK(b.fused_node == sum.node);
  CHECK(b.in[0] == a.out);
  CHECK(b.in[1] == a.out);
  CHECK(b.in_observer[1] == sum.in_observer[0]);
  CHECK(b.fused_observer == conv.out_observer);
  CHECK(b.out_observer == sum.out_observer);
  CHECK(joint<block>.arena_bytes <= alone<block>.arena_bytes);
}

TEST_CASE("of a sum the fused layer reads the other tensor, wherever that is") {
  const step& a = joint<late>.steps[3];
  const step& b = joint<late>.steps[4];
  REQUIRE(b.signature.then == fused_op::add);
  CHECK(a.out != place{});
  CHECK(b.in[1] == a.out);
}

TEST_CASE("what a fused layer reads lives until it has written") {
  const step& b = joint<chain>.steps[3];
  REQUIRE(b.signature.then == fused_op::table);
  CHECK(b.in[1] == place{});
  CHECK(b.in_observer[1] == -1);
  CHECK(b.in[0] != b.out);
  const step& with_bounds = joint<bounded>.steps[3];
  REQUIRE(with_bounds.clamp_node >= 0);
  CHECK(with_bounds.in[0] != with_bounds.out);
}

TEST_CASE("a clamp after a layer or a sum is part of its range, also for an interpreter") {
  // quantize, to_nhwc, a, b, sum, pool, act3, to_nchw, dequantize
  REQUIRE(alone<clamped>.count == 9);
  const auto& g = plan<clamped, x86, everywhere>::lowered;
  const auto name = [&](int node) { return node < 0 ? std::string_view{} : g.nodes[node].name; };
  const step& a = alone<clamped>.steps[2];
  CHECK(name(a.node) == "a");
  CHECK(name(a.clamp_node) == "act");
  CHECK(a.signature.then == fused_op::nothing);
  CHECK(name(alone<clamped>.steps[4].clamp_node) == "act2");
  CHECK(name(alone<clamped>.steps[6].node) == "act3");
  // A sum that is fused into a layer is clamped there.
  REQUIRE(joint<clamped>.count == 8);
  const step& b = joint<clamped>.steps[3];
  CHECK(b.signature.then == fused_op::add);
  CHECK(name(b.node) == "b");
  CHECK(name(b.clamp_node) == "act2");
  CHECK(b.out == joint<clamped>.steps[4].in[0]);
}

TEST_CASE("an output that is read twice is written to memory") {
  CHECK(joint<twice_read>.count == alone<twice_read>.count);
  CHECK(joint<doubled>.count == alone<doubled>.count);
}

TEST_CASE("an interpreter gets the steps one by one") {
  const auto& lowered = plan<block, x86, everywhere>::lowered;
  CHECK(schedule(lowered.view()).steps.size() == 7);
  CHECK(schedule(lowered.view(), layers::fused).steps.size() == 6);
}
