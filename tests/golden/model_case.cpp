// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_case.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/json/write_backend.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/prepare.hpp"
#include "fx_rows.hpp"
#include "qconfig_records.hpp"
#include "traced_rows.hpp"

namespace golden {
namespace {

constexpr const char* observed_module = "graph";  // the key of a standalone module's rows

/// The backend that made the case custom_conv_add_relu: a sum of a conv and anything else, with a
/// relu behind it, is one module.
json custom_configs() {
  return json::parse(R"([
    {"pattern_complex_format": ["nn.ReLU", ["operator.add", "nn.Conv2d", "MatchAllNode"]],
     "fuser_method": "sequential_wrapper2", "fused_module": "ConvAddReLU",
     "root_node_getter": [1, 1], "extra_inputs_getter": [[1, 2]]},
    {"pattern": "ConvAddReLU", "root_module": "nn.Conv2d",
     "reference_quantized_module_for_root": "nnqr.Conv2d",
     "observation_type": "OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT",
     "dtype_configs": [{"input_dtype": "quint8", "output_dtype": "quint8",
                        "weight_dtype": "qint8", "bias_dtype": "float32"}]}])");
}

std::vector<int> quantized_places(const json& values) {
  std::vector<int> places;
  if (values.is_object() && values.contains("q")) return {0};
  if (!values.is_array()) return places;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].is_object() && values[i].contains("q")) places.push_back(static_cast<int>(i));
  return places;
}

ctq::view<int> view_of(const std::vector<int>& v) { return {v.data(), static_cast<int>(v.size())}; }

/// Where functions lie: PyTorch names the scale behind each after its module.
std::map<std::string, std::string> scopes_in(const json& reference, const json& modules) {
  std::map<std::string, std::string> scopes;
  std::map<std::string, std::string> paths;
  for (const auto& [path, type] : modules.items()) {
    std::string prefix = path;
    std::replace(prefix.begin(), prefix.end(), '.', '_');
    paths.emplace(prefix, path);
  }
  for (const json& row : reference) {
    if (row.at("target") != "torch.quantize_per_tensor") continue;
    const json* attribute = find_row(reference, node_at(row, 1));
    const std::string scale = attribute == nullptr ? "" : attribute->at("target");
    const std::size_t end = scale.rfind("_scale_");
    if (end == std::string::npos) continue;
    const std::string prefix = scale.substr(0, end);
    const auto found = paths.find(prefix);
    if (prefix.empty() || found != paths.end())
      scopes[node_at(row, 0)] = prefix.empty() ? "" : found->second;
  }
  return scopes;
}

bool is_recurrent(ctq::op_id op) {
  return is_any_of(op, ctq::nn::lstm, ctq::nn::gru, ctq::nn::lstm_cell, ctq::nn::gru_cell,
                   ctq::nn::rnn_cell);
}

}  // namespace

// --- The mapping -------------------------------------------------------------------------------

model_mapping::model_mapping(const json& mapping, bool is_qat, ctq::view<ctq::op_id> types,
                             ctq::semantics semantics) {
  const auto global = qconfig_from(mapping.at("global"));
  if (mapping.value("object_type_is_default", false) && global) {
    const std::array<std::string, 5> engines{"fbgemm", "qnnpack", "onednn", "x86", "other"};
    for (int version = 1; version >= 0 && entries_.empty(); --version)
      for (const std::string& engine : engines) {
        const auto entries =
            ctq::default_qconfig_mapping_entries(engine, is_qat, semantics, version);
        if (entries.empty() || !(entries[0].qconfig == *global)) continue;
        entries_.assign(entries.begin(), entries.end());
        break;
      }
    if (entries_.empty()) throw malformed("a default mapping that ctq does not know");
  } else {
    add(ctq::mapping_level::global, mapping.at("global"));
    for (const json& e : mapping.at("object_type")) {
      const std::string name = e.at(0);
      ctq::op_id op = ctq::ops<ctq::builtin>::value.find(name);
      for (const ctq::op_id own : types)
        if (op == nullptr && own->name == name) op = own;
      if (op != nullptr) add(ctq::mapping_level::object_type, e.at(1), op);
    }
  }
  for (const json& e : mapping.at("module_name_regex"))
    add(ctq::mapping_level::module_name_regex, e.at(1), nullptr, e.at(0));
  for (const json& e : mapping.at("module_name"))
    add(ctq::mapping_level::module_name, e.at(1), nullptr, e.at(0));
  for (const json& e : mapping.at("module_name_object_type_order")) {
    const ctq::op_id op = ctq::ops<ctq::builtin>::value.find(e.at(1).get<std::string>());
    if (op != nullptr)
      add(ctq::mapping_level::module_name_object_type_order, e.at(3), op, e.at(0),
          integer<int>(e.at(2)));
  }
}

void model_mapping::add(ctq::mapping_level level, const json& qconfig, ctq::op_id op,
                        const std::string& module, int order) {
  const auto record = qconfig_from(qconfig);
  ctq::mapping_entry e;
  e.level = level;
  e.op = op;
  e.module = names_.emplace_back(module);
  e.order = order;
  e.quantizes = record.has_value();
  if (record) e.qconfig = *record;
  entries_.push_back(e);
}

void model_mapping::leave_in_float(const std::string& module) {
  add(ctq::mapping_level::module_name, nullptr, nullptr, module);
}

// --- The case ----------------------------------------------------------------------------------

model_case::model_case(const json& c, golden_backends& backends, ctq::semantics semantics)
    : c_(c), semantics_(semantics), is_qat_(c.value("is_qat", false)) {
  read_backend(backends);
  const json none = json::array();
  const json& reference = c.contains("reference") ? c.at("reference") : none;
  const json& prepared = c.contains("prepared") ? c.at("prepared") : none;
  const json rows =
      c.contains("traced") ? c.at("traced") : before_training(prepared, c.at("modules"));
  traced_ = read_rows(rows, reference);

  json leaves = rows;
  for (const json& row : prepared) {
    if (row.at("op") != "call_module" || row.contains("obs_id")) continue;
    const std::string path = row.at("target");
    const bool was_called = std::any_of(rows.begin(), rows.end(), [&](const json& r) {
      return r.at("op") == "call_module" && r.at("target") == path;
    });
    if (was_called) continue;
    if (row.at("module").contains(observed_module))
      read_standalone(row);
    else
      opaque_.emplace(path, read_rows(inside_of(rows, path, "x"), none));
    leaves = with_leaf(leaves, path, c.at("modules").at(path));
  }
  model_.traced = read_rows(leaves, reference);
  if (c.contains("quantized_eval_inputs"))
    model_.input_quantized_indexes = quantized_places(c.at("quantized_eval_inputs"));
  if (c.contains("reference_out"))
    model_.output_quantized_indexes = quantized_places(c.at("reference_out"));
  mapping_.emplace(c.at("mapping"), is_qat_, traced_->own_ops(), semantics);
  for (const standalone& s : standalone_)
    standalone_options_.push_back(
        {.name = s.path,
         .type = nullptr,
         .input_quantized_indexes = view_of(s.graph.input_quantized_indexes),
         .output_quantized_indexes = view_of(s.graph.output_quantized_indexes)});
  read_convert_mapping();
}

void model_case::read_backend(golden_backends& backends) {
  const json& name = c_.at("backend");
  const bool custom = name == "custom";
  backend_ = backends.find(name.is_null() || custom ? "native" : name.get<std::string>());
  if (!custom) return;
  std::string text;
  ctq::json::append_json(text, backend_);
  json all = json::parse(text);
  for (const json& c : custom_configs()) all["configs"].push_back(c);
  all["ops"] = {{{"name", "ConvAddReLU"}, {"kind", "module"}}};
  auto read = ctq::json::from_json(all.dump());
  if (!read) throw malformed(read.error().message());
  custom_.emplace(*std::move(read));
  backend_ = custom_->view();
}

ctq::fx_graph model_case::read_rows(const json& rows, const json& reference) const {
  json spelled_out =
      rows;  // Python has no name for the module of its own functions in some releases
  for (json& row : spelled_out)
    if (row.at("target") == "getattr") row["target"] = "builtins.getattr";
  auto graph = ctq::read_fx(spelled_out.dump());
  if (!graph) throw malformed(graph.error().message());
  const auto scopes = scopes_in(reference, c_.at("modules"));
  for (int i = 0; i < graph->view().size(); ++i) {
    const ctq::node& n = graph->view()[i];
    const auto found = scopes.find(std::string(n.name));
    const bool is_call = n.op->kind == ctq::op_kind::function || n.op->kind == ctq::op_kind::method;
    if (is_call && found != scopes.end()) graph->set_scope(i, graph->keep(found->second));
  }
  return *std::move(graph);
}

void model_case::read_standalone(const json& row) {
  standalone& s = standalone_.emplace_back();
  s.path = row.at("target");
  s.wanted_prepared = row.at("module").at(observed_module);
  for (const auto& [stage, wanted] :
       {std::pair{"reference", &s.wanted_reference}, std::pair{"lowered", &s.wanted_lowered}})
    if (c_.contains(stage))
      if (const json* r = find_row(c_.at(stage), row.at("name")))
        *wanted = r->at("module").at(observed_module);
  const std::string input = s.wanted_prepared.at(0).at("name");
  s.graph.traced = read_rows(inside_of(c_.at("traced"), s.path, input), s.wanted_reference);
  if (s.wanted_reference.is_null()) return;
  for (const json& r : s.wanted_reference) {
    if (r.at("target") == "dequantize" && node_at(r, 0) == input)
      s.graph.input_quantized_indexes = {0};
    if (r.at("op") == "output" && node_at(r, 0).starts_with("quantize_"))
      s.graph.output_quantized_indexes = {0};
  }
}

/// Those whose weight convert quantizes if it is told nothing.
std::set<std::string> model_case::modules_that_convert() const {
  const auto fused = ctq::fuse(model_.traced.view(), backend(), {semantics_, is_qat_});
  const auto prepared = ctq::prepare_graph(fused.view(), backend(), mapping(), prepare_options());
  const auto reference =
      ctq::convert_graph(prepared.view(), backend(), mapping(),
                         {.semantics = semantics_, .prepared = prepare_options()});
  std::set<std::string> names;
  for (int i = 0; i < reference.view().size(); ++i)
    if (reference.view()[i].weight != nullptr &&
        c_.at("modules").contains(std::string(path_of(reference.view()[i]))) &&
        !is_recurrent(reference.view()[i].op))
      names.insert(std::string(reference.view()[i].name));
  return names;
}

void model_case::read_convert_mapping() {
  if (!c_.contains("reference")) return;
  const std::set<std::string> observed = [&] {
    const auto names = c_.at("observed_node_names").get<std::vector<std::string>>();
    return std::set<std::string>(names.begin(), names.end());
  }();
  const auto is_read_by = [](const json& rows, const std::string& name, const auto& fits) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const json& r) { return node_at(r, 0) == name && fits(r); });
  };
  const std::set<std::string> converted = modules_that_convert();
  for (const json& row : c_.at("prepared")) {
    const std::string name = row.at("name");
    if (row.at("op") != "call_module" || !observed.contains(name)) continue;
    const bool was_observed = is_read_by(c_.at("prepared"), name, [](const json& r) {
      return r.contains("obs_id") && r.at("module").contains("quant_min");
    });
    const bool is_quantized = is_read_by(c_.at("reference"), name, [](const json& r) {
      return r.at("target").get<std::string>().starts_with("torch.quantize_");
    });
    const json* reference = find_row(c_.at("reference"), name);
    const bool stays_float = converted.contains(name) && reference != nullptr &&
                             reference->dump().find("weight_scale") == std::string::npos;
    if ((!was_observed || is_quantized) && !stays_float) continue;
    if (!convert_mapping_)
      convert_mapping_.emplace(c_.at("mapping"), is_qat_, traced_->own_ops(), semantics_);
    convert_mapping_->leave_in_float(row.at("target"));
    left_in_float_.insert(row.at("target").get<std::string>());
  }
  if (convert_mapping_) convert_view_ = convert_mapping_->view();
}

ctq::prepare_options model_case::prepare_options() const {
  ctq::prepare_options o;
  o.semantics = semantics_;
  o.policy = ctq::unsupported::skip;
  o.is_qat = is_qat_;
  o.input_quantized_indexes = view_of(model_.input_quantized_indexes);
  o.output_quantized_indexes = view_of(model_.output_quantized_indexes);
  o.standalone = {standalone_options_.data(), static_cast<int>(standalone_options_.size())};
  return o;
}

ctq::prepare_options model_case::prepare_options(const standalone& s) const {
  ctq::prepare_options o = prepare_options();
  o.input_quantized_indexes = view_of(s.graph.input_quantized_indexes);
  o.output_quantized_indexes = view_of(s.graph.output_quantized_indexes);
  o.standalone = {};
  return o;
}

ctq::convert_options model_case::convert_options() const {
  ctq::convert_options o;
  o.semantics = semantics_;
  o.prepared = prepare_options();
  o.mapping = convert_mapping_ ? &convert_view_ : nullptr;
  return o;
}

}  // namespace golden
