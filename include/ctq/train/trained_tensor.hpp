// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ctq/runtime/weights.hpp"

// Tensors that training changes, with their gradients.

namespace ctq::training {

/// A tensor of a state_dict. Running statistics have no gradient: theirs stays zero.
struct trained_tensor {
  std::string name;
  std::vector<int> shape;
  std::vector<float> value, gradient;

  /// Requires  w has the tensor
  trained_tensor(const weights& w, std::string full_name) : name(std::move(full_name)) {
    const weight_tensor& t = *w.find(name);
    shape = t.shape;
    value = t.values;
    gradient.assign(value.size(), 0.0F);
  }
};

}  // namespace ctq::training
