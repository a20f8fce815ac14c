// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/graph/argument_places.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/passes/fx_semantics.hpp"

// Which nodes of a reference graph become one op on integers, and where: in the place of the
// following quantize, or in their own place if they quantize their input or weight themselves.

namespace ctq::lowering {

/// Whether a kernel computes the op on integers.
constexpr bool has_integer_kernel(op_id op) {
  const op_schedule& s = op->descriptor->schedule;
  if (s.how == schedule_as::nothing) return false;
  return s.how != schedule_as::step || op->kind == op_kind::pass ||
         kernels::exists(s.kernel, quint8, quint8);
}

/// nn.ReLU, F.relu, torch.relu: what can be fused into a preceding op on integers. Methods stay
/// separate, as in PyTorch.
constexpr bool is_fusible_relu(op_id op) {
  return op->descriptor->is_relu && op->kind != op_kind::method;
}

/// Ops whose output on integers has the qparams of their input in PyTorch: those that copy or
/// compare values, and dropout, which does nothing.
constexpr bool copies_values(op_id op) {
  return op->descriptor->on_integers == on_integers::input_scale || op->descriptor->is_identity;
}

template <class Graph>
class integer_forms {
 public:
  constexpr integer_forms(const Graph& g, semantics s, bool only_with_kernels)
      : g_(g),
        only_with_kernels_(only_with_kernels),
        whole_patterns_(!patterns_may_be_split(s)),
        drops_relus_(lowering_drops_relus_after_modules(s)),
        changes_outputs_(lowering_changes_outputs(s)) {
    resize_all(g.count, form, of, relu, is_dynamic, fused, users_);
    count_users(g, users_);
    bool may_give_float = false;
    for (int i = 0; i < g.count; ++i) {
      const op_id op = g.nodes[i].op;
      if (op == quantize || op == to_half) find_op(i, g.args[g.nodes[i].first_arg], op == to_half);
      if (g.nodes[i].weight != nullptr) find_weight_only(i);
      may_give_float = may_give_float || op == quantize_dynamic || op == to_half;
    }
    for (int i = 0; may_give_float && i < g.count; ++i) {
      const op_id op = g.nodes[i].op;
      if ((op == quantize || op == to_half) && form[i] != nullptr &&
          gives_float(of[i], op == to_half))
        undo_form(i);
    }
    // From the end, so that a relu is visited before the op that it follows.
    for (int i = g.count - 1; may_give_float && i >= 0; --i) find_dynamic(i);
  }

  // By node, for quantizes and for ops that read floats:
  scratch_array<op_id, Graph::max_nodes> form{};       // the op on integers; null: unchanged
  scratch_array<int, Graph::max_nodes> of{};           // the node whose arguments it has
  scratch_array<int, Graph::max_nodes> relu{};         // or another op fused into it, or -1
  scratch_array<bool, Graph::max_nodes> is_dynamic{};  // its first argument is read in float
  scratch_array<bool, Graph::max_nodes> fused{};       // part of such an op at another node

  /// The a-th argument of the integer op in the place of i.
  [[nodiscard]] constexpr int source(int i, int a) const {
    const int from = arg(of[i], a);
    if (!is_dequantized(from)) return from;
    const int quantized = arg(from);
    const bool in_float = is_dynamic[i] && g_.nodes[quantized].op == quantize_dynamic;
    return in_float ? arg(quantized) : quantized;
  }

  [[nodiscard]] constexpr bool is_dequantized(int i) const { return g_.nodes[i].op == dequantize; }

  /// The node that is replaced by the integer op into which the op at x is fused.
  [[nodiscard]] constexpr int place_of_fused(int x) const {
    int i = x;
    while (form[i] == nullptr || (of[i] != x && relu[i] != x)) ++i;
    return i;
  }

 private:
  static constexpr op_id quantize = q::quantize_per_tensor.id();
  static constexpr op_id quantize_dynamic = q::quantize_per_tensor_dynamic.id();
  static constexpr op_id to_half = q::to_float16.id();
  static constexpr op_id dequantize = q::dequantize.id();

  [[nodiscard]] constexpr int arg(int i, int which = 0) const {
    return g_.args[g_.nodes[i].first_arg + which];
  }
  [[nodiscard]] constexpr bool all_dequantized(int i) const {
    const int first = g_.nodes[i].first_arg;
    for (int a = first; a < first + g_.nodes[i].arg_count; ++a)
      if (g_.nodes[g_.args[a]].op != dequantize) return false;
    return g_.nodes[i].arg_count > 0;
  }
  /// The first argument, or the elements of the list that it is.
  [[nodiscard]] constexpr bool first_dequantized(int i) const {
    if (g_.nodes[i].row == nullptr)
      return all_dequantized(i) ||
             (g_.nodes[i].op->descriptor->weight_position > 0 && is_dequantized(arg(i)));
    if (g_.nodes[i].arg_count == 0) return false;
    const list<argument_place> places = places_of(g_, i);
    for (int a = 0; a < g_.nodes[i].arg_count; ++a)
      if (places[a].position == 0 && !is_dequantized(arg(i, a))) return false;
    return places[0].position == 0;
  }
  /// Also checks the weight of a function that would be quantized.
  [[nodiscard]] constexpr bool weight_dequantized(int i) const {
    const op_descriptor& d = *g_.nodes[i].op->descriptor;
    return d.weight_position == 0 || d.weights != op_weights::quantizable ||
           functional_dequantized(i);
  }
  [[nodiscard]] constexpr bool functional_dequantized(int i) const {
    return g_.nodes[i].arg_count >= 2 && is_dequantized(arg(i, 0)) && is_dequantized(arg(i, 1));
  }

  /// Whether the node is to be lowered. PyTorch only requires that it has a qconfig, not that the
  /// qconfig was honoured.
  [[nodiscard]] constexpr bool is_requested(int i) const {
    return whole_patterns_ ? g_.nodes[i].choice.dtype_config >= 0
                           : g_.nodes[i].choice.why.why != rejection::clause::no_qconfig;
  }

  /// The integer form of the op at x, with a following relu or without; null: none here.
  [[nodiscard]] constexpr op_id paired_form(int x, bool has_relu) {
    const op_id op = g_.nodes[x].op;
    const op_descriptor& d = *op->descriptor;
    const bool drops_relu = drops_relus_ && op->kind == op_kind::module;
    const op_id form = has_relu && !drops_relu ? d.integer_relu_form : d.integer_form;
    if (form == nullptr) return nullptr;
    const bool fits =
        d.weights == op_weights::none ? all_dequantized(x)
        : op->kind == op_kind::module
            ? g_.nodes[x].weight != nullptr &&
                  (d.schedule.tensors == 2 ? all_dequantized(x) : first_dequantized(x))
            : functional_dequantized(x);
    return fits ? if_available(form) : nullptr;
  }

  /// The integer form of the layer at x with the op at `then`; null: there is none.
  [[nodiscard]] constexpr op_id form_with_following(int x, int then) {
    for (const op_id form : g_.nodes[x].op->descriptor->integer_forms_then) {
      if (form == nullptr) return nullptr;
      const op_id op = g_.nodes[then].op;
      const op_id module = op->descriptor->module_form;
      if (form->descriptor->schedule.then == (module != nullptr ? module : op))
        return functional_dequantized(x) ? if_available(form) : nullptr;
    }
    return nullptr;
  }

  /// The op, or null if a kernel is required and there is none.
  [[nodiscard]] constexpr op_id if_available(op_id op) {
    if (op == nullptr || !only_with_kernels_) return op;
    return has_integer_kernel(op) ? op : nullptr;
  }

  /// The integer form of an op that keeps its name, and whose output the quantize at i reads.
  [[nodiscard]] constexpr op_id lone_form(int x, int i, bool half) {
    const op_id op = g_.nodes[x].op;
    const on_integers kept = op->descriptor->on_integers;
    if (kept == on_integers::none) return nullptr;
    if (op->kind == op_kind::module && op->descriptor->weights == op_weights::quantizable &&
        g_.nodes[x].weight == nullptr)
      return nullptr;
    if (kept == on_integers::where_functions) {
      if (!op->descriptor->functions.has_integer_form(g_.nodes[i].dtype)) return nullptr;
      for (int a = 0; a < g_.nodes[x].arg_count; ++a)
        if (!is_dequantized(arg(x, a)) || g_.nodes[arg(arg(x, a))].dtype != g_.nodes[i].dtype)
          return nullptr;
      return op;
    }
    const bool fits = !half || kept == on_integers::input_scale;
    const bool known = whole_patterns_ || !op->descriptor->is_since_2_1;
    return fits && known && first_dequantized(x) && weight_dequantized(x) ? if_available(op)
                                                                          : nullptr;
  }

  /// Makes the op at x and the relu `with` (-1: none) one op on integers, in the place of the
  /// quantize at i.
  constexpr void assign_form(int i, int x, int with, op_id op) {
    form[i] = op;
    of[i] = x;
    relu[i] = with;
    fused[x] = true;
    if (with >= 0) fused[with] = true;
  }

  /// Whether only outputs of the model read x, apart from the quantize at i.
  [[nodiscard]] constexpr bool is_otherwise_read_by_outputs(int x, int i) const {
    for (int k = 0; k < g_.count; ++k)
      for (int a = 0; a < g_.nodes[k].arg_count; ++a)
        if (arg(k, a) == x && k != i && g_.nodes[k].op->kind != op_kind::output) return false;
    return true;
  }

  /// Whether an op reads a dynamically quantized value, or a float16 value while a quantize to
  /// integers follows: its output is then float, and is quantized afterwards.
  [[nodiscard]] constexpr bool gives_float(int x, bool half) const {
    for (int a = 0; a < g_.nodes[x].arg_count; ++a) {
      if (!is_dequantized(arg(x, a))) continue;
      const op_id from = g_.nodes[arg(arg(x, a))].op;
      if (from == quantize_dynamic || (from == to_half && !half)) return true;
    }
    return false;
  }

  /// Undoes assign_form(i, ...).
  constexpr void undo_form(int i) {
    form[i] = nullptr;
    fused[of[i]] = false;
    if (relu[i] >= 0) fused[relu[i]] = false;
  }

  /// Finds the op before the quantize at i, or an op and a relu.
  constexpr void find_op(int i, int x, bool half) {
    if (users_[x] != 1 && !(changes_outputs_ && is_otherwise_read_by_outputs(x, i))) return;
    if (!half) {
      if (g_.nodes[x].arg_count == 1 && is_fusible_relu(g_.nodes[x].op)) {
        const int inner = arg(x);
        const op_id op =
            users_[inner] == 1 && is_requested(inner) ? paired_form(inner, true) : nullptr;
        if (op != nullptr) return assign_form(i, inner, x, op);
      }
      if (whole_patterns_ && g_.nodes[x].arg_count == 1 && users_[arg(x)] == 1 &&
          is_requested(arg(x)))
        if (const op_id op = form_with_following(arg(x), x)) return assign_form(i, arg(x), x, op);
      const op_id op = is_requested(x) ? paired_form(x, false) : nullptr;
      if (op != nullptr) return assign_form(i, x, -1, op);
    }
    if (whole_patterns_ && g_.nodes[x].choice.dtype_config == -1) return;
    if (const op_id op = lone_form(x, i, half)) assign_form(i, x, -1, op);
  }

  /// Finds embeddings, and in compiled models linear layers, of which only the weight is quantized.
  constexpr void find_weight_only(int i) {
    const op_descriptor& d = *g_.nodes[i].op->descriptor;
    const bool reads_floats = only_with_kernels_ && d.weight_only_form != nullptr &&
                              g_.nodes[arg(i)].dtype == f32 &&
                              g_.nodes[i].weight->args.dtype == qint8 && !is_dequantized(arg(i));
    if (!d.only_weight && !reads_floats) return;
    form[i] = if_available(d.only_weight ? d.integer_form : d.weight_only_form);
    of[i] = i;
    relu[i] = -1;
  }

  [[nodiscard]] constexpr bool is_dynamically_quantized(int i) const {
    return is_dequantized(i) && g_.nodes[arg(i)].op == quantize_dynamic;
  }

  /// Finds an op with a dynamically quantized input, with the relu at i if there is one.
  constexpr void find_dynamic(int i) {
    if (fused[i] || g_.nodes[i].arg_count == 0) return;
    const bool is_relu =
        is_any_of(g_.nodes[i].op, nn::relu, fn::relu) && g_.nodes[i].arg_count == 1;
    const int x = is_relu ? arg(i) : i;
    if (fused[x] || g_.nodes[x].arg_count == 0 || !is_dynamically_quantized(arg(x))) return;
    const op_descriptor& d = *g_.nodes[x].op->descriptor;
    if (d.weights == op_weights::none) return;
    const bool is_module = g_.nodes[x].op->kind == op_kind::module;
    if (is_module ? is_relu || g_.nodes[x].weight == nullptr
                  : !is_requested(x) || !functional_dequantized(x) || (is_relu && users_[x] != 1))
      return;
    const op_id op = if_available(is_relu ? d.dynamic_relu_form : d.dynamic_form);
    const dtype quantized = g_.nodes[arg(arg(x))].dtype;
    const bool has_dtype = !only_with_kernels_ || quantized == quint8 || quantized == f16 ||
                           (quantized == qint8 && op != nullptr &&
                            op->descriptor->schedule.kernel == kernel::linear_dynamic);
    if (op == nullptr || !has_dtype) return;
    form[i] = op;
    of[i] = x;
    relu[i] = is_relu ? i : -1;
    is_dynamic[i] = true;
    if (is_relu) fused[x] = true;
  }

  const Graph& g_;
  bool only_with_kernels_{};
  bool whole_patterns_{};
  bool drops_relus_{};
  bool changes_outputs_{};
  scratch_array<int, Graph::max_nodes> users_{};
};

}  // namespace ctq::lowering
