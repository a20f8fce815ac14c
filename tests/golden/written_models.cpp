// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "written_models.hpp"

#include <deque>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "ctq/evaluate/lowered_call.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/io/write_safetensors.hpp"
#include "ctq/json/write_mapping.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/prepare.hpp"
#include "model_case.hpp"
#include "model_tolerances.hpp"
#include "model_values.hpp"
#include "module_options.hpp"

namespace golden {
namespace {

constexpr auto semantics = ctq::semantics::torch_1_13;
constexpr double float_tolerance = 1e-5;  // of the largest value, or of 1

/// Why a case cannot be a model in C++, or nothing. What `ctq import` and the compiler refuse by
/// themselves is not asked here.
std::string reason_against(const json& c, const model_case& of) {
  const std::string backend = c.at("backend").is_null() ? "native" : c.at("backend");
  if (backend == "custom") return "its backend is no type of ctq";
  if (of.is_qat()) return "it was traced for training, which has no form in C++";
  const ctq::prepare_options told = of.prepare_options();
  if (!told.custom.standalone.empty()) return "a module of it is prepared by itself";
  if (!of.opaque_modules().empty()) return "a module of it is not traceable";
  for (const json& entry : c.at("mapping").value("object_type", json::array()))
    if (ctq::ops<ctq::builtin>::value.find(entry.at(0).get<std::string>()) == nullptr)
      return "its mapping names a class of the user's";
  if (c.contains("convert_qconfig_mapping")) return "convert was given a mapping of its own";
  if (!told.custom.input_quantized_indexes.empty()) return "its inputs are integers";
  if (!told.custom.output_quantized_indexes.empty()) return "its outputs are integers";
  return {};
}

// --- Rows --------------------------------------------------------------------------------------

/// An option as JSON; null for a tensor, which is none.
json json_of(const ctq::float_ops::value& v) {
  if (const auto* b = v.get_if<bool>()) return *b;
  if (const auto* i = v.get_if<std::int64_t>()) return *i;
  if (const auto* x = v.get_if<double>()) return *x;
  if (const auto* text = v.get_if<std::string>()) return *text;
  json items = json::array();
  const auto* list = v.get_if<ctq::float_ops::list>();
  if (list == nullptr) return nullptr;
  for (const ctq::float_ops::value& item : *list) items.push_back(json_of(item));
  return items;
}

std::vector<int> shape_of(const ctq::module_state& modules, const std::string& path) {
  const ctq::float_ops::tensor* const t = tensor_at(modules, path);
  return t == nullptr ? std::vector<int>{} : t->shape;
}

/// What the constructor of a module was told: the sizes of its weight, and what was found.
json module_description(const ctq::module_state& modules, const std::string& path,
                        const std::string& type) {
  json m{{"type", type}};
  for (const auto& [name, given] : modules.attributes_of(path))
    if (const json option = json_of(given); !option.is_null()) m[name] = option;
  const std::vector<int> weight = shape_of(modules, path + ".weight");
  const bool has_bias = modules.find(path + ".bias") != nullptr;
  if (type == "nn.Linear" && weight.size() == 2) {
    m["out_features"] = weight[0];
    m["in_features"] = weight[1];
    m["bias"] = has_bias;
  } else if (type.starts_with("nn.Conv") && !type.starts_with("nn.ConvT") && weight.size() > 2) {
    m["out_channels"] = weight[0];
    m["in_channels"] = weight[1] * m.value("groups", 1);
    m["kernel_size"] = std::vector<int>(weight.begin() + 2, weight.end());
    m["bias"] = has_bias;
  } else if (type.starts_with("nn.Embedding") && weight.size() == 2) {
    m["num_embeddings"] = weight[0];
    m["embedding_dim"] = weight[1];
  } else if (const std::vector<int> recurrent = shape_of(modules, path + ".weight_hh_l0");
             recurrent.size() == 2) {
    m["hidden_size"] = recurrent[1];
    m["bias"] = modules.find(path + ".bias_hh_l0") != nullptr;
  } else if (type.starts_with("nn.BatchNorm") && weight.size() == 1) {
    m["num_features"] = weight[0];
  }
  return m;
}

std::vector<std::vector<ctq::node_value>> all_inputs(const suite_file& file, const json& c) {
  std::vector<std::vector<ctq::node_value>> all;
  for (const json& one : c.at("calib_inputs")) all.push_back(values_from(file, one));
  all.push_back(values_from(file, c.at("eval_inputs")));
  return all;
}

ctq::module_state modules_with_options(const suite_file& file, const json& c,
                                       const model_case& of) {
  ctq::module_state modules = modules_from(file, c.at("params"));
  const auto fused = ctq::fuse(of.traced().view(), of.backend(), {semantics, false});
  option_search search{.graph = fused.view(), .accepts = {}, .implementation = {}};
  for (const auto& [path, type] : c.at("modules").items()) search.types[path] = type;
  search.inputs = all_inputs(file, c);
  search.accepts = [&](const ctq::node_value& out) {
    return compare_outputs(file, c.at("fused_out"), out).within(float_tolerance);
  };
  if (const std::string problem = find_options(search, modules); !problem.empty())
    throw malformed(problem);
  return modules;
}

json rows_to_import(const suite_file& file, const json& c, const model_case& of) {
  const ctq::module_state modules = modules_with_options(file, c, of);
  json rows = c.at("traced");
  std::size_t input = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    json& row = rows[i];
    row["scope"] = std::string(of.traced().view()[static_cast<int>(i)].row->scope);
    if (row.at("op") == "placeholder" && input < c.at("eval_inputs").size())
      row["shape"] = c.at("eval_inputs").at(input++).at("t").at(1);
    if (row.at("op") == "call_module")
      row["module"] = module_description(modules, row.at("target"), row.at("module").at("type"));
  }
  return rows;
}

// --- Tensors -----------------------------------------------------------------------------------

/// Tensors of float32, and of indices, on their way into a file.
class tensor_list {
 public:
  void add(std::string name, const tensor& t) {
    if (t.dtype == "i64" && !t.shape.empty()) {
      const std::vector<std::int64_t>& values =
          indices_.emplace_back(t.values.begin(), t.values.end());
      all_.push_back({std::move(name),
                      ctq::stored_dtype::i64,
                      {t.shape.begin(), t.shape.end()},
                      std::as_bytes(std::span{values})});
    }
    if (t.dtype != "f32") return;
    const std::vector<float>& values = values_.emplace_back(t.floats());
    all_.push_back({std::move(name),
                    ctq::stored_dtype::f32,
                    {t.shape.begin(), t.shape.end()},
                    std::as_bytes(std::span{values})});
  }
  void add(const std::string& name, const suite_file& file, const json& j) {
    if (j.is_object() && j.contains("t")) add(name, file.read(j));
  }
  /// PREFIX.0, PREFIX.1, … of a tensor, or of those in a tuple of tensors and tuples.
  void add_all(const std::string& prefix, const suite_file& file, const json& j) {
    if (j.is_null()) return;
    int count = 0;
    const auto walk = [&](const json& part, const auto& self) -> void {
      if (!part.is_array()) return add(prefix + "." + std::to_string(count++), file, part);
      for (const json& inner : part) self(inner, self);
    };
    walk(j, walk);
  }

  void write(const std::filesystem::path& path) const {
    if (const ctq::status s = ctq::write_safetensors(path, all_); !s)
      throw malformed(s.error().message());
  }

 private:
  std::deque<std::vector<float>> values_;  // a deque: the list looks at its elements
  std::deque<std::vector<std::int64_t>> indices_;
  std::vector<ctq::stored_tensor> all_;
};

tensor_list parameters_of(const suite_file& file, const json& c) {
  tensor_list out;
  for (const auto& [name, j] : c.at("params").items())
    if (!name.ends_with(".num_batches_tracked")) out.add(name, file, j);
  return out;
}

/// Whether the integers of PyTorch 1.13 differ from its reference model, which the plan of compiled
/// models follows: its clamp of channels_last is wrong, and a sum or product with a number changes
/// the scale.
bool differs_from_reference(ctq::graph_view<ctq::stage::lowered> g) {
  for (int i = 0; i < g.size(); ++i) {
    const ctq::op_id from = ctq::lowered::origin_of(g[i].op).op;
    const bool is_sum = from != nullptr && from->descriptor->schedule.tensors == 2;
    if (is_sum && g.args_of(i).size() == 1) return true;
  }
  return clamps_channels_last(g);
}

/// Whether a module is called twice. PyTorch fuses a relu that follows one call into the module, so
/// that the other call computes it, too.
bool calls_twice(ctq::graph_view<ctq::stage::lowered> g) {
  std::set<std::string_view> called;
  for (int i = 0; i < g.size(); ++i) {
    const ctq::op_id from = ctq::lowered::origin_of(g[i].op).op;
    if (from != nullptr && from->kind == ctq::op_kind::module &&
        !called.insert(ctq::path_of(g[i])).second)
      return true;
  }
  return false;
}

/// The outputs that ctq is compared with: those of PyTorch's integers, or of its reference model.
/// Null if there are neither, or if they are those of another model.
json expected_outputs(const json& c, const model_case& of) {
  const auto fused = ctq::fuse(of.traced().view(), of.backend(), {semantics, false});
  const auto prepared =
      ctq::prepare_graph(fused.view(), of.backend(), of.mapping(), of.prepare_options());
  const auto reference =
      ctq::convert_graph(prepared.view(), of.backend(), of.mapping(), of.convert_options());
  const auto lowered =
      ctq::lower(reference.view(), {.semantics = semantics, .only_with_kernels = false});
  if (calls_twice(lowered.view())) return {};
  const bool differs = differs_from_reference(lowered.view());
  return c.value(differs ? "reference_out" : "lowered_out", json{});
}

tensor_list data_of(const suite_file& file, const json& c, const model_case& of) {
  tensor_list out;
  const json& steps = c.at("calib_inputs");
  for (std::size_t s = 0; s < steps.size(); ++s)
    out.add_all("calibration." + std::to_string(s), file, steps[s]);
  out.add_all("evaluation", file, c.at("eval_inputs"));
  out.add_all("expected", file, expected_outputs(c, of));
  return out;
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw malformed(path.string() + " cannot be written");
}

/// The entry of cases.json.
json write_case(const suite_file& file, const json& c, golden_backends& backends,
                const std::filesystem::path& to) {
  const std::string name = c.at("name");
  const auto without = [&name](const std::string& reason) {
    return json{{"name", name}, {"reason", reason}};
  };
  if (c.contains("error")) return without("PyTorch refuses to prepare or convert it");
  try {
    const model_case of(c, backends, semantics);
    if (const std::string why = reason_against(c, of); !why.empty()) return without(why);
    write_text(to / (name + ".json"), rows_to_import(file, c, of).dump(1));
    std::string mapping;
    ctq::json::append_json(mapping, of.mapping());
    write_text(to / (name + ".mapping.json"), mapping);
    parameters_of(file, c).write(to / (name + ".safetensors"));
    data_of(file, c, of).write(to / (name + ".data.safetensors"));
    return {{"name", name}, {"backend", c.at("backend").is_null() ? "native" : c.at("backend")}};
  } catch (const malformed& e) {
    return without(e.what());
  }
}

}  // namespace

void write_models(const std::filesystem::path& folder, const std::filesystem::path& to,
                  const std::vector<std::string>& names) {
  const auto file = suite_file::open(folder, "models");
  if (!file) throw malformed(folder.string() + " has no models.json");
  std::filesystem::create_directories(to);
  golden_backends backends(folder);
  std::set<std::string> missing(names.begin(), names.end());
  json written = json::array();
  for (const json& c : file->list("cases")) {
    const std::string name = c.value("name", "");
    const bool wanted = names.empty() || missing.erase(name) > 0;
    if (wanted) written.push_back(write_case(*file, c, backends, to));
  }
  if (!missing.empty()) throw malformed("there is no case " + *missing.begin());
  write_text(to / "cases.json", written.dump(1) + "\n");
}

}  // namespace golden
