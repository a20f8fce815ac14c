// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/lowered_call.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ctq;

static_assert(lowered::origin_of(q::linear_relu.id()).op == nn::linear.id() &&
              lowered::origin_of(q::linear_relu.id()).relu);
static_assert(lowered::origin_of(q::functional_linear_tanh.id()).op == fn::linear.id());
static_assert(lowered::origin_of(nn::linear.id()).op == nullptr);
static_assert(lowered::origin_of(nn::relu.id()).op == nullptr);
static_assert(scalars_change_the_scale(semantics::torch_1_13) &&
              !scalars_change_the_scale(semantics::torch_2_1));

namespace {

quantized_tensor qparams_of(dtype d, float_ops::extents shape, const std::vector<std::int32_t>& q,
                            std::int32_t zero_point = 0) {
  return {{d, -1, {1.0}, {zero_point}, {}}, std::move(shape), q};
}

}  // namespace

TEST_CASE("a kernel may decide the scale of its output") {
  constexpr auto old = semantics::torch_1_13;
  constexpr auto now = semantics::torch_2_1;
  const quantized_tensor in = qparams_of(quint8, {2}, {7, 9}, 3);
  const auto of = [&in](op_id op, semantics s, dtype d = quint8) {
    return kernel_qparams(op, d, &in, s);
  };
  CHECK(of(fn::flatten.id(), old) == in.qparams);
  CHECK(of(fn::adaptive_avg_pool2d.id(), old) == in.qparams);
  CHECK(of(nn::sigmoid.id(), old) == tensor_qparams{quint8, -1, {1.0 / 256}, {0}, {}});
  CHECK(of(fn::hardsigmoid.id(), old) == tensor_qparams{quint8, -1, {1.0 / 256}, {0}, {}});
  CHECK(of(method::tanh.id(), old) == tensor_qparams{quint8, -1, {2.0 / 256}, {128}, {}});
  // Its kernel is told the scale.
  CHECK(!of(nn::softmax.id(), old));
  CHECK(!of(nn::sigmoid.id(), old, qint8));
  CHECK(!of(nn::hardswish.id(), old));
  CHECK(!kernel_qparams(nn::sigmoid.id(), quint8, nullptr, old));
  for (const op_id op : {fn::flatten.id(), nn::sigmoid.id(), nn::tanh.id()}) CHECK(!of(op, now));
}

TEST_CASE("where a kernel decides the scale, that of the observer does not matter") {
  const quantized_tensor in = qparams_of(quint8, {2}, {7, 9}, 3);
  const tensor_qparams observed{quint8, -1, {0.5}, {7}, {}};
  model_qparams qparams;
  qparams.activations[4] = observed;
  node_quantizer rounding(*kernel_functions_of<reference_kernels>(),
                          {.semantics = semantics::torch_1_13, .qparams = &qparams});
  node n;
  n.dtype = quint8;
  n.observer = 4;
  const auto of = [&](op_id op) { return lowered::output_qparams(n, op, &in, rounding); };
  CHECK(*of(nn::sigmoid.id()) == tensor_qparams{quint8, -1, {1.0 / 256}, {0}, {}});
  CHECK(*of(nn::softmax.id()) == observed);
  n.observer = 5;
  CHECK_FALSE(of(nn::softmax.id()).has_value());
}

TEST_CASE("the options of a call are what it says, and what it leaves out") {
  const auto options = lowered::options_in(
      nn::avg_pool2d.id(),
      {.positional = {{}}, .attributes = {{"kernel_size", 2}, {"ceil_mode", true}}});
  REQUIRE(options.has_value());
  const auto pool = options->as<avg_pool2d_options>();
  CHECK(pool.kernel_size == extent2d{2});
  CHECK(pool.ceil_mode);
  CHECK(pool.stride == extent2d{0});
  const auto adaptive = lowered::options_in(fn::adaptive_avg_pool2d.id(),
                                            {.positional = {{}, float_ops::list{1, 2}}});
  REQUIRE(adaptive.has_value());
  CHECK(adaptive->as<adaptive_avg_pool2d_options>().output_size == extent2d{1, 2});
  CHECK(lowered::options_in(fn::avg_pool2d.id(), {.positional = {{}, 2, float_ops::none{}},
                                                  .keywords = {{"divisor_override", {}}}})
            .has_value());
  const auto thirds = lowered::options_in(
      fn::avg_pool2d.id(), {.positional = {{}, 2}, .keywords = {{"divisor_override", 3}}});
  REQUIRE(thirds.has_value());
  CHECK(thirds->as<avg_pool2d_options>().divisor_override == 3);
  const auto resized = lowered::options_in(
      fn::interpolate.id(),
      {.positional = {{}},
       .keywords = {{"scale_factor", 2.0}, {"mode", std::string("bilinear")}, {"size", {}}}});
  REQUIRE(resized.has_value());
  CHECK(resized->as<interpolate_options>().mode == interpolation::bilinear);
  CHECK(resized->as<interpolate_options>().scale_factor == 2.0F);
  // A factor that is no float, and a mode without a kernel.
  CHECK_FALSE(lowered::options_in(fn::interpolate.id(),
                                  {.positional = {{}}, .keywords = {{"scale_factor", 0.7}}})
                  .has_value());
  CHECK_FALSE(lowered::options_in(
                  fn::interpolate.id(),
                  {.positional = {{}}, .keywords = {{"size", 3}, {"mode", std::string("area")}}})
                  .has_value());
  // No kernel keeps an extent that is not said.
  CHECK_FALSE(lowered::options_in(fn::adaptive_avg_pool2d.id(),
                                  {.positional = {{}, float_ops::list{1, float_ops::none{}}}})
                  .has_value());
}

TEST_CASE("an op without weights is run by the kernel that its descriptor schedules") {
  kernel_calls kernels(*kernel_functions_of<reference_kernels>());
  const quantized_tensor image =
      qparams_of(quint8, {1, 2, 2, 2}, {10, 12, 14, 18, 30, 31, 32, 33}, 10);
  const auto computed = [&](op_id op, op_id from, const std::vector<node_value>& reads,
                            float_ops::python_call call, const tensor_qparams& to) {
    const lowered::ready_step step = lowered::step_of(op, from, reads, std::move(call));
    return step.in_shapes.empty() ? std::nullopt : step.run(kernels, reads, to);
  };
  const auto pooled = [&](op_id op, const tensor_qparams& to,
                          const std::vector<node_value>& reads) {
    return computed(op, op, reads, {.positional = {{}, 2}}, to);
  };
  const auto mean = pooled(fn::avg_pool2d.id(), {quint8, -1, {0.5}, {3}, {}}, {image});
  REQUIRE(mean.has_value());
  CHECK(mean->shape() == float_ops::extents{1, 2, 1, 1});
  CHECK(mean->int_repr() == std::vector<std::int32_t>{10, 46});  // 3.5 and 21.5, in halves
  const auto largest = pooled(fn::max_pool2d.id(), image.qparams, {image});
  REQUIRE(largest.has_value());
  CHECK(largest->int_repr() == std::vector<std::int32_t>{18, 33});
  // It copies values, so it cannot give another scale; and it reads one tensor.
  const tensor_qparams another{quint8, -1, {0.5}, {3}, {}};
  CHECK(lowered::can_give(*fn::max_pool2d.id()->descriptor, image, image.qparams));
  CHECK_FALSE(lowered::can_give(*fn::max_pool2d.id()->descriptor, image, another));
  CHECK(lowered::can_give(*fn::avg_pool2d.id()->descriptor, image, another));
  CHECK_FALSE(pooled(fn::max_pool2d.id(), image.qparams, {image, image}).has_value());

  const quantized_tensor a = qparams_of(quint8, {2}, {1, 200}),
                         b = qparams_of(quint8, {2}, {2, 100});
  const auto sum = computed(q::add.id(), op::add.id(), {a, b}, {.positional = {{}, {}}}, a.qparams);
  REQUIRE(sum.has_value());
  CHECK(sum->int_repr() == std::vector<std::int32_t>{3, 255});
  // Shapes may broadcast; those that do not have no kernel.
  const auto with = [&](const quantized_tensor& other) {
    return computed(q::add.id(), op::add.id(), {a, other}, {.positional = {{}, {}}}, a.qparams);
  };
  const auto rows = with(qparams_of(quint8, {2, 1}, {2, 7}));
  REQUIRE(rows.has_value());
  CHECK(rows->shape() == float_ops::extents{2, 2});
  CHECK(rows->int_repr() == std::vector<std::int32_t>{3, 202, 8, 207});
  CHECK_FALSE(with(qparams_of(quint8, {3}, {2, 3, 4})).has_value());
}

TEST_CASE("a step is kept for inputs of the same shapes, until modules change") {
  module_state modules;
  const quantized_tensor image = qparams_of(quint8, {1, 1, 2, 2}, {1, 2, 3, 4});
  lowered::ready_step step =
      lowered::step_of(fn::max_pool2d.id(), fn::max_pool2d.id(), {image}, {.positional = {{}, 2}});
  step.modules = modules.revision();
  CHECK(step.fits({image}, modules));
  CHECK_FALSE(step.fits({image, image}, modules));
  CHECK_FALSE(step.fits({qparams_of(quint8, {1, 1, 1, 4}, {1, 2, 3, 4})}, modules));
  CHECK_FALSE(step.fits({float_ops::value(1.0)}, modules));
  CHECK_FALSE(lowered::ready_step{}.fits({}, modules));
  modules.set_option("pool", "kernel_size", 3);
  CHECK_FALSE(step.fits({image}, modules));
}

TEST_CASE("the number among the arguments of a sum is found on either side") {
  const float_ops::tensor x{{1}, {1.0F}};
  CHECK(lowered::scalar_of({.positional = {x, 2}}) == 2.0);
  CHECK(lowered::scalar_of({.positional = {0.5, x}}) == 0.5);
  CHECK(lowered::scalar_of({.positional = {x, 3}, .keywords = {{"alpha", 2}}}) == 6.0);
  CHECK_FALSE(lowered::scalar_of({.positional = {3, x}, .keywords = {{"alpha", 2}}}).has_value());
  CHECK_FALSE(lowered::scalar_of({.positional = {x, x}}).has_value());
}

TEST_CASE("each call of a module has its own scale, in PyTorch 1.13 that of the last") {
  const fx_row once{.target = "fc", .scope = {}, .args = {}};
  dynamic_graph<stage::lowered> g;
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  g.add({.name = "fc", .op = q::linear.id(), .observer = 1, .row = &once}, 0);
  g.add({.name = "other", .op = q::linear.id(), .observer = 2}, 1);
  g.add({.name = "fc_1", .op = q::linear.id(), .observer = 3, .row = &once}, 2);
  CHECK(lowered::observer_of_output(g.view(), 1, semantics::torch_2_1) == 1);
  CHECK(lowered::observer_of_output(g.view(), 1, semantics::torch_1_13) == 3);
  CHECK(lowered::observer_of_output(g.view(), 2, semantics::torch_1_13) == 2);
  CHECK(lowered::observer_of_output(g.view(), 3, semantics::torch_1_13) == 3);
}

TEST_CASE("a product with a number has its scale") {
  const node_value out =
      lowered::with_scalar({op::mul.id()}, qparams_of(quint8, {2}, {10, 20}), 3.0);
  REQUIRE(out.integers() != nullptr);
  CHECK(out.integers()->qparams.scale[0] == doctest::Approx(3.0));
  CHECK(out.integers()->int_repr() == std::vector<std::int32_t>{10, 20});
}
