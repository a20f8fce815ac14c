// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runs_as.hpp"

#include <fmt/format.h>

#include <utility>

#include "ctq/graph/parameter_arguments.hpp"
#include "ctq/io/read_fx.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/lower/missing_kernel.hpp"
#include "ctq/passes/prepare.hpp"
#include "ctq/passes/qat_modules.hpp"
#include "ctq/passes/schedule/schedule.hpp"
#include "import_model.hpp"
#include "words.hpp"

namespace tool {

namespace {

using ctq::op_kind;

bool is_computed(const ctq::node& n) {
  const op_kind kind = n.op->kind;
  return kind != op_kind::placeholder && kind != op_kind::output && kind != op_kind::get_attr &&
         !is_any_of(n.op, ctq::q::quantize_per_tensor, ctq::q::quantize_per_channel,
                    ctq::q::dequantize, ctq::q::requantize, ctq::op::getitem);
}

/// Whether a node of a lowered graph computes with integers, though it may give floats.
bool is_on_integers(const ctq::node& n) {
  const bool casts = is_any_of(n.op, ctq::q::quantize_per_tensor_dynamic, ctq::q::to_float16);
  return is_quantized(n.dtype) || (n.op->kind == op_kind::pass && !casts);
}

/// Without the name of the node, and what to do.
std::string in_short(std::string words) {
  const std::size_t advice = words.find("; ctq::evaluator");
  if (advice != words.npos) words.resize(advice);
  if (words.starts_with("node y")) words.erase(0, words.find(": ") + 2);
  return words;
}

}  // namespace

pattern_stages stages_of(const ctq::backend_view& backend, int pattern, int dtype_config) {
  pattern_stages s;
  s.model = pattern_model_of(backend, pattern);
  s.entries = mapping_for(backend.configs[pattern].dtype_configs[dtype_config]);
  s.gives_tensor =
      backend.configs[pattern].observation_type != ctq::observation_type::input_output_not_observed;
  s.options = {.policy = ctq::unsupported::skip, .is_qat = s.model.is_trained};
  auto rows = ctq::read_fx(s.model.rows);
  if (!rows) {
    s.rejection = rows.error().message();
    return s;
  }
  s.rows = *std::move(rows);
  auto shaped = with_shapes(s.rows);
  const auto g = s.rows.view();
  if (shaped) {
    s.traced = *std::move(shaped);
  } else {
    s.rejection = shaped.error().cause;
    for (int i = 0; i < g.size(); ++i)
      s.traced.graph.add(g[i], g.args_of(i).begin(), g[i].arg_count);
  }
  s.fused = fuse(s.traced.view(), backend, {.is_qat = s.options.is_qat});
  if (s.options.is_qat)
    s.fused = swap_qat_modules(s.fused.view(), backend, s.mapping(),
                               resolve_qconfigs(s.fused.view(), s.mapping()), s.options.semantics);
  s.prepared = prepare_graph(s.fused.view(), backend, s.mapping(), s.options);
  s.reference = convert_graph(s.prepared.view(), backend, s.mapping(), {.prepared = s.options});
  s.lowered = lower(s.reference.view());
  for (const ctq::node& n : s.prepared.nodes)
    s.is_accepted =
        s.is_accepted || (n.choice.pattern >= 0 && n.choice.dtype_config == dtype_config);
  if (!shaped) return s;
  if (const int bad = first_without_kernel(s.lowered.view(), backend); bad >= 0) {
    s.rejection =
        fmt::format("no integer kernel for {}", abbreviated(s.lowered.nodes[bad].op->name));
  } else {
    s.rejection = in_one_line(schedule(s.lowered.view(), ctq::scheduling::layers::fused).problem);
  }
  return s;
}

pattern_run runs_as(const ctq::backend_view& backend, int pattern, int dtype_config) {
  const ctq::backend_pattern_config_record& c = backend.configs[pattern];
  for (const ctq::pattern_element& e : c.pattern.element)
    if (e.op != nullptr && !e.op->builtin)
      return {run_form::run_time, "what its op in C++ defines"};
  return runs_as(stages_of(backend, pattern, dtype_config), c.dtype_configs[dtype_config]);
}

pattern_run runs_as(const pattern_stages& s, const ctq::dtype_config_record& config) {
  if (!s.rejection.empty()) return {run_form::run_time, in_short(s.rejection)};
  if (!s.gives_tensor) return {run_form::no_computation, {}};
  std::string in_float;
  for (int i = 0; i < s.lowered.size(); ++i) {
    const ctq::node& n = s.lowered.nodes[i];
    // What follows a layer that is quantized dynamically reads floats in any case.
    const bool is_meant_so =
        config.is_dynamic && n.op->descriptor->weights == ctq::op_weights::none;
    if (is_computed(n) && !is_on_integers(n) && !is_meant_so &&
        !is_only_parameter(s.lowered.nodes.data(), s.lowered.args.data(), s.lowered.size(), i) &&
        in_float.find(abbreviated(n.op->name)) == in_float.npos)
      in_float += fmt::format("{}{}", in_float.empty() ? "" : ", ", abbreviated(n.op->name));
  }
  if (!in_float.empty())
    return {run_form::in_float, fmt::format("no integer kernel for {}", in_float)};
  if (config.is_dynamic) return {run_form::dynamic};
  if (config.input_dtype.dtype == ctq::f32) return {run_form::weight_only};
  return {run_form::int8};
}

std::string words(const pattern_run& run) {
  constexpr std::string_view names[] = {"int8",      "dynamic", "weight-only",
                                        "no tensor", "float",   "evaluator only"};
  const std::string_view name = names[static_cast<std::size_t>(run.form)];
  return run.why.empty() ? std::string{name} : fmt::format("{}: {}", name, run.why);
}

}  // namespace tool
