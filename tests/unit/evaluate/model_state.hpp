// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/evaluate/evaluation_options.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/runtime/weights.hpp"

namespace small {

/// What modules own, for the evaluator.
inline ctq::module_state state_of(const ctq::weights& w) {
  ctq::module_state all;
  for (const ctq::weight_tensor& t : w.tensors())
    all.set_tensor(t.name, ctq::float_ops::tensor{t.shape, t.values});
  return all;
}

/// The qparams of a compiled model, for the evaluator.
template <class Int8>
[[nodiscard]] ctq::model_qparams qparams_of(const Int8& int8) {
  ctq::model_qparams all;
  for (std::size_t i = 0; i < int8.qparams().size(); ++i)
    all.activations[static_cast<int>(i)] = ctq::tensor_qparams_of(ctq::quint8, int8.qparams()[i]);
  return all;
}

}  // namespace small
