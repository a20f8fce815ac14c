// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/prepare.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/backends/native.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/fuse.hpp"
#include "graphs.hpp"
#include "to_static.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

using weights = per_channel_min_max_observer<>;
using usual = qconfig<histogram_observer<>, weights>;
using narrow = qconfig<histogram_observer<{.reduce_range = true}>, weights>;
using signed_8 = qconfig<histogram_observer<{.dtype = qint8}>, weights>;
using everywhere = qconfig_mapping<global<usual>>;

template <class Backend, class Mapping>
constexpr dynamic_graph<stage::prepared> prepared(graph_view<stage::traced> g,
                                                  unsupported policy = unsupported::error) {
  return prepare_graph(fuse(g, backend_v<Backend>).view(), backend_v<Backend>, mapping_v<Mapping>,
                       policy);
}

template <class Backend, class Mapping, class Model>
std::string print(const Model& m, unsupported policy = unsupported::error) {
  return graphs::print(prepared<Backend, Mapping>(m.view(), policy).view());
}

template <class Backend, class Mapping, class Model>
constexpr diagnostic problem(const Model& m, unsupported policy = unsupported::error) {
  return prepared<Backend, Mapping>(m.view(), policy).problem;
}

// ---- placement

constexpr auto mlp =
    model("x"_n = nn::placeholder({1, 4}), "fc1"_n = nn::linear("x"_n, {.out_features = 4}),
          "act"_n = nn::relu("fc1"_n), "fc2"_n = nn::linear("act"_n, {.out_features = 2}),
          "out"_n = nn::output("fc2"_n));

static_assert(prepared<x86, everywhere>(mlp.view()).observers == 3);
static_assert(!problem<x86, everywhere>(mlp).any());

TEST_CASE("a value has an observer before the first op that requests it and after each op") {
  CHECK(print<x86, everywhere>(mlp) ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "fc1 = torch.ao.nn.intrinsic.LinearReLU(activation_post_process_0)\n"
        "activation_post_process_1 = activation_post_process(fc1) #1\n"
        "fc2 = torch.nn.Linear(activation_post_process_1)\n"
        "activation_post_process_2 = activation_post_process(fc2) #2\n"
        "out = output(activation_post_process_2)\n");
}

TEST_CASE("without a qconfig nothing is observed and nothing is wrong") {
  using none = qconfig_mapping<>;
  CHECK(print<x86, none>(mlp) == graphs::print(fuse(mlp.view(), backend_v<x86>).view()));
  CHECK(!problem<x86, none>(mlp).any());
  CHECK(prepared<x86, none>(mlp.view()).view()[1].choice.why.why == rejection::clause::no_qconfig);
}

TEST_CASE("a module left in float reads the observed value and gives an unobserved one") {
  using mapping = qconfig_mapping<global<usual>, allow_float<"fc1">>;
  CHECK(!problem<x86, mapping>(mlp).any());
  CHECK(print<x86, mapping>(mlp) ==
        "x = placeholder()\n"
        "fc1 = torch.ao.nn.intrinsic.LinearReLU(x)\n"
        "activation_post_process_0 = activation_post_process(fc1) #0\n"
        "fc2 = torch.nn.Linear(activation_post_process_0)\n"
        "activation_post_process_1 = activation_post_process(fc2) #1\n"
        "out = output(activation_post_process_1)\n");
  CHECK(print<x86, qconfig_mapping<global<usual>, allow_float<"fc2">>>(mlp) ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "fc1 = torch.ao.nn.intrinsic.LinearReLU(activation_post_process_0)\n"
        "activation_post_process_1 = activation_post_process(fc1) #1\n"
        "fc2 = torch.nn.Linear(activation_post_process_1)\n"
        "out = output(fc2)\n");
}

// ---- add and relu: one occurrence, nothing between

constexpr auto residual = model(
    "x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
    "add"_n = op::add("fc"_n, "x"_n), "relu"_n = nn::relu("add"_n), "out"_n = nn::output("relu"_n));

TEST_CASE("add and relu are observed as one") {
  CHECK(print<x86, everywhere>(residual) ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "fc = torch.nn.Linear(activation_post_process_0)\n"
        "activation_post_process_1 = activation_post_process(fc) #1\n"
        "add = _operator.add(activation_post_process_1, activation_post_process_0)\n"
        "relu = torch.nn.ReLU(add)\n"
        "activation_post_process_2 = activation_post_process(relu) #2\n"
        "out = output(activation_post_process_2)\n");
}

TEST_CASE("readers that want the same observer share it, others get one each") {
  // add wants another range of x than fc does; of fc's output it takes what is there.
  using mapping =
      qconfig_mapping<global<usual>, object_type<op::add, narrow>, object_type<nn::relu, narrow>>;
  CHECK(print<x86, mapping>(residual) ==
        "x = placeholder()\n"
        "activation_post_process_2 = activation_post_process(x) #0\n"
        "activation_post_process_0 = activation_post_process(x) #1\n"
        "fc = torch.nn.Linear(activation_post_process_0)\n"
        "activation_post_process_1 = activation_post_process(fc) #2\n"
        "add = _operator.add(activation_post_process_1, activation_post_process_2)\n"
        "relu = torch.nn.ReLU(add)\n"
        "activation_post_process_3 = activation_post_process(relu) #3\n"
        "out = output(activation_post_process_3)\n");
  // An equal qconfig from another entry is the same wish.
  using equal =
      qconfig_mapping<global<usual>, object_type<op::add, usual>, object_type<nn::relu, usual>>;
  CHECK(print<x86, equal>(residual) == print<x86, everywhere>(residual));
}

TEST_CASE("an op that is left in float leaves the rest of its pattern in float, with that reason") {
  using mapping = qconfig_mapping<global<usual>, allow_float<"relu">>;
  const diagnostic d = problem<x86, mapping>(residual);
  CHECK(std::string{d.message()} ==
        "the QConfig cannot be honoured:\n"
        "backend: x86\n"
        "node: add\n"
        "pattern: (_operator.add, torch.nn.ReLU)\n"
        "another node of the pattern\n"
        "has no qconfig that fits\n"
        "to keep it in float:\nallow_float<add>");
  const auto g = prepared<x86, mapping>(residual.view(), unsupported::skip);
  for (int i = 0; i < g.view().size(); ++i)
    if (g.view()[i].name == "add" || g.view()[i].name == "relu")
      CHECK(!g.view()[i].choice.quantized());
}

// ---- sharing

constexpr auto views = model(
    "x"_n = nn::placeholder({1, 2, 4, 4}), "pool"_n = nn::max_pool2d("x"_n, {.kernel_size = 2}),
    "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 2}), "out"_n = nn::output("fc"_n));

TEST_CASE("ops in a chain that keep the range share the observer of their input") {
  CHECK(print<x86, everywhere>(views) ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "pool = torch.nn.MaxPool2d(activation_post_process_0)\n"
        "activation_post_process_1 = activation_post_process(pool) #0\n"
        "flat = torch.flatten(activation_post_process_1)\n"
        "activation_post_process_2 = activation_post_process(flat) #0\n"
        "fc = torch.nn.Linear(activation_post_process_2)\n"
        "activation_post_process_3 = activation_post_process(fc) #1\n"
        "out = output(activation_post_process_3)\n");
}

constexpr auto cat =
    model("x"_n = nn::placeholder({1, 2, 4, 4}),
          "a"_n = nn::conv2d("x"_n, {.out_channels = 2, .kernel_size = 1}),
          "b"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 1}),
          "pool"_n = nn::max_pool2d("b"_n, {.kernel_size = 1}),
          "cat"_n = fn::cat({"a"_n, "pool"_n, "x"_n}, {.dim = 1}), "out"_n = nn::output("cat"_n));

TEST_CASE("all inputs and the output of a cat have the observer of the first input") {
  CHECK(print<x86, everywhere>(cat) ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "a = torch.nn.Conv2d(activation_post_process_0)\n"
        "activation_post_process_1 = activation_post_process(a) #0\n"
        "b = torch.nn.Conv2d(activation_post_process_0)\n"
        // pool shared b's; then cat took the pool's along and left b's behind, as in PyTorch
        "activation_post_process_2 = activation_post_process(b) #1\n"
        "pool = torch.nn.MaxPool2d(activation_post_process_2)\n"
        "activation_post_process_3 = activation_post_process(pool) #0\n"
        "cat = torch.cat(activation_post_process_1, activation_post_process_3, "
        "activation_post_process_0)\n"
        "activation_post_process_4 = activation_post_process(cat) #0\n"
        "out = output(activation_post_process_4)\n");
}

struct add_shares
    : x86::set<"add_shares",
               backend_pattern_config<pattern<op::add, nn::relu>, dtype_configs<weighted_int8>,
                                      share_observer_with_input>> {};

TEST_CASE("of other ops than cat only the first input is linked") {
  CHECK(print<add_shares, everywhere>(residual) ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "fc = torch.nn.Linear(activation_post_process_0)\n"
        "activation_post_process_1 = activation_post_process(fc) #1\n"
        "add = _operator.add(activation_post_process_1, activation_post_process_0)\n"
        "relu = torch.nn.ReLU(add)\n"
        "activation_post_process_2 = activation_post_process(relu) #1\n"
        "out = output(activation_post_process_2)\n");
}

struct tree_shares
    : backend_config<"tree_shares",
                     backend_pattern_config<pattern<op::add>, dtype_configs<activation_int8>,
                                            share_observer_with_input>> {};

TEST_CASE("an add that shares has the qparams of its first input") {
  using only_add = qconfig_mapping<object_type<op::add, usual>>;
  CHECK(print<tree_shares, only_add>(residual) ==
        "x = placeholder()\n"
        "activation_post_process_1 = activation_post_process(x) #0\n"
        "fc = torch.nn.Linear(x)\n"
        "activation_post_process_0 = activation_post_process(fc) #1\n"
        "add = _operator.add(activation_post_process_0, activation_post_process_1)\n"
        "activation_post_process_2 = activation_post_process(add) #1\n"
        "relu = torch.nn.ReLU(activation_post_process_2)\n"
        "out = output(relu)\n");
}

constexpr auto float_between = model(
    "x"_n = nn::placeholder({1, 2, 4, 4}),
    "a"_n = nn::conv2d("x"_n, {.out_channels = 2, .kernel_size = 1}), "bn"_n = nn::relu("a"_n),
    "pool"_n = nn::max_pool2d("bn"_n, {.kernel_size = 1}), "out"_n = nn::output("pool"_n));

TEST_CASE("an op after a float op gets an observer of its own to share") {
  // Only the pool: what it reads has to be quantized first.
  using mapping = qconfig_mapping<object_type<nn::max_pool2d, usual>>;
  CHECK(print<x86, mapping>(float_between) ==
        "x = placeholder()\n"
        "a = torch.ao.nn.intrinsic.ConvReLU2d(x)\n"
        "activation_post_process_0 = activation_post_process(a) #0\n"
        "pool = torch.nn.MaxPool2d(activation_post_process_0)\n"
        "activation_post_process_1 = activation_post_process(pool) #0\n"
        "out = output(activation_post_process_1)\n");
}

// ---- dtypes

using both_dtypes = dtype_configs<dtype_config<input_dtype<dtype_with_constraints<quint8>>,
                                               output_dtype<dtype_with_constraints<quint8>>>,
                                  dtype_config<input_dtype<dtype_with_constraints<qint8>>,
                                               output_dtype<dtype_with_constraints<qint8>>>>;
struct two_dtypes
    : backend_config<
          "two_dtypes", backend_pattern_config<pattern<nn::linear>, both_dtypes>,
          backend_pattern_config<pattern<nn::relu>, both_dtypes, share_observer_with_input>> {};

TEST_CASE("a reader that requests another dtype gets an observer after the first") {
  using mapping = qconfig_mapping<global<usual>, module_name<"fc2", signed_8>>;
  const auto g = prepared<two_dtypes, mapping>(mlp.view());
  CHECK(!g.problem.any());
  CHECK(graphs::print(g.view()) ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "fc1 = torch.nn.Linear(activation_post_process_0)\n"
        "activation_post_process_1 = activation_post_process(fc1) #1\n"
        "act = torch.nn.ReLU(activation_post_process_1)\n"
        "activation_post_process_2 = activation_post_process(act) #1\n"
        "activation_post_process_3 = activation_post_process(activation_post_process_2) #2\n"
        "fc2 = torch.nn.Linear(activation_post_process_3)\n"
        "activation_post_process_4 = activation_post_process(fc2) #3\n"
        "out = output(activation_post_process_4)\n");
  // The first dtype config that fits is taken.
  CHECK(g.view()[find(g.view(), "fc1")].choice.dtype_config == 0);
  CHECK(g.view()[find(g.view(), "fc2")].choice.dtype_config == 1);
}

// ---- dynamic ops

using as_it_comes =
    dtype_configs<dtype_config<input_dtype<dtype_with_constraints<quint8>>,
                               output_dtype<dtype_with_constraints<f32>>, is_dynamic>>;
struct dynamic_sums
    : backend_config<"dynamic_sums", backend_pattern_config<pattern<op::add>, as_it_comes>> {};

TEST_CASE("of a dynamic op only the first argument is observed, and never the output") {
  using dynamic = qconfig<placeholder_observer<{.dtype = quint8, .is_dynamic = true}>, weights>;
  constexpr auto sum = model("x"_n = nn::placeholder({1, 4}), "y"_n = nn::placeholder({1, 4}),
                             "sum"_n = op::add("x"_n, "y"_n), "out"_n = nn::output("sum"_n));
  CHECK(print<dynamic_sums, qconfig_mapping<global<dynamic>>>(sum) ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "y = placeholder()\n"
        "sum = _operator.add(activation_post_process_0, y)\n"
        "out = output(sum)\n");
}

// ---- what the backend cannot honour

template <class Input, class... More>
struct npu
    : backend_config<"npu",
                     backend_pattern_config<
                         pattern<nn::linear>,
                         dtype_configs<dtype_config<input_dtype<Input>,
                                                    weight_dtype<dtype_with_constraints<
                                                        qint8, quant_min<-127>, quant_max<127>>>>,
                                       More...>>> {};
template <class... C>
using u8 = dtype_with_constraints<quint8, C...>;
template <class... C>
using s8 = dtype_with_constraints<qint8, C...>;

constexpr auto one = sequential({1, 4}, nn::linear({.out_features = 2}));

constexpr bool says(const diagnostic& d, std::string_view head, std::string_view tail) {
  constexpr std::string_view first = "the QConfig cannot be honoured:\nbackend: npu\nnode: 0\n";
  const std::string_view m = d.message();
  return m.starts_with(first) && m.substr(first.size()).starts_with(head) && m.ends_with(tail);
}

// The weights of modules are checked too, with or without a root_module: PyTorch does not.
static_assert(says(
    problem<npu<u8<>>, everywhere>(one), "pattern: torch.nn.Linear\ndtype_config: #0 of 1\n",
    "weight.quant_min: -128\nthe backend allows: >= -127\nto keep it in float:\nallow_float<0>"));
using weight_fits = qconfig<histogram_observer<>,
                            per_channel_min_max_observer<{.quant_min = -127, .quant_max = 127}>>;
using fits = qconfig_mapping<global<weight_fits>>;
static_assert(!problem<npu<u8<>>, fits>(one).any());
static_assert(
    says(problem<npu<s8<>>, fits>(one), "",
         "input.dtype: quint8\nthe backend allows: qint8\nto keep it in float:\nallow_float<0>"));
static_assert(
    says(problem<npu<u8<quant_min<0>, quant_max<127>>>, fits>(one), "",
         "input.quant_max: 255\nthe backend allows: <= 127\nto keep it in float:\nallow_float<0>"));
static_assert(says(problem<npu<u8<scale_min<0x1p-12>>>, fits>(one), "",
                   "input.eps: 1.19209e-07\nthe backend allows scale_min: 0.000244141\n"
                   "to keep it in float:\nallow_float<0>"));
// The dtype config that came closest is named.
static_assert(
    says(problem<npu<s8<>, dtype_config<input_dtype<u8<quant_min<0>, quant_max<15>>>>>, fits>(one),
         "pattern: torch.nn.Linear\ndtype_config: #1 of 2\n",
         "input.quant_max: 255\nthe backend allows: <= 15\nto keep it in float:\nallow_float<0>"));
// A later one may fit.
static_assert(!problem<npu<s8<>, dtype_config<input_dtype<u8<>>>>, fits>(one).any());

struct knows_nothing : backend_config<"npu"> {};
static_assert(says(
    problem<knows_nothing, fits>(one), "no pattern",
    "no pattern with a dtype config for\ntorch.nn.Linear\nto keep it in float:\nallow_float<0>"));
struct no_dtypes : backend_config<"npu", backend_pattern_config<pattern<nn::linear>>> {};
static_assert(says(
    problem<no_dtypes, fits>(one), "pattern: torch.nn.Linear\nno pattern",
    "no pattern with a dtype config for\ntorch.nn.Linear\nto keep it in float:\nallow_float<0>"));

// skip leaves it in float; so does the user who means it.
static_assert(!problem<npu<s8<>>, fits>(one, unsupported::skip).any());
static_assert(prepared<npu<s8<>>, fits>(one.view(), unsupported::skip).observers == 0);
static_assert(
    !problem<npu<s8<>>, qconfig_mapping<global<weight_fits>, allow_float<"0">>>(one).any());

// What is quantized as it comes has an observer in front, which collects nothing, and none behind.
struct dynamic
    : backend_config<"dynamic", backend_pattern_config<
                                    pattern<nn::linear>,
                                    dtype_configs<dtype_config<input_dtype<u8<>>, is_dynamic>>>> {};
using dynamically = qconfig_mapping<
    global<qconfig<placeholder_observer<{.dtype = quint8, .is_dynamic = true}>, weights>>>;
static_assert(!problem<dynamic, dynamically>(one).any());
static_assert(prepared<dynamic, dynamically>(one.view()).observers == 1);

// ---- PyTorch has one observer for inputs and outputs (pytorch#75006); ctq's may differ

struct to_float
    : backend_config<"to_float",
                     backend_pattern_config<
                         pattern<nn::linear>,
                         dtype_configs<dtype_config<input_dtype<u8<>>,
                                                    output_dtype<dtype_with_constraints<f32>>>>>> {
};
using integers_in_floats_out =
    qconfig_mapping<global<qconfig<histogram_observer<>, weights, placeholder_observer<>>>>;
static_assert(!problem<to_float, integers_in_floats_out>(one).any());
static_assert(prepared<to_float, integers_in_floats_out>(one.view()).observers == 1);
static_assert(problem<to_float, everywhere>(one).any());

// ---- a producer that is rejected does not take the observer of its reader away (PyTorch 1.13 did)

struct only_linear
    : backend_config<"only_linear", backend_pattern_config<pattern<nn::linear>, both_dtypes>> {};

TEST_CASE("a rejected producer does not suppress the observer of its reader") {
  CHECK(print<only_linear, everywhere>(views, unsupported::skip) ==
        "x = placeholder()\n"
        "pool = torch.nn.MaxPool2d(x)\n"
        "flat = torch.flatten(pool)\n"
        "activation_post_process_0 = activation_post_process(flat) #0\n"
        "fc = torch.nn.Linear(activation_post_process_0)\n"
        "activation_post_process_1 = activation_post_process(fc) #1\n"
        "out = output(activation_post_process_1)\n");
  CHECK(problem<only_linear, everywhere>(views).message().starts_with(
      "the QConfig cannot be honoured:\nbackend: only_linear\nnode: pool\n"));
}

// ---- ops that are not observed

struct unobserved
    : backend_config<
          "unobserved", backend_pattern_config<pattern<nn::linear>, both_dtypes>,
          backend_pattern_config<pattern<nn::relu>, both_dtypes,
                                 observation<observation_type::input_output_not_observed>>> {};

TEST_CASE("an op that is not observed has no observer on either side") {
  CHECK(print<unobserved, everywhere>(mlp) ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "fc1 = torch.nn.Linear(activation_post_process_0)\n"
        "activation_post_process_1 = activation_post_process(fc1) #1\n"
        "act = torch.nn.ReLU(activation_post_process_1)\n"
        "activation_post_process_2 = activation_post_process(act) #2\n"
        "fc2 = torch.nn.Linear(activation_post_process_2)\n"
        "activation_post_process_3 = activation_post_process(fc2) #3\n"
        "out = output(activation_post_process_3)\n");
}

TEST_CASE("a cat of inputs that are quantized already has no observer to share, so it gets none") {
  static constexpr auto of_input =
      model("x"_n = nn::placeholder({1, 2, 4, 4}), "cat"_n = fn::cat({"x"_n, "x"_n}, {.dim = 1}),
            "pool"_n = nn::max_pool2d("x"_n, {.kernel_size = 2}),
            "out"_n = nn::output("cat"_n, "pool"_n));
  constexpr int first[] = {0};
  const auto prepared =
      prepare_graph(fuse(of_input.view(), backend_v<x86>).view(), backend_v<x86>,
                    mapping_v<everywhere>, {.custom = {.input_quantized_indexes = {first, 1}}});
  CHECK(graphs::print(prepared.view()) ==
        "x = placeholder()\n"
        "cat = torch.cat(x, x)\n"
        "pool = torch.nn.MaxPool2d(x)\n"
        "activation_post_process_1 = activation_post_process(pool) #0\n"
        "out = output(cat, activation_post_process_1)\n");
}

TEST_CASE("an output that shall be quantized and has no qconfig is an error in 1.13") {
  using none = qconfig_mapping<global<usual>, allow_float<"fc2">>;
  constexpr int first[] = {0};
  const auto problem_of = [&](semantics s) {
    const prepare_options options{.semantics = s,
                                  .custom = {.output_quantized_indexes = {first, 1}}};
    return prepare_graph(fuse(mlp.view(), backend_v<x86>).view(), backend_v<x86>, mapping_v<none>,
                         options)
        .problem;
  };
  CHECK(problem_of(semantics::torch_1_13).message() ==
        "node fc2:\nno qconfig for a quantized output");
  CHECK(!problem_of(semantics::torch_2_1).any());
}

TEST_CASE("an output that is quantized is observed once, whether it stays so or not") {
  constexpr int first[] = {0};
  const auto g = fuse(cat.view(), backend_v<x86>);
  const auto with = [&](const view<int>& outputs) {
    return graphs::print(prepare_graph(g.view(), backend_v<x86>, mapping_v<everywhere>,
                                       {.custom = {.output_quantized_indexes = outputs}})
                             .view());
  };
  CHECK(with({first, 1}) == with({}));
}

TEST_CASE("outputs in float that are one value have an observer each if they are quantized") {
  static constexpr auto twice =
      model("x"_n = nn::placeholder({1, 4}), "sum"_n = op::add("x"_n, "x"_n),
            "out"_n = nn::output("sum"_n, "sum"_n));
  struct dynamic
      : qconfig_mapping<global<qconfig<placeholder_observer<{.dtype = quint8, .is_dynamic = true}>,
                                       min_max_observer<{.dtype = qint8}>>>> {};
  constexpr int both[] = {0, 1};
  const auto g = fuse(twice.view(), backend_v<x86>);
  const auto prepared = prepare_graph(
      g.view(), backend_v<x86>, mapping_v<dynamic>,
      {.policy = unsupported::skip, .custom = {.output_quantized_indexes = {both, 2}}});
  CHECK(graphs::print(prepared.view()) ==
        "x = placeholder()\n"
        "sum = _operator.add(x, x)\n"
        "activation_post_process_1 = activation_post_process(sum) #0\n"
        "activation_post_process_0 = activation_post_process(sum) #1\n"
        "out = output(activation_post_process_0, activation_post_process_1)\n");
}

// ---- PyTorch 1.13 refuses

TEST_CASE(
    "under 1.13 quantized outputs are all of them, and the parts of a module have one qconfig") {
  constexpr int second[] = {1};
  const auto g = fuse(cat.view(), backend_v<x86>);
  const auto refused = [&](const mapping_view& mapping, const view<int>& outputs) {
    return std::string(
        prepare_graph(g.view(), backend_v<x86>, mapping,
                      prepare_options{.semantics = semantics::torch_1_13,
                                      .policy = unsupported::skip,
                                      .custom = {.output_quantized_indexes = outputs}})
            .problem.message());
  };
  CHECK(refused(mapping_v<everywhere>, {}).empty());
  CHECK(refused(mapping_v<everywhere>, {second, 1}) ==
        "output_quantized_indexes can only be [0],\nwhich means all outputs");
  dynamic_graph<stage::fused> fused;
  fused.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  fused.add({.name = "conv", .op = nni::conv_relu2d.id()}, 0);
  struct only_conv
      : qconfig_mapping<object_type<nn::conv2d, qconfig<min_max_observer<>, min_max_observer<>>>> {
  };
  CHECK(check_fused_types(fused.view(), mapping_v<only_conv>).message() ==
        "node conv:\nthe types inside of torch.ao.nn.intrinsic.ConvReLU2d\n"
        "have different qconfigs: torch.nn.ReLU");
}

// ---- which observer

constexpr const node& after(const dynamic_graph<stage::prepared>& g, std::string_view name) {
  return g.view()[find(g.view(), name) + 1];
}

struct overwritten
    : backend_config<
          "overwritten",
          backend_pattern_config<
              pattern<nn::relu>, both_dtypes, overwrite_output_observer<min_max_observer<>>,
              overwrite_output_fake_quantize<fake_quantize<min_max_observer<>>>>> {};
constexpr auto relu_alone = sequential({1, 4}, nn::relu());

TEST_CASE(
    "a backend may say which observer an output has, or which fake quantize, if it is quint8") {
  const auto fused = fuse(relu_alone.view(), backend_v<overwritten>);
  const auto output_of = [&](const mapping_view& m, bool is_qat) {
    const auto g = prepare_graph(fused.view(), backend_v<overwritten>, m, {.is_qat = is_qat});
    return *after(g, "0").observer_config;
  };
  CHECK(output_of(mapping_v<everywhere>, false) == min_max_observer<>::value);
  CHECK(output_of(mapping_v<everywhere>, true) == fake_quantize<min_max_observer<>>::value);
  CHECK(output_of(mapping_v<qconfig_mapping<global<signed_8>>>, false) ==
        histogram_observer<{.dtype = qint8}>::value);
}

TEST_CASE("the weight of a function has the weight's observer") {
  dynamic_graph<stage::fused> f;
  const int args[] = {0, 1};
  f.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  f.add({.name = "w", .op = nn::get_attr.id()}, nullptr, 0);
  f.add({.name = "y", .op = fn::linear.id()}, args, 2);
  f.add({.name = "out", .op = nn::output.id()}, 2);
  const auto g = prepare_graph(f.view(), backend_v<x86>, mapping_v<everywhere>);
  REQUIRE(!g.problem.any());
  CHECK(*after(g, "x").observer_config == histogram_observer<>::value);
  CHECK(*after(g, "w").observer_config == weights::value);
  CHECK(*after(g, "y").observer_config == histogram_observer<>::value);
}

TEST_CASE("the weight of a norm function is observed in 1.13 alone") {
  const argument args[] = {{.is = argument::kind::node},
                           {.is = argument::kind::list, .integer = 1},
                           {.is = argument::kind::integer, .integer = 4},
                           {.is = argument::kind::node}};
  const fx_row row{.target = {}, .scope = {}, .args = {args, 4}};
  dynamic_graph<stage::fused> f;
  const int reads[] = {0, 1};
  f.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  f.add({.name = "w", .op = nn::get_attr.id()}, nullptr, 0);
  f.add({.name = "y", .op = fn::layer_norm.id(), .row = &row}, reads, 2);
  f.add({.name = "out", .op = nn::output.id()}, 2);
  using float_weight =
      qconfig_mapping<global<qconfig<histogram_observer<>, placeholder_observer<>>>>;
  const auto observers = [&f](semantics s) {
    return prepare_graph(f.view(), backend_v<native>, mapping_v<float_weight>, {.semantics = s})
        .observers;
  };
  CHECK(observers(semantics::torch_1_13) == 3);
  CHECK(observers(semantics::torch_2_1) == 2);
}

TEST_CASE("the first reported node is rejected itself, not for the rest of its pattern") {
  using mapping = qconfig_mapping<global<usual>, object_type<nn::relu, signed_8>>;
  const diagnostic found = problem<x86, mapping>(residual);
  CHECK(found.message().find("node: relu\n") != std::string_view::npos);
}

// ---- the same at run time

TEST_CASE("observers placed at run time are where the compiler placed them") {
  constexpr auto compiled = to_static<24, 24>(prepared<x86, everywhere>(cat.view()));
  const auto again = prepared<x86, everywhere>(cat.view());
  graphs::check_equal(again.view(), compiled.view());
}

}  // namespace
