// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/observers/observer.hpp"
#include "ctq/observers/scale_bounds.hpp"
#include "ctq/runtime/fold.hpp"
#include "ctq/spec/dtype_with_constraints.hpp"

// From the float weight of a conv or linear to integers and their scales.

namespace ctq {

struct quantized_weights {
  std::vector<std::int8_t> weight;  // in the order of the float weight
  std::vector<float> scale;         // one for each output
};

/// q = clamp(rne(w * (1 / scale))): symmetric, per output or per tensor, as the observer specifies.
[[nodiscard, gnu::cold]] inline result<quantized_weights> quantize_weights(
    const folded_weights& f, const observer_record& record,
    const dtype_with_constraints_record& constraints, semantics s = {}) {
  if (record.args.dtype != qint8)
    return fail("weight",
                "there are kernels for qint8, not for " + std::string{name_of(record.args.dtype)});
  observers::any_observer observer{record};
  const auto rest = static_cast<int>(f.outputs == 0 ? 0 : f.weight.size() / f.outputs);
  observer.observe(f.weight, {static_cast<int>(f.outputs), rest});
  quantized_weights q{.weight = std::vector<std::int8_t>(f.weight.size()), .scale = {}};
  std::vector<std::int32_t> zero_points;
  if (observer.is_per_channel()) {
    auto found = observer.calculate_per_channel_qparams();
    if (!found) return unexpected{found.error()};
    q.scale = found->scale;
    zero_points = found->zero_point;
    if (q.scale.size() != f.outputs) return fail("weight", "ch_axis must be 0, the outputs");
  } else {
    const auto found = observer.calculate_qparams();
    if (!found) return unexpected{found.error()};
    q.scale.assign(f.outputs, found->scale);
    zero_points.assign(f.outputs, found->zero_point);
  }
  for (const std::int32_t z : zero_points)
    if (z != 0) return fail("weight", "the zero point must be 0: ask for a symmetric qscheme");
  for (const float scale : q.scale)
    if (const status fits = observers::check_bounds(scale, constraints, s); !fits)
      return fail("weight", fits.error().message());
  const std::size_t per_output = f.outputs == 0 ? 0 : f.weight.size() / f.outputs;
  for (std::size_t i = 0; i < f.weight.size(); ++i) {
    const float inverse = 1.0F / q.scale[i / per_output];
    const float steps = std::nearbyint(f.weight[i] * inverse);
    q.weight[i] = static_cast<std::int8_t>(steps < -128.0F  ? -128.0F
                                           : steps > 127.0F ? 127.0F
                                                            : steps);
  }
  return q;
}

}  // namespace ctq
