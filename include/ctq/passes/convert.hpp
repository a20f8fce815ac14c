// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/graph.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/passes/check_convert_mapping.hpp"
#include "ctq/passes/check_observers.hpp"
#include "ctq/passes/dead_nodes.hpp"
#include "ctq/passes/fx_semantics.hpp"
#include "ctq/passes/lstm_outputs.hpp"
#include "ctq/passes/qat_modules.hpp"
#include "ctq/passes/reference_ops.hpp"
#include "ctq/passes/resolve_qconfig.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/fused_parts.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// convert, to the reference model: each observer becomes a quantize and a dequantize, modules with
// a quantized weight refer to its observer, and the ops between stay in float. The reference model
// defines the result of the lowered one.

namespace ctq {

struct convert_options {
  ctq::semantics semantics{};
  prepare_options prepared{};     // those of prepare
  const mapping_view* mapping{};  // of convert: entries that say None leave nodes in float
  const backend_view* backend{};  // of convert, whose reference modules PyTorch 1.13 converts to;
                                  // null: that of prepare
  convert_custom_config custom{};
  bool decomposed = false;  // quantize and dequantize on plain integers, as PyTorch 2 exports
};

namespace converting {

template <class Graph, class Out>
class conversion {
 public:
  constexpr conversion(const Graph& g, const backend_view& backend, const mapping_view& mapping,
                       const convert_options& options, Out& out)
      : g_(g),
        backend_(backend),
        mapping_(mapping),
        options_(options),
        has_leaves_(options.prepared.custom.has_leaves()),
        out_(out) {
    if (options.mapping != nullptr) {
      resolve_qconfigs(g, *options.mapping, options.semantics, excluded_);
      out.problem = check_convert_mapping(g, mapping, *options.mapping, excluded_);
    }
    resize(moved_, g.count);
    int observed = 0;
    for (int i = 0; i < g.count; ++i)
      if (g.nodes[i].op == observed_by) ++observed;
    // Every node may be dequantized; the range of a dynamically quantized value is a node, too.
    out.open(2 * g.count + observed, g.arg_total() + g.count + 3 * observed);
    out.observers = g.observers;
    for (int i = 0; i < g.count; ++i) visit(i);
    out.close(nodes_, args_);
  }

 private:
  static constexpr op_id observed_by = q::activation_post_process.id();

  /// Whether the node stays in float: by convert's mapping, else by prepare's.
  [[nodiscard]] constexpr bool has_none(int i) const {
    const op_kind kind = g_.nodes[i].op->kind;
    if (kind == op_kind::pass) return false;
    if (kind == op_kind::placeholder || kind == op_kind::output) return true;
    if (options_.mapping != nullptr) {
      const int e = excluded_[i];
      return e < 0 || !options_.mapping->entries[e].quantizes;
    }
    if (kind == op_kind::get_attr) return false;
    const int q = g_.nodes[i].choice.qconfig;
    return q < 0 || !mapping_.entries[q].quantizes;
  }

  constexpr void visit(int i) {
    if (g_.nodes[i].op == observed_by) return observer(i, g_.args[g_.nodes[i].first_arg]);
    const int added = nodes_;
    copy(i);
    if (options_.mapping != nullptr && has_none(i)) out_.nodes[added].choice.dtype_config = -1;
    const op_kind kind = g_.nodes[i].op->kind;
    if (kind == op_kind::output) keep_outputs_quantized(i, added);
    if (kind == op_kind::module) convert_module(i, added);
    if (kind == op_kind::placeholder && is_quantized(g_.nodes[i].dtype)) {
      out_.nodes[added].observer = out_.observers++;  // its qparams follow those of observers
      dequantize(i);
    }
    if (has_leaves_) leaf(i, added);
  }

  /// The entry of an observed custom module that has a quantized class, or null.
  [[nodiscard]] constexpr const custom_module* observed_custom(int i) const {
    const node& n = g_.nodes[i];
    if (!has_leaves_ || n.op->kind != op_kind::module || !n.choice.observed) return nullptr;
    const custom_module* const custom =
        custom_of(options_.prepared, n.op, mapping_.entries[n.choice.qconfig].qconfig);
    return custom == nullptr || class_of(n.op, *custom) == nullptr ? nullptr : custom;
  }

  [[nodiscard]] constexpr op_id class_of(op_id observed, const custom_module& entry) const {
    return converted_class(options_.custom.custom_modules, observed, entry);
  }

  constexpr void leaf(int i, int added) {
    const custom_module* const custom = observed_custom(i);
    if (custom != nullptr) out_.nodes[added].op = class_of(g_.nodes[i].op, *custom);
    const bool in_tuple = gives_quantized_tuple(observed_custom(whole_of(g_, i)));
    const standalone_module* const alone = standalone_of(options_.prepared, g_.nodes[i]);
    if (alone == nullptr && !in_tuple && (custom == nullptr || custom->type != quant_type::static_))
      return;
    skip_dequantizes(added, [&](int a) {
      return alone == nullptr || contains(alone->custom.input_quantized_indexes, a);
    });
    if (!in_tuple && (alone == nullptr || alone->custom.output_quantized_indexes.empty())) return;
    out_.nodes[added].dtype = options_.prepared.quantized_dtype;
    if (in_tuple) out_.nodes[added].observer = observer_in_tuple(g_, i);
    dequantize(i);
  }

  constexpr void copy(int i) {
    out_.nodes[nodes_] = g_.nodes[i];
    out_.nodes[nodes_].first_arg = args_;
    const int first = g_.nodes[i].first_arg;
    for (int a = first; a < first + g_.nodes[i].arg_count; ++a)
      out_.args[args_++] = moved_[g_.args[a]];
    moved_[i] = nodes_++;
  }

  /// Removes the dequantizes before arguments that are read as integers.
  template <class IsRead>
  constexpr void skip_dequantizes(int added, IsRead is_read) {
    const int first = out_.nodes[added].first_arg;
    for (int a = 0; a < out_.nodes[added].arg_count; ++a) {
      const node& from = out_.nodes[out_.args[first + a]];
      if (is_read(a) && is_any_of(from.op, q::dequantize))
        out_.args[first + a] = out_.args[from.first_arg];
    }
  }

  constexpr void keep_outputs_quantized(int i, int added) {
    const view<int>& wanted = options_.prepared.custom.output_quantized_indexes;
    if (wanted.empty()) return;
    const list<int> index = output_indexes(g_, i);
    skip_dequantizes(added, [&](int a) { return contains(wanted, index[a]); });
  }

  /// Appends a dequantize, so that later nodes read node i in float.
  constexpr void dequantize(int i) {
    const int from = moved_[i];
    out_.nodes[nodes_] = g_.nodes[i];
    out_.nodes[nodes_].name = "dequantize";
    out_.nodes[nodes_].number = number_++;
    out_.nodes[nodes_].op = q::dequantize.id();
    out_.nodes[nodes_].dtype = f32;
    out_.nodes[nodes_].observer = out_.nodes[from].observer;
    out_.nodes[nodes_].row = nullptr;
    out_.nodes[nodes_].first_arg = args_;
    out_.nodes[nodes_].arg_count = 1;
    out_.args[args_++] = from;
    moved_[i] = nodes_++;
  }

  /// Whether the node that computes this value and all its readers stay in float. False for an
  /// input of integers.
  [[nodiscard]] constexpr bool is_excluded(int i, int from) const {
    if (!has_none(from) || is_quantized(g_.nodes[from].dtype)) return false;
    for (int k = i + 1; k < g_.count; ++k) {
      const int first = g_.nodes[k].first_arg;
      for (int a = first; a < first + g_.nodes[k].arg_count; ++a)
        if (g_.args[a] == i && !has_none(k)) return false;
    }
    return true;
  }

  constexpr void observer(int i, int from) {
    const observer_record& record = *g_.nodes[i].observer_config;
    const op_id op = quantize_op(record, options_.semantics);
    if (op == nullptr || is_excluded(i, from)) {
      moved_[i] = moved_[from];
      return;
    }
    if (is_any_of(op, q::quantize_per_tensor, q::quantize_per_channel) &&
        !gives_qparams(record.type) && !out_.problem.any())
      out_.problem.line("no scale and zero point come from").line(name_of(record.type));
    const decomposed_row* const form = options_.decomposed ? decomposed_form(op) : nullptr;
    int qparams = -1;  // of a dynamically quantized value: the node that computes its qparams
    if (form != nullptr && record.args.is_dynamic)
      qparams = insert(i, moved_[from], "choose_qparams", q::choose_qparams.id());
    int quantized = moved_[from];
    const custom_module* const custom = observed_custom(from);
    if (custom != nullptr && custom->type == quant_type::static_) {
      out_.nodes[quantized].observer = g_.nodes[i].observer;
    } else {
      quantized =
          insert(i, quantized, "quantize_per_tensor", form != nullptr ? form->decomposed : op);
      if (qparams >= 0) add_argument(quantized, qparams);
    }
    out_.nodes[quantized].dtype = record.args.dtype;
    moved_[i] =
        insert(i, quantized, "dequantize", form != nullptr ? form->dequantize : q::dequantize.id());
    if (qparams >= 0) add_argument(moved_[i], qparams);
    ++number_;
  }

  /// Appends a node that reads a value, in the place of observer i.
  constexpr int insert(int i, int from, std::string_view name, op_id op) {
    out_.nodes[nodes_].name = name;
    out_.nodes[nodes_].number = number_;
    out_.nodes[nodes_].op = op;
    out_.nodes[nodes_].shape = g_.nodes[i].shape;
    out_.nodes[nodes_].dtype = g_.nodes[i].dtype;
    out_.nodes[nodes_].choice.qconfig = g_.nodes[i].choice.qconfig;
    out_.nodes[nodes_].observer = g_.nodes[i].observer;
    out_.nodes[nodes_].observer_config = g_.nodes[i].observer_config;
    out_.nodes[nodes_].first_arg = args_;
    out_.nodes[nodes_].arg_count = 1;
    out_.args[args_++] = from;
    return nodes_++;
  }
  /// Adds an argument to the last node.
  constexpr void add_argument(int added, int from) {
    ++out_.nodes[added].arg_count;
    out_.args[args_++] = from;
  }

  constexpr void convert_module(int i, int added) {
    const op_id op = g_.nodes[i].op;
    if (const op_id converted = op->descriptor->float_form) out_.nodes[added].op = converted;
    out_.nodes[added].weight = nullptr;
    const int q = g_.nodes[i].choice.qconfig;
    if (!g_.nodes[i].choice.observed || q < 0 || !mapping_.entries[q].quantizes || has_none(i))
      return;
    const qconfig_record& qconfig = mapping_.entries[q].qconfig;
    const bool converts = convert_checks_dtypes_again(options_.semantics)
                              ? is_convertible(out_.nodes[added].op, qconfig)
                              : g_.nodes[i].choice.dtype_config >= 0 &&
                                    root_of(i)->descriptor->weights == op_weights::quantizable;
    const observer_record* const trained = g_.nodes[i].weight;
    const observer_record* const weight = trained == nullptr ? &qconfig.weight : trained;
    if (converts && is_weight_dtype(weight->args.dtype)) out_.nodes[added].weight = weight;
  }

  /// The op that owns the weight: for user-defined modules the backend's root module.
  [[nodiscard]] constexpr op_id root_of(int i) const {
    const op_id op = g_.nodes[i].op;
    const int pattern = g_.nodes[i].choice.pattern;
    if (pattern < 0 || op->descriptor->weights != op_weights::none) return op;
    const op_id root = backend_.configs.items[pattern].root_module;
    return root == nullptr ? op : root;
  }

  [[nodiscard]] constexpr bool is_convertible(op_id op, const qconfig_record& q) const {
    const op_id first = first_part_of(op);
    const backend_view& backend = options_.backend != nullptr ? *options_.backend : backend_;
    if (first != nullptr ? !has_reference(backend, first)
                         : !has_reference(backend, op) && !is_fused_module(backend, op))
      return false;
    return has_dtypes(backend, op, q);
  }

  const Graph& g_;
  backend_view backend_;  // of prepare: the nodes have numbers of its patterns
  mapping_view mapping_;
  const convert_options& options_;
  bool has_leaves_{};
  Out& out_;
  scratch_array<int, Graph::max_nodes> excluded_{};  // by node: its entry of convert's mapping
  scratch_array<int, Graph::max_nodes> moved_{};
  int nodes_ = 0;
  int args_ = 0;
  int number_ = 0;
};

}  // namespace converting

/// Writes the reference graph.
///   backend, mapping  those of prepare, whose numbers the nodes of the prepared graph have
template <graph_at<stage::prepared> Graph, class Out>
constexpr void convert_into(const Graph& g, const backend_view& backend,
                            const mapping_view& mapping, const convert_options& options, Out& out) {
  converting::conversion<Graph, Out>{g, backend, mapping, options, out};
  remove_dead_nodes(out);
}

/// The reference graph of a prepared one; parameters as in convert_into.
/// Errors  in the result: a mapping of convert that says neither None nor what that of prepare
///         does; an observer without qparams
template <class Out = dynamic_graph<stage::reference>>
[[nodiscard]] constexpr Out convert_graph(graph_view<stage::prepared> g,
                                          const backend_view& backend, const mapping_view& mapping,
                                          const convert_options& options = {}) {
  Out out;
  convert_into(g, backend, mapping, options, out);
  return out;
}

}  // namespace ctq
