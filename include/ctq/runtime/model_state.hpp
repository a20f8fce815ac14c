// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "ctq/core/qparams.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/runtime/parameters.hpp"
#include "ctq/runtime/state_dict.hpp"

namespace ctq {

/// What an int8 model is made from: the quantized parameters and, by the number of the observer,
/// the qparams of activations.
struct quantized_state {
  state_dict tensors;
  std::vector<ctq::qparams> qparams;
  ctq::semantics semantics{};  // of the observers that found them
  bool is_kept = true;         // false: the model has dropped the tensors after packing them
};

/// What an int8 model consists of; copies of the model share it.
struct model_state {
  parameters values;
  quantized_state source;
};

}  // namespace ctq
