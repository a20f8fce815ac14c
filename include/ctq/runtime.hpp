// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// runtime: runs plans. Float and observed models, the int8 model, and the interpreter that both are
// compared with. Here plans and kernels meet; evaluate and train, above, use both, too.
// dispatched.hpp and compiled_kernels/define_kernel_set.hpp are not included here: they are for
// translation units that are compiled for each instruction set.

#include "ctq/core/compiler_flags.hpp"

#include "ctq/kernels/operands.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/check_qparams.hpp"
#include "ctq/runtime/compiled_kernels/compiled_executor.hpp"
#include "ctq/runtime/compiled_kernels/compiled_model.hpp"
#include "ctq/runtime/compiled_kernels/compiled_steps.hpp"
#include "ctq/runtime/compiled_kernels/kernel_set.hpp"
#include "ctq/runtime/convert.hpp"
#include "ctq/runtime/converted_model.hpp"
#include "ctq/runtime/dispatch.hpp"
#include "ctq/runtime/dynamic_linear.hpp"
#include "ctq/runtime/executor.hpp"
#include "ctq/runtime/float_model.hpp"
#include "ctq/runtime/fold_batch_norm.hpp"
#include "ctq/runtime/int8_code.hpp"
#include "ctq/runtime/int8_model.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "ctq/runtime/model_calls.hpp"
#include "ctq/runtime/named_tensors.hpp"
#include "ctq/runtime/observed_model.hpp"
#include "ctq/runtime/output_arithmetic.hpp"
#include "ctq/runtime/pack_parameters.hpp"
#include "ctq/runtime/packing/custom_modules.hpp"
#include "ctq/runtime/packing/graph_nodes.hpp"
#include "ctq/runtime/packing/op_parameters.hpp"
#include "ctq/runtime/packing/pack_steps.hpp"
#include "ctq/runtime/packing/run_graph.hpp"
#include "ctq/runtime/parameters.hpp"
#include "ctq/runtime/plan_text.hpp"
#include "ctq/runtime/quantize_parameters.hpp"
#include "ctq/runtime/quantize_weights.hpp"
#include "ctq/runtime/quantized_model.hpp"
#include "ctq/runtime/session.hpp"
#include "ctq/runtime/state_dict.hpp"
#include "ctq/runtime/step_text.hpp"
#include "ctq/runtime/tensor.hpp"
#include "ctq/runtime/verbose.hpp"
#include "ctq/runtime/weights.hpp"
