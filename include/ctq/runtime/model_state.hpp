// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "ctq/core/qparams.hpp"
#include "ctq/runtime/parameters.hpp"

namespace ctq {

/// What an int8 model is made of; copies of the model share it.
struct model_state {
  parameters values;
  std::vector<ctq::qparams> qparams;
};

}  // namespace ctq
