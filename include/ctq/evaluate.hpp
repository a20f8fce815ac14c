// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// evaluate: graphs of any stage run op by op, with shapes that are known at run time: for
// calibration, for tests, and to compare stages layer by layer. What an op computes on floats,
// called as in Python, is in evaluate/float_ops. ctq/ctq.hpp does not include this.

#include "ctq/evaluate/compare.hpp"
#include "ctq/evaluate/custom_modules.hpp"
#include "ctq/evaluate/equalized_weights.hpp"
#include "ctq/evaluate/equalizer.hpp"
#include "ctq/evaluate/evaluation_options.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/evaluate/lstm/quantizable_lstm.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/evaluate/nested_model.hpp"
