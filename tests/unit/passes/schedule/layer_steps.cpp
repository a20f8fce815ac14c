// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/layer_steps.hpp"

#include <doctest/doctest.h>

#include "ctq/graph/graph.hpp"
#include "ctq/passes/schedule/schedule.hpp"

using namespace ctq;

namespace {

constexpr conv2d_options one_pixel{.in_channels = 4, .out_channels = 4, .kernel_size = 1};

/// x, y, op(x, y) with so many tensors, and the output.
dynamic_graph<stage::lowered> graph_of(op_id op, dtype d, const attributes& attrs, const shape& in,
                                       int tensors, const shape& other) {
  dynamic_graph<stage::lowered> g;
  const int x =
      g.add({.name = "x", .op = nn::placeholder.id(), .shape = in, .dtype = d, .observer = 0},
            nullptr, 0);
  const int y =
      g.add({.name = "y", .op = nn::placeholder.id(), .shape = other, .dtype = d, .observer = 1},
            nullptr, 0);
  const int reads[] = {x, y};
  const int z =
      g.add({.name = "z", .op = op, .attrs = attrs, .shape = in, .dtype = d, .observer = 2}, reads,
            tensors);
  g.add({.name = "out", .op = nn::output.id(), .shape = in, .dtype = d}, z);
  g.observers = 3;
  return g;
}

}  // namespace

TEST_CASE("a convolution and a sum are two kernels, with floats between them") {
  const auto g = graph_of(q::conv_add_relu2d.id(), quint8, attributes{one_pixel}, {1, 4, 2, 2}, 2,
                          {1, 4, 2, 2});
  const dynamic_schedule s = schedule(g.view());
  REQUIRE_FALSE(s.problem.any());
  int layer = 0;
  while (s.steps[layer].signature.kernel != kernel::conv2d) ++layer;
  const step& sums = s.steps[layer];
  const step& sum = s.steps[layer + 1];
  CHECK(sums.signature.in == quint8);
  CHECK(sums.signature.out == f32);
  CHECK_FALSE(sums.signature.relu);
  CHECK(sums.out_observer == -1);
  CHECK(sum.signature.kernel == kernel::quantize_sum);
  CHECK(sum.signature.relu);
  CHECK(sum.in[0] == sums.out);
  CHECK(sum.in_observer[1] == 1);
  CHECK(sum.out_observer == 2);
}

TEST_CASE("in float the sum is that of two tensors") {
  const auto g =
      graph_of(nni::conv_add2d.id(), f32, attributes{one_pixel}, {1, 4, 2, 2}, 2, {1, 4, 2, 2});
  const dynamic_schedule s = schedule(g.view());
  REQUIRE_FALSE(s.problem.any());
  int add = 0;
  while (s.steps[add].signature.kernel != kernel::binary_add) ++add;
  CHECK(s.steps[add - 1].signature.kernel == kernel::conv2d);
  CHECK(s.steps[add - 1].signature.out == f32);
}

TEST_CASE("a sum does not broadcast") {
  const auto g =
      graph_of(q::conv_add2d.id(), quint8, attributes{one_pixel}, {1, 4, 2, 2}, 2, {1, 4, 1, 1});
  const dynamic_schedule s = schedule(g.view());
  CHECK(s.problem.message() == "no kernel for node z:\nadds a tensor of another shape");
}

TEST_CASE("an op that follows a linear layer reads its sums, and is quantized once") {
  const attributes both = with_following(attributes{linear_options{4, 4}},
                                         attributes{leaky_relu_options{.negative_slope = 0.25F}});
  CHECK(following_options(both).as<leaky_relu_options>().negative_slope == 0.25F);
  for (const op_id op : {q::linear_leaky_relu.id(), q::linear_tanh.id()}) {
    const auto g = graph_of(op, qint8, both, {2, 4}, 1, {2, 4});
    const dynamic_schedule s = schedule(g.view());
    REQUIRE_FALSE(s.problem.any());
    REQUIRE(s.steps.size() == 3);
    const bool is_tanh = op == q::linear_tanh.id();
    CHECK(s.steps[0].signature.kernel == kernel::linear);
    CHECK(s.steps[0].signature.out == f32);
    CHECK(s.steps[1].signature.kernel == (is_tanh ? kernel::tanh : kernel::elementwise));
    CHECK(s.steps[1].signature.called_op == (is_tanh ? nullptr : nn::leaky_relu.id()));
    CHECK(is_called_after_layer(s.steps[1], g.nodes[2]) == !is_tanh);
    CHECK(s.steps[2].signature.kernel == kernel::quantize);
    CHECK(s.steps[2].signature.out == qint8);
    CHECK(s.steps[2].out_observer == 2);
  }
}

TEST_CASE("a dynamic linear layer quantizes its input to what its observer says") {
  auto g =
      graph_of(q::linear_dynamic.id(), f32, attributes{linear_options{4, 4}}, {2, 4}, 1, {2, 4});
  CHECK(schedule(g.view()).steps[0].signature.as<linear_shape>().signed_input == 0);
  const observer_record to_signed{observer_class::placeholder, {.dtype = qint8}};
  g.nodes[2].observer_config = &to_signed;
  CHECK(schedule(g.view()).steps[0].signature.as<linear_shape>().signed_input == 1);
}

TEST_CASE("a dynamic linear layer whose weight is quantized per group has its own kernel") {
  auto g =
      graph_of(q::linear_dynamic.id(), f32, attributes{linear_options{4, 4}}, {2, 4}, 1, {2, 4});
  CHECK(schedule(g.view()).steps[0].signature.kernel == kernel::linear_dynamic);
  const observer_record weight{observer_class::per_channel_min_max,
                               {.dtype = qint8, .group_size = 3}};
  g.nodes[2].weight = &weight;
  const kernel_signature signature = schedule(g.view()).steps[0].signature;
  CHECK(signature.kernel == kernel::linear_dynamic_int4);
  CHECK(signature.as<linear_shape>().group_size == 3);
}
