// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// io: files with weights, int8 models, and qparams from quantization-aware training, all in
// safetensors. Results are values or errors. No other layer accesses files. Not included:
// ctq/io/idx.hpp, which needs zlib, and what reads models at run time for ctq/evaluate.hpp:
// ctq/io/read_fx.hpp, load_modules.hpp, traced_model.hpp, evaluator_qparams.hpp.

#include "ctq/core/compiler_flags.hpp"

#include "ctq/io/convert_trained.hpp"
#include "ctq/io/file_path.hpp"
#include "ctq/io/load_qparams.hpp"
#include "ctq/io/load_quantized.hpp"
#include "ctq/io/load_weights.hpp"
#include "ctq/io/read_safetensors.hpp"
#include "ctq/io/safetensors.hpp"
#include "ctq/io/save_quantized.hpp"
#include "ctq/io/write_safetensors.hpp"
