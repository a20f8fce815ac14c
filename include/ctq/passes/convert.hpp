// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/op_sets.hpp"
#include "ctq/core/ops.hpp"
#include "ctq/graph/graph.hpp"
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

class conversion {
 public:
  constexpr conversion(graph_view<stage::prepared> g, const backend_view& backend,
                       const mapping_view& mapping, const convert_options& options)
      : g_(g), backend_(backend), mapping_(mapping), options_(options), moved_(g.size(), -1) {
    if (options.mapping != nullptr)
      excluded_ = resolve_qconfigs(g, *options.mapping, options.semantics);
    out_.observers = g.observers;
    int observed = 0;
    for (int i = 0; i < g.size(); ++i)
      observed += is_any_of(g[i].op, q::activation_post_process) ? 1 : 0;
    out_.reserve(g.size() + observed, g.arg_total() + observed);
    for (int i = 0; i < g.size(); ++i) visit(i);
  }

  [[nodiscard]] constexpr const dynamic_graph<stage::reference>& graph() const { return out_; }

 private:
  /// Is the node to be left in float: by what convert was told, else by what prepare was?
  [[nodiscard]] constexpr bool has_none(int i) const {
    const op_kind kind = g_[i].op->kind;
    if (kind == op_kind::pass) return false;
    if (kind == op_kind::placeholder || kind == op_kind::output) return true;
    if (options_.mapping != nullptr) {
      const int e = excluded_[i];
      return e < 0 || !options_.mapping->entries[e].quantizes;
    }
    if (kind == op_kind::get_attr) return false;
    const int q = g_[i].choice.qconfig;
    return q < 0 || !mapping_.entries[q].quantizes;
  }

  constexpr void visit(int i) {
    args_.clear();
    for (const int a : g_.args_of(i)) args_.push_back(moved_[a]);
    const node& n = g_[i];
    if (is_any_of(n.op, q::activation_post_process)) return observer(i);
    if (n.op->kind == op_kind::output) keep_outputs_quantized(i);
    const standalone_module* const alone = standalone_of(options_.prepared, n);
    if (alone != nullptr) skip_dequantizes(i, alone->input_quantized_indexes);
    if (is_custom(options_.prepared, n.op)) skip_dequantizes(i, {});
    moved_[i] = out_.add(n, args_);
    if (n.op->kind == op_kind::module) convert_module(i, out_.nodes.back());
    if (n.op->kind == op_kind::placeholder && is_quantized(n.dtype)) dequantize(i);
    if (alone != nullptr && !alone->output_quantized_indexes.empty()) {
      out_.nodes.back().dtype = options_.prepared.quantized_dtype;
      dequantize(i);
    }
  }

  /// Takes away the dequantizes in front of arguments that are read as integers; no index: of all.
  constexpr void skip_dequantizes(int i, const view<int>& indexes) {
    for (int a = 0; a < g_[i].arg_count; ++a) {
      const bool wanted = indexes.items == nullptr || contains(indexes, a);
      if (wanted && is_any_of(out_.nodes[args_[a]].op, q::dequantize))
        args_[a] = out_.args[out_.nodes[args_[a]].first_arg];
    }
  }

  constexpr void keep_outputs_quantized(int i) {
    const view<int>& wanted = options_.prepared.output_quantized_indexes;
    if (!wanted.empty()) skip_dequantizes(i, wanted);
  }

  constexpr void dequantize(int i) {
    node d = g_[i];
    d.name = "dequantize";
    d.number = number_++;
    d.op = q::dequantize.id();
    d.dtype = f32;
    d.row = nullptr;
    moved_[i] = out_.add(d, moved_[i]);
  }

  /// Do all that read or give this value stay in float?
  [[nodiscard]] constexpr bool is_excluded(int i) const {
    if (!has_none(g_.args_of(i)[0])) return false;
    for (int k = i + 1; k < g_.size(); ++k)
      for (const int a : g_.args_of(k))
        if (a == i && !has_none(k)) return false;
    return true;
  }

  constexpr void observer(int i) {
    const node& n = g_[i];
    const int from = g_.args_of(i)[0];
    const op_id op = quantize_op(*n.app, options_.semantics);
    if (op == nullptr || (may_be_excluded(from) && is_excluded(i))) {
      moved_[i] = args_[0];
      return;
    }
    if (is_any_of(op, q::quantize_per_tensor, q::quantize_per_channel) &&
        !gives_qparams(n.app->type) && !out_.problem.any())
      out_.problem.line("no scale and zero point come from").line(name_of(n.app->type));
    const decomposed_row* const form = options_.decomposed ? decomposed_form(op) : nullptr;
    int qparams = -1;  // of a value that is quantized as it comes: its range is looked at first
    if (form != nullptr && n.app->args.is_dynamic) {
      qparams = out_.add(n, args_);
      rename(out_.nodes.back(), "choose_qparams", q::choose_qparams.id());
      args_.push_back(qparams);
    }
    if (is_custom(options_.prepared, g_[from].op)) {
      moved_[i] = args_[0];
      out_.nodes[args_[0]].dtype = n.app->args.dtype;
      out_.nodes[args_[0]].observer = n.observer;
    } else {
      moved_[i] = out_.add(n, args_);
      rename(out_.nodes.back(), "quantize_per_tensor", form != nullptr ? form->decomposed : op);
      out_.nodes.back().dtype = n.app->args.dtype;
    }
    args_.clear();
    args_.push_back(moved_[i]);
    if (qparams >= 0) args_.push_back(qparams);
    moved_[i] = out_.add(n, args_);
    rename(out_.nodes.back(), "dequantize",
           form != nullptr ? form->dequantize : q::dequantize.id());
    ++number_;
  }

  constexpr void rename(node& n, std::string_view name, op_id op) const {
    n.name = name;
    n.number = number_;
    n.op = op;
  }

  /// A value whose producer has a qconfig is never excluded: most of them.
  [[nodiscard]] constexpr bool may_be_excluded(int producer) const { return has_none(producer); }

  constexpr void convert_module(int i, node& n) const {
    if (const op_id converted = trained_module(n.op)) n.op = converted;
    n.weight = nullptr;
    const int q = g_[i].choice.qconfig;
    if (q < 0 || !mapping_.entries[q].quantizes || has_none(i) || !g_[i].choice.observed) return;
    const qconfig_record& qconfig = mapping_.entries[q].qconfig;
    const bool converts = convert_asks_again(options_.semantics)
                              ? is_convertible(n.op, qconfig)
                              : g_[i].choice.quantized() && has_quantizable_weight(root_of(i));
    if (converts && is_weight_dtype(qconfig.weight.args.dtype)) n.weight = &qconfig.weight;
  }

  /// The op that owns the weight: of a module that ctq does not know the root the backend names.
  [[nodiscard]] constexpr op_id root_of(int i) const {
    const int pattern = g_[i].choice.pattern;
    const op_id root = pattern < 0 ? nullptr : backend_.configs[pattern].root_module;
    return is_weighted(g_[i].op) || root == nullptr ? g_[i].op : root;
  }

  [[nodiscard]] constexpr bool is_convertible(op_id op, const qconfig_record& q) const {
    const op_id first = first_part_of(op);
    if (first != nullptr ? !has_reference(backend_, first)
                         : !has_reference(backend_, op) && !is_fused_module(backend_, op))
      return false;
    return has_dtypes(backend_, op, q);
  }

  graph_view<stage::prepared> g_;
  backend_view backend_;
  mapping_view mapping_;
  const convert_options& options_;
  list<int> excluded_;  // by node: its entry of convert's mapping
  list<int> moved_;
  list<int> args_;
  dynamic_graph<stage::reference> out_;
  int number_ = 0;
};

/// What nothing reads any more: the results of float ops that were skipped.
constexpr dynamic_graph<stage::reference> without_dead_nodes(
    const dynamic_graph<stage::reference>& from) {
  const graph_view<stage::reference> g = from.view();
  list<bool> needed(g.size(), false);
  int kept = 0;
  for (int i = g.size() - 1; i >= 0; --i) {
    const op_kind kind = g[i].op->kind;
    if (kind == op_kind::output || kind == op_kind::placeholder) needed[i] = true;
    if (!needed[i]) continue;
    ++kept;
    for (const int a : g.args_of(i)) needed[a] = true;
  }
  if (kept == g.size()) return from;
  dynamic_graph<stage::reference> out;
  out.problem = from.problem;
  out.observers = from.observers;
  out.reserve(kept, g.arg_total());
  list<int> moved(g.size(), -1);
  list<int> args;
  for (int i = 0; i < g.size(); ++i) {
    if (!needed[i]) continue;
    args.clear();
    for (const int a : g.args_of(i)) args.push_back(moved[a]);
    moved[i] = out.add(g[i], args);
  }
  return out;
}

}  // namespace converting

[[nodiscard]] constexpr dynamic_graph<stage::reference> convert_graph(
    graph_view<stage::prepared> g, const backend_view& backend, const mapping_view& mapping,
    const convert_options& options = {}) {
  return converting::without_dead_nodes(
      converting::conversion{g, backend, mapping, options}.graph());
}

}  // namespace ctq
