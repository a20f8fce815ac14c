// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "tensors.hpp"

// The models of the suite qconfig_match: one op, of which a case says the name only.
//
//   nn.Linear             a module m: m(x)
//   F.linear, F.conv2d    a function of x and the attributes w and b
//   operator.add          x + x, of what takes two tensors
//   torch.mul_scalar      x * 2.0
//   torch.cat             a function of the list [x, x]
//   call_method.reshape   x.reshape(-1)
//   torch.exp, F.relu     a function of x

namespace golden {

/// The rows of torch.fx of the model that goes by this name.
[[nodiscard]] json op_model(const std::string& op);

/// The rows that a prepared graph was made from, as far as it shows them: without its observers.
///   op     the name of the model
///   nodes  [name, target or class, arguments as Python prints them] each
[[nodiscard]] json op_model_from(const std::string& op, const json& nodes);

}  // namespace golden
