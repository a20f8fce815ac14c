// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/backend_ops.hpp"
#include "ctq/spec/backend_config.hpp"

// The kinds of pattern configs (rows) in PyTorch's backends. Dtypes is always dtype_configs<...>.

namespace ctq::rows {

/// Ops with observers and no modules.
template <class Dtypes, auto... Op>
using plain = backend_pattern_config<pattern<Op...>, Dtypes>;

/// The output has the quantization parameters of the input.
template <class Dtypes, auto Op>
using sharing = backend_pattern_config<pattern<Op>, Dtypes, share_observer_with_input>;

/// The same row for each of several ops.
template <class Dtypes, auto... Op>
using each_plain = configs<plain<Dtypes, Op>...>;

template <class Dtypes, auto... Op>
using each_sharing = configs<sharing<Dtypes, Op>...>;

/// A function whose weight and bias are arguments, given by their positions.
template <class Dtypes, auto Op, input_index_record Index>
using function = backend_pattern_config<pattern<Op>, Dtypes, input_type_to_index<Index>>;

/// A module that is or contains the one with the weight.
template <class Dtypes, auto Module, auto Root, auto Reference>
using rooted = backend_pattern_config<pattern<Module>, Dtypes, root_module<Root>,
                                      reference_quantized_module<Reference>>;

/// The same, with a separate module for quantization-aware training.
template <class Dtypes, auto Module, auto Root, auto Qat, auto Reference>
using trainable = backend_pattern_config<pattern<Module>, Dtypes, root_module<Root>,
                                         qat_module<Qat>, reference_quantized_module<Reference>>;

/// A fused module with only a module for quantization-aware training.
template <class Dtypes, auto Module, auto Qat>
using trained = backend_pattern_config<pattern<Module>, Dtypes, qat_module<Qat>>;

/// Ops that are fused to one module, which runs them in sequence.
template <class Dtypes, class Pattern, auto Fused>
using fused = backend_pattern_config<Pattern, Dtypes, fused_module<Fused>>;

/// Ops that are fused to one module by a given fuser method.
template <class Dtypes, class Pattern, auto Fused, const fuser& Fuser>
using fused_by = backend_pattern_config<Pattern, Dtypes, fused_module<Fused>, fuser_method<Fuser>>;

/// Binary arithmetic: with a tensor and a number the output shares the input's observer, with two
/// tensors it has a separate one.
template <class Dtypes, auto... Op>
using arithmetic = backend_pattern_config<
    pattern<Op...>, Dtypes,
    num_tensor_args_to_observation_type<observation_type::output_use_different_observer_as_input,
                                        observation_type::output_share_observer_with_input,
                                        observation_type::output_use_different_observer_as_input>>;

}  // namespace ctq::rows
