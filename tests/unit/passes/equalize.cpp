// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/equalize.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

#include "ctq/backends/x86.hpp"
#include "ctq/core/text.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/fuse.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto net =
    model("x"_n = nn::placeholder({1, 3, 8, 8}),
          "conv1"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 3}),
          "bn1"_n = nn::batch_norm2d("conv1"_n), "relu1"_n = nn::relu("bn1"_n),
          "pool"_n = nn::max_pool2d("relu1"_n, {.kernel_size = 2}),
          "conv2"_n = nn::conv2d("pool"_n, {.out_channels = 4, .kernel_size = 1}),
          "flat"_n = fn::flatten("conv2"_n, {.start_dim = 1}),
          "fc1"_n = nn::linear("flat"_n, {.out_features = 8}), "relu3"_n = fn::relu("fc1"_n),
          "fc2"_n = nn::linear("relu3"_n, {.out_features = 2}), "out"_n = nn::output("fc2"_n));

/// "conv1 < x, conv2 < conv1, fc1 *": who takes the factors, a multiplication being *.
constexpr static_text<200> shown(graph_view<stage::fused> g, const equalize_options& o = {},
                                 const list<bool>& wanted = {}) {
  static_text<200> out;
  for (const equalized_layer& e : find_equalizable(g, o, wanted)) {
    if (!out.view().empty()) out.append(", ");
    out.append(g[e.layer.node].name);
    if (e.needs_multiplication())
      out.append(" *");
    else
      append_all(out, " < ", g[e.placeholder >= 0 ? e.placeholder : e.producer.node].name);
  }
  return out;
}

constexpr static_text<200> shown_of_net(const equalize_options& o) {
  return shown(fuse(net.view(), backend_v<x86>).view(), o);
}

// Through relus and pools, but not through flatten, which makes many channels of one.
static_assert(shown_of_net({}).view() == "conv1 < x, conv2 < conv1, fc2 < fc1");
static_assert(shown_of_net({.multiply = true}).view() ==
              "conv1 < x, conv2 < conv1, fc1 *, fc2 < fc1");
static_assert(shown_of_net({.semantics = semantics::torch_1_13, .multiply = true}).view() ==
              "conv1 < x, conv2 *, fc1 *, fc2 < fc1");

static_assert(channel_axis(nn::linear.id()) == -1 && channel_axis(nni::conv_relu2d.id()) == -3);

struct builder {
  dynamic_graph<stage::fused> g;

  template <class Op>
  int operator()(std::string_view name, const Op&, std::initializer_list<int> args,
                 const fx_row* row = nullptr) {
    node n{.name = name, .op = Op::id()};
    n.row = row;
    return g.add(n, args.begin(), static_cast<int>(args.size()));
  }
  /// Ends the graph, and says what can be equalized.
  std::string operator()(int from, const equalize_options& o = {}) {
    (*this)("output", nn::output, {from});
    return std::string(shown(g.view(), o).view());
  }
};

}  // namespace

TEST_CASE("a relu is a relu, however it is written") {
  const auto through = [](const auto& relu) {
    builder b;
    const int x = b("x", nn::placeholder, {});
    return b(b("fc2", nn::linear, {b("r", relu, {b("fc1", nn::linear, {x})})}));
  };
  CHECK(through(nn::relu) == "fc1 < x, fc2 < fc1");
  CHECK(through(fn::relu) == "fc1 < x, fc2 < fc1");
  CHECK(through(fn::torch_relu) == "fc1 < x, fc2 < fc1");
  CHECK(through(method::relu) == "fc1 < x, fc2 < fc1");
  CHECK(through(nn::relu6) == "fc1 < x");
  CHECK(through(nn::sigmoid) == "fc1 < x");
}

TEST_CASE("a layer whose input something else reads is left alone") {
  builder b;
  const int x = b("x", nn::placeholder, {});
  const int fc1 = b("fc1", nn::linear, {x});
  const int fc2 = b("fc2", nn::linear, {x});
  const int fc3 = b("fc3", nn::linear, {fc1});
  const int sum = b("sum", fn::add, {fc2, b("fc4", nn::linear, {fc3})});
  CHECK(b(b("again", fn::add, {sum, fc3}), {.multiply = true}) == "fc3 < fc1");
}

TEST_CASE("what reads the value before a relu stops the factors there") {
  builder b;
  const int x = b("x", nn::placeholder, {});
  const int fc1 = b("fc1", nn::linear, {x});
  const int fc2 = b("fc2", nn::linear, {b("relu", nn::relu, {fc1})});
  const int sum = b("sum", fn::add, {fc2, fc1});
  CHECK(b(sum, {.multiply = true}) == "fc1 < x, fc2 *");
}

TEST_CASE("modules that are called twice keep their weights, and so do batch norms") {
  builder shared;
  const fx_row fc{.target = "fc", .scope = {}, .args = {}};
  const int x = shared("x", nn::placeholder, {});
  const int once = shared("fc", nn::linear, {x}, &fc);
  CHECK(shared(shared("fc_1", nn::linear, {once}, &fc)).empty());

  builder norms;
  const int y = norms("x", nn::placeholder, {});
  const int conv1 = norms("conv1", nn::conv2d, {y});
  const int conv2 = norms("conv2", nn::conv2d, {conv1});
  norms.g.nodes[conv1].batch_norm = norms.g.nodes[conv2].batch_norm = "bn";
  CHECK(norms(conv2).empty());
}

TEST_CASE("weights of functions are taken by position or keyword, if nothing else reads them") {
  const argument by_keyword[] = {{}, {.is = {}, .keyword = "weight"}};
  const fx_row row{.target = {}, .scope = {}, .args = {by_keyword, 2}};
  const auto linear = [&row](bool keyword, bool read_again) {
    builder b;
    const int x = b("x", nn::placeholder, {});
    const int w = b("w", nn::get_attr, {});
    const int y = b("linear", fn::linear, {x, w}, keyword ? &row : nullptr);
    return b(read_again ? b("sum", fn::add, {y, w}) : y);
  };
  CHECK(linear(false, false) == "linear < x");
  CHECK(linear(true, false) == "linear < x");
  CHECK(linear(false, true).empty());

  builder tied;
  const int x = tied("x", nn::placeholder, {});
  const int fc = tied("fc", nn::linear, {x});
  const int w = tied("fc.weight", nn::get_attr, {});
  CHECK(tied(tied("linear", fn::linear, {fc, w})).empty());

  builder computed;
  const int y = computed("x", nn::placeholder, {});
  const int v = computed("sigmoid", fn::sigmoid, {computed("w", nn::get_attr, {})});
  CHECK(computed(computed("linear", fn::linear, {y, v})).empty());
}

TEST_CASE("linear layers and convolutions have different channels") {
  builder b;
  const int x = b("x", nn::placeholder, {});
  const int fc = b("fc", nn::linear, {b("conv", nn::conv1d, {x})});
  CHECK(b(fc, {.multiply = true}) == "conv < x, fc *");
}

TEST_CASE("a mapping says which layers are equalized") {
  using named =
      qconfig_mapping<module_name<"fc2", qconfig<min_max_observer<>, min_max_observer<>>>>;
  builder b;
  const int x = b("x", nn::placeholder, {});
  const int fc2 = b("fc2", nn::linear, {b("fc1", nn::linear, {x})});
  CHECK(b(fc2) == "fc1 < x, fc2 < fc1");
  const list<bool> wanted = nodes_to_equalize(b.g.view(), mapping_v<named>);
  CHECK(shown(b.g.view(), {}, wanted).view() == "fc2 < fc1");
}
