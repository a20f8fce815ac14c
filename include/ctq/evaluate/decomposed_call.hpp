// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/observers/aminmax.hpp"
#include "ctq/observers/calculate_qparams.hpp"
#include "ctq/spec/observer.hpp"

// The decomposed form of quantize: plain integers, scale and zero point as separate values. Unlike
// a quantized tensor it is clamped to the observer's range, which reduce_range makes smaller than
// the dtype's, and dynamic scales are the observer's, with its eps.
//
// Source  PyTorch 2.1 torch/ao/quantization/fx/_decomposed.py

namespace ctq::decomposed {

/// Quantizes to integers of the range.
/// Requires  as many scales as the axis has slices
/// Rounding  to nearest, ties to even, after multiplying by the inverse of the scale. A
///           single scale is a Python number, inverted in double; several are a tensor, inverted in
///           float32
[[nodiscard]] inline quantized_tensor quantize(const float_ops::tensor& x, const tensor_qparams& s,
                                               quant_range range) {
  std::vector<float> inverse;
  for (const double scale : s.scale)
    inverse.push_back(s.is_per_channel() ? 1.0F / static_cast<float>(scale)
                                         : static_cast<float>(1.0 / scale));
  return quantized_tensor::of(s, x.shape, [&]<class Q>(Q* to) {
    quantizing::for_each_element(x.shape, s, [&](std::size_t c, std::size_t i) {
      to[i] = static_cast<Q>(quantizing::integer_of(x.data[i], inverse[c], s.zero_point[c], range));
    });
  });
}

/// The scale and zero point for these values: {scale, zero point}.
/// Errors  as an observer of these values
[[nodiscard]] inline result<float_ops::list> choose_qparams(const float_ops::tensor& x,
                                                            const observer_args& args,
                                                            semantics s) {
  observers::extrema seen{0.0F, 0.0F, false};
  if (!x.data.empty()) seen = observers::aminmax(x.data);
  const auto found = observers::calculate_qparams(args, seen, s);
  if (!found) return unexpected{found.error()};
  return float_ops::list{found->scale, found->zero_point};
}

/// The result of choose_qparams, as qparams of the dtype.
/// Errors  any other value
[[nodiscard]] inline result<tensor_qparams> qparams_from(const node_value& qparams, dtype d) {
  const float_ops::value v = qparams.real();
  const auto* pair = v.get_if<float_ops::list>();
  if (pair == nullptr || pair->size() != 2) return fail({}, "reads no scale and zero point");
  const auto scale = float_ops::as_real((*pair)[0]);
  const auto zero_point = float_ops::as_integer((*pair)[1]);
  if (!scale || !zero_point) return fail({}, "reads no scale and zero point");
  return tensor_qparams{d, -1, {*scale}, {static_cast<std::int32_t>(*zero_point)}, {}};
}

}  // namespace ctq::decomposed
