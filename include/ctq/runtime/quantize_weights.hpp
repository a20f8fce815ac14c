// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/observers/observer.hpp"
#include "ctq/observers/scale_bounds.hpp"
#include "ctq/runtime/check_qparams.hpp"
#include "ctq/runtime/fold_batch_norm.hpp"
#include "ctq/spec/dtype_with_constraints.hpp"

// From the float weight of a conv or linear to integers and their scales.

namespace ctq {

/// The quantized weight of a layer.
struct quantized_weights {
  std::vector<std::int8_t> weight;  // in the order of the float weight
  std::vector<float> scale;         // one for each output, or for each of its groups
};

/// The scale and zero point of each output's weight, or one for all.
struct weight_qparams {
  std::vector<float> scale;
  std::vector<std::int32_t> zero_point;
};

/// The qparams that an observer or a fake quantize calculates, the same for all outputs if it is
/// per tensor.
/// Errors  those of the observer
template <class Observer>
[[nodiscard, gnu::cold]] result<weight_qparams> weight_qparams_of(const Observer& observer,
                                                                  std::size_t outputs) {
  if (observer.is_per_channel()) {
    auto found = observer.calculate_per_channel_qparams();
    if (!found) return unexpected{found.error()};
    return weight_qparams{found->scale, found->zero_point};
  }
  const auto found = observer.calculate_qparams();
  if (!found) return unexpected{found.error()};
  return weight_qparams{std::vector<float>(outputs, found->scale),
                        std::vector<std::int32_t>(outputs, found->zero_point)};
}

/// q = clamp(rne(w * (1 / scale))): symmetric, per group, per output or per tensor, as the observer
/// specifies; to all of qint8, per group to 4 bits.
///   trained  the scales and zero points that training has found; null: those of a new observer
template <int Deferred = 0>
[[nodiscard, gnu::cold]] result<quantized_weights> quantize_weights(
    const folded_weights& f, const observer_record& record,
    const dtype_with_constraints_record& constraints, semantics s = {},
    const weight_qparams* trained = nullptr) {
  if (record.args.dtype != qint8)
    return fail("weight",
                "there are kernels for qint8, not for " + std::string{name_of(record.args.dtype)});
  const std::size_t per_output = f.outputs == 0 ? 0 : f.weight.size() / f.outputs;
  weight_qparams p;
  if (trained != nullptr) {
    p = *trained;
    if (p.scale.size() == 1) p.scale.assign(f.outputs, p.scale[0]);
  } else {
    observers::basic_any_observer<Deferred> observer{record};
    observer.observe(f.weight, {static_cast<int>(f.outputs), static_cast<int>(per_output)});
    auto found = weight_qparams_of(observer, f.outputs);
    if (!found) return unexpected{found.error()};
    p = *std::move(found);
  }
  const auto group = static_cast<std::size_t>(record.args.group_size);
  const std::size_t per_scale = group == 0 || per_output < group ? per_output : group;
  const std::size_t groups = per_scale == 0 ? 1 : (per_output + per_scale - 1) / per_scale;
  if (p.scale.size() != f.outputs * groups)
    return fail("weight", group == 0 ? "ch_axis must be 0, the outputs"
                                     : "has " + std::to_string(p.scale.size()) +
                                           " scales; groups of " + std::to_string(group) +
                                           " elements need " + std::to_string(f.outputs * groups));
  for (const std::int32_t z : p.zero_point)
    if (z != 0) return fail("weight", "the zero point must be 0: ask for a symmetric qscheme");
  for (const float scale : p.scale) {
    if (std::string problem = problem_with(with_whole_range({scale, 0}, qint8), qint8);
        !problem.empty())
      return fail("weight", std::move(problem));
    if (const status fits = observers::check_bounds(scale, constraints, s); !fits)
      return fail("weight", fits.error().message());
  }
  quantized_weights q{.weight = std::vector<std::int8_t>(f.weight.size()),
                      .scale = std::move(p.scale)};
  const quant_range range = group == 0 ? range_of(qint8) : int4_range;
  const auto low = static_cast<float>(range.min), high = static_cast<float>(range.max);
  for (std::size_t i = 0; i < f.weight.size(); ++i) {
    const std::size_t of_scale = i / per_output * groups + i % per_output / per_scale;
    const float inverse = 1.0F / q.scale[of_scale];
    const float steps = std::nearbyint(f.weight[i] * inverse);
    q.weight[i] = static_cast<std::int8_t>(steps < low ? low : steps > high ? high : steps);
  }
  return q;
}

}  // namespace ctq
