// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/op_sets.hpp"
#include "ctq/core/ops.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/op_memo.hpp"
#include "ctq/passes/accept.hpp"
#include "ctq/passes/check_observers.hpp"
#include "ctq/passes/prepare_options.hpp"
#include "ctq/passes/qat_modules.hpp"
#include "ctq/passes/resolve_qconfig.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// convert, to the reference model: each observer becomes a quantize and a dequantize, modules whose
// weight is quantized say with what, everything between stays a float op. This is the meaning that
// the lowered model has to keep.

namespace ctq {

struct convert_options {
  ctq::semantics semantics{};
  prepare_options prepared{};     // what prepare was told
  const mapping_view* mapping{};  // of convert: entries that say None leave nodes in float
  bool decomposed = false;        // quantize and dequantize on plain integers, as PyTorch 2 exports
};

namespace converting {

/// The forms of quantize and dequantize that compute on plain integers, with the observer's range.
struct decomposed_row {
  op_id quantize, decomposed, dequantize;
};

inline constexpr decomposed_row decomposed_ops[] = {
    {q::quantize_per_tensor.id(), q::decomposed_quantize_per_tensor.id(),
     q::decomposed_dequantize_per_tensor.id()},
    {q::quantize_per_tensor_dynamic.id(), q::decomposed_quantize_per_tensor.id(),
     q::decomposed_dequantize_per_tensor.id()},
    {q::quantize_per_channel.id(), q::decomposed_quantize_per_channel.id(),
     q::decomposed_dequantize_per_channel.id()},
};

/// Null where there is no such form: half precision.
constexpr const decomposed_row* decomposed_form(op_id quantize) {
  for (const decomposed_row& r : decomposed_ops)
    if (r.quantize == quantize) return &r;
  return nullptr;
}

/// What an observer becomes; nullptr: nothing, it is taken away.
constexpr op_id quantize_op(const observer_record& r, semantics s) {
  const observer_args& a = r.args;
  const bool integer = a.dtype == quint8 || a.dtype == qint8 ||
                       (a.dtype == qint32 && !int32_activations_are_dropped(s));
  if (a.is_dynamic)
    return integer || a.dtype == f16 ? q::quantize_per_tensor_dynamic.id() : nullptr;
  if (a.dtype == f16) return q::to_float16.id();
  if (!integer) return nullptr;
  return is_per_channel(r.type) ? q::quantize_per_channel.id() : q::quantize_per_tensor.id();
}

/// Has a module of this class a reference form? PyTorch collects them from all configs.
constexpr bool has_reference(const backend_view& backend, op_id op) {
  for (const backend_pattern_config_record& c : backend.configs)
    if (c.root_module == op && c.reference_quantized_module_for_root != nullptr) return true;
  return false;
}

constexpr bool is_fused_module(const backend_view& backend, op_id op) {
  for (const backend_pattern_config_record& c : backend.configs)
    if (c.fused_module == op) return true;
  return false;
}

/// Is there a dtype config of the module alone that has just these dtypes?
constexpr bool has_dtypes(const backend_view& backend, op_id op, const qconfig_record& q) {
  const auto or_float = [](dtype d) { return d == dtype::none ? f32 : d; };
  const planned_dtypes p = dtypes_of(q);
  const observer_args& act = q.activation.args;
  for (const backend_pattern_config_record& c : backend.configs) {
    if (!c.pattern.is_single() || c.pattern.anchor() != op) continue;
    for (const dtype_config_record& d : c.dtype_configs) {
      const bool same_weight = or_float(d.weight_dtype.dtype) == q.weight.args.dtype;
      const dtype in = or_float(d.input_dtype.dtype);
      const dtype out = or_float(d.output_dtype.dtype);
      if (d.is_dynamic && act.is_dynamic && in == act.dtype && out == f32 && same_weight)
        return true;
      const dtype bias = act.dtype == f16 && q.weight.args.dtype == f16 ? f16 : f32;
      if (!d.is_dynamic && in == act.dtype && out == act.dtype && same_weight &&
          or_float(d.bias_dtype) == bias && !p.is_dynamic)
        return true;
    }
  }
  return false;
}

/// Norms and PReLU keep their parameters in float.
constexpr bool has_quantizable_weight(op_id op) {
  return is_weighted(op) &&
         !is_any_of(op, nn::prelu, nn::layer_norm, nn::batch_norm1d, nn::batch_norm2d,
                    nn::batch_norm3d, nn::instance_norm1d, nn::instance_norm2d, nn::instance_norm3d,
                    nni::bn_relu2d, nni::bn_relu3d);
}

constexpr bool is_weight_dtype(dtype d) {
  return d == quint8 || d == qint8 || d == f16 || d == quint4x2;
}

template <class Graph, class Out>
class conversion {
 public:
  constexpr conversion(const Graph& g, const backend_view& backend, const mapping_view& mapping,
                       const convert_options& options, Out& out)
      : g_(g),
        backend_(backend),
        mapping_(mapping),
        options_(options),
        has_leaves_(!options.prepared.standalone.empty() ||
                    !options.prepared.custom_modules.empty()),
        out_(out) {
    if (options.mapping != nullptr)
      resolve_qconfigs(g, *options.mapping, options.semantics, excluded_);
    give_room(moved_, g.count);
    int observed = 0;
    for (int i = 0; i < g.count; ++i)
      if (g.nodes[i].op == observed_by) ++observed;
    // Half a graph can be standalone modules, whose outputs are dequantized; and the range of what
    // is quantized as it comes is a node as well.
    out.open(2 * g.count + observed, g.arg_total() + g.count + 3 * observed);
    out.observers = g.observers;
    for (int i = 0; i < g.count; ++i) visit(i);
    out.close(nodes_, args_);
  }

 private:
  static constexpr op_id observed_by = q::activation_post_process.id();

  /// Is the node to be left in float: by what convert was told, else by what prepare was?
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
    const op_kind kind = g_.nodes[i].op->kind;
    if (kind == op_kind::output) keep_outputs_quantized(added);
    if (kind == op_kind::module) convert_module(i, added);
    if (kind == op_kind::placeholder && is_quantized(g_.nodes[i].dtype)) dequantize(i);
    if (has_leaves_) leaf(i, added);
  }

  constexpr void leaf(int i, int added) {
    if (is_custom(options_.prepared, g_.nodes[i].op)) skip_dequantizes(added, {});
    const standalone_module* const alone = standalone_of(options_.prepared, g_.nodes[i]);
    if (alone == nullptr) return;
    skip_dequantizes(added, alone->input_quantized_indexes);
    if (alone->output_quantized_indexes.empty()) return;
    out_.nodes[added].dtype = options_.prepared.quantized_dtype;
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

  /// Takes away the dequantizes in front of arguments that are read as integers; no index: of all.
  constexpr void skip_dequantizes(int added, const view<int>& indexes) {
    const int first = out_.nodes[added].first_arg;
    for (int a = 0; a < out_.nodes[added].arg_count; ++a) {
      const node& from = out_.nodes[out_.args[first + a]];
      const bool wanted = indexes.items == nullptr || contains(indexes, a);
      if (wanted && is_any_of(from.op, q::dequantize))
        out_.args[first + a] = out_.args[from.first_arg];
    }
  }

  constexpr void keep_outputs_quantized(int added) {
    const view<int>& wanted = options_.prepared.output_quantized_indexes;
    if (!wanted.empty()) skip_dequantizes(added, wanted);
  }

  /// What reads node i from now on reads it in float.
  constexpr void dequantize(int i) {
    const int from = moved_[i];
    out_.nodes[nodes_] = g_.nodes[i];
    out_.nodes[nodes_].name = "dequantize";
    out_.nodes[nodes_].number = number_++;
    out_.nodes[nodes_].op = q::dequantize.id();
    out_.nodes[nodes_].dtype = f32;
    out_.nodes[nodes_].row = nullptr;
    out_.nodes[nodes_].first_arg = args_;
    out_.nodes[nodes_].arg_count = 1;
    out_.args[args_++] = from;
    moved_[i] = nodes_++;
  }

  /// Do all that read or give this value stay in float?
  [[nodiscard]] constexpr bool is_excluded(int i, int from) const {
    // A value whose producer has a qconfig is never excluded: most of them.
    if (!has_none(from)) return false;
    for (int k = i + 1; k < g_.count; ++k) {
      const int first = g_.nodes[k].first_arg;
      for (int a = first; a < first + g_.nodes[k].arg_count; ++a)
        if (g_.args[a] == i && !has_none(k)) return false;
    }
    return true;
  }

  constexpr void observer(int i, int from) {
    const observer_record& record = *g_.nodes[i].app;
    const op_id op = quantize_op(record, options_.semantics);
    if (op == nullptr || is_excluded(i, from)) {
      moved_[i] = moved_[from];
      return;
    }
    if (is_any_of(op, q::quantize_per_tensor, q::quantize_per_channel) &&
        !gives_qparams(record.type) && !out_.problem.any())
      out_.problem.line("no scale and zero point come from").line(name_of(record.type));
    const decomposed_row* const form = options_.decomposed ? decomposed_form(op) : nullptr;
    int qparams = -1;  // of a value that is quantized as it comes: its range is looked at first
    if (form != nullptr && record.args.is_dynamic)
      qparams = insert(i, moved_[from], "choose_qparams", q::choose_qparams.id());
    int quantized = moved_[from];
    if (has_leaves_ && is_custom(options_.prepared, g_.nodes[from].op)) {
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

  /// Appends what reads a value in the place of observer i.
  constexpr int insert(int i, int from, std::string_view name, op_id op) {
    out_.nodes[nodes_].name = name;
    out_.nodes[nodes_].number = number_;
    out_.nodes[nodes_].op = op;
    out_.nodes[nodes_].shape = g_.nodes[i].shape;
    out_.nodes[nodes_].dtype = g_.nodes[i].dtype;
    out_.nodes[nodes_].choice.qconfig = g_.nodes[i].choice.qconfig;
    out_.nodes[nodes_].observer = g_.nodes[i].observer;
    out_.nodes[nodes_].app = g_.nodes[i].app;
    out_.nodes[nodes_].first_arg = args_;
    out_.nodes[nodes_].arg_count = 1;
    out_.args[args_++] = from;
    return nodes_++;
  }
  /// Of the node just appended.
  constexpr void add_argument(int added, int from) {
    ++out_.nodes[added].arg_count;
    out_.args[args_++] = from;
  }

  constexpr void convert_module(int i, int added) {
    const op_id op = g_.nodes[i].op;
    if (const op_id converted = trained_(op, trained_module)) out_.nodes[added].op = converted;
    out_.nodes[added].weight = nullptr;
    const int q = g_.nodes[i].choice.qconfig;
    if (!g_.nodes[i].choice.observed || q < 0 || !mapping_.entries[q].quantizes || has_none(i))
      return;
    const qconfig_record& qconfig = mapping_.entries[q].qconfig;
    const bool converts = convert_asks_again(options_.semantics)
                              ? is_convertible(out_.nodes[added].op, qconfig)
                              : g_.nodes[i].choice.dtype_config >= 0 &&
                                    quantizable_(root_of(i), has_quantizable_weight);
    if (converts && is_weight_dtype(qconfig.weight.args.dtype))
      out_.nodes[added].weight = &qconfig.weight;
  }

  /// The op that owns the weight: of a module that ctq does not know the root the backend names.
  [[nodiscard]] constexpr op_id root_of(int i) {
    const op_id op = g_.nodes[i].op;
    const int pattern = g_.nodes[i].choice.pattern;
    if (pattern < 0 || weighted_(op, is_weighted)) return op;
    const op_id root = backend_.configs.items[pattern].root_module;
    return root == nullptr ? op : root;
  }

  [[nodiscard]] constexpr bool is_convertible(op_id op, const qconfig_record& q) const {
    const op_id first = first_part_of(op);
    if (first != nullptr ? !has_reference(backend_, first)
                         : !has_reference(backend_, op) && !is_fused_module(backend_, op))
      return false;
    return has_dtypes(backend_, op, q);
  }

  const Graph& g_;
  backend_view backend_;
  mapping_view mapping_;
  const convert_options& options_;
  bool has_leaves_{};
  Out& out_;
  room<int, Graph::max_nodes> excluded_{};  // by node: its entry of convert's mapping
  room<int, Graph::max_nodes> moved_{};
  op_memo<op_id> trained_{};
  op_memo<bool> quantizable_{};
  op_memo<bool> weighted_{};
  int nodes_ = 0;
  int args_ = 0;
  int number_ = 0;
};

/// Takes away what nothing reads any more: the results of float ops that were skipped.
template <class Graph>
constexpr void remove_dead_nodes(Graph& g, int count) {
  room<bool, Graph::max_nodes> needed{};
  room<int, Graph::max_nodes> moved{};
  give_room(needed, count);
  give_room(moved, count);
  int kept = 0;
  for (int i = count - 1; i >= 0; --i) {
    const op_kind kind = g.nodes[i].op->kind;
    if (kind == op_kind::output || kind == op_kind::placeholder) needed[i] = true;
    if (!needed[i]) continue;
    ++kept;
    const int first = g.nodes[i].first_arg;
    for (int a = first; a < first + g.nodes[i].arg_count; ++a) needed[g.args[a]] = true;
  }
  if (kept == count) return;
  int nodes = 0;
  int args = 0;
  for (int i = 0; i < count; ++i) {
    if (!needed[i]) continue;
    const int first = g.nodes[i].first_arg;
    if (nodes != i) g.nodes[nodes] = g.nodes[i];
    g.nodes[nodes].first_arg = args;
    for (int a = first; a < first + g.nodes[nodes].arg_count; ++a)
      g.args[args++] = moved[g.args[a]];
    moved[i] = nodes++;
  }
  g.close(nodes, args);
}

}  // namespace converting

template <graph_at<stage::prepared> Graph, class Out>
constexpr void convert_into(const Graph& g, const backend_view& backend,
                            const mapping_view& mapping, const convert_options& options, Out& out) {
  converting::conversion<Graph, Out>{g, backend, mapping, options, out};
  converting::remove_dead_nodes(out, out.size());
}

[[nodiscard]] constexpr dynamic_graph<stage::reference> convert_graph(
    graph_view<stage::prepared> g, const backend_view& backend, const mapping_view& mapping,
    const convert_options& options = {}) {
  dynamic_graph<stage::reference> out;
  convert_into(g, backend, mapping, options, out);
  return out;
}

}  // namespace ctq
