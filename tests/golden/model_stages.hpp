// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ctq/evaluate/evaluator.hpp"
#include "ctq/evaluate/nested_model.hpp"
#include "fx_rows.hpp"
#include "model_case.hpp"

// A golden model, or a standalone module of one, through all stages of ctq: the graphs, their rows,
// what they compute.

namespace golden {

class model_stages {
 public:
  /// All must outlive the stages.
  ///   convert_mapping   null: convert was told none
  ///   wanted_reference  PyTorch's rows, whose numbers are taken; null if there are none
  model_stages(const suite_file& file, const model_case& of, const ctq::nested_model& m,
               const ctq::mapping_view* convert_mapping, ctq::module_state modules,
               const json& wanted_reference);

  /// What prepare or convert say against the request; empty if nothing.
  [[nodiscard]] std::string prepare_problem() const {
    return std::string(problem_of(m_, &ctq::nested_model::prepared).message());
  }
  [[nodiscard]] std::string convert_problem() const {
    return std::string(problem_of(m_, &ctq::nested_model::reference).message());
  }

  [[nodiscard]] json prepared_rows() const;
  [[nodiscard]] json reference_rows() const;
  [[nodiscard]] json lowered_rows() const;

  using values = std::vector<ctq::node_value>;
  /// The output of the prepared model, which observes or, in training, rounds.
  [[nodiscard]] ctq::result<ctq::node_value> run_prepared(const values& inputs);
  /// The same of a model whose training is over: it rounds and no longer observes.
  [[nodiscard]] ctq::result<ctq::node_value> run_trained(const values& inputs);
  [[nodiscard]] ctq::result<ctq::node_value> run_reference(const values& inputs);
  [[nodiscard]] ctq::result<ctq::node_value> run_lowered(const values& inputs);

  /// What an observer is shown when the prepared model runs, in this order.
  [[nodiscard]] std::vector<ctq::float_ops::tensor> shown_to(int observer, const values& inputs);

  /// By how much PyTorch's output of the last run, other than of run_prepared, may differ: the last
  /// bits of its floats are others, which decide ties, and its fixed point rounds otherwise.
  [[nodiscard]] double deviation() const { return deviation_; }

  /// The quantized form of a custom module, as a row has its children.
  [[nodiscard]] json custom_children(const std::string& path) const;

  [[nodiscard]] ctq::graph_view<ctq::stage::fused> fused() const { return m_.fused.view(); }
  [[nodiscard]] ctq::graph_view<ctq::stage::prepared> prepared() const {
    return m_.prepared.view();
  }
  [[nodiscard]] ctq::graph_view<ctq::stage::lowered> lowered() const { return m_.lowered.view(); }
  [[nodiscard]] ctq::observer_set& observers() { return observers_; }
  [[nodiscard]] const ctq::model_qparams& qparams() const { return qparams_; }

 private:
  void take_steps(const json& wanted);
  void take_weight_qparams(const json& wanted);
  void add_standalone(const json& wanted_reference);
  void add_custom();
  [[nodiscard]] row_values numbers() const;
  template <class Graph>
  [[nodiscard]] json describe_weight(Graph& run, const ctq::node& n, bool packed) const;
  void nest(json& rows, json (model_stages::*of)() const) const;
  using run_stage = ctq::result<ctq::node_value> (model_stages::*)(const values& inputs);
  [[nodiscard]] ctq::evaluation_options options(run_stage of_children);

  struct child {
    std::string path;
    bool is_custom = false;
    // Of a custom module: the layers inside of it, quantized with the observer behind it.
    ctq::mapping_entry mapping{};
    ctq::nested_model model{};
    std::unique_ptr<model_stages> stages{};
  };

  const suite_file& file_;
  const model_case& case_;
  const ctq::nested_model& m_;
  ctq::semantics semantics_;
  ctq::dynamic_graph<ctq::stage::reference> converted_;  // with nodes that nothing reads
  ctq::module_state modules_;
  std::set<std::string> left_in_float_;  // nodes, by convert's mapping
  ctq::observer_set observers_;
  ctq::model_qparams qparams_;
  double deviation_ = 0.0;
  std::deque<child> children_;
};

/// The implementation of modules that are not taken apart, in float, and of those of the golden
/// data's own backend.
[[nodiscard]] ctq::user_implementation float_implementation(const model_case& of,
                                                            const ctq::module_state& modules);

}  // namespace golden
