// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ctq/io/read_fx.hpp"
#include "ctq/json/backend_file.hpp"
#include "ctq/passes/convert.hpp"
#include "golden_backends.hpp"
#include "tensors.hpp"

// A case of models.json as ctq's passes want it: the traced graph, the backend, the mapping, what
// prepare and convert were told.
//
// The file does not say all that PyTorch was told. What is missing is read from PyTorch's graphs:
//
//   standalone modules         prepared has a module with a graph of its own
//   non-traceable modules      prepared calls a module that traced has taken apart
//   quantized inputs, outputs  quantized_eval_inputs has integers; so has reference_out
//   the mapping of convert     a module and the observer behind it are left out of the reference
//   the graph before training  prepared without observers, its trained modules taken apart

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
  /// The same, but for modules that convert leaves in float.
  void leave_in_float(const std::string& module);

 private:
  void add(ctq::mapping_level level, const json& qconfig, ctq::op_id op = nullptr,
           const std::string& module = {}, int order = 0);

  std::vector<ctq::mapping_entry> entries_;
  std::deque<std::string> names_;
};

/// One graph: of the model, or of a standalone module.
struct model_graph {
  ctq::fx_graph traced;
  std::vector<int> input_quantized_indexes;
  std::vector<int> output_quantized_indexes;
};

class model_case {
 public:
  /// Throws malformed for what is not in the form of data/README.md.
  ///   backends  must outlive the case
  model_case(const json& c, golden_backends& backends, ctq::semantics semantics);

  [[nodiscard]] const ctq::backend_view& backend() const { return backend_; }
  [[nodiscard]] ctq::mapping_view mapping() const { return mapping_->view(); }
  [[nodiscard]] const ctq::fx_graph& traced() const { return *traced_; }
  /// What the model is prepared from: as traced, but for modules that are not taken apart.
  [[nodiscard]] const model_graph& model() const { return model_; }

  struct standalone {
    std::string path;
    model_graph graph;
    json wanted_prepared, wanted_reference, wanted_lowered;
  };
  [[nodiscard]] const std::deque<standalone>& standalone_modules() const { return standalone_; }

  /// Modules that are neither taken apart nor quantized, by path: what they compute.
  [[nodiscard]] const std::map<std::string, ctq::fx_graph>& opaque_modules() const {
    return opaque_;
  }

  [[nodiscard]] ctq::prepare_options prepare_options() const;
  [[nodiscard]] ctq::prepare_options prepare_options(const standalone& s) const;
  [[nodiscard]] ctq::convert_options convert_options() const;
  /// Paths of modules that convert was told to leave in float.
  [[nodiscard]] const std::set<std::string>& left_in_float() const { return left_in_float_; }
  [[nodiscard]] bool is_qat() const { return is_qat_; }

 private:
  void read_backend(golden_backends& backends);
  ctq::fx_graph read_rows(const json& rows, const json& hints) const;
  void read_standalone(const json& row);
  [[nodiscard]] std::set<std::string> modules_that_convert() const;
  void read_convert_mapping();

  const json& c_;
  ctq::semantics semantics_;
  bool is_qat_ = false;
  ctq::backend_view backend_{};
  std::optional<ctq::json::backend_file> custom_;
  std::optional<ctq::fx_graph> traced_;
  std::optional<model_mapping> mapping_;
  std::optional<model_mapping> convert_mapping_;
  ctq::mapping_view convert_view_{};
  std::set<std::string> left_in_float_;
  model_graph model_;
  std::deque<standalone> standalone_;
  std::map<std::string, ctq::fx_graph> opaque_;
  std::vector<ctq::standalone_module> standalone_options_;
};

}  // namespace golden
