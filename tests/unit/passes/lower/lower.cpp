// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/lower/lower.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../graphs.hpp"
#include "../to_static.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/prepare.hpp"
#include "user_ops.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

using weights = per_channel_min_max_observer<>;
using usual = qconfig<histogram_observer<>, weights>;
using narrow = qconfig<histogram_observer<{.reduce_range = true}>, weights>;
using everywhere = qconfig_mapping<global<usual>>;

template <class Backend, class Mapping>
constexpr dynamic_graph<stage::lowered> lowered(graph_view<stage::traced> g,
                                                unsupported policy = unsupported::error) {
  const auto fused = fuse(g, backend_v<Backend>);
  const auto prepared = prepare_graph(fused.view(), backend_v<Backend>, mapping_v<Mapping>, policy);
  return lower(convert_graph(prepared.view(), backend_v<Backend>, mapping_v<Mapping>).view());
}

template <class Backend, class Mapping, class Model>
std::string print(const Model& m, unsupported policy = unsupported::error) {
  return graphs::print(lowered<Backend, Mapping>(m.view(), policy).view());
}

constexpr const char* door_in =
    "x = placeholder()\nquantize_per_tensor_0 = torch.quantize_per_tensor(x) #0\n";

constexpr auto net = model(
    "x"_n = nn::placeholder({1, 2, 8, 8}),
    "conv1"_n = nn::conv2d("x"_n, {.out_channels = 2, .kernel_size = 3, .padding = 1}),
    "bn1"_n = nn::batch_norm2d("conv1"_n), "relu1"_n = nn::relu("bn1"_n),
    "conv2"_n = nn::conv2d("relu1"_n, {.out_channels = 2, .kernel_size = 1}),
    "add"_n = op::add("conv2"_n, "relu1"_n), "relu2"_n = nn::relu("add"_n),
    "sum"_n = fn::add("relu2"_n, "x"_n), "pool1"_n = nn::max_pool2d("sum"_n, {.kernel_size = 2}),
    "pool2"_n = fn::avg_pool2d("pool1"_n, {.kernel_size = 2}),
    "pool3"_n = nn::adaptive_avg_pool2d("pool2"_n),
    "flat"_n = fn::flatten("pool3"_n, {.start_dim = 1}),
    "fc1"_n = nn::linear("flat"_n, {.out_features = 4}), "relu3"_n = fn::relu("fc1"_n),
    "fc2"_n = nn::linear("relu3"_n, {.out_features = 2}), "out"_n = nn::output("fc2"_n));

constexpr auto static_copy = to_static<30, 30>(lowered<x86, everywhere>(net.view()));
constexpr graph_view<stage::lowered> g = static_copy.view();
static_assert(g[find(g, "conv1")].dtype == quint8 && g[find(g, "conv1")].batch_norm == "bn1");
static_assert(g[find(g, "add")].shape == shape{1, 2, 8, 8});
static_assert(g[g.size() - 1].dtype == f32);

TEST_CASE("every op between dequantize and quantize runs on integers") {
  CHECK(graphs::print(g) ==
        std::string{door_in} +
            "conv1 = torch.ao.nn.intrinsic.quantized.ConvReLU2d(quantize_per_tensor_0) #1\n"
            "conv2 = torch.ao.nn.quantized.Conv2d(conv1) #2\n"
            "add = torch.ops.quantized.add_relu(conv2, conv1) #3\n"
            "sum = torch.ops.quantized.add(add, quantize_per_tensor_0) #4\n"
            "pool1 = torch.nn.MaxPool2d(sum) #4\n"
            "pool2 = torch.nn.functional.avg_pool2d(pool1) #4\n"
            "pool3 = torch.nn.AdaptiveAvgPool2d(pool2) #4\n"
            "flat = torch.flatten(pool3) #4\n"
            "fc1 = torch.ao.nn.intrinsic.quantized.LinearReLU(flat) #5\n"
            "fc2 = torch.ao.nn.quantized.Linear(fc1) #6\n"
            "dequantize_10 = dequantize(fc2) #6\n"
            "out = output(dequantize_10)\n");
}

constexpr auto normalized = model(
    "x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
    "bn"_n = nn::batch_norm1d("fc"_n), "relu"_n = nn::relu("bn"_n), "out"_n = nn::output("relu"_n));

std::string lowered_as(semantics s) {
  const auto fused = fuse(normalized.view(), backend_v<x86>, {.semantics = s});
  const auto prepared =
      prepare_graph(fused.view(), backend_v<x86>, mapping_v<everywhere>, {.semantics = s});
  const auto reference =
      convert_graph(prepared.view(), backend_v<x86>, mapping_v<everywhere>, {.semantics = s});
  return graphs::print(lower(reference.view(), {.semantics = s}).view());
}

TEST_CASE("a linear layer with a batch norm and a relu has the class that PyTorch picks") {
  const auto with = [](const std::string& name) {
    return door_in + ("fc = " + name) +
           "(quantize_per_tensor_0) #1\ndequantize_1 = dequantize(fc) #1\nout = "
           "output(dequantize_1)\n";
  };
  // 1.13 has nnq.Linear of the layer, which ends at the zero point that the relu has left.
  CHECK(lowered_as(semantics::torch_1_13) == with("torch.ao.nn.quantized.Linear"));
  CHECK(lowered_as(semantics::torch_2_1) == with("torch.ao.nn.intrinsic.quantized.LinearReLU"));
}

TEST_CASE("lowering at run time gives what the compiler gave") {
  graphs::check_equal(lowered<x86, everywhere>(net.view()).view(), g);
}

TEST_CASE("an input that nothing reads stays one") {
  dynamic_graph<stage::reference> f;
  f.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  f.add({.name = "unused", .op = nn::placeholder.id()}, nullptr, 0);
  f.add({.name = "out", .op = nn::output.id()}, 0);
  CHECK(graphs::print(lower(f.view()).view()) ==
        "x = placeholder()\nunused = placeholder()\nout = output(x)\n");
}

TEST_CASE("in PyTorch 1.13 what copies integers has the qparams of its input, not its own") {
  const auto lowered = [](op_id op, semantics s) {
    dynamic_graph<stage::reference> f;
    const auto quantized = [](int observer) {
      return node{
          .name = "q", .op = q::quantize_per_tensor.id(), .dtype = quint8, .observer = observer};
    };
    f.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
    f.add(quantized(0), 0);
    f.add({.name = "d", .op = q::dequantize.id()}, 1);
    node copy{.name = "copy", .op = op};
    copy.choice.dtype_config = 0;
    f.add(copy, 2);
    f.add(quantized(1), 3);
    f.add({.name = "d", .op = q::dequantize.id()}, 4);
    f.add({.name = "out", .op = nn::output.id()}, 5);
    return lower(f.view(), {.semantics = s});
  };
  for (const op_id op : {nn::max_pool2d.id(), nn::dropout.id()}) {
    const auto old = lowered(op, semantics::torch_1_13);
    CHECK(old.view()[find(old.view(), "copy")].observer == 0);
    const auto now = lowered(op, semantics::torch_2_1);
    const int at = find(now.view(), "copy");
    CHECK(now.view()[at].observer == 1);
    CHECK((now.view().arg(at, 0).op == q::requantize.id()) == (op == nn::max_pool2d.id()));
  }
}

TEST_CASE("in PyTorch 1.13 an output that reads floats gets the integers of the lowered op") {
  const auto lowered = [](semantics s, bool relu_reads_pool) {
    dynamic_graph<stage::reference> f;
    f.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
    f.add({.name = "q", .op = q::quantize_per_tensor.id(), .dtype = quint8, .observer = 0}, 0);
    f.add({.name = "d", .op = q::dequantize.id()}, 1);
    node pool{.name = "pool", .op = nn::max_pool2d.id()};
    pool.choice.dtype_config = 0;
    f.add(pool, 2);
    f.add({.name = "q", .op = q::quantize_per_tensor.id(), .dtype = quint8, .observer = 0}, 3);
    f.add({.name = "d", .op = q::dequantize.id()}, 4);
    if (relu_reads_pool) f.add({.name = "act", .op = nn::relu.id()}, 3);
    static constexpr int outputs[] = {5, 3};
    f.add({.name = "out", .op = nn::output.id()}, outputs, 2);
    return graphs::print(lower(f.view(), {.semantics = s}).view());
  };
  const std::string in_float =
      "x = placeholder()\nq = torch.quantize_per_tensor(x) #0\nd = dequantize(q)\n"
      "pool = torch.nn.MaxPool2d(d)\nq = torch.quantize_per_tensor(pool) #0\nd = dequantize(q)\n"
      "out = output(d, pool)\n";
  CHECK(lowered(semantics::torch_2_1, false) == in_float);
  CHECK(lowered(semantics::torch_1_13, false) ==
        "x = placeholder()\nq = torch.quantize_per_tensor(x) #0\npool = torch.nn.MaxPool2d(q) #0\n"
        "d = dequantize(pool)\nout = output(d, pool)\n");
  // Another reader of the floats still has them.
  CHECK(lowered(semantics::torch_1_13, true) == lowered(semantics::torch_2_1, true));
}

TEST_CASE("a transposed convolution without a quantized weight is not lowered") {
  dynamic_graph<stage::reference> f;
  f.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  f.add({.name = "q", .op = q::quantize_per_tensor.id(), .dtype = quint8, .observer = 0}, 0);
  f.add({.name = "d", .op = q::dequantize.id()}, 1);
  static constexpr observer_record weight = min_max_observer<{.dtype = qint8}>::value;
  node up{.name = "up", .op = nn::conv_transpose2d.id(), .weight = &weight};
  up.choice.dtype_config = 0;
  f.add(up, 2);
  f.add({.name = "q", .op = q::quantize_per_tensor.id(), .dtype = quint8, .observer = 1}, 3);
  f.add({.name = "out", .op = nn::output.id()}, 4);
  for (const semantics s : {semantics::torch_1_13, semantics::torch_2_1}) {
    f.nodes[3].weight = &weight;
    const auto quantized = lower(f.view(), {.semantics = s});
    CHECK(quantized.view()[find(quantized.view(), "up")].dtype == quint8);
    f.nodes[3].weight = nullptr;
    const auto in_float = lower(f.view(), {.semantics = s});
    CHECK(in_float.view()[find(in_float.view(), "up")].dtype == f32);
  }
}

TEST_CASE("without observers nothing is lowered") {
  CHECK(print<x86, qconfig_mapping<>>(net) ==
        graphs::print(fuse(net.view(), backend_v<x86>).view()));
}

TEST_CASE("what is left in float reads dequantized values, and its output is quantized again") {
  using mapping = qconfig_mapping<global<usual>, allow_float<"fc1">>;
  const std::string text = print<x86, mapping>(net);
  CHECK(text.find("fc1 = torch.ao.nn.intrinsic.LinearReLU(dequantize_8)\n"
                  "quantize_per_tensor_9 = torch.quantize_per_tensor(fc1) #5\n"
                  "fc2 = torch.ao.nn.quantized.Linear(quantize_per_tensor_9) #6\n") !=
        std::string::npos);
}

TEST_CASE("a value that integers and floats read is kept in both forms") {
  constexpr auto two_readers =
      model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::linear("x"_n, {.out_features = 4}),
            "b"_n = nn::linear("a"_n, {.out_features = 4}),
            "c"_n = nn::linear("a"_n, {.out_features = 4}), "add"_n = op::add("b"_n, "c"_n),
            "out"_n = nn::output("add"_n));
  CHECK(print<x86, qconfig_mapping<global<usual>, allow_float<"b">>>(two_readers) ==
        std::string{door_in} +
            "a = torch.ao.nn.quantized.Linear(quantize_per_tensor_0) #1\n"
            "dequantize_1 = dequantize(a) #1\n"
            "b = torch.nn.Linear(dequantize_1)\n"
            "quantize_per_tensor_2 = torch.quantize_per_tensor(b) #2\n"
            "c = torch.ao.nn.quantized.Linear(a) #3\n"
            "add = torch.ops.quantized.add(quantize_per_tensor_2, c) #4\n"
            "dequantize_4 = dequantize(add) #4\n"
            "out = output(dequantize_4)\n");
}

// ---- a relu behind an op whose backend does not fuse the two

struct unfused
    : x86::set<
          "unfused",
          backend_pattern_config<pattern<nn::conv2d, nn::relu>, dtype_configs<weighted_int8>>,
          backend_pattern_config<pattern<nn::linear, fn::relu>, dtype_configs<weighted_int8>>> {};
constexpr auto behind =
    model("x"_n = nn::placeholder({1, 2, 1, 1}),
          "conv"_n = nn::conv2d("x"_n, {.out_channels = 2, .kernel_size = 1}),
          "relu1"_n = nn::relu("conv"_n), "flat"_n = fn::flatten("relu1"_n, {.start_dim = 1}),
          "fc"_n = nn::linear("flat"_n, {.out_features = 2}), "relu2"_n = fn::relu("fc"_n),
          "out"_n = nn::output("relu2"_n));

TEST_CASE("a relu after an op with a weight is fused into it") {
  CHECK(print<unfused, everywhere>(behind) ==
        std::string{door_in} +
            "conv = torch.ao.nn.intrinsic.quantized.ConvReLU2d(quantize_per_tensor_0) #1\n"
            "flat = torch.flatten(conv) #1\n"
            "fc = torch.ao.nn.intrinsic.quantized.LinearReLU(flat) #2\n"
            "dequantize_3 = dequantize(fc) #2\n"
            "out = output(dequantize_3)\n");
}

TEST_CASE("a relu on its own runs on integers") {
  constexpr auto alone = sequential({1, 2, 1, 1}, nn::relu());
  CHECK(print<x86, everywhere>(alone) ==
        "input = placeholder()\n"
        "quantize_per_tensor_0 = torch.quantize_per_tensor(input) #0\n"
        "0 = torch.nn.ReLU(quantize_per_tensor_0) #0\n"
        "dequantize_1 = dequantize(0) #0\n"
        "output = output(dequantize_1)\n");
}

// A backend that observes nothing of a relu must not turn the float conv before it into integers.
struct free_relu
    : backend_config<
          "free_relu", backend_pattern_config<pattern<nn::conv2d>, dtype_configs<weighted_int8>>,
          backend_pattern_config<pattern<nn::relu>, dtype_configs<activation_int8>,
                                 observation<observation_type::input_output_not_observed>>> {};

TEST_CASE("an op that the user left in float stays there, whatever follows it") {
  constexpr auto two_convs =
      sequential({1, 2, 1, 1}, nn::conv2d({.out_channels = 2, .kernel_size = 1}),
                 nn::conv2d({.out_channels = 2, .kernel_size = 1}), nn::relu(),
                 nn::conv2d({.out_channels = 2, .kernel_size = 1}));
  const std::string text =
      print<free_relu, qconfig_mapping<global<usual>, allow_float<"1">>>(two_convs);
  CHECK(text.find("1 = torch.nn.Conv2d(dequantize_1)\n2 = torch.nn.ReLU(1)\n") !=
        std::string::npos);
}

TEST_CASE("a value that a float op reads too is not taken into the integers") {
  constexpr auto read_twice =
      model("x"_n = nn::placeholder({1, 2, 1, 1}),
            "stem"_n = nn::conv2d("x"_n, {.out_channels = 2, .kernel_size = 1}),
            "relu"_n = nn::relu("stem"_n),
            "a"_n = nn::conv2d("relu"_n, {.out_channels = 2, .kernel_size = 1}),
            "b"_n = nn::conv2d("relu"_n, {.out_channels = 2, .kernel_size = 1}),
            "c"_n = nn::conv2d("a"_n, {.out_channels = 2, .kernel_size = 1}),
            "add"_n = op::add("c"_n, "b"_n), "out"_n = nn::output("add"_n));
  using mapping = qconfig_mapping<object_type<nn::conv2d, usual>, object_type<nn::relu, usual>,
                                  allow_float<"b">>;
  CHECK(print<free_relu, mapping>(read_twice) ==
        std::string{door_in} +
            "stem = torch.ao.nn.quantized.Conv2d(quantize_per_tensor_0) #1\n"
            "dequantize_1 = dequantize(stem) #1\n"
            "relu = torch.nn.ReLU(dequantize_1)\n"
            "quantize_per_tensor_2 = torch.quantize_per_tensor(relu) #2\n"
            "a = torch.ao.nn.quantized.Conv2d(quantize_per_tensor_2) #3\n"
            "b = torch.nn.Conv2d(relu)\n"
            "c = torch.ao.nn.quantized.Conv2d(a) #4\n"
            "dequantize_4 = dequantize(c) #4\n"
            "add = _operator.add(dequantize_4, b)\n"
            "out = output(add)\n");
}

// ---- requantize where an op only moves steps and the observers differ

constexpr auto cat =
    model("x"_n = nn::placeholder({1, 2, 4, 4}),
          "a"_n = nn::conv2d("x"_n, {.out_channels = 2, .kernel_size = 1}),
          "b"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 1}),
          "pool"_n = nn::max_pool2d("b"_n, {.kernel_size = 1}),
          "cat"_n = fn::cat({"a"_n, "pool"_n, "x"_n}, {.dim = 1}), "out"_n = nn::output("cat"_n));

TEST_CASE("ops that move steps read their own qparams, others convert by themselves") {
  CHECK(print<x86, everywhere>(cat) ==
        std::string{door_in} +
            "a = torch.ao.nn.quantized.Conv2d(quantize_per_tensor_0) #0\n"
            "b = torch.ao.nn.quantized.Conv2d(quantize_per_tensor_0) #1\n"
            "requantize_0 = requantize(b) #0\n"
            "pool = torch.nn.MaxPool2d(requantize_0) #0\n"
            "cat = torch.cat(a, pool, quantize_per_tensor_0) #0\n"
            "dequantize_4 = dequantize(cat) #0\n"
            "out = output(dequantize_4)\n");
}

struct cat_alone
    : x86::set<"cat_alone",
               backend_pattern_config<pattern<fn::cat>, dtype_configs<activation_int8>>> {};

TEST_CASE("each input of a cat that differs is requantized, to the output's qparams") {
  const auto l = lowered<cat_alone, everywhere>(cat.view());
  const graph_view<stage::lowered> v = l.view();
  const int at = find(v, "cat");
  REQUIRE(at >= 0);
  for (int a = 0; a < 3; ++a) {
    CHECK(v.arg(at, a).op == q::requantize.id());
    CHECK(v.arg(at, a).observer == v[at].observer);
    CHECK(v.arg(at, a).shape == v.arg(v.args_of(at)[a], 0).shape);
    CHECK(v.arg(at, a).number == a);
  }
}

// ---- ops of a user's own

struct with_own
    : x86::set<"with_own",
               backend_pattern_config<pattern<own::swish>, dtype_configs<activation_int8>>,
               backend_pattern_config<pattern<own::add_swish>, dtype_configs<activation_int8>>,
               backend_pattern_config<pattern<own::sum>, dtype_configs<activation_int8>>> {};

constexpr auto own_net =
    model("x"_n = nn::placeholder({1, 4, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
          "a"_n = own::swish("fc"_n), "b"_n = own::add_swish("a"_n, "fc"_n),
          "c"_n = own::sum("b"_n), "d"_n = own::swish("c"_n), "out"_n = nn::output("d"_n));

TEST_CASE("an op of a user's own that has a form on integers keeps its name there") {
  CHECK(print<with_own, everywhere>(own_net) ==
        std::string{door_in} +
            "fc = torch.ao.nn.quantized.Linear(quantize_per_tensor_0) #1\n"
            "a = own.swish(fc) #2\n"
            "b = own.add_swish(a, fc) #3\n"
            "dequantize_3 = dequantize(b) #3\n"
            "c = own.sum(dequantize_3)\n"
            "quantize_per_tensor_4 = torch.quantize_per_tensor(c) #4\n"
            "d = own.swish(quantize_per_tensor_4) #5\n"
            "dequantize_5 = dequantize(d) #5\n"
            "out = output(dequantize_5)\n");
}

TEST_CASE("what nobody reads is dropped") {
  constexpr auto dead =
      model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::linear("x"_n, {.out_features = 4}),
            "dead"_n = nn::linear("a"_n, {.out_features = 2}), "more"_n = nn::relu("dead"_n),
            "out"_n = nn::output("a"_n));
  const auto l = lowered<x86, everywhere>(dead.view());
  CHECK(find(l.view(), "dead") == -1);
  CHECK(find(l.view(), "more") == -1);
  CHECK(l.nodes.size() == 5);
}

TEST_CASE("a shape is read of the integers, and the dequantize that only it read is dropped") {
  const fx_row row;
  dynamic_graph<stage::reference> g;
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  node quantize{.name = "quantize", .op = q::quantize_per_tensor.id()};
  quantize.dtype = quint8;
  quantize.observer = g.observers++;
  g.add(quantize, 0);
  g.add({.name = "dequantize", .op = q::dequantize.id()}, 1);
  node shape{.name = "shape", .op = fn::getattr.id()};
  shape.row = &row;
  g.add(shape, 2);
  g.add({.name = "out", .op = nn::output.id()}, 3);
  const auto l = lower(g.view());
  CHECK(find(l.view(), "dequantize") == -1);
  const int at = find(l.view(), "shape");
  REQUIRE(at >= 0);
  CHECK(l.view().arg(at, 0).name == "quantize");
}

}  // namespace
