// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ctq/evaluate/evaluator.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/prepare.hpp"
#include "fx_rows.hpp"
#include "model_case.hpp"

// A golden model, or a standalone module of one, through all stages of ctq: the graphs, their rows,
// what they compute.

namespace golden {

class model_stages {
 public:
  /// All must outlive the stages.
  ///   wanted  PyTorch's reference rows, whose numbers are taken; null if there are none
  model_stages(const suite_file& file, const model_case& of, const model_graph& graph,
               ctq::mapping_view mapping, const ctq::prepare_options& prepare,
               const ctq::convert_options& convert, ctq::module_state modules,
               const json& wanted_reference);

  /// What prepare says against the request; empty if nothing.
  [[nodiscard]] std::string problem() const { return std::string(prepared_.problem.message()); }

  [[nodiscard]] json prepared_rows() const;
  [[nodiscard]] json reference_rows() const;
  [[nodiscard]] json lowered_rows() const;

  using values = std::vector<ctq::node_value>;
  /// The output of the prepared model, which observes or, in training, rounds.
  [[nodiscard]] ctq::result<ctq::node_value> run_prepared(const values& inputs);
  [[nodiscard]] ctq::result<ctq::node_value> run_reference(const values& inputs);
  [[nodiscard]] ctq::result<ctq::node_value> run_lowered(const values& inputs);

  /// What an observer is shown when the prepared model runs, in this order.
  [[nodiscard]] std::vector<ctq::float_ops::tensor> shown_to(int observer, const values& inputs);

  /// How far the output of the last lowered run moves when the integers behind it move up by one;
  /// 0: there are none.
  [[nodiscard]] double output_step() const { return output_step_; }

  [[nodiscard]] ctq::graph_view<ctq::stage::prepared> prepared() const { return prepared_.view(); }
  [[nodiscard]] ctq::graph_view<ctq::stage::lowered> lowered() const { return lowered_.view(); }
  [[nodiscard]] const ctq::observer_set& observers() const { return observers_; }
  [[nodiscard]] const ctq::quantizations& steps() const { return steps_; }

 private:
  void take_steps(const json& wanted);
  void take_weight_steps(const json& wanted);
  void add_standalone(const model_case& of, const ctq::convert_options& convert);
  [[nodiscard]] row_values numbers() const;
  template <class Graph>
  [[nodiscard]] json describe_weight(Graph& run, const ctq::node& n, bool packed) const;
  void nest(json& rows, json (model_stages::*of)() const) const;
  using run_stage = ctq::result<ctq::node_value> (model_stages::*)(const values& inputs);
  [[nodiscard]] ctq::evaluation_options options(run_stage of_children);

  struct child {
    std::string path;
    std::deque<ctq::mapping_entry> mapping;
    ctq::prepare_options prepare;
    ctq::convert_options convert;
    std::unique_ptr<model_stages> stages;
  };

  const suite_file& file_;
  const model_case& case_;
  ctq::mapping_view mapping_;
  ctq::semantics semantics_;
  ctq::module_state modules_;
  ctq::dynamic_graph<ctq::stage::fused> fused_;
  ctq::dynamic_graph<ctq::stage::prepared> prepared_;
  ctq::dynamic_graph<ctq::stage::reference> reference_;
  ctq::dynamic_graph<ctq::stage::lowered> lowered_;
  ctq::observer_set observers_;
  ctq::quantizations steps_;
  double output_step_ = 0.0;
  std::deque<child> children_;
};

/// The implementation of modules that are not taken apart, in float, and of those of the golden
/// data's own backend.
[[nodiscard]] ctq::user_implementation float_implementation(const model_case& of,
                                                            const ctq::module_state& modules);

}  // namespace golden
