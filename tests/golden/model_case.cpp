// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_case.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/json/write_backend.hpp"
#include "model_values.hpp"
#include "qconfig_records.hpp"
#include "traced_rows.hpp"

namespace golden {
namespace {

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

std::vector<int> integers_of(const json& c, const char* key) {
  return c.is_object() && c.contains(key) ? c.at(key).get<std::vector<int>>() : std::vector<int>{};
}

template <class T>
ctq::view<T> view_of(const std::vector<T>& v) {
  return {v.data(), static_cast<int>(v.size())};
}

/// A graph, with what is known of the modules around each call.
ctq::fx_graph read_rows(json rows, const json& scopes) {
  for (json& row : rows) {
    // Python has no name for the module of its own functions in some releases.
    if (row.at("target") == "getattr") row["target"] = "builtins.getattr";
    const auto found = scopes.find(row.at("name").get<std::string>());
    if (found == scopes.end()) continue;
    const std::size_t inside = row.at("op") == "call_module" ? 2 : 1;  // a module is in its scopes
    if (found->size() < inside) throw malformed("a module without scopes");
    const json& scope = found->at(found->size() - inside);
    row["scope"] = scope.at(0);
    if (!scope.at(1).is_null()) row["scope_type"] = scope.at(1);
  }
  auto graph = ctq::read_fx(rows.dump());
  if (!graph) throw malformed(graph.error().message());
  return *std::move(graph);
}

/// The class of that name that a graph uses.
ctq::op_id class_of(const ctq::fx_graph& graph, const std::string& name) {
  for (const ctq::op_id own : graph.own_ops())
    if (own->name == name && own->kind == ctq::op_kind::module) return own;
  return ctq::ops<ctq::builtin>::value.find(name);
}

json empty_if_missing(const json& c, const char* key) { return c.value(key, json::object()); }

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

// --- A model or module ---------------------------------------------------------------------------

module_case::module_case(std::string path, const json& c, const json& asked,
                         golden_backends& backends, bool is_qat, ctq::semantics semantics)
    : path_(std::move(path)), graph_(read_rows(c.at("traced"), empty_if_missing(c, "scopes"))) {
  const json& mapping = asked.at("qconfig_mapping");
  if (!mapping.is_null()) mapping_.emplace(mapping, is_qat, graph_.own_ops(), semantics);
  const json custom = asked.value("prepare_custom", json{});
  inputs_ = integers_of(custom, "input_quantized_indexes");
  outputs_ = integers_of(custom, "output_quantized_indexes");
  for (const json* of : {&c, &custom}) {
    if (!of->is_object()) continue;
    if (of->contains("standalone"))
      read_standalone(of->at("standalone"), backends, is_qat, semantics);
    const json classes = empty_if_missing(*of, "custom_modules");
    for (const auto& [when, all] : classes.items())
      read_custom(all, when == "dynamic" ? ctq::quant_type::dynamic : ctq::quant_type::static_);
  }
}

void module_case::read_standalone(const json& standalone, golden_backends& backends, bool is_qat,
                                  ctq::semantics semantics) {
  const json modules = empty_if_missing(standalone, "modules");
  for (const auto& [path, module] : modules.items()) {
    const json names = empty_if_missing(standalone, "names");
    const json classes = empty_if_missing(standalone, "classes");
    const std::string type = module.at("type");
    const bool by_name = names.contains(path);
    const json& entry = by_name ? names.at(path) : classes.at(type);
    const module_case& m = modules_.emplace_back(path, module, entry, backends, is_qat, semantics);
    ctq::standalone_module s{.custom = m.custom()};
    if (by_name)
      s.name = m.path();
    else
      s.type = class_of(graph_, type);
    if (m.mapping()) s.mapping = &mappings_.emplace_back(m.mapping()->view());
    if (const json backend = entry.value("backend", json{}); !backend.is_null())
      s.backend = &backends_.emplace_back(backends.find(backend));
    standalone_.push_back(s);
  }
}

void module_case::read_custom(const json& classes, ctq::quant_type when) {
  const auto own = [this](const std::string& name) -> ctq::op_id {
    return &classes_.emplace_back(ctq::op_info{ctq::op_kind::module, graph_.keep(name)});
  };
  for (const auto& [type, forms] : classes.items())
    custom_.push_back({.float_class = class_of(graph_, type),
                       .observed = own(forms.at("observed")),
                       .quantized = own(forms.at("quantized")),
                       .type = when});
}

ctq::traced_model module_case::traced() const {
  ctq::traced_model m{graph_.view(), path_, {}};
  for (const module_case& inside : modules_) m.modules.push_back(inside.traced());
  return m;
}

ctq::prepare_custom_config module_case::custom() const {
  return {.standalone = view_of(standalone_),
          .custom_modules = view_of(custom_),
          .input_quantized_indexes = view_of(inputs_),
          .output_quantized_indexes = view_of(outputs_)};
}

// --- The case ----------------------------------------------------------------------------------

model_case::model_case(const json& c, golden_backends& backends, ctq::semantics semantics)
    : c_(c), semantics_(semantics), is_qat_(c.value("is_qat", false)) {
  read_backend(backends);
  const json inlined =
      c.contains("traced") ? c.at("traced") : before_training(c.at("prepared"), c.at("modules"));
  traced_ = read_rows(inlined, json::object());
  of_model_ = {{"traced", c.value("traced_for_prepare", inlined)},
               {"scopes", empty_if_missing(c, "scopes")}};
  for (const char* key : {"standalone", "custom_modules"})
    if (c.contains(key)) of_model_[key] = c.at(key);
  json custom = json::object();
  for (const char* key : {"input_quantized_indexes", "output_quantized_indexes"})
    if (c.contains(key)) custom[key] = c.at(key);
  const json asked{{"qconfig_mapping", c.at("mapping")}, {"prepare_custom", custom}};
  model_.emplace("", of_model_, asked, backends, is_qat_, semantics);
  read_preserved();
  read_opaque(of_model_.at("traced"), inlined);
  if (c.contains("convert_qconfig_mapping")) {
    convert_mapping_.emplace(c.at("convert_qconfig_mapping"), is_qat_, model_->graph().own_ops(),
                             semantics);
    convert_view_ = convert_mapping_->view();
  }
}

void model_case::read_preserved() {
  if (!c_.contains("preserved_attributes")) return;
  const json& all = c_.at("preserved_attributes");
  for (const auto& [name, value] : all.at("values").items()) attributes_.push_back(name);
  for (const json& name : all.at("prepare"))
    kept_by_prepare_.emplace_back(name.get_ref<const std::string&>());
  for (const json& name : all.at("convert"))
    kept_by_convert_.emplace_back(name.get_ref<const std::string&>());
}

void model_case::read_opaque(const json& rows, const json& inlined) {
  const json standalone = c_.contains("standalone") ? c_.at("standalone").at("modules") : json{};
  const inlining inside(rows, inlined);
  for (const json& row : rows) {
    inlined_names_[row.at("name")] = inside.name_of(row.at("name"));
    if (!inside.is_opaque(row)) continue;
    const std::string path = row.at("target");
    if (!standalone.contains(path) && !opaque_.contains(path))
      opaque_.emplace(path, read_rows(inside.inside_of(row), json::object()));
  }
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

std::optional<ctq::tensor_qparams> model_case::qparams_after(
    const suite_file& file, const ctq::node& n,
    ctq::graph_view<ctq::stage::prepared> prepared) const {
  for (int i = 0; i < prepared.size(); ++i) {
    if (prepared[i].observer_config == nullptr || prepared.arg(i, 0).name != n.name) continue;
    const std::string observer = "activation_post_process_" + std::to_string(prepared[i].number);
    for (const json& q : c_.at("qparams"))
      if (q.at("node") == observer && q.contains("scale"))
        return tensor_qparams_from(file, prepared[i].observer_config->args.dtype, -1, q.at("scale"),
                                   q.at("zero_point"));
  }
  return {};
}

ctq::prepare_options model_case::prepare_options() const {
  ctq::prepare_options o;
  o.semantics = semantics_;
  o.policy = ctq::unsupported::skip;
  o.is_qat = is_qat_;
  o.custom = model_->custom();
  o.custom.preserved_attributes = view_of(kept_by_prepare_);
  return o;
}

ctq::convert_options model_case::convert_options() const {
  ctq::convert_options o;
  o.semantics = semantics_;
  o.prepared = prepare_options();
  o.mapping = convert_mapping_ ? &convert_view_ : nullptr;
  o.custom.preserved_attributes = view_of(kept_by_convert_);
  return o;
}

ctq::nested_model model_case::quantized() const {
  ctq::traced_model traced = model_->traced();
  traced.attributes.assign(attributes_.begin(), attributes_.end());
  ctq::nested_model m = ctq::prepare_model(traced, backend_, mapping(), prepare_options());
  ctq::convert_model(m, backend_, convert_options());
  ctq::lower_model(m, {.semantics = semantics_, .only_with_kernels = false});
  return m;
}

}  // namespace golden
