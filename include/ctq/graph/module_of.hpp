// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "ctq/core/fixed_string.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/ops/shape_checks.hpp"

// A model as one module of another: a standalone module, which a plan quantizes on its own.
//
//   inline constexpr ctq::module_of<"my.Block", inside> block{};
//   inline constexpr auto net = ctq::model("x"_n = nn::placeholder({1, 8}),
//                                          "first"_n = block("x"_n), …);
//
// Its tensors have the names that PyTorch gives them: "first.fc.weight".

namespace ctq {

namespace nesting {

/// Calls visit(module, name, shape) for each parameter; the module of an attribute is empty.
template <class Graph, class Visit>
constexpr void for_each_parameter(const Graph& g, Visit visit) {
  for (int i = 0; i < g.count; ++i) {
    const node& n = g.nodes[i];
    const op_descriptor& d = *n.op->descriptor;
    if (n.op->kind == op_kind::get_attr) visit(std::string_view{}, path_of(n), n.shape);
    if (module_of_call(n.name).size() != n.name.size()) continue;
    for (int p = 0; p < d.inner_parameters; ++p)
      visit(n.name, d.inner_parameter(p).name, d.inner_parameter(p).shape);
    if (d.parameters == nullptr) continue;
    const op_parameters own = d.parameters(n.attrs);
    for (int p = 0; p < own.count; ++p) visit(n.name, own.item[p].name, own.item[p].shape);
  }
}

struct parameter_place {
  std::size_t begin{};
  std::size_t size{};
  ctq::shape shape{};
};

/// The parameters of a model, named as in its state_dict: "fc.weight".
template <const auto& Model>
struct parameters_in {
  static constexpr std::size_t length = [] {
    std::size_t all = 0;
    for_each_parameter(Model, [&](std::string_view module, std::string_view name, const shape&) {
      all += module.size() + 1 + name.size();
    });
    return all;
  }();
  static constexpr int count = [] {
    int all = 0;
    for_each_parameter(Model, [&](auto, auto, const shape&) { ++all; });
    return all;
  }();

  struct table {
    std::array<char, length + 1> text{};
    std::array<parameter_place, count + 1> place{};
  };
  static constexpr table all = [] {
    table t;
    std::size_t at = 0;
    std::size_t number = 0;
    for_each_parameter(Model, [&](std::string_view module, std::string_view name, const shape& s) {
      const std::size_t begin = at;
      for (const char c : module) t.text[at++] = c;
      if (!module.empty()) t.text[at++] = '.';
      for (const char c : name) t.text[at++] = c;
      t.place[number++] = {begin, at - begin, s};
    });
    return t;
  }();

  static constexpr op_parameter at(int i) {
    const parameter_place& p = all.place[static_cast<std::size_t>(i)];
    return {std::string_view(all.text.data() + p.begin, p.size), p.shape};
  }
};

/// The shape of the output of a model that has one.
template <class Graph>
constexpr shape output_shape(const Graph& g) {
  const node& output = g.nodes[g.count - 1];
  return output.op->kind == op_kind::output && output.arg_count == 1
             ? g.nodes[g.args[output.first_arg]].shape
             : shape{};
}

}  // namespace nesting

/// The op that calls a model with one output and one to three inputs.
///   Name   of its class in Python
///   Model  a constant
template <fixed_string Name, const auto& Model>
struct module_of : up_to_three_inputs<module_of<Name, Model>> {
  static constexpr std::string_view name = Name.view();
  static constexpr auto& model = Model;
  static constexpr op_descriptor descriptor{
      .inner_parameter = &nesting::parameters_in<Model>::at,
      .inner_parameters = nesting::parameters_in<Model>::count};

  /// Errors  inputs of other shapes than those of the model; a model with several outputs
  static constexpr shape infer_shape(view<shape> in, const no_options&, diagnostic& problem) {
    int input = 0;
    for (int i = 0; i < Model.count; ++i) {
      const node& n = Model.nodes[i];
      if (n.op->kind != op_kind::placeholder) continue;
      if (input >= in.size() || in[input] != n.shape) {
        problem.line("the model inside has another input").line(n.name, ": ");
        append_shape(problem.text, n.shape);
        return {};
      }
      ++input;
    }
    const shape out = nesting::output_shape(Model);
    if (input != in.size()) problem.line("the model inside has fewer inputs");
    if (out.rank == 0) problem.line("the model inside has not one output");
    return out;
  }
};

}  // namespace ctq
