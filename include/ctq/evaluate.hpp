// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// evaluate: runs graphs of any stage op by op, with shapes that are known at run time: for
// calibration, for tests, and to compare stages layer by layer. The float implementations of ops,
// called as in Python, are in evaluate/float_ops. Not part of ctq/ctq.hpp.

#include "ctq/core/compiler_flags.hpp"

#include "ctq/evaluate/calibrated_qparams.hpp"
#include "ctq/evaluate/compare.hpp"
#include "ctq/evaluate/custom_modules.hpp"
#include "ctq/evaluate/equalization/equalized_weights.hpp"
#include "ctq/evaluate/equalization/equalizer.hpp"
#include "ctq/evaluate/evaluation_options.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/evaluate/lstm/quantizable_lstm.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/evaluate/nested_model.hpp"
