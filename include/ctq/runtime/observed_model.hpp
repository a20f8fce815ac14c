// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/containers/span.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/observers/observer.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/passes/schedule/run_memory.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/compiled_kernels/compiled_executor.hpp"
#include "ctq/runtime/executor.hpp"
#include "ctq/runtime/model_calls.hpp"
#include "ctq/runtime/packing/custom_modules.hpp"
#include "ctq/runtime/packing/used_kernels.hpp"
#include "ctq/runtime/quantize_parameters.hpp"
#include "ctq/runtime/recurrent/observe_cells.hpp"
#include "ctq/runtime/tensor.hpp"
#include "ctq/runtime/weights.hpp"

// The model with observers: it computes in float and records the ranges of its values.
//
//   auto observed = prepare<lenet, npu, int8_everywhere>(weights);
//   for (const auto& image : calibration) observed(image);

namespace ctq {

/// The observers of a prepared graph, indexed by number.
template <int Deferred = 0>
[[nodiscard, gnu::cold]] std::vector<observers::basic_any_observer<Deferred>> make_observers(
    graph_view<stage::prepared> g, semantics s) {
  list<const observer_record*> records(g.observers, nullptr);
  for (int i = 0; i < g.size(); ++i) {
    if (is_any_of(g[i].op, q::activation_post_process))
      records[g[i].observer] = g[i].observer_config;
    if (!has_inner_observers(g[i])) continue;
    for (int k = 0; k < g[i].op->descriptor->inner_observers(g[i].attrs); ++k)
      records[g[i].observer + k] = g[i].observer_config;
  }
  std::vector<observers::basic_any_observer<Deferred>> all;
  for (const observer_record* r : records) all.emplace_back(*r, s);
  return all;
}

/// Whether a dtype config of the backend was chosen for a node; custom modules have none.
[[nodiscard]] constexpr bool has_config(const node& n) {
  return n.choice.quantized() && n.choice.pattern >= 0;
}

/// Calculates the qparams of the observers inside a module.
/// Errors  one that has seen nothing, or NaN, with the module
template <int Deferred>
[[nodiscard, gnu::cold]] status calculate_inner_qparams(
    const node& n, span<const observers::basic_any_observer<Deferred>> all,
    std::vector<qparams>& out) {
  const auto first = static_cast<std::size_t>(n.observer);
  const auto count = static_cast<std::size_t>(n.op->descriptor->inner_observers(n.attrs));
  for (std::size_t k = first; k < first + count; ++k) {
    if (!all[k].observed())
      return fail(place_of(n), observers::reason_of_no_range(all[k].ignored_infinity()));
    const auto q = all[k].calculate_qparams();
    if (!q) return fail(place_of(n) + ", " + q.error().place, q.error().cause);
    out[k] = with_whole_range(*q, all[k].record().args.dtype);
  }
  return done{};
}

/// The qparams of each observer, with the whole range of its dtype; unspecified for dynamic ones.
///   trained  of a model that was trained: by number, the qparams that its fake quantizes have
///            instead of those of their observers; empty: none
/// Errors  observers that are missing (those of a model that was moved from); one that has seen
///         nothing, or only infinite values, or NaN; a scale the backend does not allow; with the
///         node whose output it observes
template <int Deferred = 0>
[[nodiscard, gnu::cold]] result<std::vector<qparams>> calculate_qparams(
    graph_view<stage::prepared> g, const backend_view& backend,
    std::type_identity_t<span<const observers::basic_any_observer<Deferred>>> all, semantics s = {},
    span<const std::optional<qparams>> trained = {}) {
  if (all.size() < static_cast<std::size_t>(g.observers))
    return fail("observers", std::to_string(all.size()) + " are given, the model has " +
                                 std::to_string(g.observers));
  std::vector<qparams> out(all.size());
  for (int i = 0; i < g.size(); ++i) {
    if (has_inner_observers(g[i]))
      if (const status ok = calculate_inner_qparams(g[i], all, out); !ok)
        return unexpected{ok.error()};
    if (!is_any_of(g[i].op, q::activation_post_process)) continue;
    if (g[i].observer_config->args.is_dynamic) continue;  // its qparams are computed in each run
    const observers::basic_any_observer<Deferred>& o = all[static_cast<std::size_t>(g[i].observer)];
    const node& watched = g.arg(i, 0);
    // The weight of a function: quantized by an observer of its own.
    if (watched.op->kind == op_kind::get_attr && is_only_parameter(g.nodes, g.args, g.size(), i))
      continue;
    const std::string place = place_of(watched);
    const auto number = static_cast<std::size_t>(g[i].observer);
    const bool learned = !trained.empty() && trained[number].has_value();
    if (watched.op->kind == op_kind::get_attr && o.ignored_infinity())
      return fail(place, observers::infinite_operand);
    if (!o.observed() && !learned)
      return fail(place, observers::reason_of_no_range(o.ignored_infinity()));
    const auto q = learned ? result<qparams>(*trained[number]) : o.calculate_qparams();
    if (!q) return fail(place + ", " + q.error().place, q.error().cause);
    if (has_config(watched)) {
      const auto& wanted = config_of(backend, watched.choice).output_dtype;
      if (const status fits = observers::check_bounds(q->scale, wanted, s); !fits)
        return fail(place, fits.error().message());
    }
    for (int reader = i + 1; reader < g.size(); ++reader) {
      const auto args = g.args_of(reader);
      if (!has_config(g[reader]) || std::count(args.begin(), args.end(), i) == 0) continue;
      const auto& wanted = config_of(backend, g[reader].choice).input_dtype;
      if (const status fits = observers::check_bounds(q->scale, wanted, s); !fits)
        return fail(place_of(g[reader]) + ", input", fits.error().message());
    }
    out[number] = with_whole_range(*q, o.record().args.dtype);
  }
  return out;
}

/// A float model that passes the values that a plan observes to their observers: what prepare
/// returns and convert reads. It is calibrated by calling it, once for each sample, preprocessed as
/// in training. NaN makes convert return an error; histograms ignore infinite values.
///
/// Threads   one at a time, since a run changes the observers
/// Lifetime  owns all it needs; shares the weights that it was made from
/// Requires  not moved from; checked
template <const auto& Model, class Plan, class Isa = isa::of_models>
class observed_model : public model_calls<observed_model<Model, Plan, Isa>, false,
                                          typename io_types<Plan::observed_schedule>::inputs,
                                          typename io_types<Plan::observed_schedule>::outputs> {
  static constexpr auto& traced = Model;
  static constexpr auto& schedule = Plan::observed_schedule;
  using code = executor<schedule, simd_kernels<Isa>>;
  using any_observer = observers::basic_any_observer<observers::deferred<Plan>>;
  static constexpr bool has_lstm =
      used_kernels_of(span(schedule.steps).first(schedule.count)).has(kernel::lstm_observed);

 public:
  using plan = Plan;
  using isa = Isa;

  explicit observed_model(model_weights<Model> w, ctq::semantics s = ctq::semantics::torch_2_1)
      : weights_(std::move(w)),
        parameters_(*float_parameters<simd_kernels<Isa>>(span(schedule.steps).first(schedule.count),
                                                         Plan::prepared,
                                                         observed_weights<Plan>(weights_.get()))),
        semantics_(s),
        observers_(make_observers(Plan::prepared.view(), s)),
        arena_(code::arena_bytes + code::workspace_bytes(parameters_)) {}

  [[nodiscard]] const weights& float_weights() const& { return weights_.get(); }
  const weights& float_weights() const&& = delete;
  /// By number: qparams #i of explain are those of observer i.
  [[nodiscard]] span<const any_observer> observers() const& { return observers_; }
  span<const any_observer> observers() const&& = delete;
  [[nodiscard]] ctq::semantics semantics() const { return semantics_; }

  /// Adds what a model with the same weights observed on other data, so that threads can share the
  /// work of calibration, with a model each. Afterwards the state is as if this model had run on
  /// both data, its own first.
  /// Errors  other semantics; an observer that cannot be merged exactly, such as HistogramObserver:
  ///         nothing is merged
  [[nodiscard, gnu::cold]] status merge(const observed_model& other) {
    std::vector<any_observer> merged = observers_;
    for (std::size_t i = 0; i < merged.size(); ++i)
      if (const status ok = merged[i].merge(other.observers_[i]); !ok)
        return fail("observer " + std::to_string(i), ok.error().message());
    observers_ = std::move(merged);
    return done{};
  }

 private:
  template <class, bool, class, class>
  friend class model_calls;

  void run_tensors(const void* const* in, void* const* out) {
    require(arena_.data() != nullptr, "this observed_model was moved from");
    const run_memory memory{parameters_.constants.data(), in, out, arena_.data()};
    int next = 0;
    code::run(
        parameters_, in, out, arena_.data(), [&](int step) __attribute__((noinline)) {
          for (; next < schedule.observation_count; ++next) {
            const observation_point& o = schedule.observations[static_cast<std::size_t>(next)];
            if (o.after_step != step) return;
            const void* const at = memory.source(o.where);
            if constexpr (has_lstm)
              if (has_inner_observers(Plan::prepared.nodes[o.node])) {
                observe_cells(schedule.steps[step].signature.template as<recurrent_shape>(),
                              static_cast<const float*>(at),
                              span(observers_).subspan(static_cast<std::size_t>(o.observer)));
                continue;
              }
            const shape& s = Plan::prepared.nodes[static_cast<std::size_t>(o.node)].shape;
            observers_[static_cast<std::size_t>(o.observer)].observe(
                {static_cast<const float*>(at), numel(s)}, s);
          }
        });
  }

  model_weights<Model> weights_;
  parameters parameters_;
  ctq::semantics semantics_;
  std::vector<any_observer> observers_;
  aligned_buffer arena_;
};

/// The options that prepare rejects.
template <class Options>
struct observing_check {
  static constexpr bool bad() { return Options::is_qat; }
  static constexpr auto message() {
    diagnostic d;
    d.line("prepare makes a model that observes;").line("a plan with is_qat is trained:");
    d.line("prepare_qat<...> of ctq/train.hpp");
    return d.text;
  }
};

/// Inserts observers into a model. The result is calibrated by running it, then converted.
///   w        the float weights, as load_weights returns them
///   Model    a constant: the float network
///   Backend  what the target supports
///   Mapping  what to quantize and how; without one the backend's default_qconfig_mapping, which
///            PyTorch has for fbgemm, x86, qnnpack and onednn
///   Policy   a qconfig that the backend does not support is a compile error; with
///            unsupported::skip its nodes stay in float, as in PyTorch
///   Options  further options of the passes, see plan_options.hpp
///   s        the PyTorch release whose observers it has
/// Errors   at compile time: of the model, the backend, the mapping, or between them; options with
///          is_qat. With isa::compiled the program aborts if ctq-kernels has no code that this
///          machine runs
template <const auto& Model, class Backend, class Mapping = default_qconfig_mapping<Backend>,
          unsupported Policy = unsupported::error, class Isa = isa::of_models,
          class Options = plan_options>
[[nodiscard, gnu::cold]] auto prepare(const model_weights<Model>& w,
                                      semantics s = Options::semantics) {
  // Reported first.
  static_cast<void>(sizeof(report<observing_check<Options>>));
  static_cast<void>(sizeof(report<plan_check<Model, Backend, Mapping, Policy, Options>>));
  if constexpr (constant_model<Model>)
    return observed_model<Model, plan<Model, Backend, Mapping, Policy, Options>, Isa>{w, s};
}

}  // namespace ctq
