// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctq/evaluate/nested_model.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/io/read_fx.hpp"
#include "ctq/json/backend_file.hpp"
#include "golden_backends.hpp"
#include "tensors.hpp"

// A case of models.json as ctq's passes want it: the traced graph, the backend, the mappings, what
// prepare and convert were told, and the same for modules that stand alone.

namespace golden {

/// The default mapping is PyTorch's for the first of these engines that has the case's qconfig.
class model_mapping {
 public:
  /// types  what object_type may mean besides the ops of ctq
  model_mapping(const json& mapping, bool is_qat, ctq::view<ctq::op_id> types,
                ctq::semantics semantics);

  [[nodiscard]] ctq::mapping_view view() const {
    return {entries_.data(), static_cast<int>(entries_.size())};
  }

 private:
  void add(ctq::mapping_level level, const json& qconfig, ctq::op_id op = nullptr,
           const std::string& module = {}, int order = 0);

  std::vector<ctq::mapping_entry> entries_;
  std::deque<std::string> names_;
};

/// The model of a case, or a module in it that stands alone, and what prepare is told of it.
class module_case {
 public:
  /// Throws malformed for what is not in the form of data/README.md. Both must outlive this.
  ///   c      traced rows, scopes, standalone and custom modules
  ///   asked  qconfig_mapping (null: none), prepare_custom, backend
  module_case(std::string path, const json& c, const json& asked, golden_backends& backends,
              bool is_qat, ctq::semantics semantics);
  module_case(const module_case&) = delete;
  module_case& operator=(const module_case&) = delete;
  module_case(module_case&&) = delete;
  module_case& operator=(module_case&&) = delete;
  ~module_case() = default;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const ctq::fx_graph& graph() const { return graph_; }
  [[nodiscard]] const std::optional<model_mapping>& mapping() const { return mapping_; }
  [[nodiscard]] const std::deque<module_case>& modules() const { return modules_; }
  /// The graph, and those of the modules in it.
  [[nodiscard]] ctq::traced_model traced() const;
  /// Quantized inputs and outputs, standalone and custom modules.
  [[nodiscard]] ctq::prepare_custom_config custom() const;

 private:
  void read_standalone(const json& standalone, golden_backends& backends, bool is_qat,
                       ctq::semantics semantics);
  void read_custom(const json& classes, ctq::quant_type when);

  std::string path_;
  ctq::fx_graph graph_;
  std::optional<model_mapping> mapping_;
  std::vector<int> inputs_;  // that are quantized
  std::vector<int> outputs_;
  std::deque<module_case> modules_;
  std::deque<ctq::mapping_view> mappings_;
  std::deque<ctq::backend_view> backends_;
  std::vector<ctq::standalone_module> standalone_;
  std::deque<ctq::op_info> classes_;  // the observed and quantized forms of custom modules
  std::vector<ctq::custom_module> custom_;
};

class model_case {
 public:
  ///   backends  must outlive the case
  model_case(const json& c, golden_backends& backends, ctq::semantics semantics);
  model_case(const model_case&) = delete;
  model_case& operator=(const model_case&) = delete;
  model_case(model_case&&) = delete;
  model_case& operator=(model_case&&) = delete;
  ~model_case() = default;

  [[nodiscard]] const ctq::backend_view& backend() const { return backend_; }
  [[nodiscard]] ctq::mapping_view mapping() const { return model_->mapping()->view(); }
  /// With all modules taken apart, as the model runs in float.
  [[nodiscard]] const ctq::fx_graph& traced() const { return traced_; }
  /// What the model is prepared from.
  [[nodiscard]] const module_case& model() const { return *model_; }

  /// Modules that are not taken apart, and do not stand alone, by path: what they compute.
  [[nodiscard]] const std::map<std::string, ctq::fx_graph>& opaque_modules() const {
    return opaque_;
  }
  /// The name among the nodes of traced() of a node of the model that is prepared.
  [[nodiscard]] std::string inlined_name(const std::string& name) const {
    const auto found = inlined_names_.find(name);
    return found == inlined_names_.end() ? name : found->second;
  }

  /// PyTorch's scale and zero point of the observer behind a node of the prepared model.
  [[nodiscard]] std::optional<ctq::tensor_qparams> qparams_after(
      const suite_file& file, const ctq::node& n,
      ctq::graph_view<ctq::stage::prepared> prepared) const;

  [[nodiscard]] ctq::prepare_options prepare_options() const;
  [[nodiscard]] ctq::convert_options convert_options() const;
  [[nodiscard]] bool is_qat() const { return is_qat_; }
  /// The same case, prepared and converted.
  [[nodiscard]] ctq::nested_model quantized() const;

 private:
  void read_backend(golden_backends& backends);
  void read_preserved();
  void read_opaque(const json& rows, const json& inlined);

  const json& c_;
  ctq::semantics semantics_;
  bool is_qat_ = false;
  ctq::backend_view backend_{};
  std::optional<ctq::json::backend_file> custom_;
  ctq::fx_graph traced_;
  json of_model_;  // that model_ reads
  std::optional<module_case> model_;
  std::optional<model_mapping> convert_mapping_;
  ctq::mapping_view convert_view_{};
  std::map<std::string, ctq::fx_graph> opaque_;
  std::map<std::string, std::string> inlined_names_;
  // Attributes of the model, and those that prepare and convert shall keep.
  std::vector<std::string> attributes_;
  std::vector<std::string_view> kept_by_prepare_, kept_by_convert_;
};

}  // namespace golden
