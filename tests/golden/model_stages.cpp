// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_stages.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>

#include "ctq/passes/convert.hpp"
#include "fast_lowered.hpp"
#include "model_deviations.hpp"
#include "model_values.hpp"
#include "traced_rows.hpp"

namespace golden {
namespace {

using ctq::node;
using ctq::node_value;
using ctq::stage;
using attributes = std::vector<ctq::float_ops::named_value>;

ctq::result<node_value> last_of(ctq::result<std::vector<node_value>> values) {
  if (!values) return ctq::unexpected{values.error()};
  return values->back();
}

std::vector<node_value> in_float(const std::vector<node_value>& values) {
  std::vector<node_value> out(values.size());
  std::ranges::transform(values, out.begin(), [](const node_value& v) { return v.real(); });
  return out;
}

/// relu(conv(x) + y), the module of the golden data's own backend.
ctq::result<node_value> conv_add_relu(const std::vector<node_value>& reads, attributes a) {
  if (reads.size() != 2) return ctq::fail("ConvAddReLU", "reads two tensors");
  const ctq::float_ops::value y = reads[1].real();
  auto out = ctq::float_ops::call(ctq::nn::conv2d.id(),
                                  {.positional = {reads[0].real()}, .attributes = std::move(a)});
  if (out) out = ctq::float_ops::call(ctq::fn::add.id(), {.positional = {*out, y}});
  if (out) out = ctq::float_ops::call(ctq::fn::relu.id(), {.positional = {*out}});
  if (!out) return ctq::unexpected{out.error()};
  return node_value(*std::move(out));
}

json numbers_of(const ctq::tensor_qparams& s) {
  std::vector<double> zero_point(s.zero_point.begin(), s.zero_point.end());
  if (!s.float_zero_point.empty())
    zero_point.assign(s.float_zero_point.begin(), s.float_zero_point.end());
  if (s.is_per_channel()) return {{"scale", s.scale}, {"zero_point", zero_point}};
  return {{"scale", s.scale[0]}, {"zero_point", s.zero_point[0]}};
}

bool is_recurrent(ctq::op_id op) {
  return is_any_of(op, ctq::nn::lstm, ctq::nn::gru, ctq::nn::lstm_cell, ctq::nn::gru_cell,
                   ctq::nn::rnn_cell);
}

std::string qscheme_of(const ctq::observer_args& a) {
  if (!is_per_channel(a.qscheme)) return "per_tensor_affine";
  const bool real = a.qscheme == ctq::qscheme::per_channel_affine_float_qparams;
  return real ? std::string(name_of(a.qscheme)) : "per_channel_affine";
}

/// The description of a reference quantized module that has this weight, perhaps inside.
const json* reference_module(const json& row) {
  const json& module = row.at("module");
  if (module.contains("weight_scale")) return &module;
  if (!module.contains("children")) return nullptr;
  for (const json& child : module.at("children"))
    if (child.contains("weight_scale")) return &child;
  return nullptr;
}

bool is_quantize(const json& row) {
  return row.at("target").get<std::string>().starts_with("torch.quantize_per_");
}

/// The node whose value a quantize or an observer reads, and how many others are between.
struct quantize_source {
  std::string name;
  int between = 0;

  bool operator==(const quantize_source&) const = default;
};

/// Of a quantize in the rows of a reference graph, which reads dequantizes; the input for one that
/// reads the dequantize of an input on integers.
quantize_source source_of_quantize(const json& rows, const json& quantize) {
  const json* from = find_row(rows, node_at(quantize, 0));
  if (from == nullptr || from->at("target") != "dequantize") return {node_at(quantize, 0)};
  const json* before = find_row(rows, node_at(*from, 0));
  if (before == nullptr || !is_quantize(*before)) return {node_at(*from, 0)};
  quantize_source of = source_of_quantize(rows, *before);
  ++of.between;
  return of;
}

/// Of an observer of a prepared graph.
quantize_source source_of_observer(ctq::graph_view<stage::prepared> g, int observer) {
  quantize_source of;
  int from = g.args_of(observer)[0];
  for (; g[from].observer_config != nullptr; from = g.args_of(from)[0]) ++of.between;
  of.name = g[from].name;
  return of;
}

/// The reference graph before convert removes what nothing reads.
ctq::dynamic_graph<stage::reference> with_dead_nodes(const model_case& of,
                                                     const ctq::nested_model& m,
                                                     const ctq::mapping_view* mapping) {
  ctq::convert_options o = of.convert_options();
  o.prepared = m.options;
  o.mapping = mapping;
  o.backend = &of.backend();
  ctq::dynamic_graph<stage::reference> g;
  ctq::converting::conversion(m.prepared.view(), m.backend, m.mapping, o, g);
  return g;
}

}  // namespace

ctq::user_implementation float_implementation(const model_case& of,
                                              const ctq::module_state& modules) {
  return [&of, &modules](const node& n, const std::vector<node_value>& reads,
                         const attributes& a) -> std::optional<ctq::result<node_value>> {
    if (n.op->name == "ConvAddReLU") return conv_add_relu(reads, a);
    const auto opaque = of.opaque_modules().find(std::string(path_of(n)));
    if (n.op->kind != ctq::op_kind::module || opaque == of.opaque_modules().end()) return {};
    const ctq::module_state inside = modules.inside(opaque->first);
    return last_of(
        ctq::evaluator<stage::traced>(opaque->second.view(), inside, {}).run(in_float(reads)));
  };
}

model_stages::model_stages(const suite_file& file, const model_case& of, const ctq::nested_model& m,
                           const ctq::mapping_view* convert_mapping, ctq::module_state modules,
                           const json& wanted_reference)
    : file_(file),
      case_(of),
      m_(m),
      semantics_(m.options.semantics),
      converted_(with_dead_nodes(of, m, convert_mapping)),
      modules_(std::move(modules)),
      observers_(semantics_) {
  if (convert_mapping != nullptr) {
    const auto entries = ctq::resolve_qconfigs(m.prepared.view(), *convert_mapping, semantics_);
    for (int i = 0; i < m.prepared.size(); ++i)
      if (entries[i] < 0 || !convert_mapping->entries[entries[i]].quantizes)
        left_in_float_.insert(std::string(m.prepared.nodes[i].name));
  }
  if (!wanted_reference.is_null()) {
    take_steps(wanted_reference);
    if (of.is_qat()) take_weight_qparams(wanted_reference);
  }
  add_standalone(wanted_reference);
  if (!wanted_reference.is_null()) add_custom();
}

void model_stages::add_standalone(const json& wanted_reference) {
  for (const auto& inside : m_.modules) {
    json rows;
    for (const json& row : wanted_reference)
      if (row.at("op") == "call_module" && row.at("target") == inside->path)
        rows = row.at("module").at("graph");
    child& c = children_.emplace_back();
    c.path = inside->path;
    c.stages = std::make_unique<model_stages>(file_, case_, *inside, nullptr,
                                              modules_.inside(inside->path), rows);
  }
}

/// The quantized forms of the custom modules of the data hold the quantized forms of what is in
/// them, with the scale and zero point of the observer behind them.
void model_stages::add_custom() {
  static constexpr int first = 0;
  for (int i = 0; i < m_.reference.size(); ++i) {
    const node& n = m_.reference.nodes[i];
    const auto inside = case_.opaque_modules().find(std::string(path_of(n)));
    const bool is_custom = std::any_of(
        m_.options.custom.custom_modules.begin(), m_.options.custom.custom_modules.end(),
        [&](const ctq::custom_module& c) { return c.quantized == n.op; });
    if (!is_custom || inside == case_.opaque_modules().end()) continue;
    child& c = children_.emplace_back();
    c.path = inside->first;
    c.is_custom = true;
    c.mapping = m_.mapping.entries[n.choice.qconfig];
    c.mapping.level = ctq::mapping_level::global;
    ctq::prepare_options told = m_.options;
    const bool is_dynamic = c.mapping.qconfig.activation.args.is_dynamic;
    told.custom.input_quantized_indexes = {&first, is_dynamic ? 0 : 1};
    told.custom.output_quantized_indexes = told.custom.input_quantized_indexes;
    told.custom.standalone = {};
    told.custom.custom_modules = {};
    c.model = ctq::prepare_model({inside->second.view()}, case_.backend(), {&c.mapping, 1}, told);
    ctq::convert_model(c.model, case_.backend(), {.semantics = semantics_});
    ctq::lower_model(c.model, {.semantics = semantics_, .only_with_kernels = false});
    c.stages = std::make_unique<model_stages>(file_, case_, c.model, nullptr,
                                              modules_.inside(c.path), json{});
    for (int k = 0; k < c.model.prepared.size(); ++k)
      if (const node& o = c.model.prepared.nodes[k]; o.observer_config != nullptr)
        if (const auto behind = case_.qparams_after(file_, n, m_.prepared.view()))
          c.stages->qparams_.activations[o.observer] = *behind;
  }
}

json model_stages::custom_children(const std::string& path) const {
  json children = json::object();
  for (const child& c : children_)
    if (c.is_custom && c.path == path)
      for (const json& row : c.stages->lowered_rows())
        if (row.at("op") == "call_module") children[row.at("target")] = row.at("module");
  return children;
}

/// Each quantize is found by the node it reads: one node has one, or several that are equal, or as
/// many as it has observers, in their order.
void model_stages::take_steps(const json& wanted) {
  const ctq::graph_view<stage::prepared> g = m_.prepared.view();
  const auto is_quantize_of = [&](const json& row, const quantize_source& from) {
    return is_quantize(row) && source_of_quantize(wanted, row) == from;
  };
  for (int i = 0; i < g.size(); ++i) {
    if (g[i].observer_config == nullptr) continue;
    const quantize_source from = source_of_observer(g, i);
    std::ptrdiff_t observers = 0;
    std::ptrdiff_t place = 0;
    for (int k = 0; k < g.size(); ++k) {
      const bool same = g[k].observer_config != nullptr && g.args_of(k)[0] == g.args_of(i)[0];
      observers += same ? 1 : 0;
      place += same && k < i ? 1 : 0;
    }
    const auto quantizes =
        std::ranges::count_if(wanted, [&](const json& row) { return is_quantize_of(row, from); });
    std::ptrdiff_t row_place = 0;
    for (const json& row : wanted) {
      if (!is_quantize_of(row, from)) continue;
      if (row_place++ != place && quantizes == observers) continue;
      const std::string target = row.at("target");
      const bool per_channel = target == "torch.quantize_per_channel";
      if (!per_channel && target != "torch.quantize_per_tensor") continue;
      const json* scale = find_row(wanted, node_at(row, 1));
      const json* zero_point = find_row(wanted, node_at(row, 2));
      if (scale == nullptr || zero_point == nullptr) throw malformed("a quantize without a scale");
      const int axis = per_channel ? integer<int>(row.at("args").at(3)) : -1;
      qparams_.activations[g[i].observer] =
          tensor_qparams_from(file_, g[i].observer_config->args.dtype, axis, scale->at("value"),
                              zero_point->at("value"));
    }
  }
}

void model_stages::take_weight_qparams(const json& wanted) {
  for (int i = 0; i < m_.reference.view().size(); ++i) {
    const node& n = m_.reference.view()[i];
    const json* row = find_row(wanted, std::string(n.name));
    if (n.weight == nullptr || row == nullptr) continue;
    const json* m = reference_module(*row);
    if (m == nullptr) continue;
    const int axis = is_per_channel(n.weight->args.qscheme) ? n.weight->args.ch_axis : -1;
    qparams_.weights[std::string(path_of(n)) + ".weight"] = tensor_qparams_from(
        file_, n.weight->args.dtype, axis, m->at("weight_scale"), m->at("weight_zero_point"));
  }
}

// --- Rows --------------------------------------------------------------------------------------

template <class Graph>
json model_stages::describe_weight(Graph& run, const node& n, bool packed) const {
  if (n.weight == nullptr) return json::object();
  const ctq::observer_args& a = n.weight->args;
  if (!packed && is_recurrent(n.op)) {
    json all = json::object();
    for (const auto& [name, given] : modules_.attributes_of(path_of(n))) {
      if (!name.starts_with("weight")) continue;
      const auto w = run.weight_of(n, name);
      if (!w) throw malformed(w.error().message());
      const json s = *w ? numbers_of((*w)->qparams) : json{{"scale", 1.0}, {"zero_point", 0}};
      all[name + "_scale"] = s.at("scale");
      all[name + "_zero_point"] = s.at("zero_point");
    }
    return all;
  }
  const auto w = run.weight_of(n);
  if (!w) throw malformed(w.error().message());
  if (!*w)
    return {{"weight_dtype", std::string(name_of(a.dtype))},
            {"weight_qscheme", nullptr},
            {"weight_scale", 1.0},
            {"weight_zero_point", 0}};
  const json s = numbers_of((*w)->qparams);
  if (!packed)
    return {{"weight_dtype", std::string(name_of(a.dtype))},
            {"weight_qscheme", qscheme_of(a)},
            {"weight_scale", s.at("scale")},
            {"weight_zero_point", s.at("zero_point")}};
  const std::vector<std::int32_t> q = (*w)->int_repr();
  const std::string plural = (*w)->qparams.is_per_channel() ? "s" : "";
  return {{"q_weight", q},
          {"q_weight_scale" + plural, s.at("scale")},
          {"q_weight_zero_point" + plural, s.at("zero_point")}};
}

row_values model_stages::numbers() const {
  row_values v;
  v.tensor = [this](const std::string& path) -> json {
    const ctq::float_ops::tensor* const t = tensor_at(modules_, path);
    if (t == nullptr) throw malformed("the model has no " + path);
    return std::vector<double>(t->data.begin(), t->data.end());
  };
  v.qparams = [this](int observer) -> json {
    const auto found = qparams_.activations.find(observer);
    if (found == qparams_.activations.end()) return {{"scale", nullptr}, {"zero_point", nullptr}};
    return numbers_of(found->second);
  };
  v.reference_weight = [this](const node& n) {
    ctq::evaluator<stage::reference> run(m_.reference.view(), modules_,
                                         {.semantics = semantics_, .qparams = &qparams_});
    return describe_weight(run, n, false);
  };
  v.left_in_float = [this](const node& n) { return left_in_float_.contains(std::string(n.name)); };
  v.packed_weight = [this](const node& n) {
    ctq::evaluator<stage::lowered> run(m_.lowered.view(), modules_,
                                       {.semantics = semantics_, .qparams = &qparams_});
    return describe_weight(run, n, true);
  };
  return v;
}

/// Rows of standalone modules have the module's own rows inside.
void model_stages::nest(json& rows, json (model_stages::*of)() const) const {
  for (json& row : rows)
    for (const child& c : children_)
      if (!c.is_custom && row.at("op") == "call_module" && row.at("target") == c.path)
        row["module"] = {{"type", "torch.fx.graph_module.GraphModule"},
                         {"graph", (c.stages.get()->*of)()}};
}

json model_stages::prepared_rows() const {
  json rows = rows_of(m_.prepared.view(), numbers());
  nest(rows, &model_stages::prepared_rows);
  return rows;
}

json model_stages::reference_rows() const {
  json rows = rows_of(converted_.view(), m_.mapping, numbers());
  nest(rows, &model_stages::reference_rows);
  return rows;
}

json model_stages::lowered_rows() const {
  json rows = rows_of(m_.lowered.view(), converted_.view(), m_.mapping, numbers());
  nest(rows, &model_stages::lowered_rows);
  return rows;
}

// --- Numbers -----------------------------------------------------------------------------------

ctq::evaluation_options model_stages::options(run_stage of_children) {
  ctq::evaluation_options o;
  o.semantics = semantics_;
  o.observers = &observers_;
  o.qparams = &qparams_;
  o.implementation = [this, of_children](
                         const node& n, const values& reads,
                         const attributes& a) -> std::optional<ctq::result<node_value>> {
    for (const child& c : children_) {
      if (n.op->kind != ctq::op_kind::module || path_of(n) != c.path) continue;
      // PyTorch's quantized layers are in both quantized models.
      if (!c.is_custom) return (c.stages.get()->*of_children)(reads);
      const bool is_quantized =
          of_children == &model_stages::run_reference || of_children == &model_stages::run_lowered;
      if (is_quantized) return c.stages->run_lowered(reads);
    }
    return float_implementation(case_, modules_)(n, reads, a);
  };
  return o;
}

ctq::result<node_value> model_stages::run_prepared(const values& inputs) {
  const auto o = options(&model_stages::run_prepared);
  return last_of(ctq::evaluator<stage::prepared>(m_.prepared.view(), modules_, o).run(inputs));
}

ctq::result<node_value> model_stages::run_trained(const values& inputs) {
  observers_.enable(false, true);
  const auto o = options(&model_stages::run_trained);
  ctq::evaluator<stage::prepared> run(m_.prepared.view(), modules_, o);
  auto values = run.run(inputs);
  if (!values) return ctq::unexpected{values.error()};
  deviation_ = deviation_of_ties(run, *values, observers_);
  return values->back();
}

std::vector<ctq::float_ops::tensor> model_stages::shown_to(int observer, const values& inputs) {
  auto o = options(&model_stages::run_prepared);
  o.observers = nullptr;
  const auto all = ctq::evaluator<stage::prepared>(m_.prepared.view(), modules_, o).run(inputs);
  std::vector<ctq::float_ops::tensor> shown;
  for (int i = 0; all && i < m_.prepared.view().size(); ++i) {
    if (m_.prepared.view()[i].observer_config == nullptr ||
        m_.prepared.view()[i].observer != observer)
      continue;
    const ctq::float_ops::value v = (*all)[static_cast<std::size_t>(i)].real();
    if (const auto* x = v.get_if<ctq::float_ops::tensor>()) shown.push_back(*x);
  }
  return shown;
}

ctq::result<node_value> model_stages::run_reference(const values& inputs) {
  const auto o = options(&model_stages::run_reference);
  ctq::evaluator<stage::reference> run(m_.reference.view(), modules_, o);
  auto values = run.run(inputs);
  if (!values) return ctq::unexpected{values.error()};
  deviation_ = deviation_of_ties(run, *values);
  return values->back();
}

ctq::result<node_value> model_stages::run_lowered(const values& inputs) {
  const auto o = options(&model_stages::run_lowered);
  ctq::evaluator<stage::lowered> run(m_.lowered.view(), modules_, o);
  auto values = run.run(inputs);
  if (!values) return ctq::unexpected{values.error()};
  std::map<std::string, double> inside;
  for (const child& c : children_)
    if (!c.is_custom) inside[c.path] = c.stages->deviation();
  deviation_ = deviation_of_integers(run, *values, inside);
  const std::string other =
      difference_of_fast_kernels(m_.lowered.view(), modules_, o, inputs, *values);
  if (!other.empty()) return ctq::fail({}, other);
  return values->back();
}

}  // namespace golden
