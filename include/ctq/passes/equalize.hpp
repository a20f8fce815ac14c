// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/list.hpp"
#include "ctq/graph/argument_places.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/passes/resolve_qconfig.hpp"

// Input-weight equalization: which linear layers and convolutions can exchange range between the
// channels of their input and the columns of their weight, and who takes what the input gains.
//
//   y = W x = (W / s) (s x)      for any s > 0, one a channel of x
//
// W / s is a change of the weight. s x is one, too, where another layer computes x, be it through a
// relu: its outputs are multiplied. Where x is an input of the model, the data are multiplied
// instead, and before any other op there has to be a multiplication in the graph.
//
// Source  PyTorch torch/ao/quantization/fx/_equalize.py, whose layers these are
// Beyond  PyTorch's model computes something else if a module is called twice, if something else
//         reads x, if the layer before is not equalized itself, or if the relu is a method; it
//         fails for groups, and for linear layers between more than two axes. Here each of these is
//         left alone or right.

namespace ctq {

/// Factors move to the layer before through a relu only; before a pool, say, they are multiplied
/// in the graph, where it is computed in float.
[[nodiscard]] constexpr bool factors_move_through_relu_only(semantics s) {
  return s == semantics::torch_1_13;
}

/// A linear layer or convolution whose parameters nothing else uses.
struct scalable_layer {
  int node = -1;
  int input = -1;   // the node whose value it reads
  int weight = -1;  // of a function: the get_attr node
  int bias = -1;    // of a function that has one: the get_attr node

  [[nodiscard]] constexpr bool found() const { return node >= 0; }
};

/// A layer to equalize, and what takes the factors of its input.
struct equalized_layer {
  scalable_layer layer;
  scalable_layer producer;  // the layer before it: its outputs do
  int placeholder = -1;     // an input of the model: its data do; neither: a multiplication does

  [[nodiscard]] constexpr bool needs_multiplication() const {
    return !producer.found() && placeholder < 0;
  }
};

struct equalize_options {
  ctq::semantics semantics{};
  bool multiply = false;  // also layers that need a multiplication in the graph
};

namespace equalizing {

/// Is op(s x) = s op(x) for any s > 0, one a channel of a layer that slides over so many axes?
constexpr bool keeps_factors(op_id op, int axes, semantics s) {
  if (op->descriptor->is_relu) return true;
  if (factors_move_through_relu_only(s)) return false;
  return op->descriptor->is_identity || (axes > 0 && op->descriptor->pool_axes == axes);
}

/// The node passed at this position or by this keyword; -1: a literal, or nothing.
constexpr int operand(graph_view<stage::fused> g, int i, int position, std::string_view keyword) {
  const list<argument_place> places = rows_per_register_of(g, i);
  for (std::size_t a = 0; a < places.size(); ++a)
    if (!places[a].in_list && (places[a].position == position || places[a].keyword == keyword))
      return g.args_of(i)[static_cast<int>(a)];
  return -1;
}

/// Is path the module, or something in it?
constexpr bool lies_in(std::string_view path, std::string_view module) {
  if (module.empty() || path.size() < module.size()) return false;
  if (path.size() > module.size() && path[module.size()] != '.') return false;
  return path.starts_with(module);
}

/// Does node k use what is kept under this path?
constexpr bool uses(const node& k, std::string_view path) {
  if (k.op->kind == op_kind::module)
    return lies_in(path, path_of(k)) || lies_in(path, k.batch_norm);
  return k.op->kind == op_kind::get_attr && lies_in(path_of(k), path);
}

/// Is node i the only one that uses what is kept under this path?
constexpr bool owns(graph_view<stage::fused> g, int i, std::string_view path) {
  for (int k = 0; k < g.size(); ++k)
    if (k != i && uses(g[k], path)) return false;
  return true;
}

/// Is node i an attribute of the model that only one node reads, and by no other name?
constexpr bool is_parameter(graph_view<stage::fused> g, const list<int>& users, int i) {
  return i >= 0 && g[i].op->kind == op_kind::get_attr && users[i] == 1 && owns(g, i, path_of(g[i]));
}

/// Node i as a layer, if it is one.
constexpr scalable_layer scalable(graph_view<stage::fused> g, const list<int>& users, int i) {
  if (g[i].op->descriptor->layer_axes < 0) return {};
  scalable_layer out{i, operand(g, i, 0, "input")};
  if (out.input < 0) return {};
  if (g[i].op->kind == op_kind::module) {
    const bool alone =
        owns(g, i, path_of(g[i])) && (g[i].batch_norm.empty() || owns(g, i, g[i].batch_norm));
    return alone ? out : scalable_layer{};
  }
  out.weight = operand(g, i, 1, "weight");
  out.bias = operand(g, i, 2, "bias");
  const bool alone =
      is_parameter(g, users, out.weight) && (out.bias < 0 || is_parameter(g, users, out.bias));
  return alone ? out : scalable_layer{};
}

/// By node: the layer that it is.
constexpr list<scalable_layer> scalable_layers(graph_view<stage::fused> g, const list<int>& users) {
  list<scalable_layer> all(g.size());
  for (int i = 0; i < g.size(); ++i) all[i] = scalable(g, users, i);
  return all;
}

}  // namespace equalizing

/// Where the channels of a layer's input and output lie: an axis counted from the end.
[[nodiscard]] constexpr int channel_axis(op_id layer) { return -1 - layer->descriptor->layer_axes; }

/// By node: does this mapping have a qconfig for it? PyTorch's _equalization_config is a mapping.
[[nodiscard]] constexpr list<bool> nodes_to_equalize(graph_view<stage::fused> g,
                                                     const mapping_view& m, semantics s = {}) {
  const list<int> entries = resolve_qconfigs(g, m, s);
  list<bool> wanted(g.size());
  for (int i = 0; i < g.size(); ++i) wanted[i] = entries[i] >= 0 && m.entries[entries[i]].quantizes;
  return wanted;
}

/// The layers that can be equalized, in the order of the graph.
///   wanted  by node; empty: all of them
[[nodiscard]] constexpr list<equalized_layer> find_equalizable(graph_view<stage::fused> g,
                                                               const equalize_options& o = {},
                                                               const list<bool>& wanted = {}) {
  const list<int> users = count_users(g);
  const list<scalable_layer> scalable = equalizing::scalable_layers(g, users);
  list<equalized_layer> found;
  for (int i = 0; i < g.size(); ++i) {
    if (!wanted.empty() && !wanted[i]) continue;
    equalized_layer e{.layer = scalable[i], .producer = {}};
    if (!e.layer.found() || users[e.layer.input] > 1) continue;
    const int axes = g[i].op->descriptor->layer_axes;
    int from = e.layer.input;
    while (equalizing::keeps_factors(g[from].op, axes, o.semantics) && g.args_of(from).size() > 0 &&
           users[g.args_of(from)[0]] == 1)
      from = g.args_of(from)[0];
    if (g[from].op->kind == op_kind::placeholder) {
      e.placeholder = from;
    } else if (g[from].op->descriptor->layer_axes == axes) {
      e.producer = scalable[from];
    }
    if (!e.needs_multiplication() || o.multiply) found.push_back(e);
  }
  return found;
}

}  // namespace ctq
