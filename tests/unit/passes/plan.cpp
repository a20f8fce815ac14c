// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/plan.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/backends/x86.hpp"
#include "graphs.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 2, 8, 8}),
          "conv1"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 3}),
          "relu1"_n = nn::relu("conv1"_n), "pool"_n = nn::adaptive_avg_pool2d("relu1"_n),
          "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
          "fc"_n = nn::linear("flat"_n, {.out_features = 10}), "out"_n = nn::output("fc"_n));

using usual = qconfig<histogram_observer<>, per_channel_min_max_observer<>>;
struct everywhere : qconfig_mapping<global<usual>> {};
struct but_fc : everywhere::set<allow_float<"fc">> {};

using whole = plan<net, x86, everywhere>;
static_assert(whole::traced.count == 7);
static_assert(whole::prepared.observers == 3);
static_assert(!whole::prepared.problem.any());
static_assert(whole::int8_schedule.count == 6);
static_assert(whole::int8_schedule.outputs[0].shape == shape{1, 10});
static_assert(whole::observed_schedule.observation_count == 5);
static_assert(whole::backend.name == "x86" && whole::mapping.count == 1);
static_assert(!plan_check<net, x86, everywhere, unsupported::error>::bad());

static_assert(fused_schedule_v<net, x86>.count == 4);

using partly = plan<net, x86, but_fc>;
static_assert(partly::lowered.nodes[find(partly::lowered.view(), "fc")].dtype == f32);

// There is room for all that a pass may add: here each argument is requantized.
struct cat_alone
    : x86::set<"cat_alone",
               backend_pattern_config<pattern<fn::cat>, dtype_configs<activation_int8>>> {};
inline constexpr auto many =
    model("x"_n = nn::placeholder({1, 3, 2, 2}),
          "cat"_n = fn::cat({"x"_n, "x"_n, "x"_n, "x"_n, "x"_n, "x"_n, "x"_n, "x"_n, "x"_n, "x"_n},
                            {.dim = 1}),
          "out"_n = nn::output("cat"_n));
static_assert(plan<many, cat_alone, everywhere>::lowered.count == 15);
static_assert(plan<many, cat_alone, everywhere>::int8_schedule.count == 22);

// A mistake is found by the first check that can see it.
inline constexpr auto typo = model("x"_n = nn::placeholder({1, 4}), "out"_n = nn::output("y"_n));
static_assert(plan_check<typo, x86, everywhere, unsupported::error>::found.message() ==
              "node out:\nno earlier node is named\ny");

template <class Backend, class Mapping>
constexpr std::string_view message() {
  return plan_check<net, Backend, Mapping, unsupported::error>::found.message();
}

struct bad_backend
    : x86::set<"bad",
               backend_pattern_config<pattern<nn::relu>,
                                      dtype_configs<dtype_config<input_dtype<
                                          dtype_with_constraints<quint8, quant_max<256>>>>>>> {};
struct bad_regex : everywhere::set<module_name_regex<"(", usual>> {};
struct bad_dtype
    : qconfig_mapping<
          global<qconfig<histogram_observer<{.dtype = qint8}>, per_channel_min_max_observer<>>>> {};
static_assert(message<bad_backend, everywhere>().starts_with("backend: bad\n"));
static_assert(message<bad_backend, bad_regex>().starts_with("backend: bad\n"));
static_assert(message<x86, bad_regex>().starts_with("QConfigMapping entry: #1"));
static_assert(message<x86, bad_dtype>().starts_with("the QConfig cannot be honoured:\n"));

// A pattern of the backend is no kernel: without one, the node would run in float unnoticed.
struct op_total : function_op<op_total> {
  static constexpr std::string_view name = "my.total";
  static void apply(tensor_ref<const float> x, tensor_ref<float> y) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i];
  }
};
inline constexpr op_total total{};
struct with_total
    : x86::set<"with_total",
               backend_pattern_config<pattern<total>, dtype_configs<activation_int8>>> {};
inline constexpr auto totals =
    model("x"_n = nn::placeholder({1, 3}), "all"_n = total("x"_n), "out"_n = nn::output("all"_n));
static_assert(
    plan_check<totals, with_total, everywhere, unsupported::error>::found.message() ==
    "the QConfig cannot be honoured:\nbackend: with_total\nnode: all\n"
    "pattern: my.total\nno integer kernel for\n"
    "my.total\nquint8 to quint8\noutput shape: 1x3\n"
    "integer kernels:\n"
    "requantize, relu, binary_add, binary_mul, binary_sub, binary_div, conv2d, conv3d, "
    "conv_transpose2d, conv_transpose3d, linear, batch_norm2d, pooling_max, pooling_avg, "
    "resampling, pixel_shuffle, pad, concat, reduction, softmax, layer_norm, prelu, matmul, "
    "elementwise, function\n"
    "define static void run(...) in the op\nto keep it in float:\nallow_float<all>");
static_assert(!plan_check<totals, with_total, everywhere, unsupported::skip>::bad());
struct but_all : everywhere::set<allow_float<"all">> {};
static_assert(!plan_check<totals, with_total, but_all, unsupported::error>::bad());

// An op of ctq that only a float kernel computes is that kernel between dequantize and quantize.
inline constexpr auto norm =
    model("x"_n = nn::placeholder({1, 3, 4, 4}), "bn"_n = nn::batch_norm2d("x"_n),
          "relu"_n = nn::relu("bn"_n), "out"_n = nn::output("relu"_n));
static_assert(!plan_check<norm, x86, everywhere, unsupported::error>::bad());

// What cannot be honoured may be skipped.
static_assert(!plan_check<net, x86, bad_dtype, unsupported::skip>::bad());
static_assert(plan<net, x86, bad_dtype, unsupported::skip>::prepared.observers == 0);

// A plan that is given where one is needed.
struct derived : whole {};
static_assert(compiled_plan<whole> && compiled_plan<derived>);
static_assert(!compiled_plan<x86> && !compiled_plan<graph_plan<net, x86, everywhere>>);
static_assert(plan_argument_check<x86>::bad() && !plan_argument_check<whole>::bad());

TEST_CASE("each stage of a plan can be looked at while the program runs") {
  CHECK(graphs::print(whole::lowered.view()) ==
        "x = placeholder()\n"
        "quantize_per_tensor_0 = torch.quantize_per_tensor(x) #0\n"
        "conv1 = torch.ao.nn.intrinsic.quantized.ConvReLU2d(quantize_per_tensor_0) #1\n"
        "pool = torch.nn.AdaptiveAvgPool2d(conv1) #1\n"
        "flat = torch.flatten(pool) #1\n"
        "fc = torch.ao.nn.quantized.Linear(flat) #2\n"
        "dequantize_4 = dequantize(fc) #2\n"
        "out = output(dequantize_4)\n");
}

}  // namespace
