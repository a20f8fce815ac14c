// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// ctq: compile-time quantization, see README.md. Models, backends and mappings, the passes, float,
// observed and int8 models, and files of weights and int8 models. Not included, since most programs
// do without them:
//
//   ctq/evaluate.hpp     graphs run op by op, with shapes that are known at run time
//   ctq/io.hpp           other files: qparams from quantization-aware training, safetensors
//   ctq/io/idx.hpp       the format of MNIST; needs zlib
//   ctq/json.hpp         backends and mappings in JSON
//   ctq/observers.hpp    fake quantization
//   ctq/ops/reflect.hpp  the names of options
//   ctq/train.hpp        quantization-aware training

#include "ctq/core/compiler_flags.hpp"

#include "ctq/backends.hpp"
#include "ctq/core.hpp"
#include "ctq/graph.hpp"
#include "ctq/io/load_quantized.hpp"
#include "ctq/io/load_weights.hpp"
#include "ctq/io/save_quantized.hpp"
#include "ctq/ops.hpp"
#include "ctq/passes.hpp"
#include "ctq/runtime.hpp"
#include "ctq/spec.hpp"
