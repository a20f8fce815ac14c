// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/passes/code_options.hpp"
#include "ctq/runtime/dispatch.hpp"
#include "ctq/runtime/quantized_model.hpp"

namespace ctq {

/// The int8 model that convert and load_quantized make.
template <class Plan, class Isa, code_option... Option>
using converted_model = std::conditional_t<asks_for<dispatch_option, Option...>,
                                           dispatched_model<converted_plan<Plan, Option...>>,
                                           quantized_model<converted_plan<Plan, Option...>, Isa>>;

}  // namespace ctq
