// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/schedule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "../to_static.hpp"
#include "../walk.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/prepare.hpp"
#include "user_ops.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

using everywhere =
    qconfig_mapping<global<qconfig<histogram_observer<>, per_channel_min_max_observer<>>>>;

constexpr dynamic_graph<stage::prepared> prepared(graph_view<stage::traced> g) {
  return prepare_graph(fuse(g, backend_v<x86>).view(), backend_v<x86>, mapping_v<everywhere>);
}
constexpr dynamic_graph<stage::lowered> lowered(graph_view<stage::traced> g) {
  return lower(convert_graph(prepared(g).view(), backend_v<x86>, mapping_v<everywhere>).view());
}

/// "to_nhwc quantize conv2d ..."
std::string kernels_of(const dynamic_schedule& s) {
  std::string out;
  for (const step& one : s.steps) out += std::string{name_of(one.signature.kernel)} + ' ';
  return out;
}

template <stage Stage>
std::string kernels_of(const dynamic_graph<Stage>& g) {
  const dynamic_schedule s = schedule(g.view());
  CHECK(walking::complaint(g.view(), s) == "");
  return kernels_of(s);
}
template <class Model>
std::string float_kernels(const Model& m) {
  const dynamic_schedule s = schedule(m.view());
  CHECK(walking::complaint(m.view(), s) == "");
  return kernels_of(s);
}

constexpr auto lenet = model(
    "x"_n = nn::placeholder({1, 1, 28, 28}),
    "conv1"_n = nn::conv2d("x"_n, {.out_channels = 6, .kernel_size = 5, .padding = 2}),
    "relu1"_n = nn::relu("conv1"_n), "pool1"_n = nn::max_pool2d("relu1"_n, {.kernel_size = 2}),
    "flat"_n = fn::flatten("pool1"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 10}), "out"_n = nn::output("fc"_n));

constexpr auto static_copy = to_static<16, 16>(schedule(lowered(lenet.view()).view()));
static_assert(!static_copy.problem.any());
static_assert(static_copy.count == 6);
static_assert(static_copy.inputs[0].shape == shape{1, 1, 28, 28} &&
              static_copy.outputs[0].shape == shape{1, 10});
static_assert(static_copy.outputs[0].dtype == f32);
static_assert(static_copy.observation_count == 0);
// One channel: no transpose at the door.
static_assert(static_copy.steps[0].signature ==
              signature_of(kernel::quantize, f32, quint8, elementwise_shape{784}));
static_assert(static_copy.steps[0].in[0].in == place::area::input);
static_assert(static_copy.steps[1].signature.kernel == kernel::conv2d &&
              static_copy.steps[1].signature.relu);
static_assert(static_copy.steps[1].signature.as<conv2d_shape>().out_channels == 6);
static_assert(static_copy.steps[3].signature ==
              signature_of(kernel::to_nchw, quint8, quint8, transpose_shape{1, 6, 196}));
static_assert(static_copy.steps[5].out.in ==
              place::area::output);  // written where the caller wants it
// The pool's output does not fit in the place of the quantized image, later ones do.
static_assert(static_copy.arena_bytes ==
              packing::padded(784) + packing::padded(4704) + packing::padded(1176));

TEST_CASE("the steps of an int8 model are its ops, and a transpose before a view") {
  CHECK(kernels_of(lowered(lenet.view())) ==
        "quantize conv2d pooling_max to_nchw linear dequantize ");
}

TEST_CASE("the same model in float, fused and not") {
  CHECK(float_kernels(lenet) == "conv2d relu pooling_max to_nchw linear ");
  CHECK(kernels_of(fuse(lenet.view(), backend_v<x86>)) == "conv2d pooling_max to_nchw linear ");
}

TEST_CASE("a schedule made at run time equals the constant") {
  const dynamic_schedule s = schedule(lowered(lenet.view()).view());
  REQUIRE(static_cast<int>(s.steps.size()) == static_copy.count);
  for (std::size_t i = 0; i < s.steps.size(); ++i) {
    CHECK(s.steps[i].signature == static_copy.steps[i].signature);
    CHECK(s.steps[i].node == static_copy.steps[i].node);
    CHECK(std::ranges::equal(s.steps[i].in, static_copy.steps[i].in));
    CHECK(s.steps[i].out == static_copy.steps[i].out);
  }
  CHECK(s.arena_bytes == static_copy.arena_bytes);
}

TEST_CASE("an image with channels is reordered to N, H, W, C once, where it enters the model") {
  constexpr auto net =
      model("x"_n = nn::placeholder({1, 3, 8, 8}),
            "conv1"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 1}),
            "conv2"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 1}),
            "add"_n = op::add("conv1"_n, "conv2"_n), "out"_n = nn::output("add"_n));
  CHECK(float_kernels(net) == "to_nhwc conv2d conv2d binary_add to_nchw ");
  CHECK(kernels_of(lowered(net.view())) ==
        "quantize to_nhwc conv2d conv2d binary_add dequantize to_nchw ");
}

TEST_CASE("elementwise ops take any order, an add brings both sides into one") {
  constexpr auto net = model("x"_n = nn::placeholder({1, 3, 8, 8}), "relu"_n = nn::relu("x"_n),
                             "conv"_n = nn::conv2d("relu"_n, {.out_channels = 3, .kernel_size = 1}),
                             "add"_n = op::add("x"_n, "conv"_n), "out"_n = nn::output("add"_n));
  CHECK(float_kernels(net) == "relu to_nhwc conv2d to_nchw binary_add ");
}

TEST_CASE("tensors that are broadcast are read in one order") {
  constexpr auto gated = model("x"_n = nn::placeholder({2, 3, 8, 8}),
                               "conv"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 1}),
                               "pool"_n = nn::adaptive_avg_pool2d("conv"_n, {1}),
                               "mul"_n = op::mul("pool"_n, "conv"_n),
                               "sub"_n = op::sub("mul"_n, "mul"_n), "out"_n = nn::output("sub"_n));
  CHECK(float_kernels(gated) ==
        "to_nhwc conv2d pooling_avg binary_mul_broadcast binary_sub to_nchw ");
  const auto steps = schedule(gated.view()).steps;
  CHECK(steps[3].signature.as<broadcast_shape>() ==
        broadcast_shape{{1, 2, 64, 3}, {{0, 3, 0, 1}, {0, 192, 3, 1}}});
  CHECK(steps[4].signature.as<broadcast_shape>() ==
        broadcast_shape{{1, 1, 1, 384}, {{0, 0, 0, 1}, {0, 0, 0, 1}}});
  // An image without a batch axis lies in the order of its axes.
  constexpr auto lower_rank =
      model("x"_n = nn::placeholder({1, 3, 8, 8}),
            "conv"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 1}),
            "flat"_n = fn::flatten("x"_n, {.end_dim = 1}), "add"_n = op::add("conv"_n, "flat"_n),
            "out"_n = nn::output("add"_n));
  CHECK(float_kernels(lower_rank) == "to_nhwc conv2d to_nchw to_nchw binary_add_broadcast ");
}

TEST_CASE("a number is an operand of a function of one tensor") {
  constexpr auto net =
      model("x"_n = nn::placeholder({1, 4}), "sum"_n = op::add("x"_n, 0.5F),
            "difference"_n = op::sub(2, "sum"_n), "out"_n = nn::output("difference"_n));
  CHECK(net.nodes[1].shape == shape{1, 4});
  const auto steps = schedule(net.view()).steps;
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].signature.called_op == q::add_scalar.id());
  CHECK(steps[1].signature.called_op == q::sub_scalar.id());
  CHECK(steps[0].signature.as<elementwise_shape>() == elementwise_shape{4});
  const auto number = net.nodes[2].attrs.as<scalar_operand>();
  CHECK(number.value == 2.0F);
  CHECK(number.position == 1);
  // In a model on integers it follows a layer as a table does.
  constexpr auto after_layer =
      model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
            "mul"_n = fn::mul("fc"_n, 2), "out"_n = nn::output("mul"_n));
  const auto fused = schedule(lowered(after_layer.view()).view(), scheduling::layers::fused).steps;
  REQUIRE(fused.size() == 3);
  CHECK(fused[1].signature.then == fused_op::table);
}

TEST_CASE("one pixel or one channel needs no transpose") {
  constexpr auto pixel = sequential({2, 3, 4, 4}, nn::adaptive_avg_pool2d(), nn::flatten(),
                                    nn::linear({.out_features = 2}));
  CHECK(float_kernels(pixel) == "to_nhwc pooling_avg linear ");
  constexpr auto channel =
      sequential({2, 1, 4, 4}, nn::max_pool2d({.kernel_size = 2}), nn::flatten());
  CHECK(float_kernels(channel) == "pooling_max ");
}

TEST_CASE("a batch norm that no conv took in has a step of its own") {
  constexpr auto net = sequential({1, 3, 4, 4}, nn::batch_norm2d(), nn::relu());
  CHECK(float_kernels(net) == "to_nhwc batch_norm2d relu to_nchw ");
}

TEST_CASE("a cat is a copy for each input") {
  constexpr auto net =
      model("x"_n = nn::placeholder({1, 2, 4, 4}),
            "a"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 1}),
            "cat"_n = fn::cat({"a"_n, "x"_n, "a"_n}, {.dim = 1}), "out"_n = nn::output("cat"_n));
  const dynamic_schedule s = schedule(net.view());
  CHECK(kernels_of(s) == "to_nhwc conv2d concat concat concat to_nchw ");
  CHECK(s.steps[2].signature.as<concat_shape>() == concat_shape{16, 3, 8, 0});
  CHECK(s.steps[3].signature.as<concat_shape>() == concat_shape{16, 2, 8, 3});
  CHECK(s.steps[4].signature.as<concat_shape>() == concat_shape{16, 3, 8, 5});
  CHECK(walking::complaint(net.view(), s) == "");
}

TEST_CASE("what a cat has so far survives the transpose of its next input") {
  // Nobody reads the cat, so only its own steps keep it alive; all other places are taken.
  constexpr auto net =
      model("x"_n = nn::placeholder({1, 2, 4, 4}), "relu"_n = nn::relu("x"_n),
            "conv"_n = nn::conv2d("x"_n, {.out_channels = 2, .kernel_size = 1}),
            "keep"_n = nn::relu("conv"_n), "dead"_n = fn::cat({"relu"_n, "conv"_n}, {.dim = 1}),
            "sum1"_n = op::add("conv"_n, "keep"_n), "sum2"_n = op::add("sum1"_n, "relu"_n),
            "out"_n = nn::output("sum2"_n));
  CHECK(float_kernels(net) ==
        "relu to_nhwc conv2d relu concat to_nchw concat to_nchw binary_add binary_add ");
}

TEST_CASE("an output that is no step's own is copied to the caller") {
  constexpr auto nothing = sequential({1, 4});
  CHECK(float_kernels(nothing) == "concat ");
  constexpr auto view = sequential({1, 3, 2, 2}, nn::flatten());
  CHECK(float_kernels(view) == "concat ");
  constexpr auto earlier = model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::relu("x"_n),
                                 "dead"_n = nn::relu("a"_n), "out"_n = nn::output("a"_n));
  CHECK(float_kernels(earlier) == "relu relu ");
}

TEST_CASE("outputs that are read, repeated or inputs are all in the caller's memory") {
  constexpr auto net =
      model("x"_n = nn::placeholder({1, 4}), "unused"_n = nn::placeholder({2, 3}),
            "y"_n = nn::placeholder({1, 4}), "a"_n = nn::relu("x"_n),
            "sum"_n = op::add("a"_n, "y"_n), "out"_n = nn::output("a"_n, "sum"_n, "a"_n, "y"_n));
  CHECK(float_kernels(net) == "relu binary_add concat concat ");
  const dynamic_schedule s = schedule(net.view());
  REQUIRE((s.input_count == 3 && s.output_count == 4));
  CHECK(s.inputs[1].shape == shape{2, 3});
  using enum place::area;
  CHECK(s.steps[0].out == place{output, 0});  // read where the caller wants it
  CHECK(s.steps[1].in[0] == place{output, 0});
  CHECK(s.steps[1].in[1] == place{input, 2});
  CHECK(s.steps[2].in[0] == place{output, 0});
  CHECK(s.steps[2].out == place{output, 2});
  CHECK(s.steps[3].in[0] == place{input, 2});
  CHECK(s.steps[3].out == place{output, 3});
}

TEST_CASE("an int8 output keeps its dtype and its qparams") {
  dynamic_graph<stage::lowered> g;
  const int x = g.add({.name = "x", .op = nn::placeholder.id(), .shape = {1, 4}}, nullptr, 0);
  const int quantized = g.add({.name = "q",
                               .op = q::quantize_per_tensor.id(),
                               .shape = {1, 4},
                               .dtype = qint8,
                               .observer = 5},
                              x);
  g.add({.name = "out", .op = nn::output.id(), .shape = {1, 4}}, quantized);
  const dynamic_schedule s = schedule(g.view());
  CHECK(s.outputs[0] == model_tensor{{1, 4}, qint8, 5});
  CHECK(walking::complaint(g.view(), s) == "");
}

TEST_CASE("the observed model shows each value when it is there") {
  const auto g = prepared(lenet.view());
  const dynamic_schedule s = schedule(g.view());
  CHECK(kernels_of(s) == "conv2d pooling_max to_nchw linear ");
  REQUIRE(s.observations.size() == 5);
  const int after[] = {-1, 0, 1, 2, 3};
  for (std::size_t i = 0; i < 5; ++i) CHECK(s.observations[i].after_step == after[i]);
  CHECK(s.observations[0].where.in == place::area::input);
  CHECK(s.observations[4].where.in == place::area::output);
  CHECK(walking::complaint(g.view(), s) == "");
}

TEST_CASE("the sizes of an average pool say whether it counts the padding") {
  for (const bool counts : {false, true}) {
    dynamic_graph<stage::traced> g;
    g.add({.name = "x", .op = nn::placeholder.id(), .shape = {1, 3, 8, 8}}, nullptr, 0);
    const avg_pool2d_options o{
        .kernel_size = 3, .stride = 1, .padding = 1, .count_include_pad = counts};
    g.add({.name = "p", .op = nn::avg_pool2d.id(), .attrs = attributes{o}, .shape = {1, 3, 8, 8}},
          0);
    g.add({.name = "out", .op = nn::output.id(), .shape = {1, 3, 8, 8}}, 1);
    const dynamic_schedule s = schedule(g.view());
    REQUIRE(s.steps.size() == 3);
    CHECK(s.steps[1].signature.as<pool_shape>().divisor ==
          (counts ? pool_shape::padded_pixels : pool_shape::input_pixels));
    CHECK(s.steps[1].signature.as<pool_shape>().kernel_w == 3);
  }
}

TEST_CASE("a value that is shown later lives until then") {
  dynamic_graph<stage::prepared> g;
  const shape s{1, 8};
  int last = g.add({.name = "x", .op = nn::placeholder.id(), .shape = s}, nullptr, 0);
  const int a = last = g.add({.name = "a", .op = nn::relu.id(), .shape = s}, last);
  for (const char* name : {"b", "c", "d"})
    last = g.add({.name = name, .op = nn::relu.id(), .shape = s}, last);
  g.add({.op = q::activation_post_process.id(), .shape = s, .observer = 0}, a);
  g.add({.name = "out", .op = nn::output.id(), .shape = s}, last);
  g.observers = 1;
  const dynamic_schedule made = schedule(g.view());
  REQUIRE(made.observations.size() == 1);
  CHECK(made.observations[0].after_step == 3);
  for (int i = 1; i < 4; ++i) CHECK(made.steps[i].out != made.steps[0].out);
}

TEST_CASE("a user's op on whole tensors reads them in the order of their axes") {
  constexpr auto net = model("x"_n = nn::placeholder({1, 3, 8, 8}),
                             "conv"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 1}),
                             "turned"_n = own::reverse("conv"_n), "out"_n = nn::output("turned"_n));
  CHECK(float_kernels(net) == "to_nhwc conv2d to_nchw function ");
}

struct mystery_op : module_op<mystery_op> {
  static constexpr std::string_view name = "my.Mystery";
};

TEST_CASE("an op without a kernel is named") {
  dynamic_graph<stage::traced> g;
  const int x = g.add({.name = "x", .op = nn::placeholder.id(), .shape = {1, 4}}, nullptr, 0);
  const int y = g.add({.name = "y", .op = mystery_op::id(), .shape = {1, 4}}, x);
  g.add({.name = "out", .op = nn::output.id(), .shape = {1, 4}}, y);
  CHECK(std::string{schedule(g.view()).problem.message()} == "no kernel for node y:\nmy.Mystery");
}

TEST_CASE("an add of two dtypes is named") {
  dynamic_graph<stage::lowered> g;
  const int x = g.add({.name = "x", .op = nn::placeholder.id(), .shape = {1, 4}}, nullptr, 0);
  const int a =
      g.add({.name = "a", .op = q::quantize_per_tensor.id(), .shape = {1, 4}, .dtype = quint8}, x);
  const int b =
      g.add({.name = "b", .op = q::quantize_per_tensor.id(), .shape = {1, 4}, .dtype = qint8}, x);
  const int both[] = {a, b};
  const int sum =
      g.add({.name = "sum", .op = q::add.id(), .shape = {1, 4}, .dtype = quint8}, both, 2);
  g.add({.name = "out", .op = nn::output.id(), .shape = {1, 4}}, sum);
  CHECK(std::string{schedule(g.view()).problem.message()} ==
        "no kernel for node sum:\nbinary_add of quint8 and qint8");
}

TEST_CASE("a product reads both of its tensors, and has its relu in its key") {
  dynamic_graph<stage::lowered> g;
  const int x = g.add({.name = "x", .op = nn::placeholder.id(), .shape = {1, 4}}, nullptr, 0);
  const int both[] = {x, x};
  const int y = g.add({.name = "y", .op = op::mul.id(), .shape = {1, 4}}, both, 2);
  const int z = g.add({.name = "z", .op = q::mul_relu.id(), .shape = {1, 4}}, both, 2);
  const int last[] = {y, z};
  const int sum = g.add({.name = "sum", .op = op::add.id(), .shape = {1, 4}}, last, 2);
  g.add({.name = "out", .op = nn::output.id(), .shape = {1, 4}}, sum);
  const dynamic_schedule s = schedule(g.view());
  REQUIRE(s.steps.size() == 3);
  CHECK(s.steps[0].signature == signature_of(kernel::binary_mul, f32, f32, elementwise_shape{4}));
  CHECK(s.steps[1].signature ==
        signature_of(kernel::binary_mul, f32, f32, elementwise_shape{4}, true));
  CHECK(s.steps[2].in[0] == s.steps[0].out);
  CHECK(s.steps[2].in[1] == s.steps[1].out);
}

TEST_CASE("a dtype without a kernel is named") {
  dynamic_graph<stage::reference> g;
  const int x = g.add({.name = "x", .op = nn::placeholder.id(), .shape = {1, 4}}, nullptr, 0);
  const int a = g.add({.name = "quantize_per_tensor",
                       .number = 2,
                       .op = q::quantize_per_tensor.id(),
                       .shape = {1, 4},
                       .dtype = f16},
                      x);
  g.add({.name = "out", .op = nn::output.id(), .shape = {1, 4}}, a);
  CHECK(std::string{schedule(g.view()).problem.message()} ==
        "no kernel for node quantize_per_tensor_2:\nquantize, float32 to float16\n"
        "there are: float32 to quint8, float32 to qint8");
}

}  // namespace
