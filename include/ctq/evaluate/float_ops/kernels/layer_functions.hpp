// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/convolution.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/kernels/operands.hpp"

namespace ctq::float_ops {

/// Functions for the ops that take nearly all the time of a model; null: the loops of this folder,
/// which accumulate in double. Modules composed of these ops use them, too.
///   state         passed to the functions
///   weight, bias  tensors that stay the same from call to call, so that values derived from them
///                 can be cached; bias may be None
///   kernel        runs a kernel of float_kernels.hpp; null: its reference
struct layer_functions {
  void* state{};
  result<tensor> (*convolution)(void* state, const tensor& in, const value& weight,
                                const value& bias, const convolution_options& o){};
  result<tensor> (*linear)(void* state, const tensor& in, const value& weight, const value& bias){};
  void (*kernel)(void* state, const kernel_signature& signature, const ctq::operands& x){};
};

}  // namespace ctq::float_ops
