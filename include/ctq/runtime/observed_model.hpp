// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ctq/observers/observer.hpp"
#include "ctq/passes/add_within_one_step.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/executor.hpp"
#include "ctq/runtime/float_model.hpp"
#include "ctq/runtime/quantized_model.hpp"

// The model with observers in it: it computes in float and watches the ranges of its values.
//
//   auto observed = prepare<lenet, npu, int8_everywhere>(weights);
//   for (auto& image : calibration) observed(image);
//   auto int8 = convert(observed);

namespace ctq {

/// The observers of a prepared graph, by their number, each once.
[[nodiscard]] inline std::vector<observers::any_observer> make_observers(
    graph_view<stage::prepared> g, semantics s) {
  std::vector<const observer_record*> records(static_cast<std::size_t>(g.observers), nullptr);
  for (int i = 0; i < g.size(); ++i)
    if (is_any_of(g[i].op, q::activation_post_process))
      records[static_cast<std::size_t>(g[i].observer)] = g[i].observer_config;
  std::vector<observers::any_observer> all;
  for (const observer_record* r : records) all.emplace_back(*r, s);
  return all;
}

/// The qparams of each observer, over the whole range of its dtype; of dynamic ones any.
/// Errors  an observer that has seen nothing, or NaN; a scale the backend does not allow; with the
///         node whose output it watches
[[nodiscard]] inline result<std::vector<qparams>> calculate_qparams(
    graph_view<stage::prepared> g, const backend_view& backend,
    std::span<const observers::any_observer> all, semantics s = {}) {
  std::vector<qparams> out(all.size());
  for (int i = 0; i < g.size(); ++i) {
    if (!is_any_of(g[i].op, q::activation_post_process)) continue;
    if (g[i].observer_config->args.is_dynamic) continue;  // its qparams are found as the model runs
    const observers::any_observer& o = all[static_cast<std::size_t>(g[i].observer)];
    const node& watched = g.arg(i, 0);
    std::string place = "node ";
    append_name(place, watched);
    if (!o.observed()) return fail(place, "its observer has seen no data: calibrate first");
    const auto q = o.calculate_qparams();
    if (!q) return fail(place + ", " + q.error().place, q.error().cause);
    if (watched.choice.quantized()) {
      const auto& wanted = config_of(backend, watched.choice).output_dtype;
      if (const status fits = observers::check_bounds(q->scale, wanted, s); !fits)
        return fail(place, fits.error().message());
    }
    for (int reader = i + 1; reader < g.size(); ++reader) {
      if (!g[reader].choice.quantized() || std::ranges::count(g.args_of(reader), i) == 0) continue;
      const auto& wanted = config_of(backend, g[reader].choice).input_dtype;
      if (const status fits = observers::check_bounds(q->scale, wanted, s); !fits)
        return fail("node " + std::string{g[reader].name} + ", input", fits.error().message());
    }
    const quant_range range = range_of(o.record().args.dtype);
    out[static_cast<std::size_t>(g[i].observer)] = {q->scale, q->zero_point,
                                                    static_cast<std::int32_t>(range.min),
                                                    static_cast<std::int32_t>(range.max)};
  }
  return out;
}

template <const auto& Model, class Plan, class Isa = isa::native>
class observed_model {
  static constexpr auto& schedule = Plan::observed_schedule;
  using code = executor<schedule, simd_kernels<Isa>>;

 public:
  using plan = Plan;
  using isa = Isa;
  using input = typename io_types<schedule>::input_view;
  using output = typename io_types<schedule>::output;

  explicit observed_model(const model_weights<Model>& w,
                          ctq::semantics s = ctq::semantics::torch_2_1)
      : weights_(w.get()),
        parameters_(
            *make_parameters<simd_kernels<Isa>>(std::span(schedule.steps).first(schedule.count),
                                                {.nodes = std::span(Plan::prepared.nodes),
                                                 .weights = &weights_,
                                                 .qparams = {},
                                                 .backend = Plan::backend,
                                                 .mapping = Plan::mapping})),
        semantics_(s),
        observers_(make_observers(Plan::prepared.view(), s)),
        arena_(code::arena_bytes) {}

  /// Computes the float output and shows every watched value to its observer.
  output operator()(input in) {
    output out;
    int next = 0;
    code::run(parameters_, in.data(), out.data(), arena_.data(), [&](int step) {
      for (; next < schedule.observation_count; ++next) {
        const observation_point& o = schedule.observations[static_cast<std::size_t>(next)];
        if (o.after_step != step) return;
        const shape& s = Plan::prepared.nodes[static_cast<std::size_t>(o.node)].shape;
        const void* const at = code::source(o.where, in.data(), out.data(), arena_.data());
        observers_[static_cast<std::size_t>(o.observer)].observe(
            {static_cast<const float*>(at), numel(s)}, s);
      }
    });
    return out;
  }

  [[nodiscard]] const weights& float_weights() const { return weights_; }
  [[nodiscard]] std::span<const observers::any_observer> observers() const { return observers_; }
  [[nodiscard]] ctq::semantics semantics() const { return semantics_; }

 private:
  weights weights_;
  parameters parameters_;
  ctq::semantics semantics_;
  std::vector<observers::any_observer> observers_;
  aligned_buffer arena_;
};

/// Places observers in a model. What the backend cannot honour is a compile error, unless
/// Policy is skip.
template <const auto& Model, class Backend, class Mapping, unsupported Policy = unsupported::error,
          class Isa = isa::native>
[[nodiscard]] auto prepare(const model_weights<Model>& w, semantics s = semantics::torch_2_1) {
  static_cast<void>(sizeof(report<plan_check<Model, Backend, Mapping, Policy>>));  // first words
  return observed_model<Model, plan<Model, Backend, Mapping, Policy>, Isa>{w, s};
}

/// The int8 model: qparams from the observers, weights quantized and packed.
///   Add  of two tensors of integers: add_exactly or add_within_one_step
/// Errors  no calibration, data with NaN, a sum that could leave int32: with the node
template <template <class> class Add = add_exactly, const auto& Model, class Plan, class Isa>
[[nodiscard]] result<quantized_model<Add<Plan>, Isa>> convert(
    const observed_model<Model, Plan, Isa>& observed) {
  auto qparams = calculate_qparams(Plan::prepared.view(), Plan::backend, observed.observers(),
                                   observed.semantics());
  if (!qparams) return unexpected{qparams.error()};
  return quantized_model<Add<Plan>, Isa>::make(observed.float_weights(), *std::move(qparams),
                                               observed.semantics());
}

}  // namespace ctq
