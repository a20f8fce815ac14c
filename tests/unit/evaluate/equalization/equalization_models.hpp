// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/backends/native.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/passes/fuse.hpp"

// The models of make_equalization_cases.py, and what PyTorch made of them.

namespace equalization {

using namespace ctq;

struct named_tensor {
  std::string name;
  float_ops::extents shape;
  std::vector<float> values;

  [[nodiscard]] float_ops::tensor tensor() const { return {shape, values}; }
};

struct torch_case {
  std::string model;
  std::vector<named_tensor> before;  // its parameters
  std::vector<named_tensor> data;    // for calibration
  std::vector<named_tensor> scales;  // by node
  std::vector<named_tensor> after;   // parameters, batch norms folded
  float min, max;                    // what the input's observer is left with
};

inline const std::vector<torch_case> cases = {
#include "equalization_cases.inc"
};

inline module_state modules_of(const torch_case& c) {
  module_state modules;
  for (const named_tensor& t : c.before) modules.set_tensor(t.name, t.tensor());
  return modules;
}

/// A graph as torch.fx traces it, node by node.
class tracer {
 public:
  tracer() { x = graph_.add({.name = "x", .op = nn::placeholder.id()}, list<int>{}); }

  int x;

  template <class Op>
  int operator()(std::string_view name, const Op&, const std::vector<int>& args,
                 const attributes& options = {}) {
    node n{.name = name, .op = Op::id()};
    n.attrs = options;
    return graph_.add(n, list<int>(args.data(), args.size()));
  }
  int get_attr(std::string_view name) { return (*this)(name, nn::get_attr, {}); }

  dynamic_graph<stage::traced> output(int from) && {
    (*this)("output", nn::output, {from});
    return std::move(graph_);
  }

 private:
  dynamic_graph<stage::traced> graph_;
};

/// A step of one, no padding; the size of the kernel is that of the weight.
inline const attributes plain_conv{conv2d_options{}};

inline dynamic_graph<stage::traced> linears() {
  tracer t;
  const int relu1 = t("relu1", nn::relu, {t("fc1", nn::linear, {t.x})});
  const int relu2 = t("relu2", nn::relu, {t("fc2", nn::linear, {relu1})});
  return std::move(t).output(t("fc3", nn::linear, {relu2}));
}

inline dynamic_graph<stage::traced> convs() {
  tracer t;
  const int relu = t("relu", fn::relu, {t("conv1", nn::conv2d, {t.x}, plain_conv)});
  return std::move(t).output(t("relu_1", fn::relu, {t("conv2", nn::conv2d, {relu}, plain_conv)}));
}

template <class Conv>
dynamic_graph<stage::traced> two(const Conv& conv) {
  tracer t;
  const attributes plain{typename Conv::options{}};
  const int conv1 = t("conv1", conv, {t.x}, plain);
  return std::move(t).output(t("conv2", conv, {conv1}, plain));
}

inline dynamic_graph<stage::traced> functions() {
  tracer t;
  const int weight1 = t.get_attr("weight1");
  const int bias1 = t.get_attr("bias1");
  const int relu = t("relu", fn::relu, {t("linear", fn::linear, {t.x, weight1, bias1})});
  const int weight2 = t.get_attr("weight2");
  return std::move(t).output(t("linear_1", fn::linear, {relu, weight2}));
}

inline dynamic_graph<stage::traced> norms() {
  tracer t;
  const int conv1 = t("conv1", nn::conv2d, {t.x}, plain_conv);
  const int norm = t("bn1", nn::batch_norm2d, {conv1}, attributes{batch_norm2d_options{}});
  return std::move(t).output(t("conv2", nn::conv2d, {t("relu1", nn::relu, {norm})}, plain_conv));
}

inline dynamic_graph<stage::traced> pools() {
  tracer t;
  const int conv1 = t("conv1", nn::conv2d, {t.x}, plain_conv);
  const int pool =
      t("pool", nn::max_pool2d, {conv1}, attributes{max_pool2d_options{.kernel_size = 2}});
  return std::move(t).output(t("conv2", nn::conv2d, {pool}, plain_conv));
}

inline dynamic_graph<stage::traced> branches() {
  tracer t;
  const int left = t("fc1", nn::linear, {t.x});
  const int sum = t("add", op::add, {left, t("fc2", nn::linear, {t.x})});
  return std::move(t).output(t("fc3", nn::linear, {sum}));
}

/// The model of a case, fused.
inline dynamic_graph<stage::fused> fused_model(std::string_view name) {
  const auto traced = [name]() -> dynamic_graph<stage::traced> {
    if (name == "linears" || name == "flat_columns") return linears();
    if (name == "convs") return convs();
    if (name == "convs1d") return two(nn::conv1d);
    if (name == "convs3d") return two(nn::conv3d);
    if (name == "functions") return functions();
    if (name == "norms") return norms();
    if (name == "pools") return pools();
    return branches();
  };
  return fuse(traced().view(), backend_v<native>);
}

}  // namespace equalization
