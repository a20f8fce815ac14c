// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Observers at run time: each collects statistics of tensors during calibration and calculates
// scale and zero point from them. Fake quantization simulates the rounding error.

#include "ctq/core/compiler_flags.hpp"

#include "ctq/observers/any_fake_quantize.hpp"
#include "ctq/observers/calculate_qparams.hpp"
#include "ctq/observers/choose_qparams.hpp"
#include "ctq/observers/equalization.hpp"
#include "ctq/observers/fake_quantize.hpp"
#include "ctq/observers/float_qparams.hpp"
#include "ctq/observers/learnable_gradient.hpp"
#include "ctq/observers/mergeable.hpp"
#include "ctq/observers/observer.hpp"
#include "ctq/observers/quantize_int32.hpp"
#include "ctq/observers/scale_bounds.hpp"
