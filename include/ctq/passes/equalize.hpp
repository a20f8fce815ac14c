// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/containers/list.hpp"
#include "ctq/graph/argument_places.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/module_path.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/passes/fx_semantics.hpp"
#include "ctq/passes/resolve_qconfig.hpp"

// Input-weight equalization: which linear layers and convolutions can exchange range between the
// channels of their input and the columns of their weight, and what else is scaled in return.
//
//   y = W x = (W / s) (s x)      for any s > 0, one per channel of x
//
// W / s changes the weight. If another layer computes x, also with a relu between, s x changes the
// weight of that layer. If x is an input of the model, the data are multiplied; in all other cases
// the graph needs a multiplication.
//
// Source  PyTorch torch/ao/quantization/fx/_equalize.py, whose layers these are
// Beyond  PyTorch's model computes something else if a module is called twice, if something else
//         reads x, if the layer before is not equalized itself, or if the relu is a method; it
//         fails for groups, and for linear layers between more than two axes. Here these are
//         either skipped or correct.

namespace ctq {

/// A linear layer or convolution whose parameters nothing else uses.
struct scalable_layer {
  int node = -1;
  int input = -1;   // the node whose value it reads
  int weight = -1;  // of a function: the get_attr node
  int bias = -1;    // of a function that has one: the get_attr node

  [[nodiscard]] constexpr bool found() const { return node >= 0; }
};

/// A layer to equalize, and what is multiplied by the factors of its input.
struct equalized_layer {
  scalable_layer layer;
  scalable_layer producer;  // the previous layer, if its outputs are multiplied
  int placeholder = -1;     // the input of the model, if its data are multiplied

  [[nodiscard]] constexpr bool needs_multiplication() const {
    return !producer.found() && placeholder < 0;
  }
};

/// Which layers find_equalizable finds.
struct equalize_options {
  ctq::semantics semantics{};
  bool multiply = false;  // also layers that need a multiplication in the graph
};

namespace equalizing {

/// Whether op(s x) = s op(x) for any s > 0 per channel, before a layer with `axes` spatial axes.
constexpr bool keeps_factors(op_id op, int axes, semantics s) {
  if (op->descriptor->is_relu) return true;
  if (factors_move_through_relu_only(s)) return false;
  return op->descriptor->is_identity || (axes > 0 && op->descriptor->pool_axes == axes);
}

/// The node that is passed at this position or by this keyword; -1: a literal, or none.
constexpr int operand(graph_view<stage::fused> g, int i, int position, std::string_view keyword) {
  const list<argument_place> places = places_of(g, i);
  for (std::size_t a = 0; a < places.size(); ++a)
    if (!places[a].in_list && (places[a].position == position || places[a].keyword == keyword))
      return g.args_of(i)[static_cast<int>(a)];
  return -1;
}

/// Whether node k uses parameters at this path.
constexpr bool uses(const node& k, std::string_view path) {
  if (k.op->kind == op_kind::module) return is_in(path, path_of(k)) || is_in(path, k.batch_norm);
  return k.op->kind == op_kind::get_attr && is_in(path_of(k), path);
}

/// Whether only node i uses parameters at this path.
constexpr bool owns(graph_view<stage::fused> g, int i, std::string_view path) {
  for (int k = 0; k < g.size(); ++k)
    if (k != i && uses(g[k], path)) return false;
  return true;
}

/// Whether node i is an attribute of the model that only one node reads, by one name.
constexpr bool is_parameter(graph_view<stage::fused> g, const list<int>& users, int i) {
  return i >= 0 && g[i].op->kind == op_kind::get_attr && users[i] == 1 && owns(g, i, path_of(g[i]));
}

/// Node i as a layer, if it is one whose parameters are its own.
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

/// By node: scalable() of it.
constexpr list<scalable_layer> scalable_layers(graph_view<stage::fused> g, const list<int>& users) {
  list<scalable_layer> all(g.size());
  for (int i = 0; i < g.size(); ++i) all[i] = scalable(g, users, i);
  return all;
}

}  // namespace equalizing

/// The axis of the channels of a layer's input and output, counted from the end.
[[nodiscard]] constexpr int channel_axis(op_id layer) { return -1 - layer->descriptor->layer_axes; }

/// By node: whether the mapping has a qconfig for it. PyTorch's _equalization_config is a mapping.
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
