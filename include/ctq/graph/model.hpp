// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "ctq/core/report.hpp"
#include "ctq/core/sum.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/shape_rules.hpp"

// A model is a constant that reads like torch.fx's print-out:
//
//   inline constexpr auto lenet = ctq::model(
//       "x"_n     = nn::placeholder({1, 1, 28, 28}),
//       "conv1"_n = nn::conv2d("x"_n, {.out_channels = 6, .kernel_size = 5}),
//       ...
//       "out"_n   = nn::output("fc"_n));
//
// Names become indices and shapes are worked out here. A mistake does not stop the constant from
// being made: it is kept in it, and whoever uses the model reports it (checked_model).

namespace ctq {

namespace linking {

/// A node as written, its arguments still names.
struct pending {
  std::string_view name;
  op_id op{};
  const attributes* attrs{};
  const ctq::shape* shape{};  // of a placeholder
  const std::string_view* args{};
  int arg_count{};
};

/// From names to indices: open addressing over FNV-1a, since a search among the earlier nodes
/// would be quadratic and end at the compilers' limits.
class name_table {
 public:
  constexpr explicit name_table(std::size_t names) : slots_(2 * names + 1, -1) {}

  /// The index kept for a name, or a place where it can be kept: *slot == -1.
  constexpr int* slot(std::string_view name, const list<node>& nodes) {
    std::size_t at = hash(name) % slots_.size();
    while (slots_[at] >= 0 && nodes[slots_[at]].name != name)
      at = at + 1 == slots_.size() ? 0 : at + 1;
    return &slots_[at];
  }

 private:
  static constexpr std::size_t hash(std::string_view name) {
    std::size_t h = 14695981039346656037U;
    const char* const end = name.data() + name.size();
    for (const char* c = name.data(); c != end; ++c)  // a third of the steps of a loop over name
      h = (h ^ static_cast<unsigned char>(*c)) * 1099511628211U;
    return h;
  }

  list<int> slots_;
};

/// Turns rows with names into a graph, or says which node is wrong.
constexpr dynamic_graph<stage::traced> link(const pending* rows, std::size_t count) {
  dynamic_graph<stage::traced> g;
  g.reserve(static_cast<int>(count), 2 * static_cast<int>(count));
  name_table names(count);
  list<shape> shapes;
  diagnostic& d = g.problem;
  for (std::size_t i = 0; i < count && !d.any(); ++i) {
    const pending& row = rows[i];
    const auto first_arg = static_cast<int>(g.args.size());
    shapes.clear();
    for (int a = 0; a < row.arg_count; ++a) {
      const int found = *names.slot(row.args[a], g.nodes);
      if (found < 0) {
        d.line("node ", row.name, ":").line("no earlier node is named").line(row.args[a]);
        return g;
      }
      g.args.push_back(found);
      shapes.push_back(g.nodes[found].shape);
    }
    int* const slot = names.slot(row.name, g.nodes);
    if (*slot >= 0) {
      d.line("two nodes are named").line(row.name);
      return g;
    }
    *slot = static_cast<int>(i);
    node& n = g.nodes.emplace_back();
    n.name = row.name;
    n.op = row.op;
    n.first_arg = first_arg;
    n.arg_count = row.arg_count;
    n.attrs = *row.attrs;
    if (n.op->kind == op_kind::placeholder) n.shape = *row.shape;
    shape_rules::infer(n, {shapes.data(), static_cast<int>(shapes.size())}, d);
    const bool last = i + 1 == count;
    if (!d.any() && (n.op->kind == op_kind::output) != last)
      d.line("node ", row.name, ":")
          .line(last ? "the last node must be nn::output" : "nn::output comes last");
  }
  if (count == 0) d.line("the model has no node");
  return g;
}

template <std::size_t Arity>
constexpr pending pending_of(const named_call<Arity>& c) {
  return {c.name,         c.value.op,          &c.value.attrs,
          &c.value.shape, c.value.args.data(), static_cast<int>(Arity)};
}

template <int I>
struct number_text {
  static constexpr static_text<12> value = [] {
    static_text<12> t;
    append_number(t, I);
    return t;
  }();
};

}  // namespace linking

template <std::size_t... Arity>
consteval auto model(const named_call<Arity>&... row) {
  const std::array<linking::pending, sizeof...(Arity)> rows{linking::pending_of(row)...};
  return freeze<sizeof...(Arity), sum({Arity...})>(linking::link(rows.data(), rows.size()));
}

namespace linking {

template <std::size_t... I, class... Layer>
consteval auto sequential(std::index_sequence<I...>, shape input, const Layer&... layer) {
  constexpr std::size_t last = sizeof...(I);
  const std::array<std::string_view, last + 1> names{
      "input", std::string_view{number_text<static_cast<int>(I)>::value.view()}...};
  const std::string_view output_arg = names[last];
  const attributes none;
  const std::array<pending, last + 2> rows{
      pending{"input", nn::placeholder.id(), &none, &input, nullptr, 0},
      pending{names[I + 1], layer.op, &layer.attrs, &layer.shape, &names[I], 1}...,
      pending{"output", nn::output.id(), &none, &input, &output_arg, 1}};
  return freeze<last + 2, last + 1>(link(rows.data(), rows.size()));
}

}  // namespace linking

/// One layer after the other, named "0", "1", … as in torch.nn.Sequential:
///   sequential({1, 784}, nn::linear({.out_features = 128}), nn::relu(), …)
template <class... Layer>
consteval auto sequential(shape input, const Layer&... layer) {
  return linking::sequential(std::index_sequence_for<Layer...>{}, input, layer...);
}

template <const auto& Model>
struct model_check {
  static constexpr bool bad() { return Model.problem.any(); }
  static constexpr auto message() { return Model.problem.text; }
};

/// Derive from it to have a model checked: an error names the node.
template <const auto& Model>
struct checked_model : report<model_check<Model>> {};

}  // namespace ctq
