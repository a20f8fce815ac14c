// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// train: quantization-aware training of compiled models. Not part of ctq/ctq.hpp.

#include "ctq/core/compiler_flags.hpp"

#include "ctq/train/check_trainable.hpp"
#include "ctq/train/gradients/arithmetic.hpp"
#include "ctq/train/gradients/batch_norm.hpp"
#include "ctq/train/gradients/convolution.hpp"
#include "ctq/train/gradients/convolution_geometry.hpp"
#include "ctq/train/gradients/depthwise_convolution.hpp"
#include "ctq/train/gradients/elements.hpp"
#include "ctq/train/gradients/linear.hpp"
#include "ctq/train/gradients/pools.hpp"
#include "ctq/train/lanes.hpp"
#include "ctq/train/layer.hpp"
#include "ctq/train/losses.hpp"
#include "ctq/train/matrix_product.hpp"
#include "ctq/train/node_state.hpp"
#include "ctq/train/op_gradients.hpp"
#include "ctq/train/optimizers.hpp"
#include "ctq/train/parameter_view.hpp"
#include "ctq/train/qat_model.hpp"
#include "ctq/train/random.hpp"
#include "ctq/train/schedules.hpp"
#include "ctq/train/trained_norm.hpp"
#include "ctq/train/trained_qparams.hpp"
#include "ctq/train/trained_tensor.hpp"
#include "ctq/train/training_graph.hpp"
